//===- FeasibleStart.h - A placement that keeps the limits ------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_PLACEMENT_FEASIBLESTART_H
#define MOZART_LIB_PLACEMENT_FEASIBLESTART_H

#include "mozart/Placement/SwapSearch.h"

#include "absl/status/statusor.h"

namespace mozart {

/// A placement within the objective's limits, by load and room alone. Fails
/// with kFailedPrecondition where none is found, saying how close it came and
/// what is proven.
absl::StatusOr<std::vector<int32_t>>
feasibleStart(const PlacementProblem &problem, const SwapObjective &objective);

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_FEASIBLESTART_H
