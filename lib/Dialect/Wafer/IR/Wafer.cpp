//===- Wafer.cpp - The machine dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Wafer/IR/Wafer.h"

#include "mozart/Support/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::wafer;

#include "mozart/Dialect/Wafer/IR/WaferDialect.cpp.inc"
#include "mozart/Dialect/Wafer/IR/WaferEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/Wafer/IR/WaferAttrs.cpp.inc"

namespace {
/// Names the facts that many parts of a machine share.
struct WaferAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    StringRef name = llvm::TypeSwitch<Attribute, StringRef>(attribute)
                         .Case<ComputeAttr>([](auto) { return "compute"; })
                         .Case<SwitchingAttr>([](auto) { return "switching"; })
                         .Case<StorageAttr>([](auto) { return "storage"; })
                         .Case<WiresAttr>([](auto) { return "wires"; })
                         .Case<SiliconAttr>([](auto) { return "silicon"; })
                         .Default([](auto) { return ""; });
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void WaferDialect::initialize() {
  addInterfaces<WaferAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mozart/Dialect/Wafer/IR/WaferAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mozart/Dialect/Wafer/IR/WaferOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult ComputeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t tiles, int64_t arraysPerTile,
                                  int64_t arrayRows, int64_t arrayColumns,
                                  wafer::Accumulation, int64_t clockHz,
                                  int64_t tileSramBytesPerSecond,
                                  int64_t kernelStartPs, wafer::Dataflow,
                                  int64_t femtojoulesPerFlop,
                                  int64_t sramFemtojoulesPerByte) {
  return success(succeeded(requireAtLeast(
                     1,
                     {{"tiles", tiles},
                      {"arrays_per_tile", arraysPerTile},
                      {"array_rows", arrayRows},
                      {"array_columns", arrayColumns},
                      {"clock_hz", clockHz},
                      {"tile_sram_bytes_per_second", tileSramBytesPerSecond}},
                     emitError)) &&
                 succeeded(requireAtLeast(
                     0,
                     {{"kernel_start_ps", kernelStartPs},
                      {"femtojoules_per_flop", femtojoulesPerFlop},
                      {"sram_femtojoules_per_byte", sramFemtojoulesPerByte}},
                     emitError)));
}

static LogicalResult
requireShare(int64_t efficiencyPpm,
             function_ref<InFlightDiagnostic()> emitError) {
  if (failed(requireAtLeast(1, {{"efficiency_ppm", efficiencyPpm}}, emitError)))
    return failure();
  if (efficiencyPpm > 1000000)
    return emitError() << "'efficiency_ppm' is " << efficiencyPpm
                       << ", expected at most 1000000";
  return success();
}

LogicalResult SwitchingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, wafer::Forwarding,
    int64_t bufferBytes, int64_t latencyPs, int64_t multicastBytesPerSecond,
    int64_t reduceBytesPerSecond, wafer::Queueing queueing,
    int64_t efficiencyPpm, int64_t virtualChannels, int64_t virtualChannelFlits,
    int64_t flitBytes, int64_t pipelineCycles, int64_t allocatorIterations,
    int64_t speedup, int64_t femtojoulesPerByte,
    int64_t reduceFemtojoulesPerByte, int64_t multicastFemtojoulesPerByte) {
  if (failed(requireAtLeast(
          0,
          {{"latency_ps", latencyPs},
           {"multicast_bytes_per_second", multicastBytesPerSecond},
           {"reduce_bytes_per_second", reduceBytesPerSecond},
           {"femtojoules_per_byte", femtojoulesPerByte},
           {"reduce_femtojoules_per_byte", reduceFemtojoulesPerByte},
           {"multicast_femtojoules_per_byte", multicastFemtojoulesPerByte}},
          emitError)) ||
      failed(requireAtLeast(1,
                            {{"buffer_bytes", bufferBytes},
                             {"virtual_channels", virtualChannels},
                             {"virtual_channel_flits", virtualChannelFlits},
                             {"flit_bytes", flitBytes},
                             {"pipeline_cycles", pipelineCycles},
                             {"allocator_iterations", allocatorIterations},
                             {"speedup", speedup}},
                            emitError)) ||
      failed(requireShare(efficiencyPpm, emitError)))
    return failure();
  if (queueing == wafer::Queueing::Output && efficiencyPpm != 1000000)
    return emitError() << "'efficiency_ppm' is " << efficiencyPpm
                       << " with output queues, which lose nothing; expected "
                          "1000000, or 'queueing = input'";
  return success();
}

