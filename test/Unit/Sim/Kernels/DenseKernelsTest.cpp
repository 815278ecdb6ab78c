//===- DenseKernelsTest.cpp -----------------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include <cmath>

using namespace mozart;
using namespace mozart::test;

namespace {

TEST(NormKernel, RmsByHand) {
  KernelStep norm =
      step(KernelKind::Norm, {tensorType({1, 2}, ElementType::F64)});
  norm.norm.epsilon = 0;
  std::vector<Value> y = run(norm, {tensor({1, 2}, {3, 4}, ElementType::F64),
                                    tensor({2}, {1, 2}, ElementType::F64)});
  EXPECT_DOUBLE_EQ(y[0].elements[0], 3 / std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(y[0].elements[1], 8 / std::sqrt(12.5));
  norm.norm.epsilon = 3.5; // 12.5 + 3.5 = 4^2
  y = run(norm, {tensor({1, 2}, {3, 4}, ElementType::F64),
                 tensor({2}, {1, 2}, ElementType::F64)});
  EXPECT_DOUBLE_EQ(y[0].elements[1], 2);
}

TEST(NormKernel, LayerByHand) {
  KernelStep norm = step(KernelKind::Norm, {tensorType({2, 2})});
  norm.norm.kind = NormKind::Layer;
  norm.norm.epsilon = 0;
  // Row (1, 3): mean 2, variance 1. Row (-2, 6): mean 2, variance 16.
  std::vector<Value> y =
      run(norm, {tensor({2, 2}, {1, 3, -2, 6}), tensor({2}, {2, 1}),
                 tensor({2}, {10, 20})});
  EXPECT_EQ(y[0].elements, (std::vector<double>{8, 21, 8, 21}));
}

TEST(AddKernel, AddsAndRoundsToTheResult) {
  KernelStep add =
      step(KernelKind::Add, {tensorType({1, 2}, ElementType::F16)});
  std::vector<Value> y =
      run(add, {tensor({1, 2}, {2048, 0.5}, ElementType::F16),
                tensor({1, 2}, {1, 0.25}, ElementType::F16)});
  EXPECT_EQ(y[0].elements, (std::vector<double>{2048, 0.75}));
}

TEST(LinearKernel, ByHandWithBias) {
  KernelStep linear = step(KernelKind::Linear, {tensorType({2, 2})});
  std::vector<Value> y = run(linear, {tensor({2, 3}, {1, 2, 3, 4, 5, 6}),
                                      tensor({3, 2}, {1, 0, 0, 1, 1, 1}),
                                      tensor({2}, {100, 200})});
  EXPECT_EQ(y[0].elements, (std::vector<double>{104, 205, 110, 211}));
}

// 2^24 + 1 is not an f32: what survives tells type and order of the additions.
TEST(LinearKernel, AddsInAscendingOrderInItsAccumulationType) {
  double big = 0x1p24;
  auto sum = [&](std::vector<double> terms, ElementType type) {
    KernelStep linear = step(KernelKind::Linear, {tensorType({1, 1}, type)});
    return run(linear, {tensor({1, 3}, std::move(terms), type),
                        tensor({3, 1}, {1, 1, 1}, type)})[0]
        .elements[0];
  };
  EXPECT_EQ(sum({big, 1, -big}, ElementType::F32), 0);
  EXPECT_EQ(sum({big, -big, 1}, ElementType::F32), 1);
  EXPECT_EQ(sum({big, 1, -big}, ElementType::F64), 1);
  // In f16, 2048 + 1 would be 2048 again.
  EXPECT_EQ(sum({2048, 1, 1}, ElementType::F16), 2050);
  EXPECT_EQ(sum({256, 1, 1}, ElementType::BF16), 258);
}

TEST(LinearKernel, ProductsAreNotRoundedBeforeTheyAreAdded) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a rounded product loses.
  double a = 1 + 0x1p-12;
  KernelStep linear = step(KernelKind::Linear, {tensorType({1, 1})});
  std::vector<Value> y = run(
      linear, {tensor({1, 2}, {1, a}), tensor({2, 1}, {-(1 + 0x1p-11), a})});
  EXPECT_EQ(y[0].elements[0], 0x1p-24);
}

class LinearTypes : public testing::TestWithParam<ElementType> {};

TEST_P(LinearTypes, MeetsTheBoundOfAnExactSum) {
  ElementType type = GetParam();
  Numbers numbers(11);
  const int64_t rows = 5, inner = 67, columns = 4;
  Value x = numbers.tensor({rows, inner}, type);
  Value w = numbers.tensor({inner, columns}, type);
  Value y = run(step(KernelKind::Linear, {tensorType({rows, columns}, type)}),
                {x, w})[0];
  std::vector<double> reference, terms;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      long double sum = 0, absolute = 0;
      for (int64_t d = 0; d < inner; ++d) {
        long double term = static_cast<long double>(x.elements[i * inner + d]) *
                           w.elements[d * columns + j];
        sum += term;
        absolute += std::fabs(term);
      }
      reference.push_back(static_cast<double>(sum));
      terms.push_back(static_cast<double>(absolute));
    }
  double eps = roundingUnit(type);
  EXPECT_TRUE(compareWithBound(y.elements, reference, terms, inner, eps).ok())
      << compareWithBound(y.elements, reference, terms, inner, eps);
  // The bound is one that a wrong element breaks.
  y.elements[7] += 9 * inner * eps * terms[7];
  EXPECT_FALSE(compareWithBound(y.elements, reference, terms, inner, eps).ok());
}

