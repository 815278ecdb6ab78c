//===- WidenElements.h - A model in double precision --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TARGET_WIDENELEMENTS_H
#define MOZART_TARGET_WIDENELEMENTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mozart {

/// A copy of `module` in which every floating-point type is f64, down to the
/// bodies of custom experts: the reference for a model of narrower elements.
/// Constants keep their values; casts between floating-point types fall away.
/// Fails, with a diagnostic, on a constant whose elements lie in a resource,
/// and where the result is no valid module (a bitcast, for example).
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
widenElements(mlir::ModuleOp module);

} // namespace mozart

#endif // MOZART_TARGET_WIDENELEMENTS_H
