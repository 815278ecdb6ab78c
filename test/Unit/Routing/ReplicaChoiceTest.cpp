//===- ReplicaChoiceTest.cpp - Which replica a token is sent to -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/ReplicaChoice.h"

#include "Testing.h"
#include "mozart/Support/SplitMix64.h"

#include <map>
#include <set>

using namespace mozart;
using ::testing::ElementsAre;

using Chiplets = std::vector<std::vector<int32_t>>;

static std::vector<int32_t> choose(const Chiplets &chipletsOf,
                                   const std::vector<int32_t> &set,
                                   int64_t position) {
  std::vector<int32_t> chosen(set.size(), 99);
  ReplicaChoice(chipletsOf).choose(set, position, absl::MakeSpan(chosen));
  return chosen;
}

TEST(ReplicaChoice, OneChipletIsNoChoice) {
  ReplicaChoice choice(Chiplets{{2}, {0}, {}, {1}});
  EXPECT_FALSE(choice.hasReplicas());
  EXPECT_EQ(choice.numExperts(), 4);
  std::vector<int32_t> chosen(4, 99);
  choice.choose({3, -1, 0, 2}, 5, absl::MakeSpan(chosen));
  EXPECT_THAT(chosen, ElementsAre(1, -1, 2, -1));
}

TEST(ReplicaChoice, TakesAListOfOneChipletEach) {
  std::vector<int32_t> chipletOf = {2, -1, 0};
  ReplicaChoice choice(absl::MakeConstSpan(chipletOf));
  EXPECT_FALSE(choice.hasReplicas());
  std::vector<int32_t> chosen(3, 99);
  choice.choose({0, 1, 2}, 1, absl::MakeSpan(chosen));
  EXPECT_THAT(chosen, ElementsAre(2, -1, 0));
}

TEST(ReplicaChoice, AddsNoChipletWhereItNeedNot) {
  Chiplets chipletsOf = {{0, 2}, {1}, {2}};
  // Whatever the position: the token goes to 2 already.
  for (int64_t position = 0; position < 4; ++position)
    EXPECT_THAT(choose(chipletsOf, {0, 2}, position), ElementsAre(2, 2));
  // Neither replica is on the way.
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 0), ElementsAre(0, 1));
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 1), ElementsAre(2, 1));
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 2), ElementsAre(0, 1));
}

TEST(ReplicaChoice, DealsOutAmongChipletsOnTheWay) {
  Chiplets chipletsOf = {{0, 1, 3}, {1}, {3}};
  EXPECT_THAT(choose(chipletsOf, {0, 1, 2}, 6), ElementsAre(1, 1, 3));
  EXPECT_THAT(choose(chipletsOf, {0, 1, 2}, 7), ElementsAre(3, 1, 3));
}

TEST(ReplicaChoice, LaterExpertsFollowEarlierOnes) {
  // 0 goes to chiplet 0 or 1 and 1 follows it to 1, else goes where it likes.
  Chiplets chipletsOf = {{0, 1}, {1, 2}};
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 1), ElementsAre(1, 1));
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 0), ElementsAre(0, 1));
  EXPECT_THAT(choose(chipletsOf, {0, 1}, 2), ElementsAre(0, 1));
  // Experts without replicas come first, whatever their ids.
  EXPECT_THAT(choose({{0, 1}, {1}}, {0, 1}, 0), ElementsAre(1, 1));
  // Ids decide, and not slots.
  EXPECT_THAT(choose(chipletsOf, {1, 0}, 0), ElementsAre(1, 0));
}

/// The rule once more, by sets.
static std::map<int32_t, int32_t> chooseBySets(const Chiplets &chipletsOf,
                                               const std::vector<int32_t> &set,
                                               int64_t position) {
  std::map<int32_t, int32_t> chipletOf;
  std::set<int32_t> visited, ids(set.begin(), set.end());
  ids.erase(-1);
  for (int32_t id : ids)
    if (chipletsOf[id].size() == 1)
      visited.insert(chipletOf[id] = chipletsOf[id][0]);
  for (int32_t id : ids) {
    if (chipletsOf[id].size() == 1)
      continue;
    std::vector<int32_t> candidates;
    for (int32_t chiplet : chipletsOf[id])
      if (visited.count(chiplet))
        candidates.push_back(chiplet);
    if (candidates.empty())
      candidates = chipletsOf[id];
    visited.insert(chipletOf[id] = candidates[position % candidates.size()]);
  }
  return chipletOf;
}

TEST(ReplicaChoice, IsTheRuleOnRandomPlacements) {
  SplitMix64 random(7);
  for (int64_t round = 0; round < 2000; ++round) {
    int64_t experts = 1 + random.below(12), numChiplets = 1 + random.below(6);
    Chiplets chipletsOf(experts);
    for (std::vector<int32_t> &chiplets : chipletsOf) {
      std::set<int32_t> of = {static_cast<int32_t>(random.below(numChiplets))};
      while (random.below(2))
        of.insert(static_cast<int32_t>(random.below(numChiplets)));
      chiplets.assign(of.begin(), of.end());
    }
    std::vector<int32_t> set;
    for (int32_t id = 0; id < experts; ++id)
      if (random.below(2))
        set.insert(set.begin() + random.below(set.size() + 1), id);
    set.insert(set.begin() + random.below(set.size() + 1), -1);
    int64_t position = random.below(100);
    std::vector<int32_t> chosen = choose(chipletsOf, set, position);
    std::map<int32_t, int32_t> expected =
        chooseBySets(chipletsOf, set, position);
    for (size_t slot = 0; slot < set.size(); ++slot)
      ASSERT_EQ(chosen[slot], set[slot] == -1 ? -1 : expected[set[slot]])
          << "round " << round << ", slot " << slot;
  }
}
