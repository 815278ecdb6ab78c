//===- Exploration.h - Many ends of a search, the best kept -----*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_PLACEMENT_EXPLORATION_H
#define MOZART_LIB_PLACEMENT_EXPLORATION_H

#include "mozart/Placement/SwapSearch.h"

#include <optional>

namespace mozart {

/// Searches one graph under one objective from several placements, and from
/// near the best that this leads to.
///
/// Limits are a price first: of so much for what is above them, which rises
/// while they are not kept and falls while they are, so that the way may lead
/// through what is not allowed.
class Exploration {
public:
  /// `budget`, of changes, is reduced by those that are made.
  Exploration(const Hypergraph &graph, const SwapObjective &objective,
              SplitMix64 random, int64_t &budget)
      : graph(graph), objective(objective), random(random), budget(budget) {}

  /// Keeps a placement as it is, if it is one of the best.
  void take(std::vector<int32_t> chipletOf);
  /// Goes down from a placement.
  void startFrom(std::vector<int32_t> chipletOf);
  /// Goes on from near the best by some random swaps and then `steps` best
  /// changes, also those that lead up. Nothing where there is no best.
  void kick(int64_t steps);
  /// The same, from the best itself.
  void walkFromBest(int64_t steps);

  /// The best placements that keep the limits, the best first; those of
  /// different starts and kicks, at most kKept.
  static constexpr size_t kKept = 3;
  struct Found {
    SwapSearch::Value value;
    std::vector<int32_t> chipletOf;
  };
  const std::vector<Found> &best() const { return found; }
  int64_t edgeVisits() const { return visits; }

private:
  void consider(const SwapSearch &search);
  void settle(SwapSearch &search);
  void walk(SwapSearch &search, int64_t steps);
  int64_t firstPenalty(const SwapSearch &search) const;

  const Hypergraph &graph;
  const SwapObjective &objective;
  SplitMix64 random;
  int64_t &budget;
  std::vector<Found> found;
  /// At found[0], so that its tables are not made again.
  std::optional<SwapSearch> atBest;
  int64_t visits = 0;
};

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_EXPLORATION_H
