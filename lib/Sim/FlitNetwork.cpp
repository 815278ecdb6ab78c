//===- FlitNetwork.cpp - A network cycle by cycle -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitNetwork.h"

#include <algorithm>

using namespace mozart;

/// Steps of a router after route computation: channel allocation, switch
/// allocation, traversal.
static constexpr int32_t kStepsAfterRouting = 3;

FlitNetwork::FlitNetwork(absl::Span<const FlitNode> facts,
                         absl::Span<const FlitLink> links,
                         absl::Span<const FlitSource> sources,
                         absl::Span<const FlitServer> serverFacts) {
  for (const FlitServer &ticks : serverFacts) {
    servers.emplace_back();
    servers.back().ticks = ticks;
  }
  layOut(facts, links, sources);
  layOutBits();
  layOutWheel(facts, links);
}

int32_t FlitNetwork::addInput(Node &node, int32_t numChannels,
                              int32_t slotsEach) {
  Input input;
  input.node = static_cast<int32_t>(&node - nodes.data());
  input.local = node.numInputs++;
  input.firstChannel = static_cast<int32_t>(channels.size());
  input.numChannels = numChannels;
  for (int32_t i = 0; i < numChannels; ++i) {
    Channel channel;
    channel.input = static_cast<int32_t>(inputs.size());
    channel.local = node.numChannels++;
    channel.firstSlot = static_cast<int32_t>(slots.size());
    channel.credits = slotsEach;
    slots.resize(slots.size() + static_cast<size_t>(slotsEach));
    channels.push_back(channel);
  }
  inputs.push_back(input);
  return static_cast<int32_t>(inputs.size() - 1);
}

void FlitNetwork::addOutput(Node &node, int32_t link, const FlitLink &facts) {
  Output output;
  output.node = static_cast<int32_t>(&node - nodes.data());
  output.local = node.numOutputs++;
  output.link = link;
  output.target = facts.target;
  output.wholeCycles = facts.cyclesNumerator / facts.cyclesDenominator;
  output.partCycles = facts.cyclesNumerator % facts.cyclesDenominator;
  output.parts = facts.cyclesDenominator;
  output.latencyCycles = facts.latencyCycles;
  outputOf[link] = static_cast<int32_t>(outputs.size());
  outputs.push_back(output);
}

void FlitNetwork::layOut(absl::Span<const FlitNode> facts,
                         absl::Span<const FlitLink> links,
                         absl::Span<const FlitSource> sources) {
  std::vector<int32_t> inputOf(links.size());
  outputOf.resize(links.size());
  nodes.resize(facts.size());
  sourceChannels.resize(sources.size());
  waiting.assign(sources.size(), 0);
  for (size_t n = 0; n < facts.size(); ++n) {
    Node &node = nodes[n];
    const int32_t index = static_cast<int32_t>(n);
    const int32_t steps = facts[n].pipelineCycles * facts[n].speedup;
    node.routeSteps = std::max(0, steps - kStepsAfterRouting);
    node.allocatesAtOnce = steps < kStepsAfterRouting;
    node.traverseSteps = steps > 1 ? 1 : 0;
    node.isOutputQueued = facts[n].isOutputQueued;
    node.copyServer = facts[n].copyServer;
    node.iterations = facts[n].allocatorIterations;
    node.speedup = facts[n].speedup;
    node.firstInput = static_cast<int32_t>(inputs.size());
    node.firstOutput = static_cast<int32_t>(outputs.size());
    node.firstChannel = static_cast<int32_t>(channels.size());
    channelFlits.push_back(facts[n].virtualChannelFlits);
    for (size_t l = 0; l < links.size(); ++l) {
      if (links[l].target == index) {
        inputOf[l] = addInput(node, facts[n].virtualChannels,
                              facts[n].virtualChannelFlits);
        inputs[inputOf[l]].link = static_cast<int32_t>(l);
      }
      if (links[l].source == index)
        addOutput(node, static_cast<int32_t>(l), links[l]);
    }
    for (size_t s = 0; s < sources.size(); ++s) {
      if (links[sources[s].link].source != index)
        continue;
      sourceChannels[s] = static_cast<int32_t>(channels.size());
      Input &input = inputs[addInput(node, 1, 0)];
      input.source = static_cast<int32_t>(s);
      input.server = sources[s].server;
    }
    node.firstRouting = static_cast<int32_t>(routings.size());
    routings.resize(routings.size() + static_cast<size_t>(node.numChannels));
    node.firstMask = masks.size();
    masks.resize(masks.size() +
                 static_cast<size_t>(node.numInputs) * node.numOutputs);
  }
  for (Output &output : outputs) {
    const Input &input = inputs[inputOf[output.link]];
    output.firstChannel = input.firstChannel;
    output.numChannels = input.numChannels;
    output.freeChannels = ~uint64_t{0} >> (64 - input.numChannels);
    output.roomyChannels = output.freeChannels;
  }
  for (size_t s = 0; s < sources.size(); ++s)
    channels[sourceChannels[s]].output = outputOf[sources[s].link];
}

