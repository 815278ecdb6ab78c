//===- SwapSearch.cpp - Descent by exact gains ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SwapSearch.h"

#include <algorithm>

using namespace mozart;

/// A chiplet costs this much for each token, so that weights of groups can be
/// fractions and all of it stays in integers.
static constexpr int64_t kChipletPermille = 1000;

CutLevel::CutLevel(const Hypergraph &graph, int64_t numParts,
                   std::vector<int32_t> partOf)
    : graph(graph), numVertices(graph.numVertices()), numParts(numParts),
      partOf(std::move(partOf)), weightOf(numVertices, 0),
      alone(numVertices, 0), present(numVertices * numParts, 0),
      aloneWith(numVertices * numVertices, 0) {
  for (int64_t edge = 0; edge < graph.numEdges(); ++edge)
    addEdge(edge);
}

void CutLevel::touch(absl::Span<const int32_t> members, int32_t part,
                     int64_t weight) {
  total += weight;
  for (int32_t member : members)
    present[member * numParts + part] += weight;
}

void CutLevel::isolate(int32_t vertex, absl::Span<const int32_t> members,
                       int64_t weight) {
  alone[vertex] += weight;
  int64_t *row = &aloneWith[vertex * numVertices];
  for (int32_t member : members)
    row[member] += weight;
}

void CutLevel::addEdge(int64_t edge) {
  absl::Span<const int32_t> members = graph.members(edge);
  int64_t weight = graph.weight(edge);
  for (int32_t vertex : members) {
    weightOf[vertex] += weight;
    int64_t ofPart = 0;
    int32_t firstOfPart = -1;
    for (int32_t member : members)
      if (partOf[member] == partOf[vertex]) {
        if (ofPart++ == 0)
          firstOfPart = member;
      }
    if (ofPart == 1)
      isolate(vertex, members, weight);
    if (firstOfPart == vertex)
      touch(members, partOf[vertex], weight);
  }
}

void CutLevel::move(int32_t vertex, int32_t to) {
  int32_t from = partOf[vertex];
  if (from == to)
    return;
  for (int32_t edge : graph.edgesOf(vertex)) {
    absl::Span<const int32_t> members = graph.members(edge);
    int64_t weight = graph.weight(edge);
    // Others of the two parts, and one of each.
    int64_t left = 0, met = 0;
    int32_t ofLeft = -1, ofMet = -1;
    for (int32_t member : members) {
      int32_t part = partOf[member];
      if (part == from && member != vertex) {
        ++left;
        ofLeft = member;
      } else if (part == to) {
        ++met;
        ofMet = member;
      }
    }
    if (left == 0)
      touch(members, from, -weight);
    else if (left == 1)
      isolate(ofLeft, members, weight);
    if (met == 0)
      touch(members, to, weight);
    else if (met == 1)
      isolate(ofMet, members, -weight);
    if ((left == 0) != (met == 0))
      isolate(vertex, members, met == 0 ? weight : -weight);
  }
  partOf[vertex] = to;
}

/// The group of each expert.
static std::vector<int32_t> groupsOf(absl::Span<const int32_t> chipletOf,
                                     absl::Span<const int32_t> groupOf) {
  std::vector<int32_t> groups;
  for (int32_t chiplet : chipletOf)
    groups.push_back(groupOf[chiplet]);
  return groups;
}

SwapSearch::SwapSearch(const Hypergraph &graph, const SwapObjective &objective,
                       std::vector<int32_t> chipletOf)
    : objective(objective), chiplet(std::move(chipletOf)),
      chipletLoad(objective.groupOf.size(), 0),
      chipletSize(objective.groupOf.size(), 0),
      chiplets(graph, static_cast<int64_t>(objective.groupOf.size()), chiplet) {
  for (size_t expert = 0; expert < chiplet.size(); ++expert) {
    chipletLoad[chiplet[expert]] += objective.load[expert];
    ++chipletSize[chiplet[expert]];
  }
  uneven = chiplet.size() % chipletSize.size() != 0;
  if (objective.groupPermille != 0) {
    int32_t highest =
        *std::max_element(objective.groupOf.begin(), objective.groupOf.end());
    groups.emplace(graph, highest + 1, groupsOf(chiplet, objective.groupOf));
  }
}

