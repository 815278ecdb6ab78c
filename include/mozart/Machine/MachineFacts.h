//===- MachineFacts.h - What a wafer is made of -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of a machine as plain data: chiplets, switches, memories and links.
// Units are in the names. Everything that asks questions about a machine goes
// through MachineModel, which checks these facts once.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_MACHINE_MACHINEFACTS_H
#define MOZART_MACHINE_MACHINEFACTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

/// How the network is joined up.
enum class Topology { Tree, Mesh };

/// When a switch passes a message on: as soon as its head arrives, or when all
/// of it is there.
enum class Forwarding { CutThrough, StoreAndForward };

/// The matrix axis along which the arrays of one tile are joined: `K`, one
/// output column block and a reduction as long as all arrays; `N`, one
/// reduction and as many output columns as all arrays.
enum class Accumulation { K, N };

/// How a matrix product runs on the arrays. `Streaming`: as a roofline, with
/// nothing for filling, draining or blocks that a matrix does not fill. The
/// systolic ones pay both (docs/simulation.md, "What a kernel takes").
enum class Dataflow { Streaming, WeightStationary, OutputStationary };

/// Where a switch keeps what waits for an output. `Output`: nothing waits for
/// another output's sake. `Input`: a queue per input and virtual channel, whose
/// head blocks what is behind it.
enum class Queueing { Output, Input };

/// The systolic arrays of a chiplet and the SRAM port that feeds each tile.
struct ComputeFacts {
  int64_t tiles = 0;
  int64_t arraysPerTile = 0;
  int64_t arrayRows = 0;
  int64_t arrayColumns = 0;
  Accumulation accumulation = Accumulation::K;
  int64_t clockHz = 0;
  int64_t tileSramBytesPerSecond = 0;
  /// Fixed cost of starting a kernel.
  int64_t kernelStartPs = 0;
  Dataflow dataflow = Dataflow::Streaming;
  int64_t femtojoulesPerFlop = 0;
};

enum class NodeKind { Chiplet, Switch };

/// A chiplet or a switch: a node of the network. Nodes are named by their
/// index in the declared order of the machine.
struct NodeFacts {
  NodeKind kind = NodeKind::Chiplet;
  std::string name;

  // Of a chiplet.
  bool hostsAttention = false;
  bool hostsExperts = false;
  int64_t sramBytes = 0;
  ComputeFacts compute;
  /// Of a byte read from or written to the SRAM.
  int64_t sramFemtojoulesPerByte = 0;

  // Of both: power while nothing happens, and area.
  int64_t staticMicrowatts = 0;
  int64_t areaSquareMicrometers = 0;

  // Of a switch. (A chiplet that messages pass lets them through at once.)
  Forwarding forwarding = Forwarding::CutThrough;
  int64_t bufferBytes = 0;
  /// Time from the arrival of a message's head to its departure.
  int64_t latencyPs = 0;
  /// Rate at which copies leave for several links at once; 0: it cannot.
  int64_t multicastBytesPerSecond = 0;
  /// Rate at which it adds arriving messages; 0: it cannot.
  int64_t reduceBytesPerSecond = 0;
  /// Its architecture. With `Input`, `efficiencyPpm` states what share of the
  /// sum of its links' rates passes it when many inputs ask for many outputs,
  /// in parts per million; fidelities that have no queues go by it.
  Queueing queueing = Queueing::Output;
  int64_t efficiencyPpm = 1000000;
  int64_t virtualChannels = 4;
  /// Flits that a virtual channel of an input holds.
  int64_t virtualChannelFlits = 32;
  int64_t flitBytes = 32;
  /// Cycles that a flit's head takes through it, allocation included, and
  /// rounds of the allocator and switch passes in one cycle.
  int64_t pipelineCycles = 1;
  int64_t allocatorIterations = 1;
  int64_t speedup = 1;
  /// Of a byte that passes, and of one that is added or copied on top.
  int64_t femtojoulesPerByte = 0;
  int64_t reduceFemtojoulesPerByte = 0;
  int64_t multicastFemtojoulesPerByte = 0;

  bool isChiplet() const { return kind == NodeKind::Chiplet; }
};

/// A DRAM (or flash) device and where it is attached.
struct MemoryFacts {
  std::string name;
  /// Index of the node that it hangs on. On a switch, its traffic crosses the
  /// links to the chiplets below.
  int32_t node = -1;
  int64_t bytes = 0;
  int64_t readBytesPerSecond = 0;
  int64_t writeBytesPerSecond = 0;
  /// Sustained share of the peak rates, in parts per million.
  int64_t efficiencyPpm = 1000000;
  int64_t latencyPs = 0;
  /// Lost whenever its channels turn from reading to writing or back, which
  /// they do after `turnaroundBytes` while both are asked for.
  int64_t turnaroundPs = 0;
  int64_t turnaroundBytes = 0;
  int64_t readFemtojoulesPerByte = 0;
  int64_t writeFemtojoulesPerByte = 0;
  int64_t staticMicrowatts = 0;
  int64_t areaSquareMicrometers = 0;
  /// Going over `bytes` is reported, not fatal.
  bool elastic = false;
};

/// One direction of a connection.
struct LinkFacts {
  int32_t source = -1;
  int32_t target = -1;
  int64_t wires = 0;
  int64_t wireBytesPerSecond = 0;
  int64_t latencyPs = 0;
  /// Fixed cost of a message on this link, also of an empty one.
  int64_t messageOverheadPs = 0;
  int64_t femtojoulesPerByte = 0;
};

struct MachineFacts {
  std::string name;
  Topology topology = Topology::Tree;
  /// Bytes of a packet of a load or store (an exchange's packets are rows).
  int64_t packetBytes = 4096;
  std::vector<NodeFacts> nodes;
  std::vector<MemoryFacts> memories;
  std::vector<LinkFacts> links;
};

} // namespace mozart

#endif // MOZART_MACHINE_MACHINEFACTS_H
