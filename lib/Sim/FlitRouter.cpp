//===- FlitRouter.cpp - What a router does in a step ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitNetwork.h"

using namespace mozart;

/// A channel's accept pointer is an output and a channel of its next node.
static constexpr int32_t kMostChannels = 64;

/// Both allocators see the node as it was before the step; only then do flits
/// move and do new holders of channels ask for the switch.
void FlitNetwork::stepNode(Node &node, int64_t step) {
  while (node.routingCount > 0) {
    const Routing &routing = routings[node.firstRouting + node.routingHead];
    if (routing.step > step)
      break;
    if (++node.routingHead == node.numChannels)
      node.routingHead = 0;
    --node.routingCount;
    requestChannel(node, routing.channel);
  }
  grantedChannels.clear();
  const bool hasCopies = !node.waitingCopies.empty();
  if (hasCopies)
    allocateCopies(node);
  node.outputsWithChannelRequests.forEach([&](int32_t output) {
    if (!hasCopies || !reservedOutputs.test(output))
      allocateChannels(node, outputs[node.firstOutput + output]);
  });
  if (hasCopies)
    reservedOutputs.clearAll();
  auto activate = [&] {
    for (int32_t channel : grantedChannels)
      setReadyIfSo(node, channel);
    grantedChannels.clear();
  };
  if (node.allocatesAtOnce)
    activate();
  allocateSwitch(node, step);
  activate();
}

void FlitNetwork::requestChannel(Node &node, int32_t index) {
  Channel &channel = channels[index];
  if (inputs[channel.input].link != kNone) {
    const FlitHop &hop = hops[front(channel).hop];
    if (hop.numChildren > 1)
      return addBranches(node, index, hop);
    channel.output = outputOf[hops[hop.childBegin].link];
  }
  Output &output = outputs[channel.output];
  output.channelRequests.set(channel.local);
  node.outputsWithChannelRequests.set(output.local);
}

/// Free channels of the next node go to those who ask for the output. One that
/// has no room is of no use to a source, which has not sent anything yet.
void FlitNetwork::allocateChannels(Node &node, Output &output) {
  for (int32_t iteration = 0; iteration < node.iterations; ++iteration) {
    size_t before = grantedChannels.size();
    if (int32_t only = output.channelRequests.only(); only >= 0) {
      // All free channels would choose it.
      uint64_t offered = output.freeChannels;
      if (!node.linkChannels.test(only))
        offered &= output.roomyChannels;
      if (offered != 0)
        acceptChannel(node, output, node.firstChannel + only, offered,
                      iteration == 0);
    } else {
      offerChannels(node, output);
      for (int32_t channel : offeredTo) {
        uint64_t &offered = offers[channels[channel].local];
        acceptChannel(node, output, channel, offered, iteration == 0);
        offered = 0;
      }
    }
    if (!output.channelRequests.any())
      return node.outputsWithChannelRequests.clear(output.local);
    if (grantedChannels.size() == before)
      return;
  }
}

/// Each free channel of the next node chooses among those who ask.
void FlitNetwork::offerChannels(Node &node, Output &output) {
  offeredTo.clear();
  for (uint64_t left = output.freeChannels; left != 0; left &= left - 1) {
    int32_t next = lowestBit(left);
    bool isRoomy = output.roomyChannels >> next & 1;
    int32_t asking = output.channelRequests.next(
        channels[output.firstChannel + next].grantPointer,
        isRoomy ? output.channelRequests.words : node.linkChannels.words);
    if (asking < 0)
      continue;
    if (offers[asking] == 0)
      offeredTo.push_back(node.firstChannel + asking);
    offers[asking] |= uint64_t{1} << next;
  }
}

/// A channel takes one of those that it was offered.
void FlitNetwork::acceptChannel(Node &node, Output &output, int32_t index,
                                uint64_t offered, bool isFirst) {
  Channel &channel = channels[index];
  int32_t begin = channel.acceptPointer / kMostChannels == output.local
                      ? channel.acceptPointer % kMostChannels
                      : 0;
  int32_t next = nextBit(offered, begin);
  channel.granted = output.firstChannel + next;
  Channel &granted = channels[channel.granted];
  granted.owner = index;
  output.freeChannels &= ~(uint64_t{1} << next);
  output.channelRequests.clear(channel.local);
  grantedChannels.push_back(index);
  if (!isFirst)
    return;
  granted.grantPointer =
      channel.local + 1 == node.numChannels ? 0 : channel.local + 1;
  channel.acceptPointer = next + 1 == output.numChannels
                              ? (output.local + 1) * kMostChannels
                              : output.local * kMostChannels + next + 1;
}

