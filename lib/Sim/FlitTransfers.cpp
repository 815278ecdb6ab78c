//===- FlitTransfers.cpp - Transfers as flits -----------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitTransfers.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <limits>

using namespace mozart;

/// Packets that a source is given ahead of the one that it sends.
static constexpr int32_t kAhead = 2;

absl::StatusOr<std::unique_ptr<FlitTransfers>>
FlitTransfers::create(const NetworkContext &context) {
  absl::StatusOr<FlitMachine> flits = FlitMachine::create(context.machine);
  if (!flits.ok())
    return flits.status();
  return std::unique_ptr<FlitTransfers>(
      new FlitTransfers(context, *std::move(flits)));
}

FlitTransfers::FlitTransfers(const NetworkContext &context, FlitMachine made)
    : program(context.program), machine(context.machine),
      resources(context.resources), recordLoads(context.options.recordLoads),
      planner(context.program, context.machine, context.counter),
      flits(std::move(made)), feeders(flits.sources.size()), freeHops(32),
      outstanding(context.program.tasks.size(), 0),
      sampledFlits(context.machine.numLinks(), 0),
      quiet(context.machine.numLinks(), true) {}

void FlitTransfers::schedule(int64_t fromPs, int64_t delayPs, Kind kind,
                             int32_t stream, int32_t hop) {
  int64_t timePs = 0;
  if (fromPs < 0 || __builtin_add_overflow(fromPs, delayPs, &timePs) ||
      timePs == kNever)
    tooLate = true;
  else
    timed.push({timePs, kind, stream, hop});
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

absl::Status FlitTransfers::start(int64_t nowPs, int32_t task) {
  if (absl::Status status = planner.plan(task, planned); !status.ok())
    return status;
  if (planned.empty()) {
    // Nothing moves: an empty stream ends at once.
    planned.emplace_back();
  }
  outstanding[task] = static_cast<int32_t>(planned.size());
  for (PacketStream &plan : planned)
    if (absl::Status status = startStream(nowPs, task, std::move(plan));
        !status.ok())
      return status;
  return tooLate ? timeOverflow(program) : absl::OkStatus();
}

absl::Status FlitTransfers::checkSize(int32_t task,
                                      const PacketStream &plan) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t largest = numFlits(std::max(plan.packetBytes, plan.oddBytes));
  const size_t hops =
      plan.entries.empty() ? plan.hops.size() : plan.entries.size();
  if (plan.numPackets <= kMost && largest <= kMost && hops <= (1u << 30) &&
      plan.numPackets * (static_cast<__int128>(largest) *
                         static_cast<__int128>(plan.hops.size() + 1)) <=
          std::numeric_limits<int64_t>::max())
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(
      "program '", program.name, "', task ", task, " ('",
      program.tasks[task].name, "') moves ", plan.numPackets, " packets of ",
      largest,
      " flits at once; expected at most 2147483647 of either and 2^63 "
      "flits on all links: choose the network 'packet' or 'flow'"));
}

absl::Status FlitTransfers::startStream(int64_t nowPs, int32_t task,
                                        PacketStream plan) {
  if (absl::Status status = checkSize(task, plan); !status.ok())
    return status;
  int32_t index = static_cast<int32_t>(streams.size());
  if (freeStreams.empty()) {
    streams.emplace_back();
  } else {
    index = freeStreams.back();
    freeStreams.pop_back();
  }
  Stream &stream = streams[index];
  stream = Stream();
  stream.plan = std::move(plan);
  stream.task = task;
  stream.startPs = nowPs;
  if (stream.plan.numPackets == 0) {
    schedule(nowPs, stream.plan.leastPs, Kind::End, index);
    return absl::OkStatus();
  }
  stream.leftArrivals = stream.plan.numPackets;
  int64_t delayPs = stream.plan.startDelayPs;
  if (stream.plan.hops.empty()) {
    schedule(nowPs, delayPs, Kind::LocalNext, index);
    return absl::OkStatus();
  }
  if (stream.plan.packetBegin.empty())
    layOutPath(stream);
  else if (stream.plan.shape == StreamShape::Copies)
    layOutCopies(stream);
  else
    layOutSums(stream);
  schedule(nowPs, delayPs, Kind::Open, index);
  return absl::OkStatus();
}

