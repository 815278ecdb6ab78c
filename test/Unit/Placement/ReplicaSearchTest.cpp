//===- ReplicaSearchTest.cpp - Changes of a placement, counted exactly ----===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/ReplicaSearch.h"
#include "mozart/Placement/Replicate.h"
#include "mozart/Routing/Statistics.h"

#include "RandomRouting.h"

#include <algorithm>
#include <cmath>

using namespace mozart;
using namespace mozart::testing;

static Placement placementOf(std::vector<std::vector<int32_t>> chipletsOf,
                             int64_t numChiplets) {
  Placement placement;
  placement.numChiplets = numChiplets;
  placement.chipletsOf = std::move(chipletsOf);
  return placement;
}

/// Each expert on a chiplet, and some on others too.
static Placement randomPlacement(SplitMix64 &random, int64_t experts,
                                 int64_t chiplets, bool replicas) {
  Placement placement;
  placement.numChiplets = chiplets;
  for (int64_t expert = 0; expert < experts; ++expert) {
    std::vector<int32_t> own = {static_cast<int32_t>(expert % chiplets)};
    while (replicas && random.below(3) == 0) {
      int32_t chiplet = static_cast<int32_t>(random.below(chiplets));
      if (std::find(own.begin(), own.end(), chiplet) == own.end())
        own.push_back(chiplet);
    }
    std::sort(own.begin(), own.end());
    placement.chipletsOf.push_back(std::move(own));
  }
  return placement;
}

static void expectTotals(const ReplicaTotals &totals, const Trace &trace,
                         const std::vector<std::vector<int32_t>> &chipletsOf,
                         absl::Span<const int32_t> groupOf) {
  LayerStatistics stats =
      layerStatistics(trace, 0, ReplicaChoice(chipletsOf), groupOf);
  double tokens = static_cast<double>(trace.numTokens());
  EXPECT_DOUBLE_EQ(static_cast<double>(totals.chipletVisits) / tokens,
                   stats.cT);
  EXPECT_DOUBLE_EQ(static_cast<double>(totals.groupVisits) / tokens, stats.gT);
  int64_t sum = 0;
  for (int64_t load : totals.load)
    sum += load;
  EXPECT_DOUBLE_EQ(static_cast<double>(*std::max_element(totals.load.begin(),
                                                         totals.load.end())) *
                       static_cast<double>(groupOf.size()) /
                       static_cast<double>(sum),
                   stats.loadMaxOverMean);
}

TEST(ReplicaState, CountsWhatStatisticsCount) {
  SplitMix64 random(1);
  std::vector<int32_t> groupOf = {0, 0, 1, 1};
  for (int64_t round = 0; round < 50; ++round) {
    Trace trace = randomRouting(random, 40, 4, 9);
    ReplicaState state(trace, 0, groupOf,
                       randomPlacement(random, 9, 4, /*replicas=*/true));
    expectTotals(state.totals(), trace, state.chipletsOf(), groupOf);
    for (int64_t turn = 0; turn < 20; ++turn) {
      // One expert gets or moves a replica; another may give up one.
      ReplicaChange change;
      for (int64_t i = 0; i < 2; ++i) {
        int32_t expert = static_cast<int32_t>(random.below(9));
        const std::vector<int32_t> &own = state.chipletsOf()[expert];
        int32_t to = static_cast<int32_t>(random.below(4));
        int32_t from = own[random.below(own.size())];
        bool isNew = std::find(own.begin(), own.end(), to) == own.end();
        if (i == 1 && change.count == 1 && change.steps[0].expert == expert)
          break;
        if (isNew)
          change.steps[change.count++] = {expert, random.below(2) ? from : -1,
                                          to};
        else if (own.size() > 1)
          change.steps[change.count++] = {expert, from, -1};
      }
      if (change.count == 0)
        continue;
      ReplicaTotals expected = state.tryChange(change);
      state.apply(change);
      expectTotals(expected, trace, state.chipletsOf(), groupOf);
      EXPECT_EQ(state.totals().load, expected.load);
      EXPECT_EQ(state.totals().chipletVisits, expected.chipletVisits);
      EXPECT_EQ(state.totals().groupVisits, expected.groupVisits);
    }
  }
}

static ReplicaLimits limitsOf(int64_t chiplets, int64_t least, int64_t most,
                              int64_t maxReplicas) {
  ReplicaLimits limits;
  limits.least.assign(chiplets, least);
  limits.most.assign(chiplets, most);
  limits.maxReplicas = maxReplicas;
  return limits;
}

