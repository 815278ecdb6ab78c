//===- CustomKernels.h - Bodies of custom experts as kernels -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_CUSTOMKERNELS_H
#define MOZART_TARGET_CUSTOMKERNELS_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Sim/KernelEval.h"

namespace mozart {

/// Registers a kernel for every `moe.custom_experts` in `program`, compiled by
/// MLIR's JIT when it first runs. Reports two bodies of the same name, and
/// fails. `program` must outlive `registry`.
mlir::LogicalResult registerCustomKernels(chiplet::ProgramOp program,
                                          KernelRegistry &registry);

} // namespace mozart

#endif // MOZART_TARGET_CUSTOMKERNELS_H
