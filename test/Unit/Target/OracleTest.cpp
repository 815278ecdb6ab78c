//===- OracleTest.cpp - Calls of the oracle -------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OracleTestSupport.h"

#include "mozart/Target/Oracle.h"

#include <cmath>

using namespace mozart;
using namespace mozart::test;

namespace {

TEST(OracleTest, ReturnsWhatIsPassedThrough) {
  auto module = parse(R"(
    func.func @f(%a: tensor<2x3xf32>, %b: tensor<2xi32>, %c: tensor<3xi1>,
                 %d: tensor<1xindex>, %e: tensor<f64>, %g: tensor<2xbf16>)
        -> (tensor<f64>, tensor<2x3xf32>, tensor<2xi32>, tensor<3xi1>,
            tensor<1xindex>, tensor<2xbf16>, tensor<2x3xf32>) {
      return %e, %a, %b, %c, %d, %g, %a
          : tensor<f64>, tensor<2x3xf32>, tensor<2xi32>, tensor<3xi1>,
            tensor<1xindex>, tensor<2xbf16>, tensor<2x3xf32>
    })");
  std::vector<Value> inputs = {tensor({2, 3}, {1, 2, 3, 4, 5, 6}),
                               tensor({2}, {-7, 8}, ElementType::I32),
                               tensor({3}, {1, 0, 1}, ElementType::I1),
                               tensor({1}, {1e15}, ElementType::Index),
                               tensor({}, {0.1}, ElementType::F64),
                               tensor({2}, {1.5, -2}, ElementType::BF16)};
  auto results = runOracle(*module, "f", inputs);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 7u);
  int order[] = {4, 0, 1, 2, 3, 5, 0};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ((*results)[i].elements, inputs[order[i]].elements) << i;
    EXPECT_EQ((*results)[i].type.shape, inputs[order[i]].type.shape) << i;
    EXPECT_EQ((*results)[i].type.element, inputs[order[i]].type.element) << i;
  }
}

TEST(OracleTest, KeepsRoutingsWhole) {
  auto module = parse(R"(
    func.func @f(%r: !moe.routing<2x2 of 3, f32>) -> (!moe.routing<2x2 of 3, f32>, tensor<2x2xi32>) {
      %ids, %weights = moe.unpack %r : (!moe.routing<2x2 of 3, f32>) -> (tensor<2x2xi32>, tensor<2x2xf32>)
      return %r, %ids : !moe.routing<2x2 of 3, f32>, tensor<2x2xi32>
    })");
  auto compiled = CompiledFunction::compile(*module, "f");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  Value routing;
  routing.type = compiled->argumentTypes()[0];
  routing.ids = {2, kPaddingId, 0, 1};
  routing.elements = {0.25, 0, 0.5, 0.75};
  for (int run = 0; run < 2; ++run) {
    auto results = compiled->run({routing});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0].ids, routing.ids);
    EXPECT_EQ((*results)[0].elements, routing.elements);
    EXPECT_EQ((*results)[0].type.experts, 3);
    EXPECT_EQ((*results)[1].elements, (std::vector<double>{2, -1, 0, 1}));
  }
}

