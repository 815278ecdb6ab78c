//===- MoETest.cpp - Model types and attributes from C++ ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What text cannot say, but a builder can.
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <cstdint>

using namespace mlir;
using namespace mozart::moe;

namespace {

class MoETest : public testing::Test {
protected:
  MoETest() { context.loadDialect<MoEDialect>(); }

  /// The errors of `make`.
  template <typename Function> std::string errorsOf(Function make) {
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
    make([&] { return emitError(UnknownLoc::get(&context)); });
    return errors;
  }

  std::string placementErrors(std::vector<int64_t> nodes,
                              std::vector<int64_t> replicas) {
    return errorsOf([&](auto emit) {
      PlacementAttr::getChecked(
          emit, &context, FlatSymbolRefAttr::get(&context, "m"),
          llvm::ArrayRef<int64_t>(nodes), llvm::ArrayRef<int64_t>(replicas));
    });
  }

  std::string routingErrors(int64_t tokens, int64_t k, int64_t experts) {
    return errorsOf([&](auto emit) {
      RoutingType::getChecked(emit, &context, tokens, k, experts,
                              FloatType(Float32Type::get(&context)),
                              /*local=*/false);
    });
  }

  MLIRContext context;
};

TEST_F(MoETest, PlacementsHoldAsManyNodesAsReplicas) {
  EXPECT_EQ(placementErrors({2, 3, 4}, {1, 2}), "");
  EXPECT_EQ(placementErrors({2, 3}, {1, 2}),
            "has 2 nodes for 3 replicas, expected as many");
  EXPECT_EQ(placementErrors({2, 3, 4}, {1}),
            "has 3 nodes for 1 replicas, expected as many");
  EXPECT_EQ(placementErrors({2}, {1, 0}),
            "expert 1 is on no node, expected at least one");
  EXPECT_EQ(placementErrors({2}, {2, -1}),
            "expert 1 is on no node, expected at least one");
  EXPECT_NE(placementErrors({2}, {INT64_MAX, INT64_MAX}), "");
}

TEST_F(MoETest, RoutingsHaveNoNegativeExtents) {
  EXPECT_EQ(routingErrors(0, 1, 1), "");
  EXPECT_EQ(routingErrors(-1, 1, 1),
            "a routing of -1 tokens, expected at least 0");
  EXPECT_EQ(routingErrors(-7, 2, 3),
            "a routing of -7 tokens, expected at least 0");
  EXPECT_EQ(routingErrors(1, -1, 1), "k is -1, expected at least 1");
}

TEST_F(MoETest, PlacementsListTheExpertsOfEachNode) {
  auto placement = PlacementAttr::get(
      &context, FlatSymbolRefAttr::get(&context, "m"),
      llvm::ArrayRef<std::vector<int64_t>>{{4}, {2}, {2, 4}});
  EXPECT_EQ(placement.getNumExperts(), 3);
  EXPECT_FALSE(placement.isPartition());
  EXPECT_EQ(placement.getNodesOf(),
            (std::vector<std::vector<int64_t>>{{4}, {2}, {2, 4}}));
  EXPECT_EQ(placement.getExpertsOf(), (std::map<int64_t, std::vector<int64_t>>{
                                          {2, {1, 2}}, {4, {0, 2}}}));
}

} // namespace
