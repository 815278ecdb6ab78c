//===- OracleTestSupport.h - Modules and values for tests ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_TARGET_ORACLETESTSUPPORT_H
#define MOZART_TEST_UNIT_TARGET_ORACLETESTSUPPORT_H

#include "mozart/Pipelines/RegisterAll.h"
#include "mozart/Sim/KernelEval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace mozart::test {

/// One context for all tests of a process: making one takes longer than most
/// tests.
inline mlir::MLIRContext &context() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
    return new mlir::MLIRContext(registry,
                                 mlir::MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

inline mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &source) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context());
  EXPECT_TRUE(module) << source;
  return module;
}

inline Value tensor(std::vector<int64_t> shape, std::vector<double> elements,
                    ElementType element = ElementType::F32) {
  absl::StatusOr<Value> value =
      makeTensor(element, std::move(shape), std::move(elements));
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : Value();
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_TARGET_ORACLETESTSUPPORT_H
