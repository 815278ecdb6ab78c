//===- Algorithm1Test.cpp - Clusters by co-activation ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Routing/Testing.h"
#include "mozart/Placement/PlaceLayers.h"

#include <array>
#include <set>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

static absl::StatusOr<Placement>
place(const Trace &profile, std::vector<int32_t> groupOf, int64_t layer = 0) {
  PlacementProblem problem;
  problem.numExperts = profile.numExperts();
  problem.groupOf = std::move(groupOf);
  problem.profile = &profile;
  problem.layer = layer;
  return (*PlacementAlgorithm::find("algorithm1"))->run(problem);
}

/// A trace of pairs of experts, each as often as is said.
static Trace pairs(int64_t experts,
                   const std::vector<std::array<int32_t, 3>> &counts) {
  std::vector<int32_t> ids;
  for (const auto &[a, b, count] : counts)
    for (int32_t i = 0; i < count; ++i) {
      ids.push_back(a);
      ids.push_back(b);
    }
  int64_t tokens = static_cast<int64_t>(ids.size()) / 2;
  return makeTrace(tokens, 1, 2, experts, std::move(ids));
}

// Worked by hand. Most co-activated: (2, 5), then 2-3 (4) and 5-3 (1) against
// 2-0 (2): the cluster takes 3. Seed of the second: least with {2, 3, 5}: 0 has
// 2, 1 has 0, 4 has 3; so 1. It grows by 4 (3 with 1), not 0 (2 with 1), then
// by 0. Loads 10 + 7 + 10 ... do not matter with one group.
TEST(Algorithm1, FollowsTheSteps) {
  Trace profile = pairs(6, {{2, 5, 9},
                            {2, 3, 4},
                            {3, 5, 1},
                            {0, 2, 2},
                            {4, 5, 3},
                            {1, 4, 3},
                            {0, 1, 2}});
  absl::StatusOr<Placement> p = place(profile, {0, 0});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->expertsOf(),
              ElementsAre(ElementsAre(2, 3, 5), ElementsAre(0, 1, 4)));
  EXPECT_TRUE(p->remarks.empty());
}

TEST(Algorithm1, TiesGoToTheLowestIds) {
  // Every pair once.
  Trace profile = pairs(
      4, {{3, 2, 1}, {3, 1, 1}, {3, 0, 1}, {2, 1, 1}, {2, 0, 1}, {1, 0, 1}});
  absl::StatusOr<Placement> p = place(profile, {0, 0});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->expertsOf(),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

// Clusters by hand: {0, 1} load 40, {2, 3} load 20, {4, 5} load 10, {6, 7} load
// 30, in whatever order they are found; two groups of two must be 40 + 10 and
// 20 + 30.
TEST(Algorithm1, GroupsCarryEqualLoad) {
  Trace profile = pairs(8, {{0, 1, 20}, {2, 3, 10}, {4, 5, 5}, {6, 7, 15}});
  absl::StatusOr<Placement> p = place(profile, {0, 0, 1, 1});
  ASSERT_TRUE(p.ok()) << p.status();
  std::vector<std::vector<int32_t>> experts = p->expertsOf();
  std::set<std::vector<int32_t>> first(experts.begin(), experts.begin() + 2);
  EXPECT_THAT(first,
              UnorderedElementsAre(ElementsAre(0, 1), ElementsAre(4, 5)));
}

TEST(Algorithm1, GroupsMayBeNumberedWithGapsAndInterleaved) {
  Trace profile = pairs(8, {{0, 1, 20}, {2, 3, 10}, {4, 5, 5}, {6, 7, 15}});
  absl::StatusOr<Placement> p = place(profile, {3, 1, 3, 1});
  ASSERT_TRUE(p.ok()) << p.status();
  std::vector<std::vector<int32_t>> experts = p->expertsOf();
  std::set<std::vector<int32_t>> first = {experts[0], experts[2]};
  EXPECT_THAT(first,
              UnorderedElementsAre(ElementsAre(0, 1), ElementsAre(4, 5)));
}

TEST(Algorithm1, FillsUnevenCapacities) {
  // 7 experts on 3 chiplets: 3, 2 and 2.
  Trace profile =
      pairs(7, {{0, 1, 9}, {1, 2, 8}, {3, 4, 5}, {5, 6, 4}, {4, 5, 1}});
  absl::StatusOr<Placement> p = place(profile, {0, 0, 0});
  ASSERT_TRUE(p.ok()) << p.status();
  std::vector<std::vector<int32_t>> experts = p->expertsOf();
  EXPECT_THAT(experts,
              UnorderedElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4),
                                   ElementsAre(5, 6)));
}

TEST(Algorithm1, OneExpertAChiplet) {
  Trace profile = pairs(3, {{1, 2, 5}, {0, 1, 1}});
  absl::StatusOr<Placement> p = place(profile, {0, 0, 0});
  ASSERT_TRUE(p.ok()) << p.status();
  for (const std::vector<int32_t> &experts : p->expertsOf())
    EXPECT_EQ(experts.size(), 1u);
  EXPECT_EQ(place(profile, {0})->expertsOf()[0].size(), 3u);
  EXPECT_TRUE(place(makeTrace(1, 1, 1, 1, {0}), {0}).ok());
}

TEST(Algorithm1, ReadsTheLayerItPlaces) {
  Trace profile = makeTrace(2, 2, 2, 4, {0, 1, 0, 2, 2, 3, 1, 3});
  EXPECT_THAT(place(profile, {0, 0}, 0)->expertsOf(),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(place(profile, {0, 0}, 1)->expertsOf(),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(Algorithm1, NeedsAProfile) {
  PlacementProblem problem;
  problem.numExperts = 4;
  problem.groupOf = {0, 0};
  expectInvalid((*PlacementAlgorithm::find("algorithm1"))->run(problem),
                {"needs a routing profile"});
}

TEST(Algorithm1, RejectsMoreExpertsThanItsMatrixTakes) {
  Trace profile = makeTrace(1, 1, 1, 5000, {0});
  expectInvalid(place(profile, {0, 0}), {"at most 4096", "found 5000"});
}

// One expert a chiplet. Loads are multiples of ten and their sum is not one of
// eighty, so that no allocation can be seen to be best by its load alone.
TEST(Algorithm1, RemarksOnGroupsThatAreTooManyToProve) {
  std::vector<std::array<int32_t, 3>> counts;
  for (int32_t i = 0; i < 64; ++i)
    counts.push_back({2 * i, 2 * i + 1, 10 * (1 + i * i % 37)});
  Trace profile = pairs(128, counts);
  ASSERT_NE(profile.numTokens() * 2 % 80, 0);
  absl::StatusOr<Placement> p = place(profile, *uniformGroups(128, 8));
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_TRUE(p->verify().ok());
  ASSERT_EQ(p->remarks.size(), 1u);
  EXPECT_THAT(p->remarks[0], ::testing::HasSubstr("128 clusters in 8"));
}
