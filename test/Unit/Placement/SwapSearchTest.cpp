//===- SwapSearchTest.cpp - Descent by exact gains ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SwapSearch.h"

#include "../Routing/Testing.h"
#include "RandomRouting.h"

#include <set>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

template <typename T>
static std::vector<int64_t> toVector(absl::Span<const T> span) {
  return {span.begin(), span.end()};
}

TEST(Hypergraph, MergesSets) {
  // {0, 2} in either order and twice more, {1, 2, 3}, {3} twice, nothing.
  Trace trace = makeTrace(7, 1, 3, 5, {2,  0, -1, 1, 2,  3,  0,  2,  -1, 3, -1,
                                       -1, 0, -1, 2, -1, -1, -1, -1, 3,  -1});
  Hypergraph graph(trace, 0);
  EXPECT_EQ(graph.numVertices(), 5);
  ASSERT_EQ(graph.numEdges(), 3);
  EXPECT_THAT(toVector(graph.members(0)), ElementsAre(0, 2));
  EXPECT_THAT(toVector(graph.members(1)), ElementsAre(1, 2, 3));
  EXPECT_THAT(toVector(graph.members(2)), ElementsAre(3));
  EXPECT_EQ(graph.weight(0), 3);
  EXPECT_EQ(graph.weight(1), 1);
  EXPECT_EQ(graph.weight(2), 2);
  // Slots that are empty name places past the vertices.
  ASSERT_EQ(graph.slots(), 4);
  EXPECT_THAT(toVector(graph.slotTable()),
              ElementsAre(0, 2, 7, 8, 1, 2, 3, 8, 3, 6, 7, 8));
  EXPECT_THAT(toVector(graph.placesOf(2)), ElementsAre(1, 5));
  EXPECT_THAT(toVector(graph.placesOf(3)), ElementsAre(6, 8));
  EXPECT_TRUE(graph.placesOf(4).empty());
  EXPECT_THAT(graph.vertexWeights(), ElementsAre(3, 1, 4, 3, 0));
  // Every other token: {2, 0}, {0, 2}, {0, 2}, {3}.
  Hypergraph sample(trace, 0, 2);
  ASSERT_EQ(sample.numEdges(), 2);
  EXPECT_EQ(sample.weight(0), 3);
}

TEST(Hypergraph, ContractsPartsToVertices) {
  Trace trace = makeTrace(4, 1, 3, 5, {0, 1, 2, 0, 1, 4, 1, 3, 4, 4, 1, -1});
  // {a, b}, {a, c}, {a, b, c}, {a, c}.
  Hypergraph graph = Hypergraph(trace, 0).contracted({0, 0, 1, 1, 2}, 3);
  EXPECT_EQ(graph.numVertices(), 3);
  ASSERT_EQ(graph.numEdges(), 3);
  EXPECT_THAT(toVector(graph.members(0)), ElementsAre(0, 1, 2));
  EXPECT_THAT(toVector(graph.members(1)), ElementsAre(0, 1));
  EXPECT_THAT(toVector(graph.members(2)), ElementsAre(0, 2));
  EXPECT_EQ(graph.weight(2), 2);
  EXPECT_EQ(Hypergraph::withoutEdges(4).numVertices(), 4);
}

namespace {
/// What each part receives, by its definition.
struct Recount {
  Recount(const Trace &trace, absl::Span<const int32_t> partOf, int64_t parts)
      : received(parts, 0) {
    for (int64_t token = 0; token < trace.numTokens(); ++token) {
      std::set<int32_t> touched;
      for (int32_t id : trace.set(token, 0))
        if (id != Trace::kPadding && partOf[id] >= 0)
          touched.insert(partOf[id]);
      for (int32_t part : touched)
        ++received[part];
    }
  }
  std::vector<int64_t> received;
};
} // namespace

// Every change that is foretold is the one that a recount finds, before and
// after many moves, for any number of slots and with vertices in no part.
TEST(CutLevel, ForetellsEveryChange) {
  SplitMix64 random(1);
  for (int64_t k : {3, 4, 7, 9}) {
    Trace trace = randomRouting(random, /*tokens=*/80, k, /*experts=*/9);
    Hypergraph graph(trace, 0);
    std::vector<int32_t> partOf = {0, 1, 2, 0, 1, -1, 0, 1, 2};
    CutLevel level(graph, 4, partOf);
    for (int step = 0; step < 25; ++step) {
      std::vector<int64_t> before = Recount(trace, partOf, 4).received;
      ASSERT_EQ(toVector(level.receivedOf()), before) << "step " << step;
      auto check = [&](const std::vector<int32_t> &changed, int32_t part,
                       int64_t gain) {
        if (part >= 0)
          ASSERT_EQ(Recount(trace, changed, 4).received[part] - before[part],
                    gain)
              << "k " << k << ", step " << step << ", part " << part;
      };
      for (int32_t x = 0; x < 9; ++x) {
        for (int32_t part = 0; part < 4; ++part) {
          std::vector<int32_t> moved = partOf;
          moved[x] = part;
          if (part == partOf[x])
            continue;
          check(moved, part, level.gainOfMove(x, part));
          check(moved, partOf[x], -level.alone(x));
        }
        for (int32_t y = 0; y < 9; ++y) {
          std::vector<int32_t> swapped = partOf;
          std::swap(swapped[x], swapped[y]);
          if (partOf[x] != partOf[y])
            check(swapped, partOf[x], level.gainOfSwap(x, y));
        }
      }
      int32_t expert = static_cast<int32_t>(random.below(9));
      partOf[expert] = static_cast<int32_t>(random.below(5)) - 1;
      level.move(expert, partOf[expert]);
    }
  }
}

