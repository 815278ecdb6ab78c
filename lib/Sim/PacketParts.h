//===- PacketParts.h - Streams, lanes and servers of packets ------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PacketNetwork is made of, as plain data. A *server* is a link or a
// memory. A *lane* is the queue of one stream's packets for one server. A
// packet that has crossed a server is *held* by the node beyond until the last
// of its *copies* has left.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_PACKETPARTS_H
#define MOZART_LIB_SIM_PACKETPARTS_H

#include "PacketPlan.h"
#include "RateServer.h"
#include "SwitchRooms.h"

#include <vector>

namespace mozart {

struct PacketLane;

/// A stream that runs.
struct RunningStream {
  PacketStream plan;
  int32_t task = -1;
  int32_t index = -1;
  int64_t startPs = 0;
  /// Lanes of the hops, in order; then one of a memory, or for packets within
  /// an SRAM.
  std::vector<PacketLane> lanes;
  bool reads = false, writes = false; ///< a memory
  /// Packets (Copies: to each leaf) that have not arrived, and when the last
  /// one did.
  int64_t leftArrivals = 0, lastArrivalPs = 0;
  /// Sums: entries by hop, by token within; of each entry, the held row that
  /// has crossed its hop, how many of its children have been added, and the
  /// held sum that is to cross it.
  std::vector<int32_t> entriesByHop, heldOf, added, sumOf;

  /// That of the memory, or of packets that stay in one SRAM.
  PacketLane &extraLane() { return lanes.back(); }
};

/// The packets of a stream that wait for a server.
struct PacketLane {
  RunningStream *stream = nullptr;
  int32_t hop = -1; ///< -1: a memory's
  int32_t server = -1;
  int32_t input = -1; ///< by which they came to the server's node
  int32_t node = -1;  ///< the node they wait at
  /// Where an input sends one packet at a time: which of all inputs; or -1.
  int32_t sender = -1;
  /// Copies that wait, in order; -1: none.
  int32_t head = -1, tail = -1;
  /// Where packets start: those that have not left yet, [next, end). On the
  /// inner hops of Sums: the entries that have not come, in `entriesByHop`.
  bool isSource = false;
  int64_t next = 0, end = 0;
  /// Does not ask for its server before it is opened: a whole message must be
  /// there.
  bool closed = false;
  int64_t arrived = 0;
  int32_t beyond = -1; ///< node that holds what has crossed, if any does
  int32_t share = -1;  ///< of that node's buffer
  /// The node beyond stores the message whole.
  bool storedBeyond = false;
  /// Where packets of Sums meet others: the reduce part beyond holds one row
  /// for each stream and link, besides the buffer.
  bool hasLatch = false;
  /// Packets that have crossed and are still held beyond; and how many may be
  /// (a memory reads ahead by so many), 0: any.
  int64_t ahead = 0, mostAhead = 0;
  int32_t endPort = -1; ///< the node in whose SRAM its packets arrive
  /// What takes a packet up while it still comes in, or null.
  RateServer *cutThrough = nullptr;
  int64_t delayPs = 0; ///< from crossing to the next queue
  /// Where its packets wait next, if that is one place for all.
  PacketLane *onward = nullptr;
  /// First queue of the input by which they come to the node beyond; -1: each
  /// stream has its own queues there.
  int32_t fifo = -1;
  int64_t crossedBytes = 0;
  int64_t partBytes = 0; ///< copies of its packets, or those added beyond
  /// Ring of the lanes of one input that have packets for the server.
  PacketLane *ringNext = nullptr, *ringPrevious = nullptr;
};

struct HeldPacket {
  enum class Room { None, Input, Message, Latch };
  PacketLane *from;
  int32_t packet;          ///< number of the packet, or entry of the plan
  int32_t copies;          ///< that have not left
  int64_t beginPs, tailPs; ///< its first and its last byte were there
  /// When those that have left do not keep its room any more.
  int64_t freePs;
  int32_t fifo, nextInFifo;
  Room room;
};

struct PacketCopy {
  int32_t held;
  int32_t packet;
  int32_t next;
};

/// A pool of plain data that gives out indices.
template <typename T> class IndexPool {
public:
  int32_t make() {
    if (unused.empty()) {
      items.emplace_back();
      return static_cast<int32_t>(items.size()) - 1;
    }
    int32_t index = unused.back();
    unused.pop_back();
    return index;
  }
  void drop(int32_t index) { unused.push_back(index); }
  int32_t size() const { return static_cast<int32_t>(items.size()); }
  T &operator[](int32_t index) { return items[index]; }
  const T &operator[](int32_t index) const { return items[index]; }

private:
  std::vector<T> items;
  std::vector<int32_t> unused;
};

/// A link, or a memory with a second rate for what is written.
struct PacketServer {
  explicit PacketServer(int64_t bytesPerSecond) : rate(bytesPerSecond) {}

  RateServer rate;
  bool busy = false, queued = false, starved = false;
  int32_t sender = -1; ///< that sends to it and to no other server
  /// The lane of each input that is next in turn, or null; whose turn it is.
  std::vector<PacketLane *> inputs;
  size_t turn = 0;
  int32_t askingLanes = 0;
};

/// What a memory has besides.
struct PacketMemory {
  RateServer writeRate;
  int64_t turnaroundPs = 0, turnaroundBytes = 0;
  bool writing = false;
  int64_t runBytes = 0; ///< since it last turned
};

/// A queue of an input of a switch with Queueing::Input.
struct InputFifo {
  int32_t length = 0; ///< with the first, until all of it has left
  int32_t next = -1;  ///< the second
  int32_t tail = -1;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_PACKETPARTS_H
