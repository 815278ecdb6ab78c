//===- PlaceLayers.h - Placing every layer of a model -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_PLACELAYERS_H
#define MOZART_PLACEMENT_PLACELAYERS_H

#include "mozart/Placement/Placement.h"
#include "mozart/Routing/Statistics.h"

namespace mozart {

/// `chiplets` in `groups` of equal size, in order: the groupOf of a
/// PlacementProblem where there is no machine to ask. Fails with
/// kInvalidArgument unless groups divide chiplets.
absl::StatusOr<std::vector<int32_t>> uniformGroups(int64_t chiplets,
                                                   int64_t groups);

/// Places layers 0 to `layers` - 1 of the problem (whose own `layer` is not
/// read), each by its own profile where there is one, `threads` of them at a
/// time; the placements are the same for any number. Errors name the layer, the
/// first that fails. Fails with kInvalidArgument on fewer than one thread, and
/// on caps, weights, sizes or costs for an algorithm that does not search.
absl::StatusOr<std::vector<Placement>>
placeLayers(const PlacementAlgorithm &algorithm, PlacementProblem problem,
            int64_t layers, int64_t threads = 1);

/// What the placements do to each layer of a trace; one placement serves every
/// layer, and a trace of one layer every placement. Which of several replicas a
/// token is sent to goes by its row in the trace, or in its micro-batch. Fails
/// with kInvalidArgument where the layers or the experts differ.
absl::StatusOr<std::vector<LayerStatistics>>
placementStatistics(const Trace &trace, absl::Span<const Placement> placements,
                    absl::Span<const int32_t> groupOf,
                    int64_t tokensPerMicroBatch = INT64_MAX);

/// The mean of each figure over layers; zero of none.
LayerStatistics meanStatistics(absl::Span<const LayerStatistics> layers);

} // namespace mozart

#endif // MOZART_PLACEMENT_PLACELAYERS_H
