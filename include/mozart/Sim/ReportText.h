//===- ReportText.h - Reports for people --------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_REPORTTEXT_H
#define MOZART_SIM_REPORTTEXT_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/CriticalPath.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"
#include "mozart/Sim/WhatIf.h"
#include "proto/report.pb.h"

#include <string>
#include <vector>

namespace mozart {

/// A report as aligned text: latency and bounds, the critical path by block of
/// the model (or by stage) and by step, resources, memories, energy. Every
/// table says what it counts. `report` is that of `makeReport`.
std::string printSummary(const Program &program, const SimulationResult &result,
                         const CriticalPath &path, const Report &report);

/// The critical path, its causes and what would shorten it, as text. Tasks that
/// follow each other and do the same for the same reason share a line; where
/// lines would still be too many, those of a block do.
std::string printExplanation(const Program &program,
                             const SimulationResult &result,
                             const CriticalPath &path,
                             const std::vector<WhatIf> &whatIfs);

/// The same in the report: every task of the path, nothing shared.
void addExplanation(Report &report, const Program &program,
                    const MachineModel &machine, const SimulationResult &result,
                    const CriticalPath &path,
                    const std::vector<WhatIf> &whatIfs);

} // namespace mozart

#endif // MOZART_SIM_REPORTTEXT_H
