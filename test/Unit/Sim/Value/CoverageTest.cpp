//===- CoverageTest.cpp - Every token meets its experts once --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "mozart/Sim/CoverageChecks.h"

#include "gmock/gmock.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::test;
using ::testing::HasSubstr;

namespace {

TEST(Coverage, OfRandomPrograms) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    MoeCase c = randomCase(seed);
    SCOPED_TRACE(describeCase(c));
    absl::Status status =
        verifyCoverage(buildCase(c, treeMachine(c.fanout)).program);
    EXPECT_TRUE(status.ok()) << status;
  }
}

/// Expert 0 on chiplets 1 and 3 (nodes 1 and 3 of a tree of depth 1), 1 on 2.
class CoverageOfReplicas : public testing::Test {
protected:
  void SetUp() override {
    MoeCase c;
    c.fanout = {3};
    c.experts = c.k = 2;
    c.placement = {{0}, {1}, {0}};
    c.chunks = {4};
    program = buildCase(c, treeMachine(c.fanout)).program;
    ASSERT_TRUE(verifyCoverage(program).ok()) << verifyCoverage(program);
  }

  Task &first(TaskKind kind) {
    return *std::find_if(program.tasks.begin(), program.tasks.end(),
                         [&](const Task &task) { return task.kind == kind; });
  }

  std::string error() const {
    return std::string(verifyCoverage(program).message());
  }

  Program program;
};

TEST_F(CoverageOfReplicas, AReplicaIsNoPeer) {
  first(TaskKind::Dispatch).exchange.peers[2].experts.clear();
  EXPECT_THAT(error(), HasSubstr("('dispatch') sends to 1 peers with expert 0, "
                                 "expected the 2 of its expert map"));
}

TEST_F(CoverageOfReplicas, ReplicasWithoutAMap) {
  first(TaskKind::Dispatch).exchange.expertMap = -1;
  EXPECT_THAT(error(),
              HasSubstr("sends to 2 peers with expert 0, expected one"));
}

TEST_F(CoverageOfReplicas, CombinedByAnotherMap) {
  program.expertMaps.push_back(program.expertMaps[0]);
  first(TaskKind::Combine).exchange.expertMap = 1;
  EXPECT_EQ(error(), ""); // the same once more
  program.expertMaps[1].nodesOf[1] = {2, 3};
  EXPECT_THAT(error(),
              HasSubstr("('combine') chooses among replicas by another "
                        "expert map than task"));
  first(TaskKind::Combine).exchange.expertMap = -1;
  EXPECT_THAT(error(), HasSubstr("by another expert map than task"));
}

} // namespace