TEST(OracleTest, ReadsExtentsThatTheRunYields) {
  auto module = parse(R"(
    func.func @f(%n: tensor<1xindex>) -> tensor<?x2xf32> {
      %zero = arith.constant 0 : index
      %extent = tensor.extract %n[%zero] : tensor<1xindex>
      %c = arith.constant 2.5 : f32
      %empty = tensor.empty(%extent) : tensor<?x2xf32>
      %filled = linalg.fill ins(%c : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
      return %filled : tensor<?x2xf32>
    })");
  auto results =
      runOracle(*module, "f", {tensor({1}, {3}, ElementType::Index)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].type.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ((*results)[0].elements, std::vector<double>(6, 2.5));
}

// One layer twice: as it is, and with tokens and experts left open.
TEST(OracleTest, OpenExtentsChangeNoNumber) {
  auto module = parse(R"(
    func.func @f(%x: tensor<5x3xf64>, %l: tensor<5x4xf64>, %p: tensor<5xi1>,
                 %g: tensor<4x3x6xf64>, %d: tensor<4x6x3xf64>) -> (tensor<5x3xf64>, tensor<5x3xf64>) {
      %r = moe.route %l padding %p <k = 2, score = softmax, groups = 2, kept_groups = 1> layer 0
        : (tensor<5x4xf64>, tensor<5xi1>) -> !moe.routing<5x2 of 4, f64>
      %rows, %counts = moe.dispatch %x by %r layer 0
        : (tensor<5x3xf64>, !moe.routing<5x2 of 4, f64>) -> (tensor<10x3xf64>, tensor<4xindex>)
      %e = moe.experts %rows counts %counts weights(%g, %g, %d) <activation = swiglu> layer 0
        : (tensor<10x3xf64>, tensor<4xindex>, tensor<4x3x6xf64>, tensor<4x3x6xf64>, tensor<4x6x3xf64>) -> tensor<10x3xf64>
      %y = moe.combine %e by %r layer 0 : (tensor<10x3xf64>, !moe.routing<5x2 of 4, f64>) -> tensor<5x3xf64>

      %xo = tensor.cast %x : tensor<5x3xf64> to tensor<?x3xf64>
      %lo = tensor.cast %l : tensor<5x4xf64> to tensor<?x4xf64>
      %po = tensor.cast %p : tensor<5xi1> to tensor<?xi1>
      %go = tensor.cast %g : tensor<4x3x6xf64> to tensor<?x3x6xf64>
      %do = tensor.cast %d : tensor<4x6x3xf64> to tensor<?x6x3xf64>
      %ro = moe.route %lo padding %po <k = 2, score = softmax, groups = 2, kept_groups = 1> layer 0
        : (tensor<?x4xf64>, tensor<?xi1>) -> !moe.routing<?x2 of 4, f64>
      %rowso, %c = moe.dispatch %xo by %ro layer 0
        : (tensor<?x3xf64>, !moe.routing<?x2 of 4, f64>) -> (tensor<?x3xf64>, tensor<4xindex>)
      %co = tensor.cast %c : tensor<4xindex> to tensor<?xindex>
      %eo = moe.experts %rowso counts %co weights(%go, %go, %do) <activation = swiglu> layer 0
        : (tensor<?x3xf64>, tensor<?xindex>, tensor<?x3x6xf64>, tensor<?x3x6xf64>, tensor<?x6x3xf64>) -> tensor<?x3xf64>
      %yo = moe.combine %eo by %ro layer 0 : (tensor<?x3xf64>, !moe.routing<?x2 of 4, f64>) -> tensor<?x3xf64>
      %z = tensor.cast %yo : tensor<?x3xf64> to tensor<5x3xf64>
      return %y, %z : tensor<5x3xf64>, tensor<5x3xf64>
    })");
  auto numbers = [](int64_t count, double seed) {
    std::vector<double> elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(std::sin(seed + static_cast<double>(i)));
    return elements;
  };
  constexpr ElementType type = ElementType::F64;
  auto results = runOracle(*module, "f",
                           {tensor({5, 3}, numbers(15, 1), type),
                            tensor({5, 4}, numbers(20, 2), type),
                            tensor({5}, {0, 0, 1, 0, 0}, ElementType::I1),
                            tensor({4, 3, 6}, numbers(72, 3), type),
                            tensor({4, 6, 3}, numbers(72, 4), type)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].elements, (*results)[1].elements);
  double size = 0;
  for (double element : (*results)[0].elements)
    size += std::abs(element);
  EXPECT_GT(size, 0.1) << "the layer computes something";
}

TEST(OracleTest, CallsFunctionsOfTheModule) {
  auto module = parse(R"(
    func.func private @twice(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %y = moe.add %x, %x : tensor<1x2xf32>
      return %y : tensor<1x2xf32>
    }
    func.func @unused(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
      return %x : tensor<?x2xf32>
    }
    func.func @f(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
      %y = call @twice(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>
      %z = call @twice(%y) : (tensor<1x2xf32>) -> tensor<1x2xf32>
      return %z : tensor<1x2xf32>
    })");
  std::string before;
  llvm::raw_string_ostream(before) << *module;
  auto results = runOracle(*module, "f", {tensor({1, 2}, {1.5, -1})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].elements, (std::vector<double>{6, -4}));
  std::string after;
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after) << "the module itself must not change";
}

TEST(OracleTest, TakesAModelAtEveryPhaseWithTensors) {
  std::vector<std::vector<double>> outputs;
  for (const char *phase : {"model", "placed", "routed"}) {
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(
        std::string(MOZART_SOURCE_DIR) + "/test/Phases/one-layer-" + phase +
            ".mlir",
        &context());
    ASSERT_TRUE(module);
    auto compiled = CompiledFunction::compile(*module, "forward");
    ASSERT_TRUE(compiled.ok()) << phase << ": " << compiled.status();
    std::vector<Value> inputs;
    double number = 0;
    for (const ValueType &type : compiled->argumentTypes()) {
      std::vector<double> elements;
      for (int64_t i = 0; i < type.elements(); ++i)
        elements.push_back(std::sin(number += 1));
      inputs.push_back(tensor(type.shape, elements));
    }
    auto results = compiled->run(inputs);
    ASSERT_TRUE(results.ok()) << results.status();
    outputs.push_back(results->front().elements);
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  // Sums are formed in another order.
  for (size_t i = 0; i < outputs[0].size(); ++i)
    EXPECT_NEAR(outputs[0][i], outputs[2][i], 1e-5) << i;
}

TEST(OracleTest, NamesAFunctionThatIsMissing) {
  auto module = parse("func.func private @declared()");
  for (const char *name : {"f", "declared"}) {
    auto results = runOracle(*module, name, {});
    EXPECT_EQ(results.status().code(), absl::StatusCode::kNotFound);
    EXPECT_NE(results.status().message().find(name), std::string::npos);
  }
}

TEST(OracleTest, RejectsTypesThatHaveNoPlainForm) {
  auto dynamic = parse("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { "
                       "return %x : tensor<?xf32> }");
  auto results = runOracle(*dynamic, "f", {});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(results.status().message().find("tensor<?xf32>"), std::string::npos)
      << results.status();
  auto scalar = parse("func.func @f(%x: f32) -> f32 { return %x : f32 }");
  EXPECT_EQ(runOracle(*scalar, "f", {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(OracleTest, RejectsInputsOfAnotherType) {
  auto module = parse("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { "
                      "return %x : tensor<2xf32> }");
  auto compiled = CompiledFunction::compile(*module, "f");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  Value shortOne = tensor({2}, {1, 2});
  shortOne.elements.pop_back();
  std::vector<std::vector<Value>> wrong = {
      {},
      {tensor({3}, {1, 2, 3})},
      {tensor({2}, {1, 2}, ElementType::F64)},
      {shortOne},
      {tensor({2}, {1, 2}), tensor({2}, {1, 2})}};
  for (const std::vector<Value> &inputs : wrong)
    EXPECT_EQ(compiled->run(inputs).status().code(),
              absl::StatusCode::kInvalidArgument);
}

TEST(OracleTest, HandsOnTheDiagnosticsOfALowering) {
  auto module = parse(R"(
    func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %d = tensor.cast %x : tensor<2x2xf32> to tensor<?x?xf32>
      %w = arith.constant dense<1.0> : tensor<2xf32>
      %v = tensor.cast %w : tensor<2xf32> to tensor<?xf32>
      %n = moe.norm rms %d, %v epsilon 0.0 : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
      %y = tensor.cast %n : tensor<?x?xf32> to tensor<2x2xf32>
      return %y : tensor<2x2xf32>
    })");
  auto results = runOracle(*module, "f", {tensor({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInternal);
  EXPECT_NE(results.status().message().find("'moe.norm' op cannot be lowered"),
            std::string::npos)
      << results.status();
}

} // namespace
