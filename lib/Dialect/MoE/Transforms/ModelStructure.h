//===- ModelStructure.h - What every unrouted model promises ------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_DIALECT_MOE_TRANSFORMS_MODELSTRUCTURE_H
#define MOZART_LIB_DIALECT_MOE_TRANSFORMS_MODELSTRUCTURE_H

#include "mozart/Dialect/MoE/Transforms/Layers.h"

namespace mozart::moe {

/// Checks what mozart-verify-model describes and returns the layers of the
/// model.
mlir::FailureOr<llvm::SmallVector<Layer>>
verifyModelStructure(mlir::ModuleOp module);

} // namespace mozart::moe

#endif // MOZART_LIB_DIALECT_MOE_TRANSFORMS_MODELSTRUCTURE_H
