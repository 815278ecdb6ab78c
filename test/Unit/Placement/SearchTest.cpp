//===- SearchTest.cpp - The least C_T that swaps lead to ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/LoadBalance.h"

#include "SearchTesting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sizes of chiplets that differ by at most one.
static bool isEven(const Placement &placement) {
  std::vector<size_t> sizes;
  for (const std::vector<int32_t> &experts : placement.expertsOf())
    sizes.push_back(experts.size());
  auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return *most - *least <= 1;
}

namespace {
/// All placements of a few experts, in even pieces.
class Enumeration {
public:
  Enumeration(const Trace &trace, int64_t chiplets)
      : trace(trace), chipletOf(trace.numExperts()), size(chiplets, 0),
        mask(chiplets, 0), carried(chiplets, 0) {
    for (int64_t token = 0; token < trace.numTokens(); ++token) {
      sets.push_back(0);
      for (int32_t id : trace.set(token, 0))
        if (id != Trace::kPadding)
          sets.back() |= uint32_t(1) << id;
    }
    load = expertLoad(trace, 0);
  }

  /// Chiplets touched by all tokens, at least; where no chiplet may carry more
  /// than `limit`. INT64_MAX where there is no such placement.
  int64_t least(int64_t limit = INT64_MAX) {
    this->limit = limit;
    best = INT64_MAX;
    visit(0);
    return best;
  }
  int64_t cost(absl::Span<const uint32_t> masks) const {
    int64_t sum = 0;
    for (uint32_t set : sets)
      for (uint32_t chiplet : masks)
        sum += (set & chiplet) != 0;
    return sum;
  }
  int64_t cost(const Placement &placement) const {
    std::vector<uint32_t> masks(placement.numChiplets, 0);
    for (int64_t e = 0; e < placement.numExperts(); ++e)
      masks[placement.chipletsOf[e][0]] |= uint32_t(1) << e;
    return cost(masks);
  }

  std::vector<int64_t> load;

private:
  void visit(int64_t expert) {
    int64_t experts = trace.numExperts();
    int64_t chiplets = static_cast<int64_t>(size.size());
    if (expert == experts) {
      if (*std::min_element(size.begin(), size.end()) == experts / chiplets)
        best = std::min(best, cost(mask));
      return;
    }
    for (int64_t c = 0; c < chiplets; ++c) {
      if (size[c] == (experts + chiplets - 1) / chiplets ||
          carried[c] + load[expert] > limit)
        continue;
      bool opens = size[c]++ == 0;
      mask[c] |= uint32_t(1) << expert;
      carried[c] += load[expert];
      visit(expert + 1);
      --size[c];
      mask[c] &= ~(uint32_t(1) << expert);
      carried[c] -= load[expert];
      if (opens)
        break; // empty chiplets are alike
    }
  }

  const Trace &trace;
  std::vector<uint32_t> sets;
  std::vector<int32_t> chipletOf;
  std::vector<int64_t> size;
  std::vector<uint32_t> mask;
  std::vector<int64_t> carried;
  int64_t limit = INT64_MAX, best = INT64_MAX;
};
} // namespace

/// Random instances that can be enumerated.
static void forInstances(
    int count,
    const std::function<void(const Trace &, PlacementProblem)> &check) {
  SplitMix64 random(7);
  for (int i = 0; i < count; ++i) {
    int64_t experts = 4 + static_cast<int64_t>(random.below(7));
    int64_t chiplets = 2 + static_cast<int64_t>(random.below(2));
    int64_t k = 2 + static_cast<int64_t>(random.below(3));
    int64_t tokens = 5 + static_cast<int64_t>(random.below(60));
    Trace trace = randomRouting(random, tokens, k, experts);
    PlacementProblem problem =
        problemOf(trace, std::vector<int32_t>(chiplets, 0));
    problem.seed = i;
    check(trace, problem);
  }
}

TEST(Search, IsOptimalOnWhatCanBeEnumerated) {
  int optimal = 0;
  forInstances(2'000, [&](const Trace &trace, PlacementProblem problem) {
    absl::StatusOr<Placement> found = place("search", problem);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_TRUE(found->verify().ok() && isEven(*found));
    Enumeration all(trace, problem.numChiplets());
    int64_t cost = all.cost(*found), least = all.least();
    ASSERT_GE(cost, least);
    optimal += cost == least;
    for (const char *start : {"algorithm1", "contiguous"})
      ASSERT_LE(cost, all.cost(*place(start, problem))) << start;
    // And from one start alone.
    problem.starts = 1;
    problem.kicks = 0;
    ASSERT_LE(all.cost(*place("search", problem)),
              all.cost(*place("algorithm1", problem)));
  });
  EXPECT_GE(optimal, 1'980);
}

