//===- Passes.h - Passes on models --------------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_TRANSFORMS_PASSES_H
#define MOZART_DIALECT_MOE_TRANSFORMS_PASSES_H

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mozart::moe {

#define GEN_PASS_DECL
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"

} // namespace mozart::moe

#endif // MOZART_DIALECT_MOE_TRANSFORMS_PASSES_H
