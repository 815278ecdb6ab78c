//===- MachineProto.cpp - Machines as protobuf messages -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineProto.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

static pb::Chiplet::Dataflow toProto(Dataflow dataflow) {
  switch (dataflow) {
  case Dataflow::Streaming:
    return pb::Chiplet::STREAMING;
  case Dataflow::WeightStationary:
    return pb::Chiplet::WEIGHT_STATIONARY;
  case Dataflow::OutputStationary:
    return pb::Chiplet::OUTPUT_STATIONARY;
  }
  return pb::Chiplet::DATAFLOW_UNSPECIFIED;
}

static void setChiplet(pb::Chiplet &chiplet, const NodeFacts &facts) {
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
  chiplet.set_dataflow(::toProto(compute.dataflow));
  chiplet.set_femtojoules_per_flop(compute.femtojoulesPerFlop);
  chiplet.set_sram_femtojoules_per_byte(facts.sramFemtojoulesPerByte);
}

static void setSwitch(pb::Switch &networkSwitch, const NodeFacts &facts) {
  networkSwitch.set_forwarding(facts.forwarding == Forwarding::CutThrough
                                   ? pb::Switch::CUT_THROUGH
                                   : pb::Switch::STORE_AND_FORWARD);
  networkSwitch.set_buffer_bytes(facts.bufferBytes);
  networkSwitch.set_latency_ps(facts.latencyPs);
  networkSwitch.set_multicast_bytes_per_second(facts.multicastBytesPerSecond);
  networkSwitch.set_reduce_bytes_per_second(facts.reduceBytesPerSecond);
  networkSwitch.set_queueing(facts.queueing == Queueing::Output
                                 ? pb::Switch::OUTPUT
                                 : pb::Switch::INPUT);
  networkSwitch.set_efficiency_ppm(facts.efficiencyPpm);
  networkSwitch.set_virtual_channels(facts.virtualChannels);
  networkSwitch.set_virtual_channel_flits(facts.virtualChannelFlits);
  networkSwitch.set_flit_bytes(facts.flitBytes);
  networkSwitch.set_pipeline_cycles(facts.pipelineCycles);
  networkSwitch.set_allocator_iterations(facts.allocatorIterations);
  networkSwitch.set_speedup(facts.speedup);
  networkSwitch.set_femtojoules_per_byte(facts.femtojoulesPerByte);
  networkSwitch.set_reduce_femtojoules_per_byte(facts.reduceFemtojoulesPerByte);
  networkSwitch.set_multicast_femtojoules_per_byte(
      facts.multicastFemtojoulesPerByte);
}

static void setMemory(pb::Memory &entry, const MemoryFacts &memory) {
  entry.set_name(memory.name);
  entry.set_node(memory.node);
  entry.set_bytes(memory.bytes);
  entry.set_read_bytes_per_second(memory.readBytesPerSecond);
  entry.set_write_bytes_per_second(memory.writeBytesPerSecond);
  entry.set_efficiency_ppm(memory.efficiencyPpm);
  entry.set_latency_ps(memory.latencyPs);
  entry.set_turnaround_ps(memory.turnaroundPs);
  entry.set_turnaround_bytes(memory.turnaroundBytes);
  entry.set_read_femtojoules_per_byte(memory.readFemtojoulesPerByte);
  entry.set_write_femtojoules_per_byte(memory.writeFemtojoulesPerByte);
  entry.set_static_microwatts(memory.staticMicrowatts);
  entry.set_area_square_micrometers(memory.areaSquareMicrometers);
  entry.set_elastic(memory.elastic);
}

static void setLink(pb::Link &entry, const LinkFacts &link) {
  entry.set_source(link.source);
  entry.set_target(link.target);
  entry.set_wires(link.wires);
  entry.set_wire_bytes_per_second(link.wireBytesPerSecond);
  entry.set_latency_ps(link.latencyPs);
  entry.set_message_overhead_ps(link.messageOverheadPs);
  entry.set_femtojoules_per_byte(link.femtojoulesPerByte);
}

pb::Machine mozart::toProto(const MachineFacts &facts) {
  pb::Machine message;
  message.set_name(facts.name);
  message.set_topology(facts.topology == Topology::Tree ? pb::Machine::TREE
                                                        : pb::Machine::MESH);
  message.set_packet_bytes(facts.packetBytes);
  for (const NodeFacts &node : facts.nodes) {
    pb::Node &entry = *message.add_nodes();
    entry.set_name(node.name);
    entry.set_static_microwatts(node.staticMicrowatts);
    entry.set_area_square_micrometers(node.areaSquareMicrometers);
    if (node.isChiplet())
      setChiplet(*entry.mutable_chiplet(), node);
    else
      setSwitch(*entry.mutable_network_switch(), node);
  }
  for (const MemoryFacts &memory : facts.memories)
    setMemory(*message.add_memories(), memory);
  for (const LinkFacts &link : facts.links)
    setLink(*message.add_links(), link);
  return message;
}

static absl::Status unknown(const std::string &part, const char *field,
                            int value) {
  return absl::InvalidArgumentError(absl::StrCat(
      part, ": ", field, " is ", value, "; expected one of its named values"));
}

