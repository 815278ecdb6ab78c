//===- Replicate.cpp - Placing with replicas, and near what was -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Replicate.h"

#include "Algorithms.h"
#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/ReplicaSearch.h"
#include "mozart/Routing/Statistics.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

using namespace mozart;

/// The first price of a pair above the cap, in thousandths of a visited
/// chiplet, and how often it is doubled before a start is given up.
static constexpr int64_t kFirstPenalty = 250;
static constexpr int64_t kPenaltyRounds = 12;

int64_t mozart::mostExpertsOfChiplet(const Placement &placement) {
  size_t most = 0;
  for (const std::vector<int32_t> &experts : placement.expertsOf())
    most = std::max(most, experts.size());
  return static_cast<int64_t>(most);
}

int64_t mozart::countReplicas(const Placement &placement) {
  int64_t replicas = 0;
  for (const std::vector<int32_t> &chiplets : placement.chipletsOf)
    replicas += static_cast<int64_t>(chiplets.size()) - 1;
  return replicas;
}

double mozart::boundOfCT(const Trace &trace, int64_t layer, int64_t most) {
  int64_t visits = 0;
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    absl::Span<const int32_t> set = trace.set(token, layer);
    int64_t experts = static_cast<int64_t>(set.size()) -
                      std::count(set.begin(), set.end(), Trace::kPadding);
    visits += (experts + most - 1) / most;
  }
  return static_cast<double>(visits) / static_cast<double>(trace.numTokens());
}

std::string mozart::describeReplicas(const Placement &placement) {
  std::vector<std::string> experts;
  for (int64_t expert = 0; expert < placement.numExperts(); ++expert)
    if (placement.chipletsOf[expert].size() > 1)
      experts.push_back(absl::StrCat(
          expert, " on ", absl::StrJoin(placement.chipletsOf[expert], " ")));
  return absl::StrJoin(experts, ", ");
}

