//===- TrafficTest.cpp - Bytes that move are bytes that are counted -------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "mozart/Cost/Traffic.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::test;

namespace {

/// The routing that an execution computed, as a trace.
absl::StatusOr<Trace> traceOf(const MoeCase &c, const ValueReport &report) {
  std::vector<int32_t> ids(c.microBatches * c.tokens * c.layers * c.k);
  for (const DispatchedIds &routing : report.routings)
    for (int64_t token = 0; token < c.tokens; ++token)
      std::copy_n(routing.ids.begin() + token * c.k, c.k,
                  ids.begin() +
                      (((routing.microBatch * c.tokens + token) * c.layers) +
                       routing.layer) *
                          c.k);
  return Trace::create(c.microBatches * c.tokens, c.layers, c.k, c.experts,
                       std::move(ids));
}

// The cost model counts bytes from a routing table, the value engine moves
// rows; they share no code.
TEST(Traffic, OfTheValueEngineIsThatOfTheCostModel) {
  int exchanges = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    MoeCase c = randomCase(seed);
    SCOPED_TRACE(describeCase(c));
    MachineModel machine = treeMachine(c.fanout);
    BuiltCase built = buildCase(c, machine);
    absl::StatusOr<ValueReport> report =
        executeProgram(built.program, machine, built.arguments);
    ASSERT_TRUE(report.ok()) << report.status();
    absl::StatusOr<Trace> trace = traceOf(c, *report);
    ASSERT_TRUE(trace.ok()) << trace.status();
    absl::StatusOr<BoundRouting> routing = BoundRouting::bind(
        *trace, c.layers, c.k, c.experts, c.tokens, c.microBatches);
    ASSERT_TRUE(routing.ok()) << routing.status();
    RoutingCounter counter(built.program, &*routing);
    for (size_t i = 0; i < built.program.tasks.size(); ++i) {
      TaskKind kind = built.program.tasks[i].kind;
      if (kind != TaskKind::Dispatch && kind != TaskKind::Combine)
        continue;
      absl::StatusOr<ExchangeTraffic> counted = exchangeTraffic(
          built.program, static_cast<int32_t>(i), machine, counter);
      ASSERT_TRUE(counted.ok()) << counted.status();
      std::vector<LinkBytes> expected, found;
      for (const LinkTraffic &link : counted->links)
        if (link.bytes > 0)
          expected.push_back({link.link, link.bytes});
      std::copy_if(report->traffic[i].begin(), report->traffic[i].end(),
                   std::back_inserter(found),
                   [](LinkBytes link) { return link.bytes > 0; });
      ASSERT_EQ(found.size(), expected.size());
      for (size_t j = 0; j < found.size(); ++j) {
        EXPECT_EQ(found[j].link, expected[j].link);
        EXPECT_EQ(found[j].bytes, expected[j].bytes);
      }
      ++exchanges;
    }
  }
  EXPECT_GT(exchanges, 500);
}

} // namespace
