//===- CoverageChecks.h - Every token meets its experts once ------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_COVERAGECHECKS_H
#define MOZART_SIM_COVERAGECHECKS_H

#include "mozart/Sim/Program.h"

#include "absl/status/status.h"

namespace mozart {

/// Proves, whatever the routing, that every (token, expert) pair is computed
/// exactly once, of a program that `verifyProgram` accepts:
///   - for each MoE layer and micro-batch, the token ranges of its dispatches
///     partition [0, tokensPerMicroBatch), and each dispatch's peers partition
///     the experts or, by its expert map, are all nodes of every expert;
///   - what arrives at a peer is read by one compute task there, whose loaded
///     weights are those of the peer's experts in the same order;
///   - its result is read by the combine of the same tokens and expert map, in
///     the peer's place.
/// Fails with kFailedPrecondition, naming layer, micro-batch, tasks, what was
/// found and what was expected.
absl::Status verifyCoverage(const Program &program);

/// Every micro-batch has an output for each result of the model.
absl::Status verifyOutputs(const Program &program);

} // namespace mozart

#endif // MOZART_SIM_COVERAGECHECKS_H
