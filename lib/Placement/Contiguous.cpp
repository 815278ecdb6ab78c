//===- Contiguous.cpp - Experts in order ----------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"

#include <numeric>

using namespace mozart;

absl::StatusOr<Placement>
mozart::placeContiguous(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  std::vector<int32_t> order(problem.numExperts);
  std::iota(order.begin(), order.end(), 0);
  return placeInOrder(order, problem.capacities());
}
