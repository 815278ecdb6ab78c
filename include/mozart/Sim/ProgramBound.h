//===- ProgramBound.h - What one program cannot beat --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_PROGRAMBOUND_H
#define MOZART_SIM_PROGRAMBOUND_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Routing/Trace.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

namespace mozart {

/// The largest of: for each memory, link, SRAM port and switch part, the bytes
/// that the program moves over it at its full rate; for each chiplet's arrays,
/// its kernels; and the longest chain of tasks that must follow one another (by
/// waits, engine order and stages), each as long as it takes alone on the
/// machine. Never above the latency of `simulate`. Fails as that does.
absl::StatusOr<int64_t> programBoundPs(const Program &program,
                                       const MachineModel &machine,
                                       const BoundRouting *routing);

/// The same of a program that has passed `verifyProgram`, under the routing of
/// `counter`, whose `check` has succeeded.
absl::StatusOr<int64_t> programBoundPs(const Program &program,
                                       const MachineModel &machine,
                                       RoutingCounter &counter);

} // namespace mozart

#endif // MOZART_SIM_PROGRAMBOUND_H
