//===- RegisterAll.h - Everything that a tool registers -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_PIPELINES_REGISTERALL_H
#define MOZART_PIPELINES_REGISTERALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mozart {

/// The dialects of this project.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of this project.
void registerAllPasses();

} // namespace mozart

#endif // MOZART_PIPELINES_REGISTERALL_H
