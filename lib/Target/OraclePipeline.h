//===- OraclePipeline.h - From linalg to the LLVM dialect ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_TARGET_ORACLEPIPELINE_H
#define MOZART_LIB_TARGET_ORACLEPIPELINE_H

#include "mlir/IR/BuiltinOps.h"

namespace mozart {

/// Functions that the lowered module calls for memory: (size_t) -> void *, and
/// (void *) -> void.
inline constexpr const char kOracleAllocate[] = "_mlir_memref_to_llvm_alloc";
inline constexpr const char kOracleFree[] = "_mlir_memref_to_llvm_free";

/// Lets `context` know every dialect and interface that the pipeline needs.
void loadOracleDialects(mlir::MLIRContext &context);

/// Lowers models, placed or routed, to the LLVM dialect, in place. Functions
/// keep their names and get C interfaces with identity layouts.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module);

} // namespace mozart

#endif // MOZART_LIB_TARGET_ORACLEPIPELINE_H
