//===- RouteKernelTest.cpp ------------------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "gmock/gmock.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;
using namespace mozart::test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

namespace {

constexpr ElementType kWide = ElementType::F64;

MATCHER(Near, "") {
  return std::fabs(std::get<0>(arg) - std::get<1>(arg)) < 1e-14;
}

KernelStep route(int64_t tokens, int64_t k, int64_t experts) {
  KernelStep result =
      step(KernelKind::Route, {routingType(tokens, k, experts, kWide)});
  result.route.k = k;
  return result;
}

/// Logits whose softmax is shares / sum(shares).
Value logarithms(std::vector<double> shares) {
  for (double &share : shares)
    share = std::log(share);
  auto experts = static_cast<int64_t>(shares.size());
  return tensor({1, experts}, std::move(shares), kWide);
}

void expectRouting(const Value &found, std::vector<int32_t> ids,
                   std::vector<double> gates) {
  EXPECT_EQ(found.ids, ids);
  EXPECT_THAT(found.elements, Pointwise(Near(), gates));
}

TEST(RouteKernel, SoftmaxBeforeSelection) {
  KernelStep r = route(1, 2, 3);
  Value logits = logarithms({1, 2, 5});
  expectRouting(run(r, {logits})[0], {2, 1}, {5. / 8, 2. / 8});
  r.route.renormalize = true;
  expectRouting(run(r, {logits})[0], {2, 1}, {5. / 7, 2. / 7});
  r.route.scale = 2.5;
  expectRouting(run(r, {logits})[0], {2, 1}, {12.5 / 7, 5. / 7});
  r.route.renormalizeEpsilon = 1. / 8;
  expectRouting(run(r, {logits})[0], {2, 1}, {12.5 / 8, 5. / 8});
}

TEST(RouteKernel, SoftmaxAfterSelectionIsOverTheChosen) {
  KernelStep r = route(1, 2, 3);
  r.route.order = ScoreOrder::AfterSelection;
  expectRouting(run(r, {logarithms({1, 2, 5})})[0], {2, 1}, {5. / 7, 2. / 7});
}

TEST(RouteKernel, Sigmoid) {
  // The logistic of ln x is x / (1 + x).
  KernelStep r = route(1, 2, 3);
  r.route.score = ScoreKind::Sigmoid;
  Value logits = logarithms({1, 3, 1. / 3});
  expectRouting(run(r, {logits})[0], {1, 0}, {0.75, 0.5});
  r.route.order = ScoreOrder::AfterSelection;
  expectRouting(run(r, {logits})[0], {1, 0}, {0.75, 0.5});
  r.route.renormalize = true;
  expectRouting(run(r, {logits})[0], {1, 0}, {0.6, 0.4});
}

TEST(RouteKernel, SelectionBiasSelectsAndDoesNotWeigh) {
  KernelStep r = route(1, 2, 4);
  r.route.score = ScoreKind::Sigmoid;
  r.route.hasSelectionBias = true;
  // Scores 0.75 0.5 0.25 0.5, with bias 0.75 0.5 1.25 0.625.
  expectRouting(run(r, {logarithms({3, 1, 1. / 3, 1}),
                        tensor({4}, {0, 0, 1, 0.125}, kWide)})[0],
                {2, 0}, {0.25, 0.75});
}

TEST(RouteKernel, EqualScoresGoToTheLowestId) {
  KernelStep r = route(2, 3, 5);
  Value logits = tensor({2, 5}, {1, 2, 1, 2, 1, 0, 0, 0, 0, 0}, kWide);
  EXPECT_THAT(run(r, {logits})[0].ids, ElementsAre(1, 3, 0, 0, 1, 2));
}

TEST(RouteKernel, GroupsAreLimitedByTheirBestScore) {
  KernelStep r = route(1, 2, 6);
  r.route.score = ScoreKind::Sigmoid;
  r.route.groups = 3;
  r.route.keptGroups = 1;
  // Groups (0 1) (2 3) (4 5): best 0.9, 0.8, 0.7; sums 1.0, 1.5, 1.4.
  auto logit = [](double p) { return p / (1 - p); };
  Value logits = logarithms(
      {logit(0.9), logit(0.1), logit(0.8), logit(0.7), logit(0.7), logit(0.7)});
  EXPECT_THAT(run(r, {logits})[0].ids, ElementsAre(0, 1));
  r.route.groupScore = GroupScore::TopTwoSum;
  EXPECT_THAT(run(r, {logits})[0].ids, ElementsAre(2, 3));
  r.route.keptGroups = 2;
  r.route.k = 3;
  r.resultTypes = {routingType(1, 3, 6, kWide)};
  EXPECT_THAT(run(r, {logits})[0].ids, ElementsAre(2, 3, 4));
}

TEST(RouteKernel, EqualGroupsGoToTheLowestAndBiasCountsInTheirScore) {
  KernelStep r = route(1, 1, 4);
  r.route.score = ScoreKind::Sigmoid;
  r.route.groups = 2;
  r.route.keptGroups = 1;
  Value logits = logarithms({1, 3, 3, 1});
  EXPECT_THAT(run(r, {logits})[0].ids, ElementsAre(1));
  r.route.hasSelectionBias = true;
  EXPECT_THAT(run(r, {logits, tensor({4}, {0, 0, 0, 0.5}, kWide)})[0].ids,
              ElementsAre(3));
}

TEST(RouteKernel, PaddingTokensChooseNothing) {
  KernelStep r = route(3, 2, 3);
  r.route.hasPadding = true;
  Value logits = tensor({3, 3}, {0, 1, 2, NAN, 0, 0, 2, 1, 0}, kWide);
  Value y = run(r, {logits, tensor({3}, {0, 1, 0}, ElementType::I1)})[0];
  EXPECT_THAT(y.ids, ElementsAre(2, 1, -1, -1, 0, 1));
  EXPECT_EQ(y.elements[2], 0);
  EXPECT_EQ(y.elements[3], 0);
}

TEST(RouteKernel, RejectsWhatHasNoMeaning) {
  auto message = [](const KernelStep &r, std::vector<Value> inputs) {
    return std::string(evaluate(r, inputs).status().message());
  };
  KernelStep r = route(1, 2, 3);
  EXPECT_EQ(message(r, {tensor({1, 3}, {0, NAN, 1}, kWide)}),
            "kernel 'route': the logit of token 0 for expert 1 is nan; "
            "expected a number below infinity");
  EXPECT_THAT(message(r, {tensor({1, 3}, {0, INFINITY, 1}, kWide)}),
              HasSubstr("is inf"));
  EXPECT_THAT(
      message(r, {tensor({1, 3}, {-INFINITY, -INFINITY, -INFINITY}, kWide)}),
      HasSubstr("token 0 has no finite logit"));
  r.route.score = ScoreKind::Sigmoid;
  r.route.renormalize = true;
  EXPECT_THAT(message(r, {tensor({1, 3}, {-1e4, -1e4, -1e4}, kWide)}),
              HasSubstr("the scores of token 0 add up to 0"));
  r = route(1, 1, 3);
  r.route.groups = 3;
  r.route.keptGroups = 2;
  r.route.groupScore = GroupScore::TopTwoSum;
  EXPECT_THAT(message(r, {tensor({1, 3}, {0, 1, 2}, kWide)}),
              HasSubstr("groups of one expert have no two best scores"));
}

// An independent search: among all experts that may be chosen, count those that
// beat expert e; it is chosen in slot r if exactly r do.
TEST(RouteKernel, RandomAgainstCounting) {
  Numbers numbers(3);
  for (int round = 0; round < 50; ++round) {
    int64_t groups = 1 + numbers.below(3), size = 2 + numbers.below(3);
    int64_t kept = 1 + numbers.below(groups), experts = groups * size;
    int64_t k = 1 + numbers.below(kept * size), tokens = 4;
    KernelStep r = route(tokens, k, experts);
    r.route.score = ScoreKind::Sigmoid;
    r.route.hasSelectionBias = true;
    r.route.groups = groups;
    r.route.keptGroups = kept;
    r.route.groupScore = GroupScore::TopTwoSum;
    Value logits = numbers.tensor({tokens, experts}, kWide);
    Value bias = numbers.tensor({experts}, kWide);
    Value y = run(r, {logits, bias})[0];
    for (int64_t t = 0; t < tokens; ++t) {
      std::vector<double> choice, groupScore;
      for (int64_t e = 0; e < experts; ++e)
        choice.push_back(1 / (1 + std::exp(-logits.row(t)[e])) +
                         bias.elements[e]);
      for (int64_t g = 0; g < groups; ++g) {
        double top = -10;
        for (int64_t a = 0; a < size; ++a)
          for (int64_t b = a + 1; b < size; ++b)
            top = std::max(top, choice[g * size + a] + choice[g * size + b]);
        groupScore.push_back(top);
      }
      auto beaten = [](const std::vector<double> &scores, int64_t i) {
        return std::count_if(scores.begin(), scores.end(),
                             [&](double s) { return s > scores[i]; });
      };
      for (int64_t e = 0; e < experts; ++e)
        if (beaten(groupScore, e / size) >= kept)
          choice[e] = -100;
      for (int64_t e = 0; e < experts; ++e)
        if (int64_t rank = beaten(choice, e); rank < k) {
          ASSERT_EQ(y.slots(t)[rank], e) << "round " << round;
        }
    }
  }
}

} // namespace
