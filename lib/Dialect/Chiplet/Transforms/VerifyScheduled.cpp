//===- VerifyScheduled.cpp - What phase 'scheduled' promises
//-----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Sim/CoverageChecks.h"
#include "mozart/Sim/MemoryOrder.h"
#include "mozart/Target/ExportProgram.h"

namespace mozart::chiplet {
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"
} // namespace mozart::chiplet

using namespace mozart;

static absl::Status checkStages(const Program &program) {
  int64_t stage = -1;
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    int64_t next = program.tasks[i].stage;
    if (next >= 0 && next < stage)
      return absl::FailedPreconditionError(
          "stage " + std::to_string(next) + " of " +
          describeTask(program, static_cast<int32_t>(i)) +
          " comes after stage " + std::to_string(stage) +
          ", expected stages that do not go down");
    stage = std::max(stage, next);
  }
  return absl::OkStatus();
}

static absl::Status check(const ExportedProgram &exported) {
  const Program &program = exported.program;
  if (absl::Status status = verifyCoverage(program); !status.ok())
    return status;
  if (absl::Status status = verifyOutputs(program); !status.ok())
    return status;
  if (absl::Status status = verifyAllocation(program, exported.machine);
      !status.ok())
    return status;
  if (absl::Status status = checkStages(program); !status.ok())
    return status;
  absl::StatusOr<TaskOrder> order = TaskOrder::create(program);
  if (!order.ok())
    return order.status();
  return verifyMemoryOrder(program, exported.machine, *order);
}

namespace {
struct VerifyScheduled
    : public chiplet::impl::VerifyScheduledBase<VerifyScheduled> {
  void runOnOperation() override {
    mlir::FailureOr<ExportedProgram> exported = exportProgram(getOperation());
    if (failed(exported))
      return signalPassFailure();
    if (absl::Status status = check(*exported); !status.ok()) {
      getOperation().emitOpError() << std::string(status.message());
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
