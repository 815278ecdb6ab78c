//===- CutLevel.h - What a move would change in a cut -----------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_CUTLEVEL_H
#define MOZART_PLACEMENT_CUTLEVEL_H

#include "mozart/Placement/Hypergraph.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// A hypergraph cut into parts, and what every move of a vertex would change.
/// Vertices may be in no part (-1).
///
/// A part receives the weight of the edges that touch it. With
///   present(p, v)   the weight of v's edges that touch part p,
///   alone(v)        the weight of those in which v is the only one of its
///   part, aloneWith(v, x) that of those among them that hold x as well,
/// where v goes from part a to b, b receives weight(v) - present(b, v) more and
/// a alone(v) less. Where x and y trade places, a and b, part a loses alone(x),
/// gains weight(y) - present(a, y), and keeps aloneWith(x, y): an edge that
/// holds both touches what it touched.
class CutLevel {
public:
  CutLevel(const Hypergraph &graph, int64_t numParts,
           std::vector<int32_t> partOf);

  int64_t numParts() const { return static_cast<int64_t>(received.size()); }
  int32_t part(int32_t vertex) const { return partOf[vertex]; }
  absl::Span<const int64_t> receivedOf() const { return received; }
  int64_t weight(int32_t vertex) const { return weightOf[vertex]; }
  int64_t alone(int32_t vertex) const { return aloneOf[vertex]; }
  int64_t present(int64_t part, int32_t vertex) const {
    return presentIn[part * rowSize + vertex];
  }
  int64_t aloneWith(int32_t vertex, int32_t other) const {
    return aloneBeside[vertex * rowSize + other];
  }
  /// What the part that `vertex` comes to would receive more.
  int64_t gainOfMove(int32_t vertex, int32_t to) const {
    return to < 0 ? 0 : weight(vertex) - present(to, vertex);
  }
  /// What the part of `x` would receive more if x and y, of another part,
  /// traded places.
  int64_t gainOfSwap(int32_t x, int32_t y) const {
    return partOf[x] < 0
               ? 0
               : gainOfMove(y, partOf[x]) - alone(x) + aloneWith(x, y);
  }
  /// Takes time in the vertex's edges, with a few steps for each member.
  void move(int32_t vertex, int32_t to);
  /// Edges that moves went through since it was made.
  int64_t edgeVisits() const { return visits; }

private:
  /// An edge in which something changes for one of its vertices.
  struct Event {
    int32_t edge;
    int32_t vertex;
  };
  struct Events;

  void addEdge(int64_t edge);
  /// The events of a move in some of the vertex's edges. `Words` is slots / 4,
  /// or 0 for what there is.
  template <int64_t Words>
  void collect(absl::Span<const int64_t> places, int32_t vertex, int32_t to,
               Events &events);
  template <int64_t Words>
  void apply(const Events &events, int32_t from, int32_t to);
  template <int64_t Words> void moveAll(int32_t vertex, int32_t to);
  /// Adds sign times the weight of each edge to its members in a row.
  template <int64_t Words>
  void addToRow(int32_t *row, const Event *events, int64_t count, int32_t sign);
  /// Vertices come to be the only ones of their part, or no longer are.
  template <int64_t Words>
  void isolate(const Event *events, int64_t count, int32_t sign);

  const Hypergraph *graph;
  int64_t rowSize;
  std::vector<int32_t> partOf;
  /// The part in each slot of each edge.
  std::vector<uint16_t> slotPart;
  std::vector<int64_t> received;
  std::vector<int32_t> weightOf, aloneOf, presentIn, aloneBeside;
  int64_t visits = 0;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_CUTLEVEL_H
