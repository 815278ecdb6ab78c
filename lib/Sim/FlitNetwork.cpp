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
                         absl::Span<const int32_t> sources) {
  layOut(facts, links, sources);
  layOutBits();
  layOutWheel(facts, links);
}

void FlitNetwork::layOut(absl::Span<const FlitNode> facts,
                         absl::Span<const FlitLink> links,
                         absl::Span<const int32_t> sources) {
  auto addInput = [&](Node &node, int32_t numChannels, int32_t slotsEach) {
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
    return &inputs.back();
  };
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
    node.iterations = facts[n].allocatorIterations;
    node.speedup = facts[n].speedup;
    node.firstInput = static_cast<int32_t>(inputs.size());
    node.firstOutput = static_cast<int32_t>(outputs.size());
    node.firstChannel = static_cast<int32_t>(channels.size());
    channelFlits.push_back(facts[n].virtualChannelFlits);
    for (size_t l = 0; l < links.size(); ++l) {
      if (links[l].target == index) {
        inputOf[l] = static_cast<int32_t>(inputs.size());
        addInput(node, facts[n].virtualChannels, facts[n].virtualChannelFlits)
            ->link = static_cast<int32_t>(l);
      }
      if (links[l].source != index)
        continue;
      Output output;
      output.node = index;
      output.local = node.numOutputs++;
      output.link = static_cast<int32_t>(l);
      output.target = links[l].target;
      output.wholeCycles =
          links[l].cyclesNumerator / links[l].cyclesDenominator;
      output.partCycles = links[l].cyclesNumerator % links[l].cyclesDenominator;
      output.parts = links[l].cyclesDenominator;
      output.latencyCycles = links[l].latencyCycles;
      outputOf[l] = static_cast<int32_t>(outputs.size());
      outputs.push_back(output);
    }
    for (size_t s = 0; s < sources.size(); ++s) {
      if (links[sources[s]].source != index)
        continue;
      sourceChannels[s] = static_cast<int32_t>(channels.size());
      addInput(node, 1, 0)->source = static_cast<int32_t>(s);
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
    channels[sourceChannels[s]].output = outputOf[sources[s]];
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
/// arrives: with a speed-up it may queue behind what the credits allow.
void FlitNetwork::layOutWheel(absl::Span<const FlitNode> facts,
                              absl::Span<const FlitLink> links) {
  int64_t longest = 1;
  for (const FlitLink &link : links) {
    int64_t perFlit = link.cyclesNumerator / link.cyclesDenominator + 1;
    int64_t queue = 1;
    if (nodes[link.source].speedup > 1)
      queue = static_cast<int64_t>(channelFlits[link.target]) *
              facts[link.target].virtualChannels;
    longest = std::max(longest, link.latencyCycles + perFlit * (queue + 1));
  }
  size_t buckets = 1;
  while (buckets < static_cast<size_t>(longest + 4))
    buckets *= 2;
  arrivals.resize(buckets);
  credits.resize(buckets);
}

int32_t FlitNetwork::addHop(FlitHop hop) {
  hops.push_back(hop);
  return static_cast<int32_t>(hops.size() - 1);
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
  packets[index] = {now, hop, flits, 0, tag, kNone};
  ++numPackets;
  ++waiting[source];
  Channel &channel = channels[sourceChannels[source]];
  if (channel.count > 0) {
    packets[channel.lastPacket].next = index;
    channel.lastPacket = index;
    return;
  }
  channel.firstPacket = channel.lastPacket = index;
  channel.count = 1;
  startRouting(sourceChannels[source],
               now * nodes[inputs[channel.input].node].speedup);
}

void FlitNetwork::arrive(const Arrival &arrival) {
  if (hops[arrival.flit.hop].link == FlitHop::kArrived)
    return deliver(arrival.flit, arrival.channel);
  Channel &channel = channels[arrival.channel];
  const Input &input = inputs[channel.input];
  Node &node = nodes[input.node];
  int32_t capacity = channelFlits[input.node];
  int32_t slot = channel.head + channel.count;
  if (slot >= capacity)
    slot -= capacity;
  slots[channel.firstSlot + slot] = arrival.flit;
  if (++channel.count > 1)
    return;
  if (channel.granted == kNone)
    return startRouting(arrival.channel, now * node.speedup);
  if (canSend(channel))
    setReady(node, arrival.channel);
}

/// Terminals take flits at once.
void FlitNetwork::deliver(const Flit &flit, int32_t channel) {
  returnCredit(channel);
  ++numDelivered;
  if (!flit.isTail)
    return;
  Packet &packet = packets[flit.packet];
  deliveries.push_back({packet.createdCycle, packet.tag, packet.flits});
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
  if (channel.owner != kNone && canSend(channels[channel.owner]))
    setReady(nodes[output.node], channel.owner);
}

void FlitNetwork::step() {
  deliveries.clear();
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
  activeNodes.forEach([&](int32_t index) {
    Node &node = nodes[index];
    for (int32_t i = 0; i < node.speedup; ++i)
      stepNode(node, now * node.speedup + i);
    if (node.routingCount == 0 && !node.outputsWithChannelRequests.any() &&
        !node.outputsWithSwitchRequests.any())
      activeNodes.clear(index);
  });
  ++now;
}

bool FlitNetwork::skipIdle() {
  if (activeNodes.any())
    return true;
  if (underWay == 0)
    return false;
  while (arrivals[bucket(now)].empty() && credits[bucket(now)].empty())
    ++now;
  return true;
}
