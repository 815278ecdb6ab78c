//===- ReplicaSearch.cpp - Descent over placements with replicas ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/ReplicaSearch.h"

#include "ReplicaEstimates.h"

#include <algorithm>

using namespace mozart;

/// Changes that are tried before a descent ends. Most that are best by their
/// estimates are best; more than these seldom find another.
static constexpr size_t kTried = 16;

/// What a pair above the limit is taken to cost where it is forbidden.
static constexpr int64_t kForbiddenPrice = 1'000'000;

static bool holds(absl::Span<const int32_t> chiplets, int32_t chiplet) {
  return std::find(chiplets.begin(), chiplets.end(), chiplet) != chiplets.end();
}

int64_t mozart::countMoves(const Placement &old, const Placement &placement) {
  int64_t moves = 0;
  for (int64_t expert = 0; expert < placement.numExperts(); ++expert)
    for (int32_t chiplet : placement.chipletsOf[expert])
      moves += !holds(old.chipletsOf[expert], chiplet);
  return moves;
}

ReplicaSearch::ReplicaSearch(const Trace &trace, int64_t layer,
                             const ReplicaObjective &objective,
                             const ReplicaLimits &limits,
                             const Placement &start)
    : objective(objective), limits(limits),
      state(trace, layer, objective.groupOf, start,
            objective.tokensPerMicroBatch),
      held(objective.groupOf.size(), 0) {
  for (const std::vector<int32_t> &chiplets : start.chipletsOf) {
    replicas += static_cast<int64_t>(chiplets.size()) - 1;
    for (int32_t chiplet : chiplets)
      ++held[chiplet];
  }
  if (limits.keep)
    moves = countMoves(*limits.keep, start);
}

int64_t ReplicaSearch::costOf(const ReplicaTotals &totals) const {
  return objective.chipletPermille * totals.chipletVisits +
         objective.groupPermille * totals.groupVisits;
}

int64_t ReplicaSearch::excessOf(absl::Span<const int64_t> load) const {
  int64_t sum = 0;
  for (int64_t one : load)
    sum += std::max<int64_t>(one - objective.loadLimit, 0);
  return sum;
}

Placement ReplicaSearch::placement() const {
  Placement placement;
  placement.numChiplets = static_cast<int64_t>(held.size());
  placement.chipletsOf = state.chipletsOf();
  return placement;
}

bool ReplicaSearch::wasOn(int32_t expert, int32_t chiplet) const {
  return !limits.keep || holds(limits.keep->chipletsOf[expert], chiplet);
}

bool ReplicaSearch::isAllowed(const ReplicaChange &change) const {
  int64_t moved = moves, added = replicas;
  for (int i = 0; i < change.count; ++i) {
    const ReplicaChange::Step &step = change.steps[i];
    absl::Span<const int32_t> own = state.chipletsOf()[step.expert];
    if (step.to >= 0) {
      if (holds(own, step.to))
        return false;
      moved += !wasOn(step.expert, step.to);
      ++added;
    }
    if (step.from >= 0) {
      moved -= !wasOn(step.expert, step.from);
      --added;
    }
  }
  if (added > std::max(limits.maxReplicas, replicas) ||
      moved > std::max(limits.maxMoves, moves))
    return false;
  // Steps that fill what others leave change no chiplet's number.
  auto differenceOn = [&](int32_t chiplet) {
    int64_t difference = 0;
    for (int i = 0; i < change.count; ++i)
      difference +=
          (change.steps[i].to == chiplet) - (change.steps[i].from == chiplet);
    return difference;
  };
  for (int i = 0; i < change.count; ++i)
    for (int32_t chiplet : {change.steps[i].from, change.steps[i].to}) {
      int64_t difference = chiplet < 0 ? 0 : differenceOn(chiplet);
      if ((difference > 0 && held[chiplet] >= limits.most[chiplet]) ||
          (difference < 0 && held[chiplet] <= limits.least[chiplet]))
        return false;
    }
  return true;
}

