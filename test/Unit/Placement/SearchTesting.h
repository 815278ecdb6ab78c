//===- SearchTesting.h - Problems for searches ------------------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_UNITTESTS_PLACEMENT_SEARCHTESTING_H
#define MOZART_UNITTESTS_PLACEMENT_SEARCHTESTING_H

#include "mozart/Placement/PlaceLayers.h"

#include "RandomRouting.h"

namespace mozart::testing {

inline absl::StatusOr<Placement> place(const char *algorithm,
                                       const PlacementProblem &problem) {
  return (*PlacementAlgorithm::find(algorithm))->run(problem);
}

inline PlacementProblem problemOf(const Trace &profile,
                                  std::vector<int32_t> groupOf) {
  PlacementProblem problem;
  problem.numExperts = profile.numExperts();
  problem.groupOf = std::move(groupOf);
  problem.profile = &profile;
  return problem;
}

inline LayerStatistics statisticsOf(const PlacementProblem &problem,
                                    const Placement &placement) {
  return placementStatistics(*problem.profile, {placement}, problem.groupOf)
      ->front();
}

/// The one chiplet of each expert.
inline std::vector<int32_t> chipletsOf(const Placement &placement) {
  std::vector<int32_t> chiplets;
  for (const std::vector<int32_t> &one : placement.chipletsOf)
    chiplets.push_back(one[0]);
  return chiplets;
}

} // namespace mozart::testing

#endif // MOZART_UNITTESTS_PLACEMENT_SEARCHTESTING_H