LogicalResult StorageAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t bytes, int64_t readBytesPerSecond,
                                  int64_t writeBytesPerSecond,
                                  int64_t efficiencyPpm, int64_t latencyPs,
                                  int64_t turnaroundPs, int64_t turnaroundBytes,
                                  int64_t readFemtojoulesPerByte,
                                  int64_t writeFemtojoulesPerByte, bool) {
  if (failed(requireAtLeast(1,
                            {{"bytes", bytes},
                             {"read_bytes_per_second", readBytesPerSecond},
                             {"write_bytes_per_second", writeBytesPerSecond}},
                            emitError)) ||
      failed(requireShare(efficiencyPpm, emitError)) ||
      failed(requireAtLeast(
          0,
          {{"latency_ps", latencyPs},
           {"turnaround_ps", turnaroundPs},
           {"turnaround_bytes", turnaroundBytes},
           {"read_femtojoules_per_byte", readFemtojoulesPerByte},
           {"write_femtojoules_per_byte", writeFemtojoulesPerByte}},
          emitError)))
    return failure();
  if (turnaroundPs > 0 && turnaroundBytes == 0)
    return emitError() << "'turnaround_bytes' is 0 though 'turnaround_ps' is "
                       << turnaroundPs
                       << "; expected how many bytes are served between turns";
  return success();
}

LogicalResult WiresAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t wires, int64_t wireBytesPerSecond,
                                int64_t latencyPs, int64_t messageOverheadPs,
                                int64_t femtojoulesPerByte) {
  if (failed(requireAtLeast(
          1, {{"wires", wires}, {"wire_bytes_per_second", wireBytesPerSecond}},
          emitError)))
    return failure();
  return requireAtLeast(0,
                        {{"latency_ps", latencyPs},
                         {"message_overhead_ps", messageOverheadPs},
                         {"femtojoules_per_byte", femtojoulesPerByte}},
                        emitError);
}

LogicalResult SiliconAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t staticMicrowatts,
                                  int64_t areaSquareMicrometers) {
  return requireAtLeast(0,
                        {{"static_microwatts", staticMicrowatts},
                         {"area_square_micrometers", areaSquareMicrometers}},
                        emitError);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "mozart/Dialect/Wafer/IR/WaferOps.cpp.inc"

LogicalResult ChipletOp::verify() {
  int64_t bytes = getSramBytesAttr().getInt();
  if (bytes < 1)
    return emitOpError() << "'sram_bytes' is " << bytes
                         << ", expected at least 1";
  return success();
}

LogicalResult MachineOp::verify() {
  if (int64_t bytes = getPacketBytesAttr().getInt(); bytes < 1)
    return emitOpError() << "'packet_bytes' is " << bytes
                         << ", expected at least 1";
  for (Operation &op : getBody().front())
    if (!isa<ChipletOp, SwitchOp, MemoryOp, LinkOp>(op))
      return op.emitOpError() << "is not part of a machine; expected "
                                 "wafer.chiplet, wafer.switch, wafer.memory or "
                                 "wafer.link";
  return success();
}

/// The node that `symbol` names, reported at `user` when it is none.
static LogicalResult verifyNode(MachineOp machine, Operation *user,
                                FlatSymbolRefAttr symbol, StringRef role) {
  Operation *node = SymbolTable::lookupSymbolIn(machine, symbol);
  if (isa_and_nonnull<ChipletOp, SwitchOp>(node))
    return success();
  InFlightDiagnostic diag = user->emitOpError()
                            << role << " '" << symbol.getValue() << "' ";
  if (!node)
    return diag << "is not declared in machine '" << machine.getSymName()
                << "'; expected a chiplet or switch of it";
  diag << "is a " << node->getName() << ", expected a chiplet or a switch";
  diag.attachNote(node->getLoc()) << "declared here";
  return diag;
}

LogicalResult MachineOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    if (auto memory = dyn_cast<MemoryOp>(op))
      if (failed(verifyNode(*this, memory, memory.getNodeAttr(), "node")))
        return failure();
    if (auto link = dyn_cast<LinkOp>(op))
      if (failed(verifyNode(*this, link, link.getSourceAttr(), "source")) ||
          failed(verifyNode(*this, link, link.getTargetAttr(), "target")))
        return failure();
  }
  absl::StatusOr<MachineModel> model =
      MachineModel::create(getMachineFacts(*this));
  if (!model.ok())
    return emitOpError() << std::string(model.status().message());
  return success();
}

