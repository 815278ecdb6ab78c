//===- Random.cpp - Experts in a shuffled order ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"

#include <numeric>
#include <utility>

using namespace mozart;

Placement mozart::placeShuffled(const PlacementProblem &problem,
                                SplitMix64 random) {
  std::vector<int32_t> order(problem.numExperts);
  std::iota(order.begin(), order.end(), 0);
  for (uint64_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return placeInOrder(order, problem.capacities());
}

absl::StatusOr<Placement> mozart::placeRandom(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  // Every layer has a shuffle of its own.
  return placeShuffled(problem,
                       SplitMix64(problem.seed, /*purpose=*/0, problem.layer));
}
