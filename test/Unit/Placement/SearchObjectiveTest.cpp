//===- SearchObjectiveTest.cpp - What a search can be asked ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SearchLayer.h"
#include "mozart/Routing/SyntheticRouter.h"

#include "SearchTesting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The least of a weighted sum over chiplets, groups, a deeper level, hops and
// the busiest receive, by going through all placements of six experts on three
// chiplets: the search finds it in all but a few of a hundred problems.
TEST(Search, MinimisesAnyWeightedSum) {
  SplitMix64 random(11);
  int optimal = 0;
  for (int round = 0; round < 100; ++round) {
    Trace trace = randomRouting(random, /*tokens=*/40, /*k=*/3, /*experts=*/6);
    PlacementProblem problem = problemOf(trace, {0, 0, 1});
    problem.seed = round;
    auto weight = [&] { return static_cast<double>(random.below(4)) / 2; };
    problem.chipletWeight = weight();
    problem.groupWeight = weight();
    problem.receiveWeight = weight();
    problem.hopWeight = weight() / 2;
    problem.hopsOf = {1, 3, 2};
    problem.levels.push_back({{-1, 0, 0}, weight(), 0});
    SwapObjective objective = objectiveOf(problem, expertLoad(trace, 0));
    Hypergraph graph(trace, 0);
    int64_t least = INT64_MAX;
    for (int code = 0; code < 729; ++code) {
      std::vector<int32_t> chipletOf;
      std::vector<int> count(3, 0);
      for (int e = 0, rest = code; e < 6; ++e, rest /= 3) {
        chipletOf.push_back(rest % 3);
        ++count[rest % 3];
      }
      if (count != std::vector<int>{2, 2, 2})
        continue;
      // By definition, not by tables.
      LayerStatistics s = layerStatistics(trace, 0, chipletOf, {0, 0, 1});
      LayerStatistics deep = layerStatistics(trace, 0, chipletOf, {-1, 0, 0});
      std::vector<int64_t> received(3, 0);
      for (int64_t t = 0; t < trace.numTokens(); ++t) {
        uint32_t touched = 0;
        for (int32_t id : trace.set(t, 0))
          if (id != Trace::kPadding)
            touched |= 1u << chipletOf[id];
        for (int c = 0; c < 3; ++c)
          received[c] += touched >> c & 1;
      }
      double hops =
          static_cast<double>(received[0] + 3 * received[1] + 2 * received[2]);
      double busiest = static_cast<double>(
          *std::max_element(received.begin(), received.end()));
      double sum =
          40 * (problem.chipletWeight * s.cT + problem.groupWeight * s.gT +
                problem.levels[0].weight * deep.gT) +
          problem.receiveWeight * busiest + problem.hopWeight * hops;
      int64_t cost = std::llround(1000 * sum);
      ASSERT_EQ(SwapSearch(graph, objective, chipletOf).cost().first, cost);
      least = std::min(least, cost);
    }
    absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_GE(found->value.first, least);
    optimal += found->value.first == least;
  }
  EXPECT_GE(optimal, 98);
}

TEST(Search, KeepsCapsOfGroupsAndLevels) {
  SplitMix64 random(12);
  Trace trace = randomRouting(random, 400, 4, 24);
  PlacementProblem problem = problemOf(trace, {0, 0, 0, 1, 1, 1});
  problem.groupLoadCap = 1.01;
  problem.levels.push_back({{0, 0, 1, 1, 2, 2}, 0, 1.05});
  absl::StatusOr<Placement> placement = place("search", problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  std::vector<int64_t> load = expertLoad(trace, 0);
  double total = std::accumulate(load.begin(), load.end(), 0.0);
  std::vector<double> carried(6, 0);
  for (int64_t e = 0; e < 24; ++e)
    carried[placement->chipletsOf[e][0]] += static_cast<double>(load[e]);
  EXPECT_LE(carried[0] + carried[1] + carried[2], 1.01 * total / 2 + 1e-6);
  EXPECT_LE(carried[3] + carried[4] + carried[5], 1.01 * total / 2 + 1e-6);
  for (int i = 0; i < 6; i += 2)
    EXPECT_LE(carried[i] + carried[i + 1], 1.05 * total / 3 + 1e-6);
  // One expert has more than half of the load: no cap of groups can be kept.
  Trace hot = makeTrace(4, 1, 2, 4, {0, -1, 0, -1, 0, -1, 1, 2});
  PlacementProblem impossible = problemOf(hot, {0, 1});
  impossible.groupLoadCap = 1.1;
  absl::Status status = place("search", impossible).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("load of switch group 0 is 3, the limit is 2"));
}

