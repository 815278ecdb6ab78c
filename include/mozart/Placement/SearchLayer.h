//===- SearchLayer.h - The best placement that is found ---------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_SEARCHLAYER_H
#define MOZART_PLACEMENT_SEARCHLAYER_H

#include "mozart/Placement/SwapSearch.h"

namespace mozart {

/// What the problem asks to minimise, in the integers of a search. `load` is
/// that of its layer. Expects a problem that has been verified.
SwapObjective objectiveOf(const PlacementProblem &problem,
                          absl::Span<const int64_t> load);

struct LayerSearchResult {
  Placement placement;
  /// Of the placement under `objectiveOf`, over all tokens.
  SwapSearch::Value value;
  /// (token set, expert) pairs that changes of the search went through: what
  /// its time is proportional to.
  int64_t edgeVisits = 0;
  int64_t changes = 0;
};

/// The algorithm `search` on one layer. Fails as it does.
absl::StatusOr<LayerSearchResult> searchLayer(const PlacementProblem &problem);

} // namespace mozart

#endif // MOZART_PLACEMENT_SEARCHLAYER_H
