//===- CriticalPath.h - Why a program takes as long as it does ----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The critical path of a simulation: from the task that ended last back to the
// start, each task with the one whose end it waited for. The tasks follow one
// another without a gap, so their times add up to the latency, to the
// picosecond; and so do the causes into which each task's time is divided.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_CRITICALPATH_H
#define MOZART_SIM_CRITICALPATH_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

/// Time that is put down to one thing.
struct Cause {
  /// A resource's name, or "delays".
  std::string name;
  /// The resource's kind; "delay" for latencies, overheads and kernel starts.
  std::string kind;
  int64_t ps = 0;
};

/// What let a task start at the time at which it did.
enum class Hold {
  Start,  ///< the start of the program
  Wait,   ///< the end of a task that it waits for
  Engine, ///< the end of the task before it in an engine's queue
  Stage,  ///< the end of the stage below its own
};

/// "start", "wait", "engine", "stage".
const char *holdName(Hold hold);

struct PathTask {
  int32_t task = -1;
  Hold hold = Hold::Start;
  int32_t after = -1; ///< the task whose end it waited for
  Engine engine;      ///< if `hold` is Engine
  /// In time order; they add up to the task's duration.
  std::vector<Cause> causes;
};

struct CriticalPath {
  std::vector<PathTask> tasks; ///< in time order
  /// Sums over the path, largest first; they add up to the latency.
  std::vector<Cause> byResource, byKind;
};

/// The critical path of `result`, which `simulate` returned for the other
/// arguments with `recordLimits`. Where several tasks could be named, waits
/// come before engines, engines before stages, and lower tasks before higher
/// ones.
///
/// A kernel's time is put down to the arrays ("c3.compute") or to the SRAM that
/// feeds them ("c3.sram"): the one that would shorten it more if it were twice
/// as fast. A transfer's is put down to what held it back; on networks that do
/// not say (all but `flow`), to the resource that its bytes would fill longest,
/// once the delays of its messages are taken off.
absl::StatusOr<CriticalPath> criticalPath(const Program &program,
                                          const MachineModel &machine,
                                          RoutingCounter &counter,
                                          const SimulationResult &result);

} // namespace mozart

#endif // MOZART_SIM_CRITICALPATH_H
