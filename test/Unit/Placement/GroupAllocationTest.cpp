//===- GroupAllocationTest.cpp - Which clusters share a group -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/GroupAllocation.h"

#include "../Routing/Testing.h"
#include "mozart/Support/SplitMix64.h"

#include <numeric>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

namespace {
/// Greatest deviation and sum of squares, both in n-ths of a load.
struct Judged {
  int64_t greatest = INT64_MAX;
  double squares = 0;
};
} // namespace

static Judged judge(const std::vector<int64_t> &loads,
                    const std::vector<int64_t> &sizes,
                    const std::vector<int32_t> &groupOf) {
  int64_t total = std::accumulate(loads.begin(), loads.end(), int64_t(0));
  Judged judged{0, 0};
  for (size_t group = 0; group < sizes.size(); ++group) {
    int64_t load = 0;
    for (size_t cluster = 0; cluster < loads.size(); ++cluster)
      if (groupOf[cluster] == static_cast<int32_t>(group))
        load += loads[cluster];
    int64_t deviation =
        load * static_cast<int64_t>(loads.size()) - total * sizes[group];
    judged.greatest = std::max(judged.greatest, std::abs(deviation));
    judged.squares += double(deviation) * double(deviation);
  }
  return judged;
}

/// The best over every assignment, tried one by one.
static void tryAll(const std::vector<int64_t> &loads,
                   const std::vector<int64_t> &sizes, std::vector<int64_t> room,
                   std::vector<int32_t> &groupOf, Judged &best) {
  if (groupOf.size() == loads.size()) {
    Judged now = judge(loads, sizes, groupOf);
    if (now.greatest < best.greatest ||
        (now.greatest == best.greatest && now.squares < best.squares))
      best = now;
    return;
  }
  for (size_t group = 0; group < sizes.size(); ++group) {
    if (room[group] == 0)
      continue;
    --room[group];
    groupOf.push_back(static_cast<int32_t>(group));
    tryAll(loads, sizes, room, groupOf, best);
    groupOf.pop_back();
    ++room[group];
  }
}

static void expectSizes(const std::vector<int32_t> &groupOf,
                        const std::vector<int64_t> &sizes) {
  std::vector<int64_t> counts(sizes.size(), 0);
  for (int32_t group : groupOf)
    ++counts[group];
  EXPECT_EQ(counts, sizes);
}

// Heaviest first would give {9, 4, 3} and {8, 5, 1}, 16 and 14.
TEST(GroupAllocation, BalancesWhereGreedinessDoesNot) {
  absl::StatusOr<GroupAllocation> found =
      allocateGroups({9, 8, 5, 4, 3, 1}, {3, 3});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->provenOptimal);
  EXPECT_THAT(found->groupOf, ElementsAre(0, 1, 0, 1, 1, 0));
}

