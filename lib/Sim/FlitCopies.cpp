//===- FlitCopies.cpp - Packets whose ways part ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitNetwork.h"

#include <algorithm>

using namespace mozart;

/// The packet in front of `channel` takes all children of `hop`.
void FlitNetwork::addBranches(Node &node, int32_t index, const FlitHop &hop) {
  Channel &channel = channels[index];
  packets[front(channel).packet].copies += hop.numChildren - 1;
  for (int32_t i = hop.numChildren - 1; i >= 0; --i) {
    int32_t branch = freeBranch;
    if (branch == kNone) {
      branch = static_cast<int32_t>(branches.size());
      branches.emplace_back();
    } else {
      freeBranch = branches[branch].next;
    }
    const int32_t child = hop.childBegin + i;
    branches[branch] = {outputOf[hops[child].link], kNone, child, false,
                        channel.firstBranch};
    channel.firstBranch = branch;
  }
  node.waitingCopies.push_back(index);
}

/// In the order in which they asked; the first that has to wait keeps others
/// from its outputs.
void FlitNetwork::allocateCopies(Node &node) {
  bool isReserved = false;
  auto done = [&](int32_t index) {
    if (grantBranches(index))
      return true;
    if (!isReserved)
      for (int32_t b = channels[index].firstBranch; b != kNone;
           b = branches[b].next)
        reservedOutputs.set(outputs[branches[b].output].local);
    isReserved = true;
    return false;
  };
  node.waitingCopies.erase(std::remove_if(node.waitingCopies.begin(),
                                          node.waitingCopies.end(), done),
                           node.waitingCopies.end());
}

/// Takes a channel of each output, with room where there is one, or none.
bool FlitNetwork::grantBranches(int32_t index) {
  Channel &channel = channels[index];
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next) {
    const Output &output = outputs[branches[b].output];
    if (output.freeChannels == 0 || reservedOutputs.test(output.local))
      return false;
  }
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next) {
    Output &output = outputs[branches[b].output];
    uint64_t roomy = output.freeChannels & output.roomyChannels;
    int32_t next =
        nextBit(roomy != 0 ? roomy : output.freeChannels, output.copyPointer);
    output.copyPointer = next + 1 == output.numChannels ? 0 : next + 1;
    output.freeChannels &= ~(uint64_t{1} << next);
    branches[b].granted = output.firstChannel + next;
    channels[branches[b].granted].owner = index;
  }
  grantedChannels.push_back(index);
  return true;
}

/// An input that sends a copy may send the same flit to others of the outputs
/// that chose it.
void FlitNetwork::matchCopies(Node &node, int32_t local, const BitSpan &grants,
                              Match accepted) {
  if (channels[accepted.channel].firstBranch == kNone)
    return;
  const int32_t bit =
      accepted.channel - inputs[node.firstInput + local].firstChannel;
  grants.forEach([&](int32_t output) {
    if ((mask(node, local, output) >> bit & 1) == 0)
      return;
    freeOutputs.clear(output);
    matches.push_back({accepted.channel, node.firstOutput + output});
  });
}

FlitNetwork::Branch &FlitNetwork::branchTo(const Channel &channel,
                                           int32_t output) {
  int32_t branch = channel.firstBranch;
  while (branches[branch].output != output)
    branch = branches[branch].next;
  return branches[branch];
}

/// False: the flit in front has no copies yet, and the server is not free.
bool FlitNetwork::startCopies(const Node &node, const Channel &channel) {
  int64_t ways = 0;
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next) {
    if (branches[b].isSent)
      return true;
    ++ways;
  }
  if (!isFree(node.copyServer))
    return false;
  take(node.copyServer, servers[node.copyServer].ticks.sourceTicks, ways);
  return true;
}

/// Sends a copy of the flit in front, and takes it away if that was the last.
/// The first takes the time of all from the server.
void FlitNetwork::traverseCopy(Node &node, int64_t step, const Match &match) {
  Channel &channel = channels[match.channel];
  if (node.copyServer != kNone && !startCopies(node, channel))
    return;
  Output &output = outputs[match.output];
  Branch &branch = branchTo(channel, match.output);
  Flit flit = front(channel);
  flit.hop = branch.hop;
  send(node, output, step, flit, branch.granted);
  branch.isSent = true;
  clearReady(node, match.channel, output);
  for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next)
    if (!branches[b].isSent)
      return;
  popFront(channel);
  returnCredit(match.channel);
  if (!flit.isTail) {
    for (int32_t b = channel.firstBranch; b != kNone; b = branches[b].next)
      branches[b].isSent = false;
    return setReadyIfSo(node, match.channel);
  }
  while (channel.firstBranch != kNone) {
    int32_t next = branches[channel.firstBranch].next;
    branches[channel.firstBranch].next = freeBranch;
    freeBranch = channel.firstBranch;
    channel.firstBranch = next;
  }
  if (channel.count > 0)
    frontChanged(match.channel, step + 1);
}
