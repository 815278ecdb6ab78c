//===- LowerBoundTest.cpp - What no program could beat --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/LowerBound.h"
#include "mozart/Cost/ExpertNodes.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <set>

using namespace mozart;
using namespace mozart::test;

namespace {

std::map<std::string, int64_t> bound(const Program &program,
                                     const MachineModel &machine,
                                     const TestRouting &routing) {
  RoutingCounter counter(program, routing.bound.get());
  absl::StatusOr<std::vector<ExpertMap>> nodes = expertNodes(program, machine);
  EXPECT_TRUE(nodes.ok()) << nodes.status();
  absl::StatusOr<LowerBound> bound =
      lowerBound(program, machine, *nodes, counter);
  EXPECT_TRUE(bound.ok()) << bound.status();
  std::map<std::string, int64_t> parts;
  for (const LowerBound::Part &part : bound->parts)
    parts[part.name] = part.ps;
  return parts;
}

// tree({2, 2}): links 10 GB/s, memories read 100 GB/s, write 50 GB/s; compute
// is bound by SRAM at 0.3125 / 64e9 s a multiply-add. One expert on each of
// chiplets 3 4 (below s1) and 5 6 (below s2), H = 8, F = 4, fp16; tokens go to
// {0, 1}, {0, 2}, {2, 3}, {0}.
struct LowerBoundByHand : testing::Test {
  MachineFacts facts = tree({2, 2});
  MoeShape shape;
  std::vector<int32_t> ids = {0, 1, 0, 2, 2, 3, 0, Trace::kPadding};
  LowerBoundByHand() { shape.placement = {{0}, {1}, {2}, {3}}; }

  std::map<std::string, int64_t> parts() {
    MachineModel machine = *MachineModel::create(facts);
    Program program = moeProgram(machine, shape);
    return bound(program, machine, bindIds(program, 1, ids));
  }
};

TEST_F(LowerBoundByHand, OneMicroBatch) {
  std::map<std::string, int64_t> p = parts();
  // dram1: two experts of 3 x 8 x 4 x 2 bytes, 384 in all: 3.84 ns. The root's
  // reads 64 of x and 64 of the router and writes 64: 1.28 + 1.28 ns.
  EXPECT_EQ(p["memory"], 3840);
  // s1 -> c3: 192 bytes of weights and 3 tokens of 16 bytes: 24 ns.
  EXPECT_EQ(p["leaf_links"], 24000);
  // root -> s1: tokens 0, 1, 3: 48 bytes.
  EXPECT_EQ(p["root_links"], 4800);
  EXPECT_EQ(p["inner_links"], 0);
  // The router: 4 x 8 x 4 = 128 multiply-adds, 0.625 ns.
  EXPECT_EQ(p["attention_compute"], 625);
  // c3: 3 pairs x 96 multiply-adds: 1406.25 ps, which a kernel rounds up.
  EXPECT_EQ(p["expert_compute"], 1407);
}

TEST_F(LowerBoundByHand, WeightsCountOnceForAllMicroBatches) {
  shape.microBatches = 3; // the trace of four tokens repeats
  std::map<std::string, int64_t> p = parts();
  EXPECT_EQ(p["memory"], 3 * (640 + 1280) + 640); // now the root's binds
  EXPECT_EQ(p["leaf_links"], 19200 + 3 * 4800);
  EXPECT_EQ(p["root_links"], 3 * 4800);
  EXPECT_EQ(p["expert_compute"], 4219); // 4218.75
}

TEST_F(LowerBoundByHand, MemoryAtTheRootLoadsTheRootLinks) {
  // Without memories at the switches, the root's serves all.
  facts.memories.resize(1);
  std::map<std::string, int64_t> p = parts();
  EXPECT_EQ(p["memory"], (768 + 128) * 10 + 1280);
  EXPECT_EQ(p["root_links"], (384 + 48) * 100);
}

TEST_F(LowerBoundByHand, MemoryOnTheChipletSparesItsLink) {
  for (int32_t c : {3, 4, 5, 6})
    facts.memories.push_back(dram("own" + std::to_string(c), c));
  std::map<std::string, int64_t> p = parts();
  EXPECT_EQ(p["leaf_links"], 4800);
  EXPECT_EQ(p["memory"], 2560);
}

TEST_F(LowerBoundByHand, DeepTreesHaveInnerLinks) {
  facts = tree({1, 2, 2}); // switches 1, 2 3 below it
  std::map<std::string, int64_t> p = parts();
  EXPECT_EQ(p["root_links"], 4 * 1600);
  // s1 -> s2: two experts and three tokens.
  EXPECT_EQ(p["inner_links"], (384 + 48) * 100);
}

TEST_F(LowerBoundByHand, SeveralAttentionChipletsShareTheWork) {
  facts.nodes[3].hostsAttention = true;
  EXPECT_EQ(parts()["attention_compute"], 312);
}

TEST_F(LowerBoundByHand, FirstOfTheLargestBinds) {
  LowerBound b;
  b.parts = {{"a", 3}, {"b", 7}, {"c", 7}};
  EXPECT_EQ(b.binding().name, "b");
}

/// How rows travel is the program's choice, so it must not matter.
TEST(LowerBound, IsTheSameForEveryForm) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    MachineModel machine = *MachineModel::create(
        tree(seed % 2 ? std::vector<int>{2, 2, 2} : std::vector<int>{3, 2}));
    MoeShape shape;
    shape.tokens = 10;
    shape.experts = 12;
    shape.k = 3;
    shape.layers = 2;
    shape.microBatches = 2;
    shape.placement.resize(machine.expertChiplets().size());
    for (int32_t e = 0; e < 12; ++e)
      shape.placement[(e * 7 + seed) % shape.placement.size()].push_back(e);
    std::map<std::string, int64_t> first;
    for (auto [form, via] :
         {std::pair(ExchangeForm::Pairs, ExchangeVia::Root),
          std::pair(ExchangeForm::Tokens, ExchangeVia::Root),
          std::pair(ExchangeForm::Tokens, ExchangeVia::Switch)}) {
      shape.form = form;
      shape.via = via;
      Program program = moeProgram(machine, shape);
      std::map<std::string, int64_t> parts =
          bound(program, machine, randomRouting(program, seed));
      if (first.empty())
        first = parts;
      EXPECT_EQ(parts, first);
    }
  }
}