/// Hops of the network come in blocks of powers of two, to be used again.
int32_t FlitTransfers::takeHops(int32_t count) {
  size_t size = 0;
  while ((int64_t{1} << size) < count)
    ++size;
  if (freeHops[size].empty())
    return flits.network->addHops(int32_t{1} << size);
  int32_t first = freeHops[size].back();
  freeHops[size].pop_back();
  return first;
}

/// Rows of an exchange are stored one by one.
bool FlitTransfers::storesRows(int32_t node) const {
  return !machine.node(node).isChiplet() &&
         machine.node(node).forwarding == Forwarding::StoreAndForward;
}

void FlitTransfers::layOutPath(Stream &stream) {
  const PacketStream &plan = stream.plan;
  const int32_t count = static_cast<int32_t>(plan.hops.size());
  stream.firstHop = takeHops(count);
  stream.stored.resize(plan.hops.size());
  for (int32_t i = 0; i < count; ++i) {
    FlitHop hop;
    hop.link = plan.hops[i].link;
    const int32_t far = machine.link(hop.link).target;
    if (i + 1 == count) {
      if (!plan.endStoresWhole)
        hop.childBegin = flits.serverOf(plan.hops[i].leaf);
    } else if (!plan.hops[i + 1].storesWhole && !storesRows(far)) {
      hop.childBegin = stream.firstHop + i + 1;
      hop.numChildren = 1;
    }
    flits.network->hop(stream.firstHop + i) = hop;
  }
}

void FlitTransfers::layOutCopies(Stream &stream) {
  const PacketStream &plan = stream.plan;
  stream.firstHop = takeHops(static_cast<int32_t>(plan.entries.size()));
  stream.leftArrivals = 0;
  for (size_t i = 0; i < plan.entries.size(); ++i) {
    const PacketHop &entry = plan.entries[i];
    FlitHop hop;
    hop.link = plan.hops[entry.hop].link;
    const int32_t far = machine.link(hop.link).target;
    if (entry.childBegin == entry.childEnd) {
      hop.childBegin = flits.serverOf(plan.hops[entry.hop].leaf);
      ++stream.leftArrivals;
    } else if (!storesRows(far)) {
      hop.childBegin = stream.firstHop + entry.childBegin;
      hop.numChildren = entry.childEnd - entry.childBegin;
    }
    flits.network->hop(stream.firstHop + static_cast<int32_t>(i)) = hop;
  }
}

void FlitTransfers::layOutSums(Stream &stream) {
  const PacketStream &plan = stream.plan;
  stream.firstHop = takeHops(static_cast<int32_t>(plan.entries.size()));
  stream.missing.resize(plan.entries.size());
  for (size_t i = 0; i < plan.entries.size(); ++i) {
    const PacketHop &entry = plan.entries[i];
    stream.missing[i] = entry.childEnd - entry.childBegin;
    FlitHop hop;
    hop.link = plan.hops[entry.hop].link;
    const int32_t far = machine.link(hop.link).target;
    if (entry.parent < 0) {
      hop.childBegin = flits.serverOf(plan.trunk);
    } else if (const PacketHop &parent = plan.entries[entry.parent];
               parent.childEnd - parent.childBegin > 1) {
      hop.childBegin = flits.reduceServers[far];
    } else if (!storesRows(far)) {
      hop.childBegin = stream.firstHop + entry.parent;
      hop.numChildren = 1;
    }
    flits.network->hop(stream.firstHop + static_cast<int32_t>(i)) = hop;
  }
}

