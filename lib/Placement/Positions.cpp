//===- Positions.cpp - Which chiplet takes which cluster ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same search, one level up: clusters are the vertices, a token's edge is
// the clusters that it is sent to, and each chiplet takes one.
//
//===----------------------------------------------------------------------===//

#include "Positions.h"

#include "Exploration.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

static constexpr int64_t kChipletPermille = 1000;
static constexpr int64_t kKicks = 10;
static constexpr int64_t kMoves = 100'000;

/// Whether the objective tells chiplets apart.
static bool seesPositions(const PlacementProblem &problem) {
  return problem.cost || problem.groupWeight != 0 || problem.hopWeight != 0 ||
         std::any_of(
             problem.levels.begin(), problem.levels.end(),
             [](const SwitchLevel &level) { return level.weight != 0; });
}

/// Whether all chiplets are in one part.
static bool isTrivial(const SwapObjective::Level &level) {
  return std::all_of(level.partOf.begin(), level.partOf.end(),
                     [&](int32_t part) { return part == level.partOf[0]; });
}

/// Amounts of experts, summed over clusters.
static std::vector<int64_t> ofClusters(absl::Span<const int64_t> amount,
                                       absl::Span<const int32_t> chipletOf,
                                       int64_t chiplets) {
  std::vector<int64_t> sums(chiplets, 0);
  for (size_t expert = 0; expert < amount.size(); ++expert)
    sums[chipletOf[expert]] += amount[expert];
  return sums;
}

void mozart::assignPositions(const PlacementProblem &problem,
                             const Hypergraph &graph,
                             const SwapObjective &objective,
                             std::vector<int32_t> &chipletOf) {
  if (seesPositions(problem))
    return;
  int64_t chiplets = objective.numChiplets();
  SwapObjective positions;
  bool differ = !problem.hopsOf.empty();
  for (size_t index = 0; index < objective.levels.size(); ++index) {
    SwapObjective::Level level = objective.levels[index];
    if (index == 0 && !problem.hopsOf.empty()) {
      for (int64_t chiplet = 0; chiplet < chiplets; ++chiplet)
        level.permille[chiplet] = kChipletPermille * problem.hopsOf[chiplet];
    } else {
      bool counts = index != 0 && !isTrivial(level);
      differ |= counts;
      std::fill(level.permille.begin(), level.permille.end(),
                counts ? kChipletPermille : 0);
    }
    positions.levels.push_back(std::move(level));
  }
  if (!differ)
    return;
  positions.fewest.assign(chiplets, 1);
  positions.most = positions.fewest;
  for (const SwapObjective::Limit &limit : objective.limits) {
    positions.limits.push_back(limit);
    positions.limits.back().amount =
        ofClusters(limit.amount, chipletOf, chiplets);
  }
  if (!problem.slotsOf.empty())
    positions.limits.push_back(
        {positions.levels[0].partOf,
         ofClusters(std::vector<int64_t>(chipletOf.size(), 1), chipletOf,
                    chiplets),
         objective.most, "experts of chiplet"});

  Hypergraph clusters = graph.contracted(chipletOf, chiplets);
  int64_t budget = kMoves;
  Exploration exploration(
      clusters, positions,
      SplitMix64(problem.seed, /*purpose=*/2, problem.layer), budget);
  std::vector<int32_t> inPlace(chiplets);
  std::iota(inPlace.begin(), inPlace.end(), 0);
  exploration.startFrom(std::move(inPlace));
  for (int64_t kick = 0; kick < kKicks; ++kick)
    exploration.kick(chiplets);
  const std::vector<int32_t> &chipletOfCluster =
      exploration.best().front().chipletOf;
  for (int32_t &chiplet : chipletOf)
    chiplet = chipletOfCluster[chiplet];
}