TEST(LowerBound, TwoPlacesOfOneExpertAreNamed) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  shape.microBatches = 2;
  shape.placement = {{0}, {1}, {2}, {3}};
  Program program = moeProgram(machine, shape);
  for (auto it = program.tasks.rbegin(); it != program.tasks.rend(); ++it)
    if (it->kind == TaskKind::Dispatch) {
      std::swap(it->exchange.peers[0].experts, it->exchange.peers[1].experts);
      break;
    }
  absl::Status status = expertNodes(program, machine).status();
  EXPECT_NE(std::string(status.message())
                .find("sends expert 1 of MoE layer 0 to 'c3'"),
            std::string::npos)
      << status;
  for (Buffer &buffer : program.buffers)
    buffer.slice = -1;
  EXPECT_NE(std::string(expertNodes(program, machine).status().message())
                .find("names no slice"),
            std::string::npos);
}

TEST(LowerBound, ReplicasByHand) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  std::vector<int32_t> ids = {0, 1, 0, 2, 2, 3, 0, Trace::kPadding};
  // Expert 0 on both chiplets below s1: nothing is sure of their links but what
  // expert 1 needs; s1's memory reads it at least once.
  shape.placement = {{0}, {0, 1}, {2}, {3}};
  Program program = moeProgram(machine, shape);
  std::map<std::string, int64_t> p =
      bound(program, machine, bindIds(program, 1, ids));
  EXPECT_EQ(p["memory"], 3840);
  // s2 -> c5: 192 bytes of weights and tokens 1, 2.
  EXPECT_EQ(p["leaf_links"], 22400);
  EXPECT_EQ(p["root_links"], 4800); // root -> s1: tokens 0, 1, 3
  // c5: 2 pairs. Seven pairs on four chiplets are less.
  EXPECT_EQ(p["expert_compute"], 938);

  // On chiplets of both groups: nothing is sure of the memories either.
  shape.placement = {{0}, {1}, {0, 2}, {3}};
  program = moeProgram(machine, shape);
  p = bound(program, machine, bindIds(program, 1, ids));
  EXPECT_EQ(p["memory"], 3840);     // dram2: experts 2 and 3
  EXPECT_EQ(p["root_links"], 3200); // root -> s2: tokens 1, 2

  // Everywhere: the work can be spread.
  shape.placement = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  program = moeProgram(machine, shape);
  p = bound(program, machine, bindIds(program, 1, ids));
  EXPECT_EQ(p["memory"], 2560); // the root's
  EXPECT_EQ(p["leaf_links"], 0);
  EXPECT_EQ(p["root_links"], 0);
  EXPECT_EQ(p["expert_compute"], 820); // a quarter of 7 x 96 / 204.8e9 s
}