//===----------------------------------------------------------------------===//
// Plain facts
//===----------------------------------------------------------------------===//

static mozart::Dataflow getDataflow(wafer::Dataflow dataflow) {
  switch (dataflow) {
  case wafer::Dataflow::Streaming:
    return mozart::Dataflow::Streaming;
  case wafer::Dataflow::WeightStationary:
    return mozart::Dataflow::WeightStationary;
  case wafer::Dataflow::OutputStationary:
    return mozart::Dataflow::OutputStationary;
  }
  llvm_unreachable("unknown dataflow");
}

/// Fills area and static power of `facts`, of a node or a memory.
template <typename Facts>
static void setSilicon(Facts &facts, SiliconAttr die) {
  if (!die)
    return;
  facts.staticMicrowatts = die.getStaticMicrowatts();
  facts.areaSquareMicrometers = die.getAreaSquareMicrometers();
}

static NodeFacts getChipletFacts(ChipletOp chiplet) {
  ComputeAttr compute = chiplet.getComputeAttr();
  NodeFacts facts;
  facts.kind = NodeKind::Chiplet;
  facts.name = chiplet.getSymName().str();
  facts.hostsAttention = chiplet.getHosts() != Hosts::Experts;
  facts.hostsExperts = chiplet.getHosts() != Hosts::Attention;
  facts.sramBytes = chiplet.getSramBytesAttr().getInt();
  facts.compute.tiles = compute.getTiles();
  facts.compute.arraysPerTile = compute.getArraysPerTile();
  facts.compute.arrayRows = compute.getArrayRows();
  facts.compute.arrayColumns = compute.getArrayColumns();
  facts.compute.accumulation =
      compute.getAccumulation() == wafer::Accumulation::K
          ? mozart::Accumulation::K
          : mozart::Accumulation::N;
  facts.compute.clockHz = compute.getClockHz();
  facts.compute.tileSramBytesPerSecond = compute.getTileSramBytesPerSecond();
  facts.compute.kernelStartPs = compute.getKernelStartPs();
  facts.compute.dataflow = getDataflow(compute.getDataflow());
  facts.compute.femtojoulesPerFlop = compute.getFemtojoulesPerFlop();
  facts.sramFemtojoulesPerByte = compute.getSramFemtojoulesPerByte();
  setSilicon(facts, chiplet.getSiliconAttr());
  return facts;
}

static NodeFacts getSwitchFacts(SwitchOp op) {
  SwitchingAttr switching = op.getSwitchingAttr();
  NodeFacts facts;
  facts.kind = NodeKind::Switch;
  facts.name = op.getSymName().str();
  facts.forwarding = switching.getForwarding() == wafer::Forwarding::CutThrough
                         ? mozart::Forwarding::CutThrough
                         : mozart::Forwarding::StoreAndForward;
  facts.bufferBytes = switching.getBufferBytes();
  facts.latencyPs = switching.getLatencyPs();
  facts.multicastBytesPerSecond = switching.getMulticastBytesPerSecond();
  facts.reduceBytesPerSecond = switching.getReduceBytesPerSecond();
  facts.queueing = switching.getQueueing() == wafer::Queueing::Output
                       ? mozart::Queueing::Output
                       : mozart::Queueing::Input;
  facts.efficiencyPpm = switching.getEfficiencyPpm();
  facts.virtualChannels = switching.getVirtualChannels();
  facts.virtualChannelFlits = switching.getVirtualChannelFlits();
  facts.flitBytes = switching.getFlitBytes();
  facts.pipelineCycles = switching.getPipelineCycles();
  facts.allocatorIterations = switching.getAllocatorIterations();
  facts.speedup = switching.getSpeedup();
  facts.femtojoulesPerByte = switching.getFemtojoulesPerByte();
  facts.reduceFemtojoulesPerByte = switching.getReduceFemtojoulesPerByte();
  facts.multicastFemtojoulesPerByte =
      switching.getMulticastFemtojoulesPerByte();
  setSilicon(facts, op.getSiliconAttr());
  return facts;
}

