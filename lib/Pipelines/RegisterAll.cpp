//===- RegisterAll.cpp - Everything that a tool registers -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/RegisterAll.h"

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"

void mozart::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<moe::MoEDialect, wafer::WaferDialect>();
}

void mozart::registerAllPasses() {}
