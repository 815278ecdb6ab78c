//===- mozart-plugin.cpp - Dialects and passes for stock tools -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MozartPlugin.so brings the dialects and passes of this project into any
// mlir-opt of the same LLVM release:
//
//   mlir-opt in.mlir --pass-pipeline='builtin.module(convert-moe-to-linalg)'
//            --load-dialect-plugin=MozartPlugin.so
//            --load-pass-plugin=MozartPlugin.so
//
// Passes of a plugin are named in --pass-pipeline; they come too late to be
// options. mozart-opt holds all of this itself and must not load it as well.
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/RegisterAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

/// What mlir-opt asks of --load-dialect-plugin.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mozart", MOZART_VERSION,
          [](mlir::DialectRegistry *registry) {
            mozart::registerAllDialects(*registry);
          }};
}

/// What mlir-opt asks of --load-pass-plugin.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mozart", MOZART_VERSION,
          [] { mozart::registerAllPasses(); }};
}
