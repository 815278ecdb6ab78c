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

std::string PacketNetwork::nameOfServer(int32_t server) const {
  if (server >= machine.numLinks())
    return absl::StrCat("memory '",
                        machine.memory(server - machine.numLinks()).name, "'");
  const LinkFacts &link = machine.link(server);
  return absl::StrCat("link '", machine.node(link.source).name, "->",
                      machine.node(link.target).name, "'");
}

std::string PacketNetwork::nameOfShare(int32_t share) const {
  const int32_t outputs = rooms.shareOfOutput(0);
  return share < outputs
             ? absl::StrCat("what came by ", nameOfServer(share))
             : absl::StrCat("what leaves by ", nameOfServer(share - outputs));
}

/// One part for each share of a buffer whose packets wait, with the share that
/// they wait for; then one for each stream that waits to start.
std::string PacketNetwork::explainStandstill() const {
  std::vector<PartWait> waits(rooms.numShares());
  for (const PacketServer &server : servers)
    for (const PacketLane *lane : server.inputs) {
      if (lane == nullptr || server.busy || lane->isSource)
        continue;
      const PacketLane &from = *held[copies[lane->head].held].from;
      if (from.share < 0)
        continue;
      const bool full = lane->beyond >= 0 && !mayCross(*lane);
      waits[from.share].text = absl::StrCat(
          nameOfShare(from.share), ", packets of ", nameOf(*lane->stream),
          " at '", machine.node(lane->node).name, "', waits for ",
          full ? absl::StrCat("room at '", machine.node(lane->beyond).name,
                              "', where ", nameOfShare(lane->share), " holds ",
                              rooms.usedBytes(lane->share), " bytes")
               : nameOfServer(lane->server));
      waits[from.share].on = full ? lane->share : -1;
    }
  for (const std::unique_ptr<RunningStream> &stream : streams) {
    if (!stream)
      continue;
    const SwitchRooms::Need need = rooms.lacking(stream->index);
    if (need.node >= 0)
      waits.push_back(
          {absl::StrCat(nameOf(*stream), " waits to start for ", need.bytes,
                        " bytes at '", machine.node(need.node).name,
                        "', of which ", rooms.freeBytes(need.node),
                        " are free"),
           -1});
  }
  return describeWaits(waits);
}

std::string mozart::describeWaits(absl::Span<const PartWait> waits) {
  // From each, follow what it waits for; keep the first cycle, or else the
  // longest way.
  std::vector<size_t> best;
  bool isCycle = false;
  for (size_t start = 0; start < waits.size() && !isCycle; ++start) {
    std::vector<size_t> path;
    int64_t at = static_cast<int64_t>(start);
    while (at >= 0 && !waits[at].text.empty()) {
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
      best = std::move(path);
  }
  if (best.empty())
    return "packets are on their way that never arrive";
  std::string result = isCycle ? "packets wait for each other in a cycle"
                               : "packets wait that nothing can move";
  for (size_t i : best)
    absl::StrAppend(&result, i == best.front() ? ": " : "; ", waits[i].text);
  return result;
}