TEST(GroupAllocation, SquaresDecideBetweenEqualGreatest) {
  // In groups of one every allocation has the same cost; ids decide.
  absl::StatusOr<GroupAllocation> single = allocateGroups({3, 9, 1}, {1, 1, 1});
  ASSERT_TRUE(single.ok());
  EXPECT_THAT(single->groupOf, ElementsAre(0, 1, 2));
  // 100 is in one group whatever is done, and so the greatest deviation; the
  // others can still be even: 100+1, 20+10, 16+14 has it at 101.
  absl::StatusOr<GroupAllocation> found =
      allocateGroups({100, 20, 16, 14, 10, 1}, {2, 2, 2});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->groupOf, ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST(GroupAllocation, GroupsOfOtherSizesTakeProportionalShares) {
  // Shares 4/6 and 2/6 of 60: {10, 10, 10, 10} and {5, 15}.
  absl::StatusOr<GroupAllocation> found =
      allocateGroups({10, 5, 10, 10, 15, 10}, {2, 4});
  ASSERT_TRUE(found.ok());
  expectSizes(found->groupOf, {2, 4});
  EXPECT_EQ(judge({10, 5, 10, 10, 15, 10}, {2, 4}, found->groupOf).greatest, 0);
}

TEST(GroupAllocation, EqualLoadsKeepTheirOrder) {
  absl::StatusOr<GroupAllocation> found =
      allocateGroups({7, 7, 7, 7, 7, 7}, {3, 3});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->groupOf, ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST(GroupAllocation, AgreesWithTryingEverything) {
  SplitMix64 random(1);
  std::vector<std::vector<int64_t>> shapes = {
      {4, 4}, {2, 2, 2, 2}, {1, 3, 4}, {3, 3, 2}, {2, 1, 2, 1, 1}, {8}, {1}};
  for (int round = 0; round < 140; ++round) {
    const std::vector<int64_t> &sizes = shapes[round % shapes.size()];
    int64_t clusters = std::accumulate(sizes.begin(), sizes.end(), int64_t(0));
    // A small range has many ties, a large one few.
    int64_t range = round % 3 == 0 ? 4 : round % 3 == 1 ? 50 : 100000;
    std::vector<int64_t> loads;
    for (int64_t i = 0; i < clusters; ++i)
      loads.push_back(static_cast<int64_t>(random.below(range)));
    absl::StatusOr<GroupAllocation> found = allocateGroups(loads, sizes);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(found->provenOptimal);
    expectSizes(found->groupOf, sizes);
    Judged best;
    std::vector<int32_t> groupOf;
    tryAll(loads, sizes, sizes, groupOf, best);
    Judged now = judge(loads, sizes, found->groupOf);
    EXPECT_EQ(now.greatest, best.greatest) << ::testing::PrintToString(loads);
    EXPECT_EQ(now.squares, best.squares) << ::testing::PrintToString(loads);
  }
}

// The size of the paper's machine, against all 2,627,625 ways to cut sixteen
// clusters into four groups of four.
TEST(GroupAllocation, SixteenInFourIsExactAndQuick) {
  SplitMix64 random(2);
  std::vector<int64_t> loads;
  for (int i = 0; i < 16; ++i)
    loads.push_back(1000 + static_cast<int64_t>(random.below(9000)));
  std::vector<int64_t> sizes = {4, 4, 4, 4};
  absl::StatusOr<GroupAllocation> found =
      allocateGroups(loads, sizes, /*maxSteps=*/50000);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->provenOptimal);

  int64_t total = std::accumulate(loads.begin(), loads.end(), int64_t(0));
  std::vector<int64_t> sumOf(1 << 16, 0);
  std::vector<int> fours;
  for (int mask = 1; mask < 1 << 16; ++mask) {
    int lowest = __builtin_ctz(mask);
    sumOf[mask] = sumOf[mask & (mask - 1)] + loads[lowest];
    if (__builtin_popcount(mask) == 4)
      fours.push_back(mask);
  }
  auto deviation = [&](int mask) { return sumOf[mask] * 16 - total * 4; };
  Judged best;
  int64_t ways = 0;
  for (int a : fours) {
    if (!(a & 1))
      continue;
    for (int b : fours) {
      if ((a & b) || !(b & (~a & -~a)))
        continue;
      for (int c : fours) {
        if ((c & (a | b)) || !(c & (~(a | b) & -~(a | b))))
          continue;
        ++ways;
        Judged now{0, 0};
        for (int mask : {a, b, c, 0xffff & ~(a | b | c)}) {
          now.greatest = std::max(now.greatest, std::abs(deviation(mask)));
          now.squares += double(deviation(mask)) * double(deviation(mask));
        }
        if (now.greatest < best.greatest ||
            (now.greatest == best.greatest && now.squares < best.squares))
          best = now;
      }
    }
  }
  EXPECT_EQ(ways, 2627625);
  Judged now = judge(loads, sizes, found->groupOf);
  EXPECT_EQ(now.greatest, best.greatest);
  EXPECT_EQ(now.squares, best.squares);
}

TEST(GroupAllocation, SaysWhereItStoppedBeforeAProof) {
  SplitMix64 random(3);
  std::vector<int64_t> loads;
  for (int i = 0; i < 64; ++i)
    loads.push_back(static_cast<int64_t>(random.below(1000000)));
  std::vector<int64_t> sizes(8, 8);
  absl::StatusOr<GroupAllocation> found =
      allocateGroups(loads, sizes, /*maxSteps=*/10000);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->provenOptimal);
  expectSizes(found->groupOf, sizes);
  // Still far better than in order.
  std::vector<int32_t> inOrder;
  for (int i = 0; i < 64; ++i)
    inOrder.push_back(i / 8);
  EXPECT_LT(judge(loads, sizes, found->groupOf).greatest,
            judge(loads, sizes, inOrder).greatest / 10);
}

TEST(GroupAllocation, RejectsWhatIsNoProblem) {
  expectInvalid(allocateGroups({1, 2, 3}, {2, 2}), {"3 clusters", "take 4"});
  expectInvalid(allocateGroups({}, {}), {"0 clusters"});
  expectInvalid(allocateGroups({1, 2}, {2, 0}), {"group of 0"});
  expectInvalid(allocateGroups({1, -2}, {2}), {"-2"});
  expectInvalid(allocateGroups({INT64_MAX, 1}, {2}), {"2^63"});
  expectInvalid(allocateGroups({INT64_MAX / 2, 1}, {2}), {"64 bits"});
}
