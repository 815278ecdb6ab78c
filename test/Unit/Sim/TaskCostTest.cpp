//===- TaskCostTest.cpp - What one task asks of the machine ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/TaskCost.h"

#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

#include <map>

using namespace mozart;
using namespace mozart::test;

namespace {

/// Bytes and picoseconds by the name of the resource.
using Costs = std::map<std::string, std::pair<int64_t, int64_t>>;

Costs named(const TaskCoster &coster, const TaskCost &cost) {
  Costs costs;
  for (const ResourceCost &use : cost.resources)
    costs[coster.resources()[use.resource].name] = {use.bytes, use.ps};
  return costs;
}

// Links 10 GB/s, SRAM ports 64 GB/s, memories read 100 and write 50 GB/s.
struct TaskCostTest : testing::Test {
  MachineFacts facts = tree({2, 2});
};

TEST_F(TaskCostTest, Moves) {
  facts.memories[1].latencyPs = 7;
  facts.links[0].latencyPs = 11; // not on the way
  for (LinkFacts &link : facts.links)
    link.messageOverheadPs = 3;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t load = b.load(1, 3, 6400);
  int32_t store = b.store(1, 3, 6400);
  RoutingCounter counter(b.program, nullptr);
  TaskCoster coster(b.program, machine, counter);
  const TaskCost &in = **coster.cost(load);
  EXPECT_EQ(in.delayPs, 10);
  EXPECT_EQ(in.flowPs, 640000);
  EXPECT_EQ(in.alonePs(), 640010);
  EXPECT_EQ(in.leastPs, 640010);
  EXPECT_EQ(named(coster, in), (Costs{{"dram1", {6400, 64000}},
                                      {"s1->c3", {6400, 640000}},
                                      {"c3.sram", {6400, 100000}}}));
  EXPECT_EQ(named(coster, **coster.cost(store)),
            (Costs{{"dram1", {6400, 128000}},
                   {"c3->s1", {6400, 640000}},
                   {"c3.sram", {6400, 100000}}}));
}

TEST_F(TaskCostTest, Kernels) {
  facts.nodes[3].compute.kernelStartPs = 5;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t matmul = b.matmul(3, 16, 32, 8);
  RoutingCounter counter(b.program, nullptr);
  TaskCoster coster(b.program, machine, counter);
  const TaskCost &cost = **coster.cost(matmul);
  EXPECT_EQ(cost.delayPs, 5);
  EXPECT_EQ(cost.flowPs, 20000);
  EXPECT_EQ(static_cast<int64_t>(cost.flops), 2 * 16 * 32 * 8);
  EXPECT_EQ(named(coster, cost), (Costs{{"c3.compute", {0, 20005}}}));
}

// Tokens 0 and 1 go to {0, 1}, {0, 2}; expert e is on chiplet 3 + e. Rows are
// of 16 bytes and, in form tokens, 2 slots of 6.
TEST_F(TaskCostTest, ExchangesByForm) {
  for (NodeFacts &node : facts.nodes)
    node.multicastBytesPerSecond = node.isChiplet() ? 0 : 28000000000;
  MachineModel machine = *MachineModel::create(facts);
  MoeShape shape;
  shape.tokens = 2;
  shape.placement = {{0}, {1}, {2}, {3}};
  auto dispatch = [&](ExchangeForm form, ExchangeVia via) {
    shape.form = form;
    shape.via = via;
    Program program = moeProgram(machine, shape);
    TestRouting routing = bindIds(program, 1, {0, 1, 0, 2});
    RoutingCounter counter(program, routing.bound.get());
    TaskCoster coster(program, machine, counter);
    for (size_t i = 0; i < program.tasks.size(); ++i)
      if (program.tasks[i].kind == TaskKind::Dispatch)
        return named(coster, **coster.cost(static_cast<int32_t>(i)));
    return Costs();
  };
  // A row a pair, and 8 bytes of counts for each of the four peers.
  Costs pairs = dispatch(ExchangeForm::Pairs, ExchangeVia::Root);
  EXPECT_EQ(pairs["root.sram"].first, 4 * 16 + 4 * 8);
  EXPECT_EQ(pairs["root->s1"].first, 3 * 16 + 2 * 8);
  EXPECT_EQ(pairs["s1->c3"].first, 2 * 16 + 8);
  // A row a chiplet.
  Costs tokens = dispatch(ExchangeForm::Tokens, ExchangeVia::Root);
  EXPECT_EQ(tokens["root->s1"].first, 3 * 28);
  EXPECT_EQ(tokens["root->s1"].second, 3 * 2800);
  EXPECT_EQ(tokens["root->s2"].first, 28);
  // A row a group; token 0 is copied.
  Costs copied = dispatch(ExchangeForm::Tokens, ExchangeVia::Switch);
  EXPECT_EQ(copied["root->s1"].first, 2 * 28);
  EXPECT_EQ(copied["s1->c3"].first, 2 * 28);
  EXPECT_EQ(copied["s1.multicast"], std::pair(int64_t(56), int64_t(2000)));
}

/// No task is faster in a program than by itself, and bytes add up.
TEST(TaskCost, AgreesWithTheEngine) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomCase c(seed);
    absl::StatusOr<SimulationResult> r =
        simulate(c.program, c.machine, c.routing.bound.get());
    ASSERT_TRUE(r.ok()) << r.status();
    RoutingCounter counter(c.program, c.routing.bound.get());
    TaskCoster coster(c.program, c.machine, counter);
    std::vector<int64_t> bytes(coster.resources().size(), 0);
    for (size_t i = 0; i < c.program.tasks.size(); ++i) {
      absl::StatusOr<const TaskCost *> cost =
          coster.cost(static_cast<int32_t>(i));
      ASSERT_TRUE(cost.ok()) << cost.status();
      EXPECT_LE((*cost)->leastPs, r->tasks[i].endPs - r->tasks[i].startPs);
      for (const ResourceCost &use : (*cost)->resources)
        bytes[use.resource] += use.bytes;
    }
    for (size_t i = 0; i < bytes.size(); ++i)
      if (coster.resources()[i].kind != ResourceKind::Compute) {
        EXPECT_EQ(coster.resources()[i].name, r->resources[i].name);
        EXPECT_EQ(bytes[i], r->resources[i].bytes);
      }
  }
}

} // namespace