/// Hands out the words of all sets of bits.
void FlitNetwork::layOutBits() {
  std::vector<std::pair<BitSpan *, int32_t>> spans;
  int32_t mostInputs = 1, mostOutputs = 1, mostChannels = 1;
  for (Node &node : nodes) {
    spans.push_back({&node.outputsWithChannelRequests, node.numOutputs});
    spans.push_back({&node.outputsWithSwitchRequests, node.numOutputs});
    spans.push_back({&node.linkChannels, node.numChannels});
    mostInputs = std::max(mostInputs, node.numInputs);
    mostOutputs = std::max(mostOutputs, node.numOutputs);
    mostChannels = std::max(mostChannels, node.numChannels);
  }
  for (Output &output : outputs) {
    const Node &node = nodes[output.node];
    spans.push_back({&output.channelRequests, node.numChannels});
    spans.push_back({&output.switchRequests, node.numInputs});
  }
  spans.push_back({&activeNodes, static_cast<int32_t>(nodes.size())});
  spans.push_back({&freeInputs, mostInputs});
  spans.push_back({&grantedInputs, mostInputs});
  spans.push_back({&freeOutputs, mostOutputs});
  spans.push_back({&reservedOutputs, mostOutputs});
  spans.push_back({&busyServers, static_cast<int32_t>(servers.size())});
  size_t words = 0;
  for (auto &[span, count] : spans)
    words += static_cast<size_t>(BitSpan::wordsFor(std::max(count, 1)));
  bits.assign(words, 0);
  uint64_t *next = bits.data();
  for (auto &[span, count] : spans) {
    span->words = next;
    span->numWords = BitSpan::wordsFor(std::max(count, 1));
    next += span->numWords;
  }
  for (const Channel &channel : channels)
    if (inputs[channel.input].link != kNone)
      nodes[inputs[channel.input].node].linkChannels.set(channel.local);
  offers.assign(static_cast<size_t>(mostChannels), 0);
  outputWords = static_cast<size_t>(BitSpan::wordsFor(mostOutputs));
  inputGrants.assign(static_cast<size_t>(mostInputs) * outputWords, 0);
}

/// As many buckets as cycles from when a flit crosses a switch until it
/// arrives: a queue at the output may hold what the credits allow.
void FlitNetwork::layOutWheel(absl::Span<const FlitNode> facts,
                              absl::Span<const FlitLink> links) {
  int64_t longest = 1, slowest = 1;
  for (const FlitLink &link : links) {
    int64_t perFlit = link.cyclesNumerator / link.cyclesDenominator + 1;
    int64_t queue = 1;
    if (facts[link.source].speedup > 1 || facts[link.source].isOutputQueued)
      queue = static_cast<int64_t>(channelFlits[link.target]) *
              facts[link.target].virtualChannels;
    longest = std::max(longest, link.latencyCycles + perFlit * (queue + 1));
    slowest = std::max(slowest, perFlit);
  }
  size_t buckets = 1;
  while (buckets < static_cast<size_t>(longest + 4))
    buckets *= 2;
  arrivals.resize(buckets);
  credits.resize(buckets);
  for (const Server &server : servers)
    slowest = std::max(
        slowest, (std::max(server.ticks.sourceTicks, server.ticks.sinkTicks) >>
                  FlitServer::kFractionBits) +
                     1);
  for (const FlitNode &node : facts)
    slowest = std::max<int64_t>(slowest, node.pipelineCycles);
  patience = 2 * slowest + 8;
}

int32_t FlitNetwork::addHops(int32_t count) {
  hops.resize(hops.size() + static_cast<size_t>(count));
  return static_cast<int32_t>(hops.size()) - count;
}

