//===- Wafer.h - The machine dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_DIALECT_WAFER_IR_WAFER_H
#define MOZART_DIALECT_WAFER_IR_WAFER_H

#include "mozart/Machine/MachineModel.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "mozart/Dialect/Wafer/IR/WaferDialect.h.inc"
#include "mozart/Dialect/Wafer/IR/WaferEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/Wafer/IR/WaferAttrs.h.inc"

#define GET_OP_CLASSES
#include "mozart/Dialect/Wafer/IR/WaferOps.h.inc"

namespace mozart::wafer {

/// The facts of a verified machine as plain data.
MachineFacts getMachineFacts(MachineOp machine);

/// The model of a verified machine. Only a machine that did not verify has
/// none.
MachineModel getMachineModel(MachineOp machine);

/// The machine that `symbol` names in the symbol tables around `from`. Reports
/// at `from`, naming the symbol, and returns null when there is none.
MachineOp lookupMachine(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol);

} // namespace mozart::wafer

#endif // MOZART_DIALECT_WAFER_IR_WAFER_H
