//===- MachineFactsChecks.h - Are these facts a machine? ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_MACHINE_MACHINEFACTSCHECKS_H
#define MOZART_LIB_MACHINE_MACHINEFACTSCHECKS_H

#include "mozart/Machine/MachineFacts.h"

#include "absl/status/status.h"

namespace mozart {

/// Checks all that can be said of each part alone and of names and pairs of
/// links; whether the whole hangs together is left to MachineModel.
absl::Status checkMachineFacts(const MachineFacts &facts);

/// "machine 'm'": the beginning of every message.
std::string describeMachine(const MachineFacts &facts);

/// "chiplet 'c0'" or "switch 's0'".
std::string describeNode(const NodeFacts &node);

} // namespace mozart

#endif // MOZART_LIB_MACHINE_MACHINEFACTSCHECKS_H