void FlitNetwork::inject(int32_t source, int32_t hop, int32_t flits,
                         int32_t tag) {
  int32_t index = freePacket;
  if (index == kNone) {
    index = static_cast<int32_t>(packets.size());
    packets.emplace_back();
  } else {
    freePacket = packets[index].next;
  }
  packets[index] = {now, hop, flits, 0, tag, 1, kNone};
  ++numPackets;
  ++waiting[source];
  lastMove = std::max(lastMove, now);
  Channel &channel = channels[sourceChannels[source]];
  if (channel.count > 0) {
    packets[channel.lastPacket].next = index;
    channel.lastPacket = index;
    return;
  }
  channel.firstPacket = channel.lastPacket = index;
  channel.count = 1;
  frontChanged(sourceChannels[source],
               now * nodes[inputs[channel.input].node].speedup);
}

int64_t FlitNetwork::serve(int32_t index, int64_t flits, bool isSink) {
  if (index == kNone)
    return now;
  Server &server = servers[index];
  take(index, isSink ? server.ticks.sinkTicks : server.ticks.sourceTicks,
       flits);
  return server.freeCycle + (server.freeTicks > 0 ? 1 : 0);
}

void FlitNetwork::take(int32_t index, int64_t ticks, int64_t flits) {
  if (index == kNone)
    return;
  Server &server = servers[index];
  if (server.freeCycle < now) {
    server.freeCycle = now;
    server.freeTicks = 0;
  }
  __int128 sum = static_cast<__int128>(ticks) * flits + server.freeTicks;
  server.freeCycle += static_cast<int64_t>(sum >> FlitServer::kFractionBits);
  server.freeTicks = static_cast<int64_t>(
      sum & ((int64_t{1} << FlitServer::kFractionBits) - 1));
  lastMove = std::max(lastMove, server.freeCycle);
}

void FlitNetwork::popFront(Channel &channel) {
  if (++channel.head == channelFlits[inputs[channel.input].node])
    channel.head = 0;
  --channel.count;
}

void FlitNetwork::frontChanged(int32_t index, int64_t step) {
  Channel &channel = channels[index];
  const Input &input = inputs[channel.input];
  if (input.link != kNone) {
    const FlitHop &hop = hops[front(channel).hop];
    if (hop.numChildren == 0)
      return waitForServer(hop.childBegin, index);
  }
  Node &node = nodes[input.node];
  int32_t slot = node.routingHead + node.routingCount++;
  if (slot >= node.numChannels)
    slot -= node.numChannels;
  routings[node.firstRouting + slot] = {step + node.routeSteps, index};
  activeNodes.set(input.node);
}

void FlitNetwork::arrive(const Arrival &arrival) {
  Channel &channel = channels[arrival.channel];
  const FlitHop &hop = hops[arrival.flit.hop];
  if (hop.numChildren == 0) {
    const int32_t server = hop.childBegin;
    // Without a server it does not matter what is before it.
    if (server == kNone)
      return deliver(arrival.flit, arrival.channel);
    if (channel.count == 0 && isFree(server)) {
      take(server, servers[server].ticks.sinkTicks);
      return deliver(arrival.flit, arrival.channel);
    }
  }
  Node &node = nodes[inputs[channel.input].node];
  int32_t capacity = channelFlits[inputs[channel.input].node];
  int32_t slot = channel.head + channel.count;
  if (slot >= capacity)
    slot -= capacity;
  slots[channel.firstSlot + slot] = arrival.flit;
  if (++channel.count > 1)
    return;
  if (isGranted(channel))
    setReadyIfSo(node, arrival.channel);
  else if (arrival.flit.isHead || hop.numChildren == 0)
    frontChanged(arrival.channel, now * node.speedup);
}

void FlitNetwork::waitForServer(int32_t index, int32_t channel) {
  Server &server = servers[index];
  (server.firstWaiting == kNone ? server.firstWaiting
                                : channels[server.lastWaiting].nextWaiting) =
      channel;
  server.lastWaiting = channel;
  channels[channel].nextWaiting = kNone;
  busyServers.set(index);
}

/// Takes a flit from one channel after another while it is free.
void FlitNetwork::serveArrivals(int32_t index) {
  Server &server = servers[index];
  while (server.firstWaiting != kNone && server.freeCycle <= now) {
    int32_t waitingChannel = server.firstWaiting;
    Channel &channel = channels[waitingChannel];
    server.firstWaiting = channel.nextWaiting;
    take(index, server.ticks.sinkTicks);
    Flit flit = front(channel);
    popFront(channel);
    deliver(flit, waitingChannel);
    if (channel.count > 0)
      frontChanged(waitingChannel,
                   now * nodes[inputs[channel.input].node].speedup);
  }
  if (server.firstWaiting == kNone)
    busyServers.clear(index);
}

