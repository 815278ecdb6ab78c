//===- PacketNetwork.cpp - Transfers as packets ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events and servers. PacketQueues.cpp has what nodes do with packets,
// PacketStreams.cpp how streams start and end.
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include <algorithm>

using namespace mozart;

static constexpr int kKindShift = 60, kOrderShift = 32;
/// Later than any time that a program may reach; sums of two fit in 63 bits.
static constexpr int64_t kTooLatePs = std::numeric_limits<int64_t>::max() / 4;

static std::vector<RateServer>
ratesOfNodes(const MachineModel &machine,
             int64_t (*rateOf)(const MachineModel &, int32_t)) {
  std::vector<RateServer> result;
  for (int32_t i = 0; i < machine.numNodes(); ++i)
    result.emplace_back(std::max<int64_t>(1, rateOf(machine, i)));
  return result;
}

PacketNetwork::PacketNetwork(const NetworkContext &context)
    : program(context.program), machine(context.machine),
      resources(context.resources), recordLoads(context.options.recordLoads),
      planner(context.program, context.machine, context.counter),
      rooms(context.machine),
      ports(ratesOfNodes(context.machine,
                         [](const MachineModel &machine, int32_t node) {
                           return machine.node(node).isChiplet()
                                      ? machine.sramBytesPerSecond(node)
                                      : 0;
                         })),
      copiers(ratesOfNodes(context.machine,
                           [](const MachineModel &machine, int32_t node) {
                             return machine.node(node).multicastBytesPerSecond;
                           })),
      adders(ratesOfNodes(context.machine,
                          [](const MachineModel &machine, int32_t node) {
                            return machine.node(node).reduceBytesPerSecond;
                          })),
      starvedAt(context.machine.numNodes()),
      outstanding(context.program.tasks.size(), 0) {
  for (int32_t i = 0; i < machine.numLinks(); ++i)
    servers.emplace_back(machine.linkBytesPerSecond(i));
  for (int32_t i = 0; i < machine.numMemories(); ++i) {
    servers.emplace_back(machine.readBytesPerSecond(i));
    memories.push_back({RateServer(machine.writeBytesPerSecond(i)),
                        machine.memory(i).turnaroundPs,
                        machine.memory(i).turnaroundBytes});
  }
  layOutInputs();
}

absl::Status PacketNetwork::start(int64_t startPs, int32_t task) {
  nowPs = startPs;
  if (absl::Status status = planner.plan(task, planned); !status.ok())
    return status;
  for (PacketStream &plan : planned)
    if (absl::Status status = startStream(task, std::move(plan)); !status.ok())
      return status;
  return tooLate ? timeOverflow(program) : absl::OkStatus();
}

int64_t PacketNetwork::nextPs() const {
  return heap.empty() ? kNever : heap.top().timePs;
}

absl::StatusOr<int64_t> PacketNetwork::advance(int64_t limitPs,
                                               std::vector<int32_t> &ended) {
  endedTasks = &ended;
  while (!tooLate && !heap.empty() && heap.top().timePs <= limitPs) {
    nowPs = heap.top().timePs;
    while (!heap.empty() && heap.top().timePs == nowPs) {
      const uint64_t key = heap.top().key;
      heap.pop();
      ++numEvents;
      happen(static_cast<Kind>(key >> kKindShift),
             static_cast<int32_t>((key >> kOrderShift) & 0xfffffff),
             static_cast<int32_t>(key & 0xffffffff));
    }
    for (size_t i = 0; i < asked.size(); ++i) {
      servers[asked[i]].queued = false;
      choose(asked[i]);
    }
    asked.clear();
    if (!ended.empty() && nextPs() != nowPs)
      break;
  }
  if (tooLate)
    return timeOverflow(program);
  return nowPs;
}