/// Without replicas estimates are exact, so no swap is left that helps.
TEST(ReplicaSearch, EndsWhereNoSwapHelps) {
  SplitMix64 random(2);
  for (int64_t round = 0; round < 60; ++round) {
    Trace trace = randomRouting(random, 60, 4, 8);
    ReplicaObjective objective;
    objective.groupOf = {0, 0, 1, 1};
    objective.groupPermille = 500 * static_cast<int64_t>(random.below(3));
    ReplicaLimits limits = limitsOf(4, 2, 2, 0);
    Placement start = randomPlacement(random, 8, 4, /*replicas=*/false);
    ReplicaSearch search(trace, 0, objective, limits, start);
    int64_t before = search.cost(), budget = 1000;
    search.descend(/*penalty=*/0, budget);
    EXPECT_LE(search.cost(), before);
    Placement end = search.placement();
    EXPECT_EQ(mostExpertsOfChiplet(end), 2);
    for (int32_t a = 0; a < 8; ++a)
      for (int32_t b = a + 1; b < 8; ++b) {
        Placement swapped = end;
        std::swap(swapped.chipletsOf[a], swapped.chipletsOf[b]);
        EXPECT_GE(ReplicaSearch(trace, 0, objective, limits, swapped).cost(),
                  search.cost());
      }
  }
}

TEST(ReplicaSearch, KeepsItsLimits) {
  SplitMix64 random(3);
  for (int64_t round = 0; round < 60; ++round) {
    Trace trace = randomRouting(random, 60, 4, 9);
    ReplicaObjective objective;
    objective.groupOf = {0, 0, 0};
    objective.loadLimit = round % 2 ? INT64_MAX : 60;
    int64_t most = 3 + static_cast<int64_t>(random.below(3));
    int64_t replicas = std::min<int64_t>(random.below(5), most * 3 - 9);
    ReplicaLimits limits = limitsOf(3, 1, most, replicas);
    Placement start = randomPlacement(random, 9, 3, /*replicas=*/false);
    limits.keep = &start;
    limits.maxMoves = static_cast<int64_t>(random.below(6));
    ReplicaSearch search(trace, 0, objective, limits, start);
    int64_t budget = 1000;
    search.descend(/*penalty=*/4000, budget);
    Placement end = search.placement();
    EXPECT_TRUE(end.verify().ok());
    EXPECT_LE(mostExpertsOfChiplet(end), most);
    EXPECT_LE(countReplicas(end), replicas);
    EXPECT_EQ(countReplicas(end), search.numReplicas());
    EXPECT_LE(countMoves(start, end), limits.maxMoves);
    for (const std::vector<int32_t> &experts : end.expertsOf())
      EXPECT_GE(experts.size(), 1u);
  }
}

TEST(ReplicaSearch, PutsAReplicaWhereItSavesMost) {
  // Expert 0 is chosen with 1, 2 and 3, which are apart: with room for one
  // replica it belongs to 1 and, of the others, to the one chosen more often.
  Trace trace = makeTrace(6, 1, 2, 4, {0, 1, 0, 1, 0, 1, 0, 3, 0, 3, 0, 2});
  ReplicaObjective objective;
  objective.groupOf = {0, 0, 0};
  ReplicaLimits limits = limitsOf(3, 1, 2, 2);
  ReplicaSearch search(trace, 0, objective, limits,
                       placementOf({{0}, {0}, {1}, {2}}, 3));
  EXPECT_EQ(search.cost(), 9000);
  int64_t budget = 1;
  search.descend(/*penalty=*/0, budget);
  EXPECT_EQ(budget, 0);
  EXPECT_EQ(search.placement().chipletsOf[0], (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(search.cost(), 7000);
}

TEST(ReplicaSearch, MakesNoChangeThatIsForbidden) {
  // All of it on one chiplet would visit least.
  Trace trace = makeTrace(4, 1, 2, 4, {0, 1, 0, 1, 2, 3, 2, 3});
  ReplicaObjective objective;
  objective.groupOf = {0, 0};
  objective.loadLimit = 4;
  ReplicaLimits limits = limitsOf(2, 1, 4, 0);
  ReplicaSearch search(trace, 0, objective, limits,
                       placementOf({{0}, {1}, {0}, {1}}, 2));
  int64_t budget = 100;
  search.descend(ReplicaSearch::kForbidden, budget);
  EXPECT_EQ(search.excess(), 0);
  EXPECT_EQ(search.cost(), 4000);
}

TEST(ReplicaSearch, CountsMoves) {
  Placement old = placementOf({{0}, {1}, {0, 2}}, 3);
  EXPECT_EQ(countMoves(old, old), 0);
  EXPECT_EQ(countMoves(old, placementOf({{1}, {1}, {0, 2}}, 3)), 1);
  EXPECT_EQ(countMoves(old, placementOf({{0, 1, 2}, {1}, {2}}, 3)), 2);
}
