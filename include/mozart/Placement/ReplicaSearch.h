//===- ReplicaSearch.h - Changes of a placement, counted exactly --*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descent over placements in which experts may stand on several chiplets, and
// of which some must stay where they were. What a change is worth is first
// estimated, for all changes, from tables that one pass over the tokens fills
// (exactly, where no expert of the tokens has replicas); the most promising are
// then tried on every token that they concern, by the rule of ReplicaChoice.h.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_REPLICASEARCH_H
#define MOZART_PLACEMENT_REPLICASEARCH_H

#include "mozart/Placement/Placement.h"
#include "mozart/Routing/ReplicaChoice.h"

#include <array>

namespace mozart {

/// What a placement costs: so many thousandths for each chiplet, and each
/// switch group, that a token is sent to. Load is in (token, expert) pairs.
struct ReplicaObjective {
  std::vector<int32_t> groupOf;
  int64_t chipletPermille = 1000, groupPermille = 0;
  /// The most that a chiplet may carry.
  int64_t loadLimit = INT64_MAX;
  /// As in PlacementProblem.
  int64_t tokensPerMicroBatch = INT64_MAX;
};

/// What a placement is held to.
struct ReplicaLimits {
  /// Experts that each chiplet holds at least and at most ([chiplets]).
  std::vector<int64_t> least, most;
  /// Replicas beyond the first of each expert, in all.
  int64_t maxReplicas = 0;
  /// Where experts were (none: nowhere in particular), and how many may stand
  /// on a chiplet that they were not on, each such chiplet counted.
  const Placement *keep = nullptr;
  int64_t maxMoves = INT64_MAX;
};

/// Experts that stand on a chiplet where `old` has them not: weights that have
/// to be moved. Both are of the same experts.
int64_t countMoves(const Placement &old, const Placement &placement);

/// One or two experts that change their places together.
struct ReplicaChange {
  struct Step {
    int32_t expert = -1;
    int32_t from = -1; // -1: it stays where it is as well
    int32_t to = -1;   // -1: its replica there is given up
  };
  std::array<Step, 2> steps;
  int count = 0;
};

/// A change and by how much it is estimated to raise the cost.
struct RatedChange {
  int64_t value = 0;
  ReplicaChange change;
};

/// What tokens do under a placement.
struct ReplicaTotals {
  int64_t chipletVisits = 0, groupVisits = 0;
  std::vector<int64_t> load; // pairs of each chiplet
};

/// A placement and the chiplet of every (token, expert) pair under it.
class ReplicaState {
public:
  /// `start` verifies, and is of the trace's experts. The trace outlives this.
  ReplicaState(const Trace &trace, int64_t layer,
               absl::Span<const int32_t> groupOf, const Placement &start,
               int64_t tokensPerMicroBatch = INT64_MAX);

  const std::vector<std::vector<int32_t>> &chipletsOf() const {
    return chiplets;
  }
  const ReplicaTotals &totals() const { return current; }
  int64_t numTokens() const { return trace.numTokens(); }
  absl::Span<const int32_t> set(int64_t token) const {
    return trace.set(token, layer);
  }
  /// The chiplet of each slot of a token.
  absl::Span<const int32_t> chosen(int64_t token) const {
    return absl::MakeConstSpan(choices).subspan(token * trace.k(), trace.k());
  }
  /// What the totals would be; exact.
  ReplicaTotals tryChange(const ReplicaChange &change);
  void apply(const ReplicaChange &change);

private:
  std::vector<std::vector<int32_t>>
  chipletsAfter(const ReplicaChange &change) const;
  /// Calls `visit(token, chosen)` for each token whose chiplets change.
  template <typename Visit>
  void forEachChanged(const ReplicaChange &change, Visit visit);
  void count(absl::Span<const int32_t> chosen, int64_t sign,
             ReplicaTotals &totals);

  int64_t position(int64_t token) const { return token % tokensPerMicroBatch; }

  const Trace &trace;
  int64_t layer, tokensPerMicroBatch;
  std::vector<int32_t> groupOf;
  std::vector<std::vector<int32_t>> chiplets;
  std::vector<std::vector<int64_t>> tokensOf; // of each expert, ascending
  std::vector<int32_t> choices;
  ReplicaTotals current;
  std::vector<int32_t> scratch;
  std::vector<int64_t> chipletSeen, groupSeen;
  int64_t stamp = 0;
};

/// Goes from a placement that keeps the limits to better ones that do.
class ReplicaSearch {
public:
  ReplicaSearch(const Trace &trace, int64_t layer,
                const ReplicaObjective &objective, const ReplicaLimits &limits,
                const Placement &start);

  int64_t cost() const { return costOf(state.totals()); }
  /// Load above the limit, summed over chiplets.
  int64_t excess() const { return excessOf(state.totals().load); }
  Placement placement() const;
  int64_t numReplicas() const { return replicas; }

  /// Makes the best change of those tried while one lowers cost + penalty *
  /// excess, at most `budget` of them, which it reduces. With kForbidden no
  /// change leads above the limit.
  static constexpr int64_t kForbidden = INT64_MAX;
  void descend(int64_t penalty, int64_t &budget);

private:
  int64_t costOf(const ReplicaTotals &totals) const;
  int64_t excessOf(absl::Span<const int64_t> load) const;
  bool wasOn(int32_t expert, int32_t chiplet) const;
  /// Whether the limits allow it.
  bool isAllowed(const ReplicaChange &change) const;
  /// The most promising changes that are allowed, the best first.
  std::vector<RatedChange> candidates(int64_t penalty) const;
  void apply(const ReplicaChange &change);

  const ReplicaObjective &objective;
  const ReplicaLimits &limits;
  ReplicaState state;
  std::vector<int64_t> held; // experts of each chiplet
  int64_t replicas = 0, moves = 0;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_REPLICASEARCH_H
