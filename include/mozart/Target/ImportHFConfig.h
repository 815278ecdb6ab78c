//===- ImportHFConfig.h - Hugging Face configurations to models -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_IMPORTHFCONFIG_H
#define MOZART_TARGET_IMPORTHFCONFIG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace mozart {

/// What a `config.json` does not say. The defaults are the step of the paper.
struct HFImportOptions {
  /// Sequences of a step, over all its micro-batches.
  int64_t sequences = 32;
  /// Tokens of a sequence.
  int64_t sequenceLength = 256;
  /// Micro-batches of a step; divides `sequences`.
  int64_t microBatches = 4;
  /// f16, bf16, f32, f64, or "config": what the configuration names as its
  /// dtype.
  std::string elementType = "f16";
  /// Name of the model; empty: that of the published model with these sizes,
  /// else the configuration's `model_type`.
  std::string name;
};

/// Builds the module that a Hugging Face `config.json` describes: a function
/// `forward` over one micro-batch, from embedded tokens to the final norm, with
/// its layers unrolled and its weights as arguments. Embedding and LM head are
/// left out. Where routing of this model comes with the library, the module
/// names it as its profile.
///
/// Returns null after a diagnostic at the key in `config` that is missing,
/// wrong, at odds with another, or asks for what the moe dialect cannot say.
mlir::OwningOpRef<mlir::ModuleOp>
importHFConfig(llvm::MemoryBufferRef config, mlir::MLIRContext *context,
               const HFImportOptions &options);

/// Prints an imported module with the weights' names, which only the locations
/// of arguments hold.
void printImported(mlir::ModuleOp module, llvm::raw_ostream &output);

/// Registers `--import-hf-config` and its options.
void registerImportHFConfig();

} // namespace mozart

#endif // MOZART_TARGET_IMPORTHFCONFIG_H
