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
