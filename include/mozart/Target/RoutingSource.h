//===- RoutingSource.h - The trace that a module is compiled or run with -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TARGET_ROUTINGSOURCE_H
#define MOZART_TARGET_ROUTINGSOURCE_H

#include "mozart/Routing/SyntheticRouter.h"

#include "mlir/IR/BuiltinOps.h"

namespace mozart {

/// Finds the routing trace of a module: the file `path` where that is not
/// empty, else the module's first `moe.profile` (a file, or an embedded trace
/// of which `draw` is taken). Reports at the module, or at the profile, and
/// fails where there is none or it cannot be read. `experts` is the model's
/// number of experts, which formats without one need.
mlir::FailureOr<Trace> loadTrace(mlir::ModuleOp module, llvm::StringRef path,
                                 Draw draw, int64_t experts);

} // namespace mozart

#endif // MOZART_TARGET_ROUTINGSOURCE_H
