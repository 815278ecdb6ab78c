//===- PlaceLayersTest.cpp - Placing every layer of a model ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlaceLayers.h"

#include "../Routing/Testing.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

static Placement fourOnTwo() {
  Placement placement;
  placement.numChiplets = 2;
  placement.chipletsOf = {{0}, {0}, {1}, {1}};
  return placement;
}

TEST(PlaceLayers, UniformGroupsAreInOrder) {
  EXPECT_THAT(*uniformGroups(6, 3), ElementsAre(0, 0, 1, 1, 2, 2));
  expectInvalid(uniformGroups(6, 4), {"6 chiplets in 4"});
  expectInvalid(uniformGroups(6, 0), {"in 0 switch groups"});
  expectInvalid(uniformGroups(0, 1), {"0 chiplets"});
  expectInvalid(uniformGroups(int64_t(1) << 40, 1), {"chiplets"});
}

TEST(PlaceLayers, PlacesEachLayerByItsProfile) {
  Trace profile = makeTrace(2, 2, 2, 4, {0, 1, 0, 2, 2, 3, 1, 3});
  PlacementProblem problem;
  problem.numExperts = 4;
  problem.groupOf = {0, 0};
  problem.profile = &profile;
  const PlacementAlgorithm &algorithm =
      **PlacementAlgorithm::find("algorithm1");
  absl::StatusOr<std::vector<Placement>> placed =
      placeLayers(algorithm, problem, 2);
  ASSERT_TRUE(placed.ok()) << placed.status();
  ASSERT_EQ(placed->size(), 2u);
  EXPECT_THAT((*placed)[0].expertsOf()[0], ElementsAre(0, 1));
  EXPECT_THAT((*placed)[1].expertsOf()[0], ElementsAre(0, 2));
  expectInvalid(placeLayers(algorithm, problem, 3), {"cannot place layer 2"});
}

TEST(PlaceLayers, StatisticsOfEveryLayer) {
  // Layer 0 stays on one chiplet, layer 1 touches both.
  Trace trace = makeTrace(1, 2, 2, 4, {0, 1, 0, 2});
  std::vector<Placement> one = {fourOnTwo()}, two = {fourOnTwo(), fourOnTwo()};
  two[1].chipletsOf = {{0}, {1}, {0}, {1}};
  auto shared = placementStatistics(trace, one, {0, 0});
  ASSERT_TRUE(shared.ok()) << shared.status();
  ASSERT_EQ(shared->size(), 2u);
  EXPECT_EQ((*shared)[0].cT, 1);
  EXPECT_EQ((*shared)[1].cT, 2);
  EXPECT_EQ((*shared)[1].gT, 1);
  auto own = placementStatistics(trace, two, {0, 1});
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ((*own)[1].cT, 1);
  Trace single = makeTrace(1, 1, 2, 4, {0, 1});
  auto ofSingle = placementStatistics(single, two, {0, 1});
  ASSERT_TRUE(ofSingle.ok()) << ofSingle.status();
  EXPECT_EQ((*ofSingle)[0].cT, 1);
  EXPECT_EQ((*ofSingle)[1].cT, 2);
}

TEST(PlaceLayers, MeansAreOverLayers) {
  LayerStatistics a, b;
  a.cT = 1, a.gT = 2, a.loadMaxOverMean = 3, a.receiveMaxOverMean = 4;
  b.cT = 2, b.gT = 4, b.loadMaxOverMean = 6, b.receiveMaxOverMean = 8;
  LayerStatistics mean = meanStatistics({a, b});
  EXPECT_DOUBLE_EQ(mean.cT, 1.5);
  EXPECT_DOUBLE_EQ(mean.gT, 3);
  EXPECT_DOUBLE_EQ(mean.loadMaxOverMean, 4.5);
  EXPECT_DOUBLE_EQ(mean.receiveMaxOverMean, 6);
  EXPECT_EQ(meanStatistics({}).cT, 0);
}

TEST(PlaceLayers, StatisticsRejectWhatDoesNotFit) {
  Trace trace = makeTrace(1, 2, 2, 4, {0, 1, 0, 2});
  std::vector<Placement> three(3, fourOnTwo());
  expectInvalid(placementStatistics(trace, three, {0, 0}),
                {"2 layers for 3 placements"});
  expectInvalid(placementStatistics(trace, {}, {0, 0}), {"0 placements"});
  expectInvalid(placementStatistics(trace, {fourOnTwo()}, {0, 0, 0}),
                {"on 2 chiplets, expected 4 on 3"});
  expectInvalid(
      placementStatistics(makeTrace(1, 1, 1, 5, {0}), {fourOnTwo()}, {0, 0}),
      {"4 experts"});
}

TEST(PlaceLayers, StatisticsCountReplicasByRow) {
  // Expert 2 on both chiplets, 0 on the first, 3 on the second.
  std::vector<Placement> replica = {fourOnTwo()};
  replica[0].chipletsOf = {{0}, {0}, {0, 1}, {1}};
  Trace trace = makeTrace(4, 1, 2, 4, {0, 2, 2, 3, 2, -1, 2, -1});
  auto statistics = placementStatistics(trace, replica, {0, 1});
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  // Pairs 2 on chiplet 0; 2 on 1; one on 0, the other, whose row is odd, on 1.
  EXPECT_DOUBLE_EQ((*statistics)[0].cT, 1);
  EXPECT_DOUBLE_EQ((*statistics)[0].loadMaxOverMean, 1);
  // In micro-batches of three the last is at row 0.
  statistics = placementStatistics(trace, replica, {0, 1}, 3);
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_DOUBLE_EQ((*statistics)[0].loadMaxOverMean, 4 / 3.0);
}
