//===- Search.cpp - The least C_T that swaps lead to ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From each of several placements (that of Algorithm 1, experts in order,
// seeded shuffles) the best swap is made until none helps; the best end of all
// is kept. From it some random swaps are made, and the descent repeated, a
// number of times. What a swap changes is counted exactly, over all tokens.
//
// A load cap is a price first: of so much a pair above it, which is raised
// until the cap is kept. Then only swaps that keep it are made. One more start
// is a placement that is balanced by load alone, so that a placement that
// keeps the cap is at hand from the first.
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"
#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/SwapSearch.h"
#include "mozart/Routing/Statistics.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

/// Tables of pairs of experts take 8 bytes each: 128 MiB here.
static constexpr int64_t kMaxExpertsOfTables = 4096;

/// The first price of a pair above the cap, in thousandths of a visited
/// chiplet, and how often it is doubled before a start is given up.
static constexpr int64_t kFirstPenalty = 250;
static constexpr int64_t kPenaltyRounds = 12;

/// Random swaps between a placement and the descent from near it. With fewer
/// most descents lead back; this many were best on routing of real models.
static constexpr int64_t kSwapsOfKick = 8;

namespace {
/// The search for one layer.
class LayerSearch {
public:
  explicit LayerSearch(const PlacementProblem &problem)
      : problem(problem), graph(*problem.profile, problem.profileLayer()),
        budget(problem.moveBudget) {
    objective.groupOf = problem.groupOf;
    objective.groupPermille = std::llround(problem.groupWeight * 1000);
    objective.load = expertLoad(*problem.profile, problem.profileLayer());
  }

  absl::StatusOr<Placement> run();

private:
  absl::Status checkSizes() const;
  /// Sets the limit and takes a placement that keeps it; fails without one.
  absl::Status applyLoadCap();
  absl::StatusOr<std::vector<int32_t>> start(int64_t index) const;
  void searchFrom(std::vector<int32_t> chipletOf);
  /// Descends, and considers where that ends.
  void descend(SwapSearch &search);
  /// Descends from placements that are a few random swaps from the best.
  void kickBest();
  /// Keeps the placement if it is the best so far.
  void consider(const SwapSearch &search);
  bool hasCap() const { return problem.loadCap != 0; }

  const PlacementProblem &problem;
  Hypergraph graph;
  SwapObjective objective;
  int64_t budget;
  std::vector<int32_t> best;
  int64_t bestCost = INT64_MAX;
};
} // namespace

/// A swap changes the cost by no more than twice the cost of all tokens at k
/// chiplets and groups each, and the excess by no more than twice the load.
absl::Status LayerSearch::checkSizes() const {
  int64_t pairs =
      std::accumulate(objective.load.begin(), objective.load.end(), int64_t(0));
  int64_t price =
      (kFirstPenalty << kPenaltyRounds) + 1000 + objective.groupPermille;
  int64_t product;
  if (__builtin_mul_overflow(pairs, 4 * price, &product))
    return absl::InvalidArgumentError(absl::StrFormat(
        "a profile of %d (token, expert) pairs in a layer is too large to "
        "count in 64 bits; use fewer tokens",
        pairs));
  return absl::OkStatus();
}