// Where enumeration finds that a cap cannot be kept, the search fails;
// elsewhere it keeps it, but for one in a hundred, and mostly at the least
// cost.
TEST(Search, KeepsTheLoadCapOrFails) {
  int optimal = 0, feasible = 0, missed = 0;
  forInstances(600, [&](const Trace &trace, PlacementProblem problem) {
    problem.loadCap = 1.15;
    Enumeration all(trace, problem.numChiplets());
    int64_t pairs =
        std::accumulate(all.load.begin(), all.load.end(), int64_t(0));
    int64_t chiplets = problem.numChiplets();
    int64_t limit = pairs * 115 / (100 * chiplets);
    int64_t least = all.least(limit);
    int64_t bound = boundOfBusiest(all.load, chiplets);
    ASSERT_EQ(all.least(bound - 1), INT64_MAX);
    absl::StatusOr<Placement> found = place("search", problem);
    if (!found.ok()) {
      ASSERT_EQ(found.status().code(), absl::StatusCode::kFailedPrecondition);
      missed += least != INT64_MAX;
      return;
    }
    ASSERT_NE(least, INT64_MAX);
    ASSERT_TRUE(isEven(*found));
    ASSERT_LE(statisticsOf(problem, *found).loadMaxOverMean, 1.15 + 1e-9);
    ++feasible;
    optimal += all.cost(*found) == least;
  });
  EXPECT_GT(feasible, 100);
  EXPECT_LE(missed, 6);
  EXPECT_GE(optimal, feasible * 95 / 100);
}

