//===- WidenElementsTest.cpp - Models in double precision -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OracleTestSupport.h"

#include "mozart/Target/Oracle.h"
#include "mozart/Target/WidenElements.h"

using namespace mozart;
using namespace mozart::test;

namespace {

// 1 + 2^-11 lies between two numbers of f16 and is not one of f16: in f16 the
// sum is 1, so that what is left of it is 0.
constexpr const char *kSum = R"(
  func.func @f(%a: tensor<1x1xf16>, %b: tensor<1x1xf16>) -> tensor<1x1xf16> {
    %minus = arith.constant dense<-1.0> : tensor<1x1xf16>
    %s = moe.add %a, %b : tensor<1x1xf16>
    %y = moe.add %s, %minus : tensor<1x1xf16>
    return %y : tensor<1x1xf16>
  })";

TEST(WidenElementsTest, KeepsWhatNarrowElementsRoundAway) {
  auto module = parse(kSum);
  auto wide = widenElements(*module);
  ASSERT_TRUE(succeeded(wide));
  auto run = [](mlir::ModuleOp module, ElementType type) {
    auto results =
        runOracle(module, "f",
                  {tensor({1, 1}, {1}, type), tensor({1, 1}, {0x1p-11}, type)});
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? results->front() : Value();
  };
  EXPECT_EQ(run(*module, ElementType::F16).elements, std::vector<double>{0});
  Value result = run(**wide, ElementType::F64);
  EXPECT_EQ(result.type.element, ElementType::F64);
  EXPECT_EQ(result.elements, std::vector<double>{0x1p-11});
}

TEST(WidenElementsTest, ReachesRoutingsBodiesAndConstants) {
  auto module = parse(R"(
    func.func @f(%l: tensor<2x3xf32>, %x: tensor<2x1xbf16>) -> (!moe.routing<2x1 of 3, f32>, tensor<2x1xbf16>) {
      %r = moe.route %l <k = 1, score = softmax> layer 0 : (tensor<2x3xf32>) -> !moe.routing<2x1 of 3, f32>
      %rows, %counts = moe.dispatch %x by %r layer 0
        : (tensor<2x1xbf16>, !moe.routing<2x1 of 3, f32>) -> (tensor<2x1xbf16>, tensor<3xindex>)
      %e = moe.custom_experts "quarter" %rows counts %counts weights() layer 0
          : (tensor<2x1xbf16>, tensor<3xindex>) -> tensor<2x1xbf16> {
        ^bb0(%a: tensor<?x1xbf16>):
          %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
              outs(%a : tensor<?x1xbf16>) {
            ^bb0(%in: bf16):
              %quarter = arith.constant 0.25 : f32
              %w = arith.extf %in : bf16 to f32
              %p = arith.mulf %w, %quarter : f32
              %n = arith.truncf %p : f32 to bf16
              linalg.yield %n : bf16
          } -> tensor<?x1xbf16>
          moe.yield %s : tensor<?x1xbf16>
      }
      %y = moe.combine %e by %r layer 0 : (tensor<2x1xbf16>, !moe.routing<2x1 of 3, f32>) -> tensor<2x1xbf16>
      return %r, %y : !moe.routing<2x1 of 3, f32>, tensor<2x1xbf16>
    })");
  auto wide = widenElements(*module);
  ASSERT_TRUE(succeeded(wide));
  std::string text;
  llvm::raw_string_ostream(text) << **wide;
  for (const char *narrow : {"f32", "f16", "extf", "truncf"})
    EXPECT_EQ(text.find(narrow), std::string::npos) << text;
  // Equal logits: each gate weight is 1/3, and the expert makes x / 4.
  auto results =
      runOracle(**wide, "f",
                {tensor({2, 3}, {0, 0, 0, 0, 0, 0}, ElementType::F64),
                 tensor({2, 1}, {6, 12}, ElementType::F64)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].ids, (std::vector<int32_t>{0, 0}));
  EXPECT_DOUBLE_EQ((*results)[1].elements[0], 0.5);
  EXPECT_DOUBLE_EQ((*results)[1].elements[1], 1.0);
}

TEST(WidenElementsTest, RejectsWhatHasNoWideForm) {
  mlir::ScopedDiagnosticHandler quiet(
      &context(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto bits = parse(R"(
    func.func @f(%a: f16) -> i16 {
      %b = arith.bitcast %a : f16 to i16
      return %b : i16
    })");
  EXPECT_TRUE(failed(widenElements(*bits)));
  auto resource = parse(R"(
    func.func @f() -> tensor<1xf32> {
      %a = arith.constant dense_resource<blob> : tensor<1xf32>
      return %a : tensor<1xf32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000000803F" } } #-})");
  EXPECT_TRUE(failed(widenElements(*resource)));
}

} // namespace
