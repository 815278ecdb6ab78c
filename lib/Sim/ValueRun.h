//===- ValueRun.h - One order of a program ------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_VALUERUN_H
#define MOZART_LIB_SIM_VALUERUN_H

#include "PairLedger.h"
#include "ValueExchange.h"
#include "ValueMemory.h"

#include "mozart/Sim/ValueEngine.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <vector>

namespace mozart {

/// The bytes that the surroundings put into a buffer before the program.
struct InputImage {
  int32_t buffer = -1;
  std::vector<uint8_t> bytes;
};

/// Checks the arguments against the program's inputs. Fails with
/// kInvalidArgument, naming the input, on an argument that is missing or of
/// another type or number of copies, and with kFailedPrecondition on inputs
/// that share bytes.
absl::StatusOr<std::vector<InputImage>>
prepareInputs(const Program &program, const MachineModel &machine,
              absl::Span<const Argument> arguments);

/// Runs all tasks in the given order, one at a time. The report's `orders` is
/// one. Errors are those of `executeProgram` that depend on data.
absl::StatusOr<ValueReport> runInOrder(const Program &program,
                                       const MachineModel &machine,
                                       const std::vector<InputImage> &inputs,
                                       const std::vector<int32_t> &order,
                                       const ValueOptions &options);

} // namespace mozart

#endif // MOZART_LIB_SIM_VALUERUN_H
