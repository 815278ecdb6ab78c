//===- FlitMachine.cpp - A machine as a network of flits ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitMachine.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mozart;

static constexpr __int128 kPsPerSecond = 1000000000000;
static constexpr int64_t kMostCycles = int64_t{1} << 22;
/// Of a machine without links.
static constexpr int64_t kUsualBytesPerSecond = 1000000000000;

int64_t FlitMachine::psOf(int64_t cycle) const {
  // Whole flits a second apart from the rest: no product passes 2^127.
  __int128 bytes = static_cast<__int128>(cycle) * flitBytes;
  __int128 ps = bytes / bytesPerSecond * kPsPerSecond +
                (bytes % bytesPerSecond * kPsPerSecond + bytesPerSecond - 1) /
                    bytesPerSecond;
  return ps < std::numeric_limits<int64_t>::max() ? static_cast<int64_t>(ps)
                                                  : -1;
}

int64_t FlitMachine::cycleAt(int64_t ps) const {
  if (ps <= 0)
    return 0;
  // Of rounded beginnings: the first that is later than ps - 1.
  return static_cast<int64_t>((static_cast<__int128>(ps) - 1) * bytesPerSecond /
                              (kPsPerSecond * flitBytes)) +
         1;
}

int32_t FlitMachine::sourceOf(int32_t link, StreamEnd end) const {
  for (size_t i = static_cast<size_t>(firstSource[link]); i < sources.size();
       ++i)
    if (sources[i].link == link && sourceEnds[i].kind == end.kind &&
        (end.kind == StreamEnd::Kind::None || sourceEnds[i].index == end.index))
      return static_cast<int32_t>(i);
  return -1;
}

int32_t FlitMachine::serverOf(StreamEnd end) const {
  switch (end.kind) {
  case StreamEnd::Kind::Sram:
    return sramServers[end.index];
  case StreamEnd::Kind::Memory:
    return memoryServers[end.index];
  case StreamEnd::Kind::None:
    return -1;
  }
  return -1;
}

namespace {

class Builder {
public:
  explicit Builder(const MachineModel &machine) : machine(machine) {}

  absl::StatusOr<FlitMachine> build() {
    if (absl::Status status = setClock(); !status.ok())
      return status;
    for (int32_t i = 0; i < machine.numNodes(); ++i)
      addNode(i);
    for (int32_t i = 0; i < machine.numMemories(); ++i)
      result.memoryServers.push_back(addServer(machine.memory(i).name,
                                               machine.readBytesPerSecond(i),
                                               machine.writeBytesPerSecond(i)));
    for (int32_t i = 0; i < machine.numLinks(); ++i)
      addLink(i);
    if (!status.ok())
      return status;
    result.network =
        std::make_unique<FlitNetwork>(nodes, links, result.sources, servers);
    return std::move(result);
  }

private:
  const MachineModel &machine;
  FlitMachine result;
  std::vector<FlitNode> nodes;
  std::vector<FlitLink> links;
  std::vector<FlitServer> servers;
  absl::Status status;

  void refuse(const std::string &what) {
    if (status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(
          "machine '", machine.name(), "', network 'flit': ", what));
  }

  absl::Status setClock() {
    int32_t first = -1;
    for (int32_t i = 0; i < machine.numNodes(); ++i) {
      const NodeFacts &node = machine.node(i);
      if (node.isChiplet())
        continue;
      if (first >= 0 && node.flitBytes != machine.node(first).flitBytes)
        refuse(absl::StrCat("switch '", machine.node(first).name,
                            "' has flits of ", machine.node(first).flitBytes,
                            " bytes and '", node.name, "' of ", node.flitBytes,
                            "; expected one size of flits"));
      if (node.virtualChannels > 64)
        refuse(absl::StrCat("switch '", node.name, "' has ",
                            node.virtualChannels,
                            " virtual channels; expected at most 64"));
      if (node.virtualChannelFlits > kMostCycles ||
          node.pipelineCycles > kMostCycles || node.speedup > kMostCycles ||
          node.allocatorIterations > kMostCycles)
        refuse(absl::StrCat("switch '", node.name,
                            "' has more than 4194304 flits a virtual channel, "
                            "pipeline cycles, iterations or passes"));
      first = first < 0 ? i : first;
    }
    result.flitBytes =
        first >= 0 ? machine.node(first).flitBytes : NodeFacts().flitBytes;
    for (int32_t i = 0; i < machine.numLinks(); ++i)
      result.bytesPerSecond =
          std::max(result.bytesPerSecond, machine.linkBytesPerSecond(i));
    if (result.bytesPerSecond == 0)
      result.bytesPerSecond = kUsualBytesPerSecond;
    return status;
  }

  /// Ticks of a flit, rounded up.
  int64_t ticks(const std::string &name, int64_t rate) {
    if (rate < result.bytesPerSecond / kMostCycles) {
      refuse(absl::StrCat(
          "'", name, "' has ", rate, " bytes/s, and the fastest link ",
          result.bytesPerSecond, "; expected at most 4194304 times as much"));
      return 0;
    }
    return static_cast<int64_t>(((static_cast<__int128>(result.bytesPerSecond)
                                  << FlitServer::kFractionBits) +
                                 rate - 1) /
                                rate);
  }

