//===- PacketNetworkTest.cpp - Packets worked out by hand -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links carry 10 GB/s, memories read 100 GB/s and write 50 GB/s, SRAM ports
// 64 GB/s; packets have 100 bytes, 10 ns on a link. Nothing has a latency
// unless a test says so.
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace mozart;
using namespace mozart::test;

namespace {

MachineFacts machineOf(const std::vector<int> &fanout) {
  MachineFacts facts = tree(fanout);
  facts.packetBytes = 100;
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 40;
    if (node.isChiplet())
      continue;
    node.multicastBytesPerSecond = node.reduceBytesPerSecond = 1000000000000;
  }
  return facts;
}

absl::StatusOr<SimulationResult> tryRun(const Program &program,
                                        const MachineFacts &facts,
                                        Network network,
                                        const BoundRouting *routing = nullptr) {
  absl::StatusOr<MachineModel> machine = MachineModel::create(facts);
  if (!machine.ok())
    return machine.status();
  SimulationOptions options;
  options.network = network;
  return simulate(program, *machine, routing, options);
}

SimulationResult run(const Program &program, const MachineFacts &facts,
                     Network network = Network::Packet,
                     const BoundRouting *routing = nullptr) {
  absl::StatusOr<SimulationResult> result =
      tryRun(program, facts, network, routing);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok())
    std::abort();
  return *std::move(result);
}

/// A load of `bytes` from the root's memory to node `to`.
Program oneLoad(const MachineFacts &facts, int32_t to, int64_t bytes) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, to, bytes);
  return b.program;
}

int64_t loadPs(const MachineFacts &facts, int32_t to, int64_t bytes,
               Network network = Network::Packet) {
  return run(oneLoad(facts, to, bytes), facts, network).latencyPs;
}

int64_t divideUp(__int128 a, int64_t b) {
  return static_cast<int64_t>((a + b - 1) / b);
}

//===--- Alone ---===//

TEST(PacketNetwork, AloneIsFlowAndAPacketForEachFurtherHop) {
  const std::vector<std::vector<int>> chains = {{1}, {1, 1}, {1, 1, 1, 1}};
  for (const std::vector<int> &fanout : chains)
    for (int64_t wires : {1, 7, 10, 13}) // most divide nothing
      for (int64_t bytes : {1, 99, 100, 101, 250, 1000, 12345}) {
        MachineFacts facts = machineOf(fanout);
        for (LinkFacts &link : facts.links) {
          link.wires = wires;
          link.wireBytesPerSecond = 999999937;
          link.latencyPs = 17;
          link.messageOverheadPs = 1003;
        }
        for (NodeFacts &node : facts.nodes)
          node.latencyPs = node.isChiplet() ? 0 : 311;
        facts.memories[0].latencyPs = 5009;
        const int32_t hops = static_cast<int32_t>(fanout.size());
        const int64_t packet = std::min<int64_t>(bytes, 100);
        const int64_t packetPs =
            divideUp(__int128(packet) * 1000000000000, wires * 999999937);
        EXPECT_EQ(loadPs(facts, hops, bytes),
                  loadPs(facts, hops, bytes, Network::Flow) +
                      (hops - 1) * packetPs)
            << hops << " hops, " << wires << " wires, " << bytes << " bytes";
      }
}

TEST(PacketNetwork, UnequalLinksAreAPipeline) {
  // n packets take (n - 1) times the longest and each once.
  const std::vector<std::vector<int64_t>> rates = {
      {10, 20, 5}, {5, 10, 20}, {20, 5, 10}, {50, 25, 2}, {2, 50, 25}};
  for (const std::vector<int64_t> &wires : rates)
    for (int64_t packets : {1, 2, 7, 100}) {
      MachineFacts facts = machineOf({1, 1, 1});
      int64_t sumPs = 0, longestPs = 0;
      for (size_t i = 0; i < wires.size(); ++i) {
        facts.links[2 * i].wires = wires[i]; // outwards
        const int64_t packetPs = 100 * 1000 / wires[i];
        sumPs += packetPs;
        longestPs = std::max(longestPs, packetPs);
      }
      EXPECT_EQ(loadPs(facts, 3, 100 * packets),
                sumPs + (packets - 1) * longestPs);
    }
}

