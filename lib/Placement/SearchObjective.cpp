//===- SearchObjective.cpp - What a search is asked, in integers ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SearchLayer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

static int64_t permille(double weight) { return std::llround(weight * 1000); }

/// One more than the highest part, and at least one.
static int64_t numParts(absl::Span<const int32_t> partOf) {
  return std::max(*std::max_element(partOf.begin(), partOf.end()), 0) + 1;
}

static SwapObjective::Level levelOf(absl::Span<const int32_t> partOf,
                                    double weight) {
  return {{partOf.begin(), partOf.end()},
          std::vector<int64_t>(numParts(partOf), permille(weight))};
}

static SwapObjective::Level chipletLevel(const PlacementProblem &problem) {
  std::vector<int32_t> partOf(problem.numChiplets());
  std::iota(partOf.begin(), partOf.end(), 0);
  SwapObjective::Level level = levelOf(partOf, problem.chipletWeight);
  for (size_t chiplet = 0; chiplet < problem.hopsOf.size(); ++chiplet)
    level.permille[chiplet] +=
        permille(problem.hopWeight) * problem.hopsOf[chiplet];
  return level;
}

/// No part carries more than `cap` times its share of the load by speed.
static void addLoadCap(const PlacementProblem &problem,
                       absl::Span<const int32_t> partOf, double cap,
                       absl::Span<const int64_t> load, const char *name,
                       SwapObjective &objective) {
  if (cap == 0)
    return;
  double total = 0, speeds = 0;
  for (int64_t one : load)
    total += static_cast<double>(one);
  std::vector<double> speedOfPart(numParts(partOf), 0);
  for (size_t chiplet = 0; chiplet < partOf.size(); ++chiplet) {
    double speed = problem.speedOf.empty()
                       ? 1
                       : static_cast<double>(problem.speedOf[chiplet]);
    speeds += speed;
    if (partOf[chiplet] >= 0)
      speedOfPart[partOf[chiplet]] += speed;
  }
  SwapObjective::Limit limit;
  limit.partOf.assign(partOf.begin(), partOf.end());
  limit.amount.assign(load.begin(), load.end());
  limit.name = name;
  bool binds = false;
  for (double speed : speedOfPart) {
    // Not to lose a limit that is a whole number to rounding.
    double most = std::floor(cap * total * speed / speeds * (1 + 1e-12));
    binds |= most < total;
    limit.most.push_back(static_cast<int64_t>(std::min(most, total)));
  }
  if (binds)
    objective.limits.push_back(std::move(limit));
}

static void addNumbers(const PlacementProblem &problem,
                       SwapObjective &objective) {
  int64_t experts = problem.numExperts, chiplets = problem.numChiplets();
  bool byBytes = !problem.bytesOf.empty();
  if (!problem.slotsOf.empty())
    objective.most = problem.slotsOf;
  else
    objective.most.assign(chiplets, byBytes
                                        ? experts - chiplets + 1
                                        : (experts + chiplets - 1) / chiplets);
  bool even = problem.slotsOf.empty() && !byBytes;
  objective.fewest.assign(chiplets, even ? experts / chiplets : 1);
  if (byBytes)
    objective.limits.push_back({objective.levels[0].partOf, problem.expertBytes,
                                problem.bytesOf, "bytes of chiplet"});
}

SwapObjective mozart::objectiveOf(const PlacementProblem &problem,
                                  absl::Span<const int64_t> load) {
  SwapObjective objective;
  objective.levels.push_back(chipletLevel(problem));
  objective.levels.push_back(levelOf(problem.groupOf, problem.groupWeight));
  for (const SwitchLevel &level : problem.levels)
    objective.levels.push_back(levelOf(level.partOf, level.weight));
  objective.receivePermille = permille(problem.receiveWeight);
  objective.load.assign(load.begin(), load.end());
  objective.bytes = problem.expertBytes;
  objective.cost = problem.cost;
  addLoadCap(problem, objective.levels[0].partOf, problem.loadCap, load,
             "load of chiplet", objective);
  addLoadCap(problem, problem.groupOf, problem.groupLoadCap, load,
             "load of switch group", objective);
  for (const SwitchLevel &level : problem.levels)
    addLoadCap(problem, level.partOf, level.loadCap, load,
               "load of part of a switch level", objective);
  addNumbers(problem, objective);
  return objective;
}
