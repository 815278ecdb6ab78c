//===- BufferLives.h - When buffers hold something ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer lives from the start of the first task that writes it to the end of
// the last that reads it (or writes it, if that is later). What nobody writes
// is there from its first read on. Views count for the buffer that they show.
// Inputs live from the start of the program, inputs and outputs to its end.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_BUFFERLIVES_H
#define MOZART_SIM_BUFFERLIVES_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include <vector>

namespace mozart {

/// [beginPs, endPs); -1 for a view, and for a buffer that no task touches.
struct BufferLife {
  int64_t beginPs = -1, endPs = -1;
};

/// One for each buffer of a program that `simulate` gave these times.
std::vector<BufferLife> bufferLives(const Program &program,
                                    const std::vector<TaskTime> &times,
                                    int64_t latencyPs);

/// From `timePs` on, the buffers that live in a place have so many bytes.
struct OccupancyStep {
  int64_t timePs = 0;
  int64_t bytes = 0;
};

/// Steps of every chiplet's SRAM, then of every memory, in the order of
/// `SimulationResult::memories`; times ascend, and bytes differ from one step
/// to the next. What ends at a time has gone before what begins at it comes.
/// Sums past 2^63 saturate.
std::vector<std::vector<OccupancyStep>>
occupancy(const Program &program, const MachineModel &machine,
          const std::vector<TaskTime> &times, int64_t latencyPs);

} // namespace mozart

#endif // MOZART_SIM_BUFFERLIVES_H