void FlitNetwork::setReady(Node &node, int32_t index, const Output &output) {
  const Input &input = inputs[channels[index].input];
  mask(node, input.local, output.local) |= uint64_t{1}
                                           << (index - input.firstChannel);
  outputs[node.firstOutput + output.local].switchRequests.set(input.local);
  node.outputsWithSwitchRequests.set(output.local);
  activeNodes.set(input.node);
}

void FlitNetwork::clearReady(Node &node, int32_t index, const Output &output) {
  const Input &input = inputs[channels[index].input];
  uint64_t &asking = mask(node, input.local, output.local);
  asking &= ~(uint64_t{1} << (index - input.firstChannel));
  if (asking != 0)
    return;
  BitSpan requests = output.switchRequests;
  requests.clear(input.local);
  if (!requests.any())
    node.outputsWithSwitchRequests.clear(output.local);
}

/// Asks for the switch where the flit in front has a credit.
void FlitNetwork::setReadyIfSo(Node &node, int32_t index) {
  const Channel &channel = channels[index];
  if (channel.firstBranch == kNone) {
    if (canSend(channel))
      setReady(node, index, outputs[channel.output]);
    return;
  }
  if (channel.count == 0)
    return;
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next)
    if (!branches[b].isSent && channels[branches[b].granted].credits > 0)
      setReady(node, index, outputs[branches[b].output]);
}

void FlitNetwork::allocateSwitch(Node &node, int64_t step) {
  if (!node.outputsWithSwitchRequests.any())
    return;
  matches.clear();
  if (node.isOutputQueued) {
    crossAll(node);
  } else if (int32_t only = node.outputsWithSwitchRequests.only(); only >= 0) {
    // One output, so the first round finds the only match.
    const Output &output = outputs[node.firstOutput + only];
    if (!canTraverse(node, output, step))
      return;
    matchSwitch(node, output.switchRequests.next(output.grantPointer), only,
                true);
  } else {
    freeInputs.setAll();
    freeOutputs.setAll();
    for (int32_t iteration = 0; iteration < node.iterations; ++iteration) {
      if (!grantOutputs(node, step))
        break;
      acceptOutputs(node, iteration == 0);
    }
  }
  for (const Match &match : matches)
    traverse(node, step, match);
}

/// Whatever asks for an output crosses to its queue, input by input.
void FlitNetwork::crossAll(Node &node) {
  node.outputsWithSwitchRequests.forEach([&](int32_t local) {
    Output &output = outputs[node.firstOutput + local];
    const int32_t first = output.switchRequests.next(output.grantPointer);
    int32_t input = first;
    do {
      const Input &from = inputs[node.firstInput + input];
      if (isFree(from.server))
        for (uint64_t left = mask(node, input, local); left != 0;
             left &= left - 1)
          matches.push_back(
              {from.firstChannel + lowestBit(left), node.firstOutput + local});
      input = output.switchRequests.next(
          input + 1 == node.numInputs ? 0 : input + 1);
    } while (input != first);
    output.grantPointer = first + 1 == node.numInputs ? 0 : first + 1;
  });
}

/// Each free output chooses among the free inputs that ask for it.
bool FlitNetwork::grantOutputs(Node &node, int64_t step) {
  bool any = false;
  node.outputsWithSwitchRequests.forEach([&](int32_t local) {
    const Output &output = outputs[node.firstOutput + local];
    if (!freeOutputs.test(local) || !canTraverse(node, output, step))
      return;
    int32_t input =
        output.switchRequests.next(output.grantPointer, freeInputs.words);
    if (input < 0)
      return;
    inputGrants[static_cast<size_t>(input) * outputWords + (local >> 6)] |=
        uint64_t{1} << (local & 63);
    grantedInputs.set(input);
    any = true;
  });
  return any;
}