void FlitTransfers::open(int32_t index) {
  const PacketStream &plan = streams[index].plan;
  Feeder feeder;
  feeder.stream = index;
  if (plan.shape == StreamShape::Copies || plan.packetBegin.empty()) {
    feeder.hop = 0;
    feeder.end = static_cast<size_t>(plan.numPackets);
    return addFeeder(flits.sourceOf(plan.hops[0].link, plan.trunk),
                     std::move(feeder));
  }
  std::vector<Feeder> leaves(plan.hops.size(), feeder);
  for (size_t i = 0; i < plan.entries.size(); ++i)
    if (plan.entries[i].childBegin == plan.entries[i].childEnd)
      leaves[plan.entries[i].hop].entries.push_back(static_cast<int32_t>(i));
  for (size_t hop = 0; hop < leaves.size(); ++hop) {
    leaves[hop].hop = static_cast<int32_t>(hop);
    leaves[hop].end = leaves[hop].entries.size();
    if (leaves[hop].end > 0)
      addFeeder(flits.sourceOf(plan.hops[hop].link, plan.hops[hop].leaf),
                std::move(leaves[hop]));
  }
}

void FlitTransfers::addFeeder(int32_t source, Feeder feeder) {
  feeders[source].push_back(std::move(feeder));
  feed(source);
}

/// Streams take turns, a packet each.
void FlitTransfers::feed(int32_t source) {
  std::deque<Feeder> &queue = feeders[source];
  while (!queue.empty() && flits.network->sourceQueue(source) < kAhead) {
    Feeder feeder = std::move(queue.front());
    queue.pop_front();
    const Stream &stream = streams[feeder.stream];
    const PacketStream &plan = stream.plan;
    int32_t hop = feeder.hop;
    int64_t size = numFlits(plan.packetBytes);
    if (!feeder.entries.empty())
      hop = feeder.entries[feeder.next];
    else if (!feeder.stored.empty())
      size = feeder.stored[feeder.next];
    else {
      size = numFlits(plan.bytes(static_cast<int64_t>(feeder.next)));
      if (!plan.packetBegin.empty())
        hop = static_cast<int32_t>(plan.packetBegin[feeder.next]);
    }
    flits.network->inject(source, stream.firstHop + hop,
                          static_cast<int32_t>(size), feeder.stream);
    if (++feeder.next < feeder.end)
      queue.push_back(std::move(feeder));
  }
}

//===----------------------------------------------------------------------===//
// What happens
//===----------------------------------------------------------------------===//

int64_t FlitTransfers::nextPs() const {
  const int64_t timedPs = timed.empty() ? kNever : timed.top().timePs;
  if (flits.network->standsStill())
    return timedPs;
  const int64_t cycle = flits.network->nextCycle();
  if (cycle < 0)
    return timedPs;
  const int64_t ps = flits.psOf(cycle);
  // A time that does not fit is found out in `advance`.
  return std::min(timedPs, ps < 0 ? kNever - 1 : ps);
}

absl::StatusOr<int64_t>
FlitTransfers::advance(int64_t limitPs, std::vector<int32_t> &endedTasks) {
  int64_t reachedPs = nextPs();
  for (int64_t timePs = reachedPs; !tooLate && timePs <= limitPs;) {
    reachedPs = timePs;
    const int64_t cycle = flits.network->nextCycle();
    if (!timed.empty() && timed.top().timePs == timePs) {
      // Servers and sources take up work in the next cycle.
      flits.network->skipTo(
          std::max(flits.network->cycle(), flits.cycleAt(timePs)));
      Event event = timed.top();
      timed.pop();
      ++numEvents;
      happen(event, endedTasks);
    } else if (flits.psOf(cycle) < 0) {
      tooLate = true;
    } else {
      flits.network->skipTo(cycle);
      runCycle();
    }
    timePs = nextPs();
    if (timePs == kNever || (!endedTasks.empty() && timePs != reachedPs))
      break;
  }
  if (tooLate)
    return timeOverflow(program);
  return reachedPs;
}

void FlitTransfers::happen(const Event &event,
                           std::vector<int32_t> &endedTasks) {
  switch (event.kind) {
  case Kind::Open:
    return open(event.stream);
  case Kind::Release: {
    Stream &stream = streams[event.stream];
    Feeder feeder;
    feeder.stream = event.stream;
    feeder.hop = event.hop;
    feeder.stored = std::move(stream.stored[event.hop]);
    feeder.end = feeder.stored.size();
    return addFeeder(flits.sourceOf(stream.plan.hops[event.hop].link, {}),
                     std::move(feeder));
  }
  case Kind::LocalNext:
    return localNext(event.stream);
  case Kind::End:
    return end(event.stream, endedTasks);
  }
}

