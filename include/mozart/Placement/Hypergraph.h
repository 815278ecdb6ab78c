//===- Hypergraph.h - Which experts are chosen together ---------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_HYPERGRAPH_H
#define MOZART_PLACEMENT_HYPERGRAPH_H

#include "mozart/Routing/Trace.h"

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// Vertices are experts; an edge is a set of experts that tokens chose, its
/// weight the number of those tokens. The sum over edges of weight times the
/// number of parts that an edge touches is then, for each token, C_T (parts
/// are chiplets) or G_T (parts are switch groups).
class Hypergraph {
public:
  /// Vertices fit in 16 bits and weights in 31, so that what searches go
  /// through over and over is short.
  static constexpr int64_t kMaxVertices = 1 << 15;
  static constexpr int64_t kMaxTokens = INT32_MAX;

  /// The sets of a layer, each once, in ascending order; an edge holds all
  /// tokens of its set. Takes time linear in the tokens. Expects at most
  /// kMaxVertices experts, as many a token, and kMaxTokens tokens.
  Hypergraph(const Trace &trace, int64_t layer);
  /// Of every `stride`th token.
  Hypergraph(const Trace &trace, int64_t layer, int64_t stride);

  static Hypergraph withoutEdges(int64_t numVertices);

  /// The same tokens over parts of the vertices: an edge becomes the set of
  /// parts that it touches.
  Hypergraph contracted(absl::Span<const int32_t> partOf,
                        int64_t numParts) const;

  int64_t numVertices() const { return static_cast<int64_t>(first.size()) - 1; }
  int64_t numEdges() const { return static_cast<int64_t>(weights.size()); }
  int32_t weight(int64_t edge) const { return weights[edge]; }
  /// The vertices of an edge, ascending, at least one.
  absl::Span<const uint16_t> members(int64_t edge) const {
    return absl::MakeConstSpan(pins).subspan(edge * numSlots, sizes[edge]);
  }
  /// Slots of an edge: a multiple of 4, the same for all edges.
  int64_t slots() const { return numSlots; }
  /// The vertex in each slot of each edge. A slot past the edge's members holds
  /// numVertices() + slot, so that rows with so many more places can be added
  /// to without asking.
  absl::Span<const uint16_t> slotTable() const { return pins; }
  /// Where a vertex stands in slotTable, ascending.
  absl::Span<const int64_t> placesOf(int32_t vertex) const {
    return absl::MakeConstSpan(incident).subspan(
        first[vertex], first[vertex + 1] - first[vertex]);
  }
  /// Of each vertex, the sum of its edges' weights: the load of an expert.
  std::vector<int64_t> vertexWeights() const;

private:
  Hypergraph() = default;
  /// Merges equal rows of `width` vertices, each ascending and filled up with
  /// `numVertices`, and takes those that have any.
  void build(absl::Span<const uint16_t> rows, int64_t width,
             absl::Span<const int32_t> rowWeights, int64_t numVertices);
  void indexVertices(int64_t numVertices);

  int64_t numSlots = 4;
  std::vector<int32_t> weights;
  std::vector<uint16_t> sizes;
  std::vector<uint16_t> pins;
  std::vector<int64_t> first; // of each vertex in incident, and the end
  std::vector<int64_t> incident;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_HYPERGRAPH_H