namespace {
/// The loads of a problem's profile against its cap.
struct CappedLoads {
  explicit CappedLoads(const PlacementProblem &problem)
      : load(expertLoad(*problem.profile, problem.profileLayer())),
        pairs(std::accumulate(load.begin(), load.end(), int64_t(0))),
        mean(static_cast<double>(pairs) /
             static_cast<double>(problem.numChiplets())) {
    // Not to lose a limit that is a whole number to rounding.
    double exact = std::floor(problem.loadCap * mean * (1 + 1e-12));
    if (problem.loadCap != 0 && exact < static_cast<double>(pairs))
      limit = static_cast<int64_t>(exact);
  }
  double overMean(int64_t one) const {
    return std::ceil(static_cast<double>(one) / mean * 10'000) / 10'000;
  }

  std::vector<int64_t> load;
  int64_t pairs;
  double mean;
  int64_t limit = INT64_MAX;
};
} // namespace

/// The busiest chiplet's pairs.
static int64_t busiestOf(const PlacementProblem &problem,
                         const Placement &placement) {
  ReplicaState state(*problem.profile, problem.profileLayer(), problem.groupOf,
                     placement, problem.tokensPerMicroBatch);
  const std::vector<int64_t> &load = state.totals().load;
  return *std::max_element(load.begin(), load.end());
}

absl::StatusOr<Placement>
mozart::placeForLoadCap(const PlacementProblem &problem) {
  CappedLoads loads(problem);
  int64_t chiplets = problem.numChiplets(), experts = problem.numExperts;
  ReplicaObjective objective;
  objective.groupOf = problem.groupOf;
  objective.chipletPermille = 0;
  objective.loadLimit = loads.limit;
  objective.tokensPerMicroBatch = problem.tokensPerMicroBatch;
  ReplicaLimits limits;
  limits.least.assign(chiplets, experts / chiplets);
  limits.most.assign(chiplets, problem.slots > 0 ? problem.slots : experts);
  int64_t room = limits.most[0] * chiplets - experts;
  int64_t most = std::min(problem.maxReplicas < 0 ? room : problem.maxReplicas,
                          2 * experts);
  Placement placement;
  placement.numChiplets = chiplets;
  for (int32_t chiplet :
       balanceLoads(loads.load, chiplets, loads.limit, problem.seed))
    placement.chipletsOf.push_back({chiplet});
  // Where no single change lowers the excess over the cap, one may still lower
  // that over the mean, and lead on.
  ReplicaObjective even = objective;
  even.loadLimit = (loads.pairs + chiplets - 1) / chiplets;
  int64_t budget = problem.moveBudget;
  for (; limits.maxReplicas <= most; ++limits.maxReplicas)
    for (const ReplicaObjective *goal : {&objective, &even}) {
      ReplicaSearch search(*problem.profile, problem.profileLayer(), *goal,
                           limits, placement);
      search.descend(/*penalty=*/1, budget);
      placement = search.placement();
      if (busiestOf(problem, placement) <= loads.limit)
        return placement;
    }
  return absl::NotFoundError(
      absl::StrFormat("%d replicas do not meet it", most));
}

/// What replicas could do about a cap that is not met.
static std::string adviceOnReplicas(const PlacementProblem &problem) {
  absl::StatusOr<Placement> met = placeForLoadCap(problem);
  if (!met.ok())
    return absl::StrCat("; ", met.status().message(), " either");
  int64_t replicas = countReplicas(*met);
  if (replicas == 0)
    return absl::StrFormat("; it is met without replicas by up to %d experts "
                           "on a chiplet",
                           mostExpertsOfChiplet(*met));
  return absl::StrFormat(
      "; %d replica%s meet%s it, at %.4f, with up to %d experts on a chiplet "
      "(expert %s)",
      replicas, replicas == 1 ? "" : "s", replicas == 1 ? "s" : "",
      CappedLoads(problem).overMean(busiestOf(problem, *met)),
      mostExpertsOfChiplet(*met), describeReplicas(*met));
}

/// Groups of chiplets, each ascending, in the order of their first chiplets.
static std::vector<std::vector<int32_t>>
chipletsOfGroups(absl::Span<const int32_t> groupOf) {
  std::vector<std::vector<int32_t>> groups;
  std::vector<int32_t> ordinal(groupOf.size(), -1);
  for (size_t chiplet = 0; chiplet < groupOf.size(); ++chiplet) {
    int32_t &group = ordinal[groupOf[chiplet]];
    if (group < 0) {
      group = static_cast<int32_t>(groups.size());
      groups.emplace_back();
    }
    groups[group].push_back(static_cast<int32_t>(chiplet));
  }
  return groups;
}

namespace {
struct Pairing {
  std::vector<std::pair<int32_t, int32_t>> pairs;
  int64_t value = 0;
};
} // namespace

/// Pairs rows with columns, always the two left that agree most; ties go to the
/// lowest. `value` of a pair that must not be is negative.
template <typename Value> static Pairing pairUp(size_t count, Value value) {
  Pairing pairing;
  std::vector<bool> rowTaken(count, false), columnTaken(count, false);
  for (size_t turn = 0; turn < count; ++turn) {
    int64_t best = -1;
    size_t row = 0, column = 0;
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        if (!rowTaken[i] && !columnTaken[j] && value(i, j) > best) {
          best = value(i, j);
          row = i;
          column = j;
        }
    rowTaken[row] = columnTaken[column] = true;
    pairing.pairs.emplace_back(row, column);
    pairing.value += best;
  }
  return pairing;
}

Placement mozart::renumberChiplets(const Placement &placement,
                                   const Placement &old,
                                   absl::Span<const int32_t> groupOf) {
  size_t count = groupOf.size();
  std::vector<int64_t> shared(count * count, 0);
  for (int64_t expert = 0; expert < placement.numExperts(); ++expert)
    for (int32_t now : placement.chipletsOf[expert])
      for (int32_t was : old.chipletsOf[expert])
        ++shared[now * count + was];
  std::vector<std::vector<int32_t>> groups = chipletsOfGroups(groupOf);
  size_t numGroups = groups.size();
  std::vector<Pairing> within(numGroups * numGroups);
  for (size_t a = 0; a < numGroups; ++a)
    for (size_t b = 0; b < numGroups; ++b) {
      if (groups[a].size() == groups[b].size())
        within[a * numGroups + b] =
            pairUp(groups[a].size(), [&](size_t i, size_t j) {
              return shared[groups[a][i] * count + groups[b][j]];
            });
      else
        within[a * numGroups + b].value = -1;
    }
  // Groups of one size are as many on both sides, so each finds another.
  std::vector<int32_t> number(count);
  for (auto [a, b] : pairUp(numGroups, [&](size_t a, size_t b) {
                       return within[a * numGroups + b].value;
                     }).pairs)
    for (auto [i, j] : within[a * numGroups + b].pairs)
      number[groups[a][i]] = groups[b][j];
  Placement renumbered = placement;
  for (std::vector<int32_t> &chiplets : renumbered.chipletsOf) {
    for (int32_t &chiplet : chiplets)
      chiplet = number[chiplet];
    std::sort(chiplets.begin(), chiplets.end());
  }
  return renumbered;
}

namespace {
/// Searches with replicas, or near an old placement, for one layer.
class LimitedSearch {
public:
  explicit LimitedSearch(const PlacementProblem &problem);
  absl::StatusOr<Placement> run();

private:
  absl::Status checkSizes() const;
  absl::Status setLimits();
  /// What the search finds where no replicas are made and nothing is kept.
  absl::StatusOr<Placement> searchFreely(double loadCap) const;
  void searchFrom(const Placement &start);
  absl::Status failToMeetCap() const;

