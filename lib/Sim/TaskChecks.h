//===- TaskChecks.h - Checks of tasks, for verifyProgram ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_TASKCHECKS_H
#define MOZART_LIB_SIM_TASKCHECKS_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/status.h"

namespace mozart {

/// The size of a list, as an index is compared with.
template <typename T> int64_t sizeOf(const std::vector<T> &list) {
  return static_cast<int64_t>(list.size());
}

bool sameType(const ValueType &a, const ValueType &b);

/// Checks each task of a program whose slices and buffers are well formed.
absl::Status verifyTasks(const Program &program, const MachineModel &machine);

/// Checks that waits point backwards and that no task waits for itself through
/// others; tasks are well formed.
absl::Status verifyOrder(const Program &program, const MachineModel &machine);

} // namespace mozart

#endif // MOZART_LIB_SIM_TASKCHECKS_H
