//===- Report.h - What a simulation found -------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_REPORT_H
#define MOZART_SIM_REPORT_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Routing/Trace.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"
#include "proto/report.pb.h"

#include "absl/status/statusor.h"

#include <string>

namespace mozart {

/// The report on `result`, which `simulate` returned for the other arguments.
/// `counter` is the one that it has counted with, or another of its routing.
/// Computes both bounds and the statistics of the layers. `wallSeconds` is the
/// caller's measure of the simulation's own time. Fails as `programBoundPs` and
/// `lowerBound` do.
absl::StatusOr<Report>
makeReport(const Program &program, const MachineModel &machine,
           RoutingCounter &counter, const SimulationOptions &options,
           const SimulationResult &result, double wallSeconds);

/// The JSON form: every field, in the order of the message, maps by ascending
/// key, integers as numbers, doubles so that they read back as they were;
/// indented by two and ended by a newline.
std::string printReport(const Report &report);

} // namespace mozart

#endif // MOZART_SIM_REPORT_H
