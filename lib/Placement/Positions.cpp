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
static constexpr int64_t kKicks = 4;
static constexpr int64_t kMoves = 100'000;

bool mozart::seesPositions(const PlacementProblem &problem) {
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

/// Amounts of experts, summed over clusters; none of none.
static std::vector<int64_t> ofClusters(absl::Span<const int64_t> amount,
                                       absl::Span<const int32_t> chipletOf,
                                       int64_t chiplets) {
  std::vector<int64_t> sums(amount.empty() ? 0 : chiplets, 0);
  for (size_t expert = 0; expert < amount.size(); ++expert)
    sums[chipletOf[expert]] += amount[expert];
  return sums;
}

/// What counts where the objective does not tell chiplets apart.
static void weighPositions(const PlacementProblem &problem,
                           SwapObjective &positions) {
  for (SwapObjective::Level &level : positions.levels)
    std::fill(level.permille.begin(), level.permille.end(),
              isTrivial(level) ? 0 : kChipletPermille);
  std::vector<int64_t> &ofChiplet = positions.levels[0].permille;
  for (size_t chiplet = 0; chiplet < ofChiplet.size(); ++chiplet)
    ofChiplet[chiplet] =
        problem.hopsOf.empty() ? 0 : kChipletPermille * problem.hopsOf[chiplet];
}

/// The objective over clusters, one on each chiplet.
static SwapObjective objectiveOfClusters(const PlacementProblem &problem,
                                         const SwapObjective &objective,
                                         absl::Span<const int32_t> chipletOf) {
  int64_t chiplets = objective.numChiplets();
  SwapObjective positions = objective;
  if (!seesPositions(problem))
    weighPositions(problem, positions);
  std::vector<int64_t> &ofChiplet = positions.levels[0].permille;
  // As many chiplets are visited wherever they are.
  if (std::equal(ofChiplet.begin() + 1, ofChiplet.end(), ofChiplet.begin()))
    std::fill(ofChiplet.begin(), ofChiplet.end(), 0);
  if (!problem.cost)
    positions.receivePermille = 0;
  std::vector<int64_t> ones(chipletOf.size(), 1);
  positions.units = ofClusters(ones, chipletOf, chiplets);
  positions.load = ofClusters(objective.load, chipletOf, chiplets);
  positions.bytes = ofClusters(objective.bytes, chipletOf, chiplets);
  for (SwapObjective::Limit &limit : positions.limits)
    limit.amount = ofClusters(limit.amount, chipletOf, chiplets);
  if (!problem.slotsOf.empty())
    positions.limits.push_back({positions.levels[0].partOf, positions.units,
                                objective.most, "experts of chiplet"});
  // No chiplet gives its cluster away but for another.
  positions.fewest.assign(chiplets, INT64_MAX);
  return positions;
}

bool mozart::improvePositions(const PlacementProblem &problem,
                              const Hypergraph &graph,
                              const SwapObjective &objective,
                              std::vector<int32_t> &chipletOf) {
  int64_t chiplets = objective.numChiplets();
  SwapObjective positions = objectiveOfClusters(problem, objective, chipletOf);
  bool differ =
      problem.cost ||
      std::any_of(positions.levels.begin(), positions.levels.end(),
                  [](const SwapObjective::Level &level) {
                    return !isTrivial(level) &&
                           std::any_of(level.permille.begin(),
                                       level.permille.end(),
                                       [](int64_t w) { return w != 0; });
                  });
  if (!differ)
    return false;
  Hypergraph clusters = graph.contracted(chipletOf, chiplets);
  int64_t budget = kMoves;
  Exploration exploration(
      clusters, positions,
      SplitMix64(problem.seed, /*purpose=*/2, problem.layer), budget);
  std::vector<int32_t> inPlace(chiplets);
  std::iota(inPlace.begin(), inPlace.end(), 0);
  exploration.startFrom(inPlace);
  for (int64_t kick = 0; kick < kKicks; ++kick)
    exploration.kick(chiplets);
  if (exploration.best().empty() ||
      exploration.best().front().chipletOf == inPlace)
    return false;
  const std::vector<int32_t> &chipletOfCluster =
      exploration.best().front().chipletOf;
  for (int32_t &chiplet : chipletOf)
    chiplet = chipletOfCluster[chiplet];
  return true;
}
