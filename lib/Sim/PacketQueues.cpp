//===- PacketQueues.cpp - What nodes do with packets ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include <algorithm>

using namespace mozart;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Behind the others of its input.
void PacketNetwork::enterRing(PacketLane &lane) {
  if (lane.ringNext != nullptr)
    return;
  PacketServer &server = servers[lane.server];
  PacketLane *&turn = server.inputs[lane.input];
  if (turn == nullptr) {
    turn = lane.ringNext = lane.ringPrevious = &lane;
  } else {
    lane.ringNext = turn;
    lane.ringPrevious = turn->ringPrevious;
    lane.ringPrevious->ringNext = &lane;
    turn->ringPrevious = &lane;
  }
  ++server.askingLanes;
  ask(lane.server);
}

void PacketNetwork::leaveRing(PacketLane &lane) {
  PacketServer &server = servers[lane.server];
  PacketLane *&turn = server.inputs[lane.input];
  if (lane.ringNext == &lane) {
    turn = nullptr;
  } else {
    lane.ringPrevious->ringNext = lane.ringNext;
    lane.ringNext->ringPrevious = lane.ringPrevious;
    if (turn == &lane)
      turn = lane.ringNext;
  }
  lane.ringNext = lane.ringPrevious = nullptr;
  --server.askingLanes;
}

void PacketNetwork::enqueue(PacketLane &lane, int32_t heldIndex,
                            int32_t packet) {
  const int32_t copy = copies.make();
  copies[copy] = {heldIndex, packet, -1};
  if (lane.tail < 0)
    lane.head = copy;
  else
    copies[lane.tail].next = copy;
  lane.tail = copy;
  if (!lane.closed)
    return enterRing(lane);
  // A whole message: the last of it opens the lane.
  if (++lane.arrived < lane.stream->plan.numPackets)
    return;
  const int64_t headPs =
      lane.hop < 0 ? 0 : lane.stream->plan.hops[lane.hop].headDelayPs;
  schedule(std::max(nowPs, held[heldIndex].tailPs) + headPs, Kind::Open,
           &lane - lane.stream->lanes.data(), lane.stream->index);
}

//===----------------------------------------------------------------------===//
// Packets that arrive
//===----------------------------------------------------------------------===//

/// Into a queue of its input, the shortest, where the node has such queues.
void PacketNetwork::arrive(int32_t heldIndex) {
  PacketLane &from = *held[heldIndex].from;
  if (from.stream->plan.shape == StreamShape::Sums)
    return add(heldIndex);
  if (from.fifo < 0)
    return expose(heldIndex);
  int32_t fifo = from.fifo;
  for (int32_t i = 1; i < machine.node(from.beyond).virtualChannels; ++i)
    if (fifos[from.fifo + i].length < fifos[fifo].length)
      fifo = from.fifo + i;
  InputFifo &queue = fifos[fifo];
  held[heldIndex].fifo = fifo;
  switch (++queue.length) {
  case 1:
    queue.tail = heldIndex;
    queue.next = -1;
    return expose(heldIndex);
  case 2: // the first may have been released, but not be through
    queue.next = heldIndex;
    break;
  default:
    held[queue.tail].nextInFifo = heldIndex;
  }
  queue.tail = heldIndex;
}

/// The packet may leave. Its copies are made at the rate of the node's part.
void PacketNetwork::expose(int32_t heldIndex) {
  HeldPacket &packet = held[heldIndex];
  RunningStream &stream = *packet.from->stream;
  if (packet.from->onward != nullptr)
    return spread(heldIndex);
  const PacketHop &entry = stream.plan.entries[packet.packet];
  const int32_t ways = entry.childEnd - entry.childBegin;
  if (ways == 1)
    return spread(heldIndex);
  const int64_t bytes = stream.plan.packetBytes;
  const PacketLane &first =
      stream.lanes[stream.plan.entries[entry.childBegin].hop];
  for (int32_t i = entry.childBegin; i < entry.childEnd; ++i)
    stream.lanes[stream.plan.entries[i].hop].partBytes += bytes;
  carry(copierResource[first.node], ways * bytes);
  const int64_t copiedPs = copiers[first.node].serve(nowPs, ways * bytes).endPs;
  packet.tailPs = std::max(packet.tailPs, copiedPs);
  const int64_t readyPs = copiedPs - servers[first.server].rate.spanPs(bytes);
  if (readyPs <= nowPs)
    return spread(heldIndex);
  schedule(readyPs, Kind::PartDone, first.node, heldIndex);
}