TEST(PacketNetwork, MemoriesAndPortsAreNoHops) {
  // 100 GB/s against 64 GB/s within a chiplet; a memory slower than the link.
  MachineFacts facts = machineOf({1});
  EXPECT_EQ(loadPs(facts, 0, 1000), 15625);
  facts.memories[0].readBytesPerSecond = 3000000000;
  EXPECT_EQ(loadPs(facts, 1, 1000), 333334);
  EXPECT_EQ(loadPs(facts, 0, 1000), 333334);

  // A store over two links into a memory that is the slowest of all.
  facts = machineOf({1, 1});
  facts.memories[0].writeBytesPerSecond = 4000000000;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.store(0, 2, 1000);
  EXPECT_EQ(run(b.program, facts).latencyPs, 10000 + 250000);
}

TEST(PacketNetwork, StoredMessagesAreFlows) {
  // Each stage has one link: what flow says, exactly.
  MachineFacts facts = machineOf({1, 1, 1});
  for (int32_t s : {1, 2})
    facts.nodes[s].forwarding = Forwarding::StoreAndForward;
  facts.nodes[1].latencyPs = 400;
  for (LinkFacts &link : facts.links) {
    link.messageOverheadPs = 1003;
    link.wireBytesPerSecond = 999999937;
  }
  for (int64_t bytes : {1, 100, 12345})
    EXPECT_EQ(loadPs(facts, 3, bytes), loadPs(facts, 3, bytes, Network::Flow));

  // From and to a memory on the switch that stores.
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t load = b.load(1, 3, 777);
  b.store(1, 3, 1234, {load});
  EXPECT_EQ(run(b.program, facts).latencyPs,
            run(b.program, facts, Network::Flow).latencyPs);
}

//===--- Sharing ---===//

TEST(PacketNetwork, TwoLoadsTakeTurns) {
  // From the root's memory to c2 and c3, n packets each: 2n slots on root->s1,
  // the last but one for the first load; then one packet's time each.
  MachineFacts facts = machineOf({1, 2});
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 2, 700);
  b.load(0, 3, 700);
  SimulationResult result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 13 * 10000 + 10000);
  EXPECT_EQ(result.tasks[1].endPs, 14 * 10000 + 10000);
}

TEST(PacketNetwork, InputsTakeTurnsHoweverManyStreamsTheyHave) {
  // s2 -> root: three stores from c4 (links c4->s2) against one from c5.
  MachineFacts facts = machineOf({2, 2});
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  for (int i = 0; i < 3; ++i) {
    b.store(0, 5, 1000);
    b.program.tasks.back().engines = {{EngineKind::Channel, i}};
  }
  b.store(0, 6, 1000);
  SimulationResult result = run(b.program, facts);
  // From 10 ns on the inputs alternate: the lone store has its 10 packets
  // through after 20 slots; the write of the last takes 2 ns within the hop.
  EXPECT_EQ(result.tasks[3].endPs, 10000 + 20 * 10000);
  EXPECT_EQ(result.latencyPs, 10000 + 40 * 10000);
}

TEST(PacketNetwork, MemoriesTurnAfterSoManyBytes) {
  // 10 packets are read in 1 ns each and 10 written in 2 ns each; turning costs
  // 5 ns, after 500 bytes: read 5, write 5, read 5, write 5.
  MachineFacts facts = machineOf({1});
  facts.nodes[0].compute.tileSramBytesPerSecond = 1000000000000;
  facts.memories[0].turnaroundPs = 5000;
  facts.memories[0].turnaroundBytes = 500;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 0, 1000);
  b.store(0, 0, 1000);
  b.program.tasks[1].engines = {{EngineKind::Channel, 0}};
  SimulationResult result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 5000 + 5000 + 10000 + 5000 + 5000);
  EXPECT_EQ(result.latencyPs, 30000 + 5000 + 10000);
}

//===--- Buffers ---===//

TEST(PacketNetwork, BufferOfOnePacketKeepsUpWithoutLatency) {
  // One packet comes in while the one before goes out, and does not overtake
  // it.
  for (int64_t slow : {10, 5, 2}) {
    MachineFacts facts = machineOf({1, 1});
    facts.links[2].wires = slow; // s1 -> c2
    facts.nodes[1].bufferBytes = 1;
    facts.nodes[1].virtualChannels = 1;
    EXPECT_EQ(loadPs(facts, 2, 1000), 10000 + 10 * (100000 / slow));
  }
  // A fast link behind a slow one: each packet is alone.
  MachineFacts facts = machineOf({1, 1});
  facts.links[0].wires = 5;
  facts.nodes[1].bufferBytes = 1;
  facts.nodes[1].virtualChannels = 1;
  EXPECT_EQ(loadPs(facts, 2, 1000), 10 * 20000 + 10000);
}

