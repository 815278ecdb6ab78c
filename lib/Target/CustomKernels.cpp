//===- CustomKernels.cpp - Bodies of custom experts as kernels -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/CustomKernels.h"

#include "mozart/Target/Oracle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>

using namespace mlir;
using namespace mozart;

/// A module with one function @kernel that is `op` alone.
static OwningOpRef<ModuleOp> wrap(moe::CustomExpertsOp op) {
  Location loc = op.getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "kernel",
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(op->getOperands(), entry->getArguments());
  Operation *clone = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loc, clone->getResults());
  return module;
}

namespace {
/// One body; compiled once for each shape of rows that it meets.
struct Body {
  moe::CustomExpertsOp op;
  std::optional<CompiledFunction> compiled;
};

/// All uses of one name.
struct Kernel {
  std::vector<Body> bodies;

  absl::Status run(absl::Span<const mozart::Value *const> inputs,
                   absl::Span<mozart::Value> results);
};
} // namespace

static bool fits(moe::CustomExpertsOp op,
                 absl::Span<const mozart::Value *const> inputs) {
  if (op->getNumOperands() != inputs.size())
    return false;
  for (auto [operand, input] : llvm::zip(op->getOperands(), inputs)) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getShape() != ArrayRef<int64_t>(input->type.shape))
      return false;
  }
  return true;
}

absl::Status Kernel::run(absl::Span<const mozart::Value *const> inputs,
                         absl::Span<mozart::Value> results) {
  for (Body &body : bodies) {
    if (!fits(body.op, inputs))
      continue;
    if (!body.compiled) {
      OwningOpRef<ModuleOp> module = wrap(body.op);
      absl::StatusOr<CompiledFunction> compiled =
          CompiledFunction::compile(*module, "kernel");
      if (!compiled.ok())
        return compiled.status();
      body.compiled.emplace(*std::move(compiled));
    }
    std::vector<mozart::Value> values;
    for (const mozart::Value *input : inputs)
      values.push_back(*input);
    absl::StatusOr<std::vector<mozart::Value>> outputs =
        body.compiled->run(values);
    if (!outputs.ok())
      return outputs.status();
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = (*outputs)[i];
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("no body of this name takes these shapes");
}

/// Whether two ops have the same body, up to the number of experts and rows.
static bool sameBody(moe::CustomExpertsOp a, moe::CustomExpertsOp b) {
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

LogicalResult mozart::registerCustomKernels(chiplet::ProgramOp program,
                                            KernelRegistry &registry) {
  // The bodies are compiled as functions of their own.
  program.getContext()->loadDialect<func::FuncDialect>();
  std::map<std::string, std::shared_ptr<Kernel>> kernels;
  WalkResult walked = program.walk([&](moe::CustomExpertsOp op) {
    std::shared_ptr<Kernel> &kernel = kernels[op.getName().str()];
    if (!kernel)
      kernel = std::make_shared<Kernel>();
    if (!kernel->bodies.empty() && !sameBody(kernel->bodies.front().op, op)) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "has another body than the first '"
                                << op.getName() << "', expected the same";
      diag.attachNote(kernel->bodies.front().op.getLoc()) << "first one here";
      return WalkResult::interrupt();
    }
    bool known = llvm::any_of(kernel->bodies, [&](Body &body) {
      return body.op->getOperandTypes() == op->getOperandTypes();
    });
    if (!known)
      kernel->bodies.push_back({op, std::nullopt});
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto &[name, kernel] : kernels) {
    absl::Status added = registry.add(
        name, [kernel = kernel](const CustomParams &,
                                absl::Span<const mozart::Value *const> inputs,
                                absl::Span<mozart::Value> results) {
          return kernel->run(inputs, results);
        });
    if (!added.ok())
      return program.emitOpError() << std::string(added.message());
  }
  return success();
}