void PacketNetwork::spread(int32_t heldIndex) {
  PacketLane &from = *held[heldIndex].from;
  const int32_t packet = held[heldIndex].packet;
  if (from.onward != nullptr) {
    held[heldIndex].copies = 1;
    return enqueue(*from.onward, heldIndex, packet);
  }
  RunningStream &stream = *from.stream;
  const PacketHop &entry = stream.plan.entries[packet];
  held[heldIndex].copies = entry.childEnd - entry.childBegin;
  for (int32_t i = entry.childBegin; i < entry.childEnd; ++i)
    enqueue(stream.lanes[stream.plan.entries[i].hop], heldIndex, i);
}

/// A row has come to a node where it may meet others of its token. They are
/// added in the order of the children, a row while it comes in if it is its
/// turn.
void PacketNetwork::add(int32_t heldIndex) {
  RunningStream &stream = *held[heldIndex].from->stream;
  const int32_t row = held[heldIndex].packet;
  const int32_t sum = stream.plan.entries[row].parent;
  const PacketHop &entry = stream.plan.entries[sum];
  stream.heldOf[row] = heldIndex;
  if (entry.childEnd - entry.childBegin == 1)
    return finishSum(heldIndex);
  const int64_t bytes = stream.plan.packetBytes;
  const int32_t node = stream.lanes[stream.plan.entries[sum].hop].node;
  int32_t next = entry.childBegin + stream.added[sum];
  if (next != row)
    return;
  Span span = {held[heldIndex].beginPs, nowPs};
  for (; next < entry.childEnd && stream.heldOf[next] >= 0; ++next) {
    carry(adderResource[node], bytes);
    stream.lanes[stream.plan.entries[next].hop].partBytes += bytes;
    span = next == row ? adders[node].serveWhile(span, bytes)
                       : adders[node].serve(nowPs, bytes);
  }
  stream.added[sum] = next - entry.childBegin;
  if (next < entry.childEnd)
    return;
  const int32_t last = stream.heldOf[next - 1];
  if (span.endPs <= nowPs)
    return finishSum(last);
  schedule(span.endPs, Kind::PartDone, node, last);
}

/// The sum takes the place of its last row; the others give theirs back. Sums
/// leave a node in the order of tokens.
void PacketNetwork::finishSum(int32_t heldIndex) {
  RunningStream &stream = *held[heldIndex].from->stream;
  const int32_t sum = stream.plan.entries[held[heldIndex].packet].parent;
  const PacketHop &entry = stream.plan.entries[sum];
  for (int32_t i = entry.childBegin; i + 1 < entry.childEnd; ++i)
    release(stream.heldOf[i]);
  held[heldIndex].packet = sum;
  stream.sumOf[sum] = heldIndex;
  PacketLane &lane = stream.lanes[entry.hop];
  while (lane.next < lane.end) {
    const int32_t next = stream.entriesByHop[lane.next];
    const int32_t ready = stream.sumOf[next];
    if (ready < 0)
      return;
    ++lane.next;
    held[ready].copies = 1;
    enqueue(lane, ready, next);
  }
}

//===----------------------------------------------------------------------===//
// Packets that have left
//===----------------------------------------------------------------------===//

/// The first packet of an input's queue has left: the next may.
void PacketNetwork::popFifo(int32_t index) {
  InputFifo &queue = fifos[index];
  if (--queue.length == 0)
    return;
  const int32_t first = queue.next;
  queue.next = held[first].nextInFifo;
  expose(first);
}

/// Gives back the room of a packet to those who want it.
void PacketNetwork::release(int32_t heldIndex) {
  HeldPacket &packet = held[heldIndex];
  PacketLane &lane = *packet.from;
  const int64_t bytes = lane.stream->plan.bytes(packet.packet);
  const HeldPacket::Room room = packet.room;
  packet.from = nullptr;
  held.drop(heldIndex);
  --lane.ahead;
  if (room == HeldPacket::Room::Input)
    rooms.give(lane.share, bytes);
  else if (room == HeldPacket::Room::Message)
    rooms.giveBack(lane.beyond, bytes);
  if (lane.mostAhead > 0 && lane.next < lane.end)
    enterRing(lane);
  if (lane.beyond >= 0)
    wake(lane.beyond);
}

/// There is more room at a node.
void PacketNetwork::wake(int32_t node) {
  for (int32_t server : starvedAt[node]) {
    servers[server].starved = false;
    ask(server);
  }
  starvedAt[node].clear();
  if (!rooms.mayAdmit(node))
    return;
  admitted.clear();
  rooms.admitWaiting(admitted);
  for (int32_t stream : admitted)
    scheduleOpen(*streams[stream]);
}
