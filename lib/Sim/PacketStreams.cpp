//===- PacketStreams.cpp - Where streams of packets start and end ---------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

using namespace mozart;

//===----------------------------------------------------------------------===//
// Inputs of nodes
//===----------------------------------------------------------------------===//

/// The links to a node by number, its memories, its SRAM port, its reduce part.
void PacketNetwork::layOutInputs() {
  numInputs.assign(machine.numNodes(), 0);
  inputOf.resize(servers.size());
  for (int32_t i = 0; i < machine.numLinks(); ++i)
    inputOf[i] = numInputs[machine.link(i).target]++;
  for (int32_t i = 0; i < machine.numMemories(); ++i)
    inputOf[machine.numLinks() + i] = numInputs[machine.memory(i).node]++;
  firstFifo.assign(machine.numNodes(), -1);
  firstSender.assign(machine.numNodes(), -1);
  for (int32_t i = 0; i < machine.numNodes(); ++i) {
    const NodeFacts &node = machine.node(i);
    if (!node.isChiplet() && node.queueing == Queueing::Input) {
      firstFifo[i] = static_cast<int32_t>(fifos.size());
      fifos.resize(fifos.size() + numInputs[i] * node.virtualChannels);
    }
    if (firstFifo[i] >= 0 && node.speedup == 1) {
      firstSender[i] = static_cast<int32_t>(sending.size());
      sending.resize(sending.size() + numInputs[i], false);
    }
    numInputs[i] += 2;
    portResource.push_back(resources.sram(i, 0).resource);
    copierResource.push_back(resources.multicast(i, 0).resource);
    adderResource.push_back(resources.reduce(i, 0).resource);
  }
  for (int32_t i = 0; i < machine.numLinks(); ++i)
    servers[i].inputs.resize(numInputs[machine.link(i).source]);
  // What reads from a memory is an input of its own, the first.
  for (int32_t i = 0; i < machine.numMemories(); ++i)
    servers[machine.numLinks() + i].inputs.resize(
        1 + numInputs[machine.memory(i).node]);
  serversOf.resize(machine.numNodes());
  for (size_t i = 0; i < servers.size(); ++i)
    serversOf[nodeOf(static_cast<int32_t>(i))].push_back(
        static_cast<int32_t>(i));
  size_t numResources = servers.size();
  for (const std::vector<int32_t> *of :
       {&portResource, &copierResource, &adderResource})
    for (int32_t resource : *of)
      numResources = std::max<size_t>(numResources, resource + 1);
  carried.assign(numResources, 0);
  quiet.assign(numResources, true);
}

/// By which input the packets of a hop come to the node that they leave by it.
int32_t PacketNetwork::inputOfLane(const RunningStream &stream,
                                   int32_t hop) const {
  const PacketStream &plan = stream.plan;
  const StreamHop &at = plan.hops[hop];
  const int32_t node = machine.link(at.link).source;
  const int32_t port = numInputs[node] - 2, adder = numInputs[node] - 1;
  if (plan.shape == StreamShape::Copies) {
    if (at.parent >= 0)
      return inputOf[plan.hops[at.parent].link];
    return plan.trunk.kind == StreamEnd::Kind::Memory
               ? inputOf[machine.numLinks() + plan.trunk.index]
               : port;
  }
  switch (at.childEnd - at.childBegin) {
  case 0:
    return port;
  case 1:
    return inputOf[plan.hops[at.childBegin].link];
  default:
    return adder;
  }
}

//===----------------------------------------------------------------------===//
// Lanes of a stream
//===----------------------------------------------------------------------===//

/// With queues at outputs nothing waits for another output's sake. Packets that
/// may leave by several, or are added, are kept by input.
int32_t PacketNetwork::shareOf(const PacketLane &lane) const {
  if (lane.onward != nullptr && lane.beyond >= 0 && firstFifo[lane.beyond] < 0)
    return rooms.shareOfOutput(lane.onward->server);
  return rooms.shareOfInput(lane.server);
}

