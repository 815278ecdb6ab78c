//===- PacketPlanTest.cpp - Tasks that move bytes, as packets -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketPlan.h"
#include "Transfers.h"

#include "Sim/RandomPrograms.h"

#include "gtest/gtest.h"

#include <map>

using namespace mozart;
using namespace mozart::test;

/// Bytes over each link, with every packet followed over all of its hops.
static std::map<int32_t, int64_t>
linkBytes(const std::vector<PacketStream> &streams) {
  std::map<int32_t, int64_t> bytes;
  for (const PacketStream &stream : streams) {
    for (const StreamHop &hop : stream.hops)
      bytes[hop.link];
    for (int64_t packet = 0; packet < stream.numPackets; ++packet) {
      if (stream.packetBegin.empty()) {
        for (const StreamHop &hop : stream.hops)
          bytes[hop.link] += stream.bytes(packet);
        continue;
      }
      for (int64_t i = stream.packetBegin[packet];
           i < stream.packetBegin[packet + 1]; ++i)
        bytes[stream.hops[stream.entries[i].hop].link] += stream.bytes(packet);
    }
  }
  return bytes;
}

static void checkTree(const PacketStream &stream) {
  for (size_t i = 0; i < stream.hops.size(); ++i) {
    const StreamHop &hop = stream.hops[i];
    EXPECT_EQ(hop.leaf.kind == StreamEnd::Kind::None,
              hop.childBegin < hop.childEnd);
    for (int32_t child = hop.childBegin; child < hop.childEnd; ++child)
      EXPECT_EQ(stream.hops[child].parent, static_cast<int32_t>(i));
  }
  for (int64_t packet = 0; packet + 1 < (int64_t)stream.packetBegin.size();
       ++packet)
    for (int64_t i = stream.packetBegin[packet];
         i < stream.packetBegin[packet + 1]; ++i) {
      const PacketHop &entry = stream.entries[i];
      if (i == stream.packetBegin[packet])
        EXPECT_EQ(entry.hop, 0);
      else
        EXPECT_EQ(stream.entries[entry.parent].hop,
                  stream.hops[entry.hop].parent);
      EXPECT_EQ(entry.childBegin < entry.childEnd,
                stream.hops[entry.hop].leaf.kind == StreamEnd::Kind::None);
      for (int32_t child = entry.childBegin; child < entry.childEnd; ++child)
        EXPECT_EQ(stream.entries[child].parent, i);
    }
}

TEST(PacketPlan, MovesWhatFlowsMove) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase random(seed);
    RoutingCounter counter(random.program, random.routing.bound.get());
    ResourceTable resources(random.machine);
    TransferPlanner flows(random.program, random.machine, resources, counter);
    PacketPlanner packets(random.program, random.machine, counter);
    for (size_t i = 0; i < random.program.tasks.size(); ++i) {
      if (random.program.tasks[i].kind == TaskKind::Compute)
        continue;
      std::vector<Message> messages;
      std::vector<PacketStream> streams;
      ASSERT_TRUE(flows.plan(static_cast<int32_t>(i), messages).ok());
      ASSERT_TRUE(packets.plan(static_cast<int32_t>(i), streams).ok());
      std::map<int32_t, int64_t> expected;
      for (const Message &message : messages)
        for (const Leg &leg : message.legs)
          for (const FlowUse &use : leg.uses)
            if (use.resource < random.machine.numLinks())
              expected[use.resource] += use.bytes;
      EXPECT_EQ(linkBytes(streams), expected);
      for (const PacketStream &stream : streams)
        checkTree(stream);
    }
  }
}

TEST(PacketPlan, CutsALoad) {
  MachineFacts facts = tree({1, 2});
  facts.packetBytes = 100;
  for (LinkFacts &link : facts.links) {
    link.latencyPs = 5;
    link.messageOverheadPs = 7;
  }
  for (NodeFacts &node : facts.nodes)
    if (!node.isChiplet())
      node.latencyPs = 3;
  facts.memories[0].latencyPs = 11;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 2, 250); // root -> s1 -> c2
  RoutingCounter counter(b.program, nullptr);
  std::vector<PacketStream> streams;
  ASSERT_TRUE(PacketPlanner(b.program, machine, counter).plan(0, streams).ok());
  ASSERT_EQ(streams.size(), 1u);
  const PacketStream &stream = streams[0];
  EXPECT_EQ(stream.numPackets, 3);
  EXPECT_EQ(stream.bytes(0), 100);
  EXPECT_EQ(stream.bytes(2), 50);
  EXPECT_EQ(stream.totalBytes(), 250);
  ASSERT_EQ(stream.hops.size(), 2u);
  EXPECT_EQ(stream.startDelayPs, 11 + 7 + 7);
  EXPECT_EQ(stream.hops[1].nodeDelayPs, 3);
  EXPECT_EQ(stream.leastPs, 11 + 7 + 5 + 3 + 7 + 5);
  EXPECT_EQ(stream.hops[1].leaf.index, 2);

  // Where the switch stores the message, the second overhead comes after it.
  facts.nodes[1].forwarding = Forwarding::StoreAndForward;
  machine = *MachineModel::create(facts);
  ASSERT_TRUE(PacketPlanner(b.program, machine, counter).plan(0, streams).ok());
  EXPECT_EQ(streams[0].startDelayPs, 11 + 7);
  EXPECT_TRUE(streams[0].hops[1].storesWhole);
  EXPECT_EQ(streams[0].hops[1].headDelayPs, 7);
  EXPECT_EQ(streams[0].leastPs, 11 + 7 + 5 + 3 + 7 + 5);
}
