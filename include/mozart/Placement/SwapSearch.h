//===- SwapSearch.h - Descent by exact gains --------------------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_SWAPSEARCH_H
#define MOZART_PLACEMENT_SWAPSEARCH_H

#include "mozart/Placement/Hypergraph.h"

#include <optional>

namespace mozart {

/// A hypergraph cut into parts, and what every move of a vertex would change.
///
/// The cost is the sum over edges of weight times parts touched. With
///   present(v, p)  the weight of v's edges that touch part p,
///   alone(v)       that of those in which v is the only one of its part,
///   aloneWith(v,x) that of those among them that hold x as well,
/// moving v to part p changes it by weight(v) - present(v, p) - alone(v), and a
/// swap of x and y by both moves + aloneWith(x, y) + aloneWith(y, x): an edge
/// that holds both touches what it touched.
class CutLevel {
public:
  CutLevel(const Hypergraph &graph, int64_t numParts,
           std::vector<int32_t> partOf);

  int64_t cost() const { return total; }
  int32_t part(int32_t vertex) const { return partOf[vertex]; }
  int64_t changeOfMove(int32_t vertex, int32_t to) const {
    if (partOf[vertex] == to)
      return 0;
    return weightOf[vertex] - alone[vertex] - present[vertex * numParts + to];
  }
  int64_t changeOfSwap(int32_t x, int32_t y) const {
    if (partOf[x] == partOf[y])
      return 0;
    return changeOfMove(x, partOf[y]) + changeOfMove(y, partOf[x]) +
           aloneWith[x * numVertices + y] + aloneWith[y * numVertices + x];
  }
  /// Takes time in the vertex's edges, with a few steps for each member.
  void move(int32_t vertex, int32_t to);

private:
  void addEdge(int64_t edge);
  /// An edge comes to touch a part (weight > 0), or no longer does.
  void touch(absl::Span<const int32_t> members, int32_t part, int64_t weight);
  /// A vertex comes to be the only one of its part in an edge, or no longer is.
  void isolate(int32_t vertex, absl::Span<const int32_t> members,
               int64_t weight);

  const Hypergraph &graph;
  int64_t numVertices, numParts;
  int64_t total = 0;
  std::vector<int32_t> partOf;
  std::vector<int64_t> weightOf, alone, present, aloneWith;
};

/// What a search minimises: 1000 times the sum over tokens of chiplets touched,
/// plus groupPermille times that of groups, where chiplets keep their loads.
struct SwapObjective {
  std::vector<int32_t> groupOf;
  int64_t groupPermille = 0;
  /// Load of each vertex, and the most that a chiplet may carry.
  std::vector<int64_t> load;
  int64_t loadLimit = INT64_MAX;
};

/// A placement without replicas that is improved by swaps of two experts and,
/// where chiplets hold unequally many, moves to one that holds fewer.
class SwapSearch {
public:
  SwapSearch(const Hypergraph &graph, const SwapObjective &objective,
             std::vector<int32_t> chipletOf);

  int64_t cost() const;
  /// Load above the limit, summed over chiplets.
  int64_t excess() const;
  absl::Span<const int32_t> chipletOf() const { return chiplet; }
  /// Goes to another placement, with a step for each expert that moves.
  void moveTo(absl::Span<const int32_t> chipletOf);
  /// Applies the best change while one lowers cost + penalty * excess, at most
  /// `budget` of them, which it reduces. Of equal changes the one with the
  /// lowest experts is taken. With kForbidden, changes that raise the excess
  /// are not made, and others have no price.
  static constexpr int64_t kForbidden = INT64_MAX;
  void descend(int64_t penalty, int64_t &budget);

private:
  struct Change {
    int64_t value = 0;
    int32_t expert = -1;
    int32_t other = -1;     // the expert that it is swapped with, or
    int32_t toChiplet = -1; // the chiplet that it moves to
  };
  int64_t over(int64_t load) const {
    return load > objective.loadLimit ? load - objective.loadLimit : 0;
  }
  /// Adds the price of a change of excess to a value; false where forbidden.
  static bool addPrice(int64_t penalty, int64_t excess, int64_t &value);
  /// The change of excess when `load` goes from one chiplet to another.
  int64_t changeOfExcess(int32_t from, int32_t to, int64_t load) const;
  void considerSwaps(int32_t expert, int64_t penalty, Change &best) const;
  void considerMoves(int32_t expert, int64_t penalty, Change &best) const;
  void move(int32_t expert, int32_t to);

  const SwapObjective &objective;
  std::vector<int32_t> chiplet;
  std::vector<int64_t> chipletLoad, chipletSize;
  bool uneven = false;
  CutLevel chiplets;
  /// Where groups count.
  std::optional<CutLevel> groups;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_SWAPSEARCH_H
