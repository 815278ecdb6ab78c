//===- ValueEngine.h - A program on real numbers ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes a program in simulated memories, byte for byte: every load, store
// and exchange along its route, every kernel, every reuse of a buffer. It has
// no clock; it runs the program in several of the orders that waits, engines
// and stages allow.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_VALUEENGINE_H
#define MOZART_SIM_VALUEENGINE_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/KernelEval.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// One argument of the model function: one copy (weights), or one for each
/// micro-batch.
struct Argument {
  std::vector<Value> copies;
};

struct ValueOptions {
  /// Orders to run besides the two extremes: the program's own (always the
  /// earliest task that may start) and its opposite (always the latest).
  int32_t randomOrders = 1;
  uint64_t seed = 1;
  /// Most bytes of all simulated memories together.
  int64_t memoryLimitBytes = int64_t(1) << 30;
  /// Custom kernels; not owned.
  const KernelRegistry *kernels = nullptr;
};

/// What the program holds for `result` of a micro-batch at its end.
struct ResultValue {
  int32_t result = -1;
  int64_t microBatch = 0;
  Value value;
};

/// Bytes that a task sent over a link.
struct LinkBytes {
  int32_t link = -1;
  int64_t bytes = 0;

  friend bool operator==(LinkBytes a, LinkBytes b) {
    return a.link == b.link && a.bytes == b.bytes;
  }
};

/// The ids that were dispatched for one MoE layer and micro-batch: [T, k], all
/// `kPaddingId` for tokens that were not dispatched.
struct DispatchedIds {
  int64_t layer = 0, microBatch = 0;
  std::vector<int32_t> ids;
};

struct ValueReport {
  std::vector<ResultValue> results; ///< in the order of Program::outputs
  /// By task; the links in ascending order. A row of an exchange counts H
  /// elements; dispatched in form Tokens also its k slots (id and gate weight);
  /// in form Pairs each message also 8 bytes per expert of its peer, its
  /// counts.
  std::vector<std::vector<LinkBytes>> traffic;
  std::vector<DispatchedIds> routings; ///< by layer, then micro-batch
  int32_t orders = 0;                  ///< how many were run
};

/// Runs `program`. Fails with kInvalidArgument where `verifyProgram` does or an
/// argument does not fit its buffer, with kNotFound for an unknown kernel, and
/// with kFailedPrecondition, naming tasks, buffers, bytes and places, where the
/// program is wrong:
/// - a buffer without a place or past its memory (`verifyAllocation`),
/// - uses of a byte that nothing orders (`verifyMemoryOrder`),
/// - a read of a byte that was never written, or that was last written as
///   another buffer,
/// - a route that passes a node twice; copies or sums where routes part or join
///   at a node that can make none; an exchange whose buffers' slices do not say
///   the tokens and experts that it moves,
/// - rows that do not fit their buffer,
/// - a (token, expert) pair that is not dispatched, computed and combined just
///   once,
/// - results that differ from one order to another.
absl::StatusOr<ValueReport> executeProgram(const Program &program,
                                           const MachineModel &machine,
                                           absl::Span<const Argument> arguments,
                                           const ValueOptions &options = {});

} // namespace mozart

#endif // MOZART_SIM_VALUEENGINE_H