INSTANTIATE_TEST_SUITE_P(Types, LinearTypes,
                         testing::Values(ElementType::F16, ElementType::BF16,
                                         ElementType::F32, ElementType::F64));

TEST(RouterKernel, TakesNarrowOperandsToWideLogits) {
  KernelStep router = step(KernelKind::Router, {tensorType({1, 2})});
  std::vector<Value> y =
      run(router, {tensor({1, 2}, {2048, 1}, ElementType::F16),
                   tensor({2, 2}, {1, 2, 1, 3}, ElementType::F16),
                   tensor({2}, {0, 0.5})});
  EXPECT_EQ(y[0].elements, (std::vector<double>{2049, 4099.5}));
}

/// One row of one number through an FFN whose weights are single numbers.
double ffn(ActivationKind kind, double x, double gate, double up, double down) {
  KernelStep f = step(KernelKind::Ffn, {tensorType({1, 1}, ElementType::F64)});
  f.ffn.activation = kind;
  auto one = [](double v) { return tensor({1, 1}, {v}, ElementType::F64); };
  std::vector<Value> inputs{one(x), one(gate), one(up), one(down)};
  if (kind != ActivationKind::Swiglu && kind != ActivationKind::Geglu &&
      kind != ActivationKind::ClampedSwiglu)
    inputs.erase(inputs.begin() + 1);
  return run(f, inputs)[0].elements[0];
}

// Published values: logistic(1), the normal distribution function at 1, its
// tanh approximation.
TEST(FfnKernel, ActivationsByHand) {
  const double logistic1 = 0.7310585786300049, phi1 = 0.8413447460685429;
  EXPECT_NEAR(ffn(ActivationKind::Swiglu, 0.5, 2, 3, 5), logistic1 * 1.5 * 5,
              1e-14);
  EXPECT_NEAR(ffn(ActivationKind::Geglu, 0.5, 2, 3, 5), phi1 * 1.5 * 5, 1e-14);
  EXPECT_NEAR(ffn(ActivationKind::Silu, 0.5, 0, 2, 5), logistic1 * 5, 1e-14);
  EXPECT_NEAR(ffn(ActivationKind::Gelu, 0.5, 0, 2, 5), phi1 * 5, 1e-14);
  EXPECT_NEAR(ffn(ActivationKind::GeluTanh, 1, 0, 1, 1), 0.8411919906082768,
              1e-14);
  EXPECT_EQ(ffn(ActivationKind::Relu, 0.5, 0, 2, 5), 5);
  EXPECT_EQ(ffn(ActivationKind::Relu, 0.5, 0, -2, 5), 0);
}

TEST(FfnKernel, ClampedSwigluClampsGateAboveAndUpOnBothSides) {
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  EXPECT_NEAR(ffn(ActivationKind::ClampedSwiglu, 1, 10, -9, 2),
              7 * sigmoid(1.702 * 7) * (-7 + 1) * 2, 1e-13);
  EXPECT_NEAR(ffn(ActivationKind::ClampedSwiglu, 1, -10, 9, 2),
              -10 * sigmoid(-17.02) * (7 + 1) * 2, 1e-13);
}

