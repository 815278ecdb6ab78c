//===- PerfettoTrace.h - A simulation as a timeline ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_PERFETTOTRACE_H
#define MOZART_SIM_PERFETTOTRACE_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include <string>

namespace mozart {

/// A trace in the JSON format of Chrome and Perfetto: a process for each
/// chiplet (pid: its node) with a thread for each engine, one for each memory
/// (pid: nodes + memory), and one for the network. Tasks are slices on every
/// engine that they occupy; an arrow leads from each transfer to the tasks that
/// wait for it, from each task to the transfers that wait for it, and within an
/// exchange from each sending port to each receiving one. Counters:
/// bytes of buffers that live in each SRAM (see BufferLives.h); and, where
/// `result.loads` was recorded, the load of each resource in bytes per second.
/// Times are exact: picoseconds as decimal fractions of the format's
/// microseconds.
std::string printPerfettoTrace(const Program &program,
                               const MachineModel &machine,
                               const SimulationResult &result);

} // namespace mozart

#endif // MOZART_SIM_PERFETTOTRACE_H
