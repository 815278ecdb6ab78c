//===- ProgramChecks.h - Is this program well formed? -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structural checks: everything that the engines rely on. They say nothing of
// meaning (a missing wait, two buffers that share bytes): the value engine and
// the verifiers of the `chiplet` dialect do.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_PROGRAMCHECKS_H
#define MOZART_SIM_PROGRAMCHECKS_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <string>

namespace mozart {

/// Checks `program` against the machine that it was compiled for. Fails with
/// kInvalidArgument, naming the task or buffer and its operand, on: another
/// machine's name; an index, expert, token or micro-batch out of range; a place
/// or engine that the machine does not have; a size that passes 2^63; a view
/// outside its parent; a wait that does not point backwards; an operand count,
/// place or type other than the task's kind fixes (see `Exchange`); a step that
/// fails `verifyStep`; a route that is not continuous or does not join the two
/// ends; routes via switches that do not form a tree; an expert at two peers of
/// one exchange without an expert map, or at a peer where its map does not have
/// it; an expert map that has an expert nowhere, or nodes out of order; tasks
/// that wait for one another in a circle, by waits, engine order and stages
/// (names all of them, and what each waits for).
absl::Status verifyProgram(const Program &program, const MachineModel &machine);

/// Checks the operand and result types and the parameters of one step: counts,
/// kinds, shapes (see `KernelKind`), heads that divide, k <= E and the like.
absl::Status verifyStep(const KernelStep &step,
                        absl::Span<const ValueType> inputs);

/// Name of a kernel for messages and reports, as in the `moe` dialect: "norm".
const char *kernelName(KernelKind kind);

/// "dispatch", "load", ...
const char *taskKindName(TaskKind kind);

/// "compute", "dma", "channel", "send", "receive".
const char *engineKindName(EngineKind kind);

/// "tensor<4x8xf16>", "routing<4x2 of 8 x f32>", "local routing<...>".
std::string describeType(const ValueType &type);

} // namespace mozart

#endif // MOZART_SIM_PROGRAMCHECKS_H
