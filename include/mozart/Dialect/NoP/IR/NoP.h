//===- NoP.h - The network dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_DIALECT_NOP_IR_NOP_H
#define MOZART_DIALECT_NOP_IR_NOP_H

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mozart/Dialect/NoP/IR/NoPDialect.h.inc"
#include "mozart/Dialect/NoP/IR/NoPEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/NoP/IR/NoPAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/NoP/IR/NoPTypes.h.inc"

#define GET_OP_CLASSES
#include "mozart/Dialect/NoP/IR/NoPOps.h.inc"

namespace mozart::nop {

/// What a value of local type `type` is on a node with `experts` experts: every
/// dynamic extent becomes that number.
mlir::Type instantiate(mlir::Type type, int64_t experts);

/// Rows of capacity of a scatter: tokens times the lower of k and the most
/// experts that one node holds, which no token can exceed. Failure on overflow.
mlir::FailureOr<int64_t> getScatterRows(moe::RoutingType routing,
                                        moe::PlacementAttr placement);

/// Checks that every node of `placement` is a chiplet of its machine that hosts
/// experts and that `root`, where given, hosts attention. Reports at `op`.
mlir::LogicalResult
verifyPlacementOnMachine(mlir::Operation *op, moe::PlacementAttr placement,
                         std::optional<int64_t> root = std::nullopt);

} // namespace mozart::nop

#endif // MOZART_DIALECT_NOP_IR_NOP_H