  const PlacementProblem &problem;
  const Placement *old;
  CappedLoads loads;
  ReplicaObjective objective;
  ReplicaLimits limits;
  int64_t budget;
  std::optional<Placement> best;
  int64_t bestExcess = INT64_MAX, bestCost = INT64_MAX;
};
} // namespace

LimitedSearch::LimitedSearch(const PlacementProblem &problem)
    : problem(problem), old(problem.oldPlacement()), loads(problem),
      budget(problem.moveBudget) {
  objective.groupOf = problem.groupOf;
  objective.groupPermille = std::llround(problem.groupWeight * 1000);
  objective.loadLimit = loads.limit;
  objective.tokensPerMicroBatch = problem.tokensPerMicroBatch;
}

/// As in the search without replicas, whose prices these are.
absl::Status LimitedSearch::checkSizes() const {
  int64_t price =
      (kFirstPenalty << kPenaltyRounds) + 1000 + objective.groupPermille;
  int64_t product;
  if (__builtin_mul_overflow(loads.pairs, 4 * price, &product))
    return absl::InvalidArgumentError(absl::StrFormat(
        "a profile of %d (token, expert) pairs in a layer is too large to "
        "count in 64 bits; use fewer tokens",
        loads.pairs));
  return absl::OkStatus();
}

absl::Status LimitedSearch::setLimits() {
  int64_t chiplets = problem.numChiplets();
  if (problem.slots > 0) {
    limits.least.assign(chiplets, 1);
    limits.most.assign(chiplets, problem.slots);
    limits.maxReplicas = problem.maxReplicas >= 0
                             ? problem.maxReplicas
                             : problem.slots * chiplets - problem.numExperts;
  } else {
    limits.least.assign(chiplets, problem.numExperts / chiplets);
    limits.most.assign(chiplets,
                       (problem.numExperts + chiplets - 1) / chiplets);
  }
  if (!old)
    return absl::OkStatus();
  limits.keep = old;
  if (problem.maxMoves >= 0)
    limits.maxMoves = problem.maxMoves;
  std::vector<std::vector<int32_t>> experts = old->expertsOf();
  for (int64_t chiplet = 0; chiplet < chiplets; ++chiplet) {
    int64_t held = static_cast<int64_t>(experts[chiplet].size());
    if (problem.slots > 0 && held > problem.slots)
      return absl::InvalidArgumentError(absl::StrFormat(
          "the placement to keep has %d experts on chiplet %d, which has %d "
          "slots; give it as many",
          held, chiplet, problem.slots));
    // What was uneven may stay so.
    limits.least[chiplet] = std::min(limits.least[chiplet], held);
    limits.most[chiplet] = std::max(limits.most[chiplet], held);
  }
  int64_t replicas = countReplicas(*old);
  if (replicas > limits.maxReplicas)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the placement to keep has %d replicas, at most %d are to be made; say "
        "how many experts fit on a chiplet, and allow as many replicas",
        replicas, limits.maxReplicas));
  return absl::OkStatus();
}

