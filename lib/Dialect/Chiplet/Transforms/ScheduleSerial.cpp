//===- ScheduleSerial.cpp - One kind of work at a time --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"

namespace mozart::chiplet {
#define GEN_PASS_DEF_CHIPLETSCHEDULESERIAL
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"
} // namespace mozart::chiplet

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

namespace {

enum class Work { Move, Compute, Exchange };

Work workOf(Operation *task) {
  if (isa<LoadOp, StoreOp>(task))
    return Work::Move;
  return isa<ComputeOp>(task) ? Work::Compute : Work::Exchange;
}

struct ChipletScheduleSerial
    : public chiplet::impl::ChipletScheduleSerialBase<ChipletScheduleSerial> {
  void runOnOperation() override {
    Builder builder(&getContext());
    int64_t stage = -1;
    Operation *last = nullptr;
    for (auto task : getOperation().getBody().getOps<TaskOpInterface>()) {
      // Two exchanges are two stages: each is a step of its own.
      if (!last || workOf(task) != workOf(last) ||
          workOf(task) == Work::Exchange)
        ++stage;
      task.setStageAttr(builder.getI64IntegerAttr(stage));
      last = task;
    }
  }
};

} // namespace
