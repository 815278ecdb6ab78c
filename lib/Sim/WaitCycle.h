//===- WaitCycle.h - Tasks that wait for one another --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_WAITCYCLE_H
#define MOZART_LIB_SIM_WAITCYCLE_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include <string>

namespace mozart {

/// Tasks that wait for one another in a circle, by waits, the order of engines
/// and stages, so that none of them ever starts: "task 1 ('a') waits for task 2
/// ('b'); task 2 ('b') is behind task 1 ('a') on engine 'c3.dma'". Empty where
/// there is no circle. Indices of waits, engines and stages are in range; waits
/// may point forwards.
std::string describeWaitCycle(const Program &program,
                              const MachineModel &machine);

} // namespace mozart

#endif // MOZART_LIB_SIM_WAITCYCLE_H