TEST(PacketNetwork, RoomComesBackAfterTheWholeLoop) {
  // A packet holds its room from the start of the first link to the start of
  // the second: 10 + 20 + 10 ns. Three inputs share the buffer: links from the
  // root and from c2, and the memory.
  MachineFacts facts = machineOf({1, 1});
  facts.links[0].latencyPs = 20000;
  facts.nodes[1].latencyPs = 10000;
  facts.nodes[1].virtualChannels = 1;
  facts.nodes[1].bufferBytes = 3 * 199; // one packet at a time
  EXPECT_EQ(loadPs(facts, 2, 1000), 10 * 40000 + 10000);
  facts.nodes[1].bufferBytes = 3 * 200; // two: 0, 10, 40, 50, 80, ...
  EXPECT_EQ(loadPs(facts, 2, 1000), 4 * 40000 + 10000 + 40000 + 10000);
  facts.nodes[1].virtualChannels = 2;
  facts.nodes[1].bufferBytes = 1;
  EXPECT_EQ(loadPs(facts, 2, 1000), 4 * 40000 + 10000 + 40000 + 10000);
  facts.nodes[1].bufferBytes = 3 * 400; // four: the link never waits
  EXPECT_EQ(loadPs(facts, 2, 1000), 9 * 10000 + 40000 + 10000);
}

TEST(PacketNetwork, FullInputsStopOthersAndFullOutputsDoNot) {
  // Two packets each for c2 (A, 40 ns each) and c3 (B); room for one at s1.
  MachineFacts facts = machineOf({1, 2});
  facts.links[2].wires = 5;
  facts.links[2].wireBytesPerSecond = 500000000; // s1 -> c2: 40 ns
  facts.nodes[1].bufferBytes = 1;
  facts.nodes[1].virtualChannels = 1;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 2, 200);
  b.load(0, 3, 200);
  // A1 in 0-10, out 10-50; B1 in 10-20, out 20-30; B2 in 20-30, out 30-40; A2
  // in 40-50, out 50-90.
  SimulationResult result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 90000);
  EXPECT_EQ(result.tasks[1].endPs, 40000);
  // A1 in 0-10, out 10-50; B1 in 40-50, out 50-60; A2 in 50-60, out 60-100; B2
  // in 90-100, out 100-110.
  facts.nodes[1].queueing = Queueing::Input;
  result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 100000);
  EXPECT_EQ(result.tasks[1].endPs, 110000);
}

TEST(PacketNetwork, OnlyInputQueuesBlockOthersAtTheirHead) {
  // Four packets each, in turns, to c2 over a link of 2.5 GB/s and to c3.
  MachineFacts facts = machineOf({1, 2});
  facts.links[2].wires = 0;
  facts.links[2].wires = 5;
  facts.links[2].wireBytesPerSecond = 500000000; // s1 -> c2: 40 ns
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 2, 400);
  b.load(0, 3, 400);
  SimulationResult result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 10000 + 4 * 40000);
  EXPECT_EQ(result.tasks[1].endPs, 80000 + 10000);

  // One queue: each packet to c3 follows one to c2.
  facts.nodes[1].queueing = Queueing::Input;
  facts.nodes[1].virtualChannels = 1;
  result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 10000 + 4 * 40000 + 3 * 10000);
  EXPECT_EQ(result.tasks[1].endPs, 10000 + 4 * 50000);
}

TEST(PacketNetwork, WholeMessagesWaitForRoom) {
  // s1 stores messages of 1,000 bytes from its own memory, 10 ns each, for two
  // chiplets, 100 ns each, and has room for one. Room comes back packet by
  // packet, but a message needs all of it.
  MachineFacts facts = machineOf({1, 2});
  facts.nodes[1].forwarding = Forwarding::StoreAndForward;
  facts.nodes[1].bufferBytes = 1500;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 2, 1000);
  b.load(1, 3, 1000);
  SimulationResult result = run(b.program, facts);
  EXPECT_EQ(result.tasks[0].endPs, 110000);
  // 500 bytes more are free when five packets have left, at 60 ns, but for the
  // 1 ns in which the memory brings another.
  EXPECT_EQ(result.tasks[1].endPs, 59000 + 110000);

  facts.nodes[1].bufferBytes = 999;
  absl::StatusOr<SimulationResult> failed =
      tryRun(b.program, facts, Network::Packet);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(failed.status().message().find(
                "a message of 1000 bytes is to be stored by switch 's1', whose "
                "buffer_bytes is 999"),
            std::string::npos)
      << failed.status();
}