static absl::Status getChiplet(const pb::Chiplet &chiplet,
                               const std::string &part, NodeFacts &facts) {
  ComputeFacts &compute = facts.compute;
  facts.kind = NodeKind::Chiplet;
  facts.hostsAttention = chiplet.hosts_attention();
  facts.hostsExperts = chiplet.hosts_experts();
  facts.sramBytes = chiplet.sram_bytes();
  compute.tiles = chiplet.tiles();
  compute.arraysPerTile = chiplet.arrays_per_tile();
  compute.arrayRows = chiplet.array_rows();
  compute.arrayColumns = chiplet.array_columns();
  if (chiplet.accumulation() != pb::Chiplet::ALONG_K &&
      chiplet.accumulation() != pb::Chiplet::ALONG_N)
    return unknown(part, "accumulation", chiplet.accumulation());
  compute.accumulation = chiplet.accumulation() == pb::Chiplet::ALONG_K
                             ? Accumulation::K
                             : Accumulation::N;
  compute.clockHz = chiplet.clock_hz();
  compute.tileSramBytesPerSecond = chiplet.tile_sram_bytes_per_second();
  compute.kernelStartPs = chiplet.kernel_start_ps();
  compute.femtojoulesPerFlop = chiplet.femtojoules_per_flop();
  facts.sramFemtojoulesPerByte = chiplet.sram_femtojoules_per_byte();
  switch (chiplet.dataflow()) {
  case pb::Chiplet::STREAMING:
    compute.dataflow = Dataflow::Streaming;
    return absl::OkStatus();
  case pb::Chiplet::WEIGHT_STATIONARY:
    compute.dataflow = Dataflow::WeightStationary;
    return absl::OkStatus();
  case pb::Chiplet::OUTPUT_STATIONARY:
    compute.dataflow = Dataflow::OutputStationary;
    return absl::OkStatus();
  default:
    return unknown(part, "dataflow", chiplet.dataflow());
  }
}

static absl::Status getSwitch(const pb::Switch &networkSwitch,
                              const std::string &part, NodeFacts &facts) {
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
  if (networkSwitch.queueing() != pb::Switch::OUTPUT &&
      networkSwitch.queueing() != pb::Switch::INPUT)
    return unknown(part, "queueing", networkSwitch.queueing());
  facts.queueing = networkSwitch.queueing() == pb::Switch::OUTPUT
                       ? Queueing::Output
                       : Queueing::Input;
  facts.efficiencyPpm = networkSwitch.efficiency_ppm();
  facts.virtualChannels = networkSwitch.virtual_channels();
  facts.virtualChannelFlits = networkSwitch.virtual_channel_flits();
  facts.flitBytes = networkSwitch.flit_bytes();
  facts.pipelineCycles = networkSwitch.pipeline_cycles();
  facts.allocatorIterations = networkSwitch.allocator_iterations();
  facts.speedup = networkSwitch.speedup();
  facts.femtojoulesPerByte = networkSwitch.femtojoules_per_byte();
  facts.reduceFemtojoulesPerByte = networkSwitch.reduce_femtojoules_per_byte();
  facts.multicastFemtojoulesPerByte =
      networkSwitch.multicast_femtojoules_per_byte();
  return absl::OkStatus();
}

static absl::StatusOr<NodeFacts> getNode(const pb::Node &node,
                                         const std::string &part) {
  NodeFacts facts;
  facts.name = node.name();
  facts.staticMicrowatts = node.static_microwatts();
  facts.areaSquareMicrometers = node.area_square_micrometers();
  absl::Status status;
  switch (node.kind_case()) {
  case pb::Node::kChiplet:
    status = getChiplet(node.chiplet(), part, facts);
    break;
  case pb::Node::kNetworkSwitch:
    status = getSwitch(node.network_switch(), part, facts);
    break;
  case pb::Node::KIND_NOT_SET:
    status = absl::InvalidArgumentError(absl::StrCat(
        part, ": is neither a chiplet nor a switch; expected one of the two"));
    break;
  }
  if (!status.ok())
    return status;
  return facts;
}

static MemoryFacts getMemory(const pb::Memory &memory) {
  MemoryFacts facts;
  facts.name = memory.name();
  facts.node = memory.node();
  facts.bytes = memory.bytes();
  facts.readBytesPerSecond = memory.read_bytes_per_second();
  facts.writeBytesPerSecond = memory.write_bytes_per_second();
  facts.efficiencyPpm = memory.efficiency_ppm();
  facts.latencyPs = memory.latency_ps();
  facts.turnaroundPs = memory.turnaround_ps();
  facts.turnaroundBytes = memory.turnaround_bytes();
  facts.readFemtojoulesPerByte = memory.read_femtojoules_per_byte();
  facts.writeFemtojoulesPerByte = memory.write_femtojoules_per_byte();
  facts.staticMicrowatts = memory.static_microwatts();
  facts.areaSquareMicrometers = memory.area_square_micrometers();
  facts.elastic = memory.elastic();
  return facts;
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
  facts.packetBytes = message.packet_bytes();
  for (const pb::Node &node : message.nodes()) {
    absl::StatusOr<NodeFacts> entry =
        getNode(node, absl::StrCat(machine, ", node ", facts.nodes.size(),
                                   " ('", node.name(), "')"));
    if (!entry.ok())
      return entry.status();
    facts.nodes.push_back(*std::move(entry));
  }
  for (const pb::Memory &memory : message.memories())
    facts.memories.push_back(getMemory(memory));
  for (const pb::Link &link : message.links())
    facts.links.push_back({link.source(), link.target(), link.wires(),
                           link.wire_bytes_per_second(), link.latency_ps(),
                           link.message_overhead_ps(),
                           link.femtojoules_per_byte()});
  return facts;
}
