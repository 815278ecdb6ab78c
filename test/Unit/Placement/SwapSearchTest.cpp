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

static std::vector<int32_t> toVector(absl::Span<const int32_t> span) {
  return {span.begin(), span.end()};
}

TEST(Hypergraph, MergesSetsAndLeavesOutSingleExperts) {
  // {0, 2} in either order and twice more, {1, 2, 3}, {3}, nothing.
  Trace trace = makeTrace(7, 1, 3, 5, {2,  0, -1, 1, 2,  3,  0,  2,  -1, 3, -1,
                                       -1, 0, -1, 2, -1, -1, -1, -1, 3,  -1});
  Hypergraph graph(trace, 0);
  EXPECT_EQ(graph.numVertices(), 5);
  ASSERT_EQ(graph.numEdges(), 2);
  EXPECT_THAT(toVector(graph.members(0)), ElementsAre(0, 2));
  EXPECT_THAT(toVector(graph.members(1)), ElementsAre(1, 2, 3));
  EXPECT_EQ(graph.weight(0), 3);
  EXPECT_EQ(graph.weight(1), 1);
  EXPECT_THAT(toVector(graph.edgesOf(2)), ElementsAre(0, 1));
  EXPECT_THAT(toVector(graph.edgesOf(3)), ElementsAre(1));
  EXPECT_TRUE(graph.edgesOf(4).empty());
}

TEST(Hypergraph, OneExpertATokenHasNoEdges) {
  Trace trace = makeTrace(3, 1, 1, 4, {0, 0, 3});
  EXPECT_EQ(Hypergraph(trace, 0).numEdges(), 0);
}

/// Parts touched, over tokens of two experts and more, by their definition.
static int64_t recount(const Trace &trace, absl::Span<const int32_t> partOf) {
  int64_t sum = 0;
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    std::set<int32_t> parts;
    int64_t experts = 0;
    for (int32_t id : trace.set(token, 0))
      if (id != Trace::kPadding) {
        parts.insert(partOf[id]);
        ++experts;
      }
    if (experts > 1)
      sum += static_cast<int64_t>(parts.size());
  }
  return sum;
}

// Every change that is foretold is the one that a recount finds, before and
// after many moves.
TEST(CutLevel, ForetellsEveryChange) {
  SplitMix64 random(1);
  Trace trace = randomRouting(random, /*tokens=*/80, /*k=*/4, /*experts=*/9);
  Hypergraph graph(trace, 0);
  std::vector<int32_t> partOf = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  CutLevel level(graph, 4, partOf);
  for (int step = 0; step < 40; ++step) {
    int64_t cost = recount(trace, partOf);
    ASSERT_EQ(level.cost(), cost) << "step " << step;
    for (int32_t x = 0; x < 9; ++x) {
      for (int32_t part = 0; part < 4; ++part) {
        std::vector<int32_t> moved = partOf;
        moved[x] = part;
        ASSERT_EQ(level.changeOfMove(x, part), recount(trace, moved) - cost)
            << "step " << step << ", " << x << " to " << part;
      }
      for (int32_t y = 0; y < 9; ++y) {
        std::vector<int32_t> swapped = partOf;
        std::swap(swapped[x], swapped[y]);
        ASSERT_EQ(level.changeOfSwap(x, y), recount(trace, swapped) - cost)
            << "step " << step << ", " << x << " and " << y;
      }
    }
    int32_t expert = static_cast<int32_t>(random.below(9));
    partOf[expert] = static_cast<int32_t>(random.below(4));
    level.move(expert, partOf[expert]);
  }
}

TEST(SwapSearch, StopsAtItsBudgetAndKeepsALimit) {
  // 0 and 2 belong together, and 1 and 3; loads are 9, 1, 9, 1.
  Trace trace = makeTrace(10, 1, 2, 4, {0, 2, 0, 2, 0, 2, 0, 2, 0, 2,
                                        0, 2, 0, 2, 0, 2, 0, 2, 1, 3});
  Hypergraph graph(trace, 0);
  SwapObjective objective;
  objective.groupOf = {0, 0};
  objective.load = {9, 1, 9, 1};
  int64_t budget = 0;
  SwapSearch search(graph, objective, {0, 0, 1, 1});
  EXPECT_EQ(search.cost(), 20'000);
  search.descend(0, budget);
  EXPECT_EQ(search.cost(), 20'000);
  budget = 5;
  search.descend(0, budget);
  EXPECT_EQ(search.cost(), 10'000);
  EXPECT_EQ(budget, 4);

  SwapObjective capped = objective;
  capped.loadLimit = 12;
  SwapSearch keeping(graph, capped, {0, 0, 1, 1});
  keeping.descend(SwapSearch::kForbidden, budget);
  EXPECT_EQ(keeping.cost(), 20'000);
  EXPECT_EQ(keeping.excess(), 0);
  // 18 on one chiplet is 6 too many: not worth 10 tokens at 2 a pair.
  keeping.descend(2'000, budget);
  EXPECT_EQ(keeping.cost(), 20'000);
  keeping.descend(1'000, budget);
  EXPECT_EQ(keeping.cost(), 10'000);
  EXPECT_EQ(keeping.excess(), 6);
  keeping.moveTo({0, 1, 1, 0});
  EXPECT_EQ(keeping.cost(), 20'000);
  EXPECT_EQ(keeping.excess(), 0);
}
