//===- PacketPlan.h - Tasks that move bytes, as packets -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a network of packets or flits has to carry for a task. A load or a store
// is cut into packets of the machine's `packetBytes`; the packets of an
// exchange are its rows, token by token.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_PACKETPLAN_H
#define MOZART_LIB_SIM_PACKETPLAN_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/status.h"

#include <vector>

namespace mozart {

/// Where packets come from or go to: the SRAM port of node `index`, or memory
/// `index`. None: the inside of the network.
struct StreamEnd {
  enum class Kind { None, Sram, Memory };
  Kind kind = Kind::None;
  int32_t index = -1;
};

/// A link of a stream's tree.
struct StreamHop {
  int32_t link = -1;
  /// The hop that comes before it (StreamShape::Copies) or after it (Sums); -1
  /// for hop 0.
  int32_t parent = -1;
  /// Those on its other side, in the machine's declared order of nodes.
  int32_t childBegin = 0, childEnd = 0;
  /// Beyond a hop without children.
  StreamEnd leaf;
  /// Latency of the node that packets leave by it, for each packet.
  int64_t nodeDelayPs = 0;
  /// The node that packets leave by it keeps them until all of the stream are
  /// there. The first then waits `headDelayPs` more: overheads of the links up
  /// to the next such node.
  bool storesWhole = false;
  int64_t headDelayPs = 0;
};

enum class StreamShape {
  /// From the trunk outwards; a packet is copied where its ways part.
  Copies,
  /// From the leaves to the trunk; the rows of one token are added where they
  /// meet, in the order of the children.
  Sums,
};

/// A packet on one of its hops. All packets of one hop are in order; so are,
/// for each packet, its hops: parents first, and the children of one together.
struct PacketHop {
  int32_t hop = -1;
  int32_t parent = -1; ///< index of the packet's own entry; -1 on hop 0
  int32_t childBegin = 0, childEnd = 0;
};

/// Packets that follow one another over a tree of links whose hop 0 is at the
/// trunk.
struct PacketStream {
  StreamShape shape = StreamShape::Copies;
  /// Where they come from (Copies) or go to (Sums).
  StreamEnd trunk;
  /// Parents first. A stream of one path has its hops in the order of travel.
  std::vector<StreamHop> hops;
  /// Where packets go that cross no link; else see StreamHop::leaf.
  StreamEnd near;
  /// From the start of the task until a source may give the first packet:
  /// latency of a memory that is read, and overheads of the links up to the
  /// first node that stores the whole message (the largest over the leaves).
  int64_t startDelayPs = 0;
  /// After the last link: latencies of the node with the memory and of the
  /// memory that is written. If `endStoresWhole`, that node stores all packets
  /// first.
  int64_t endDelayPs = 0;
  bool endStoresWhole = false;
  /// What an empty message takes: the stream lasts at least so long.
  int64_t leastPs = 0;

  int64_t numPackets = 0;
  int64_t packetBytes = 0;
  /// One packet may be of another size: the last of a load or store, the counts
  /// ahead of the rows of a dispatch.
  int64_t oddPacket = -1, oddBytes = 0;
  /// For streams whose packets do not all take the same ways: packet i takes
  /// entries [packetBegin[i], packetBegin[i + 1]). Otherwise both are empty,
  /// and each takes all hops.
  std::vector<int64_t> packetBegin;
  std::vector<PacketHop> entries;

  int64_t bytes(int64_t packet) const {
    return packet == oddPacket ? oddBytes : packetBytes;
  }
  int64_t totalBytes() const {
    return numPackets * packetBytes +
           (oddPacket >= 0 ? oddBytes - packetBytes : 0);
  }
};

/// Plans loads, stores and exchanges of a verified program.
class PacketPlanner {
public:
  PacketPlanner(const Program &program, const MachineModel &machine,
                RoutingCounter &counter)
      : program(program), machine(machine), counter(counter) {}

  /// Streams of task `task` that start with it, together; it ends when all of
  /// their packets have arrived. A load, a store and each peer of an exchange
  /// via the root is a stream; an exchange via switches has one for each link
  /// of its own node, and one for a peer on that node. Fails as
  /// `checkedTraffic` does, with kOutOfRange if delays or bytes do not fit in
  /// 63 bits, and with kInvalidArgument if the paths of an exchange via
  /// switches are no tree.
  absl::Status plan(int32_t task, std::vector<PacketStream> &streams);

private:
  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  bool overflow = false;

  int64_t add(int64_t a, int64_t b);
  void cut(PacketStream &stream, int64_t bytes);
  void addPath(PacketStream &stream, const std::vector<int32_t> &route);
  void addOverheads(PacketStream &stream);
  PacketStream load(const Task &task);
  PacketStream store(const Task &task);
  int64_t overheadPs(const std::vector<int32_t> &route);
  int64_t latencyPs(const std::vector<int32_t> &route);
  absl::Status viaRoot(int32_t task, std::vector<PacketStream> &streams);
  absl::Status viaSwitch(int32_t task, std::vector<PacketStream> &streams);
};

} // namespace mozart

#endif // MOZART_LIB_SIM_PACKETPLAN_H
