//===- Execute.h - A program of the IR, in values -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_EXECUTE_H
#define MOZART_TARGET_EXECUTE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mozart {

struct ExecuteOptions {
  /// Seed of the arguments and of the random orders.
  uint64_t seed = 1;
  /// Orders besides the earliest and the latest.
  int32_t randomOrders = 2;
  /// The model that was compiled, to hold the results against; may be null.
  mlir::ModuleOp model;
};

/// Executes the one program of `module` on random arguments, in several orders,
/// and holds the results against the model's where there is one: first the
/// experts that were chosen, exactly, then the numbers, within four times what
/// roundings can add up to: one eps of the stored type for each op, and one of
/// the type of sums for each term of the longest chain of them. Returns what it
/// found as JSON; reports the first difference and fails.
mlir::FailureOr<std::string> executeModule(mlir::ModuleOp module,
                                           const ExecuteOptions &options);

/// Registers `mozart-translate --execute`.
void registerExecute();

} // namespace mozart

#endif // MOZART_TARGET_EXECUTE_H
