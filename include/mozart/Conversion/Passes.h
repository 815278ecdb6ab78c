//===- Passes.h - Conversions between dialects --------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_CONVERSION_PASSES_H
#define MOZART_CONVERSION_PASSES_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mozart {

#define GEN_PASS_DECL
#include "mozart/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mozart/Conversion/Passes.h.inc"

} // namespace mozart

#endif // MOZART_CONVERSION_PASSES_H