int64_t SwapSearch::cost() const {
  return kChipletPermille * chiplets.cost() +
         (groups ? objective.groupPermille * groups->cost() : 0);
}

int64_t SwapSearch::excess() const {
  int64_t sum = 0;
  for (int64_t load : chipletLoad)
    sum += over(load);
  return sum;
}

int64_t SwapSearch::changeOfExcess(int32_t from, int32_t to,
                                   int64_t load) const {
  return over(chipletLoad[from] - load) - over(chipletLoad[from]) +
         over(chipletLoad[to] + load) - over(chipletLoad[to]);
}

bool SwapSearch::addPrice(int64_t penalty, int64_t excess, int64_t &value) {
  if (penalty == kForbidden)
    return excess <= 0;
  value += penalty * excess;
  return true;
}

void SwapSearch::considerSwaps(int32_t expert, int64_t penalty,
                               Change &best) const {
  int32_t count = static_cast<int32_t>(chiplet.size());
  for (int32_t other = expert + 1; other < count; ++other) {
    if (chiplet[other] == chiplet[expert])
      continue;
    int64_t value = kChipletPermille * chiplets.changeOfSwap(expert, other);
    if (groups)
      value += objective.groupPermille * groups->changeOfSwap(expert, other);
    int64_t load = objective.load[expert] - objective.load[other];
    if (penalty != 0 &&
        !addPrice(penalty,
                  changeOfExcess(chiplet[expert], chiplet[other], load), value))
      continue;
    if (value < best.value)
      best = {value, expert, other, -1};
  }
}

void SwapSearch::considerMoves(int32_t expert, int64_t penalty,
                               Change &best) const {
  int32_t from = chiplet[expert];
  for (size_t i = 0; i < chipletSize.size(); ++i) {
    int32_t to = static_cast<int32_t>(i);
    // Then they have changed roles: sizes are as even as before.
    if (chipletSize[to] >= chipletSize[from])
      continue;
    int64_t value = kChipletPermille * chiplets.changeOfMove(expert, to);
    if (groups)
      value += objective.groupPermille *
               groups->changeOfMove(expert, objective.groupOf[to]);
    if (penalty != 0 &&
        !addPrice(penalty, changeOfExcess(from, to, objective.load[expert]),
                  value))
      continue;
    if (value < best.value)
      best = {value, expert, -1, to};
  }
}

void SwapSearch::move(int32_t expert, int32_t to) {
  int32_t from = chiplet[expert];
  chipletLoad[from] -= objective.load[expert];
  chipletLoad[to] += objective.load[expert];
  --chipletSize[from];
  ++chipletSize[to];
  chiplet[expert] = to;
  chiplets.move(expert, to);
  if (groups)
    groups->move(expert, objective.groupOf[to]);
}

void SwapSearch::moveTo(absl::Span<const int32_t> chipletOf) {
  for (size_t expert = 0; expert < chipletOf.size(); ++expert)
    if (chiplet[expert] != chipletOf[expert])
      move(static_cast<int32_t>(expert), chipletOf[expert]);
}

void SwapSearch::descend(int64_t penalty, int64_t &budget) {
  for (; budget > 0; --budget) {
    Change best;
    for (size_t i = 0; i < chiplet.size(); ++i) {
      int32_t expert = static_cast<int32_t>(i);
      considerSwaps(expert, penalty, best);
      if (uneven)
        considerMoves(expert, penalty, best);
    }
    if (best.expert < 0)
      return;
    int32_t from = chiplet[best.expert];
    if (best.other < 0) {
      move(best.expert, best.toChiplet);
    } else {
      move(best.expert, chiplet[best.other]);
      move(best.other, from);
    }
  }
}
