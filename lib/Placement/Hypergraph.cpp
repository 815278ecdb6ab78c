//===- Hypergraph.cpp - Which experts are chosen together ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Hypergraph.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

Hypergraph::Hypergraph(const Trace &trace, int64_t layer) {
  // Every token's set, sorted, with the padding at the end.
  int64_t tokens = trace.numTokens(), k = trace.k();
  std::vector<int32_t> sets;
  sets.reserve(tokens * k);
  for (int64_t token = 0; token < tokens; ++token) {
    for (int32_t id : trace.set(token, layer))
      sets.push_back(id == Trace::kPadding ? INT32_MAX : id);
    std::sort(sets.end() - k, sets.end());
  }
  auto setOf = [&](int64_t token) {
    return absl::MakeConstSpan(sets).subspan(token * k, k);
  };
  std::vector<int64_t> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return setOf(a) < setOf(b); // equal sets in either order are the same
  });
  begin.push_back(0);
  for (int64_t i = 0; i < tokens; ++i) {
    if (i > 0 && setOf(order[i]) == setOf(order[i - 1])) {
      // Of sets that were left out there is no edge.
      if (k > 1 && setOf(order[i])[1] != INT32_MAX)
        ++weights.back();
    } else {
      addEdge(setOf(order[i]));
    }
  }
  indexVertices(trace.numExperts());
}

void Hypergraph::addEdge(absl::Span<const int32_t> set) {
  auto end = std::find(set.begin(), set.end(), INT32_MAX);
  if (end - set.begin() < 2)
    return;
  pins.insert(pins.end(), set.begin(), end);
  begin.push_back(static_cast<int64_t>(pins.size()));
  weights.push_back(1);
}

void Hypergraph::indexVertices(int64_t numVertices) {
  first.assign(numVertices + 1, 0);
  for (int32_t vertex : pins)
    ++first[vertex + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  incident.resize(pins.size());
  std::vector<int64_t> next(first.begin(), first.end() - 1);
  for (int64_t edge = 0; edge < numEdges(); ++edge)
    for (int32_t vertex : members(edge))
      incident[next[vertex]++] = static_cast<int32_t>(edge);
}
