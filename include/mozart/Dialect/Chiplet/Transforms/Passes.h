//===- Passes.h - Schedules and memory of programs ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_H
#define MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

#include "mlir/Pass/Pass.h"

namespace mozart::chiplet {

#define GEN_PASS_DECL
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"

} // namespace mozart::chiplet

#endif // MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_H