/// A program that leaves replicas unused is one for the same placement.
TEST(LowerBound, IsNoHigherThanWithoutReplicas) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    MachineModel machine = *MachineModel::create(
        tree(round % 2 ? std::vector<int>{2, 2, 2} : std::vector<int>{3, 2}));
    MoeShape shape;
    shape.tokens = 10;
    shape.experts = 8;
    shape.k = 1 + static_cast<int64_t>(random() % 4);
    shape.layers = 2;
    size_t chiplets = machine.expertChiplets().size();
    MoeShape without = shape;
    shape.placement.resize(chiplets);
    without.placement.resize(chiplets);
    for (int32_t e = 0; e < 8; ++e) {
      std::set<size_t> held = {random() % chiplets};
      while (random() % 2)
        held.insert(random() % chiplets);
      for (size_t chiplet : held)
        shape.placement[chiplet].push_back(e);
      auto used = std::next(held.begin(), random() % held.size());
      without.placement[*used].push_back(e);
    }
    Program replicated = moeProgram(machine, shape);
    Program plain = moeProgram(machine, without);
    std::map<std::string, int64_t> low =
        bound(replicated, machine, randomRouting(replicated, round));
    for (const auto &[part, ps] :
         bound(plain, machine, randomRouting(plain, round)))
      EXPECT_LE(low[part], ps) << part << " in round " << round;
  }
}

TEST(ProgramStatistics, CountsReplicasByPositionInTheMicroBatch) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  shape.tokens = 3;
  shape.microBatches = 2;
  shape.placement = {{0}, {1}, {2}, {3, 0}};
  Program program = moeProgram(machine, shape);
  // Positions 0 1 2, and again: chiplets {0, 1}, {3, 1}, {2, 3}; {0}, {3}, {0}.
  TestRouting routing = bindIds(program, 1,
                                {0, 1, 0, 1, 2, 3, 0, Trace::kPadding, 0,
                                 Trace::kPadding, 0, Trace::kPadding});
  RoutingCounter counter(program, routing.bound.get());
  std::vector<LayerStatistics> stats = programStatistics(
      program, machine, *expertNodes(program, machine), counter);
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_DOUBLE_EQ(stats[0].cT, 9 / 6.0);
  EXPECT_DOUBLE_EQ(stats[0].gT, 7 / 6.0);
  EXPECT_DOUBLE_EQ(stats[0].loadMaxOverMean, 3 / (9 / 4.0));
}

TEST(ProgramStatistics, CountsWhatTheProgramRoutes) {
  // Two micro-batches of four tokens against a trace of four: rows repeat.
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  shape.microBatches = 2;
  shape.placement = {{0}, {1}, {2}, {3}};
  Program program = moeProgram(machine, shape);
  TestRouting routing =
      bindIds(program, 1, {0, 1, 0, 2, 2, 3, 0, Trace::kPadding});
  RoutingCounter counter(program, routing.bound.get());
  std::vector<LayerStatistics> stats = programStatistics(
      program, machine, *expertNodes(program, machine), counter);
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_DOUBLE_EQ(stats[0].cT, 7 / 4.0);
  EXPECT_DOUBLE_EQ(stats[0].gT, 5 / 4.0);
  EXPECT_DOUBLE_EQ(stats[0].loadMaxOverMean, 3 / (7 / 4.0));
}

} // namespace
