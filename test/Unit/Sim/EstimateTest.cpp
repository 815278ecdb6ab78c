//===- EstimateTest.cpp - About how long a program takes ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Estimate.h"

#include "Sim/RandomPrograms.h"
#include "Sim/RandomSchedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace mozart;
using namespace mozart::test;

namespace {

// The machine of EventEngineTest: 1000 bytes take 100 ns on a link, 10 ns from
// a memory; the matmul takes 20 ns.
struct EstimateByHand : testing::Test {
  MachineFacts facts = tree({2, 2});

  SimulationResult of(const Program &program) {
    MachineModel machine = *MachineModel::create(facts);
    absl::StatusOr<SimulationResult> r = estimate(program, machine, nullptr);
    EXPECT_TRUE(r.ok()) << r.status();
    return r.ok() ? *r : SimulationResult();
  }
};

TEST_F(EstimateByHand, LatenciesComeBeforeBytes) {
  facts.memories[1].latencyPs = 7;
  facts.links[0].latencyPs = 1000; // not on the way
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t load = b.load(1, 3, 1000);
  b.matmul(3, 16, 32, 8, {load});
  SimulationResult r = of(b.program);
  EXPECT_EQ(r.tasks[0].endPs, 100007);
  EXPECT_EQ(r.latencyPs, 120007);
}

TEST_F(EstimateByHand, TwoLoadsHalveTheirMemory) {
  facts.memories[1].readBytesPerSecond = 10000000000; // as a link
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 3, 1000);
  b.load(1, 4, 500);
  SimulationResult r = of(b.program);
  EXPECT_EQ(r.tasks[1].endPs, 100000); // 500 bytes at half rate
  EXPECT_EQ(r.tasks[0].endPs, 150000);
}

TEST_F(EstimateByHand, WhatOneCannotUseIsLeftToTheOther) {
  // The memory could serve 2 links; one chiplet's link is a quarter of a link.
  facts.memories[1].readBytesPerSecond = 10000000000;
  for (LinkFacts &link : facts.links)
    if (link.target == 4)
      link.wireBytesPerSecond = 250000000;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 3, 750);
  b.load(1, 4, 250);
  SimulationResult r = of(b.program);
  EXPECT_EQ(r.tasks[0].endPs, 100000); // at three quarters
  EXPECT_EQ(r.tasks[1].endPs, 100000); // at its link's quarter
}

TEST_F(EstimateByHand, QueuesAndStages) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.matmul(3, 16, 32, 8);
  b.matmul(3, 16, 32, 8);
  b.matmul(4, 16, 32, 8);
  EXPECT_EQ(of(b.program).latencyPs, 40000);
  b.program.tasks[0].stage = b.program.tasks[1].stage = 0;
  b.program.tasks[2].stage = 1;
  EXPECT_EQ(of(b.program).latencyPs, 60000);
}

TEST_F(EstimateByHand, NothingToDo) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  EXPECT_EQ(of(b.program).latencyPs, 0);
  b.load(1, 3, 0);
  EXPECT_EQ(of(b.program).latencyPs, 0);
}

TEST_F(EstimateByHand, FailsAsTheEngineDoes) {
  facts.nodes[3].sramBytes = 100;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 3, 1000);
  EXPECT_EQ(estimate(b.program, machine, nullptr).status(),
            simulate(b.program, machine, nullptr).status());
  EXPECT_FALSE(estimate(b.program, machine, nullptr).ok());
  b.program.tasks[0].route.clear();
  EXPECT_EQ(estimate(b.program, machine, nullptr).status(),
            simulate(b.program, machine, nullptr).status());

  // A routing is missing; a switch cannot copy.
  MachineFacts other = tree({2, 2});
  other.nodes[1].multicastBytesPerSecond = 0;
  MachineModel noCopies = *MachineModel::create(other);
  MoeShape shape;
  shape.placement = {{0}, {1}, {2}, {3}};
  shape.form = ExchangeForm::Tokens;
  shape.via = ExchangeVia::Switch;
  Program program = moeProgram(noCopies, shape);
  EXPECT_EQ(estimate(program, noCopies, nullptr).status(),
            simulate(program, noCopies, nullptr).status());
  TestRouting routing = randomRouting(program, 0);
  EXPECT_FALSE(estimate(program, noCopies, routing.bound.get()).ok());
  EXPECT_EQ(estimate(program, noCopies, routing.bound.get()).status(),
            simulate(program, noCopies, routing.bound.get()).status());
}

/// Relative errors of many estimates, ascending.
struct Errors {
  std::vector<double> all;

  void add(const SimulationResult &estimated, const SimulationResult &exact) {
    all.push_back(std::abs(static_cast<double>(estimated.latencyPs) /
                               static_cast<double>(exact.latencyPs) -
                           1));
  }
  double quantile(double q) {
    std::sort(all.begin(), all.end());
    return all[static_cast<size_t>(q * static_cast<double>(all.size() - 1))];
  }
};

/// What bytes cross is the same, and so is what is counted of memories.
void expectSameResources(const SimulationResult &a, const SimulationResult &b) {
  ASSERT_EQ(a.resources.size(), b.resources.size());
  for (size_t i = 0; i < a.resources.size(); ++i) {
    EXPECT_EQ(a.resources[i].name, b.resources[i].name);
    EXPECT_EQ(a.resources[i].bytes, b.resources[i].bytes);
    if (a.resources[i].kind < ResourceKind::Compute) {
      EXPECT_EQ(a.resources[i].busyPs, b.resources[i].busyPs);
    }
  }
  ASSERT_EQ(a.memories.size(), b.memories.size());
  for (size_t i = 0; i < a.memories.size(); ++i)
    EXPECT_EQ(a.memories[i].peakBytes, b.memories[i].peakBytes);
}