TEST(FfnKernel, BiasesFollowInOrderAndTheOutputGateMultiplies) {
  KernelStep f = step(KernelKind::Ffn, {tensorType({1, 2}, ElementType::F64)});
  f.ffn.activation = ActivationKind::Relu;
  f.ffn.hasBias = true;
  auto t = [](std::vector<int64_t> shape, std::vector<double> v) {
    return tensor(std::move(shape), std::move(v), ElementType::F64);
  };
  // up: (1, 2) [[1], [1]] + 4 = 7; down: 7 (1, 2) + (10, 20).
  std::vector<Value> inputs{t({1, 2}, {1, 2}), t({2, 1}, {1, 1}),
                            t({1, 2}, {1, 2}), t({1}, {4}), t({2}, {10, 20})};
  EXPECT_EQ(run(f, inputs)[0].elements, (std::vector<double>{17, 34}));
  f.ffn.hasOutputGate = true;
  inputs.push_back(t({2, 1}, {3, -1.5})); // 3 - 3 = 0, whose logistic is 1/2
  EXPECT_EQ(run(f, inputs)[0].elements, (std::vector<double>{8.5, 17}));
}

TEST(CustomKernel, IsFoundByNameAndItsResultRounded) {
  KernelRegistry registry;
  CustomKernel doubleRows = [](const CustomParams &,
                               absl::Span<const Value *const> inputs,
                               absl::Span<Value> results) {
    for (size_t i = 0; i < results[0].elements.size(); ++i)
      results[0].elements[i] = 2 * inputs[0]->elements[i] + 0x1p-30;
    return absl::OkStatus();
  };
  ASSERT_TRUE(registry.add("double", doubleRows).ok());
  EXPECT_EQ(registry.add("double", doubleRows).code(),
            absl::StatusCode::kAlreadyExists);
  KernelStep custom = step(KernelKind::Custom, {tensorType({1, 2})});
  custom.custom.name = "double";
  absl::StatusOr<std::vector<Value>> y =
      evaluate(custom, {tensor({1, 2}, {1, 2})}, &registry);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ((*y)[0].elements, (std::vector<double>{2, 4}));

  custom.custom.name = "triple";
  y = evaluate(custom, {tensor({1, 2}, {1, 2})}, &registry);
  EXPECT_EQ(y.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(y.status().message(),
            "no kernel named 'triple' is registered (registered: double); add "
            "it to the KernelRegistry");
  EXPECT_EQ(evaluate(custom, {tensor({1, 2}, {1, 2})}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(CustomKernel, ResultsOfAnotherSizeOrTypeAreErrors) {
  KernelRegistry registry;
  ASSERT_TRUE(registry
                  .add("grows",
                       [](const CustomParams &, absl::Span<const Value *const>,
                          absl::Span<Value> results) {
                         results[0].elements.push_back(1);
                         return absl::OkStatus();
                       })
                  .ok());
  ASSERT_TRUE(registry
                  .add("halves",
                       [](const CustomParams &, absl::Span<const Value *const>,
                          absl::Span<Value> results) {
                         results[0].elements[0] = 0.5;
                         return absl::OkStatus();
                       })
                  .ok());
  KernelStep custom =
      step(KernelKind::Custom, {tensorType({1}, ElementType::Index)});
  custom.custom.name = "grows";
  EXPECT_EQ(evaluate(custom, {tensor({1}, {1})}, &registry).status().message(),
            "kernel 'custom': result 0 has 2 elements; expected those of "
            "tensor<1xindex>");
  custom.custom.name = "halves";
  EXPECT_EQ(evaluate(custom, {tensor({1}, {1})}, &registry).status().message(),
            "kernel 'custom': result 0 has element 0.5, which is no element of "
            "tensor<1xindex>");
}

TEST(ValueCompare, NamesTheWorstElement) {
  absl::Status status =
      compareWithBound({1, 2, 3.5}, {1, 2.25, 3}, {1, 1, 4}, 2, 0x1p-5);
  EXPECT_TRUE(status.ok()) << status; // bounds 1/4, 1/4, 1
  status = compareWithBound({1, 2, 4.5}, {1, 2.5, 3}, {1, 1, 4}, 2, 0x1p-5);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "element 1 is 2; expected 2.5 within 0.25 (4 x 2 "
                              "x 0.0312 x 1)");
  EXPECT_FALSE(compareWithBound({NAN}, {1}, {1}, 1, 1).ok());
  EXPECT_FALSE(compareWithBound({1}, {NAN}, {1}, 1, 1).ok());
  EXPECT_FALSE(compareWithBound({INFINITY}, {1}, {INFINITY}, 1, 1).ok());
  EXPECT_TRUE(
      compareWithBound({NAN, INFINITY}, {NAN, INFINITY}, {0, 0}, 1, 1).ok());
  EXPECT_FALSE(compareWithBound({1}, {1 + 0x1p-50}, {0}, 1, 1).ok());
  EXPECT_EQ(compareWithBound({1}, {1, 2}, {1}, 1, 1).code(),
            absl::StatusCode::kInvalidArgument);
}

} // namespace