TEST(Search, LowersTheBusiestReceive) {
  SplitMix64 random(13);
  Trace trace = randomRouting(random, 400, 4, 24);
  PlacementProblem problem = problemOf(trace, std::vector<int32_t>(6, 0));
  LayerStatistics plain = statisticsOf(problem, *place("search", problem));
  problem.receiveWeight = 30;
  LayerStatistics even = statisticsOf(problem, *place("search", problem));
  EXPECT_LT(even.receiveMaxOverMean * even.cT,
            plain.receiveMaxOverMean * plain.cT);
  EXPECT_GE(even.cT, plain.cT);
}

// A cost of which the optimum is known: all but it is left to the sum.
TEST(Search, AsksACost) {
  SplitMix64 random(14);
  Trace trace = randomRouting(random, 200, 3, 12);
  PlacementProblem problem = problemOf(trace, {0, 0, 1, 1});
  problem.cost = [](const PlacementCounts &counts) {
    EXPECT_EQ(std::accumulate(counts.experts.begin(), counts.experts.end(),
                              int64_t(0)),
              12);
    return counts.crossing[0][0]; // as few tokens to group 0 as can be
  };
  absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
  ASSERT_TRUE(found.ok()) << found.status();
  std::vector<int32_t> chipletOf = chipletsOf(found->placement);
  int64_t tokens = 0;
  for (int64_t t = 0; t < trace.numTokens(); ++t) {
    bool crosses = false;
    for (int32_t id : trace.set(t, 0))
      crosses |= id != Trace::kPadding && chipletOf[id] < 2;
    tokens += crosses;
  }
  EXPECT_EQ(found->value.first, tokens);
  PlacementProblem plain = problem;
  plain.cost = nullptr;
  plain.chipletWeight = 0;
  plain.levels.push_back({{0, 0, -1, -1}, 1, 0});
  EXPECT_EQ(1000 * found->value.first, searchLayer(plain)->value.first);
}

TEST(Search, FillsUnequalChiplets) {
  SplitMix64 random(15);
  Trace trace = randomRouting(random, 300, 3, 12);
  PlacementProblem problem = problemOf(trace, {0, 0, 1});
  problem.slotsOf = {2, 4, 7};
  for (const PlacementAlgorithm &algorithm : PlacementAlgorithm::all()) {
    absl::StatusOr<Placement> placement = algorithm.run(problem);
    ASSERT_TRUE(placement.ok()) << placement.status();
    std::vector<std::vector<int32_t>> experts = placement->expertsOf();
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_GE(experts[c].size(), 1u) << algorithm.name;
      EXPECT_LE(static_cast<int64_t>(experts[c].size()), problem.slotsOf[c])
          << algorithm.name;
    }
  }
  // A chiplet that is three times as fast takes three times as much.
  problem.slotsOf = {10, 10, 10};
  problem.speedOf = {1, 1, 3};
  problem.loadCap = 1.1;
  absl::StatusOr<Placement> placement = place("search", problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  std::vector<int64_t> load = expertLoad(trace, 0);
  double total = std::accumulate(load.begin(), load.end(), 0.0);
  std::vector<double> carried(3, 0);
  for (int64_t e = 0; e < 12; ++e)
    carried[placement->chipletsOf[e][0]] += static_cast<double>(load[e]);
  for (int c = 0; c < 3; ++c)
    EXPECT_LE(carried[c], 1.1 * total * (c == 2 ? 3 : 1) / 5 + 1e-6);
}

TEST(Search, FitsExpertsOfUnequalSize) {
  SplitMix64 random(16);
  for (int round = 0; round < 30; ++round) {
    Trace trace = randomRouting(random, 100, 3, 12);
    PlacementProblem problem = problemOf(trace, {0, 0, 1});
    int64_t sum = 0;
    for (int e = 0; e < 12; ++e) {
      problem.expertBytes.push_back((1 + static_cast<int64_t>(random.below(9)))
                                    << 20);
      sum += problem.expertBytes.back();
    }
    int64_t third = sum / 3 + (6 << 20);
    problem.bytesOf = {third / 2 + (2 << 20), third, third + third / 2};
    absl::StatusOr<Placement> placement = place("search", problem);
    ASSERT_TRUE(placement.ok()) << placement.status();
    std::vector<int64_t> held(3, 0);
    for (int64_t e = 0; e < 12; ++e)
      held[placement->chipletsOf[e][0]] += problem.expertBytes[e];
    for (int c = 0; c < 3; ++c)
      EXPECT_LE(held[c], problem.bytesOf[c]);
  }
}