void FlitTransfers::runCycle() {
  flits.network->step();
  for (int32_t source : flits.network->drained())
    feed(source);
  for (const FlitDelivery &delivery : flits.network->delivered())
    arrived(delivery);
}

void FlitTransfers::arrived(const FlitDelivery &delivery) {
  const Stream &stream = streams[delivery.tag];
  const PacketStream &plan = stream.plan;
  const int32_t at = delivery.hop - stream.firstHop;
  if (plan.packetBegin.empty())
    return arrivedOnPath(delivery.tag, at, delivery.flits);
  const PacketHop &entry = plan.entries[at];
  if (plan.shape == StreamShape::Copies) {
    if (entry.childBegin == entry.childEnd)
      return finish(delivery.tag);
    for (int32_t i = entry.childBegin; i < entry.childEnd; ++i)
      passOn(delivery.tag, i, delivery.flits);
    return;
  }
  if (entry.parent < 0)
    return finish(delivery.tag);
  if (--streams[delivery.tag].missing[entry.parent] == 0)
    passOn(delivery.tag, entry.parent, delivery.flits);
}

/// A switch sends a row that it has stored or added.
void FlitTransfers::passOn(int32_t index, int32_t entry, int32_t size) {
  const Stream &stream = streams[index];
  const int32_t link = stream.plan.hops[stream.plan.entries[entry].hop].link;
  flits.network->inject(flits.sourceOf(link, {}), stream.firstHop + entry, size,
                        index);
}

void FlitTransfers::arrivedOnPath(int32_t index, int32_t hop, int32_t size) {
  Stream &stream = streams[index];
  const int32_t next = hop + 1;
  if (next == static_cast<int32_t>(stream.plan.hops.size()))
    return finish(index);
  if (!stream.plan.hops[next].storesWhole) {
    flits.network->inject(flits.sourceOf(stream.plan.hops[next].link, {}),
                          stream.firstHop + next, size, index);
    return;
  }
  stream.stored[next].push_back(size);
  if (static_cast<int64_t>(stream.stored[next].size()) ==
      stream.plan.numPackets)
    schedule(flits.psOf(flits.network->cycle()),
             stream.plan.hops[next].headDelayPs, Kind::Release, index, next);
}

/// A packet is where it goes to, in the cycle before the current one. The last
/// of a message that the memory's switch has stored is written with the others.
void FlitTransfers::finish(int32_t index) {
  Stream &stream = streams[index];
  if (--stream.leftArrivals > 0)
    return;
  const PacketStream &plan = stream.plan;
  int64_t cycle = flits.network->cycle() - 1;
  if (plan.endStoresWhole)
    cycle = flits.network->serve(flits.serverOf(plan.hops.back().leaf),
                                 numFlits(plan.totalBytes()), true);
  const int64_t donePs = flits.psOf(cycle);
  if (donePs < 0)
    tooLate = true;
  else
    schedule(
        std::max(donePs, stream.startPs),
        std::max(plan.endDelayPs, plan.leastPs - (donePs - stream.startPs)),
        Kind::End, index);
}

/// Packets that cross no link: both ends serve each.
void FlitTransfers::localNext(int32_t index) {
  Stream &stream = streams[index];
  const PacketStream &plan = stream.plan;
  const int64_t size = numFlits(plan.bytes(stream.localNext++));
  const int64_t read =
      flits.network->serve(flits.serverOf(plan.trunk), size, false);
  const int64_t written =
      flits.network->serve(flits.serverOf(plan.near), size, true);
  const int64_t donePs = flits.psOf(std::max(read, written));
  if (stream.localNext < plan.numPackets)
    return schedule(donePs, 0, Kind::LocalNext, index);
  schedule(
      donePs,
      std::max(plan.endDelayPs,
               plan.leastPs - (std::max<int64_t>(donePs, 0) - stream.startPs)),
      Kind::End, index);
}

