//===- FlitTraffic.cpp - Synthetic traffic on a network of flits ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitTraffic.h"

#include <cmath>
#include <numeric>

using namespace mozart;

/// One in so many of what is delivered.
static constexpr int64_t kSaturatedShare = 500;

namespace {

/// SplitMix64: the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  size_t below(size_t bound) {
    return static_cast<size_t>(
        (static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

private:
  uint64_t state;
};

} // namespace

int32_t FlitTopology::addRouter(const FlitNode &router) {
  nodes.push_back(router);
  return static_cast<int32_t>(nodes.size() - 1);
}

void FlitTopology::join(int32_t a, int32_t b, int64_t latencyCycles) {
  FlitLink link;
  link.latencyCycles = latencyCycles;
  link.source = a;
  link.target = b;
  links.push_back(link);
  std::swap(link.source, link.target);
  links.push_back(link);
}

int32_t FlitTopology::addTerminal(int32_t router) {
  FlitNode terminal;
  terminal.virtualChannels = nodes[router].virtualChannels;
  terminal.virtualChannelFlits = nodes[router].virtualChannelFlits;
  nodes.push_back(terminal);
  terminals.push_back(static_cast<int32_t>(nodes.size() - 1));
  join(terminals.back(), router, 1);
  return static_cast<int32_t>(terminals.size() - 1);
}

FlitTopology mozart::flitTree(const FlitNode &router, int32_t roots,
                              bool leavesHaveRouters, int64_t latencyCycles) {
  constexpr int32_t kSwitches = 4, kLeaves = 4;
  FlitTopology result;
  int32_t root = result.addRouter(router);
  for (int32_t i = 0; i < roots; ++i)
    result.addTerminal(root);
  for (int32_t i = 0; i < kSwitches; ++i) {
    int32_t parent = result.addRouter(router);
    result.join(root, parent, latencyCycles);
    for (int32_t j = 0; j < kLeaves; ++j) {
      int32_t home = parent;
      if (leavesHaveRouters) {
        home = result.addRouter(router);
        result.join(parent, home, latencyCycles);
      }
      result.addTerminal(home);
    }
  }
  return result;
}

FlitTraffic::FlitTraffic(FlitTopology topology, FlitPattern pattern,
                         int32_t flits, uint64_t seed)
    : topology(std::move(topology)), pattern(std::move(pattern)), flits(flits),
      seed(seed) {
  findRoutes();
}

/// Routes by destination: hop `receiver x links + link`.
void FlitTraffic::findRoutes() {
  const size_t count = topology.links.size();
  hops.assign(pattern.receivers.size() * count, {});
  for (size_t r = 0; r < pattern.receivers.size(); ++r) {
    const int32_t base = static_cast<int32_t>(r * count);
    // The link that each node takes.
    std::vector<int32_t> next(topology.nodes.size(), -1);
    std::vector<int32_t> order = {topology.terminals[pattern.receivers[r]]};
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t l = 0; l < count; ++l) {
        const FlitLink &link = topology.links[l];
        if (link.target != order[i] || link.source == order[0] ||
            next[link.source] >= 0)
          continue;
        next[link.source] = static_cast<int32_t>(l);
        order.push_back(link.source);
      }
    for (size_t l = 0; l < count; ++l) {
      FlitHop &hop = hops[base + l];
      hop.link = static_cast<int32_t>(l);
      int32_t following = next[topology.links[l].target];
      if (following < 0)
        continue;
      hop.childBegin = base + following;
      hop.numChildren = 1;
    }
  }
  for (int32_t sender : pattern.senders)
    for (size_t l = 0; l < count; ++l) {
      if (topology.links[l].source != topology.terminals[sender])
        continue;
      sources.push_back({static_cast<int32_t>(l), -1});
      for (size_t r = 0; r < pattern.receivers.size(); ++r)
        firstHops.push_back(static_cast<int32_t>(r * count + l));
    }
}

std::unique_ptr<FlitNetwork> FlitTraffic::makeNetwork() const {
  auto network = std::make_unique<FlitNetwork>(
      topology.nodes, topology.links, sources, absl::Span<const FlitServer>());
  network->addHops(static_cast<int32_t>(hops.size()));
  for (size_t i = 0; i < hops.size(); ++i)
    network->hop(static_cast<int32_t>(i)) = hops[i];
  return network;
}

FlitMeasurement FlitTraffic::measure(double load, int64_t warmupCycles,
                                     int64_t measuredCycles) const {
  std::unique_ptr<FlitNetwork> network = makeNetwork();
  Random random(seed);
  const size_t receivers = pattern.receivers.size();
  // A packet is created when the next number is below this.
  const double scaled = std::ldexp(load / flits, 64);
  const bool always = scaled >= std::ldexp(1.0, 64);
  const uint64_t limit = always ? 0 : static_cast<uint64_t>(scaled);
  const int64_t end = warmupCycles + measuredCycles;
  int64_t created = 0, arrived = 0, latencies = 0;
  FlitMeasurement result;
  auto cycle = [&] {
    bool isMeasured =
        network->cycle() >= warmupCycles && network->cycle() < end;
    for (size_t s = 0; s < sources.size(); ++s) {
      if (random.next() >= limit && !always)
        continue;
      created += isMeasured ? 1 : 0;
      network->inject(static_cast<int32_t>(s),
                      firstHops[s * receivers + random.below(receivers)], flits,
                      isMeasured ? 1 : 0);
    }
    int64_t here = network->cycle();
    network->step();
    for (const FlitDelivery &delivery : network->delivered()) {
      if (delivery.tag == 0)
        continue;
      ++arrived;
      latencies += here - delivery.createdCycle;
    }
  };
  while (network->cycle() < warmupCycles)
    cycle();
  const int64_t flitsThen = network->flitsDelivered();
  const int64_t leftThen = network->packetsLeft();
  while (network->cycle() < end)
    cycle();
  const int64_t delivered = network->flitsDelivered() - flitsThen;
  const int64_t grown = (network->packetsLeft() - leftThen) * flits;
  result.flitsPerCycle =
      static_cast<double>(delivered) / static_cast<double>(measuredCycles);
  result.isSaturated = grown * kSaturatedShare > delivered;
  // Traffic goes on until all that are measured have arrived.
  while (!result.isSaturated && arrived < created)
    cycle();
  if (!result.isSaturated && created > 0)
    result.meanLatencyCycles =
        static_cast<double>(latencies) / static_cast<double>(created);
  result.cycles = network->cycle();
  result.flitsDelivered = network->flitsDelivered();
  return result;
}

FlitMeasurement FlitTraffic::saturation(int32_t steps, int64_t warmupCycles,
                                        int64_t measuredCycles) const {
  FlitMeasurement best;
  int32_t low = 0, high = steps;
  while (low < high) {
    int32_t step = (low + high + 1) / 2;
    FlitMeasurement found = measure(static_cast<double>(step) / steps,
                                    warmupCycles, measuredCycles);
    if (found.isSaturated) {
      high = step - 1;
      continue;
    }
    low = step;
    best = found;
  }
  return best;
}

int64_t FlitTraffic::batchCycles(int32_t packets) const {
  std::unique_ptr<FlitNetwork> network = makeNetwork();
  Random random(seed);
  const size_t receivers = pattern.receivers.size();
  for (size_t s = 0; s < sources.size(); ++s)
    for (int32_t i = 0; i < packets; ++i)
      network->inject(static_cast<int32_t>(s),
                      firstHops[s * receivers + random.below(receivers)], flits,
                      0);
  while (network->packetsLeft() > 0 && network->skipIdle())
    network->step();
  return network->cycle() - 1;
}
