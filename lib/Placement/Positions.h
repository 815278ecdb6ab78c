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

/// Whether what is minimised tells chiplets apart: more than C_T and the
/// busiest receive count.
bool seesPositions(const PlacementProblem &problem);

/// Lets whole clusters trade places, under the objective; where that is blind
/// to which chiplet takes which cluster, so that the sum of G_T, of the other
/// levels' means and of hops is least. Limits that are kept stay so. Returns
/// whether anything changed; nothing does where all chiplets are alike.
bool improvePositions(const PlacementProblem &problem, const Hypergraph &graph,
                      const SwapObjective &objective,
                      std::vector<int32_t> &chipletOf);

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_POSITIONS_H
