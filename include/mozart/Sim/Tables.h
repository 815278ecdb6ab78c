//===- Tables.h - A simulation as CSV and DOT ---------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_TABLES_H
#define MOZART_SIM_TABLES_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/CriticalPath.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"
#include "proto/report.pb.h"

#include "absl/status/statusor.h"

#include <string>
#include <utility>
#include <vector>

namespace mozart {

/// File names and contents, with a line of titles each (RFC 4180, but for line
/// ends): layers.csv, resources.csv, memories.csv, tasks.csv. Times are whole
/// picoseconds.
std::vector<std::pair<std::string, std::string>>
printCsvTables(const Program &program, const MachineModel &machine,
               const SimulationResult &result, const CriticalPath &path,
               const Report &report);

/// The machine as a DOT graph: chiplets and switches with how busy they are,
/// memories, and links with their share of the latency in each direction; the
/// fuller, the redder.
std::string printMachineDot(const MachineModel &machine,
                            const SimulationResult &result);

/// The tasks of a program as a DOT graph, with an edge for each wait; those on
/// the critical path are red. Fails with kInvalidArgument on more tasks than a
/// person can look at.
absl::StatusOr<std::string> printTaskDot(const Program &program,
                                         const MachineModel &machine,
                                         const SimulationResult &result,
                                         const CriticalPath &path);

} // namespace mozart

#endif // MOZART_SIM_TABLES_H
