//===- KernelProto.h - Kernel steps as protobuf messages ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_KERNELPROTO_H
#define MOZART_LIB_SIM_KERNELPROTO_H

#include "mozart/Sim/Kernels.h"
#include "proto/program.pb.h"

#include "absl/status/statusor.h"

namespace mozart {

pb::ValueType valueTypeToProto(const ValueType &type);
absl::StatusOr<ValueType> valueTypeFromProto(const pb::ValueType &message);

pb::KernelStep stepToProto(const KernelStep &step);
absl::StatusOr<KernelStep> stepFromProto(const pb::KernelStep &message);

} // namespace mozart

#endif // MOZART_LIB_SIM_KERNELPROTO_H
