//===- Passes.h - Passes on exchanges -----------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_NOP_TRANSFORMS_PASSES_H
#define MOZART_DIALECT_NOP_TRANSFORMS_PASSES_H

#include "mozart/Dialect/NoP/IR/NoP.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mozart::nop {

#define GEN_PASS_DECL
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"

} // namespace mozart::nop

#endif // MOZART_DIALECT_NOP_TRANSFORMS_PASSES_H
