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
  /// The sets of a layer, each once, in ascending order. Sets of fewer than two
  /// experts are left out: wherever they are, they touch as many parts.
  Hypergraph(const Trace &trace, int64_t layer);

  int64_t numVertices() const { return static_cast<int64_t>(first.size()) - 1; }
  int64_t numEdges() const { return static_cast<int64_t>(weights.size()); }
  int64_t weight(int64_t edge) const { return weights[edge]; }
  /// The vertices of an edge, ascending.
  absl::Span<const int32_t> members(int64_t edge) const {
    return absl::MakeConstSpan(pins).subspan(begin[edge],
                                             begin[edge + 1] - begin[edge]);
  }
  /// The edges of a vertex, ascending.
  absl::Span<const int32_t> edgesOf(int32_t vertex) const {
    return absl::MakeConstSpan(incident).subspan(
        first[vertex], first[vertex + 1] - first[vertex]);
  }

private:
  void addEdge(absl::Span<const int32_t> set);
  void indexVertices(int64_t numVertices);

  std::vector<int64_t> weights;
  std::vector<int64_t> begin; // of each edge in pins, and the end
  std::vector<int32_t> pins;
  std::vector<int64_t> first; // of each vertex in incident, and the end
  std::vector<int32_t> incident;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_HYPERGRAPH_H