/// Five switches with input queues in a ring, a chiplet with a memory on each;
/// loads from each chiplet to the next but one, all the same way round: a
/// packet of each at its second switch, and nothing moves.
Program ring(MachineFacts &facts, uint64_t seed) {
  std::mt19937_64 random(seed);
  facts = MachineFacts();
  facts.name = "ring";
  facts.topology = Topology::Mesh;
  facts.packetBytes = 100;
  for (int i = 0; i < 5; ++i) {
    facts.nodes.push_back(chiplet(absl::StrCat("c", i), i == 0, true));
    facts.memories.push_back(dram(absl::StrCat("m", i), i));
  }
  for (int i = 0; i < 5; ++i) {
    NodeFacts node = networkSwitch(absl::StrCat("s", i));
    node.queueing = Queueing::Input;
    node.virtualChannels = 1;
    node.bufferBytes = 1; // one packet an input
    facts.nodes.push_back(node);
  }
  for (int i = 0; i < 5; ++i) {
    join(facts, i, 5 + i);
    join(facts, 5 + i, 5 + (i + 1) % 5);
  }
  for (LinkFacts &link : facts.links)
    link.wires = 1 + static_cast<int64_t>(random() % 20);
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  for (int i = 0; i < 5; ++i)
    b.load(i, (i + 2) % 5, 2000);
  return b.program;
}

TEST(PacketNetwork, StandstillNamesTheCycle) {
  int stuck = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    MachineFacts facts;
    Program program = ring(facts, seed);
    absl::StatusOr<SimulationResult> result =
        tryRun(program, facts, Network::Packet);
    if (result.ok())
      continue;
    ++stuck;
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
    const std::string message(result.status().message());
    EXPECT_NE(message.find("packets wait for each other in a cycle: what "),
              std::string::npos)
        << message;
    for (int i = 0; i < 5; ++i)
      EXPECT_NE(message.find(absl::StrCat("link 's", i, "->s", (i + 1) % 5,
                                          "' holds 100 bytes")),
                std::string::npos)
          << message;
  }
  EXPECT_GT(stuck, 0);
}

/// What a network that was stopped at `limitPs` says about its waits.
std::string explainAt(const Program &program, const MachineFacts &facts,
                      int64_t limitPs) {
  MachineModel machine = *MachineModel::create(facts);
  RoutingCounter counter(program, nullptr);
  ResourceTable resources(machine);
  SimulationOptions options;
  options.network = Network::Packet;
  PacketNetwork network({program, machine, counter, resources, options});
  std::vector<int32_t> ended;
  for (size_t i = 0; i < program.tasks.size(); ++i)
    EXPECT_TRUE(network.start(0, static_cast<int32_t>(i)).ok());
  EXPECT_TRUE(network.advance(limitPs, ended).ok());
  return network.explainStandstill();
}

TEST(PacketNetwork, WaitsAreNamed) {
  MachineFacts facts = machineOf({1, 2});
  facts.nodes[1].forwarding = Forwarding::StoreAndForward;
  facts.nodes[1].bufferBytes = 1500;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 2, 1000);
  b.load(1, 3, 1000);
  EXPECT_EQ(explainAt(b.program, facts, 20000),
            "packets wait that nothing can move: task 1 ('load.sram_1') waits "
            "to start for 1000 bytes at 's1', of which 600 are free");
}

TEST(PacketNetwork, CyclesOfWaitsComeBeforeOtherWaits) {
  std::vector<PartWait> waits = {{"a", 1}, {"b", 3}, {"c", -1}, {"d", 1}};
  EXPECT_EQ(describeWaits(waits),
            "packets wait for each other in a cycle: b; d");
  waits = {{"a", -1}, {"b", 2}, {"c", -1}};
  EXPECT_EQ(describeWaits(waits), "packets wait that nothing can move: b; c");
}

//===--- Exchanges ---===//

/// One dispatch and combine of rows of 8 x fp16 (a dispatched row has its
/// routing too: 4 bytes of id and 2 of weight for each of k slots).
struct PacketExchange : testing::Test {
  MoeShape shape;

  int64_t duration(const MachineFacts &facts, const std::vector<int32_t> &ids,
                   TaskKind kind, Network network = Network::Packet) {
    MachineModel machine = *MachineModel::create(facts);
    shape.form = ExchangeForm::Tokens;
    shape.via = ExchangeVia::Switch;
    shape.loadsFirst = true;
    shape.placement.clear();
    for (int32_t i = 0; i < shape.experts; ++i)
      shape.placement.push_back({i});
    Program program = moeProgram(machine, shape);
    TestRouting routing = bindIds(program, 1, ids);
    SimulationResult result = run(program, facts, network, routing.bound.get());
    for (size_t i = 0; i < program.tasks.size(); ++i)
      if (program.tasks[i].kind == kind)
        return result.tasks[i].endPs - result.tasks[i].startPs;
    std::abort();
  }
};

