//===- MachineProtoTest.cpp - Machines as protobuf messages ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineProto.h"

#include "mozart/Machine/MachineModel.h"

#include "Machine/TestMachines.h"

#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;

namespace {

/// A machine in which every fact has a value of its own.
MachineFacts distinctFacts() {
  MachineFacts facts = tree({1, 1}); // root 0, switch 1, chiplet 2
  facts.topology = Topology::Mesh;
  NodeFacts &c = facts.nodes[2];
  c.hostsAttention = true;
  c.sramBytes = 101;
  c.compute = {102, 103, 104, 105, Accumulation::N, 106, 107, 108};
  NodeFacts &s = facts.nodes[1];
  s.forwarding = Forwarding::StoreAndForward;
  s.bufferBytes = 201;
  s.latencyPs = 202;
  s.multicastBytesPerSecond = 203;
  s.reduceBytesPerSecond = 204;
  facts.memories[1] = {"m", 1, 301, 302, 303, 304, 305, true};
  facts.links[2] = {1, 2, 401, 402, 403, 404};
  return facts;
}

TEST(MachineProto, RoundTrip) {
  MachineFacts facts = distinctFacts();
  pb::Machine message;
  ASSERT_TRUE(message.ParseFromString(toProto(facts).SerializeAsString()));
  absl::StatusOr<MachineFacts> back = fromProto(message);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->name, "tree");
  EXPECT_EQ(back->topology, Topology::Mesh);
  ASSERT_EQ(back->nodes.size(), 3u);
  const NodeFacts &c = back->nodes[2];
  EXPECT_TRUE(c.isChiplet());
  EXPECT_EQ(c.name, "c2");
  EXPECT_TRUE(c.hostsAttention);
  EXPECT_TRUE(c.hostsExperts);
  EXPECT_FALSE(back->nodes[0].hostsExperts);
  EXPECT_EQ(c.sramBytes, 101);
  EXPECT_EQ(c.compute.tiles, 102);
  EXPECT_EQ(c.compute.arraysPerTile, 103);
  EXPECT_EQ(c.compute.arrayRows, 104);
  EXPECT_EQ(c.compute.arrayColumns, 105);
  EXPECT_EQ(c.compute.accumulation, Accumulation::N);
  EXPECT_EQ(c.compute.clockHz, 106);
  EXPECT_EQ(c.compute.tileSramBytesPerSecond, 107);
  EXPECT_EQ(c.compute.kernelStartPs, 108);
  EXPECT_EQ(back->nodes[0].compute.accumulation, Accumulation::K);
  const NodeFacts &s = back->nodes[1];
  EXPECT_FALSE(s.isChiplet());
  EXPECT_EQ(s.forwarding, Forwarding::StoreAndForward);
  EXPECT_EQ(s.bufferBytes, 201);
  EXPECT_EQ(s.latencyPs, 202);
  EXPECT_EQ(s.multicastBytesPerSecond, 203);
  EXPECT_EQ(s.reduceBytesPerSecond, 204);
  const MemoryFacts &m = back->memories[1];
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.node, 1);
  EXPECT_EQ(m.bytes, 301);
  EXPECT_EQ(m.readBytesPerSecond, 302);
  EXPECT_EQ(m.writeBytesPerSecond, 303);
  EXPECT_EQ(m.efficiencyPpm, 304);
  EXPECT_EQ(m.latencyPs, 305);
  EXPECT_TRUE(m.elastic);
  EXPECT_FALSE(back->memories[0].elastic);
  const LinkFacts &l = back->links[2];
  EXPECT_EQ(l.source, 1);
  EXPECT_EQ(l.target, 2);
  EXPECT_EQ(l.wires, 401);
  EXPECT_EQ(l.wireBytesPerSecond, 402);
  EXPECT_EQ(l.latencyPs, 403);
  EXPECT_EQ(l.messageOverheadPs, 404);
}

TEST(MachineProto, WhatFactsCannotSayIsNamed) {
  auto message = [](auto damage) {
    pb::Machine m = toProto(tree({1, 1}));
    damage(m);
    return std::string(fromProto(m).status().message());
  };
  auto says = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(message([](pb::Machine &m) { m.clear_topology(); }),
                   "machine 'tree': topology is 0"));
  EXPECT_TRUE(
      says(message([](pb::Machine &m) { m.mutable_nodes(2)->clear_chiplet(); }),
           "node 2 ('c2'): is neither"));
  EXPECT_TRUE(says(message([](pb::Machine &m) {
                     m.mutable_nodes(2)->mutable_chiplet()->set_accumulation(
                         static_cast<pb::Chiplet::Accumulation>(7));
                   }),
                   "node 2 ('c2'): accumulation is 7"));
  EXPECT_TRUE(
      says(message([](pb::Machine &m) {
             m.mutable_nodes(1)->mutable_network_switch()->clear_forwarding();
           }),
           "node 1 ('s1'): forwarding is 0"));
}

} // namespace