/// Where the packets of hop `hop` go next: their port, their delay, what takes
/// them up while they come in.
void PacketNetwork::layOutLanes(RunningStream &stream) {
  const PacketStream &plan = stream.plan;
  const bool sums = plan.shape == StreamShape::Sums;
  const bool isTree = !plan.packetBegin.empty();
  for (size_t i = 0; i < plan.hops.size(); ++i) {
    const StreamHop &hop = plan.hops[i];
    const LinkFacts &link = machine.link(hop.link);
    PacketLane &lane = stream.lanes[i];
    lane.stream = &stream;
    lane.hop = static_cast<int32_t>(i);
    lane.input = inputOfLane(stream, lane.hop);
    lane.node = link.source;
    lane.closed = hop.storesWhole;
    // Copies of one packet may go out together, and sums are made apart.
    if (firstSender[lane.node] >= 0 && !isTree && !lane.closed)
      lane.sender = firstSender[lane.node] + lane.input;
    lane.delayPs = link.latencyPs;
    const bool isLast = sums ? i == 0 : hop.childBegin == hop.childEnd;
    const StreamEnd end = sums ? plan.trunk : hop.leaf;
    if (isLast && end.kind == StreamEnd::Kind::Sram) {
      lane.endPort = end.index;
      continue;
    }
    if (isLast) {
      lane.delayPs += plan.endDelayPs;
      lane.onward = &stream.extraLane();
      lane.cutThrough = &memories[end.index].writeRate;
    } else {
      const int32_t next = sums ? hop.parent : hop.childBegin;
      lane.delayPs += plan.hops[next].nodeDelayPs;
      if (!isTree)
        lane.onward = &stream.lanes[next];
    }
    if (machine.node(link.target).isChiplet())
      continue;
    lane.beyond = link.target;
    lane.share = shareOf(lane);
    lane.hasLatch = sums;
    lane.storedBeyond = isLast ? plan.endStoresWhole
                               : !sums && plan.hops[hop.childBegin].storesWhole;
    if (firstFifo[link.target] >= 0 && !sums && !lane.storedBeyond)
      lane.fifo =
          firstFifo[link.target] +
          inputOf[hop.link] *
              static_cast<int32_t>(machine.node(link.target).virtualChannels);
  }
}

/// Of the memory at an end of the stream, or of packets that stay in an SRAM.
void PacketNetwork::layOutExtraLane(RunningStream &stream) {
  const PacketStream &plan = stream.plan;
  const bool local = plan.hops.empty();
  PacketLane &lane = stream.extraLane();
  lane.stream = &stream;
  lane.isSource = stream.reads || local;
  lane.end = lane.isSource ? plan.numPackets : 0;
  if (!stream.reads && !stream.writes)
    return;
  const int32_t memory =
      stream.reads ? plan.trunk.index
                   : (local ? plan.near : plan.hops.back().leaf).index;
  lane.server = machine.numLinks() + memory;
  lane.node = machine.memory(memory).node;
  const NodeFacts &node = machine.node(lane.node);
  if (stream.writes) {
    lane.input =
        1 + (local ? numInputs[lane.node] - 2 : inputOf[plan.hops.back().link]);
    lane.closed = plan.endStoresWhole;
    return;
  }
  lane.input = 0;
  if (local) {
    lane.endPort = plan.near.index;
    return;
  }
  lane.delayPs = plan.hops[0].nodeDelayPs;
  lane.onward = &stream.lanes[0];
  lane.cutThrough = &servers[plan.hops[0].link].rate;
  lane.storedBeyond = plan.hops[0].storesWhole;
  if (!node.isChiplet())
    lane.beyond = lane.node;
  lane.share = shareOf(lane);
  if (lane.storedBeyond)
    return;
  lane.mostAhead = 2;
  if (firstFifo[lane.node] >= 0)
    lane.fifo =
        firstFifo[lane.node] +
        inputOf[lane.server] * static_cast<int32_t>(node.virtualChannels);
}

