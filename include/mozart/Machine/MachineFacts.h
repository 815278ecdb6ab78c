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

  // Of a switch. (A chiplet that messages pass lets them through at once.)
  Forwarding forwarding = Forwarding::CutThrough;
  int64_t bufferBytes = 0;
  /// Time from the arrival of a message's head to its departure.
  int64_t latencyPs = 0;
  /// Rate at which copies leave for several links at once; 0: it cannot.
  int64_t multicastBytesPerSecond = 0;
  /// Rate at which it adds arriving messages; 0: it cannot.
  int64_t reduceBytesPerSecond = 0;

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
};

struct MachineFacts {
  std::string name;
  Topology topology = Topology::Tree;
  std::vector<NodeFacts> nodes;
  std::vector<MemoryFacts> memories;
  std::vector<LinkFacts> links;
};

} // namespace mozart

#endif // MOZART_MACHINE_MACHINEFACTS_H
