//===- PlacementTest.cpp - Which chiplets hold which experts --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Placement.h"

#include "../Routing/Testing.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

/// As a StatusOr, for expectInvalid.
static absl::StatusOr<bool> verified(const Placement &placement) {
  absl::Status status = placement.verify();
  if (!status.ok())
    return status;
  return true;
}

static Placement placement(int64_t chiplets,
                           std::vector<std::vector<int32_t>> chipletsOf) {
  Placement result;
  result.numChiplets = chiplets;
  result.chipletsOf = std::move(chipletsOf);
  return result;
}

static PlacementProblem problem(int64_t experts, std::vector<int32_t> groupOf) {
  PlacementProblem result;
  result.numExperts = experts;
  result.groupOf = std::move(groupOf);
  return result;
}

static absl::StatusOr<Placement> run(const char *algorithm,
                                     const PlacementProblem &problem) {
  absl::StatusOr<const PlacementAlgorithm *> found =
      PlacementAlgorithm::find(algorithm);
  EXPECT_TRUE(found.ok()) << found.status();
  return (*found)->run(problem);
}

TEST(Placement, ListsExpertsOfChiplets) {
  Placement p = placement(3, {{2}, {0, 2}, {0}});
  EXPECT_THAT(p.expertsOf(),
              ElementsAre(ElementsAre(1, 2), ElementsAre(), ElementsAre(0, 1)));
  EXPECT_TRUE(p.verify().ok());
}

TEST(Placement, VerifyNamesWhatIsWrong) {
  expectInvalid(verified(placement(2, {{0}, {}})), {"expert 1"});
  expectInvalid(verified(placement(2, {{0}, {2}})),
                {"expert 1", "chiplet 2", "0 to 1"});
  expectInvalid(verified(placement(2, {{0}, {-1}})), {"chiplet -1"});
  expectInvalid(verified(placement(2, {{1, 1}})),
                {"expert 0", "chiplet 1 twice"});
  expectInvalid(verified(placement(2, {{1, 0}})), {"expert 0", "order"});
  expectInvalid(verified(placement(2, {})), {"0 experts"});
  expectInvalid(verified(placement(0, {{0}})), {"0 chiplets"});
}

TEST(Placement, EvenCapacitiesDifferByOne) {
  EXPECT_THAT(evenCapacities(64, 16), ::testing::Each(4));
  EXPECT_THAT(evenCapacities(7, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(evenCapacities(2, 3), ElementsAre(1, 1, 0));
}

TEST(Placement, FindsAlgorithmsByName) {
  for (const PlacementAlgorithm &algorithm : PlacementAlgorithm::all())
    EXPECT_EQ(*PlacementAlgorithm::find(algorithm.name), &algorithm);
  absl::Status status = PlacementAlgorithm::find("best").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("contiguous, random, algorithm1"));
}

TEST(Contiguous, CutsInOrder) {
  absl::StatusOr<Placement> p = run("contiguous", problem(7, {0, 0, 1}));
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(
      p->expertsOf(),
      ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4), ElementsAre(5, 6)));
}

TEST(Random, DependsOnSeedAndLayerAlone) {
  PlacementProblem a = problem(64, std::vector<int32_t>(16, 0));
  PlacementProblem otherSeed = a, otherLayer = a;
  otherSeed.seed = 1;
  otherLayer.layer = 1;
  absl::StatusOr<Placement> p = run("random", a);
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_TRUE(p->verify().ok());
  for (const std::vector<int32_t> &experts : p->expertsOf())
    EXPECT_EQ(experts.size(), 4u);
  EXPECT_EQ(run("random", a)->chipletsOf, p->chipletsOf);
  EXPECT_NE(run("random", otherSeed)->chipletsOf, p->chipletsOf);
  EXPECT_NE(run("random", otherLayer)->chipletsOf, p->chipletsOf);
  EXPECT_NE(run("contiguous", a)->chipletsOf, p->chipletsOf);
}

TEST(Random, EveryExpertGoesEverywhere) {
  // 3 experts on 3 chiplets: each of the 6 orders in 600 seeds about 100 times;
  // five standard deviations of a binomial are 46.
  std::map<std::vector<std::vector<int32_t>>, int> counts;
  PlacementProblem p = problem(3, {0, 0, 0});
  for (p.seed = 0; p.seed < 600; ++p.seed)
    ++counts[run("random", p)->chipletsOf];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto &[order, count] : counts)
    EXPECT_NEAR(count, 100, 46);
}

TEST(Placement, EveryAlgorithmRejectsABadProblem) {
  Trace profile = makeTrace(1, 2, 1, 4, {0, 1});
  for (const PlacementAlgorithm &algorithm : PlacementAlgorithm::all()) {
    auto with = [&](auto change) {
      PlacementProblem p = problem(4, {0, 1});
      p.profile = &profile;
      change(p);
      return algorithm.run(p);
    };
    EXPECT_TRUE(with([](PlacementProblem &) {}).ok()) << algorithm.name;
    expectInvalid(with([](PlacementProblem &p) { p.numExperts = 0; }),
                  {"0 experts"});
    expectInvalid(with([](PlacementProblem &p) { p.groupOf = {}; }),
                  {"no chiplets"});
    expectInvalid(
        with([](PlacementProblem &p) { p.groupOf = {0, 0, 0, 0, 0}; }),
        {"5 chiplets for 4 experts"});
    expectInvalid(with([](PlacementProblem &p) { p.groupOf = {0, 2}; }),
                  {"chiplet 1", "group 2"});
    expectInvalid(with([](PlacementProblem &p) { p.groupOf = {-1, 0}; }),
                  {"group -1"});
    expectInvalid(with([](PlacementProblem &p) { p.numExperts = 5; }),
                  {"over 4 experts, 5 are to be placed"});
    expectInvalid(with([](PlacementProblem &p) { p.layer = 2; }),
                  {"layer 2", "2 layers"});
    expectInvalid(with([](PlacementProblem &p) { p.layer = -1; }),
                  {"layer -1"});
    Trace empty;
    expectInvalid(with([&](PlacementProblem &p) { p.profile = &empty; }),
                  {"empty"});
  }
}

TEST(Placement, OneProfileLayerServesEvery) {
  Trace profile = makeTrace(2, 1, 2, 4, {0, 3, 1, 2});
  PlacementProblem p = problem(4, {0, 0});
  p.profile = &profile;
  absl::StatusOr<Placement> first = run("algorithm1", p);
  p.layer = 7;
  absl::StatusOr<Placement> later = run("algorithm1", p);
  ASSERT_TRUE(first.ok() && later.ok()) << later.status();
  EXPECT_EQ(first->chipletsOf, later->chipletsOf);
}
