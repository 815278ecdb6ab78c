//===- SwitchRooms.cpp - Finite buffers of switches -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwitchRooms.h"

#include <algorithm>
#include <limits>

using namespace mozart;

SwitchRooms::SwitchRooms(const MachineModel &machine)
    : rooms(machine.numNodes()), barred(machine.numNodes(), false) {
  for (int32_t i = 0; i < machine.numNodes(); ++i)
    rooms[i].capacityBytes = rooms[i].freeBytes = machine.node(i).bufferBytes;
  for (bool outputs : {false, true}) {
    const size_t first = shares.size();
    for (const LinkFacts &link : machine.facts().links)
      addShare(machine, outputs ? link.source : link.target);
    for (const MemoryFacts &memory : machine.facts().memories)
      addShare(machine, memory.node);
    std::vector<int32_t> ofNode(machine.numNodes(), 0);
    for (size_t i = first; i < shares.size(); ++i)
      if (shares[i].node >= 0)
        ++ofNode[shares[i].node];
    for (size_t i = first; i < shares.size(); ++i)
      if (const int32_t node = shares[i].node; node >= 0)
        shares[i].shareBytes = rooms[node].capacityBytes / ofNode[node];
  }
  count();
}

void SwitchRooms::addShare(const MachineModel &machine, int32_t node) {
  Share share;
  if (!machine.node(node).isChiplet())
    share.node = node;
  share.channels = machine.node(node).virtualChannels;
  shares.push_back(share);
}

/// Takes what is needed from every switch unless one lacks it or is barred;
/// then bars all of them for those who come later.
bool SwitchRooms::tryTake(const std::vector<Need> &needs) {
  bool fits = true;
  for (const Need &need : needs)
    fits &= !barred[need.node] && need.bytes <= rooms[need.node].freeBytes;
  for (const Need &need : needs) {
    if (fits)
      rooms[need.node].freeBytes -= need.bytes;
    else
      barred[need.node] = true;
  }
  return fits;
}

bool SwitchRooms::admit(int32_t owner, std::vector<Need> needs) {
  bool first = true;
  for (const Need &need : needs)
    first &= rooms[need.node].waiting == 0;
  bool admitted = first && tryTake(needs);
  std::fill(barred.begin(), barred.end(), false);
  if (admitted)
    return true;
  waiting.push_back({owner, std::move(needs)});
  count();
  return false;
}

void SwitchRooms::admitWaiting(std::vector<int32_t> &owners) {
  size_t left = 0;
  for (Waiting &one : waiting) {
    if (tryTake(one.needs)) {
      owners.push_back(one.owner);
      continue;
    }
    if (&waiting[left] != &one)
      waiting[left] = std::move(one);
    ++left;
  }
  waiting.resize(left);
  std::fill(barred.begin(), barred.end(), false);
  count();
}

void SwitchRooms::count() {
  for (Room &room : rooms) {
    room.waiting = 0;
    room.leastNeed = std::numeric_limits<int64_t>::max();
  }
  for (const Waiting &one : waiting)
    for (const Need &need : one.needs)
      if (++rooms[need.node].waiting == 1)
        rooms[need.node].leastNeed = need.bytes;
}

SwitchRooms::Need SwitchRooms::lacking(int32_t owner) const {
  for (const Waiting &one : waiting) {
    if (one.owner != owner)
      continue;
    for (const Need &need : one.needs)
      if (need.bytes > rooms[need.node].freeBytes)
        return need;
    return one.needs.front(); // others were there first
  }
  return {};
}
