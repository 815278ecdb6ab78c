//===- ChipletInterfaces.td - What schedulers ask of tasks -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_IR_CHIPLETINTERFACES_TD
#define MOZART_DIALECT_CHIPLET_IR_CHIPLETINTERFACES_TD

include "mlir/IR/OpBase.td"

def TaskOpInterface : OpInterface<"TaskOpInterface"> {
  let cppNamespace = "::mozart::chiplet";
  let description = [{
    An op that occupies engines for a time, reads and writes buffers and yields an event.
  }];
  let methods = [
    InterfaceMethod<"Engines that it occupies, in ascending order.",
      "::llvm::SmallVector<::mozart::Engine>", "getEngines">,
    InterfaceMethod<"Buffers that it reads, in the order of its operands.",
      "::mlir::OperandRange", "getReads">,
    InterfaceMethod<"Buffers that it writes.", "::mlir::OperandRange", "getWrites">,
    InterfaceMethod<"Events that it waits for.", "::mlir::OperandRange", "getWaits">,
    InterfaceMethod<"The waits, to be changed.", "::mlir::MutableOperandRange",
      "getWaitsMutable">,
    InterfaceMethod<"Its end.", "::mlir::TypedValue<::mozart::chiplet::EventType>",
      "getEvent">,
    InterfaceMethod<"The stage, if it has one.", "::mlir::IntegerAttr", "getStageAttr">,
    InterfaceMethod<"Sets the stage.", "void", "setStageAttr",
      (ins "::mlir::IntegerAttr":$stage)>,
    InterfaceMethod<"A name for reports.", "::llvm::StringRef", "getName">];
}

#endif // MOZART_DIALECT_CHIPLET_IR_CHIPLETINTERFACES_TD
