//===- ExportProgram.h - Programs as plain data -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TARGET_EXPORTPROGRAM_H
#define MOZART_TARGET_EXPORTPROGRAM_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Machine/MachineModel.h"

#include "mlir/IR/BuiltinOps.h"

namespace mozart {

/// A program and the machine that it is for.
struct ExportedProgram {
  Program program;
  MachineModel machine;
};

/// The plain form of a program that verifies. What routed buffers stand for is
/// followed from the dispatches that fill them. Reports what has no plain form
/// (a task in the middle of nowhere, a value that is never computed) and fails.
mlir::FailureOr<ExportedProgram> exportProgram(chiplet::ProgramOp program);

/// The one program of a module, or an error at the module.
mlir::FailureOr<chiplet::ProgramOp> findProgram(mlir::ModuleOp module);

} // namespace mozart

#endif // MOZART_TARGET_EXPORTPROGRAM_H
