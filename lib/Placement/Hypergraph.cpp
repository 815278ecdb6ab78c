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

/// The order of rows of `width` digits below `base`, first digit first: a
/// stable counting sort for each digit from the last, so that time is linear.
static std::vector<int32_t> sortRows(absl::Span<const uint16_t> rows,
                                     int64_t width, int64_t base) {
  size_t count = rows.size() / width;
  std::vector<int32_t> order(count), next(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int32_t> place(base + 1);
  for (int64_t digit = width - 1; digit >= 0; --digit) {
    std::fill(place.begin(), place.end(), 0);
    for (size_t row = 0; row < count; ++row)
      ++place[rows[row * width + digit] + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (int32_t row : order)
      next[place[rows[row * width + digit]]++] = row;
    order.swap(next);
  }
  return order;
}

Hypergraph::Hypergraph(const Trace &trace, int64_t layer)
    : Hypergraph(trace, layer, /*stride=*/1) {}

Hypergraph::Hypergraph(const Trace &trace, int64_t layer, int64_t stride) {
  int64_t k = trace.k(), experts = trace.numExperts();
  std::vector<uint16_t> rows;
  rows.reserve(trace.numTokens() / stride * k + k);
  for (int64_t token = 0; token < trace.numTokens(); token += stride) {
    for (int32_t id : trace.set(token, layer))
      rows.push_back(
          static_cast<uint16_t>(id == Trace::kPadding ? experts : id));
    std::sort(rows.end() - k, rows.end());
  }
  build(rows, k, std::vector<int32_t>(rows.size() / std::max<int64_t>(k, 1), 1),
        experts);
}

Hypergraph Hypergraph::withoutEdges(int64_t numVertices) {
  Hypergraph graph;
  graph.indexVertices(numVertices);
  return graph;
}

Hypergraph Hypergraph::contracted(absl::Span<const int32_t> partOf,
                                  int64_t numParts) const {
  int64_t width = 0;
  for (int64_t edge = 0; edge < numEdges(); ++edge)
    width = std::max(width, static_cast<int64_t>(members(edge).size()));
  std::vector<uint16_t> rows(numEdges() * width,
                             static_cast<uint16_t>(numParts));
  for (int64_t edge = 0; edge < numEdges(); ++edge) {
    auto out = rows.begin() + edge * width, end = out;
    for (uint16_t vertex : members(edge))
      *end++ = static_cast<uint16_t>(partOf[vertex]);
    std::sort(out, end);
    std::fill(std::unique(out, end), end, static_cast<uint16_t>(numParts));
  }
  Hypergraph result;
  result.build(rows, width, weights, numParts);
  return result;
}

void Hypergraph::build(absl::Span<const uint16_t> rows, int64_t width,
                       absl::Span<const int32_t> rowWeights,
                       int64_t numVertices) {
  numSlots = std::max<int64_t>((width + 3) / 4 * 4, 4);
  std::vector<int32_t> order = width == 0
                                   ? std::vector<int32_t>()
                                   : sortRows(rows, width, numVertices + 1);
  const uint16_t *last = nullptr;
  for (int32_t row : order) {
    const uint16_t *set = rows.data() + row * width;
    if (set[0] == numVertices)
      continue;
    if (last && std::equal(set, set + width, last)) {
      weights.back() += rowWeights[row];
      continue;
    }
    last = set;
    const uint16_t *end = std::find(set, set + width, uint16_t(numVertices));
    pins.insert(pins.end(), set, end);
    weights.push_back(rowWeights[row]);
    sizes.push_back(static_cast<uint16_t>(end - set));
    for (int64_t slot = end - set; slot < numSlots; ++slot)
      pins.push_back(static_cast<uint16_t>(numVertices + slot));
  }
  indexVertices(numVertices);
}

void Hypergraph::indexVertices(int64_t numVertices) {
  first.assign(numVertices + 1, 0);
  for (int64_t edge = 0; edge < numEdges(); ++edge)
    for (uint16_t vertex : members(edge))
      ++first[vertex + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  incident.resize(first.back());
  std::vector<int64_t> next(first.begin(), first.end() - 1);
  for (int64_t edge = 0; edge < numEdges(); ++edge) {
    int64_t place = edge * numSlots;
    for (uint16_t vertex : members(edge))
      incident[next[vertex]++] = place++;
  }
}

std::vector<int64_t> Hypergraph::vertexWeights() const {
  std::vector<int64_t> sums(numVertices(), 0);
  for (int64_t edge = 0; edge < numEdges(); ++edge)
    for (uint16_t vertex : members(edge))
      sums[vertex] += weight(edge);
  return sums;
}
