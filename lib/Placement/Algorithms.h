//===- Algorithms.h - The placement algorithms there are ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_PLACEMENT_ALGORITHMS_H
#define MOZART_LIB_PLACEMENT_ALGORITHMS_H

#include "mozart/Placement/Placement.h"
#include "mozart/Support/SplitMix64.h"

namespace mozart {

absl::StatusOr<Placement> placeContiguous(const PlacementProblem &problem);
absl::StatusOr<Placement> placeRandom(const PlacementProblem &problem);
absl::StatusOr<Placement> placeAlgorithm1(const PlacementProblem &problem);
absl::StatusOr<Placement> placeLoad(const PlacementProblem &problem);
absl::StatusOr<Placement> placeSearch(const PlacementProblem &problem);

absl::StatusOr<Placement> replicateLoad(const PlacementProblem &problem);
absl::StatusOr<Placement> replicateSearch(const PlacementProblem &problem);

/// The placement that puts clusters[c] on chiplet c.
Placement placementOf(absl::Span<const std::vector<int32_t>> clusters,
                      int64_t numExperts);

/// Cuts `order`, all experts, into chiplets of these capacities.
Placement placeInOrder(absl::Span<const int32_t> order,
                       absl::Span<const int64_t> capacities);

/// Experts in an order drawn from `random`, in pieces of the capacities.
Placement placeShuffled(const PlacementProblem &problem, SplitMix64 random);

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_ALGORITHMS_H
