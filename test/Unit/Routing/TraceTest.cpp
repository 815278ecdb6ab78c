//===- TraceTest.cpp - Which experts each token chose ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

TEST(Trace, KeepsSetsByTokenAndLayer) {
  Trace trace = makeTrace(2, 2, 2, 4, {0, 1, 2, 3, 3, -1, 1, 0});
  EXPECT_EQ(trace.numTokens(), 2);
  EXPECT_EQ(trace.numLayers(), 2);
  EXPECT_EQ(trace.k(), 2);
  EXPECT_EQ(trace.numExperts(), 4);
  EXPECT_FALSE(trace.sharedByLayers());
  EXPECT_THAT(trace.set(0, 1), ElementsAre(2, 3));
  EXPECT_THAT(trace.set(1, 0), ElementsAre(3, -1));
}

TEST(Trace, SeveralPaddingSlotsAreNoRepetition) {
  EXPECT_TRUE(Trace::create(1, 1, 3, 4, {-1, 2, -1}).ok());
}

TEST(Trace, RejectsUnknownExpert) {
  expectInvalid(Trace::create(2, 2, 2, 4, {0, 1, 2, 3, 0, 1, 2, 4}),
                {"expert id 4", "token 1, layer 1, slot 1", "[0, 4)"});
  expectInvalid(Trace::create(1, 1, 1, 4, {-2}), {"expert id -2"});
}

TEST(Trace, RejectsExpertTwiceInASet) {
  expectInvalid(Trace::create(1, 2, 3, 4, {0, 1, 2, 3, 0, 3}),
                {"expert id 3", "token 0, layer 1, slot 2"});
}

TEST(Trace, RejectsMoreSlotsThanExperts) {
  expectInvalid(Trace::create(1, 1, 3, 2, {0, 1, -1}), {"k = 3", "2 experts"});
}

TEST(Trace, RejectsEmpty) {
  expectInvalid(Trace::create(0, 1, 1, 2, {}), {"empty"});
  expectInvalid(Trace::create(1, 0, 1, 2, {}), {"0 layers"});
  expectInvalid(Trace::create(1, 1, 0, 2, {}), {"k = 0"});
  expectInvalid(Trace::create(1, 1, 1, 0, {-1}), {"0 experts"});
  expectInvalid(Trace::create(-1, 1, 1, 2, {}), {"-1 tokens"});
}

TEST(Trace, RejectsSizesThatDoNotMatchTheIds) {
  expectInvalid(Trace::create(2, 1, 2, 4, {0, 1, 2}), {"needs 4 ids, found 3"});
}

TEST(Trace, RejectsSizesWhoseProductOverflows) {
  // 2^32 * 2^31 * 4 is 0 modulo 2^64.
  expectInvalid(Trace::create(int64_t(1) << 32, int64_t(1) << 31, 4, 8, {}),
                {"64 bits"});
}

TEST(Trace, RejectsExpertsBeyondTheLimit) {
  expectInvalid(Trace::create(1, 1, 1, Trace::kMaxExperts + 1, {0}),
                {"1048577 experts"});
}

TEST(BoundRouting, MapsRowsOfMicroBatches) {
  Trace trace = makeTrace(4, 2, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7});
  absl::StatusOr<BoundRouting> bound =
      BoundRouting::bind(trace, /*layers=*/2, /*k=*/1, /*experts=*/8,
                         /*tokensPerMicroBatch=*/2, /*microBatches=*/2);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_FALSE(bound->wraps());
  EXPECT_THAT(bound->set(/*layer=*/1, /*microBatch=*/1, /*token=*/0),
              ElementsAre(5));
  EXPECT_EQ(bound->numLayers(), 2);
  EXPECT_EQ(bound->numMicroBatches(), 2);
  EXPECT_EQ(bound->numTokensPerMicroBatch(), 2);
}

TEST(BoundRouting, WrapsWhereTheStepIsLonger) {
  Trace trace = makeTrace(3, 1, 1, 8, {5, 6, 7});
  absl::StatusOr<BoundRouting> bound =
      BoundRouting::bind(trace, 1, 1, 8, /*tokensPerMicroBatch=*/2, 2);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_TRUE(bound->wraps());
  EXPECT_THAT(bound->set(0, 1, 0), ElementsAre(7));
  EXPECT_THAT(bound->set(0, 1, 1), ElementsAre(5));
}

TEST(BoundRouting, OneLayerServesEvery) {
  Trace trace = makeTrace(1, 1, 1, 8, {5});
  trace.setSharedByLayers(true);
  absl::StatusOr<BoundRouting> bound =
      BoundRouting::bind(trace, /*layers=*/3, 1, 8, 1, 1);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->numLayers(), 3);
  EXPECT_THAT(bound->set(2, 0, 0), ElementsAre(5));
}

TEST(BoundRouting, RejectsATraceOfAnotherModel) {
  Trace trace = makeTrace(1, 2, 2, 4, {0, 1, 2, 3});
  expectInvalid(BoundRouting::bind(trace, 2, 3, 4, 1, 1), {"k = 2", "has 3"});
  expectInvalid(BoundRouting::bind(trace, 2, 2, 5, 1, 1),
                {"4 experts", "has 5"});
  expectInvalid(BoundRouting::bind(trace, 3, 2, 4, 1, 1),
                {"2 layers", "3 MoE layers"});
}

TEST(BoundRouting, RejectsAnEmptyTraceAndAnEmptyStep) {
  Trace trace = makeTrace(1, 1, 1, 4, {0});
  expectInvalid(BoundRouting::bind(Trace(), 1, 1, 4, 1, 1), {"empty"});
  expectInvalid(BoundRouting::bind(trace, 1, 1, 4, 0, 1), {"0 tokens"});
  expectInvalid(BoundRouting::bind(trace, 1, 1, 4, 1, -1), {"-1 micro"});
  expectInvalid(
      BoundRouting::bind(trace, 1, 1, 4, int64_t(1) << 40, int64_t(1) << 40),
      {"64-bit"});
}
