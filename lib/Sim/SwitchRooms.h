//===- SwitchRooms.h - Finite buffers of switches -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer of a switch holds packets that pass and messages that it stores
// whole. Passing packets are kept by input (a link, a memory on the switch) or
// by output. Each of them has at most its share, which is one part in as many
// as there are, but always a packet for each of the switch's virtual channels:
// of a packet that is let through a switch need not hold all. A message is
// given the room for all of it at every switch that will store it, at once and
// before it starts.
//
// So a message that has started holds all that it needs, one that waits holds
// nothing, and passing packets wait for packets further on their way alone.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_SWITCHROOMS_H
#define MOZART_LIB_SIM_SWITCHROOMS_H

#include "mozart/Machine/MachineModel.h"

#include <cstdint>
#include <vector>

namespace mozart {

class SwitchRooms {
public:
  /// Room that a message needs at a switch.
  struct Need {
    int32_t node = -1;
    int64_t bytes = 0;
  };

  explicit SwitchRooms(const MachineModel &machine);

  /// Shares of inputs and of outputs, by server: links, then memories.
  int32_t shareOfInput(int32_t server) const { return server; }
  int32_t shareOfOutput(int32_t server) const {
    return server + static_cast<int32_t>(shares.size() / 2);
  }

  bool fits(int32_t share, int64_t bytes) const {
    const Share &in = shares[share];
    return in.node < 0 || in.packets < in.channels ||
           (in.usedBytes + bytes <= in.shareBytes &&
            bytes <= rooms[in.node].freeBytes);
  }
  /// For a passing packet.
  void take(int32_t share, int64_t bytes) { change(share, 1, bytes); }
  void give(int32_t share, int64_t bytes) { change(share, -1, -bytes); }
  int64_t usedBytes(int32_t share) const { return shares[share].usedBytes; }
  int32_t numShares() const { return static_cast<int32_t>(shares.size()); }

  /// Gives message `owner` what it needs (of distinct switches) if there is
  /// room at all of them and nobody waits who was there first; else it waits.
  bool admit(int32_t owner, std::vector<Need> needs);
  /// A part of a message has left.
  void giveBack(int32_t node, int64_t bytes) { rooms[node].freeBytes += bytes; }
  /// Whether the room at `node` may now do for one that waits.
  bool mayAdmit(int32_t node) const {
    return rooms[node].freeBytes >= rooms[node].leastNeed;
  }
  /// Appends those of the waiting that now have their room, in order.
  void admitWaiting(std::vector<int32_t> &owners);

  int64_t capacity(int32_t node) const { return rooms[node].capacityBytes; }
  int64_t freeBytes(int32_t node) const { return rooms[node].freeBytes; }
  /// What a waiting owner lacks first; node -1 if it does not wait.
  Need lacking(int32_t owner) const;

private:
  struct Share {
    int32_t node = -1; ///< -1: of a chiplet, which states no buffer
    int64_t shareBytes = 0;
    int64_t usedBytes = 0;
    /// Passing packets, and how many always find room.
    int64_t packets = 0, channels = 1;
  };
  struct Room {
    int64_t capacityBytes = 0;
    /// Below zero where packets of channels are more than there is.
    int64_t freeBytes = 0;
    /// Need of the first that waits; above any room where none does.
    int64_t leastNeed = 0;
    int32_t waiting = 0;
  };
  struct Waiting {
    int32_t owner;
    std::vector<Need> needs;
  };

  std::vector<Share> shares; // of inputs, then of outputs
  std::vector<Room> rooms;
  std::vector<Waiting> waiting; // in order
  std::vector<bool> barred;     // scratch: by node

  void addShare(const MachineModel &machine, int32_t node);
  void change(int32_t share, int64_t packets, int64_t bytes) {
    Share &in = shares[share];
    in.packets += packets;
    in.usedBytes += bytes;
    if (in.node >= 0)
      rooms[in.node].freeBytes -= bytes;
  }
  bool tryTake(const std::vector<Need> &needs);
  void count();
};

} // namespace mozart

#endif // MOZART_LIB_SIM_SWITCHROOMS_H
