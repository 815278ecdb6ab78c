//===- FeasibleStart.cpp - A placement that keeps the limits --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeasibleStart.h"

#include "mozart/Placement/LoadBalance.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

/// Steps that are made to bring amounts below limits.
static constexpr int64_t kSteps = 1000;

/// Whether all that is asked is one cap on equal chiplets of equal experts.
static bool isPlain(const PlacementProblem &problem,
                    const SwapObjective &objective) {
  return objective.limits.size() == 1 && problem.loadCap != 0 &&
         problem.slotsOf.empty() && problem.speedOf.empty() &&
         problem.bytesOf.empty() && problem.groupLoadCap == 0 &&
         std::all_of(
             problem.levels.begin(), problem.levels.end(),
             [](const SwitchLevel &level) { return level.loadCap == 0; });
}

static absl::StatusOr<std::vector<int32_t>>
balancedStart(const PlacementProblem &problem, const SwapObjective &objective) {
  absl::Span<const int64_t> load = objective.load;
  int64_t chiplets = problem.numChiplets();
  int64_t limit = objective.limits[0].most[0];
  std::vector<int32_t> balanced =
      balanceLoads(load, chiplets, limit, problem.seed);
  std::vector<int64_t> carried(chiplets, 0);
  for (size_t expert = 0; expert < balanced.size(); ++expert)
    carried[balanced[expert]] += load[expert];
  int64_t busiest = *std::max_element(carried.begin(), carried.end());
  if (busiest <= limit)
    return balanced;
  int64_t bound = boundOfBusiest(load, chiplets);
  double mean = std::accumulate(load.begin(), load.end(), 0.0) /
                static_cast<double>(chiplets);
  auto overMean = [&](int64_t load) {
    return std::ceil(static_cast<double>(load) / mean * 10'000) / 10'000;
  };
  return absl::FailedPreconditionError(absl::StrFormat(
      "no placement without replicas was found whose busiest chiplet has at "
      "most %.4f times the mean load; %s, %.4f was found. Use that as the "
      "load cap, or fewer chiplets",
      problem.loadCap,
      bound > limit
          ? absl::StrFormat(
                "there is none below %.4f",
                std::floor(static_cast<double>(bound) / mean * 10'000) / 10'000)
          : absl::StrFormat("down to %.4f is not ruled out", overMean(bound)),
      overMean(busiest)));
}

/// Heaviest first, each to the chiplet with the least load for its speed among
/// those with room.
static std::vector<int32_t> packWithin(const PlacementProblem &problem,
                                       const SwapObjective &objective) {
  int64_t chiplets = problem.numChiplets();
  bool byBytes = !problem.bytesOf.empty();
  std::vector<int64_t> most = byBytes ? objective.most : problem.capacities();
  std::vector<int64_t> count(chiplets, 0), room = problem.bytesOf;
  std::vector<double> carried(chiplets, 0);
  std::vector<int32_t> order(problem.numExperts), chipletOf(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    if (byBytes && problem.expertBytes[a] != problem.expertBytes[b])
      return problem.expertBytes[a] > problem.expertBytes[b];
    if (objective.load[a] != objective.load[b])
      return objective.load[a] > objective.load[b];
    return a < b;
  });
  int64_t left = problem.numExperts, empty = chiplets;
  for (int32_t expert : order) {
    int64_t chosen = -1;
    auto isBetter = [&](int64_t chiplet) {
      if (chosen < 0)
        return true;
      if (byBytes) {
        bool fits = problem.expertBytes[expert] <= room[chiplet];
        bool chosenFits = problem.expertBytes[expert] <= room[chosen];
        if (fits != chosenFits || !fits)
          return fits > chosenFits || (!fits && room[chiplet] > room[chosen]);
      }
      return carried[chiplet] < carried[chosen];
    };
    for (int64_t chiplet = 0; chiplet < chiplets; ++chiplet)
      if (count[chiplet] < most[chiplet] &&
          (count[chiplet] == 0 || left > empty) && isBetter(chiplet))
        chosen = chiplet;
    chipletOf[expert] = static_cast<int32_t>(chosen);
    empty -= count[chosen]++ == 0;
    --left;
    carried[chosen] +=
        static_cast<double>(objective.load[expert]) /
        static_cast<double>(problem.speedOf.empty() ? 1
                                                    : problem.speedOf[chosen]);
    if (byBytes)
      room[chosen] -= problem.expertBytes[expert];
  }
  return chipletOf;
}

/// The part that is furthest above its limit, as a sentence.
static std::string describeExcess(const SwapObjective &objective,
                                  absl::Span<const int32_t> chipletOf) {
  std::string worst;
  double most = 0;
  for (const SwapObjective::Limit &limit : objective.limits) {
    std::vector<int64_t> sums(limit.most.size(), 0);
    for (size_t expert = 0; expert < chipletOf.size(); ++expert)
      if (int32_t part = limit.partOf[chipletOf[expert]]; part >= 0)
        sums[part] += limit.amount[expert];
    for (size_t part = 0; part < sums.size(); ++part) {
      double ratio = static_cast<double>(sums[part]) /
                     std::max<double>(static_cast<double>(limit.most[part]), 1);
      if (sums[part] <= limit.most[part] || ratio <= most)
        continue;
      most = ratio;
      worst = absl::StrFormat("%s %d is %d, the limit is %d", limit.name, part,
                              sums[part], limit.most[part]);
    }
  }
  return worst;
}

absl::StatusOr<std::vector<int32_t>>
mozart::feasibleStart(const PlacementProblem &problem,
                      const SwapObjective &objective) {
  if (isPlain(problem, objective))
    return balancedStart(problem, objective);
  // Only the excess counts: no tables, so that steps are cheap.
  SwapObjective limitsOnly = objective;
  limitsOnly.cost = nullptr;
  limitsOnly.receivePermille = 0;
  for (SwapObjective::Level &level : limitsOnly.levels)
    std::fill(level.permille.begin(), level.permille.end(), 0);
  Hypergraph none = Hypergraph::withoutEdges(problem.numExperts);
  SwapSearch search(none, limitsOnly, packWithin(problem, objective));
  SplitMix64 random(problem.seed, /*purpose=*/3, problem.layer);
  int64_t least = search.excess();
  std::vector<int32_t> best(search.chipletOf().begin(),
                            search.chipletOf().end());
  for (int64_t step = 0; step < kSteps && least > 0; ++step) {
    search.stepOn(/*penalty=*/1, /*aspiration=*/{}, random);
    if (search.excess() >= least)
      continue;
    least = search.excess();
    best.assign(search.chipletOf().begin(), search.chipletOf().end());
  }
  if (least == 0)
    return best;
  return absl::FailedPreconditionError(absl::StrFormat(
      "no placement without replicas was found that keeps the caps and the "
      "room "
      "of chiplets; in the closest one %s. Raise the cap or make room",
      describeExcess(objective, best)));
}
