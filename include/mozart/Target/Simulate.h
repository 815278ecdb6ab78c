//===- Simulate.h - A program of the IR, in time -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_SIMULATE_H
#define MOZART_TARGET_SIMULATE_H

#include "mozart/Sim/EventEngine.h"
#include "proto/report.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace mozart {

struct SimulateOptions {
  /// Trace to run with; empty: the module's moe.profile, of an embedded one the
  /// evaluation draw.
  std::string routing;
  SimulationOptions simulation;
  /// Where to write the timeline (Perfetto JSON); empty: nowhere.
  std::string timeline;
};

/// Simulates the one program of `module`. Reports what is wrong with the
/// module, the trace or the program at its place and fails; warns where a trace
/// is shorter than the step or a memory holds more than its size.
mlir::FailureOr<Report> simulateModule(mlir::ModuleOp module,
                                       const SimulateOptions &options);

/// Registers `mozart-translate --simulate`.
void registerSimulate();

} // namespace mozart

#endif // MOZART_TARGET_SIMULATE_H
