//===- Chiplet.h - The program dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_DIALECT_CHIPLET_IR_CHIPLET_H
#define MOZART_DIALECT_CHIPLET_IR_CHIPLET_H

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Sim/Program.h"

#include "mozart/Dialect/Chiplet/IR/ChipletDialect.h.inc"
#include "mozart/Dialect/Chiplet/IR/ChipletEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletTypes.h.inc"

#include "mozart/Dialect/Chiplet/IR/ChipletInterfaces.h.inc"

#define GET_OP_CLASSES
#include "mozart/Dialect/Chiplet/IR/ChipletOps.h.inc"

namespace mozart::chiplet {

/// The buffer that `value` is, or that it is a view of.
mlir::Value getRootBuffer(mlir::Value value);

/// Bytes of a buffer's contents. Buffers that verify have a size.
int64_t getBufferBytes(BufferType type);

} // namespace mozart::chiplet

#endif // MOZART_DIALECT_CHIPLET_IR_CHIPLET_H
