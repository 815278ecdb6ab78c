//===- RandomProgramsTest.cpp - Many programs, all right ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "mozart/Sim/ElementCodec.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace mozart;
using namespace mozart::test;

namespace {

/// What of interest a case has.
std::set<std::string> features(const MoeCase &c, const BuiltCase &built,
                               const ValueReport &report) {
  std::set<std::string> found;
  found.insert(c.form == ExchangeForm::Pairs ? "pairs"
               : c.via == ExchangeVia::Root  ? "tokens via root"
                                             : "tokens via switches");
  found.insert("depth " + std::to_string(c.fanout.size()));
  auto [least, most] = std::minmax_element(
      c.placement.begin(), c.placement.end(),
      [](const auto &a, const auto &b) { return a.size() < b.size(); });
  if (least->size() != most->size())
    found.insert("uneven");
  for (const DispatchedIds &routing : report.routings) {
    std::set<int32_t> used(routing.ids.begin(), routing.ids.end());
    used.erase(kPaddingId);
    if (static_cast<int64_t>(used.size()) < c.experts)
      found.insert("idle expert");
    if (used.empty())
      found.insert("no pair at all");
    if (std::count(routing.ids.begin(), routing.ids.end(), kPaddingId) > 0)
      found.insert("padding");
  }
  if (c.hasReplicas())
    found.insert("replicas");
  if (c.chunks.size() > 1)
    found.insert("chunks");
  if (c.reuse)
    found.insert("reuse");
  if (c.stages)
    found.insert("stages");
  return found;
}

TEST(RandomPrograms, AgreeWithTheModelWrittenDown) {
  std::map<std::string, int> histogram;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    MoeCase c = randomCase(seed);
    SCOPED_TRACE(describeCase(c));
    MachineModel machine = treeMachine(c.fanout);
    BuiltCase built = buildCase(c, machine);
    absl::StatusOr<ValueReport> report =
        executeProgram(built.program, machine, built.arguments);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->orders, 3);
    for (const ResultValue &result : report->results) {
      std::vector<double> expected = answer(c, built, result.microBatch);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(result.value.elements[i], expected[i], 1e-12) << i;
    }
    for (const std::string &feature : features(c, built, *report))
      ++histogram[feature];
  }
  for (const auto &[feature, count] : histogram) {
    std::printf("%4d  %s\n", count, feature.c_str());
    EXPECT_GE(count, 25) << feature;
  }
  EXPECT_EQ(histogram.size(), 14u);
}

// The narrow types round often; their answers stay as near as their precision.
TEST(RandomPrograms, AgreeInEveryElementType) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32})
    for (uint64_t seed = 600; seed < 620; ++seed) {
      MoeCase c = randomCase(seed);
      c.element = type;
      c.k = c.experts; // all are chosen, so that rounding changes no choice
      c.layers = 1;
      SCOPED_TRACE(describeCase(c));
      MachineModel machine = treeMachine(c.fanout);
      BuiltCase built = buildCase(c, machine);
      absl::StatusOr<ValueReport> report =
          executeProgram(built.program, machine, built.arguments);
      ASSERT_TRUE(report.ok()) << report.status();
      for (const ResultValue &result : report->results) {
        std::vector<double> expected = answer(c, built, result.microBatch);
        for (size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(result.value.elements[i], expected[i],
                      40 * roundingUnit(type))
              << i;
      }
    }
}

} // namespace