void PacketNetwork::schedule(int64_t timePs, Kind kind, int64_t order,
                             int32_t index) {
  if (timePs > kTooLatePs) {
    tooLate = true;
    return;
  }
  heap.push({timePs, static_cast<uint64_t>(kind) << kKindShift |
                         static_cast<uint64_t>(order) << kOrderShift |
                         static_cast<uint32_t>(index)});
}

void PacketNetwork::happen(Kind kind, int32_t order, int32_t index) {
  switch (kind) {
  case Kind::ServerFree:
    servers[index].busy = false;
    ask(index);
    return freeSender(index);
  case Kind::Arrive:
    return arrive(index);
  case Kind::PartDone:
    if (held[index].from->stream->plan.shape == StreamShape::Sums)
      return finishSum(index);
    return spread(index);
  case Kind::Release:
    return release(index);
  case Kind::FifoNext:
    return popFifo(index);
  case Kind::Open:
    return open(*streams[index], order);
  case Kind::LocalNext:
    return localNext(*streams[index]);
  case Kind::StreamEnd:
    return endStream(*streams[index]);
  }
}

//===----------------------------------------------------------------------===//
// Servers
//===----------------------------------------------------------------------===//

void PacketNetwork::ask(int32_t index) {
  PacketServer &server = servers[index];
  if (server.busy || server.queued || server.askingLanes == 0)
    return;
  server.queued = true;
  asked.push_back(index);
}

/// An input that sends one packet at a time may send again: the servers after
/// the one that it sent to are asked first.
void PacketNetwork::freeSender(int32_t index) {
  PacketServer &server = servers[index];
  if (server.sender < 0)
    return;
  sending[server.sender] = false;
  server.sender = -1;
  const std::vector<int32_t> &others = serversOf[nodeOf(index)];
  size_t at = std::find(others.begin(), others.end(), index) - others.begin();
  for (size_t i = 0; i < others.size(); ++i) {
    at = at + 1 < others.size() ? at + 1 : 0;
    ask(others[at]);
  }
}

/// The number of the next packet of a lane that has one, or its entry.
int32_t PacketNetwork::nextPacket(const PacketLane &lane) const {
  if (!lane.isSource)
    return copies[lane.head].packet;
  const RunningStream &stream = *lane.stream;
  if (!stream.entriesByHop.empty())
    return stream.entriesByHop[lane.next];
  return static_cast<int32_t>(stream.plan.packetBegin.empty()
                                  ? lane.next
                                  : stream.plan.packetBegin[lane.next]);
}

bool PacketNetwork::mayCross(const PacketLane &lane) const {
  if (lane.sender >= 0 && sending[lane.sender])
    return false;
  return lane.beyond < 0 || lane.storedBeyond ||
         (lane.hasLatch && lane.ahead == 0) ||
         rooms.fits(lane.share, lane.stream->plan.bytes(nextPacket(lane)));
}

/// The lane whose turn it is: inputs [begin, end) in turn, and the lanes of
/// each in turn, passing over those that have no room beyond.
PacketLane *PacketNetwork::pick(PacketServer &server, size_t begin,
                                size_t end) {
  const size_t count = end - begin;
  size_t input =
      server.turn >= begin && server.turn < end ? server.turn : begin;
  for (size_t i = 0; i < count;
       ++i, input = input + 1 < end ? input + 1 : begin) {
    PacketLane *first = server.inputs[input];
    if (first == nullptr)
      continue;
    PacketLane *lane = first;
    do {
      if (mayCross(*lane)) {
        server.inputs[input] = lane->ringNext;
        server.turn = input + 1 < end ? input + 1 : begin;
        return lane;
      }
      lane = lane->ringNext;
    } while (lane != first);
  }
  return nullptr;
}

