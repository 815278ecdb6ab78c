//===- MachineProto.h - Machines as protobuf messages -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_MACHINE_MACHINEPROTO_H
#define MOZART_MACHINE_MACHINEPROTO_H

#include "mozart/Machine/MachineFacts.h"
#include "proto/machine.pb.h"

#include "absl/status/statusor.h"

namespace mozart {

pb::Machine toProto(const MachineFacts &facts);

/// Fails with kInvalidArgument on what a message can say and facts cannot: an
/// enumerator that is missing or unknown, a node that is neither chiplet nor
/// switch. MachineModel::create checks the rest.
absl::StatusOr<MachineFacts> fromProto(const pb::Machine &message);

} // namespace mozart

#endif // MOZART_MACHINE_MACHINEPROTO_H