namespace {
/// The first kTried of all that are offered, by value and then by turn.
class Best {
public:
  void offer(int64_t value, const ReplicaChange &change) {
    if (list.size() == kTried && value >= list.back().value)
      return;
    auto place = std::upper_bound(list.begin(), list.end(), value,
                                  [](int64_t one, const RatedChange &other) {
                                    return one < other.value;
                                  });
    list.insert(place, {value, change});
    if (list.size() > kTried)
      list.pop_back();
  }
  bool wants(int64_t value) const {
    return list.size() < kTried || value < list.back().value;
  }
  std::vector<RatedChange> list;
};
} // namespace

std::vector<RatedChange> ReplicaSearch::candidates(int64_t penalty) const {
  ReplicaEstimates estimates(state, objective);
  Best best;
  auto offer = [&](int64_t value, ReplicaChange::Step one,
                   ReplicaChange::Step other = {}) {
    ReplicaChange change{{one, other}, other.expert < 0 ? 1 : 2};
    if (best.wants(value) && isAllowed(change))
      best.offer(value, change);
  };
  int32_t chiplets = static_cast<int32_t>(held.size());
  int32_t experts = static_cast<int32_t>(state.chipletsOf().size());
  auto seats = estimates.seats();
  int64_t count = static_cast<int64_t>(seats.size());
  for (int64_t i = 0; i < count; ++i) {
    auto [expert, chiplet] = seats[i];
    for (int64_t j = i + 1; j < count; ++j)
      if (seats[j].expert != expert && seats[j].chiplet != chiplet)
        offer(estimates.ofSwapping(i, j, penalty),
              {expert, chiplet, seats[j].chiplet},
              {seats[j].expert, seats[j].chiplet, chiplet});
    for (int32_t to = 0; to < chiplets; ++to)
      if (to != chiplet && held[to] < limits.most[to])
        offer(estimates.ofMoving(i, to, penalty), {expert, chiplet, to});
    if (state.chipletsOf()[expert].size() > 1)
      for (int32_t other = 0; other < experts; ++other)
        if (other != expert)
          offer(estimates.ofReplacing(i, other, penalty), {expert, chiplet, -1},
                {other, -1, chiplet});
  }
  if (replicas < limits.maxReplicas)
    for (int32_t expert = 0; expert < experts; ++expert)
      for (int32_t to = 0; to < chiplets; ++to)
        if (held[to] < limits.most[to])
          offer(estimates.ofAdding(expert, to, penalty), {expert, -1, to});
  return std::move(best.list);
}

void ReplicaSearch::apply(const ReplicaChange &change) {
  for (int i = 0; i < change.count; ++i) {
    const ReplicaChange::Step &step = change.steps[i];
    if (step.to >= 0) {
      ++held[step.to];
      ++replicas;
      moves += !wasOn(step.expert, step.to);
    }
    if (step.from >= 0) {
      --held[step.from];
      --replicas;
      moves -= !wasOn(step.expert, step.from);
    }
  }
  state.apply(change);
}

void ReplicaSearch::descend(int64_t penalty, int64_t &budget) {
  bool forbidden = penalty == kForbidden;
  if (forbidden)
    penalty = kForbiddenPrice;
  for (; budget > 0; --budget) {
    int64_t now = cost() + penalty * excess(), bestValue = 0;
    ReplicaChange best;
    for (const RatedChange &rated : candidates(penalty)) {
      // Where estimates are exact, the rest is no better.
      if (best.count > 0 && bestValue <= rated.value)
        break;
      ReplicaTotals after = state.tryChange(rated.change);
      int64_t over = excessOf(after.load);
      if (forbidden && over > excess())
        continue;
      int64_t value = costOf(after) + penalty * over - now;
      if (value < bestValue) {
        bestValue = value;
        best = rated.change;
      }
    }
    if (best.count == 0)
      return;
    apply(best);
  }
}
