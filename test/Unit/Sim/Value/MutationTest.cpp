//===- MutationTest.cpp - Every single fault is noticed -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "mozart/Sim/Mutation.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mozart;
using namespace mozart::test;

namespace {

class RandomPrograms : public testing::TestWithParam<uint64_t> {};

void expectAnswer(const MoeCase &c, const BuiltCase &built,
                  const ValueReport &report, double tolerance) {
  for (const ResultValue &result : report.results) {
    std::vector<double> expected = answer(c, built, result.microBatch);
    ASSERT_EQ(result.value.elements.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(result.value.elements[i], expected[i], tolerance) << i;
  }
}

TEST_P(RandomPrograms, AreRightAndEveryFaultIsNoticed) {
  MoeCase c = randomCase(GetParam());
  SCOPED_TRACE(describeCase(c));
  MachineModel machine = treeMachine(c.fanout);
  BuiltCase built = buildCase(c, machine);
  absl::StatusOr<ValueReport> right =
      executeProgram(built.program, machine, built.arguments);
  ASSERT_TRUE(right.ok()) << right.status();
  expectAnswer(c, built, *right, 1e-12);

  absl::StatusOr<std::vector<Mutation>> waits = waitMutations(built.program);
  absl::StatusOr<std::vector<Mutation>> offsets =
      offsetMutations(built.program, machine);
  ASSERT_TRUE(waits.ok() && offsets.ok());
  std::vector<Mutation> all = routeMutations(built.program, machine);
  EXPECT_FALSE(waits->empty());
  EXPECT_FALSE(offsets->empty());
  EXPECT_FALSE(all.empty());
  all.insert(all.end(), waits->begin(), waits->end());
  all.insert(all.end(), offsets->begin(), offsets->end());
  for (const Mutation &mutation : all) {
    absl::StatusOr<ValueReport> wrong = executeProgram(
        mutate(built.program, mutation), machine, built.arguments);
    EXPECT_FALSE(wrong.ok()) << mutation.description;
  }
  RecordProperty("mutations", static_cast<int>(all.size()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms,
                         testing::Range<uint64_t>(1, 25));

} // namespace
