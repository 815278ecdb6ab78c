//===- MachineProto.cpp - Machines as protobuf messages -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineProto.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

static pb::Node toProto(const NodeFacts &facts) {
  pb::Node node;
  node.set_name(facts.name);
  if (facts.isChiplet()) {
    pb::Chiplet &chiplet = *node.mutable_chiplet();
    const ComputeFacts &compute = facts.compute;
    chiplet.set_hosts_attention(facts.hostsAttention);
    chiplet.set_hosts_experts(facts.hostsExperts);
    chiplet.set_sram_bytes(facts.sramBytes);
    chiplet.set_tiles(compute.tiles);
    chiplet.set_arrays_per_tile(compute.arraysPerTile);
    chiplet.set_array_rows(compute.arrayRows);
    chiplet.set_array_columns(compute.arrayColumns);
    chiplet.set_accumulation(compute.accumulation == Accumulation::K
                                 ? pb::Chiplet::ALONG_K
                                 : pb::Chiplet::ALONG_N);
    chiplet.set_clock_hz(compute.clockHz);
    chiplet.set_tile_sram_bytes_per_second(compute.tileSramBytesPerSecond);
    chiplet.set_kernel_start_ps(compute.kernelStartPs);
    return node;
  }
  pb::Switch &networkSwitch = *node.mutable_network_switch();
  networkSwitch.set_forwarding(facts.forwarding == Forwarding::CutThrough
                                   ? pb::Switch::CUT_THROUGH
                                   : pb::Switch::STORE_AND_FORWARD);
  networkSwitch.set_buffer_bytes(facts.bufferBytes);
  networkSwitch.set_latency_ps(facts.latencyPs);
  networkSwitch.set_multicast_bytes_per_second(facts.multicastBytesPerSecond);
  networkSwitch.set_reduce_bytes_per_second(facts.reduceBytesPerSecond);
  return node;
}

pb::Machine mozart::toProto(const MachineFacts &facts) {
  pb::Machine message;
  message.set_name(facts.name);
  message.set_topology(facts.topology == Topology::Tree ? pb::Machine::TREE
                                                        : pb::Machine::MESH);
  for (const NodeFacts &node : facts.nodes)
    *message.add_nodes() = ::toProto(node);
  for (const MemoryFacts &memory : facts.memories) {
    pb::Memory &entry = *message.add_memories();
    entry.set_name(memory.name);
    entry.set_node(memory.node);
    entry.set_bytes(memory.bytes);
    entry.set_read_bytes_per_second(memory.readBytesPerSecond);
    entry.set_write_bytes_per_second(memory.writeBytesPerSecond);
    entry.set_efficiency_ppm(memory.efficiencyPpm);
    entry.set_latency_ps(memory.latencyPs);
    entry.set_elastic(memory.elastic);
  }
  for (const LinkFacts &link : facts.links) {
    pb::Link &entry = *message.add_links();
    entry.set_source(link.source);
    entry.set_target(link.target);
    entry.set_wires(link.wires);
    entry.set_wire_bytes_per_second(link.wireBytesPerSecond);
    entry.set_latency_ps(link.latencyPs);
    entry.set_message_overhead_ps(link.messageOverheadPs);
  }
  return message;
}

static absl::Status unknown(const std::string &part, const char *field,
                            int value) {
  return absl::InvalidArgumentError(absl::StrCat(
      part, ": ", field, " is ", value, "; expected one of its named values"));
}

static absl::StatusOr<NodeFacts> fromProto(const pb::Node &node,
                                           const std::string &part) {
  NodeFacts facts;
  facts.name = node.name();
  switch (node.kind_case()) {
  case pb::Node::kChiplet: {
    const pb::Chiplet &chiplet = node.chiplet();
    facts.kind = NodeKind::Chiplet;
    facts.hostsAttention = chiplet.hosts_attention();
    facts.hostsExperts = chiplet.hosts_experts();
    facts.sramBytes = chiplet.sram_bytes();
    facts.compute.tiles = chiplet.tiles();
    facts.compute.arraysPerTile = chiplet.arrays_per_tile();
    facts.compute.arrayRows = chiplet.array_rows();
    facts.compute.arrayColumns = chiplet.array_columns();
    if (chiplet.accumulation() != pb::Chiplet::ALONG_K &&
        chiplet.accumulation() != pb::Chiplet::ALONG_N)
      return unknown(part, "accumulation", chiplet.accumulation());
    facts.compute.accumulation = chiplet.accumulation() == pb::Chiplet::ALONG_K
                                     ? Accumulation::K
                                     : Accumulation::N;
    facts.compute.clockHz = chiplet.clock_hz();
    facts.compute.tileSramBytesPerSecond = chiplet.tile_sram_bytes_per_second();
    facts.compute.kernelStartPs = chiplet.kernel_start_ps();
    return facts;
  }
  case pb::Node::kNetworkSwitch: {
    const pb::Switch &networkSwitch = node.network_switch();
    facts.kind = NodeKind::Switch;
    if (networkSwitch.forwarding() != pb::Switch::CUT_THROUGH &&
        networkSwitch.forwarding() != pb::Switch::STORE_AND_FORWARD)
      return unknown(part, "forwarding", networkSwitch.forwarding());
    facts.forwarding = networkSwitch.forwarding() == pb::Switch::CUT_THROUGH
                           ? Forwarding::CutThrough
                           : Forwarding::StoreAndForward;
    facts.bufferBytes = networkSwitch.buffer_bytes();
    facts.latencyPs = networkSwitch.latency_ps();
    facts.multicastBytesPerSecond = networkSwitch.multicast_bytes_per_second();
    facts.reduceBytesPerSecond = networkSwitch.reduce_bytes_per_second();
    return facts;
  }
  case pb::Node::KIND_NOT_SET:
    break;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      part, ": is neither a chiplet nor a switch; expected one of the two"));
}

absl::StatusOr<MachineFacts> mozart::fromProto(const pb::Machine &message) {
  MachineFacts facts;
  facts.name = message.name();
  std::string machine = absl::StrCat("machine '", message.name(), "'");
  if (message.topology() != pb::Machine::TREE &&
      message.topology() != pb::Machine::MESH)
    return unknown(machine, "topology", message.topology());
  facts.topology =
      message.topology() == pb::Machine::TREE ? Topology::Tree : Topology::Mesh;
  for (const pb::Node &node : message.nodes()) {
    absl::StatusOr<NodeFacts> entry =
        ::fromProto(node, absl::StrCat(machine, ", node ", facts.nodes.size(),
                                       " ('", node.name(), "')"));
    if (!entry.ok())
      return entry.status();
    facts.nodes.push_back(*std::move(entry));
  }
  for (const pb::Memory &memory : message.memories())
    facts.memories.push_back(
        {memory.name(), memory.node(), memory.bytes(),
         memory.read_bytes_per_second(), memory.write_bytes_per_second(),
         memory.efficiency_ppm(), memory.latency_ps(), memory.elastic()});
  for (const pb::Link &link : message.links())
    facts.links.push_back({link.source(), link.target(), link.wires(),
                           link.wire_bytes_per_second(), link.latency_ps(),
                           link.message_overhead_ps()});
  return facts;
}
