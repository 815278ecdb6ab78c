//===- FlitNetworkTest.cpp - A network cycle by cycle ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitNetwork.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

using namespace mozart;

namespace {

/// Terminal 0, routers 1 .. H, terminal H + 1 in a row. Links between routers
/// take `latency`, those of the terminals one cycle.
struct Row {
  std::vector<FlitNode> nodes;
  std::vector<FlitLink> links;

  Row(const FlitNode &router, int32_t routers, int64_t latency) {
    FlitNode terminal;
    terminal.virtualChannels = router.virtualChannels;
    terminal.virtualChannelFlits = router.virtualChannelFlits;
    nodes.assign(routers + 2, router);
    nodes.front() = nodes.back() = terminal;
    for (int32_t i = 0; i <= routers; ++i) {
      FlitLink link;
      link.source = i;
      link.target = i + 1;
      link.latencyCycles = i == 0 || i == routers ? 1 : latency;
      links.push_back(link);
    }
  }

  std::unique_ptr<FlitNetwork> make(absl::Span<const FlitServer> servers = {},
                                    int32_t source = -1,
                                    int32_t sink = -1) const {
    auto network = std::make_unique<FlitNetwork>(
        nodes, links, std::vector<FlitSource>{{0, source}}, servers);
    const int32_t count = static_cast<int32_t>(links.size());
    network->addHops(count);
    for (int32_t i = 0; i < count; ++i)
      network->hop(i) = {i, i + 1, 1};
    network->hop(count - 1) = {count - 1, sink, 0};
    return network;
  }
};

/// The cycle in which the last packet arrives.
int64_t run(FlitNetwork &network) {
  int64_t last = -1;
  while (network.packetsLeft() > 0 && network.skipIdle()) {
    int64_t here = network.cycle();
    network.step();
    if (!network.delivered().empty())
      last = here;
  }
  EXPECT_EQ(network.packetsLeft(), 0);
  return last;
}

TEST(FlitNetwork, AlonePacketsTakeTheClosedForm) {
  // H t_r + sum of L + 3 + (P - 1).
  for (FlitNode router : {FlitNode{4, 32, 4, 1, 1}, FlitNode{16, 64, 2, 4, 2},
                          FlitNode{4, 32, 1, 1, 1}, FlitNode{4, 32, 2, 1, 1},
                          FlitNode{4, 32, 3, 1, 1}, FlitNode{4, 32, 7, 1, 1}})
    for (int32_t routers : {1, 2, 3, 5})
      for (int64_t latency : {0, 1, 10})
        for (int32_t flits : {1, 2, 5, 100}) {
          auto network = Row(router, routers, latency).make();
          network->inject(0, 0, flits, 0);
          EXPECT_EQ(run(*network), routers * router.pipelineCycles +
                                       (routers - 1) * latency + 3 + flits - 1)
              << routers << " routers of " << router.pipelineCycles
              << " cycles, latency " << latency << ", flits " << flits;
        }
}

TEST(FlitNetwork, CreditsBoundARoundTrip) {
  // One channel of F flits: F flits for each round trip of a credit.
  FlitNode router = {1, 4, 4, 1, 1};
  const int64_t latency = 20;
  auto network = Row(router, 2, latency).make();
  network->inject(0, 0, 400, 0);
  // The second router uses a flit in the cycle of its arrival, but for the
  // first of a packet: 1 + latency there, 2 + latency back, and its traversal.
  const int64_t round = 2 * latency + 4;
  int64_t expected = 2 * 4 + latency + 3 + 2 + 99 * round + 3;
  EXPECT_NEAR(static_cast<double>(run(*network)), static_cast<double>(expected),
              4);
}

TEST(FlitNetwork, SlowLinksAreExactInTheLongRun) {
  Row row({4, 32, 4, 1, 1}, 1, 1);
  row.links[1].cyclesNumerator = 10;
  row.links[1].cyclesDenominator = 3;
  auto network = row.make();
  network->inject(0, 0, 3000, 0);
  // Sending starts in cycle 5; the last flit ends 10,000 cycles later and then
  // takes a cycle.
  EXPECT_EQ(run(*network), 5 + 10000 + 1);
  EXPECT_EQ(network->flitsSent(1), 3000);
}

/// A server that takes `half` half cycles for a flit, either way.
FlitServer halfCycles(int64_t half) {
  FlitServer server;
  server.sourceTicks = server.sinkTicks = half
                                          << (FlitServer::kFractionBits - 1);
  return server;
}

TEST(FlitNetwork, ServersLimitSourcesAndSinks) {
  Row row({4, 32, 4, 1, 1}, 1, 1);
  const int64_t alone = 4 + 3;
  // 2.5 cycles a flit: the last of 101 leaves, or is taken, 250 cycles later.
  // One that follows the head at a distance skips routing and allocation.
  FlitServer slow = halfCycles(5);
  auto atSource = row.make({slow}, 0, -1);
  atSource->inject(0, 0, 101, 0);
  EXPECT_EQ(run(*atSource), alone - 2 + 250);
  auto atSink = row.make({slow}, -1, 0);
  atSink->inject(0, 0, 101, 0);
  EXPECT_EQ(run(*atSink), alone + 250);
  // Half a cycle a flit: no limit.
  FlitServer fast = halfCycles(1);
  auto both = row.make({fast}, 0, 0);
  both->inject(0, 0, 101, 0);
  EXPECT_EQ(run(*both), alone + 100);
}

TEST(FlitNetwork, AServerServesInTurn) {
  FlitServer server = halfCycles(3);
  auto network = Row({4, 32, 4, 1, 1}, 1, 1).make({server});
  EXPECT_EQ(network->serve(0, 10, false), 15);
  EXPECT_EQ(network->serve(0, 5, true), 23); // 22.5
  EXPECT_EQ(network->serve(-1, 5, true), 0);
}

/// A terminal, a switch and some leaves.
struct Star {
  std::vector<FlitNode> nodes;
  std::vector<FlitLink> links;

