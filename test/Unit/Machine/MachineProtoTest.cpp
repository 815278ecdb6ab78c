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
  c.compute = {102,
               103,
               104,
               105,
               Accumulation::N,
               106,
               107,
               108,
               Dataflow::OutputStationary,
               109};
  c.sramFemtojoulesPerByte = 110;
  c.staticMicrowatts = 111;
  c.areaSquareMicrometers = 112;
  facts.nodes[0].compute.dataflow = Dataflow::WeightStationary;
  facts.packetBytes = 99;
  NodeFacts &s = facts.nodes[1];
  s.forwarding = Forwarding::StoreAndForward;
  s.bufferBytes = 201;
  s.latencyPs = 202;
  s.multicastBytesPerSecond = 203;
  s.reduceBytesPerSecond = 204;
  s.queueing = Queueing::Input;
  s.efficiencyPpm = 205;
  s.virtualChannels = 206;
  s.virtualChannelFlits = 207;
  s.flitBytes = 208;
  s.pipelineCycles = 209;
  s.allocatorIterations = 210;
  s.speedup = 211;
  s.femtojoulesPerByte = 212;
  s.reduceFemtojoulesPerByte = 213;
  s.multicastFemtojoulesPerByte = 214;
  s.staticMicrowatts = 215;
  s.areaSquareMicrometers = 216;
  facts.memories[1] = {"m", 1,   301, 302, 303, 304, 305,
                       306, 307, 308, 309, 310, 311, true};
  facts.links[2] = {1, 2, 401, 402, 403, 404, 405};
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
  EXPECT_EQ(c.compute.dataflow, Dataflow::OutputStationary);
  EXPECT_EQ(c.compute.femtojoulesPerFlop, 109);
  EXPECT_EQ(c.sramFemtojoulesPerByte, 110);
  EXPECT_EQ(c.staticMicrowatts, 111);
  EXPECT_EQ(c.areaSquareMicrometers, 112);
  EXPECT_EQ(back->nodes[0].compute.dataflow, Dataflow::WeightStationary);
  EXPECT_EQ(back->packetBytes, 99);
  EXPECT_EQ(back->nodes[0].compute.accumulation, Accumulation::K);
  const NodeFacts &s = back->nodes[1];
  EXPECT_FALSE(s.isChiplet());
  EXPECT_EQ(s.forwarding, Forwarding::StoreAndForward);
  EXPECT_EQ(s.bufferBytes, 201);
  EXPECT_EQ(s.latencyPs, 202);
  EXPECT_EQ(s.multicastBytesPerSecond, 203);
  EXPECT_EQ(s.reduceBytesPerSecond, 204);
  EXPECT_EQ(s.queueing, Queueing::Input);
  EXPECT_EQ(s.efficiencyPpm, 205);
  EXPECT_EQ(s.virtualChannels, 206);
  EXPECT_EQ(s.virtualChannelFlits, 207);
  EXPECT_EQ(s.flitBytes, 208);
  EXPECT_EQ(s.pipelineCycles, 209);
  EXPECT_EQ(s.allocatorIterations, 210);
  EXPECT_EQ(s.speedup, 211);
  EXPECT_EQ(s.femtojoulesPerByte, 212);
  EXPECT_EQ(s.reduceFemtojoulesPerByte, 213);
  EXPECT_EQ(s.multicastFemtojoulesPerByte, 214);
  EXPECT_EQ(s.staticMicrowatts, 215);
  EXPECT_EQ(s.areaSquareMicrometers, 216);
  const MemoryFacts &m = back->memories[1];
  EXPECT_EQ(m.name, "m");
  EXPECT_EQ(m.node, 1);
  EXPECT_EQ(m.bytes, 301);
  EXPECT_EQ(m.readBytesPerSecond, 302);
  EXPECT_EQ(m.writeBytesPerSecond, 303);
  EXPECT_EQ(m.efficiencyPpm, 304);
  EXPECT_EQ(m.latencyPs, 305);
  EXPECT_EQ(m.turnaroundPs, 306);
  EXPECT_EQ(m.turnaroundBytes, 307);
  EXPECT_EQ(m.readFemtojoulesPerByte, 308);
  EXPECT_EQ(m.writeFemtojoulesPerByte, 309);
  EXPECT_EQ(m.staticMicrowatts, 310);
  EXPECT_EQ(m.areaSquareMicrometers, 311);
  EXPECT_TRUE(m.elastic);
  EXPECT_FALSE(back->memories[0].elastic);
  const LinkFacts &l = back->links[2];
  EXPECT_EQ(l.source, 1);
  EXPECT_EQ(l.target, 2);
  EXPECT_EQ(l.wires, 401);
  EXPECT_EQ(l.wireBytesPerSecond, 402);
  EXPECT_EQ(l.latencyPs, 403);
  EXPECT_EQ(l.messageOverheadPs, 404);
  EXPECT_EQ(l.femtojoulesPerByte, 405);
}

TEST(MachineProto, EveryDataflowAndQueueingReturns) {
  for (Dataflow dataflow : {Dataflow::Streaming, Dataflow::WeightStationary,
                            Dataflow::OutputStationary})
    for (Queueing queueing : {Queueing::Output, Queueing::Input}) {
      MachineFacts facts = tree({1, 1});
      facts.nodes[2].compute.dataflow = dataflow;
      facts.nodes[1].queueing = queueing;
      absl::StatusOr<MachineFacts> back = fromProto(toProto(facts));
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(back->nodes[2].compute.dataflow, dataflow);
      EXPECT_EQ(back->nodes[1].queueing, queueing);
    }
}

/// A field that is added to a message and forgotten here is noticed: what went
/// through the facts is the same message.
TEST(MachineProto, NoFieldOfAMessageIsLost) {
  pb::Machine message = toProto(distinctFacts());
  for (const google::protobuf::Message *part :
       std::initializer_list<const google::protobuf::Message *>{
           &message, &message.nodes(2), &message.nodes(2).chiplet(),
           &message.nodes(1).network_switch(), &message.memories(1),
           &message.links(2)}) {
    const google::protobuf::Descriptor &type = *part->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const google::protobuf::FieldDescriptor &field = *type.field(i);
      if (field.real_containing_oneof() != nullptr)
        continue;
      EXPECT_TRUE(field.is_repeated()
                      ? part->GetReflection()->FieldSize(*part, &field) > 0
                      : part->GetReflection()->HasField(*part, &field))
          << field.full_name();
    }
  }
  absl::StatusOr<MachineFacts> back = fromProto(message);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(toProto(*back).SerializeAsString(), message.SerializeAsString());
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
  EXPECT_TRUE(
      says(message([](pb::Machine &m) {
             m.mutable_nodes(1)->mutable_network_switch()->clear_queueing();
           }),
           "node 1 ('s1'): queueing is 0"));
  EXPECT_TRUE(says(message([](pb::Machine &m) {
                     m.mutable_nodes(2)->mutable_chiplet()->set_dataflow(
                         static_cast<pb::Chiplet::Dataflow>(9));
                   }),
                   "node 2 ('c2'): dataflow is 9"));
}

} // namespace