/// Four experts of load 9, 1, 9, 1 on two chiplets.
static SwapObjective twoChiplets() {
  SwapObjective objective;
  objective.levels.push_back({{0, 1}, {1000, 1000}});
  objective.load = {9, 1, 9, 1};
  objective.fewest = objective.most = {2, 2};
  return objective;
}

TEST(SwapSearch, StopsAtItsBudgetAndKeepsALimit) {
  // 0 and 2 belong together, and 1 and 3.
  Trace trace = makeTrace(10, 1, 2, 4, {0, 2, 0, 2, 0, 2, 0, 2, 0, 2,
                                        0, 2, 0, 2, 0, 2, 0, 2, 1, 3});
  Hypergraph graph(trace, 0);
  SwapObjective objective = twoChiplets();
  int64_t budget = 0;
  SwapSearch search(graph, objective, {0, 0, 1, 1});
  EXPECT_EQ(search.cost().first, 20'000);
  search.descend(0, budget);
  EXPECT_EQ(search.cost().first, 20'000);
  budget = 5;
  search.descend(0, budget);
  EXPECT_EQ(search.cost().first, 10'000);
  EXPECT_EQ(budget, 4);
  EXPECT_EQ(search.changes(), 1);

  SwapObjective capped = objective;
  capped.limits.push_back({{0, 1}, objective.load, {12, 12}});
  SwapSearch keeping(graph, capped, {0, 0, 1, 1});
  keeping.descend(SwapSearch::kForbidden, budget);
  EXPECT_EQ(keeping.cost().first, 20'000);
  EXPECT_EQ(keeping.excess(), 0);
  // 18 on one chiplet is 6 too many: not worth 10 tokens at 2 a pair.
  keeping.descend(2'000, budget);
  EXPECT_EQ(keeping.cost().first, 20'000);
  keeping.descend(1'000, budget);
  EXPECT_EQ(keeping.cost().first, 10'000);
  EXPECT_EQ(keeping.excess(), 6);
}

// Under every kind of objective at once, what a change was foretold to do is
// what a search that starts from its end finds, over many random problems.
TEST(SwapSearch, KeepsItsCountsOverManySteps) {
  SplitMix64 random(5);
  for (int round = 0; round < 40; ++round) {
    Trace trace = randomRouting(random, /*tokens=*/60, /*k=*/4, /*experts=*/12);
    Hypergraph graph(trace, 0);
    SwapObjective objective;
    auto weight = [&] { return static_cast<int64_t>(random.below(2000)); };
    objective.levels.push_back({{0, 1, 2, 3}, {weight(), 1, 5, weight()}});
    objective.levels.push_back({{0, 0, 1, -1}, {weight(), weight()}});
    objective.levels.push_back({{0, 0, 0, 0}, {0}});
    objective.receivePermille = round % 3 == 0 ? 0 : weight();
    objective.fewest.assign(4, 1);
    objective.most.assign(4, 5);
    objective.load = graph.vertexWeights();
    for (int e = 0; e < 12; ++e)
      objective.bytes.push_back(weight() << 20);
    objective.limits.push_back(
        {{0, 1, 2, 3}, objective.load, {20, 30, 40, 50}});
    objective.limits.push_back(
        {{0, 0, 1, -1}, objective.bytes, {weight() << 21, 9}});
    if (round % 2 == 0)
      objective.cost = [](const PlacementCounts &counts) {
        int64_t cost = counts.crossing[0][0] * 3 + counts.bytes[1] / 1'000'000;
        for (size_t c = 0; c < counts.load.size(); ++c)
          cost = std::max(cost, counts.load[c] * 2 + counts.received[c] +
                                    counts.experts[c]);
        return cost;
      };
    SwapSearch search(graph, objective, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    for (int step = 0; step < 25; ++step) {
      if (step % 5 == 0)
        search.swapRandom(random);
      else
        search.stepOn(/*penalty=*/step * 7, /*aspiration=*/{}, random);
      absl::Span<const int32_t> at = search.chipletOf();
      SwapSearch fresh(graph, objective, {at.begin(), at.end()});
      ASSERT_EQ(fresh.cost().first, search.cost().first) << round;
      ASSERT_EQ(fresh.cost().second, search.cost().second) << round;
      ASSERT_EQ(fresh.excess(), search.excess()) << round;
      ASSERT_EQ(fresh.counts().experts, search.counts().experts);
      ASSERT_EQ(fresh.counts().bytes, search.counts().bytes);
    }
  }
}
