//===- Passes.h - Passes on machines -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_H
#define MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_H

#include "mozart/Dialect/Wafer/IR/Wafer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mozart::wafer {

#define GEN_PASS_DECL
#include "mozart/Dialect/Wafer/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mozart/Dialect/Wafer/Transforms/Passes.h.inc"

/// A machine that comes with the library: its name and its source.
struct MachinePreset {
  llvm::StringRef name;
  llvm::StringRef source;
};

/// The presets, by name.
llvm::ArrayRef<MachinePreset> getMachinePresets();

/// Resolves `machine` as wafer-load-machine does and returns the machine, which
/// is then in `module`. Fails with a diagnostic at the module (or in the file
/// named) that says what `machine` could have been.
mlir::FailureOr<MachineOp> loadMachine(mlir::ModuleOp module,
                                       llvm::StringRef machine);

} // namespace mozart::wafer

#endif // MOZART_DIALECT_WAFER_TRANSFORMS_PASSES_H
