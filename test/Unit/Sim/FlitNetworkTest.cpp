//===- FlitNetworkTest.cpp - A network cycle by cycle ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlitNetwork.h"

#include <gtest/gtest.h>

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

  std::unique_ptr<FlitNetwork> make() const {
    auto network =
        std::make_unique<FlitNetwork>(nodes, links, std::vector<int32_t>{0});
    // Hop i is taken at node i + 1.
    for (size_t i = 1; i < links.size(); ++i)
      network->addHop({static_cast<int32_t>(i), static_cast<int32_t>(i)});
    network->addHop({});
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
    std::vector<int32_t> parent(count, -1), sources;
    for (int32_t i = 0; i < count; ++i) {
      nodes.push_back(
          {draw(1, 6), draw(1, 9), draw(1, 5), draw(1, 3), draw(1, 2)});
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
      sources.push_back(static_cast<int32_t>(l));
    FlitNetwork network(nodes, links, sources);
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
      int32_t hop = network.addHop({});
      for (size_t i = up.size() - 1; i > 0; --i)
        hop = network.addHop({up[i], hop});
      int32_t length = draw(1, 12);
      flits += length;
      for (int32_t link : up)
        expected[link] += length;
      network.inject(up[0], hop, length, static_cast<int32_t>(p));
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