/// Sorts the entries by hop, and says of each hop which are its own.
void PacketNetwork::layOutSums(RunningStream &stream) {
  const PacketStream &plan = stream.plan;
  std::vector<int64_t> end(plan.hops.size() + 1, 0);
  for (const PacketHop &entry : plan.entries)
    ++end[entry.hop + 1];
  for (size_t i = 0; i < plan.hops.size(); ++i) {
    end[i + 1] += end[i];
    PacketLane &lane = stream.lanes[i];
    lane.next = end[i];
    lane.end = end[i + 1];
    lane.isSource = plan.hops[i].childBegin == plan.hops[i].childEnd;
  }
  const size_t count = plan.entries.size();
  stream.entriesByHop.resize(count);
  for (size_t i = 0; i < count; ++i)
    stream.entriesByHop[end[plan.entries[i].hop]++] = static_cast<int32_t>(i);
  stream.heldOf.assign(count, -1);
  stream.added.assign(count, 0);
  stream.sumOf.assign(count, -1);
}

//===----------------------------------------------------------------------===//
// Starts and ends
//===----------------------------------------------------------------------===//

static int64_t countArrivals(const PacketStream &plan) {
  if (plan.shape == StreamShape::Sums || plan.packetBegin.empty())
    return plan.numPackets;
  int64_t leaves = 0;
  for (const PacketHop &entry : plan.entries)
    leaves += entry.childBegin == entry.childEnd;
  return leaves;
}

absl::Status PacketNetwork::startStream(int32_t task, PacketStream plan) {
  if (plan.numPackets > std::numeric_limits<int32_t>::max())
    return absl::OutOfRangeError(absl::StrCat(
        "program '", program.name, "', task ", task, " ('",
        program.tasks[task].name, "') moves ", plan.numPackets,
        " packets at once; expected at most 2147483647: choose larger packets, "
        "or the network 'flow'"));
  int32_t index = static_cast<int32_t>(streams.size());
  if (freeStreams.empty()) {
    streams.emplace_back();
  } else {
    index = freeStreams.back();
    freeStreams.pop_back();
  }
  streams[index] = std::make_unique<RunningStream>();
  RunningStream &stream = *streams[index];
  stream.plan = std::move(plan);
  stream.task = task;
  stream.index = index;
  stream.startPs = nowPs;
  ++outstanding[task];
  if (stream.plan.numPackets == 0) {
    schedule(nowPs + stream.plan.leastPs, Kind::StreamEnd, 0, index);
    return absl::OkStatus();
  }
  stream.leftArrivals = countArrivals(stream.plan);
  const std::vector<StreamHop> &hops = stream.plan.hops;
  stream.reads = stream.plan.trunk.kind == StreamEnd::Kind::Memory;
  stream.writes = (hops.empty() ? stream.plan.near : hops.back().leaf).kind ==
                  StreamEnd::Kind::Memory;
  const bool extra = stream.reads || stream.writes || hops.empty();
  stream.lanes.resize(hops.size() + extra);
  for (size_t i = 0; i < hops.size(); ++i)
    stream.lanes[i].server = hops[i].link;
  if (extra)
    layOutExtraLane(stream);
  layOutLanes(stream);
  if (stream.plan.shape == StreamShape::Sums) {
    layOutSums(stream);
  } else if (!stream.reads && !hops.empty()) {
    stream.lanes[0].isSource = true;
    stream.lanes[0].end = stream.plan.numPackets;
  }
  return makeRoom(stream);
}

/// Gives the stream the room for a message that switches store, and opens it
/// then.
absl::Status PacketNetwork::makeRoom(RunningStream &stream) {
  std::map<int32_t, int64_t> needs;
  for (const PacketLane &lane : stream.lanes)
    if (lane.storedBeyond)
      needs[lane.beyond] += stream.plan.totalBytes();
  std::vector<SwitchRooms::Need> list;
  for (auto [node, bytes] : needs) {
    if (bytes > rooms.capacity(node))
      return absl::ResourceExhaustedError(absl::StrCat(
          "program '", program.name, "', task ", stream.task, " ('",
          program.tasks[stream.task].name, "'): a message of ", bytes,
          " bytes is to be stored by switch '", machine.node(node).name,
          "', whose buffer_bytes is ", rooms.capacity(node),
          "; move fewer bytes at a time, choose a larger buffer or a switch "
          "that cuts through, or the network 'flow', which has no buffers"));
    list.push_back({node, bytes});
  }
  if (rooms.admit(stream.index, std::move(list)))
    scheduleOpen(stream);
  return absl::OkStatus();
}

