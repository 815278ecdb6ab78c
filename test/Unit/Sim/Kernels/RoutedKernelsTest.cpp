//===- RoutedKernelsTest.cpp ----------------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "gmock/gmock.h"

using namespace mozart;
using namespace mozart::test;
using testing::HasSubstr;

namespace {

/// Four tokens, three experts, two slots; token 2 is padding, expert 1 idle.
Value handRouting() {
  return routing(3, 2, {2, 0, 0, 2, -1, -1, 2, 0},
                 {0.5, 0.25, 1, 2, 0, 0, 4, 8});
}

KernelStep dispatchStep(int64_t rows, int64_t hidden, int64_t experts) {
  return step(
      KernelKind::Dispatch,
      {tensorType({rows, hidden}), tensorType({experts}, ElementType::Index)});
}

TEST(DispatchKernel, OrdersByExpertTokenSlotAndZeroesTheRest) {
  std::vector<Value> out = run(
      dispatchStep(8, 1, 3), {tensor({4, 1}, {10, 11, 12, 13}), handRouting()});
  EXPECT_EQ(out[0].elements,
            (std::vector<double>{10, 11, 13, 10, 11, 13, 0, 0}));
  EXPECT_EQ(out[1].elements, (std::vector<double>{3, 0, 3}));
}

TEST(DispatchKernel, TakesOneExpertTwiceForAToken) {
  std::vector<Value> out =
      run(dispatchStep(2, 1, 2),
          {tensor({1, 1}, {7}), routing(2, 2, {1, 1}, {0.5, 0.5})});
  EXPECT_EQ(out[0].elements, (std::vector<double>{7, 7}));
  EXPECT_EQ(out[1].elements, (std::vector<double>{0, 2}));
}

TEST(DispatchKernel, NoTokenAtAllIsOrdinary) {
  std::vector<Value> out =
      run(dispatchStep(0, 1, 2), {tensor({0, 1}, {}), routing(2, 2, {}, {})});
  EXPECT_EQ(out[1].elements, (std::vector<double>{0, 0}));
}

TEST(DispatchKernel, RejectsTooFewRowsAndUnknownExperts) {
  Value x = tensor({4, 1}, {10, 11, 12, 13});
  EXPECT_EQ(
      evaluate(dispatchStep(5, 1, 3), {x, handRouting()}).status().message(),
      "kernel 'dispatch': the routing has 6 pairs (token, expert); expected at "
      "most the 5 rows for them");
  Value wrong = handRouting();
  wrong.ids[3] = 3;
  EXPECT_EQ(
      evaluate(dispatchStep(8, 1, 3), {x, wrong}).status().message(),
      "kernel 'dispatch': token 1, slot 1 has expert 3; expected one of 3 "
      "experts, or -1 for an empty slot");
  wrong.ids[3] = -2;
  EXPECT_THAT(
      std::string(
          evaluate(dispatchStep(8, 1, 3), {x, wrong}).status().message()),
      HasSubstr("has expert -2"));
}

TEST(CombineKernel, WeighsAndAddsPerToken) {
  KernelStep combine = step(KernelKind::Combine, {tensorType({4, 1})});
  // Rows in order: (e0: t0, t1, t3), (e2: t0, t1, t3).
  Value rows = tensor({8, 1}, {1, 2, 3, 10, 20, 30, 99, 99});
  EXPECT_EQ(run(combine, {rows, handRouting()})[0].elements,
            (std::vector<double>{0.5 * 10 + 0.25 * 1, 1 * 2 + 2 * 20, 0,
                                 4 * 30 + 8 * 3}));
}

TEST(CombineKernel, AddsSlotsInAscendingOrder) {
  KernelStep combine = step(KernelKind::Combine, {tensorType({1, 1})});
  Value rows = tensor({3, 1}, {-0x1p24, 1, 0x1p24}); // of experts 0, 1, 2
  auto sum = [&](std::vector<int32_t> slots) {
    return run(combine, {rows, routing(3, 3, std::move(slots), {1, 1, 1})})[0]
        .elements[0];
  };
  EXPECT_EQ(sum({2, 1, 0}), 0); // 2^24 + 1 is 2^24 in f32
  EXPECT_EQ(sum({2, 0, 1}), 1);
}

// <dispatch x, y> = <x, combine y> where gates are one.
TEST(CombineKernel, IsTheTransposeOfDispatch) {
  Numbers numbers(5);
  const int64_t tokens = 6, slots = 3, experts = 5, hidden = 4;
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < tokens * slots; ++i)
    ids.push_back(static_cast<int32_t>(numbers.below(experts + 1)) - 1);
  Value r = routing(experts, slots, ids, std::vector<double>(tokens * slots, 1),
                    ElementType::F64);
  Value x = numbers.tensor({tokens, hidden}, ElementType::F64);
  Value y = numbers.tensor({tokens * slots, hidden}, ElementType::F64);
  KernelStep dispatch =
      step(KernelKind::Dispatch,
           {tensorType({tokens * slots, hidden}, ElementType::F64),
            tensorType({experts}, ElementType::Index)});
  KernelStep combine = step(KernelKind::Combine,
                            {tensorType({tokens, hidden}, ElementType::F64)});
  Value dx = run(dispatch, {x, r})[0], cy = run(combine, {y, r})[0];
  double left = 0, right = 0;
  for (size_t i = 0; i < dx.elements.size(); ++i)
    left += dx.elements[i] * y.elements[i];
  for (size_t i = 0; i < cy.elements.size(); ++i)
    right += x.elements[i] * cy.elements[i];
  EXPECT_NEAR(left, right, 1e-13);
  EXPECT_NE(left, 0);
}

