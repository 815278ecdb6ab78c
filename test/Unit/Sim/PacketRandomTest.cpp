//===- PacketRandomTest.cpp - Packets on random programs ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/ProgramBound.h"

#include "Sim/RandomPrograms.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::test;

static absl::StatusOr<SimulationResult> run(const Program &program,
                                            const MachineModel &machine,
                                            const TestRouting &routing,
                                            Network network) {
  SimulationOptions options;
  options.network = network;
  return simulate(program, machine, routing.bound.get(), options);
}

/// Random packet sizes, buffers down to a few packets, and queues.
static MachineModel withBuffers(const MachineModel &machine, uint64_t seed) {
  std::mt19937_64 random(seed);
  MachineFacts facts = machine.facts();
  facts.packetBytes = 1 + static_cast<int64_t>(random() % 300);
  for (NodeFacts &node : facts.nodes) {
    if (node.isChiplet())
      continue;
    // Room for the largest message where it is stored, for two rows elsewhere.
    const bool stores = node.forwarding == Forwarding::StoreAndForward;
    node.bufferBytes =
        (stores ? 40000 : 1000) + static_cast<int64_t>(random() % 5000);
    node.queueing = random() % 2 ? Queueing::Input : Queueing::Output;
    node.virtualChannels = 1 + static_cast<int64_t>(random() % 3);
  }
  for (MemoryFacts &memory : facts.memories)
    if (random() % 3 == 0) {
      memory.turnaroundPs = static_cast<int64_t>(random() % 1000);
      memory.turnaroundBytes = static_cast<int64_t>(random() % 2000);
    }
  return *MachineModel::create(facts);
}

TEST(PacketRandom, MovesTheBytesOfFlowsAndKeepsTheBound) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase random(seed);
    MachineModel machine = withBuffers(random.machine, seed);
    absl::StatusOr<SimulationResult> flow =
        run(random.program, machine, random.routing, Network::Flow);
    absl::StatusOr<SimulationResult> packet =
        run(random.program, machine, random.routing, Network::Packet);
    ASSERT_TRUE(flow.ok()) << flow.status();
    ASSERT_TRUE(packet.ok()) << packet.status();
    ASSERT_EQ(packet->resources.size(), flow->resources.size());
    for (size_t i = 0; i < flow->resources.size(); ++i)
      EXPECT_EQ(packet->resources[i].bytes, flow->resources[i].bytes)
          << flow->resources[i].name;
    absl::StatusOr<int64_t> bound =
        programBoundPs(random.program, machine, random.routing.bound.get());
    ASSERT_TRUE(bound.ok()) << bound.status();
    EXPECT_GE(packet->latencyPs, *bound);
  }
}

/// Sets of `k` of the experts: uniform, or the lower the likelier.
static TestRouting drawn(const Program &program, bool skewed) {
  std::mt19937_64 random(5);
  const uint64_t experts = static_cast<uint64_t>(program.experts);
  std::vector<int32_t> ids;
  for (int64_t token = 0; token < program.tokensPerMicroBatch; ++token) {
    std::vector<bool> taken(experts, false);
    for (int64_t slot = 0; slot < program.k;) {
      uint64_t expert = random() % experts;
      if (skewed)
        expert = std::min(expert, random() % experts);
      if (taken[expert])
        continue;
      taken[expert] = true;
      ids.push_back(static_cast<int32_t>(expert));
      ++slot;
    }
  }
  return bindIds(program, 1, std::move(ids));
}

// Trees of 16 and 64 leaves, with queues of either kind: dispatch and combine
// differ from flow by the row for the further link, and by less than 1 % in
// all.
TEST(PacketRandom, DispatchAndCombineAgreeWithFlow) {
  for (int fanout : {4, 8})
    for (bool skewed : {false, true})
      for (Queueing queueing : {Queueing::Output, Queueing::Input})
        for (ExchangeVia via : {ExchangeVia::Root, ExchangeVia::Switch}) {
          MachineFacts facts = tree({fanout, fanout});
          for (NodeFacts &node : facts.nodes) {
            node.sramBytes = int64_t(1) << 40;
            if (node.isChiplet())
              continue;
            node.queueing = queueing;
            node.bufferBytes = 1 << 20;
            node.multicastBytesPerSecond = node.reduceBytesPerSecond =
                (fanout + 1) * int64_t(10000000000);
          }
          for (NodeFacts &node : facts.nodes)
            node.compute.tileSramBytesPerSecond = 1000000000000;
          MachineModel machine = *MachineModel::create(facts);
          MoeShape shape;
          shape.tokens = 512;
          shape.hidden = 512;
          shape.experts = 2 * fanout * fanout;
          shape.k = 8;
          shape.form = ExchangeForm::Tokens;
          shape.via = via;
          shape.loadsFirst = true;
          for (int32_t i = 0; i < fanout * fanout; ++i)
            shape.placement.push_back({2 * i, 2 * i + 1});
          Program program = moeProgram(machine, shape);
          TestRouting routing = drawn(program, skewed);
          absl::StatusOr<SimulationResult> flow =
              run(program, machine, routing, Network::Flow);
          absl::StatusOr<SimulationResult> packet =
              run(program, machine, routing, Network::Packet);
          ASSERT_TRUE(flow.ok()) << flow.status();
          ASSERT_TRUE(packet.ok()) << packet.status();
          for (size_t i = 0; i < program.tasks.size(); ++i) {
            const Task &task = program.tasks[i];
            if (task.kind != TaskKind::Dispatch &&
                task.kind != TaskKind::Combine)
              continue;
            const double flowPs = static_cast<double>(flow->tasks[i].endPs -
                                                      flow->tasks[i].startPs);
            const double packetPs = static_cast<double>(
                packet->tasks[i].endPs - packet->tasks[i].startPs);
            EXPECT_GE(packetPs, flowPs);
            EXPECT_LE(packetPs, 1.01 * flowPs)
                << task.name << " " << fanout << " " << skewed << " "
                << static_cast<int>(queueing) << " " << static_cast<int>(via);
          }
        }
}
