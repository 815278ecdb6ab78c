//===- Search.cpp - The least C_T that swaps lead to ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From each of several placements (that of Algorithm 1, experts in order,
// seeded shuffles) the best swap is made until none helps. From near the best
// end the way goes on, by the best swaps that do not take back the last ones,
// also where they lead up. What a swap changes is counted exactly.
//
// A layer of many different sets of experts is explored on a part of its
// tokens first, at a fraction of the cost a swap; the best ends of that are
// where the search over all tokens starts. Caps go by all
// tokens from the first.
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"
#include "Exploration.h"
#include "FeasibleStart.h"
#include "Positions.h"
#include "mozart/Placement/SearchLayer.h"
#include "mozart/Routing/Statistics.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

/// Tables of pairs of experts take 4 bytes each: 64 MiB here.
static constexpr int64_t kMaxExpertsOfTables = 4096;

/// What sums are held below, so that prices of excesses fit as well.
static constexpr int64_t kMaxSum = int64_t(1) << 46;

/// Sets of experts that are explored: enough to tell placements apart that
/// differ by half a percent.
static constexpr int64_t kSampledSets = 4096;
static constexpr int64_t kSampledSetsOfExpert = 32;

namespace {
/// The search for one layer.
class LayerSearch {
public:
  explicit LayerSearch(const PlacementProblem &problem)
      : problem(problem),
        load(expertLoad(*problem.profile, problem.profileLayer())),
        objective(objectiveOf(problem, load)), budget(problem.moveBudget) {}

  absl::StatusOr<LayerSearchResult> run();

private:
  using Chiplets = std::vector<int32_t>;

  absl::Status checkSizes() const;
  absl::StatusOr<Chiplets> start(int64_t index) const;
  /// Every start, and the feasible one where there are limits.
  absl::StatusOr<std::vector<Chiplets>> starts();
  /// Steps after a kick.
  int64_t kickSteps() const { return problem.numExperts / 2; }
  void explore(const Hypergraph &graph, Exploration &exploration,
               absl::Span<const Chiplets> from);
  /// Lets clusters of the best trade places, and goes down from there.
  void reposition(const Hypergraph &graph, Exploration &exploration);
  /// On a part of the tokens; the best ends.
  std::vector<Chiplets> exploreSample(const Hypergraph &graph,
                                      absl::Span<const Chiplets> from);
  LayerSearchResult result(const Hypergraph &graph,
                           const Exploration &exploration);

  const PlacementProblem &problem;
  std::vector<int64_t> load;
  SwapObjective objective;
  int64_t budget;
  int64_t startsMade = 0, edgeVisits = 0;
};
} // namespace

/// A token costs at each level no more than the heaviest part for each of its
/// experts.
absl::Status LayerSearch::checkSizes() const {
  int64_t pairs = std::accumulate(load.begin(), load.end(), int64_t(0));
  int64_t price = objective.receivePermille;
  for (const SwapObjective::Level &level : objective.levels)
    price += *std::max_element(level.permille.begin(), level.permille.end());
  int64_t product;
  if (__builtin_mul_overflow(pairs, price, &product) || product > kMaxSum ||
      problem.profile->numTokens() > Hypergraph::kMaxTokens)
    return absl::InvalidArgumentError(absl::StrFormat(
        "a profile of %d (token, expert) pairs in a layer, with weights of %d "
        "thousandths in all, is too large to count; use fewer tokens",
        pairs, price));
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
                   : placeShuffled(problem, SplitMix64(problem.seed,
                                                       /*purpose=*/index,
                                                       problem.layer));
  if (!placement.ok())
    return placement.status();
  return chipletsOf(*placement);
}

absl::StatusOr<std::vector<std::vector<int32_t>>> LayerSearch::starts() {
  std::vector<Chiplets> all;
  for (int64_t index = 0; index < problem.starts; ++index) {
    absl::StatusOr<Chiplets> one = start(index);
    if (!one.ok())
      return one.status();
    all.push_back(*std::move(one));
  }
  if (!objective.limits.empty()) {
    absl::StatusOr<Chiplets> feasible = feasibleStart(problem, objective);
    if (!feasible.ok())
      return feasible.status();
    // Before the others, so that there is a placement whatever the budget.
    all.insert(all.begin(), *std::move(feasible));
  }
  return all;
}

