//===- EventEngineRandomTest.cpp - What holds of every program ------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/Traffic.h"
#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

using namespace mozart;
using namespace mozart::test;

namespace {

TEST(EventEngineRandom, OrderIsRespected) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomCase c(seed);
    absl::StatusOr<SimulationResult> r =
        simulate(c.program, c.machine, c.routing.bound.get());
    ASSERT_TRUE(r.ok()) << r.status() << " seed " << seed;
    std::map<Engine, int64_t> freeAt;
    std::map<int64_t, int64_t> stageEnd;
    int64_t last = 0;
    for (size_t i = 0; i < c.program.tasks.size(); ++i)
      if (int64_t stage = c.program.tasks[i].stage; stage >= 0)
        stageEnd[stage] = std::max(stageEnd[stage], r->tasks[i].endPs);
    for (size_t i = 0; i < c.program.tasks.size(); ++i) {
      const Task &task = c.program.tasks[i];
      const TaskTime &time = r->tasks[i];
      EXPECT_LE(time.startPs, time.endPs);
      // A task starts as soon as it may, and not before.
      int64_t earliest = 0;
      for (int32_t wait : task.waits)
        earliest = std::max(earliest, r->tasks[wait].endPs);
      for (const Engine &engine : task.engines) {
        earliest = std::max(earliest, freeAt[engine]);
        freeAt[engine] = time.endPs;
      }
      if (task.stage >= 0)
        for (auto [stage, endPs] : stageEnd)
          if (stage < task.stage)
            earliest = std::max(earliest, endPs);
      EXPECT_EQ(time.startPs, earliest) << "task " << i << " seed " << seed;
      last = std::max(last, time.endPs);
    }
    EXPECT_EQ(r->latencyPs, last);
  }
}

TEST(EventEngineRandom, ResourcesCarryWhatIsMoved) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomCase c(seed);
    SimulationOptions options;
    options.recordLoads = true;
    absl::StatusOr<SimulationResult> r =
        simulate(c.program, c.machine, c.routing.bound.get(), options);
    ASSERT_TRUE(r.ok()) << r.status();
    std::map<std::pair<ResourceKind, int32_t>, int64_t> moved;
    RoutingCounter counter(c.program, c.routing.bound.get());
    for (size_t i = 0; i < c.program.tasks.size(); ++i) {
      const Task &task = c.program.tasks[i];
      if (task.kind == TaskKind::Load || task.kind == TaskKind::Store) {
        const Buffer &from = c.program.buffers[task.reads[0]];
        const Buffer &to = c.program.buffers[task.writes[0]];
        for (int32_t link : task.route)
          moved[{ResourceKind::Link, link}] += from.type.bytes();
        const Buffer &dram = task.kind == TaskKind::Load ? from : to;
        moved[{ResourceKind::Dram, dram.place.index}] += from.type.bytes();
        moved[{ResourceKind::Sram, task.node}] += from.type.bytes();
      } else if (task.kind != TaskKind::Compute) {
        absl::StatusOr<ExchangeTraffic> t = exchangeTraffic(
            c.program, static_cast<int32_t>(i), c.machine, counter);
        ASSERT_TRUE(t.ok()) << t.status();
        for (const LinkTraffic &link : t->links)
          moved[{ResourceKind::Link, link.link}] += link.bytes;
        moved[{ResourceKind::Sram, task.node}] += t->rootBytes;
        for (size_t p = 0; p < t->peers.size(); ++p)
          moved[{ResourceKind::Sram, task.exchange.peers[p].node}] +=
              t->peers[p].bytes;
      }
    }
    for (const ResourceUse &use : r->resources) {
      if (use.kind > ResourceKind::Sram)
        continue;
      EXPECT_EQ(use.bytes, (moved[{use.kind, use.index}])) << use.name;
      EXPECT_LE(use.busyPs, r->latencyPs) << use.name;
    }
    // The samples of load, summed over time, are the bytes.
    std::map<int32_t, LoadSample> at;
    std::map<int32_t, double> bytes;
    for (const LoadSample &sample : r->loads) {
      LoadSample &before = at[sample.resource];
      bytes[sample.resource] +=
          static_cast<double>(before.bytesPerSecond) *
          static_cast<double>(sample.timePs - before.timePs) * 1e-12;
      before = sample;
    }
    for (auto [resource, sample] : at) {
      EXPECT_EQ(sample.bytesPerSecond, 0);
      const ResourceUse &use = r->resources[resource];
      if (use.kind == ResourceKind::Link || use.kind == ResourceKind::Sram) {
        EXPECT_NEAR(bytes[resource], static_cast<double>(use.bytes),
                    1.0 + static_cast<double>(use.bytes) * 1e-3)
            << use.name;
      }
    }
  }
}