/// A memory that loses time where it turns stays as it is for so many bytes.
/// Its first input is what reads from it.
PacketLane *PacketNetwork::pickOfMemory(int32_t index) {
  PacketServer &server = servers[index];
  PacketMemory &memory = memories[index - machine.numLinks()];
  if (memory.turnaroundPs == 0)
    return pick(server, 0, server.inputs.size());
  const bool stay = memory.runBytes < memory.turnaroundBytes;
  const bool writesFirst = memory.writing == stay;
  PacketLane *lane =
      writesFirst ? pick(server, 1, server.inputs.size()) : pick(server, 0, 1);
  if (lane == nullptr)
    lane = writesFirst ? pick(server, 0, 1)
                       : pick(server, 1, server.inputs.size());
  return lane;
}

void PacketNetwork::choose(int32_t index) {
  PacketServer &server = servers[index];
  if (server.busy || server.askingLanes == 0)
    return;
  const bool isLink = index < machine.numLinks();
  PacketLane *lane =
      isLink ? pick(server, 0, server.inputs.size()) : pickOfMemory(index);
  if (lane != nullptr) {
    server.busy = true;
    server.sender = lane->sender;
    if (lane->sender >= 0)
      sending[lane->sender] = true;
    return isLink ? cross(index, *lane) : crossMemory(index, *lane);
  }
  if (server.starved)
    return;
  server.starved = true;
  const int32_t beyond = isLink
                             ? machine.link(index).target
                             : machine.memory(index - machine.numLinks()).node;
  starvedAt[beyond].push_back(index);
}

/// Takes the next packet off a lane and says which held packet it is, or -1 if
/// it comes from an SRAM.
int32_t PacketNetwork::takePacket(PacketLane &lane) {
  if (lane.isSource) {
    if (++lane.next == lane.end)
      leaveRing(lane);
    return -1;
  }
  const int32_t copy = lane.head;
  const int32_t heldIndex = copies[copy].held;
  lane.head = copies[copy].next;
  copies.drop(copy);
  if (lane.head < 0) {
    lane.tail = -1;
    leaveRing(lane);
  }
  return heldIndex;
}

/// Serves a packet that waits, or one that an SRAM port reads meanwhile. A
/// packet that was let through early is not done before it is all there.
PacketNetwork::Span PacketNetwork::serve(RateServer &rate,
                                         const PacketLane &lane,
                                         int32_t heldIndex, int64_t bytes) {
  if (heldIndex < 0) {
    carry(portResource[lane.node], bytes);
    const int64_t readPs = ports[lane.node].serve(nowPs, bytes).endPs;
    return rate.serveInStep({nowPs, readPs}, bytes);
  }
  Span span = rate.serve(nowPs, bytes);
  span.endPs = std::max(span.endPs, held[heldIndex].tailPs);
  return span;
}

void PacketNetwork::cross(int32_t index, PacketLane &lane) {
  PacketServer &server = servers[index];
  const PacketStream &plan = lane.stream->plan;
  const int32_t packet = nextPacket(lane);
  const int64_t bytes = plan.bytes(packet);
  const int32_t heldIndex = takePacket(lane);
  Span span = serve(server.rate, lane, heldIndex, bytes);
  if (heldIndex >= 0)
    leave(heldIndex, bytes, span);
  span.beginPs += lane.delayPs;
  span.endPs += lane.delayPs;
  lane.crossedBytes += bytes;
  carry(index, bytes);
  ++numHops;
  int64_t freePs = server.rate.freePs();
  if (lane.endPort >= 0) {
    // The link stays busy while the port cannot keep up with it.
    const int64_t donePs = arriveInSram(lane.endPort, span, bytes);
    freePs = std::max(freePs, donePs - lane.delayPs);
    arrived(*lane.stream, donePs);
  } else {
    hold(lane, packet, bytes, span);
  }
  schedule(freePs, Kind::ServerFree, index, index);
}

int64_t PacketNetwork::arriveInSram(int32_t node, Span span, int64_t bytes) {
  carry(portResource[node], bytes);
  return ports[node].serveWhile(span, bytes).endPs;
}

