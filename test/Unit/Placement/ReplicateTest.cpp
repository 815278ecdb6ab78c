//===- ReplicateTest.cpp - Placing with replicas, and near what was -------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Replicate.h"
#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/ReplicaSearch.h"

#include "RandomRouting.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static const PlacementAlgorithm &named(const char *name) {
  return **PlacementAlgorithm::find(name);
}

static Placement placementOf(std::vector<std::vector<int32_t>> chipletsOf,
                             int64_t numChiplets) {
  Placement placement;
  placement.numChiplets = numChiplets;
  placement.chipletsOf = std::move(chipletsOf);
  return placement;
}

static PlacementProblem problemOf(const Trace &profile, int64_t chiplets) {
  PlacementProblem problem;
  problem.numExperts = profile.numExperts();
  problem.groupOf = *uniformGroups(chiplets, 1);
  problem.profile = &profile;
  return problem;
}

static LayerStatistics statisticsOf(const PlacementProblem &problem,
                                    const Placement &placement) {
  return (
      *placementStatistics(*problem.profile, {placement}, problem.groupOf))[0];
}

TEST(Replicate, DescribesReplicas) {
  Placement placement = placementOf({{0, 2}, {1}, {0, 1, 2}}, 3);
  EXPECT_EQ(describeReplicas(placement), "0 on 0 2, 2 on 0 1 2");
  EXPECT_EQ(countReplicas(placement), 3);
  EXPECT_EQ(mostExpertsOfChiplet(placement), 2);
  EXPECT_EQ(describeReplicas(placementOf({{0}, {1}}, 2)), "");
}

TEST(Replicate, BoundsCT) {
  Trace trace =
      makeTrace(4, 1, 3, 6, {0, 1, 2, 3, -1, -1, 4, 5, -1, -1, -1, -1});
  EXPECT_DOUBLE_EQ(boundOfCT(trace, 0, 1), (3 + 1 + 2 + 0) / 4.0);
  EXPECT_DOUBLE_EQ(boundOfCT(trace, 0, 2), (2 + 1 + 1 + 0) / 4.0);
  EXPECT_DOUBLE_EQ(boundOfCT(trace, 0, 3), 3 / 4.0);
}

TEST(Replicate, SlotsLowerCT) {
  SplitMix64 random(4);
  for (int64_t round = 0; round < 10; ++round) {
    Trace profile = randomRouting(random, 100, 4, 12);
    PlacementProblem problem = problemOf(profile, 4);
    double before =
        statisticsOf(problem, *placeLayer(named("search"), problem)).cT;
    problem.slots = 3;
    absl::StatusOr<Placement> same = placeLayer(named("search"), problem);
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_LE(statisticsOf(problem, *same).cT, before);
    EXPECT_EQ(countReplicas(*same), 0);
    for (problem.slots = 4; problem.slots <= 12; problem.slots += 4) {
      absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
      ASSERT_TRUE(placed.ok()) << placed.status();
      ASSERT_TRUE(placed->verify().ok());
      EXPECT_LE(mostExpertsOfChiplet(*placed), problem.slots);
      EXPECT_LT(statisticsOf(problem, *placed).cT, before);
    }
    // All on every chiplet: a token needs one.
    problem.slots = 12;
    Placement all = *placeLayer(named("search"), problem);
    EXPECT_EQ(all.chipletsOf, placeLayer(named("search"), problem)->chipletsOf);
  }
}

