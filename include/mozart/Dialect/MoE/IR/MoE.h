//===- MoE.h - The model dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_DIALECT_MOE_IR_MOE_H
#define MOZART_DIALECT_MOE_IR_MOE_H

#include "mozart/Sim/Kernels.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
#include <vector>

namespace mozart::moe::detail {
mlir::FailureOr<llvm::APFloat> parseDouble(mlir::AsmParser &parser);
void printDouble(mlir::AsmPrinter &printer, const llvm::APFloat &value);
} // namespace mozart::moe::detail

#include "mozart/Dialect/MoE/IR/MoEEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/MoE/IR/MoEAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/MoE/IR/MoETypes.h.inc"

#include "mozart/Dialect/MoE/IR/MoEDialect.h.inc"

#include "mozart/Dialect/MoE/IR/MoEInterfaces.h.inc"

#define GET_OP_CLASSES
#include "mozart/Dialect/MoE/IR/MoEOps.h.inc"

namespace mozart::moe {

/// The plain form of a rotary embedding; style None for a null attribute.
RopeParams getRopeParams(RopeAttr rope);

/// The plain form of an element type, or nothing where kernels have none.
std::optional<ElementType> findElementType(mlir::Type type);

/// The plain form of a tensor or routing type with static shape, or failure
/// with a diagnostic at `loc` that says what is unsupported.
mlir::FailureOr<ValueType> getValueType(mlir::Location loc, mlir::Type type);

} // namespace mozart::moe

#endif // MOZART_DIALECT_MOE_IR_MOE_H