void PacketNetwork::turn(int32_t index, bool write) {
  PacketMemory &memory = memories[index - machine.numLinks()];
  if (memory.writing == write)
    return;
  RateServer &reads = servers[index].rate;
  const int64_t freePs = (write ? reads : memory.writeRate).freePs();
  (write ? memory.writeRate : reads).holdUntil(freePs + memory.turnaroundPs);
  memory.writing = write;
  memory.runBytes = 0;
}

void PacketNetwork::crossMemory(int32_t index, PacketLane &lane) {
  PacketServer &server = servers[index];
  PacketMemory &memory = memories[index - machine.numLinks()];
  const bool write = lane.stream->writes;
  const int32_t packet = nextPacket(lane);
  const int64_t bytes = lane.stream->plan.bytes(packet);
  turn(index, write);
  memory.runBytes += bytes;
  lane.crossedBytes += bytes;
  carry(index, bytes);
  RateServer &rate = write ? memory.writeRate : server.rate;
  Span span;
  if (write) {
    const int32_t heldIndex = takePacket(lane);
    span = serve(rate, lane, heldIndex, bytes);
    if (heldIndex >= 0)
      leave(heldIndex, bytes, span);
    arrived(*lane.stream, span.endPs);
  } else {
    takePacket(lane); // it starts here
    span = rate.serve(nowPs, bytes);
  }
  int64_t freePs = rate.freePs();
  if (lane.endPort >= 0) {
    const int64_t donePs = arriveInSram(lane.endPort, span, bytes);
    freePs = std::max(freePs, donePs - ports[lane.endPort].spanPs(bytes));
    arrived(*lane.stream, donePs);
  } else if (!write) {
    hold(lane, packet, bytes,
         {span.beginPs + lane.delayPs, span.endPs + lane.delayPs});
    if (lane.ahead == lane.mostAhead && lane.ringNext != nullptr)
      leaveRing(lane);
  }
  schedule(freePs, Kind::ServerFree, index, index);
}

/// A copy of a held packet crosses a server in `span`. Another packet may come
/// in while the last copy goes out, so long as it does not overtake it.
void PacketNetwork::leave(int32_t heldIndex, int64_t bytes, Span span) {
  HeldPacket &packet = held[heldIndex];
  packet.freePs =
      std::max(packet.freePs,
               span.endPs - servers[packet.from->server].rate.spanPs(bytes));
  if (--packet.copies > 0)
    return;
  if (packet.fifo >= 0)
    schedule(span.endPs, Kind::FifoNext, 0, packet.fifo);
  if (packet.freePs <= nowPs)
    return release(heldIndex);
  schedule(packet.freePs, Kind::Release, 0, heldIndex);
}

/// The packet will be at the node beyond. Links and memories work while a
/// memory reads or a link delivers; all else waits until the packet is whole.
void PacketNetwork::hold(PacketLane &lane, int32_t packet, int64_t bytes,
                         Span span) {
  using Room = HeldPacket::Room;
  Room room = Room::None;
  if (lane.beyond >= 0) {
    room = lane.storedBeyond                  ? Room::Message
           : lane.hasLatch && lane.ahead == 0 ? Room::Latch
                                              : Room::Input;
    if (room == Room::Input)
      rooms.take(lane.share, bytes);
  }
  ++lane.ahead;
  int64_t timePs = span.endPs;
  if (lane.cutThrough != nullptr)
    timePs =
        std::max(span.beginPs, span.endPs - lane.cutThrough->spanPs(bytes));
  const int32_t index = held.make();
  held[index] = {&lane, packet, 0, span.beginPs, span.endPs, 0, -1, -1, room};
  schedule(timePs, Kind::Arrive, lane.server, index);
}

void PacketNetwork::arrived(RunningStream &stream, int64_t timePs) {
  stream.lastArrivalPs = std::max(stream.lastArrivalPs, timePs);
  if (--stream.leftArrivals > 0)
    return;
  schedule(std::max(stream.lastArrivalPs, stream.startPs + stream.plan.leastPs),
           Kind::StreamEnd, 0, stream.index);
}