void FlitTransfers::end(int32_t index, std::vector<int32_t> &endedTasks) {
  Stream &stream = streams[index];
  countBytes(stream.plan);
  if (stream.firstHop >= 0) {
    const size_t count = stream.plan.packetBegin.empty()
                             ? stream.plan.hops.size()
                             : stream.plan.entries.size();
    size_t size = 0;
    while ((size_t{1} << size) < count)
      ++size;
    freeHops[size].push_back(stream.firstHop);
  }
  if (--outstanding[stream.task] == 0)
    endedTasks.push_back(stream.task);
  stream = Stream();
  freeStreams.push_back(index);
}

//===----------------------------------------------------------------------===//
// What is said of it
//===----------------------------------------------------------------------===//

void FlitTransfers::countBytes(const PacketStream &plan) {
  std::vector<FlowUse> uses;
  const int64_t total = plan.totalBytes();
  auto atEnd = [&](StreamEnd end, int64_t bytes, bool writes) {
    if (end.kind == StreamEnd::Kind::Sram)
      uses.push_back(resources.sram(end.index, bytes));
    else if (end.kind == StreamEnd::Kind::Memory)
      uses.push_back(writes ? resources.write(end.index, bytes)
                            : resources.read(end.index, bytes));
  };
  const bool sums = plan.shape == StreamShape::Sums;
  if (plan.numPackets > 0)
    atEnd(plan.trunk, total, sums);
  if (plan.hops.empty() && plan.numPackets > 0)
    atEnd(plan.near, total, true);
  std::vector<int64_t> bytes(plan.hops.size(),
                             plan.packetBegin.empty() ? total : 0);
  for (const PacketHop &entry : plan.entries) {
    bytes[entry.hop] += plan.packetBytes;
    const int64_t ways = entry.childEnd - entry.childBegin;
    if (ways < 2)
      continue;
    const LinkFacts &link = machine.link(plan.hops[entry.hop].link);
    uses.push_back(
        sums ? resources.reduce(link.source, ways * plan.packetBytes)
             : resources.multicast(link.target, ways * plan.packetBytes));
  }
  for (size_t i = 0; i < plan.hops.size(); ++i) {
    uses.push_back(resources.link(plan.hops[i].link, bytes[i]));
    atEnd(plan.hops[i].leaf, bytes[i], !sums);
  }
  resources.count(uses);
}

absl::Status FlitTransfers::settle(int64_t nowPs,
                                   std::vector<LoadSample> &loads) {
  if (!recordLoads || nowPs == sampledPs)
    return absl::OkStatus();
  // The mean since the last start or end of a task.
  constexpr __int128 kPsPerSecond = 1000000000000;
  for (int32_t link = 0; link < machine.numLinks(); ++link) {
    const int64_t sent = flits.network->flitsSent(link) - sampledFlits[link];
    sampledFlits[link] += sent;
    if (sent == 0 && quiet[link])
      continue;
    quiet[link] = sent == 0;
    __int128 rate = static_cast<__int128>(sent) * flits.flitBytes *
                    kPsPerSecond / (nowPs - sampledPs);
    loads.push_back({sampledPs, resources.link(link, 0).resource,
                     static_cast<int64_t>(rate)});
  }
  sampledPs = nowPs;
  return absl::OkStatus();
}

std::string FlitTransfers::explainStandstill() const {
  const std::vector<int32_t> cycle = flits.network->waitCycle();
  if (cycle.empty())
    return absl::StrCat("no flit moves, and ", flits.network->packetsLeft(),
                        " packets are under way");
  return absl::StrCat(
      "the queues of these links wait for each other: ",
      absl::StrJoin(cycle, ", ", [&](std::string *out, int32_t link) {
        absl::StrAppend(out, "'", machine.node(machine.link(link).source).name,
                        "->", machine.node(machine.link(link).target).name,
                        "'");
      }));
}