// On a line of chiplets, 1, 2 and 3 hops away, the cluster that most tokens
// are sent to comes nearest, also where hops have no weight of their own.
TEST(Search, PutsBusyClustersNear) {
  // Pairs 0-1 (6 tokens), 2-3 (3) and 4-5 (1).
  Trace profile = makeTrace(10, 1, 2, 6, {4, 5, 2, 3, 2, 3, 2, 3, 0, 1,
                                          0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  PlacementProblem problem = problemOf(profile, {0, 0, 0});
  problem.hopsOf = {3, 1, 2};
  EXPECT_THAT(chipletsOf(*place("search", problem)),
              ElementsAre(1, 1, 2, 2, 0, 0));
  problem.hopWeight = 0.1;
  EXPECT_THAT(chipletsOf(*place("search", problem)),
              ElementsAre(1, 1, 2, 2, 0, 0));
}

// Without a weight of groups, clusters that fire together share one; on an
// unbalanced tree, where they do not all fit, as few parts as can be.
TEST(Search, PutsClustersThatFireTogetherUnderOneSwitch) {
  // Clusters 0-1, 2-3, 4-5, 6-7; tokens of the first and third, and of the
  // second and fourth.
  std::vector<int32_t> ids;
  for (int i = 0; i < 5; ++i)
    ids.insert(ids.end(), {0, 1, 4,  5,  2, 3, 6,  7,  0, 1, -1, -1,
                           2, 3, -1, -1, 4, 5, -1, -1, 6, 7, -1, -1});
  Trace profile = makeTrace(30, 1, 4, 8, ids);
  PlacementProblem problem = problemOf(profile, {0, 0, 1, 1});
  Placement placement = *place("search", problem);
  EXPECT_DOUBLE_EQ(statisticsOf(problem, placement).cT, 4.0 / 3);
  EXPECT_DOUBLE_EQ(statisticsOf(problem, placement).gT, 1);
  // Chiplet 0 hangs from the root, the others from one switch, 2 and 3 of them
  // from a deeper one: there two go that belong together.
  problem.groupOf = {0, 1, 1, 1};
  problem.levels.push_back({{-1, -1, 0, 0}, 0, 0});
  placement = *place("search", problem);
  EXPECT_DOUBLE_EQ(statisticsOf(problem, placement).cT, 4.0 / 3);
  EXPECT_DOUBLE_EQ(statisticsOf(problem, placement).gT, 7.0 / 6);
  EXPECT_DOUBLE_EQ(
      layerStatistics(profile, 0, chipletsOf(placement), {-1, -1, 0, 0}).gT,
      0.5);
}

// The time of a search goes with its tokens: four times as many, four times
// the work, where they are too varied to merge.
TEST(Search, GrowsLinearlyInTokens) {
  SyntheticRouter router;
  router.experts = 64;
  router.k = 8;
  router.layers = 1;
  router.dimension = 16;
  router.biasSpreadPermille = 300;
  Trace all = *drawTrace(router, Draw::Profile, 40'000);
  std::vector<double> visits;
  for (int64_t tokens : {10'000, 20'000, 40'000}) {
    absl::Span<const int32_t> ids = all.data().subspan(0, tokens * 8);
    Trace trace = makeTrace(tokens, 1, 8, 64, {ids.begin(), ids.end()});
    PlacementProblem problem = problemOf(trace, std::vector<int32_t>(16, 0));
    absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
    ASSERT_TRUE(found.ok()) << found.status();
    visits.push_back(static_cast<double>(found->edgeVisits));
  }
  EXPECT_LE(visits[1], 2.2 * visits[0]);
  EXPECT_LE(visits[2], 2.2 * visits[1]);
}

TEST(Search, IsTheSameOnAnyNumberOfThreads) {
  SyntheticRouter router;
  router.experts = 32;
  router.k = 4;
  router.layers = 6;
  router.dimension = 10;
  Trace trace = *drawTrace(router, Draw::Profile, 600);
  PlacementProblem problem = problemOf(trace, {0, 0, 1, 1});
  problem.groupWeight = 1;
  const PlacementAlgorithm &search = **PlacementAlgorithm::find("search");
  auto one = placeLayers(search, problem, 6);
  ASSERT_TRUE(one.ok()) << one.status();
  for (int64_t threads : {2, 3, 16}) {
    auto many = placeLayers(search, problem, 6, threads);
    ASSERT_TRUE(many.ok()) << many.status();
    for (int layer = 0; layer < 6; ++layer)
      EXPECT_EQ((*many)[layer].chipletsOf, (*one)[layer].chipletsOf);
  }
  // The first layer that fails is named.
  expectInvalid(placeLayers(search, problem, 9, 4), {"cannot place layer 6"});
  expectInvalid(placeLayers(search, problem, 6, 0), {"0 threads"});
}

TEST(Search, RejectsMachinesThatDoNotFit) {
  Trace profile = makeTrace(1, 1, 2, 4, {0, 1});
  auto with = [&](const std::function<void(PlacementProblem &)> &change) {
    PlacementProblem problem = problemOf(profile, {0, 0});
    change(problem);
    return place("search", problem);
  };
  using Problem = PlacementProblem;
  expectInvalid(with([](Problem &p) { p.slotsOf = {2}; }),
                {"slots of 1 chiplets", "each of the 2"});
  expectInvalid(with([](Problem &p) { p.slotsOf = {0, 4}; }),
                {"slots of chiplet 0 is 0"});
  expectInvalid(with([](Problem &p) { p.slotsOf = {1, 2}; }),
                {"3 slots", "4 experts"});
  expectInvalid(with([](Problem &p) { p.expertBytes = {1, 1, 1, 1}; }),
                {"give both or neither"});
  expectInvalid(with([](Problem &p) {
                  p.expertBytes = {1, 1, 1, 9};
                  p.bytesOf = {8, 8};
                }),
                {"up to 9 each", "up to 8 each"});
  expectInvalid(with([](Problem &p) { p.expertBytes = {1, -1, 1, 1}; }),
                {"bytes of expert 1 is -1"});
  expectInvalid(with([](Problem &p) { p.speedOf = {1, 0}; }),
                {"speed of chiplet 1 is 0"});
  expectInvalid(with([](Problem &p) { p.hopsOf = {1, -1}; }),
                {"hops of chiplet 1 is -1"});
  expectInvalid(with([](Problem &p) { p.hopWeight = 1; }),
                {"a weight for hops"});
  expectInvalid(with([](Problem &p) { p.receiveWeight = -1; }),
                {"weight of -1 for the busiest chiplet"});
  expectInvalid(with([](Problem &p) { p.chipletWeight = NAN; }),
                {"weight of nan for chiplets"});
  expectInvalid(with([](Problem &p) { p.groupLoadCap = 0.5; }),
                {"0.5 for switch groups"});
  expectInvalid(with([](Problem &p) { p.levels.push_back({{0}, 1, 0}); }),
                {"switch level 0", "1 chiplets"});
  expectInvalid(with([](Problem &p) { p.levels.push_back({{0, 2}, 1, 0}); }),
                {"switch level 0", "chiplet 1 in part 2"});
  expectInvalid(with([](Problem &p) { p.levels.push_back({{0, 0}, -1, 0}); }),
                {"weight of -1 for switch level 0"});
  expectInvalid(with([](Problem &p) { p.levels.push_back({{0, 0}, 1, 0.9}); }),
                {"0.9 for switch level 0"});
  PlacementProblem bytes = problemOf(profile, {0, 0});
  bytes.expertBytes = {2, 2, 2, 2};
  bytes.bytesOf = {5, 5};
  EXPECT_TRUE(place("search", bytes).ok());
  expectInvalid(placeLayers(**PlacementAlgorithm::find("load"), bytes, 1),
                {"'load'", "bytes"});
  // 3 + 3 + 2 do not go into 4 + 4.
  bytes.expertBytes = {3, 3, 2, 0};
  bytes.bytesOf = {4, 4};
  absl::Status status = place("search", bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the limit is 4"));
}

TEST(Search, DoesNotMixReplicasWithWhatTheyDoNotGoBy) {
  Trace profile = makeTrace(1, 1, 2, 4, {0, 1});
  PlacementProblem problem = problemOf(profile, {0, 0});
  problem.slots = 3;
  const PlacementAlgorithm &search = **PlacementAlgorithm::find("search");
  EXPECT_TRUE(placeLayers(search, problem, 1).ok());
  problem.receiveWeight = 1;
  expectInvalid(placeLayers(search, problem, 1), {"replicas", "leave out"});
}
