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
  /// Estimates instead (mozart/Sim/Estimate.h), whatever the network. Has no
  /// critical path, so neither summary, explanation, tables nor graph of tasks.
  bool estimate = false;
  /// What `Simulated::text` holds: by default the report as JSON; else what is
  /// asked for, the summary first.
  bool summary = false, explain = false;
  // Files to write besides; empty: none. A name that is given twice is an
  // error.
  std::string timeline; ///< Perfetto JSON
  std::string report;   ///< the report as JSON, also where the text is another
  std::string csvDirectory; ///< made if missing
  std::string machineDot, taskDot;
  std::string chakraPrefix; ///< `<prefix>.<rank>.et`, one for each chiplet
};

struct Simulated {
  Report report; ///< with the explanation, if it was asked for
  std::string text;
};

/// Simulates the one program of `module`. Reports what is wrong with the
/// module, the trace or the program at its place and fails; warns where a trace
/// is shorter than the step or a memory holds more than its size.
mlir::FailureOr<Simulated> simulateModule(mlir::ModuleOp module,
                                          const SimulateOptions &options);

/// Registers `mozart-translate --simulate` and `--estimate`.
void registerSimulate();

} // namespace mozart

#endif // MOZART_TARGET_SIMULATE_H
