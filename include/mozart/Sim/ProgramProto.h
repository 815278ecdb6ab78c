//===- ProgramProto.h - Programs as protobuf messages -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_PROGRAMPROTO_H
#define MOZART_SIM_PROGRAMPROTO_H

#include "mozart/Sim/Program.h"
#include "proto/program.pb.h"

#include "absl/status/statusor.h"

namespace mozart {

pb::Program toProto(const Program &program);

/// Fails with kInvalidArgument, naming the part, on what a message can say and
/// a program cannot: an enumerator that is missing or unknown, a buffer without
/// a place, a step whose parameters are missing or of another kernel.
/// `verifyProgram` checks the rest.
absl::StatusOr<Program> fromProto(const pb::Program &message);

} // namespace mozart

#endif // MOZART_SIM_PROGRAMPROTO_H