void LayerSearch::reposition(const Hypergraph &graph,
                             Exploration &exploration) {
  if (!seesPositions(problem) || exploration.best().empty() || budget == 0)
    return;
  Chiplets best = exploration.best().front().chipletOf;
  if (improvePositions(problem, graph, objective, best))
    exploration.startFrom(std::move(best));
}

void LayerSearch::explore(const Hypergraph &graph, Exploration &exploration,
                          absl::Span<const Chiplets> from) {
  startsMade = 0;
  for (const Chiplets &chipletOf : from) {
    if (startsMade > 0 && budget == 0)
      break;
    exploration.startFrom(chipletOf);
    ++startsMade;
  }
  reposition(graph, exploration);
  for (int64_t kick = 0; kick < problem.kicks && budget > 0; ++kick)
    exploration.kick(kickSteps());
}

std::vector<std::vector<int32_t>>
LayerSearch::exploreSample(const Hypergraph &graph,
                           absl::Span<const Chiplets> from) {
  int64_t sets =
      std::max(kSampledSets, kSampledSetsOfExpert * problem.numExperts);
  if (graph.numEdges() < 2 * sets)
    return {};
  Hypergraph sample(*problem.profile, problem.profileLayer(),
                    graph.numEdges() / sets);
  Exploration exploration(
      sample, objective, SplitMix64(problem.seed, /*purpose=*/1, problem.layer),
      budget);
  explore(sample, exploration, from);
  reposition(sample, exploration);
  edgeVisits += exploration.edgeVisits();
  std::vector<Chiplets> ends;
  for (const Exploration::Found &found : exploration.best())
    ends.push_back(found.chipletOf);
  return ends;
}

absl::StatusOr<LayerSearchResult> LayerSearch::run() {
  absl::Status status = checkSizes();
  if (!status.ok())
    return status;
  absl::StatusOr<std::vector<Chiplets>> from = starts();
  if (!from.ok())
    return from.status();
  Hypergraph graph(*problem.profile, problem.profileLayer());
  std::vector<Chiplets> ends = exploreSample(graph, *from);
  Exploration exploration(
      graph, objective, SplitMix64(problem.seed, /*purpose=*/0, problem.layer),
      budget);
  if (ends.empty()) {
    explore(graph, exploration, *from);
    exploration.walkFromBest(4 * problem.numExperts);
  } else {
    // No worse than Algorithm 1; or the start that keeps the limits.
    exploration.take(from->front());
    for (const Chiplets &end : ends)
      exploration.startFrom(end);
    if (problem.kicks > 0)
      exploration.walkFromBest(2 * problem.numExperts);
  }
  reposition(graph, exploration);
  return result(graph, exploration);
}

LayerSearchResult LayerSearch::result(const Hypergraph &graph,
                                      const Exploration &exploration) {
  const Exploration::Found &best = exploration.best().front();
  Chiplets chipletOf = best.chipletOf;
  // Last, what the objective is blind to.
  if (!seesPositions(problem))
    improvePositions(problem, graph, objective, chipletOf);
  LayerSearchResult result;
  std::vector<std::vector<int32_t>> clusters(problem.numChiplets());
  for (size_t expert = 0; expert < chipletOf.size(); ++expert)
    clusters[chipletOf[expert]].push_back(static_cast<int32_t>(expert));
  result.placement = placementOf(clusters, problem.numExperts);
  result.value = best.value;
  result.edgeVisits = edgeVisits + exploration.edgeVisits();
  result.changes = problem.moveBudget - budget;
  if (budget == 0)
    result.placement.remarks.push_back(absl::StrFormat(
        "layer %d: the budget of %d moves was used up, after %d of %d starts; "
        "the best placement until then is used",
        problem.layer, problem.moveBudget, startsMade, problem.starts));
  return result;
}

absl::StatusOr<LayerSearchResult>
mozart::searchLayer(const PlacementProblem &problem) {
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

absl::StatusOr<Placement> mozart::placeSearch(const PlacementProblem &problem) {
  absl::StatusOr<LayerSearchResult> result = searchLayer(problem);
  if (!result.ok())
    return result.status();
  return std::move(result->placement);
}
