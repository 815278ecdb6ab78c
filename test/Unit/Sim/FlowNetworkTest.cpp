//===- FlowNetworkTest.cpp - Transfers that share resources ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace mozart;

namespace {

FlowUse use(int32_t resource, int64_t bytes) {
  FlowUse u;
  u.resource = resource;
  u.bytes = bytes;
  return u;
}

struct Fixture {
  FlowNetwork network;
  std::vector<FlowForecast> forecasts;

  explicit Fixture(std::vector<int64_t> rates) : network(std::move(rates)) {}

  void update(int64_t now) {
    forecasts.clear();
    EXPECT_TRUE(network.update(now, forecasts));
  }
  int64_t endOf(int32_t flow) const {
    for (const FlowForecast &f : forecasts)
      if (f.flow == flow)
        return f.endPs;
    return -1;
  }
};

constexpr int64_t kSecond = 1000000000000;

TEST(FlowNetwork, OneFlowTakesTheSlowestResource) {
  Fixture f({100, 40, 60});
  int32_t flow = f.network.start(7, {use(0, 80), use(1, 80), use(2, 80)}, 0);
  f.update(7);
  EXPECT_EQ(f.network.rate(flow), 40);
  EXPECT_EQ(f.endOf(flow), 7 + 2 * kSecond);
}

TEST(FlowNetwork, EndsAreRoundedUpOnce) {
  Fixture f({3});
  int32_t flow = f.network.start(0, {use(0, 1)}, 0);
  f.update(0);
  EXPECT_EQ(f.endOf(flow), 333333333334);
}

TEST(FlowNetwork, RatesAreRoundedDown) {
  Fixture f({10});
  int32_t a = f.network.start(0, {use(0, 30)}, 0);
  f.network.start(0, {use(0, 30)}, 0);
  f.network.start(0, {use(0, 30)}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(a), 3);
  EXPECT_EQ(f.endOf(a), 10 * kSecond);
}

TEST(FlowNetwork, LeastRateIsOne) {
  Fixture f({1});
  int32_t a = f.network.start(0, {use(0, 2)}, 0);
  int32_t b = f.network.start(0, {use(0, 2)}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(a), 1);
  EXPECT_EQ(f.network.rate(b), 1);
}

TEST(FlowNetwork, MixedRateWhileSomeWriteAndSomeDoNot) {
  Fixture f({100});
  f.network.setMixedRate(0, 60);
  FlowUse written = use(0, 60);
  written.isWrite = true;
  int32_t first = f.network.start(0, {use(0, 90)}, 0);
  int32_t second = f.network.start(0, {use(0, 110)}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(first), 50); // two readers are not mixed
  f.network.finish(second);
  int32_t writer = f.network.start(kSecond, {written}, 0);
  f.update(kSecond);
  EXPECT_EQ(f.network.rate(first), 30);
  EXPECT_EQ(f.network.rate(writer), 30);
  // 40 bytes are left of the reader: it ends 4/3 s later, the writer alone is
  // not mixed: 20 bytes at 100.
  EXPECT_EQ(f.endOf(first), kSecond + 1333333333334);
  f.network.finish(first);
  f.update(f.endOf(first));
  EXPECT_EQ(f.network.rate(writer), 100);
  EXPECT_EQ(f.endOf(writer), kSecond + 1333333333334 + 200000000000);
}

TEST(FlowNetwork, MaxMinOnThreeResources) {
  // a crosses 0 and 1, b crosses 0, c crosses 1 and 2. Resource 0 of 10 gives
  // 5 each; c takes what a leaves of 1 (30 - 5) but 2 holds it to 20.
  Fixture f({10, 30, 20});
  int32_t a = f.network.start(0, {use(0, 1), use(1, 1)}, 0);
  int32_t b = f.network.start(0, {use(0, 1)}, 0);
  int32_t c = f.network.start(0, {use(1, 1), use(2, 1)}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(a), 5);
  EXPECT_EQ(f.network.rate(b), 5);
  EXPECT_EQ(f.network.rate(c), 20);
  EXPECT_EQ(f.network.bytesPerSecond(1), 25);
}

TEST(FlowNetwork, UnequalLoadsOfOneFlow) {
  // Resource 1 of 10 takes 2.5 s for 25 bytes; meanwhile resource 0 carries
  // 100.
  Fixture f({1000, 10});
  int32_t flow = f.network.start(0, {use(0, 100), use(1, 25)}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(flow), 10);
  EXPECT_EQ(f.endOf(flow), 5 * kSecond / 2);
  EXPECT_EQ(f.network.bytesPerSecond(0), 40);
  EXPECT_EQ(f.network.bytesPerSecond(1), 10);
}

TEST(FlowNetwork, WeightedUse) {
  // Each byte costs two of the resource's.
  Fixture f({100});
  FlowUse twice = use(0, 100);
  twice.weightNumerator = 2;
  int32_t flow = f.network.start(0, {twice}, 0);
  f.update(0);
  EXPECT_EQ(f.network.rate(flow), 50);
  EXPECT_EQ(f.endOf(flow), 2 * kSecond);
}

TEST(FlowNetwork, WhatRemainsIsExact) {
  Fixture f({10});
  int32_t a = f.network.start(0, {use(0, 10)}, 0);
  f.update(0);
  EXPECT_EQ(f.endOf(a), kSecond);
  // A third of the way, b joins: a has 10 - 10 x 333333333333 ps left, at 5.
  int32_t b = f.network.start(333333333333, {use(0, 100)}, 0);
  f.update(333333333333);
  EXPECT_EQ(f.endOf(a), 333333333333 + 2 * 666666666667);
  f.network.finish(a);
  f.update(333333333333 + 2 * 666666666667);
  // b has moved 5 x 1333333333334 ps.
  EXPECT_EQ(f.endOf(b), 333333333333 + 2 * 666666666667 +
                            (100 * kSecond - 5 * 1333333333334 + 9) / 10);
}

TEST(FlowNetwork, UnchangedRatesKeepTheirForecast) {
  Fixture f({10, 10});
  int32_t a = f.network.start(0, {use(0, 10)}, 0);
  f.update(0);
  int32_t b = f.network.start(5, {use(1, 10)}, 0);
  f.update(5);
  EXPECT_EQ(f.endOf(a), -1);
  EXPECT_EQ(f.endOf(b), 5 + kSecond);
  EXPECT_TRUE(f.network.isNewest(a, 1));
}

TEST(FlowNetwork, ProportionsPastTheRange) {
  Fixture f({1, int64_t(1) << 60});
  f.network.start(0, {use(0, 1), use(1, int64_t(1) << 59)}, 0);
  EXPECT_FALSE(f.network.update(0, f.forecasts));
}

TEST(FlowNetwork, EndPastTheClock) {
  Fixture f({1});
  f.network.start(0, {use(0, std::numeric_limits<int64_t>::max())}, 0);
  EXPECT_FALSE(f.network.update(0, f.forecasts));
}

/// On random sets of flows: no resource carries more than its rate, and each
/// flow crosses a resource that is full (but for rounding) and on which no flow
/// has a higher rate: the definition of max-min fairness.
TEST(FlowNetwork, RandomRatesAreMaxMinFair) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> rates(1 + random() % 8);
    for (int64_t &rate : rates)
      rate = 1000000 + static_cast<int64_t>(random() % 1000000000);
    Fixture f(rates);
    struct Reference {
      int32_t flow;
      std::vector<double> share; // of each resource
    };
    std::vector<Reference> live;
    int64_t now = 0;
    for (int step = 0; step < 20; ++step) {
      now += static_cast<int64_t>(random() % 1000);
      if (!live.empty() && random() % 3 == 0) {
        size_t i = random() % live.size();
        f.network.finish(live[i].flow);
        live.erase(live.begin() + static_cast<int64_t>(i));
      } else {
        std::vector<FlowUse> uses;
        Reference r;
        r.share.assign(rates.size(), 0.0);
        double longest = 0, measure = 1;
        for (size_t i = 0; i < rates.size(); ++i)
          if (random() % 2 || (uses.empty() && i + 1 == rates.size())) {
            uses.push_back(use(static_cast<int32_t>(i),
                               1 + static_cast<int64_t>(random() % 100000)));
            double bytes = static_cast<double>(uses.back().bytes);
            if (bytes / static_cast<double>(rates[i]) > longest) {
              longest = bytes / static_cast<double>(rates[i]);
              measure = bytes;
            }
          }
        for (const FlowUse &u : uses)
          r.share[u.resource] = static_cast<double>(u.bytes) / measure;
        r.flow = f.network.start(now, uses, 0);
        live.push_back(r);
      }
      f.update(now);
      std::vector<double> carried(rates.size(), 0.0);
      for (const Reference &r : live)
        for (size_t i = 0; i < rates.size(); ++i)
          carried[i] +=
              r.share[i] * static_cast<double>(f.network.rate(r.flow));
      for (size_t i = 0; i < rates.size(); ++i)
        EXPECT_LE(carried[i], static_cast<double>(rates[i]) * (1 + 1e-9));
      for (const Reference &r : live) {
        bool held = false;
        for (size_t i = 0; i < rates.size(); ++i) {
          double lost = 1; // to rounding, at most 1 byte/s a flow
          bool highest = r.share[i] > 0;
          for (const Reference &other : live) {
            lost += other.share[i];
            highest &= other.share[i] == 0 ||
                       f.network.rate(other.flow) <= f.network.rate(r.flow) + 1;
          }
          held |= highest && carried[i] + lost >= static_cast<double>(rates[i]);
        }
        EXPECT_TRUE(held) << "flow " << r.flow << " could be faster";
      }
    }
  }
}

} // namespace
