//===- Load.cpp - Chiplets of equal load ----------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The load balancer of LoadBalance.h without replicas and without expert
// groups. Hot experts end up apart, and those are the ones that fire together:
// C_T is that of a random layout or worse.
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"
#include "mozart/Placement/LoadBalance.h"
#include "mozart/Routing/Statistics.h"

using namespace mozart;

absl::StatusOr<Placement> mozart::placeLoad(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "placement algorithm 'load' needs a routing profile");
  std::vector<int64_t> load =
      expertLoad(*problem.profile, problem.profileLayer());
  std::vector<double> weight(load.begin(), load.end());
  return placementOf(packByLoad(weight, problem.capacities()),
                     problem.numExperts);
}
