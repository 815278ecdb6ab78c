//===- Estimate.h - About how long a program takes ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The latency of a program from the costs of its tasks, in time linear in the
// program: docs/simulation.md, "Estimate", has the model, docs/trust.md how far
// it is from the event engine.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_ESTIMATE_H
#define MOZART_SIM_ESTIMATE_H

#include "mozart/Sim/EventEngine.h"

#include "absl/status/statusor.h"

namespace mozart {

/// Estimates `program` on `machine`: fills in what `simulate` would find, but
/// for `loads`. Of `resources`, what bytes cross is exact, the time for which
/// engines are occupied is estimated. `events` counts steps, a measure of its
/// own time: tasks, and resources of transfers looked at. Fails as `simulate`
/// does.
absl::StatusOr<SimulationResult> estimate(const Program &program,
                                          const MachineModel &machine,
                                          const BoundRouting *routing);

/// The same of a program that has passed `verifyProgram`, under the routing of
/// `counter`, whose `check` has succeeded and which counts a routing once for
/// any number of questions.
absl::StatusOr<SimulationResult> estimate(const Program &program,
                                          const MachineModel &machine,
                                          RoutingCounter &counter);

} // namespace mozart

#endif // MOZART_SIM_ESTIMATE_H