/// Each input chooses among the outputs that chose it.
void FlitNetwork::acceptOutputs(Node &node, bool isFirst) {
  grantedInputs.forEach([&](int32_t local) {
    BitSpan grants;
    grants.words = &inputGrants[static_cast<size_t>(local) * outputWords];
    grants.numWords = static_cast<int32_t>(outputWords);
    int32_t accepted =
        grants.next(inputs[node.firstInput + local].acceptPointer);
    grantedInputs.clear(local);
    freeInputs.clear(local);
    freeOutputs.clear(accepted);
    size_t before = matches.size();
    matchSwitch(node, local, accepted, isFirst);
    grants.clear(accepted);
    if (matches.size() > before && grants.any())
      matchCopies(node, local, grants, matches.back());
    grants.clearAll();
  });
}

/// The input sends from one of its channels that ask for the output.
void FlitNetwork::matchSwitch(Node &node, int32_t local, int32_t output,
                              bool isFirst) {
  Input &input = inputs[node.firstInput + local];
  if (!isFree(input.server))
    return;
  int32_t channel = nextBit(mask(node, local, output), input.channelPointer);
  input.channelPointer = channel + 1 == input.numChannels ? 0 : channel + 1;
  matches.push_back({input.firstChannel + channel, node.firstOutput + output});
  if (!isFirst)
    return;
  input.acceptPointer = output + 1 == node.numOutputs ? 0 : output + 1;
  outputs[node.firstOutput + output].grantPointer =
      local + 1 == node.numInputs ? 0 : local + 1;
}

/// Takes the flit in front of `channel`, as it travels on.
FlitNetwork::Flit FlitNetwork::takeFlit(Channel &channel) {
  const Input &input = inputs[channel.input];
  if (input.link != kNone) {
    Flit flit = front(channel);
    flit.hop = hops[flit.hop].childBegin;
    popFront(channel);
    return flit;
  }
  Flit flit;
  flit.packet = channel.firstPacket;
  Packet &packet = packets[flit.packet];
  flit.hop = packet.hop;
  flit.isHead = packet.sent == 0;
  flit.isTail = ++packet.sent == packet.flits;
  if (input.server != kNone)
    take(input.server, servers[input.server].ticks.sourceTicks);
  if (flit.isTail) {
    --waiting[input.source];
    drainedSources.push_back(input.source);
    channel.firstPacket = packet.next;
    channel.count = channel.firstPacket == kNone ? 0 : 1;
  }
  return flit;
}

void FlitNetwork::traverse(Node &node, int64_t step, const Match &match) {
  Channel &channel = channels[match.channel];
  if (channel.firstBranch != kNone)
    return traverseCopy(node, step, match);
  const Output &output = outputs[match.output];
  Flit flit = takeFlit(channel);
  if (inputs[channel.input].link != kNone)
    returnCredit(match.channel);
  send(node, outputs[match.output], step, flit, channel.granted);
  if (flit.isTail) {
    clearReady(node, match.channel, output);
    channel.granted = kNone;
    if (channel.count > 0)
      frontChanged(match.channel, step + 1);
  } else if (!canSend(channel)) {
    clearReady(node, match.channel, output);
  }
}

/// A flit crosses the switch and is sent as soon as the link has sent what
/// crossed before it.
void FlitNetwork::send(Node &node, Output &output, int64_t step,
                       const Flit &flit, int32_t nextChannel) {
  Channel &next = channels[nextChannel];
  const uint64_t bit = uint64_t{1} << (nextChannel - output.firstChannel);
  if (--next.credits == 0)
    output.roomyChannels &= ~bit;
  if (flit.isTail) {
    next.owner = kNone;
    output.freeChannels |= bit;
  }
  int64_t ready = (step + node.traverseSteps) / node.speedup;
  if (ready > output.freeCycle) {
    output.freeCycle = ready;
    output.freePart = 0;
  }
  output.freeCycle += output.wholeCycles;
  output.freePart += output.partCycles;
  if (output.freePart >= output.parts) {
    output.freePart -= output.parts;
    ++output.freeCycle;
  }
  ++output.sent;
  ++numMoves;
  if (lastMove < now)
    lastMove = now;
  Arrival arrival;
  arrival.flit = flit;
  arrival.channel = nextChannel;
  arrivals[bucket(output.freeCycle + (output.freePart > 0 ? 1 : 0) +
                  output.latencyCycles)]
      .push_back(arrival);
  ++underWay;
}