void FlitNetwork::deliver(const Flit &flit, int32_t channel) {
  returnCredit(channel);
  ++numDelivered;
  ++numMoves;
  lastMove = std::max(lastMove, now);
  if (!flit.isTail)
    return;
  Packet &packet = packets[flit.packet];
  deliveries.push_back(
      {packet.createdCycle, packet.tag, packet.flits, flit.hop});
  if (--packet.copies > 0)
    return;
  packet.next = freePacket;
  freePacket = flit.packet;
  --numPackets;
}

/// A flit has left `channel`: its last node learns of it.
void FlitNetwork::returnCredit(int32_t channel) {
  const Output &output =
      outputs[outputOf[inputs[channels[channel].input].link]];
  credits[bucket(now + output.latencyCycles + 2)].push_back(channel);
  ++underWay;
}

void FlitNetwork::takeCredit(int32_t index) {
  Channel &channel = channels[index];
  if (++channel.credits > 1)
    return;
  Output &output = outputs[outputOf[inputs[channel.input].link]];
  output.roomyChannels |= uint64_t{1} << (index - output.firstChannel);
  if (channel.owner != kNone)
    setReadyIfSo(nodes[output.node], channel.owner);
}

void FlitNetwork::step() {
  deliveries.clear();
  drainedSources.clear();
  std::vector<int32_t> &credited = credits[bucket(now)];
  for (int32_t channel : credited)
    takeCredit(channel);
  underWay -= static_cast<int64_t>(credited.size());
  credited.clear();
  std::vector<Arrival> &arriving = arrivals[bucket(now)];
  for (const Arrival &arrival : arriving)
    arrive(arrival);
  underWay -= static_cast<int64_t>(arriving.size());
  arriving.clear();
  busyServers.forEach([&](int32_t server) { serveArrivals(server); });
  activeNodes.forEach([&](int32_t index) {
    Node &node = nodes[index];
    for (int32_t i = 0; i < node.speedup; ++i)
      stepNode(node, now * node.speedup + i);
    if (node.routingCount == 0 && node.waitingCopies.empty() &&
        !node.outputsWithChannelRequests.any() &&
        !node.outputsWithSwitchRequests.any())
      activeNodes.clear(index);
  });
  ++now;
}

int64_t FlitNetwork::nextCycle() const {
  if (activeNodes.any() || busyServers.any())
    return now;
  if (underWay == 0)
    return -1;
  int64_t cycle = now;
  while (arrivals[bucket(cycle)].empty() && credits[bucket(cycle)].empty())
    ++cycle;
  return cycle;
}

bool FlitNetwork::skipIdle() {
  int64_t cycle = nextCycle();
  if (cycle < 0)
    return false;
  now = cycle;
  return true;
}

bool FlitNetwork::standsStill() const {
  return numPackets > 0 && underWay == 0 && now - lastMove > patience;
}

/// The channel that has to move before the packet in front of `channel` can.
int32_t FlitNetwork::waitsFor(int32_t index) const {
  const Channel &channel = channels[index];
  auto behind = [&](int32_t output, int32_t granted) {
    if (granted != kNone)
      return channels[granted].credits > 0 ? kNone : granted;
    return outputs[output].freeChannels != 0
               ? kNone
               : channels[outputs[output].firstChannel].owner;
  };
  if (channel.count == 0)
    return kNone;
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next)
    if (int32_t found = behind(branches[b].output, branches[b].granted);
        found != kNone && !branches[b].isSent)
      return found;
  return channel.firstBranch != kNone || channel.output == kNone
             ? kNone
             : behind(channel.output, channel.granted);
}

std::vector<int32_t> FlitNetwork::waitCycle() const {
  std::vector<int32_t> seenFrom(channels.size(), kNone);
  for (size_t start = 0; start < channels.size(); ++start) {
    int32_t at = static_cast<int32_t>(start);
    while (at != kNone && seenFrom[at] == kNone) {
      seenFrom[at] = static_cast<int32_t>(start);
      at = waitsFor(at);
    }
    if (at == kNone || seenFrom[at] != static_cast<int32_t>(start))
      continue;
    std::vector<int32_t> links;
    const int32_t first = at;
    do {
      if (int32_t link = inputs[channels[at].input].link; link != kNone)
        links.push_back(link);
      at = waitsFor(at);
    } while (at != first);
    return links;
  }
  return {};
}