void PacketNetwork::scheduleOpen(const RunningStream &stream) {
  const PacketStream &plan = stream.plan;
  // A memory on the chiplet itself: its latency is all there is to wait for.
  const int64_t delayPs =
      plan.startDelayPs + (plan.hops.empty() ? plan.endDelayPs : 0);
  schedule(std::max(nowPs, stream.startPs + delayPs), Kind::Open, kSources,
           stream.index);
}

void PacketNetwork::open(RunningStream &stream, int32_t index) {
  if (index != kSources) {
    PacketLane &lane = stream.lanes[index];
    lane.closed = false;
    return enterRing(lane);
  }
  if (stream.plan.hops.empty() && !stream.reads && !stream.writes)
    return localNext(stream);
  for (PacketLane &lane : stream.lanes)
    if (lane.isSource && lane.next < lane.end)
      enterRing(lane);
}

/// Packets within one SRAM: read and written by its port.
void PacketNetwork::localNext(RunningStream &stream) {
  PacketLane &lane = stream.extraLane();
  const int32_t node = stream.plan.near.index;
  const int64_t bytes = 2 * stream.plan.bytes(lane.next);
  carry(portResource[node], bytes);
  const int64_t donePs = ports[node].serve(nowPs, bytes).endPs;
  lane.crossedBytes += bytes;
  if (++lane.next < lane.end)
    schedule(donePs, Kind::LocalNext, 0, stream.index);
  arrived(stream, donePs);
}

/// What crossed which resource, as it was counted on the way.
void PacketNetwork::countBytes(const RunningStream &stream) {
  const PacketStream &plan = stream.plan;
  const bool sums = plan.shape == StreamShape::Sums;
  std::vector<FlowUse> uses;
  for (const PacketLane &lane : stream.lanes) {
    const int64_t bytes = lane.crossedBytes;
    if (lane.hop < 0 && lane.server < 0) {
      uses.push_back(resources.sram(plan.near.index, bytes));
      continue;
    }
    const int32_t memory = lane.server - machine.numLinks();
    if (memory >= 0)
      uses.push_back(stream.reads ? resources.read(memory, bytes)
                                  : resources.write(memory, bytes));
    else
      uses.push_back(resources.link(lane.server, bytes));
    if (lane.isSource && !stream.reads)
      uses.push_back(resources.sram(
          plan.hops.empty() ? plan.trunk.index : lane.node, bytes));
    if (lane.endPort >= 0)
      uses.push_back(resources.sram(lane.endPort, bytes));
    if (lane.partBytes > 0)
      uses.push_back(sums ? resources.reduce(machine.link(lane.server).target,
                                             lane.partBytes)
                          : resources.multicast(lane.node, lane.partBytes));
  }
  resources.count(uses);
}

void PacketNetwork::endStream(RunningStream &stream) {
  countBytes(stream);
  if (--outstanding[stream.task] == 0)
    endedTasks->push_back(stream.task);
  const int32_t index = stream.index;
  streams[index].reset();
  freeStreams.push_back(index);
}

absl::Status PacketNetwork::settle(int64_t settledPs,
                                   std::vector<LoadSample> &loads) {
  if (!recordLoads || settledPs == sampledPs)
    return absl::OkStatus();
  // The mean since the last start or end of a task.
  constexpr int64_t kPsPerSecond = 1000000000000;
  for (size_t i = 0; i < carried.size(); ++i) {
    if (carried[i] == 0 && quiet[i])
      continue;
    __int128 rate = static_cast<__int128>(carried[i]) * kPsPerSecond /
                    (settledPs - sampledPs);
    loads.push_back(
        {sampledPs, static_cast<int32_t>(i), static_cast<int64_t>(rate)});
    quiet[i] = carried[i] == 0;
    carried[i] = 0;
  }
  sampledPs = settledPs;
  return absl::OkStatus();
}
