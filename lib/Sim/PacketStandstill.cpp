//===- PacketStandstill.cpp - Why packets do not go on --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

std::string PacketNetwork::nameOf(const RunningStream &stream) const {
  return absl::StrCat("task ", stream.task, " ('",
                      program.tasks[stream.task].name, "')");
}

/// The stream that has most of a switch's buffer, but for `except`.
const RunningStream *PacketNetwork::holder(int32_t node,
                                           const RunningStream &except) const {
  const RunningStream *most = nullptr;
  int64_t mostBytes = 0;
  for (const std::unique_ptr<RunningStream> &stream : streams) {
    if (!stream || stream.get() == &except)
      continue;
    int64_t bytes = 0;
    for (const PacketLane &lane : stream->lanes)
      if (lane.beyond.node == node)
        bytes += std::max(lane.beyond.usedBytes, lane.beyond.sureBytes);
    if (bytes <= mostBytes)
      continue;
    most = stream.get();
    mostBytes = bytes;
  }
  return most;
}

/// In an input's queue beyond a lane, the first of its packets that is behind
/// one of another stream: that stream, or null.
const RunningStream *PacketNetwork::queuedBehind(const PacketLane &lane) const {
  if (lane.fifo < 0)
    return nullptr;
  const int64_t channels = machine.node(lane.beyond.node).virtualChannels;
  for (int64_t i = 0; i < channels; ++i) {
    const int32_t head = fifos[lane.fifo + i].head;
    if (head < 0 || held[head].from->stream == lane.stream)
      continue;
    for (int32_t at = head; at >= 0; at = held[at].nextInFifo)
      if (held[at].from == &lane)
        return held[head].from->stream;
  }
  return nullptr;
}

/// What keeps a stream, and which other stream that depends on.
PacketNetwork::Wait PacketNetwork::waitOf(const RunningStream &stream) const {
  const SwitchRooms::Need need = rooms.lacking(stream.index);
  if (need.node >= 0)
    return {absl::StrCat("waits to start for ", need.bytes, " bytes at '",
                         machine.node(need.node).name, "', of which ",
                         rooms.freeBytes(need.node), " are free; most is room"),
            holder(need.node, stream)};
  // The room of its own that it waits for is taken by its own packets.
  Wait wait = {"waits for packets that have not come", nullptr};
  for (auto lane = stream.lanes.rbegin(); lane != stream.lanes.rend(); ++lane) {
    if (lane->ringNext == nullptr || lane->beyond.node < 0)
      continue;
    wait.on = queuedBehind(*lane);
    wait.text = absl::StrCat(
        "waits at '", machine.node(lane->node).name, "' for room at '",
        machine.node(lane->beyond.node).name, "', where its own packets are",
        wait.on ? " queued behind those" : "");
    if (wait.on)
      return wait;
  }
  for (const PacketLane &lane : stream.lanes)
    if (const RunningStream *other = queuedBehind(lane))
      return {absl::StrCat("has its packets at '",
                           machine.node(lane.beyond.node).name,
                           "' queued behind those"),
              other};
  return wait;
}

std::string PacketNetwork::explainStandstill() const {
  std::vector<StreamWait> waits;
  std::vector<size_t> place(streams.size(), 0);
  for (const std::unique_ptr<RunningStream> &stream : streams) {
    if (!stream)
      continue;
    place[stream->index] = waits.size();
    waits.push_back({nameOf(*stream), "", -1});
  }
  for (const std::unique_ptr<RunningStream> &stream : streams) {
    if (!stream)
      continue;
    const Wait wait = waitOf(*stream);
    StreamWait &entry = waits[place[stream->index]];
    entry.text = wait.text;
    if (wait.on)
      entry.on = static_cast<int64_t>(place[wait.on->index]);
  }
  return describeWaits(waits);
}

std::string mozart::describeWaits(absl::Span<const StreamWait> waits) {
  // From each, follow what it waits for; keep the first cycle, or else the
  // longest way.
  std::vector<size_t> best;
  bool isCycle = false;
  for (size_t start = 0; start < waits.size() && !isCycle; ++start) {
    std::vector<size_t> path;
    int64_t at = static_cast<int64_t>(start);
    while (at >= 0) {
      auto before = std::find(path.begin(), path.end(), at);
      isCycle = before != path.end();
      if (isCycle) {
        path.erase(path.begin(), before);
        break;
      }
      path.push_back(at);
      at = waits[at].on;
    }
    if (isCycle || path.size() > best.size())
      best = path;
  }
  std::string result = isCycle ? "packets wait for each other in a cycle"
                               : "packets wait that nothing can move";
  for (size_t i : best)
    absl::StrAppend(
        &result, i == best.front() ? ": " : "; ", waits[i].name, " ",
        waits[i].text,
        waits[i].on >= 0 ? absl::StrCat(" of ", waits[waits[i].on].name) : "");
  return result;
}
