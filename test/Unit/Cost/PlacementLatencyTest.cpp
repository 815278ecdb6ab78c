//===- PlacementLatencyTest.cpp - The time of a layer under a placement ---===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/PlacementLatency.h"
#include "mozart/Cost/KernelCost.h"
#include "mozart/Placement/SearchLayer.h"
#include "mozart/Routing/Statistics.h"
#include "mozart/Routing/SyntheticRouter.h"

#include "Machine/TestMachines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;
using ::testing::ElementsAre;

/// With switches that multiply and add, or without.
static MachineModel machineOf(MachineFacts facts, bool aggregates) {
  for (NodeFacts &node : facts.nodes)
    if (!node.isChiplet() && aggregates)
      node.multicastBytesPerSecond = node.reduceBytesPerSecond = 1'000'000'000;
  absl::StatusOr<MachineModel> model = MachineModel::create(facts);
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

TEST(PositionsOf, FollowPathsFromTheRoot) {
  MachinePositions two = positionsOf(machineOf(tree({2, 2}), true));
  EXPECT_THAT(two.groupOf, ElementsAre(0, 0, 1, 1));
  EXPECT_TRUE(two.levels.empty());
  EXPECT_THAT(two.hopsOf, ElementsAre(2, 2, 2, 2));
  MachinePositions three = positionsOf(machineOf(tree({2, 2, 2}), true));
  EXPECT_THAT(three.groupOf, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  ASSERT_EQ(three.levels.size(), 1u);
  EXPECT_THAT(three.levels[0].partOf, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  // Nodes 1 and 2 are right of the root, 3 below it, and 4 beyond 1.
  MachinePositions grid = positionsOf(machineOf(mesh(3, 2), false));
  EXPECT_THAT(grid.hopsOf, ElementsAre(1, 2, 1, 2, 3));
}

TEST(LayerLatency, IsTheClosedForm) {
  PlacementCounts counts;
  counts.load = {12, 22, 33, 44};
  counts.received = {10, 20, 30, 40};
  counts.experts = {2, 2, 2, 2};
  counts.bytes = {0, 0, 0, 0};
  counts.crossing = {{25, 60}};
  LayerShape shape;
  shape.tokens = 100;
  shape.rowBytes = 1000; // 100 ns at 10 GB/s
  MachineModel aggregating = machineOf(tree({2, 2}), true);
  MachineModel plain = machineOf(tree({2, 2}), false);
  // 60 rows to the second switch and back, or 30 + 40.
  EXPECT_EQ((*layerLatency(aggregating, shape, 100))(counts), 12'000'000);
  EXPECT_EQ((*layerLatency(plain, shape, 100))(counts), 14'000'000);
  // The profile is a quarter of a step.
  EXPECT_EQ((*layerLatency(plain, shape, 25))(counts), 56'000'000);
  // 44 pairs of the busiest chiplet.
  int64_t rate = rooflineFlopsPerSecond(plain.node(3), 2);
  shape.flopsPerPair = rate / 1'000'000;
  EXPECT_NEAR(static_cast<double>((*layerLatency(plain, shape, 100))(counts)),
              14'000'000 + 44e6, 44);
  // Four experts from one memory at 100 GB/s take longer than all of that.
  shape.expertBytes = 10'000'000;
  EXPECT_EQ((*layerLatency(plain, shape, 100))(counts), 400'000'000);
  counts.bytes = {1, 1, 30'000'000, 20'000'000};
  EXPECT_EQ((*layerLatency(plain, shape, 100))(counts), 500'000'000);
}

TEST(LayerLatency, RejectsWhatHasNoTime) {
  MachineModel machine = machineOf(tree({2, 2}), true);
  LayerShape shape;
  EXPECT_FALSE(layerLatency(machine, shape, 1).ok());
  shape.tokens = 1;
  EXPECT_TRUE(layerLatency(machine, shape, 1).ok());
  EXPECT_FALSE(layerLatency(machine, shape, 0).ok());
  shape.rowBytes = INT64_MAX / 2;
  EXPECT_FALSE(layerLatency(machine, shape, 1).ok());
  shape.rowBytes = -1;
  EXPECT_FALSE(layerLatency(machine, shape, 1).ok());
}

// Placed for time, a layer takes no longer than placed for C_T.
TEST(LayerLatency, IsWhatASearchMinimises) {
  SyntheticRouter router;
  router.experts = 32;
  router.k = 4;
  router.layers = 1;
  router.dimension = 8;
  router.biasSpreadPermille = 400;
  Trace trace = *drawTrace(router, Draw::Profile, 1000);
  MachineModel machine = machineOf(tree({2, 2, 2}), true);
  LayerShape shape;
  shape.tokens = 1000;
  shape.rowBytes = 4096;
  shape.flopsPerPair = 200'000;
  PlacementProblem problem;
  problem.numExperts = 32;
  MachinePositions positions = positionsOf(machine);
  problem.groupOf = positions.groupOf;
  problem.levels = positions.levels;
  problem.hopsOf = positions.hopsOf;
  problem.profile = &trace;
  problem.kicks = 10;
  PlacementCost cost = *layerLatency(machine, shape, trace.numTokens());
  auto timeOf = [&](const Placement &placement) {
    PlacementProblem asked = problem;
    asked.cost = cost;
    std::vector<int32_t> chipletOf;
    for (const std::vector<int32_t> &one : placement.chipletsOf)
      chipletOf.push_back(one[0]);
    SwapObjective objective = objectiveOf(asked, expertLoad(trace, 0));
    return SwapSearch(Hypergraph(trace, 0), objective, chipletOf).cost().first;
  };
  absl::StatusOr<LayerSearchResult> forCT = searchLayer(problem);
  problem.cost = cost;
  absl::StatusOr<LayerSearchResult> forTime = searchLayer(problem);
  ASSERT_TRUE(forCT.ok() && forTime.ok()) << forTime.status();
  EXPECT_EQ(timeOf(forTime->placement), forTime->value.first);
  EXPECT_LT(forTime->value.first, timeOf(forCT->placement));
}
