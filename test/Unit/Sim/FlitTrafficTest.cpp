//===- FlitTrafficTest.cpp - Flits against published figures --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BookSimFigures.h"

#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::booksim;

namespace {

class FlitFigures : public testing::TestWithParam<Figure> {};

INSTANTIATE_TEST_SUITE_P(BookSim2, FlitFigures, testing::ValuesIn(kFigures));

TEST_P(FlitFigures, ZeroLoadLatencyWithinHalfACycle) {
  for (int32_t router = 0; router < 2; ++router)
    for (int32_t latency = 0; latency < 2; ++latency) {
      double published = GetParam().zeroLoad[router][latency];
      if (published == kNone)
        continue;
      EXPECT_NEAR(zeroLoad(GetParam(), router, latency), published, 0.5)
          << GetParam().name << ", router " << router << ", latency "
          << kLatencies[latency];
    }
}

TEST_P(FlitFigures, SaturationWithinFivePercent) {
  for (int32_t router = 0; router < 2; ++router) {
    double published = GetParam().saturation[router];
    if (published == kNone)
      continue;
    EXPECT_NEAR(saturation(GetParam(), router), published, 0.05 * published)
        << GetParam().name << ", router " << router;
  }
}

TEST(FlitTraffic, BatchesWithinFivePercent) {
  for (const Batch &batch : kBatches)
    EXPECT_NEAR(static_cast<double>(batchCycles(batch)), batch.cycles,
                0.05 * batch.cycles)
        << batch.name;
}

TEST(FlitTraffic, ASeedFixesEverything) {
  auto run = [](uint64_t seed) {
    FlitTopology topology = flitTree(kInputQueued, 1, false, 3);
    FlitPattern pattern = {{0, 1, 5, 16}, {0, 2, 9, 16}};
    return FlitTraffic(std::move(topology), pattern, 3, seed)
        .measure(0.3, 100, 2000);
  };
  FlitMeasurement a = run(7), b = run(7), c = run(8);
  EXPECT_EQ(a.meanLatencyCycles, b.meanLatencyCycles);
  EXPECT_EQ(a.flitsDelivered, b.flitsDelivered);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_NE(a.meanLatencyCycles, c.meanLatencyCycles);
}

TEST(FlitTraffic, NothingPassesTheBoundOfALink) {
  // Every sender at full load: the one link to the receiver is the bound.
  FlitTraffic traffic = makeTraffic(kIdeal, 1, true, Traffic::AllToRoot, 1);
  FlitMeasurement run = traffic.measure(1.0, 1000, 2000);
  EXPECT_DOUBLE_EQ(run.flitsPerCycle, 1.0);
  EXPECT_TRUE(run.isSaturated);
}

} // namespace
