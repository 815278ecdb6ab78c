//===- VerifyProgram.cpp - What phase 'program' promises
//-----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Sim/CoverageChecks.h"
#include "mozart/Target/ExportProgram.h"

namespace mozart::chiplet {
#define GEN_PASS_DEF_VERIFYPROGRAM
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"
} // namespace mozart::chiplet

using namespace mozart;

static absl::Status check(const Program &program) {
  absl::Status status = verifyCoverage(program);
  return status.ok() ? verifyOutputs(program) : status;
}

namespace {
struct VerifyProgram : public chiplet::impl::VerifyProgramBase<VerifyProgram> {
  void runOnOperation() override {
    mlir::FailureOr<ExportedProgram> exported = exportProgram(getOperation());
    if (failed(exported))
      return signalPassFailure();
    if (absl::Status status = check(exported->program); !status.ok()) {
      getOperation().emitOpError() << std::string(status.message());
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