absl::Status LayerSearch::applyLoadCap() {
  int64_t pairs =
      std::accumulate(objective.load.begin(), objective.load.end(), int64_t(0));
  double mean =
      static_cast<double>(pairs) / static_cast<double>(problem.numChiplets());
  // Not to lose a limit that is a whole number to rounding.
  double limit = std::floor(problem.loadCap * mean * (1 + 1e-12));
  if (limit >= static_cast<double>(pairs))
    return absl::OkStatus();
  objective.loadLimit = static_cast<int64_t>(limit);

  std::vector<int32_t> balanced = balanceLoads(
      objective.load, problem.numChiplets(), objective.loadLimit, problem.seed);
  std::vector<int64_t> carried(problem.numChiplets(), 0);
  for (size_t expert = 0; expert < balanced.size(); ++expert)
    carried[balanced[expert]] += objective.load[expert];
  int64_t busiest = *std::max_element(carried.begin(), carried.end());
  int64_t bound = boundOfBusiest(objective.load, problem.numChiplets());
  auto overMean = [&](int64_t load) {
    return std::ceil(static_cast<double>(load) / mean * 10'000) / 10'000;
  };
  if (busiest > objective.loadLimit)
    return absl::FailedPreconditionError(absl::StrFormat(
        "no placement without replicas was found whose busiest chiplet has at "
        "most %.4f times the mean load; %s, %.4f was found. Use that as the "
        "load cap, or fewer chiplets",
        problem.loadCap,
        bound > objective.loadLimit
            ? absl::StrFormat(
                  "there is none below %.4f",
                  std::floor(static_cast<double>(bound) / mean * 10'000) /
                      10'000)
            : absl::StrFormat("down to %.4f is not ruled out", overMean(bound)),
        overMean(busiest)));
  searchFrom(std::move(balanced));
  return absl::OkStatus();
}

/// The one chiplet of each expert.
static std::vector<int32_t> chipletsOf(const Placement &placement) {
  std::vector<int32_t> chiplets;
  for (const std::vector<int32_t> &one : placement.chipletsOf)
    chiplets.push_back(one[0]);
  return chiplets;
}

absl::StatusOr<std::vector<int32_t>> LayerSearch::start(int64_t index) const {
  absl::StatusOr<Placement> placement =
      index == 0   ? placeAlgorithm1(problem)
      : index == 1 ? placeContiguous(problem)
                   : placeShuffled(problem.numExperts, problem.numChiplets(),
                                   SplitMix64(problem.seed, /*purpose=*/index,
                                              problem.layer));
  if (!placement.ok())
    return placement.status();
  return chipletsOf(*placement);
}

void LayerSearch::consider(const SwapSearch &search) {
  if (search.excess() > 0 || search.cost() >= bestCost)
    return;
  bestCost = search.cost();
  best.assign(search.chipletOf().begin(), search.chipletOf().end());
}

void LayerSearch::descend(SwapSearch &search) {
  if (objective.loadLimit == INT64_MAX) {
    search.descend(/*penalty=*/0, budget);
    return consider(search);
  }
  for (int64_t round = 0; round <= kPenaltyRounds; ++round) {
    search.descend(kFirstPenalty << round, budget);
    if (search.excess() == 0)
      break;
  }
  if (search.excess() == 0)
    search.descend(SwapSearch::kForbidden, budget);
  consider(search);
}

void LayerSearch::searchFrom(std::vector<int32_t> chipletOf) {
  SwapSearch search(graph, objective, std::move(chipletOf));
  consider(search);
  descend(search);
}

void LayerSearch::kickBest() {
  SwapSearch search(graph, objective, best);
  SplitMix64 random(problem.seed, /*purpose=*/1, problem.layer);
  uint64_t experts = best.size();
  for (int64_t kick = 0; kick < problem.kicks && budget > 0; ++kick) {
    std::vector<int32_t> kicked = best;
    for (int64_t swap = 0; swap < kSwapsOfKick; ++swap)
      std::swap(kicked[random.below(experts)], kicked[random.below(experts)]);
    search.moveTo(kicked);
    descend(search);
  }
}

absl::StatusOr<Placement> LayerSearch::run() {
  absl::Status status = checkSizes();
  if (status.ok() && hasCap())
    status = applyLoadCap();
  if (!status.ok())
    return status;
  int64_t index = 0;
  for (; index < problem.starts && (index == 0 || budget > 0); ++index) {
    absl::StatusOr<std::vector<int32_t>> chipletOf = start(index);
    if (!chipletOf.ok())
      return chipletOf.status();
    searchFrom(*std::move(chipletOf));
  }
  kickBest();
  std::vector<std::vector<int32_t>> clusters(problem.numChiplets());
  for (size_t expert = 0; expert < best.size(); ++expert)
    clusters[best[expert]].push_back(static_cast<int32_t>(expert));
  Placement placement = placementOf(clusters, problem.numExperts);
  if (budget == 0)
    placement.remarks.push_back(absl::StrFormat(
        "layer %d: the budget of %d moves was used up, after %d of %d starts; "
        "the best placement until then is used",
        problem.layer, problem.moveBudget, index, problem.starts));
  return placement;
}

absl::StatusOr<Placement> mozart::placeSearch(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "placement algorithm 'search' needs a routing profile");
  if (problem.numExperts > kMaxExpertsOfTables)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm 'search' keeps tables of every pair of experts "
        "and takes at most %d of them, found %d",
        kMaxExpertsOfTables, problem.numExperts));
  return LayerSearch(problem).run();
}