absl::StatusOr<Placement> LimitedSearch::searchFreely(double loadCap) const {
  PlacementProblem free = problem;
  free.slots = 0;
  free.maxReplicas = -1;
  free.keep = {};
  free.maxMoves = -1;
  free.loadCap = loadCap;
  absl::StatusOr<Placement> placement = placeSearch(free);
  if (placement.ok() && old)
    placement = renumberChiplets(*placement, *old, problem.groupOf);
  return placement;
}

void LimitedSearch::searchFrom(const Placement &start) {
  if (old && countMoves(*old, start) > limits.maxMoves)
    return;
  ReplicaSearch search(*problem.profile, problem.profileLayer(), objective,
                       limits, start);
  for (int64_t round = 0; round <= kPenaltyRounds; ++round) {
    search.descend(kFirstPenalty << round, budget);
    if (search.excess() == 0)
      break;
  }
  if (search.excess() == 0)
    search.descend(ReplicaSearch::kForbidden, budget);
  Placement end = search.placement();
  if (old && limits.maxMoves == INT64_MAX)
    end = renumberChiplets(end, *old, problem.groupOf);
  if (std::pair(search.excess(), search.cost()) <
      std::pair(bestExcess, bestCost)) {
    bestExcess = search.excess();
    bestCost = search.cost();
    best = std::move(end);
  }
}

absl::Status LimitedSearch::failToMeetCap() const {
  std::string within;
  if (problem.slots > 0)
    within = absl::StrFormat("%d replicas in %d slots a chiplet",
                             limits.maxReplicas, problem.slots);
  if (old && problem.maxMoves >= 0)
    absl::StrAppendFormat(&within, "%s%d moves from the placement to keep",
                          within.empty() ? "" : " and ", problem.maxMoves);
  return absl::FailedPreconditionError(absl::StrFormat(
      "within %s no placement was found whose busiest chiplet has at most %.4f "
      "times the mean load; %.4f was found",
      within, problem.loadCap, loads.overMean(busiestOf(problem, *best))));
}

absl::StatusOr<Placement> LimitedSearch::run() {
  absl::Status status = checkSizes();
  if (status.ok())
    status = setLimits();
  if (!status.ok())
    return status;
  if (old)
    searchFrom(*old);
  absl::StatusOr<Placement> uncapped = searchFreely(/*loadCap=*/0);
  if (!uncapped.ok())
    return uncapped.status();
  searchFrom(*uncapped);
  if (problem.loadCap != 0) {
    absl::StatusOr<Placement> capped = searchFreely(problem.loadCap);
    if (capped.ok())
      searchFrom(*capped);
    else if (!absl::IsFailedPrecondition(capped.status()))
      return capped.status();
    // One that keeps the cap is then at hand.
    absl::StatusOr<Placement> balanced = placeForLoadCap(problem);
    if (balanced.ok())
      searchFrom(*balanced);
  }
  if (bestExcess > 0)
    return failToMeetCap();
  if (budget == 0)
    best->remarks.push_back(absl::StrFormat(
        "layer %d: the budget of %d changes was used up; the best placement "
        "until then is used",
        problem.layer, problem.moveBudget));
  return *std::move(best);
}

absl::StatusOr<Placement>
mozart::replicateSearch(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "placement algorithm 'search' needs a routing profile");
  return LimitedSearch(problem).run();
}

