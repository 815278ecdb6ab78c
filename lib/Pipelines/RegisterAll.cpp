//===- RegisterAll.cpp - Everything that a tool registers -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/RegisterAll.h"

#include "mozart/Conversion/Passes.h"
#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Dialect/MoE/Transforms/Passes.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/NoP/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Pipelines/Compile.h"

void mozart::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<chiplet::ChipletDialect, moe::MoEDialect, nop::NoPDialect,
                  wafer::WaferDialect>();
}

void mozart::registerAllPasses() {
  registerCompilePipeline();
  registerMozartConversionPasses();
  chiplet::registerChipletPasses();
  moe::registerMoEPasses();
  nop::registerNoPPasses();
  wafer::registerWaferPasses();
}
