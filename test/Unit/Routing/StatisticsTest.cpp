//===- StatisticsTest.cpp - Load, co-activation, C_T, G_T -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/Statistics.h"

#include "Testing.h"

#include <cmath>
#include <random>
#include <set>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

TEST(Statistics, CountsLoad) {
  Trace trace = makeTrace(3, 2, 2, 4, {0, 1, 3, 2, 0, 2, 3, -1, 0, 1, 3, 0});
  EXPECT_THAT(expertLoad(trace, 0), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(expertLoad(trace, 1), ElementsAre(1, 0, 1, 3));
}

TEST(Statistics, CountsCoactivation) {
  Trace trace = makeTrace(3, 1, 2, 3, {0, 1, 1, 0, 2, -1});
  EXPECT_THAT(coactivation(trace, 0), ElementsAre(2, 2, 0, //
                                                  2, 2, 0, //
                                                  0, 0, 1));
}

TEST(Statistics, SaysHowExpertsAreChosen) {
  // Load 4 2 2 0, mean 2. Of 0's tokens one half have 1 (and one half 2); all
  // of 1's and of 2's have 0; expert 3 has none.
  Trace trace = makeTrace(4, 1, 2, 4, {0, 1, 0, 2, 1, 0, 2, 0});
  ExpertStatistics stats = *expertStatistics(trace, 0);
  EXPECT_THAT(stats.load, ElementsAre(4, 2, 2, 0));
  EXPECT_DOUBLE_EQ(stats.loadMaxOverMean, 2);
  EXPECT_DOUBLE_EQ(stats.loadVariation, std::sqrt((4 + 0 + 0 + 4) / 4.0) / 2);
  EXPECT_DOUBLE_EQ(stats.peakCoactivation, (0.5 + 1 + 1) / 3);
}

TEST(Statistics, ExpertsThatNobodyChose) {
  ExpertStatistics stats =
      *expertStatistics(makeTrace(2, 1, 1, 2, {-1, -1}), 0);
  EXPECT_THAT(stats.load, ElementsAre(0, 0));
  EXPECT_EQ(stats.loadMaxOverMean, 0);
  EXPECT_EQ(stats.loadVariation, 0);
  EXPECT_EQ(stats.peakCoactivation, 0);
}

TEST(Statistics, RefusesAMatrixThatIsTooLarge) {
  Trace trace = makeTrace(1, 1, 1, 4097, {0});
  expectInvalid(expertStatistics(trace, 0), {"4097 experts", "at most 4096"});
}

TEST(Statistics, CountsChipletsAndGroups) {
  // Chiplets {0,1} {2,3} {4,5}; groups {0,1} {2}.
  std::vector<int32_t> chipletOf = {0, 0, 1, 1, 2, 2}, groupOf = {0, 0, 1};
  Trace trace = makeTrace(4, 1, 3, 6,
                          {0, 1, 2,      // chiplets 0 1, group 0
                           0, 2, 4,      // all
                           0, 1, -1,     // chiplet 0
                           -1, -1, -1}); // nowhere
  LayerStatistics stats = layerStatistics(trace, 0, chipletOf, groupOf);
  EXPECT_DOUBLE_EQ(stats.cT, (2 + 3 + 1 + 0) / 4.0);
  EXPECT_DOUBLE_EQ(stats.gT, (1 + 2 + 1 + 0) / 4.0);
  // Pairs 5 2 1, tokens received 3 2 1.
  EXPECT_DOUBLE_EQ(stats.loadMaxOverMean, 5 / (8 / 3.0));
  EXPECT_DOUBLE_EQ(stats.receiveMaxOverMean, 3 / (6 / 3.0));
}

TEST(Statistics, CountsReplicasAsTheyAreChosen) {
  // Expert 0 on chiplets 0 and 2; 1 on 1, 2 on 2. Groups {0,1} {2}.
  std::vector<std::vector<int32_t>> chipletsOf = {{0, 2}, {1}, {2}};
  std::vector<int32_t> groupOf = {0, 0, 1};
  Trace trace = makeTrace(4, 1, 2, 3,
                          {0, 1,   // chiplets 0 1
                           0, 1,   // chiplets 2 1, for the position is odd
                           2, 0,   // chiplet 2
                           0, 1}); // chiplets 2 1
  LayerStatistics stats =
      layerStatistics(trace, 0, ReplicaChoice(chipletsOf), groupOf);
  EXPECT_DOUBLE_EQ(stats.cT, (2 + 2 + 1 + 2) / 4.0);
  EXPECT_DOUBLE_EQ(stats.gT, (1 + 2 + 1 + 2) / 4.0);
  // Pairs 1 3 4, tokens received 1 3 3.
  EXPECT_DOUBLE_EQ(stats.loadMaxOverMean, 4 / (8 / 3.0));
  EXPECT_DOUBLE_EQ(stats.receiveMaxOverMean, 3 / (7 / 3.0));

  // In micro-batches of three the last is at position 0.
  stats = layerStatistics(trace, 0, ReplicaChoice(chipletsOf), groupOf, 3);
  EXPECT_DOUBLE_EQ(stats.gT, (1 + 2 + 1 + 1) / 4.0);
  EXPECT_DOUBLE_EQ(stats.loadMaxOverMean, 3 / (8 / 3.0));
}

TEST(Statistics, NothingSentIsZero) {
  Trace trace = makeTrace(2, 1, 1, 2, {-1, -1});
  LayerStatistics stats = layerStatistics(trace, 0, {0, 1}, {0, 1});
  EXPECT_EQ(stats.cT, 0);
  EXPECT_EQ(stats.gT, 0);
  EXPECT_EQ(stats.loadMaxOverMean, 0);
  EXPECT_EQ(stats.receiveMaxOverMean, 0);
}

TEST(Statistics, AChipletMayBeInNoGroup) {
  Trace trace = makeTrace(2, 1, 2, 2, {0, 1, 0, -1});
  LayerStatistics stats = layerStatistics(trace, 0, {0, 1}, {-1, 0});
  EXPECT_EQ(stats.cT, 1.5);
  EXPECT_EQ(stats.gT, 0.5);
}

TEST(Statistics, LayersAreApart) {
  Trace trace = makeTrace(1, 2, 2, 4, {0, 1, 0, 2});
  std::vector<int32_t> chipletOf = {0, 0, 1, 1}, groupOf = {0, 0};
  EXPECT_EQ(layerStatistics(trace, 0, chipletOf, groupOf).cT, 1);
  EXPECT_EQ(layerStatistics(trace, 1, chipletOf, groupOf).cT, 2);
}

// The counting by "last token seen" against sets, on random routing.
TEST(Statistics, AgreesWithSetsOnRandomTraces) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    int64_t experts = 1 + random() % 12, chiplets = 1 + random() % 5;
    int64_t k = 1 + random() % experts, tokens = 1 + random() % 40;
    int64_t groups = 1 + random() % 3;
    std::vector<int32_t> chipletOf, groupOf, ids;
    for (int64_t e = 0; e < experts; ++e)
      chipletOf.push_back(random() % chiplets);
    for (int64_t c = 0; c < chiplets; ++c)
      groupOf.push_back(random() % groups);
    for (int64_t t = 0; t < tokens; ++t) {
      std::vector<int32_t> all(experts);
      for (int64_t e = 0; e < experts; ++e)
        all[e] = e;
      std::shuffle(all.begin(), all.end(), random);
      for (int64_t slot = 0; slot < k; ++slot)
        ids.push_back(random() % 4 == 0 ? Trace::kPadding : all[slot]);
    }
    Trace trace = makeTrace(tokens, 1, k, experts, ids);
    double chipletSum = 0, groupSum = 0;
    for (int64_t t = 0; t < tokens; ++t) {
      std::set<int32_t> chipletSet, groupSet;
      for (int32_t id : trace.set(t, 0)) {
        if (id < 0)
          continue;
        chipletSet.insert(chipletOf[id]);
        groupSet.insert(groupOf[chipletOf[id]]);
      }
      chipletSum += chipletSet.size();
      groupSum += groupSet.size();
    }
    LayerStatistics stats = layerStatistics(trace, 0, chipletOf, groupOf);
    EXPECT_DOUBLE_EQ(stats.cT, chipletSum / tokens);
    EXPECT_DOUBLE_EQ(stats.gT, groupSum / tokens);
  }
}