TEST_F(PacketExchange, CopiesAndSumsAloneAreFlowAndARowForEachFurtherHop) {
  const std::vector<std::vector<int>> trees = {{2}, {1, 3}, {2, 2}, {2, 2, 2}};
  for (const std::vector<int> &fanout : trees) {
    MachineFacts facts = machineOf(fanout);
    shape.experts = 1;
    for (int ways : fanout)
      shape.experts *= ways;
    shape.k = shape.experts;
    for (int64_t tokens : {1, 2, 50}) {
      shape.tokens = tokens;
      std::vector<int32_t> ids; // every token to everybody
      for (int64_t i = 0; i < tokens * shape.k; ++i)
        ids.push_back(static_cast<int32_t>(i % shape.k));
      const int64_t further = static_cast<int64_t>(fanout.size()) - 1;
      const int64_t rowPs = 100 * (16 + 6 * shape.k), sumPs = 100 * 16;
      EXPECT_EQ(duration(facts, ids, TaskKind::Dispatch),
                tokens * rowPs + further * rowPs);
      EXPECT_EQ(duration(facts, ids, TaskKind::Dispatch),
                duration(facts, ids, TaskKind::Dispatch, Network::Flow) +
                    further * rowPs);
      EXPECT_EQ(duration(facts, ids, TaskKind::Combine),
                tokens * sumPs + further * sumPs);
    }
  }
}

TEST_F(PacketExchange, PartsOfSwitchesBind) {
  MachineFacts facts = machineOf({1, 2});
  shape.experts = shape.k = 2;
  shape.tokens = 10;
  std::vector<int32_t> ids;
  for (int i = 0; i < 10; ++i)
    ids.insert(ids.end(), {0, 1});
  // Rows of 28 bytes, 2.8 ns on a link; two copies at 14 GB/s take 4 ns.
  facts.nodes[1].multicastBytesPerSecond = 14000000000;
  EXPECT_EQ(duration(facts, ids, TaskKind::Dispatch), 2800 + 10 * 4000);
  // Rows of 16 bytes, 1.6 ns; two are added in 3.2 ns at 10 GB/s.
  facts.nodes[1].reduceBytesPerSecond = 10000000000;
  EXPECT_EQ(duration(facts, ids, TaskKind::Combine), 10 * 3200 + 1600);
}

TEST_F(PacketExchange, SumsWaitForTheRightRows) {
  // tree({1, 2}): token 0 comes from c3 alone, token 1 from both, token 2 from
  // c2 alone. c2 sends 1, 2 and c3 sends 0, 1; a row takes 1.6 ns. Sums leave
  // in order: 0 at 1.6, 1 at 3.2 (c3's row is there), 2 at 4.8 ns.
  MachineFacts facts = machineOf({1, 2});
  shape.experts = shape.k = 2;
  shape.tokens = 3;
  const int32_t none = Trace::kPadding;
  EXPECT_EQ(duration(facts, {1, none, 0, 1, 0, none}, TaskKind::Combine),
            4 * 1600);
  // A slow link from c3 delays all: its rows take 16 ns.
  facts.links[5].wires = 1; // c3 -> s1
  EXPECT_EQ(duration(facts, {1, none, 0, 1, 0, none}, TaskKind::Combine),
            2 * 16000 + 2 * 1600);
}

TEST_F(PacketExchange, NoTokenCostsOnlyDelays) {
  MachineFacts facts = machineOf({2, 2});
  facts.links[8].latencyPs = 1000; // s2 -> c5
  facts.links[8].messageOverheadPs = 500;
  EXPECT_EQ(duration(facts, std::vector<int32_t>(8, Trace::kPadding),
                     TaskKind::Dispatch),
            1500);
}

TEST_F(PacketExchange, TinyBuffersDelayButNeverStop) {
  // Down to room for one row of each of the two links into s1.
  MachineFacts facts = machineOf({1, 2});
  shape.experts = shape.k = 2;
  facts.packetBytes = 16;
  shape.tokens = 40;
  std::vector<int32_t> ids;
  for (int i = 0; i < 40; ++i)
    ids.insert(ids.end(), {i % 3 == 0 ? Trace::kPadding : 0,
                           i % 5 == 0 ? Trace::kPadding : 1});
  int64_t before = 0;
  for (int64_t bytes : {1000, 64, 48, 32}) {
    facts.nodes[1].bufferBytes = bytes;
    const int64_t ps = duration(facts, ids, TaskKind::Combine);
    EXPECT_GE(ps, before);
    before = ps;
  }
}

} // namespace
