//===- TypesTest.cpp - Sizes of element and value types -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Kernels.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mozart;

namespace {

TEST(ValueTypes, TensorBytes) {
  ValueType type;
  type.element = ElementType::BF16;
  type.shape = {3, 5};
  EXPECT_EQ(type.elements(), 15);
  EXPECT_EQ(type.bytes(), 30);
  EXPECT_EQ(type.rows(), 3);
  type.element = ElementType::Index;
  EXPECT_EQ(type.bytes(), 120);
  type.element = ElementType::I1;
  EXPECT_EQ(type.bytes(), 15);
  type.shape = {};
  EXPECT_EQ(type.elements(), 1);
}

TEST(ValueTypes, RoutingIsIdsAndGateWeights) {
  ValueType type;
  type.kind = ValueType::Kind::Routing;
  type.shape = {7, 2};
  type.element = ElementType::F16;
  EXPECT_EQ(type.bytes(), 7 * 2 * (4 + 2));
}

TEST(ValueTypes, SizesSaturate) {
  ValueType type;
  type.shape = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(type.elements(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(type.bytes(), std::numeric_limits<int64_t>::max());
  type.shape = {int64_t(1) << 40, int64_t(1) << 40, 0};
  EXPECT_EQ(type.bytes(), 0);
}

} // namespace
