//===- Oracle.h - Runs models through stock MLIR ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle says what a model means: it lowers the model to linalg (all nodes
// of a routed one in one address space), lets upstream MLIR compile that, and
// runs it. It shares nothing with the kernels and programs whose results are
// held against it; of a machine it takes the order of sums in a routed model.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TARGET_ORACLE_H
#define MOZART_TARGET_ORACLE_H

#include "mozart/Sim/KernelEval.h"

#include "mlir/IR/BuiltinOps.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace mozart {

/// A function of a module, compiled to machine code. Not safe to run in two
/// threads at once.
class CompiledFunction {
public:
  /// Compiles `function` of a copy of `module`, which may hold ops of the
  /// `moe`, `nop` and upstream dialects, and machines. Arguments and results
  /// must be tensors of static shape (results: of any shape) or routings, with
  /// elements that a `ValueType` has. Loads the dialects that it needs into the
  /// module's context. Fails with kNotFound where there is no such function,
  /// with kInvalidArgument where its type is another, and with kInternal and
  /// the diagnostics where a pass fails.
  static absl::StatusOr<CompiledFunction> compile(mlir::ModuleOp module,
                                                  llvm::StringRef function);

  CompiledFunction(CompiledFunction &&);
  CompiledFunction &operator=(CompiledFunction &&);
  ~CompiledFunction();

  /// The types of the function's arguments, with routings as such.
  const std::vector<ValueType> &argumentTypes() const { return arguments; }

  /// Runs it. Fails with kInvalidArgument, naming the argument, on inputs of
  /// other types.
  absl::StatusOr<std::vector<Value>> run(absl::Span<const Value> inputs) const;

private:
  CompiledFunction();

  std::vector<ValueType> arguments;
  /// Of results; a dynamic extent is what the run yields.
  std::vector<ValueType> results;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  /// Takes pointers to what the function's C interface takes.
  void (*entry)(void **) = nullptr;
};

/// Compiles and runs in one go.
absl::StatusOr<std::vector<Value>> runOracle(mlir::ModuleOp module,
                                             llvm::StringRef function,
                                             absl::Span<const Value> inputs);

} // namespace mozart

#endif // MOZART_TARGET_ORACLE_H