TEST(Search, SaysWhatLoadCanBeReached) {
  std::vector<int32_t> ids;
  for (int i = 0; i < 9; ++i)
    ids.insert(ids.end(), {0, -1});
  ids.insert(ids.end(), {1, 2, 3, -1, 1, 2, 3, -1, 1, -1});
  // Loads 9, 3, 2, 2: 9 + 2 of 16 in two chiplets is 1.375 times the mean.
  Trace profile = makeTrace(14, 1, 2, 4, ids);
  PlacementProblem problem = problemOf(profile, {0, 0});
  problem.loadCap = 1.3;
  absl::Status status = place("search", problem).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1.3000"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("there is none below 1.3750"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("1.3750 was found"));
  problem.loadCap = 1.375;
  absl::StatusOr<Placement> placement = place("search", problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_EQ(statisticsOf(problem, *placement).loadMaxOverMean, 1.375);
}

TEST(BoundOfBusiest, FollowsFromTheHeaviest) {
  // The mean, rounded up.
  EXPECT_EQ(boundOfBusiest({3, 3, 3, 4}, 2), 7);
  // The heaviest and the lightest.
  EXPECT_EQ(boundOfBusiest({10, 1, 2, 3}, 2), 11);
  // Of three of 5 two are on one of two chiplets, with the lightest.
  EXPECT_EQ(boundOfBusiest({5, 5, 5, 1, 0, 0}, 2), 10);
  // The two heaviest together are 12; apart they share the four lightest, of
  // which one is 1.
  EXPECT_EQ(boundOfBusiest({6, 6, 1, 1, 1, 1, 0, 0, 0}, 3), 7);
  // Sizes 2 and 1: the heaviest may be alone.
  EXPECT_EQ(boundOfBusiest({9, 1, 1}, 2), 9);
}

TEST(BalanceLoads, GoesOnWherePackingStops) {
  // Packing gives 7 4 2 (13) and 6 5 1 (12)... of loads 7 6 5 4 2 1: even.
  // Of 8 7 6 5 4 0 in threes: 8 5 4 (17) and 7 6 0 (13); 15 is 8 7 0, 6 5 4.
  std::vector<int64_t> loads = {8, 7, 6, 5, 4, 0};
  std::vector<int32_t> chipletOf = balanceLoads(loads, 2, 15, /*seed=*/0);
  int64_t first = 0;
  for (size_t expert = 0; expert < loads.size(); ++expert)
    first += chipletOf[expert] == 0 ? loads[expert] : 0;
  EXPECT_EQ(first, 15);
}

TEST(Search, WeighsGroups) {
  // Pairs that fire together in a ring of four; two groups of two chiplets of
  // one expert: C_T is 2 wherever they are, G_T is least where 0-1 and 2-3,
  // the heavy pairs, share groups.
  Trace profile = makeTrace(10, 1, 2, 4, {0, 2, 0, 2, 0, 2, 0, 2, 1, 3,
                                          1, 3, 1, 3, 1, 3, 0, 1, 2, 3});
  PlacementProblem problem = problemOf(profile, {0, 0, 1, 1});
  problem.starts = 2;
  problem.kicks = 0;
  problem.groupWeight = 1;
  absl::StatusOr<Placement> placement = place("search", problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_DOUBLE_EQ(statisticsOf(problem, *placement).cT, 2);
  EXPECT_DOUBLE_EQ(statisticsOf(problem, *placement).gT, 1.2);
}

TEST(Search, IsThatOfItsSeed) {
  SplitMix64 random(3);
  Trace profile = randomRouting(random, 300, 4, 24);
  PlacementProblem problem = problemOf(profile, {0, 0, 0, 1, 1, 1});
  problem.groupWeight = 0.5;
  problem.loadCap = 1.2;
  absl::StatusOr<Placement> first = place("search", problem);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(place("search", problem)->chipletsOf, first->chipletsOf);
  EXPECT_TRUE(first->remarks.empty());
}

TEST(Search, SaysWhereItsBudgetEnds) {
  SplitMix64 random(4);
  Trace profile = randomRouting(random, 300, 4, 24);
  PlacementProblem problem = problemOf(profile, {0, 0, 0, 0});
  double before = statisticsOf(problem, *place("algorithm1", problem)).cT;
  double last = before;
  for (int64_t budget : {0, 3, 1'000'000}) {
    problem.moveBudget = budget;
    absl::StatusOr<Placement> placement = place("search", problem);
    ASSERT_TRUE(placement.ok()) << placement.status();
    double now = statisticsOf(problem, *placement).cT;
    EXPECT_LE(now, last);
    last = now;
    ASSERT_EQ(placement->remarks.size(), budget < 10 ? 1u : 0u);
    if (budget < 10)
      EXPECT_THAT(placement->remarks[0], HasSubstr("budget"));
  }
  EXPECT_LT(last, before);
}

TEST(Search, RejectsNumbersOutOfRange) {
  Trace profile = makeTrace(1, 1, 2, 4, {0, 1});
  auto with = [&](const std::function<void(PlacementProblem &)> &change) {
    PlacementProblem problem = problemOf(profile, {0, 0});
    change(problem);
    return place("search", problem);
  };
  EXPECT_TRUE(with([](PlacementProblem &) {}).ok());
  expectInvalid(with([](PlacementProblem &p) { p.loadCap = 0.99; }), {"0.99"});
  expectInvalid(with([](PlacementProblem &p) { p.loadCap = NAN; }), {"nan"});
  expectInvalid(with([](PlacementProblem &p) { p.loadCap = INFINITY; }),
                {"inf"});
  expectInvalid(with([](PlacementProblem &p) { p.groupWeight = -1; }),
                {"weight of -1"});
  expectInvalid(with([](PlacementProblem &p) { p.groupWeight = NAN; }),
                {"weight of nan"});
  expectInvalid(with([](PlacementProblem &p) { p.starts = 0; }), {"0 starts"});
  expectInvalid(with([](PlacementProblem &p) { p.kicks = -1; }), {"-1 kicks"});
  expectInvalid(with([](PlacementProblem &p) { p.moveBudget = -1; }),
                {"-1 moves"});
  expectInvalid(with([](PlacementProblem &p) { p.profile = nullptr; }),
                {"'search' needs a routing profile"});
  PlacementProblem capped = problemOf(profile, {0, 0});
  capped.loadCap = 1.1;
  expectInvalid(placeLayers(**PlacementAlgorithm::find("load"), capped, 1),
                {"'load'", "no load cap"});
}

TEST(Search, TakesTokensThatGoNowhere) {
  Trace profile = makeTrace(2, 1, 2, 4, {-1, -1, -1, -1});
  PlacementProblem problem = problemOf(profile, {0, 0});
  problem.loadCap = 1;
  absl::StatusOr<Placement> placement = place("search", problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_TRUE(placement->verify().ok() && isEven(*placement));
}
