//===- Positions.h - Which chiplet takes which cluster ----------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_PLACEMENT_POSITIONS_H
#define MOZART_LIB_PLACEMENT_POSITIONS_H

#include "mozart/Placement/SwapSearch.h"

namespace mozart {

/// Where what was minimised is blind to which chiplet takes which cluster (only
/// C_T and the busiest receive count), lets clusters trade places: so that the
/// sum of G_T, of the other levels' means and of hops is least, and limits are
/// kept. Elsewhere, and where chiplets are all alike, changes nothing.
void assignPositions(const PlacementProblem &problem, const Hypergraph &graph,
                     const SwapObjective &objective,
                     std::vector<int32_t> &chipletOf);

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_POSITIONS_H