TEST(EventEngineRandom, TheSameTwice) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomCase a(seed), b(seed);
    absl::StatusOr<SimulationResult> x =
        simulate(a.program, a.machine, a.routing.bound.get());
    absl::StatusOr<SimulationResult> y =
        simulate(b.program, b.machine, b.routing.bound.get());
    ASSERT_TRUE(x.ok() && y.ok());
    EXPECT_EQ(x->events, y->events);
    for (size_t i = 0; i < x->tasks.size(); ++i) {
      EXPECT_EQ(x->tasks[i].startPs, y->tasks[i].startPs);
      EXPECT_EQ(x->tasks[i].endPs, y->tasks[i].endPs);
    }
  }
}

/// A forward pass of the size of Qwen3-30B-A3B: 48 layers, 4 micro-batches of
/// 2048 tokens, 128 experts of 16 chiplets. Prints its time; tests run on busy
/// machines, so only a much larger one fails.
TEST(EventEngineRandom, LargeForwardPass) {
  MachineFacts facts = tree({4, 4});
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 50;
    node.multicastBytesPerSecond = node.reduceBytesPerSecond =
        node.isChiplet() ? 0 : 100000000000;
  }
  for (MemoryFacts &memory : facts.memories)
    memory.bytes = int64_t(1) << 50;
  MachineModel machine = *MachineModel::create(facts);
  MoeShape shape;
  shape.tokens = 2048;
  shape.hidden = 2048;
  shape.inner = 768;
  shape.experts = 128;
  shape.k = 8;
  shape.layers = 48;
  shape.microBatches = 4;
  shape.placement.resize(16);
  for (int32_t e = 0; e < 128; ++e)
    shape.placement[e / 8].push_back(e);
  Program program = moeProgram(machine, shape);
  TestRouting routing = randomRouting(program, 1);
  auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<SimulationResult> r =
      simulate(program, machine, routing.bound.get());
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  ASSERT_TRUE(r.ok()) << r.status();
  std::printf("%zu tasks, %lld events, %.3f s\n", program.tasks.size(),
              static_cast<long long>(r->events), seconds);
  EXPECT_LT(seconds, 20.0);
}

TEST(EventEngineRandom, ThreeHundredThousandTasks) {
  MachineFacts facts = tree({4, 4});
  for (NodeFacts &node : facts.nodes)
    node.sramBytes = int64_t(1) << 50;
  for (MemoryFacts &memory : facts.memories)
    memory.bytes = int64_t(1) << 50;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t group = 0;
  for (int i = 0; i < 300000; ++i) {
    int32_t chiplet = machine.expertChiplets()[i % 16];
    int32_t memory = machine.memoryServing(chiplet);
    if (i % 3 == 0)
      group = b.matmul(chiplet, 1 + i % 7, 8, 8);
    else
      b.load(memory, chiplet, 1000 + i % 11,
             i % 5 == 0 ? std::vector<int32_t>{group} : std::vector<int32_t>());
  }
  absl::StatusOr<SimulationResult> r = simulate(b.program, machine, nullptr);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->tasks.size(), 300000u);
}

} // namespace
