//===- Passes.td - Schedules and memory of programs -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_TD
#define MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChipletScheduleSerial
    : Pass<"chiplet-schedule-serial", "::mozart::chiplet::ProgramOp"> {
  let summary = "One kind of work at a time";
  let description = [{
    Gives every task a stage. A stage is a run of tasks of one kind in the order of the
    program: moves between memories, computation, or one exchange. So loads of different
    memories go on at once, and so do the experts of different chiplets, but loads,
    computation and communication never do. This is the paper's baseline.
  }];
}

def ChipletScheduleOverlap
    : Pass<"chiplet-schedule-overlap", "::mozart::chiplet::ProgramOp"> {
  let summary = "Load the weights of the next block while one computes";
  let description = [{
    Moves the weight loads of each block in front of the tasks of the block before, on
    every chiplet whose SRAM has room for both, and orders the loads of one memory by the
    load of their chiplets, heaviest first, as the paper does. There are no stages: a
    task starts when its data is there and its engines are free. Where there is no
    room, a missed-remark names the chiplet and the bytes.
  }];
  let options = [
    Option<"profile", "profile", "std::string", /*default=*/"",
           "Routing trace that says which chiplets are heavy; without it, the module's "
           "moe.profile">];
}

def ChipletAllocateBuffers
    : Pass<"chiplet-allocate-buffers", "::mozart::chiplet::ProgramOp"> {
  let summary = "Give every buffer an offset, and guard the reuse of bytes";
  let description = [{
    Buffers live from the first to the last task that names them, in the order of the
    program. Those that loads fill are packed from the bottom of an SRAM upwards, all
    others from the top downwards. A task that writes where an earlier buffer was waits
    for the tasks that used that one, unless it comes after them anyway. Buffers in a
    DRAM do not share bytes. An SRAM that is too small is an error that names the
    chiplet, the bytes needed and those it has; so is a DRAM unless it is elastic.
  }];
}

def VerifyProgram
    : Pass<"mozart-verify-program", "::mozart::chiplet::ProgramOp"> {
  let summary = "Check what phase `program` promises";
  let description = [{
    Proves from the program alone, whatever the routing: every MoE layer and
    micro-batch sends each of its tokens out once; the peers of an exchange have each
    expert once, and compute with the weights of just those; what they compute comes
    back to the same tokens; every micro-batch has its results.
  }];
}

def VerifyScheduled
    : Pass<"mozart-verify-scheduled", "::mozart::chiplet::ProgramOp"> {
  let summary = "Check what phase `scheduled` promises";
  let description = [{
    Proves from the program alone, whatever the durations: every buffer has an offset
    and lies within its memory; of two tasks that touch a byte of which one writes it,
    one comes before the other by waits, engine order or stages; stages do not go
    down; and all that `mozart-verify-program` checks. Since a program is a straight line and
    an engine starts its tasks in order, no wait can be circular, and exchanges happen in
    the same order everywhere.
  }];
}

#endif // MOZART_DIALECT_CHIPLET_TRANSFORMS_PASSES_TD
