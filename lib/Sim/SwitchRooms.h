//===- SwitchRooms.h - Finite buffers of switches -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream that starts is first made sure of some room at every switch that it
// enters, at all of them at once: of all its bytes where its message is stored
// whole, and else of a few packets for each of its links there. Only its own
// packets go there. What no stream is sure of is shared by all packets, as they
// come, but not while a stream waits to start for want of it.
//
// So a stream that has started can always go on, whatever the others do, and
// one that has not holds nothing: there is no cycle of waits.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_SWITCHROOMS_H
#define MOZART_LIB_SIM_SWITCHROOMS_H

#include "mozart/Machine/MachineModel.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// What one stream has of a switch's buffer for what comes in by one link.
struct RoomAccount {
  int32_t node = -1; ///< -1: a chiplet, which states no buffer
  int64_t sureBytes = 0;
  int64_t usedBytes = 0;
  /// A message that is stored whole gives its room back packet by packet.
  bool storesWhole = false;
};

class SwitchRooms {
public:
  /// Room that a stream must be sure of before it starts.
  struct Need {
    int32_t node = -1;
    int64_t bytes = 0;
  };

  explicit SwitchRooms(const MachineModel &machine);

  /// What a stream with packets of `packetBytes` is sure of at a switch for
  /// each link by which it comes in: one packet, or as many as make up 1/256 of
  /// the buffer, at most 16.
  int64_t sureBytes(int32_t node, int64_t packetBytes) const;

  /// Whether a packet finds room. `sureOnly`: in what its stream is sure of.
  bool fits(const RoomAccount &account, int64_t bytes, bool sureOnly) const {
    if (account.node < 0)
      return true;
    const int64_t more = shared(account, account.usedBytes + bytes) -
                         shared(account, account.usedBytes);
    const Room &room = rooms[account.node];
    return more == 0 ||
           (!sureOnly && more <= room.freeBytes && room.waiting == 0);
  }

  void take(RoomAccount &account, int64_t bytes) {
    if (account.node < 0)
      return;
    const int64_t before = shared(account, account.usedBytes);
    account.usedBytes += bytes;
    rooms[account.node].freeBytes -=
        shared(account, account.usedBytes) - before;
  }

  void give(RoomAccount &account, int64_t bytes) {
    if (account.node < 0)
      return;
    const int64_t before = shared(account, account.usedBytes);
    account.usedBytes -= bytes;
    int64_t freed = before - shared(account, account.usedBytes);
    if (account.storesWhole) {
      account.sureBytes -= bytes;
      freed += bytes;
    }
    rooms[account.node].freeBytes += freed;
  }

  /// Makes `owner` sure of `needs` (of distinct switches) if there is room at
  /// all of them and nobody waits who was there first; else it waits.
  bool admit(int32_t owner, std::vector<Need> needs);

  /// What a stream that has ended was still sure of.
  void release(RoomAccount &account);

  /// Whether the room at `node` may now do for one that waits.
  bool mayAdmit(int32_t node) const {
    return rooms[node].freeBytes >= rooms[node].leastNeed;
  }
  /// Appends those of the waiting that now are sure of their needs.
  void admitWaiting(std::vector<int32_t> &owners);

  int64_t capacity(int32_t node) const { return rooms[node].capacityBytes; }
  int64_t freeBytes(int32_t node) const { return rooms[node].freeBytes; }
  /// The first switch at which a waiting owner lacks room; -1: it does not
  /// wait.
  Need lacking(int32_t owner) const;

private:
  struct Room {
    int64_t capacityBytes = 0;
    int64_t freeBytes = 0;
    int32_t waiting = 0;
    /// Need of the first that waits; above any room where none does.
    int64_t leastNeed = 0;
  };
  struct Waiting {
    int32_t owner;
    std::vector<Need> needs;
  };

  std::vector<Room> rooms;
  std::vector<Waiting> waiting; // in order
  std::vector<bool> barred;     // scratch: by node

  static int64_t shared(const RoomAccount &account, int64_t usedBytes) {
    return usedBytes > account.sureBytes ? usedBytes - account.sureBytes : 0;
  }
  bool tryTake(const std::vector<Need> &needs);
  void count();
};

} // namespace mozart

#endif // MOZART_LIB_SIM_SWITCHROOMS_H