// The best of all places for one replica, or as good.
TEST(Replicate, FindsTheBestReplica) {
  SplitMix64 random(5);
  int64_t best = 0, rounds = 60;
  for (int64_t round = 0; round < rounds; ++round) {
    Trace profile = randomRouting(random, 50, 3, 6);
    PlacementProblem problem = problemOf(profile, 3);
    problem.slots = 3;
    problem.maxReplicas = 1;
    double found =
        statisticsOf(problem, *placeLayer(named("search"), problem)).cT;
    double least = 10;
    std::vector<int32_t> of(6, 0);
    auto tryReplicas = [&] {
      for (int32_t expert = 0; expert < 6; ++expert)
        for (int32_t chiplet = 0; chiplet < 3; ++chiplet) {
          Placement placement = placementOf({}, 3);
          for (int32_t one : of)
            placement.chipletsOf.push_back({one});
          if (of[expert] != chiplet) {
            placement.chipletsOf[expert].push_back(chiplet);
            std::sort(placement.chipletsOf[expert].begin(),
                      placement.chipletsOf[expert].end());
          }
          if (mostExpertsOfChiplet(placement) > 3)
            continue;
          least = std::min(least, statisticsOf(problem, placement).cT);
        }
    };
    for (int64_t code = 0; code < 729; ++code) {
      for (int64_t i = 0, rest = code; i < 6; ++i, rest /= 3)
        of[i] = static_cast<int32_t>(rest % 3);
      int64_t counts[3] = {0, 0, 0};
      for (int32_t one : of)
        ++counts[one];
      if (*std::min_element(counts, counts + 3) >= 1)
        tryReplicas();
    }
    EXPECT_GE(found, least);
    best += found == least;
  }
  EXPECT_GE(best, rounds * 8 / 10);
}

// Half of all pairs are of one expert.
static Trace oneHotExpert() {
  std::vector<int32_t> ids;
  for (int32_t token = 0; token < 30; ++token)
    ids.insert(ids.end(), {0, 1 + token % 5});
  return makeTrace(30, 1, 2, 6, std::move(ids));
}