  int32_t addServer(const std::string &name, int64_t sourceRate,
                    int64_t sinkRate) {
    FlitServer server;
    server.sourceTicks = ticks(name, sourceRate);
    server.sinkTicks = ticks(name, sinkRate);
    servers.push_back(server);
    return static_cast<int32_t>(servers.size() - 1);
  }

  /// A chiplet passes flits on in a cycle; its queues are as those of the
  /// switches beside it.
  FlitNode chipletNode(int32_t index) {
    FlitNode node;
    int32_t channels = 0, flits = 0;
    for (int32_t i = 0; i < machine.numLinks(); ++i) {
      const NodeFacts &beside = machine.node(machine.link(i).source);
      if (machine.link(i).target != index || beside.isChiplet())
        continue;
      channels =
          std::max(channels, static_cast<int32_t>(beside.virtualChannels));
      flits = std::max(flits, static_cast<int32_t>(beside.virtualChannelFlits));
    }
    if (channels > 0) {
      node.virtualChannels = channels;
      node.virtualChannelFlits = flits;
    }
    return node;
  }

  void addNode(int32_t index) {
    const NodeFacts &facts = machine.node(index);
    result.sramServers.push_back(-1);
    result.reduceServers.push_back(-1);
    if (facts.isChiplet()) {
      int64_t rate = machine.sramBytesPerSecond(index);
      result.sramServers.back() = addServer(facts.name, rate, rate);
      nodes.push_back(chipletNode(index));
      return;
    }
    FlitNode node;
    node.virtualChannels = static_cast<int32_t>(facts.virtualChannels);
    node.virtualChannelFlits = static_cast<int32_t>(facts.virtualChannelFlits);
    node.pipelineCycles = static_cast<int32_t>(facts.pipelineCycles);
    node.allocatorIterations = static_cast<int32_t>(facts.allocatorIterations);
    node.speedup = static_cast<int32_t>(facts.speedup);
    node.isOutputQueued = facts.queueing == Queueing::Output;
    if (facts.multicastBytesPerSecond > 0)
      node.copyServer = addServer(facts.name, facts.multicastBytesPerSecond,
                                  facts.multicastBytesPerSecond);
    if (facts.reduceBytesPerSecond > 0)
      result.reduceServers.back() = addServer(
          facts.name, facts.reduceBytesPerSecond, facts.reduceBytesPerSecond);
    nodes.push_back(node);
  }

  /// A switch's latency beyond its pipeline lies on the links that leave it,
  /// where flits follow each other.
  void addLink(int32_t index) {
    const LinkFacts &facts = machine.link(index);
    const NodeFacts &node = machine.node(facts.source);
    __int128 latencyPs = facts.latencyPs;
    if (!node.isChiplet())
      latencyPs += std::max<int64_t>(0, node.latencyPs -
                                            result.psOf(node.pipelineCycles));
    FlitLink link;
    link.source = facts.source;
    link.target = facts.target;
    const int64_t rate = machine.linkBytesPerSecond(index);
    const int64_t divisor = std::gcd(rate, result.bytesPerSecond);
    link.cyclesNumerator = result.bytesPerSecond / divisor;
    link.cyclesDenominator = rate / divisor;
    const std::string name = absl::StrCat("link '", node.name, "->",
                                          machine.node(facts.target).name, "'");
    if (latencyPs > std::numeric_limits<int64_t>::max() ||
        result.cycleAt(static_cast<int64_t>(latencyPs)) > kMostCycles)
      return refuse(absl::StrCat(name, " and the switch before it have a "
                                       "latency of more than 4194304 cycles"));
    link.latencyCycles = result.cycleAt(static_cast<int64_t>(latencyPs));
    const FlitNode &target = nodes[facts.target];
    if (link.cyclesNumerator / link.cyclesDenominator >
        kMostCycles / (static_cast<int64_t>(target.virtualChannels) *
                       target.virtualChannelFlits))
      return refuse(absl::StrCat(
          name, ": the flits that its credits allow would take more than "
                "4194304 cycles of the fastest link"));
    links.push_back(link);
    addSources(index, node);
  }

  void addSources(int32_t link, const NodeFacts &node) {
    const int32_t source = machine.link(link).source;
    result.firstSource.push_back(static_cast<int32_t>(result.sources.size()));
    auto add = [&](StreamEnd end) {
      result.sources.push_back({link, result.serverOf(end)});
      result.sourceEnds.push_back(end);
    };
    if (node.isChiplet())
      add({StreamEnd::Kind::Sram, source});
    else
      add({});
    for (int32_t i = 0; i < machine.numMemories(); ++i)
      if (machine.memory(i).node == source)
        add({StreamEnd::Kind::Memory, i});
  }
};

} // namespace

absl::StatusOr<FlitMachine> FlitMachine::create(const MachineModel &machine) {
  return Builder(machine).build();
}