/// Tiny programs in which latencies weigh as much as bytes, over nodes that
/// store and forward: harder than what is compiled.
TEST(Estimate, RandomPrograms) {
  Errors errors;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomCase c(seed);
    absl::StatusOr<SimulationResult> exact =
        simulate(c.program, c.machine, c.routing.bound.get());
    absl::StatusOr<SimulationResult> estimated =
        estimate(c.program, c.machine, c.routing.bound.get());
    ASSERT_TRUE(exact.ok() && estimated.ok()) << estimated.status();
    errors.add(*estimated, *exact);
    expectSameResources(*estimated, *exact);
  }
  RecordProperty("median", std::to_string(errors.quantile(0.5)));
  RecordProperty("worst", std::to_string(errors.quantile(1)));
  EXPECT_LT(errors.quantile(0.5), 0.03);
  EXPECT_LT(errors.quantile(1), 0.10);
}

/// Kendall's tau over pairs whose exact times are more than 2 % apart.
double kendallTau(const std::vector<double> &exact,
                  const std::vector<double> &estimated, int64_t &pairs) {
  int64_t agree = 0;
  pairs = 0;
  for (size_t i = 0; i < exact.size(); ++i)
    for (size_t j = i + 1; j < exact.size(); ++j) {
      if (std::max(exact[i], exact[j]) <= 1.02 * std::min(exact[i], exact[j]))
        continue;
      ++pairs;
      agree += (exact[i] < exact[j]) == (estimated[i] < estimated[j]) ? 1 : -1;
    }
  return static_cast<double>(agree) / static_cast<double>(pairs);
}

TEST(Estimate, RanksSchedulesAndPlacements) {
  Errors errors;
  std::vector<double> exact, estimated;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomSchedule c(seed);
    absl::StatusOr<SimulationResult> slow =
        simulate(c.program, c.machine, c.routing.bound.get());
    absl::StatusOr<SimulationResult> fast =
        estimate(c.program, c.machine, c.routing.bound.get());
    ASSERT_TRUE(slow.ok() && fast.ok()) << slow.status() << fast.status();
    errors.add(*fast, *slow);
    exact.push_back(static_cast<double>(slow->latencyPs));
    estimated.push_back(static_cast<double>(fast->latencyPs));
  }
  int64_t pairs = 0;
  double tau = kendallTau(exact, estimated, pairs);
  RecordProperty("tau", std::to_string(tau));
  RecordProperty("median", std::to_string(errors.quantile(0.5)));
  RecordProperty("worst", std::to_string(errors.quantile(1)));
  EXPECT_GT(pairs, 15000); // of 19,900: they do differ
  EXPECT_GE(tau, 0.9);
  EXPECT_LT(errors.quantile(0.5), 0.03);
  EXPECT_LT(errors.quantile(1), 0.10);
}

TEST(Estimate, IsTheSameEveryTime) {
  RandomSchedule c(3);
  RoutingCounter counter(c.program, c.routing.bound.get());
  absl::StatusOr<SimulationResult> first =
      estimate(c.program, c.machine, counter);
  absl::StatusOr<SimulationResult> again =
      estimate(c.program, c.machine, counter);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(first->latencyPs, again->latencyPs);
  EXPECT_EQ(first->events, again->events);
  for (size_t i = 0; i < first->tasks.size(); ++i)
    EXPECT_EQ(first->tasks[i].endPs, again->tasks[i].endPs);
}

/// Steps of programs of n, 2n and 4n layers.
TEST(Estimate, TakesTimeInProportionToTheProgram) {
  for (ExchangeVia via : {ExchangeVia::Root, ExchangeVia::Switch}) {
    MachineFacts facts = tree({3, 4});
    for (NodeFacts &node : facts.nodes) {
      node.sramBytes = int64_t(1) << 40;
      if (!node.isChiplet())
        node.multicastBytesPerSecond = node.reduceBytesPerSecond = 20000000000;
    }
    MachineModel machine = *MachineModel::create(facts);
    MoeShape shape;
    shape.tokens = 64;
    shape.experts = 24;
    shape.microBatches = 2;
    shape.form = ExchangeForm::Tokens;
    shape.via = via;
    shape.placement.resize(machine.expertChiplets().size());
    for (int32_t e = 0; e < shape.experts; ++e)
      shape.placement[e % shape.placement.size()].push_back(e);
    std::vector<double> steps;
    for (int64_t n : {16, 32, 64}) {
      shape.layers = n;
      Program program = moeProgram(machine, shape);
      TestRouting routing = randomRouting(program, 1);
      absl::StatusOr<SimulationResult> r =
          estimate(program, machine, routing.bound.get());
      ASSERT_TRUE(r.ok()) << r.status();
      EXPECT_GT(r->events, static_cast<int64_t>(program.tasks.size()));
      steps.push_back(static_cast<double>(r->events));
    }
    // How much is under way at once differs a little between them.
    EXPECT_LT(steps[1], 2.4 * steps[0]);
    EXPECT_LT(steps[2], 4.4 * steps[0]);
  }
}

} // namespace