TEST(Replicate, ACapThatNeedsReplicasSaysHowMany) {
  Trace profile = oneHotExpert();
  PlacementProblem problem = problemOf(profile, 3);
  problem.loadCap = 1.2;
  absl::Status status = placeLayer(named("search"), problem).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  // 30 pairs of 60 and the lightest beside them, 6, on one chiplet of three.
  EXPECT_THAT(std::string(status.message()), HasSubstr("none below 1.8"));
  absl::StatusOr<Placement> met = placeForLoadCap(problem);
  ASSERT_TRUE(met.ok()) << met.status();
  EXPECT_LE(statisticsOf(problem, *met).loadMaxOverMean, 1.2);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(std::to_string(countReplicas(*met)) + " replica"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(expert " + describeReplicas(*met) + ")"));

  problem.slots = mostExpertsOfChiplet(*met);
  absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_LE(statisticsOf(problem, *placed).loadMaxOverMean, 1.2);
}

TEST(Replicate, ACapThatReplicasDoNotMeet) {
  Trace profile = oneHotExpert();
  PlacementProblem problem = problemOf(profile, 3);
  problem.loadCap = 1.2;
  problem.slots = 3;
  problem.maxReplicas = 0;
  absl::Status status = placeLayer(named("search"), problem).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("within 0 replicas in 3 slots a chiplet"));
  // A single token cannot be cut.
  Trace one = makeTrace(1, 1, 2, 6, {0, 1});
  problem.profile = &one;
  problem.slots = 0;
  problem.maxReplicas = -1;
  EXPECT_EQ(placeForLoadCap(problem).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(
      std::string(placeLayer(named("search"), problem).status().message()),
      HasSubstr("replicas do not meet it either"));
}

TEST(Replicate, LoadMakesTheReplicasOfTheBalancer) {
  // The published example's first layer, as one node: experts 10, 5, 1 and 4
  // get a replica each, of which one is packed beside the expert itself.
  std::vector<int64_t> weights = {90, 132, 40, 61, 104, 165,
                                  39, 4,   73, 56, 183, 86};
  std::vector<int32_t> ids;
  for (int32_t expert = 0; expert < 12; ++expert)
    ids.insert(ids.end(), weights[expert], expert);
  int64_t tokens = static_cast<int64_t>(ids.size());
  Trace profile = makeTrace(tokens, 1, 1, 12, std::move(ids));
  PlacementProblem problem = problemOf(profile, 8);
  problem.slots = 2;
  absl::StatusOr<Placement> placed = placeLayer(named("load"), problem);
  ASSERT_TRUE(placed.ok()) << placed.status();
  std::vector<std::vector<int32_t>> expected(12);
  ReplicaLayout layout = *replicateByLoad(weights, {16, 1, 1, 8});
  EXPECT_THAT(layout.replicasOf,
              ElementsAre(1, 2, 1, 1, 2, 2, 1, 1, 1, 1, 2, 1));
  for (int32_t place = 0; place < 16; ++place) {
    std::vector<int32_t> &own = expected[layout.expertOfPlace[place]];
    if (own.empty() || own.back() != place / 2)
      own.push_back(place / 2);
  }
  EXPECT_EQ(placed->chipletsOf, expected);
  EXPECT_EQ(countReplicas(*placed), 3);
  EXPECT_THAT(placed->remarks, ElementsAre(HasSubstr("1 replicas would stand "
                                                     "beside another")));
  EXPECT_LT(statisticsOf(problem, *placed).loadMaxOverMean, 1.3);
  problem.maxReplicas = 2;
  expectInvalid(placeLayer(named("load"), problem), {"4 replicas here, not 2"});
}

TEST(Replicate, StaysWithinMoves) {
  SplitMix64 random(6);
  for (int64_t round = 0; round < 20; ++round) {
    Trace profile = randomRouting(random, 100, 4, 12);
    PlacementProblem problem = problemOf(profile, 4);
    Placement old = *placeLayer(named("random"), problem);
    problem.keep = absl::MakeConstSpan(&old, 1);
    double last = statisticsOf(problem, old).cT;
    for (problem.maxMoves = 0; problem.maxMoves <= 12; problem.maxMoves += 2) {
      absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
      ASSERT_TRUE(placed.ok()) << placed.status();
      EXPECT_LE(countMoves(old, *placed), problem.maxMoves);
      double now = statisticsOf(problem, *placed).cT;
      if (problem.maxMoves == 0)
        EXPECT_EQ(placed->chipletsOf, old.chipletsOf);
      EXPECT_LE(now, statisticsOf(problem, old).cT);
      last = std::min(last, now);
    }
    // Free to move, it is as good as a search that knows of no old placement.
    problem.maxMoves = -1;
    Placement free = *placeLayer(named("search"), problem);
    PlacementProblem fresh = problem;
    fresh.keep = {};
    EXPECT_LE(statisticsOf(problem, free).cT,
              statisticsOf(problem, *placeLayer(named("search"), fresh)).cT);
    EXPECT_LE(statisticsOf(problem, free).cT, last);
  }
}

TEST(Replicate, RenumberingKeepsAllButMoves) {
  SplitMix64 random(7);
  Trace profile = randomRouting(random, 100, 4, 12);
  PlacementProblem problem = problemOf(profile, 6);
  problem.groupOf = {0, 0, 1, 1, 2, 2};
  for (problem.seed = 0; problem.seed < 20; ++problem.seed) {
    Placement old = *placeLayer(named("random"), problem);
    // The same, with groups and chiplets in another order.
    std::vector<int32_t> order = {3, 2, 4, 5, 1, 0};
    Placement moved = old;
    for (std::vector<int32_t> &chiplets : moved.chipletsOf)
      chiplets[0] = order[chiplets[0]];
    EXPECT_EQ(renumberChiplets(moved, old, problem.groupOf).chipletsOf,
              old.chipletsOf);
    PlacementProblem other = problem;
    other.seed = problem.seed + 100;
    Placement next = *placeLayer(named("random"), other);
    Placement near = renumberChiplets(next, old, problem.groupOf);
    EXPECT_LE(countMoves(old, near), countMoves(old, next));
    EXPECT_DOUBLE_EQ(statisticsOf(problem, near).gT,
                     statisticsOf(problem, next).gT);
    EXPECT_DOUBLE_EQ(statisticsOf(problem, near).cT,
                     statisticsOf(problem, next).cT);
  }
}

TEST(Replicate, RejectsWhatDoesNotFit) {
  SplitMix64 random(8);
  Trace profile = randomRouting(random, 20, 2, 6);
  PlacementProblem problem = problemOf(profile, 3);
  auto place = [&](const char *name) {
    return placeLayer(named(name), problem);
  };
  problem.slots = 1;
  expectInvalid(place("search"),
                {"1 slots on each of 3 chiplets", "expected 2"});
  problem.slots = 7;
  expectInvalid(place("search"), {"7 slots", "to 6"});
  problem.slots = 3;
  problem.maxReplicas = 4;
  expectInvalid(place("search"), {"4 replicas", "hold 3 beside the 6 experts"});
  problem.maxReplicas = -2;
  expectInvalid(place("search"), {"-2 replicas"});
  problem.maxReplicas = 2;
  expectInvalid(place("algorithm1"), {"'algorithm1' makes no replicas"});
  problem.slots = 0;
  expectInvalid(place("search"), {"2 replicas", "no slots for them"});
  problem.maxReplicas = -1;

  problem.maxMoves = 1;
  expectInvalid(place("search"), {"at most 1 moves", "no placement to move"});
  Placement old = placementOf({{0}, {0}, {1}, {1}, {2}, {2}}, 3);
  problem.keep = absl::MakeConstSpan(&old, 1);
  expectInvalid(place("load"), {"'load' does not search"});
  problem.maxMoves = -2;
  expectInvalid(place("search"), {"at most -2 moves"});
  problem.maxMoves = 1;
  old.chipletsOf[0] = {0, 1};
  expectInvalid(place("search"), {"1 replicas, at most 0"});
  problem.slots = 2;
  expectInvalid(place("search"), {"3 experts on chiplet 1, which has 2 slots"});
  problem.slots = 0;
  old.chipletsOf[0] = {};
  expectInvalid(place("search"), {"expert 0 without a chiplet"});
  old = placementOf({{0}, {0}, {1}, {1}, {2}}, 3);
  expectInvalid(place("search"), {"is of 5 experts on 3 chiplets, 6 on 3"});
  std::vector<Placement> two(2, placementOf({{0}, {0}, {1}, {1}, {2}, {2}}, 3));
  problem.keep = two;
  problem.layer = 2;
  expectInvalid(place("search"), {"has 2 layers, layer 2 is to be placed"});
}

TEST(Replicate, AnOldPlacementThatBreaksTheCap) {
  Trace profile = oneHotExpert();
  PlacementProblem problem = problemOf(profile, 3);
  // Expert 0 and a light one, or two; then caps of 1.8 and 2.1 are met.
  Placement old = placementOf({{0}, {0}, {0}, {1}, {1}, {2}}, 3);
  problem.keep = absl::MakeConstSpan(&old, 1);
  problem.loadCap = 1.9;
  problem.maxMoves = 0;
  absl::Status status = placeLayer(named("search"), problem).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("within 0 moves from the placement to keep"));
  problem.maxMoves = 1;
  absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_LE(statisticsOf(problem, *placed).loadMaxOverMean, 1.9);
}