TEST(ExpertsKernel, EachExpertWorksOnItsOwnRowsAndTheRestIsZero) {
  KernelStep experts = step(KernelKind::Experts, {tensorType({5, 1})});
  experts.ffn.activation = ActivationKind::Relu;
  experts.ffn.hasBias = true;
  Value rows = tensor({5, 1}, {1, 2, 3, 99, 99});
  Value counts = tensor({3}, {1, 0, 2}, ElementType::Index);
  std::vector<Value> inputs{rows,
                            counts,
                            tensor({3, 1, 1}, {1, 10, 100}),     // up
                            tensor({3, 1, 1}, {2, 3, 4}),        // down
                            tensor({3, 1}, {1, 2, 3}),           // up bias
                            tensor({3, 1}, {0.5, 0.25, 0.125})}; // down bias
  EXPECT_EQ(run(experts, inputs)[0].elements,
            (std::vector<double>{(1 + 1) * 2 + 0.5, (200 + 3) * 4 + 0.125,
                                 (300 + 3) * 4 + 0.125, 0, 0}));
}

TEST(ExpertsKernel, AgreesWithOneFfnPerRow) {
  Numbers numbers(9);
  const int64_t hidden = 3, inner = 5, experts = 4, rows = 7;
  for (ActivationKind kind : {ActivationKind::Swiglu, ActivationKind::Gelu}) {
    bool gated = kind == ActivationKind::Swiglu;
    std::vector<Value> weights;
    for (int i = 0; i < (gated ? 2 : 1); ++i)
      weights.push_back(numbers.tensor({experts, hidden, inner}));
    weights.push_back(numbers.tensor({experts, inner, hidden}));
    Value x = numbers.tensor({rows, hidden});
    std::vector<int64_t> expertOfRow{0, 0, 2, 3, 3, 3};
    std::vector<Value> inputs{
        x, tensor({experts}, {2, 0, 1, 3}, ElementType::Index)};
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    KernelStep all = step(KernelKind::Experts, {tensorType({rows, hidden})});
    all.ffn.activation = kind;
    Value y = run(all, inputs)[0];
    KernelStep one = step(KernelKind::Ffn, {tensorType({1, hidden})});
    one.ffn.activation = kind;
    for (size_t row = 0; row < expertOfRow.size(); ++row) {
      std::vector<Value> single{
          tensor({1, hidden}, {x.row(row), x.row(row) + hidden})};
      for (const Value &w : weights) {
        const double *begin =
            w.elements.data() + expertOfRow[row] * hidden * inner;
        single.push_back(
            tensor({w.dim(1), w.dim(2)}, {begin, begin + hidden * inner}));
      }
      EXPECT_EQ(run(one, single)[0].elements,
                std::vector<double>(y.row(row), y.row(row) + hidden));
    }
    EXPECT_EQ(y.row(6)[0], 0);
  }
}

TEST(ExpertsKernel, RejectsCountsThatDoNotFitTheRows) {
  KernelStep experts = step(KernelKind::Experts, {tensorType({2, 1})});
  experts.ffn.activation = ActivationKind::Relu;
  auto message = [&](std::vector<double> counts) {
    return std::string(
        evaluate(experts,
                 {tensor({2, 1}, {1, 2}),
                  tensor({2}, std::move(counts), ElementType::Index),
                  tensor({2, 1, 1}, {1, 1}), tensor({2, 1, 1}, {1, 1})})
            .status()
            .message());
  };
  EXPECT_EQ(message({1, 1}), "");
  EXPECT_EQ(message({1, 2}), "kernel 'experts': expert 1 has 2 rows; expected "
                             "between 0 and the 1 rows that are left");
  EXPECT_THAT(message({-1, 2}), HasSubstr("expert 0 has -1 rows"));
}

TEST(Values, ComeBackFromMemory) {
  Value r = handRouting();
  std::vector<uint8_t> bytes = encodeValue(r);
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), r.type.bytes());
  absl::StatusOr<Value> back = decodeValue(r.type, bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->ids, r.ids);
  EXPECT_EQ(back->elements, r.elements);
  bytes.pop_back();
  EXPECT_THAT(std::string(decodeValue(r.type, bytes).status().message()),
              HasSubstr("63 bytes; expected 64"));
}

TEST(Values, OfImpossibleTypesAreErrors) {
  EXPECT_FALSE(makeValue(tensorType({-1, 2})).ok());
  EXPECT_FALSE(
      makeValue(tensorType({int64_t(1) << 40, int64_t(1) << 40})).ok());
  EXPECT_FALSE(makeValue(routingType(1, 1, 1, ElementType::I32)).ok());
  EXPECT_FALSE(makeTensor(ElementType::F32, {2, 2}, {1, 2, 3}).ok());
  EXPECT_FALSE(makeTensor(ElementType::I32, {1}, {0.5}).ok());
}

} // namespace