  Star(const FlitNode &center, int32_t leaves) {
    FlitNode terminal;
    terminal.virtualChannels = center.virtualChannels;
    terminal.virtualChannelFlits = center.virtualChannelFlits;
    nodes = {terminal, center};
    links.push_back({0, 1});
    for (int32_t i = 0; i < leaves; ++i) {
      nodes.push_back(terminal);
      links.push_back({1, i + 2});
    }
  }

  /// With one route, from terminal 0 to all leaves.
  std::unique_ptr<FlitNetwork>
  make(absl::Span<const FlitServer> servers = {}) const {
    auto network = std::make_unique<FlitNetwork>(
        nodes, links, std::vector<FlitSource>{{0, -1}}, servers);
    network->addHops(static_cast<int32_t>(links.size()));
    const int32_t leaves = static_cast<int32_t>(links.size()) - 1;
    network->hop(0) = {0, 1, leaves};
    for (int32_t i = 1; i <= leaves; ++i)
      network->hop(i) = {i, -1, 0};
    return network;
  }
};

TEST(FlitNetwork, CopiesLeaveTogether) {
  for (FlitNode center : {FlitNode{4, 32, 4, 1, 1}, FlitNode{16, 64, 2, 4, 2},
                          FlitNode{4, 32, 1, 1, 1, true}})
    for (int32_t leaves : {2, 3, 7}) {
      auto network = Star(center, leaves).make();
      for (int32_t p = 0; p < 10; ++p)
        network->inject(0, 0, 20, p);
      int64_t last = run(*network);
      EXPECT_EQ(network->flitsDelivered(), 200 * leaves);
      // As one copy alone, but for allocation between packets.
      EXPECT_GE(last, center.pipelineCycles + 3 + 199);
      EXPECT_LE(last, center.pipelineCycles + 3 + 199 + 4 * 10);
    }
}

TEST(FlitNetwork, CopiesTakeTheirTimeOfAServer) {
  Star star({4, 32, 4, 1, 1}, 3);
  star.nodes[1].copyServer = 0;
  auto network = star.make({halfCycles(1)}); // two copies a cycle
  network->inject(0, 0, 1000, 0);
  EXPECT_NEAR(static_cast<double>(run(*network)), 1500, 20);
}

TEST(FlitNetwork, CopiesOfManyRootsDoNotDeadlock) {
  // Four terminals send to changing pairs of four others through one switch.
  std::vector<FlitNode> nodes(8, FlitNode{2, 4});
  nodes.push_back({2, 4, 4, 1, 1});
  std::vector<FlitLink> links;
  std::vector<FlitSource> sources;
  for (int32_t i = 0; i < 4; ++i) {
    links.push_back({i, 8});
    sources.push_back({i, -1});
  }
  for (int32_t i = 4; i < 8; ++i)
    links.push_back({8, i});
  FlitNetwork network(nodes, links, sources, {});
  std::mt19937 random(3);
  int64_t copies = 0;
  for (int32_t p = 0; p < 2000; ++p) {
    int32_t ways = 1 + static_cast<int32_t>(random() % 4);
    int32_t first = network.addHops(1 + ways);
    network.hop(first) = {p % 4, first + 1, ways};
    for (int32_t w = 0; w < ways; ++w)
      network.hop(first + 1 + w) = {4 + (p + w * (p % 8 < 4 ? 1 : 3)) % 4, -1,
                                    0};
    copies += ways;
    network.inject(p % 4, first, 7, p);
  }
  run(network);
  EXPECT_EQ(network.flitsDelivered(), 7 * copies);
}

TEST(FlitNetwork, AnOutputQueuedSwitchIsNoBottleneck) {
  // Four to four, each to all in turn and all in step: full rate.
  FlitNode queued = {4, 32, 1, 1, 1, true};
  std::vector<FlitNode> nodes(8, FlitNode{4, 32});
  nodes.push_back(queued);
  std::vector<FlitLink> links;
  std::vector<FlitSource> sources;
  for (int32_t i = 0; i < 4; ++i) {
    links.push_back({i, 8});
    sources.push_back({i, -1});
  }
  for (int32_t i = 4; i < 8; ++i)
    links.push_back({8, i});
  FlitNetwork network(nodes, links, sources, {});
  for (int32_t i = 0; i < 4; ++i)
    for (int32_t j = 0; j < 4; ++j) {
      int32_t first = network.addHops(2);
      network.hop(first) = {i, first + 1, 1};
      network.hop(first + 1) = {4 + j, -1, 0};
    }
  for (int32_t p = 0; p < 400; ++p)
    for (int32_t i = 0; i < 4; ++i)
      network.inject(i, 2 * (4 * i + p % 4), 1, 0);
  EXPECT_LE(run(network), 400 + 1 + 3 + 8);
}

TEST(FlitNetwork, ADeadlockNamesItsLinks) {
  // Four nodes in a ring; each sends a long packet to the one opposite through
  // the only channel of each link.
  std::vector<FlitNode> nodes(4, FlitNode{1, 2});
  std::vector<FlitLink> links;
  std::vector<FlitSource> sources;
  for (int32_t i = 0; i < 4; ++i) {
    links.push_back({i, (i + 1) % 4});
    sources.push_back({i, -1});
  }
  FlitNetwork network(nodes, links, sources, {});
  network.addHops(8);
  for (int32_t i = 0; i < 4; ++i) {
    network.hop(2 * i) = {i, 2 * i + 1, 1};
    network.hop(2 * i + 1) = {(i + 1) % 4, -1, 0};
    network.inject(i, 2 * i, 20, i);
  }
  EXPECT_FALSE(network.standsStill());
  while (!network.standsStill() && network.skipIdle())
    network.step();
  EXPECT_TRUE(network.standsStill());
  EXPECT_LT(network.cycle(), 100);
  std::vector<int32_t> cycle = network.waitCycle();
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<int32_t>{0, 1, 2, 3}));
}