TEST(Replicate, SaysWhatAProfileDoesNotTell) {
  Trace profile = makeTrace(2, 2, 2, 6, {0, 1, -1, -1, 2, 4, -1, -1});
  PlacementProblem problem = problemOf(profile, 3);
  absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_THAT(placed->remarks,
              ElementsAre(HasSubstr("2 of 6 experts are in no token's set of "
                                    "the profile (the first is 3)")));
  problem.layer = 1;
  expectInvalid(placeLayer(named("search"), problem),
                {"no token of this layer to any expert"});
  EXPECT_TRUE(placeLayer(named("contiguous"), problem).ok());
}

// Rows of a micro-batch, and not of the trace, say where tokens go.
TEST(Replicate, KeepsTheCapInMicroBatches) {
  Trace profile = oneHotExpert();
  PlacementProblem problem = problemOf(profile, 3);
  problem.slots = 4;
  problem.loadCap = 1.2;
  for (int64_t tokens : {1, 2, 3, 7, 30}) {
    problem.tokensPerMicroBatch = tokens;
    absl::StatusOr<Placement> placed = placeLayer(named("search"), problem);
    ASSERT_TRUE(placed.ok()) << placed.status();
    EXPECT_LE(
        (*placementStatistics(profile, {*placed}, problem.groupOf, tokens))[0]
            .loadMaxOverMean,
        1.2);
  }
  problem.tokensPerMicroBatch = 0;
  expectInvalid(placeLayer(named("search"), problem), {"micro-batches of 0"});
}
