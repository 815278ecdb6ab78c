//===- DriftTest.cpp - Drift and frontier ---------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Drift.h"
#include "mozart/Placement/Frontier.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/Replicate.h"

#include "RandomRouting.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::HasSubstr;

static const PlacementAlgorithm &search() {
  return **PlacementAlgorithm::find("search");
}

/// Tokens of pairs (e, e + distance).
static Trace pairs(int64_t tokens, int32_t distance) {
  std::vector<int32_t> ids;
  for (int64_t token = 0; token < tokens; ++token) {
    int32_t first = static_cast<int32_t>(token * 5 % 8);
    ids.insert(ids.end(), {first, (first + distance) % 8});
  }
  return makeTrace(tokens, 1, 2, 8, std::move(ids));
}

static PlacementProblem problemOf(const Trace &profile) {
  PlacementProblem problem;
  problem.numExperts = 8;
  problem.groupOf = {0, 0, 1, 1};
  problem.profile = &profile;
  return problem;
}

TEST(Drift, TellsWhatANewProfileWouldGive) {
  Trace profile = pairs(1000, 4), other = pairs(600, 2);
  PlacementProblem problem = problemOf(profile);
  auto same = driftOfLayers(search(), problem, 1, profile, problem.groupOf);
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ((*same)[0].profile.cT, 1);
  EXPECT_EQ((*same)[0].evaluation.cT, 1);
  EXPECT_EQ((*same)[0].refit->cT, 1);
  // Every pair is in the first tokens already.
  ASSERT_EQ((*same)[0].curve.size(), 4u);
  EXPECT_EQ((*same)[0].curve[0].tokens, 128);
  EXPECT_EQ((*same)[0].curve[3].tokens, 1000);
  EXPECT_EQ((*same)[0].tokensEnough, 128);
  auto moved = driftOfLayers(search(), problem, 1, other, problem.groupOf);
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ((*moved)[0].profile.cT, 1);
  EXPECT_EQ((*moved)[0].evaluation.cT, 2);
  EXPECT_LT((*moved)[0].refit->cT, 2);
}

TEST(Drift, SaysHowManyTokensAreEnough) {
  // What is to come begins after 300 tokens of something else.
  std::vector<int32_t> ids;
  Trace before = pairs(300, 2), after = pairs(1700, 4);
  for (const Trace *part : {&before, &after})
    ids.insert(ids.end(), part->data().begin(), part->data().end());
  Trace profile = makeTrace(2000, 1, 2, 8, std::move(ids));
  PlacementProblem problem = problemOf(profile);
  auto drift = driftOfLayers(search(), problem, 1, after, problem.groupOf);
  ASSERT_TRUE(drift.ok()) << drift.status();
  EXPECT_GT((*drift)[0].tokensEnough, 256);
  EXPECT_LE((*drift)[0].tokensEnough, 1024);
}

TEST(Drift, ACapMayNotBeMetByFewTokens) {
  // The first 128 tokens know of two experts only.
  std::vector<int32_t> ids(256);
  for (int32_t i = 0; i < 256; ++i)
    ids[i] = i % 2;
  Trace rest = pairs(872, 4);
  ids.insert(ids.end(), rest.data().begin(), rest.data().end());
  Trace profile = makeTrace(1000, 1, 2, 8, std::move(ids));
  PlacementProblem problem = problemOf(profile);
  problem.loadCap = 1.9;
  auto drift = driftOfLayers(search(), problem, 1, rest, problem.groupOf);
  ASSERT_TRUE(drift.ok()) << drift.status();
  EXPECT_FALSE((*drift)[0].curve[0].evaluation);
  EXPECT_GT((*drift)[0].tokensEnough, 128);
}

TEST(Drift, RejectsOtherTraces) {
  Trace profile = pairs(200, 4);
  PlacementProblem problem = problemOf(profile);
  expectInvalid(driftOfLayers(search(), problem, 1, makeTrace(1, 1, 1, 9, {0}),
                              problem.groupOf),
                {"1 layers of 9 experts"});
  expectInvalid(driftOfLayers(search(), problem, 1,
                              makeTrace(1, 2, 1, 8, {0, 0}), problem.groupOf),
                {"2 layers of 8 experts"});
  problem.profile = nullptr;
  expectInvalid(driftOfLayers(search(), problem, 1, profile, problem.groupOf),
                {"none is given"});
}

TEST(Frontier, IsCsvOfEveryCapAndLayer) {
  Trace profile = makeTrace(2, 2, 2, 4, {0, 1, 0, 1, 2, 3, 0, 1});
  PlacementProblem problem;
  problem.numExperts = 4;
  problem.groupOf = {0, 0};
  problem.profile = &profile;
  auto points =
      frontierOfLayers(search(), problem, 2, {1, 0}, &profile, problem.groupOf);
  ASSERT_TRUE(points.ok()) << points.status();
  EXPECT_EQ(printFrontier(*points),
            "load_cap,layer,replicas,profile_c_t,profile_g_t,"
            "profile_load_max_over_mean,profile_receive_max_over_mean,"
            "evaluation_c_t,evaluation_g_t,evaluation_load_max_over_mean,"
            "evaluation_receive_max_over_mean\n"
            "1,0,0,1.000000,1.000000,1.000000,1.000000,"
            "1.000000,1.000000,1.000000,1.000000\n"
            "1,1,0,2.000000,1.000000,1.000000,1.000000,"
            "2.000000,1.000000,1.000000,1.000000\n"
            "1,mean,0.000,1.500000,1.000000,1.000000,1.000000,"
            "1.500000,1.000000,1.000000,1.000000\n"
            "inf,0,0,1.000000,1.000000,1.000000,1.000000,"
            "1.000000,1.000000,1.000000,1.000000\n"
            "inf,1,0,1.000000,1.000000,2.000000,2.000000,"
            "1.000000,1.000000,2.000000,2.000000\n"
            "inf,mean,0.000,1.000000,1.000000,1.500000,1.500000,"
            "1.000000,1.000000,1.500000,1.500000\n");
}

TEST(Frontier, ACapThatIsNotMetHasNoFigures) {
  Trace profile = makeTrace(2, 1, 2, 4, {0, 1, 0, 2});
  PlacementProblem problem;
  problem.numExperts = 4;
  problem.groupOf = {0, 0, 0};
  problem.profile = &profile;
  auto points =
      frontierOfLayers(search(), problem, 1, {1.1}, nullptr, problem.groupOf);
  ASSERT_TRUE(points.ok()) << points.status();
  EXPECT_THAT((*points)[0].failure, HasSubstr("no placement"));
  EXPECT_THAT(printFrontier(*points), HasSubstr("\n1.1,0,,,,,,,,,\n"));
  EXPECT_THAT(printFrontier(*points), HasSubstr("\n1.1,mean,,,,,,,,,\n"));
  expectInvalid(
      frontierOfLayers(search(), problem, 1, {0.5}, nullptr, problem.groupOf),
      {"layer 0 at load cap 0.5", "at least 1"});
  expectInvalid(frontierOfLayers(**PlacementAlgorithm::find("load"), problem, 1,
                                 {1.1}, nullptr, problem.groupOf),
                {"'load' goes by no load cap"});
}