static MemoryFacts getMemoryFacts(MemoryOp op,
                                  const llvm::StringMap<int32_t> &nodes) {
  StorageAttr storage = op.getStorageAttr();
  MemoryFacts facts;
  facts.name = op.getSymName().str();
  facts.node = nodes.lookup(op.getNode());
  facts.bytes = storage.getBytes();
  facts.readBytesPerSecond = storage.getReadBytesPerSecond();
  facts.writeBytesPerSecond = storage.getWriteBytesPerSecond();
  facts.efficiencyPpm = storage.getEfficiencyPpm();
  facts.latencyPs = storage.getLatencyPs();
  facts.turnaroundPs = storage.getTurnaroundPs();
  facts.turnaroundBytes = storage.getTurnaroundBytes();
  facts.readFemtojoulesPerByte = storage.getReadFemtojoulesPerByte();
  facts.writeFemtojoulesPerByte = storage.getWriteFemtojoulesPerByte();
  setSilicon(facts, op.getSiliconAttr());
  facts.elastic = storage.getElastic();
  return facts;
}

MachineFacts wafer::getMachineFacts(MachineOp machine) {
  MachineFacts facts;
  facts.name = machine.getSymName().str();
  facts.topology = machine.getTopology() == wafer::Topology::Tree
                       ? mozart::Topology::Tree
                       : mozart::Topology::Mesh;
  facts.packetBytes = machine.getPacketBytesAttr().getInt();
  llvm::StringMap<int32_t> nodes;
  for (Operation &op : machine.getBody().front()) {
    if (auto chiplet = dyn_cast<ChipletOp>(op))
      facts.nodes.push_back(getChipletFacts(chiplet));
    else if (auto switchOp = dyn_cast<SwitchOp>(op))
      facts.nodes.push_back(getSwitchFacts(switchOp));
    else
      continue;
    nodes[facts.nodes.back().name] = facts.nodes.size() - 1;
  }
  for (Operation &op : machine.getBody().front()) {
    if (auto memory = dyn_cast<MemoryOp>(op))
      facts.memories.push_back(getMemoryFacts(memory, nodes));
    if (auto link = dyn_cast<LinkOp>(op)) {
      WiresAttr wires = link.getWiresAttr();
      facts.links.push_back({nodes.lookup(link.getSource()),
                             nodes.lookup(link.getTarget()), wires.getWires(),
                             wires.getWireBytesPerSecond(),
                             wires.getLatencyPs(), wires.getMessageOverheadPs(),
                             wires.getFemtojoulesPerByte()});
    }
  }
  return facts;
}

MachineModel wafer::getMachineModel(MachineOp machine) {
  absl::StatusOr<MachineModel> model =
      MachineModel::create(getMachineFacts(machine));
  assert(model.ok() && "a verified machine has a model");
  return *std::move(model);
}

MachineOp wafer::lookupMachine(Operation *from, FlatSymbolRefAttr symbol) {
  auto machine = SymbolTable::lookupNearestSymbolFrom<MachineOp>(from, symbol);
  if (!machine)
    from->emitOpError() << "names machine '" << symbol.getValue()
                        << "', but no wafer.machine of that name is in the "
                           "module; load one with wafer-load-machine";
  return machine;
}
