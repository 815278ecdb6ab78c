//===- Energy.h - What a program's run takes in joules ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Energy by part, from what a simulation moved and computed and from the
// machine's facts. docs/simulation.md, "Energy and area", has the formulas.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_ENERGY_H
#define MOZART_SIM_ENERGY_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

struct EnergyPart {
  std::string name;
  double joules = 0;
};

/// Energy of the run that `result` tells of, of a verified program under the
/// routing of `counter`, by part: `dram_read`, `dram_write`, `links`,
/// `switches`, `multicast`, `reduce`, `sram`, `compute`, `static`, in this
/// order. A part of which the machine states no fact is left out, so that 0
/// means that nothing happened there. Summed in integers, exactly, and rounded
/// once to a double. Fails as `taskWork` does, and with kOutOfRange if a sum
/// does not fit in 127 bits of femtojoules.
absl::StatusOr<std::vector<EnergyPart>>
programEnergy(const Program &program, const MachineModel &machine,
              RoutingCounter &counter, const SimulationResult &result);

struct AreaPart {
  std::string name;
  double squareMillimeters = 0;
};

/// Area by kind of part: `chiplets`, `switches`, `memories`; those of which the
/// machine states none are left out.
std::vector<AreaPart> machineArea(const MachineModel &machine);

} // namespace mozart

#endif // MOZART_SIM_ENERGY_H
