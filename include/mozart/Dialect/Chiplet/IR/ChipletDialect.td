//===- ChipletDialect.td - The program dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_IR_CHIPLETDIALECT_TD
#define MOZART_DIALECT_CHIPLET_IR_CHIPLETDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Chiplet_Dialect : Dialect {
  let name = "chiplet";
  let cppNamespace = "::mozart::chiplet";
  let summary = "Programs: buffers in memories, tasks on engines, events between them";
  let description = [{
    A `chiplet.program` is a straight line of ops. Tasks yield an event and may wait
    for events of earlier tasks. Each engine (the arrays, the DMA engine, the sending and
    receiving port of a chiplet, the controller of a memory) starts its tasks in the
    order in which they are written; a task that needs several engines starts when it is
    the next of all of them. Since events are SSA values, no program can wait in a
    circle.

    A scheduled program differs from an unscheduled one by the order of its tasks, by
    `stage`s (a task of a stage starts when all tasks of lower stages have ended), by
    the offsets of its buffers, and by waits that guard the reuse of bytes. Two
    accesses to the same byte of which one writes must be ordered by waits, engine order and
    stages, whatever the durations. How long a task takes depends on the routing, so
    start times are only in reports.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mozart::moe::MoEDialect"];
}

#endif // MOZART_DIALECT_CHIPLET_IR_CHIPLETDIALECT_TD