TEST(FlitNetwork, IdleGapsAreSkipped) {
  auto network = Row({4, 32, 4, 1, 1}, 2, 100000).make();
  network->inject(0, 0, 1, 0);
  int64_t steps = 0;
  while (network->packetsLeft() > 0 && network->skipIdle()) {
    network->step();
    ++steps;
  }
  EXPECT_LT(steps, 20);
  EXPECT_EQ(network->cycle() - 1, 2 * 4 + 100000 + 3);
}

TEST(FlitNetwork, RandomTreesDeliverEverythingOnce) {
  std::mt19937 random(5);
  for (int32_t round = 0; round < 200; ++round) {
    auto draw = [&](int32_t low, int32_t high) {
      return low + static_cast<int32_t>(random() % (high - low + 1));
    };
    // Any node has sources; a route goes up to the common ancestor and down.
    const int32_t count = draw(2, 30);
    std::vector<FlitNode> nodes;
    std::vector<FlitLink> links;
    std::vector<int32_t> parent(count, -1);
    std::vector<FlitSource> sources;
    for (int32_t i = 0; i < count; ++i) {
      nodes.push_back({draw(1, 6), draw(1, 9), draw(1, 5), draw(1, 3),
                       draw(1, 2), draw(0, 3) == 0});
      if (i == 0)
        continue;
      parent[i] = draw(0, i - 1);
      FlitLink link;
      link.source = i;
      link.target = parent[i];
      link.latencyCycles = draw(0, 7);
      link.cyclesDenominator = draw(1, 4);
      link.cyclesNumerator = link.cyclesDenominator + draw(0, 9);
      links.push_back(link);
      std::swap(link.source, link.target);
      links.push_back(link);
    }
    for (size_t l = 0; l < links.size(); ++l)
      sources.push_back({static_cast<int32_t>(l), l % 5 == 0 ? 0 : -1});
    FlitServer server;
    server.sourceTicks = server.sinkTicks = int64_t{draw(1, 7)} << 31;
    FlitNetwork network(nodes, links, sources, {server});
    std::vector<int64_t> expected(links.size(), 0);
    int64_t packets = draw(1, 200), flits = 0;
    for (int64_t p = 0; p < packets; ++p) {
      int32_t from = draw(0, count - 1), to = draw(0, count - 1);
      if (from == to)
        continue;
      std::vector<int32_t> up, down;
      for (int32_t a = from, b = to; a != b;) {
        if (a > b) {
          up.push_back(2 * (a - 1));
          a = parent[a];
        } else {
          down.push_back(2 * (b - 1) + 1);
          b = parent[b];
        }
      }
      up.insert(up.end(), down.rbegin(), down.rend());
      const int32_t hops = static_cast<int32_t>(up.size());
      int32_t first = network.addHops(hops);
      for (int32_t h = 0; h < hops; ++h)
        network.hop(first + h) = {up[h],
                                  h + 1 < hops     ? first + h + 1
                                  : to % 3 - 2 < 0 ? -1
                                                   : 0,
                                  h + 1 < hops ? 1 : 0};
      int32_t length = draw(1, 12);
      flits += length;
      for (int32_t link : up)
        expected[link] += length;
      network.inject(up[0], first, length, static_cast<int32_t>(p));
    }
    std::vector<bool> seen(packets);
    while (network.packetsLeft() > 0 && network.skipIdle()) {
      network.step();
      for (const FlitDelivery &delivery : network.delivered()) {
        EXPECT_FALSE(seen[delivery.tag]);
        seen[delivery.tag] = true;
      }
      ASSERT_LT(network.cycle(), 1000000) << "round " << round;
    }
    EXPECT_EQ(network.flitsDelivered(), flits);
    for (size_t l = 0; l < links.size(); ++l)
      EXPECT_EQ(network.flitsSent(static_cast<int32_t>(l)), expected[l]);
  }
}

} // namespace