absl::StatusOr<Placement>
mozart::replicateLoad(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "placement algorithm 'load' needs a routing profile");
  ReplicaShape shape;
  shape.places = problem.slots * problem.numChiplets();
  shape.devices = problem.numChiplets();
  int64_t room = shape.places - problem.numExperts;
  if (problem.maxReplicas >= 0 && problem.maxReplicas < room)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm 'load' fills all slots: %d replicas here, not %d",
        room, problem.maxReplicas));
  absl::StatusOr<ReplicaLayout> layout = replicateByLoad(
      expertLoad(*problem.profile, problem.profileLayer()), shape);
  if (!layout.ok())
    return layout.status();
  Placement placement;
  placement.numChiplets = problem.numChiplets();
  placement.chipletsOf.resize(problem.numExperts);
  int64_t doubled = 0;
  for (int64_t place = 0; place < shape.places; ++place) {
    std::vector<int32_t> &chiplets =
        placement.chipletsOf[layout->expertOfPlace[place]];
    int32_t chiplet = static_cast<int32_t>(place / problem.slots);
    if (chiplets.empty() || chiplets.back() != chiplet)
      chiplets.push_back(chiplet);
    else
      ++doubled;
  }
  if (doubled > 0)
    placement.remarks.push_back(absl::StrFormat(
        "layer %d: %d replicas would stand beside another of their expert and "
        "are left out",
        problem.layer, doubled));
  return placement;
}

/// Places by the algorithm's function for what the problem asks.
static absl::StatusOr<Placement> run(const PlacementAlgorithm &algorithm,
                                     const PlacementProblem &problem) {
  if (problem.slots != 0 || !problem.keep.empty())
    return algorithm.replicate(problem);
  absl::StatusOr<Placement> placement = algorithm.run(problem);
  if (absl::IsFailedPrecondition(placement.status()) && problem.loadCap != 0 &&
      !problem.asksForMoreThanCapAndGroups() && problem.slotsOf.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(placement.status().message(), adviceOnReplicas(problem)));
  return placement;
}

/// What a profile does not tell about some experts; empty where it tells all.
/// Fails where it tells nothing.
static absl::StatusOr<std::string>
remarkOnProfile(const PlacementProblem &problem) {
  std::vector<int64_t> load =
      expertLoad(*problem.profile, problem.profileLayer());
  int64_t silent = std::count(load.begin(), load.end(), 0);
  if (silent == problem.numExperts)
    return absl::InvalidArgumentError(
        "the routing profile sends no token of this layer to any expert (its "
        "slots are all padding); use one that does");
  if (silent == 0)
    return std::string();
  return absl::StrFormat(
      "layer %d: %d of %d experts are in no token's set of the profile (the "
      "first is %d); where they are placed is arbitrary",
      problem.layer, silent, problem.numExperts,
      std::find(load.begin(), load.end(), 0) - load.begin());
}

absl::StatusOr<Placement>
mozart::placeLayer(const PlacementAlgorithm &algorithm,
                   const PlacementProblem &problem) {
  if (!problem.keep.empty() && !algorithm.searches)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' does not search and cannot keep to an old "
        "placement; use 'search'",
        algorithm.name));
  if (problem.slots != 0 && !algorithm.replicate)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' makes no replicas; leave out the slots for "
        "them, or use 'search' or 'load'",
        algorithm.name));
  if ((problem.slots != 0 || !problem.keep.empty()) &&
      (problem.asksForMoreThanCapAndGroups() || !problem.slotsOf.empty()))
    return absl::InvalidArgumentError(
        "replicas and old placements go by C_T, a weight of groups and a load "
        "cap, on equal chiplets; leave out what else is asked");
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  absl::StatusOr<std::string> remark = std::string();
  if (algorithm.needsProfile && problem.profile)
    remark = remarkOnProfile(problem);
  if (!remark.ok())
    return remark.status();
  absl::StatusOr<Placement> placement = run(algorithm, problem);
  if (placement.ok() && !remark->empty())
    placement->remarks.push_back(*remark);
  return placement;
}
