//===- Compile.h - The whole way from a model to a schedule -------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PIPELINES_COMPILE_H
#define MOZART_PIPELINES_COMPILE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mozart {

/// Options of `--mozart-compile`.
struct CompileOptions : public mlir::PassPipelineOptions<CompileOptions> {
  Option<std::string> machine{
      *this, "machine",
      llvm::cl::desc("Machine: a symbol of the module, a path, or a preset; "
                     "empty: the one in the module")};
  Option<std::string> profile{
      *this, "profile",
      llvm::cl::desc("Routing trace to compile for; empty: the module's "
                     "moe.profile")};
  Option<std::string> preset{
      *this, "preset",
      llvm::cl::desc("baseline, overlap, dedup, layout (or best, to come)"),
      llvm::cl::init("layout")};
  Option<std::string> compileTo{
      *this, "compile-to",
      llvm::cl::desc("Last phase: model, placed, routed, program, scheduled"),
      llvm::cl::init("scheduled")};
  Option<std::string> algorithm{
      *this, "algorithm",
      llvm::cl::desc("Placement algorithm in place of the preset's")};
  Option<std::string> placement{
      *this, "placement",
      llvm::cl::desc("File of placements in place of the preset's algorithm")};
  Option<double> loadCap{
      *this, "load-cap",
      llvm::cl::desc("Highest load of a chiplet over the mean, for algorithm "
                     "search; 0: none"),
      llvm::cl::init(0)};
  Option<double> groupWeight{
      *this, "group-weight",
      llvm::cl::desc("What G_T counts beside C_T, for algorithm search"),
      llvm::cl::init(0)};
  Option<int64_t> slots{
      *this, "slots",
      llvm::cl::desc("Experts that fit on a chiplet, for replicas; 0: each "
                     "expert stands once"),
      llvm::cl::init(0)};
  Option<int64_t> seed{*this, "seed", llvm::cl::desc("Seed of every choice"),
                       llvm::cl::init(0)};
  Option<int64_t> slices{
      *this, "slices",
      llvm::cl::desc("Token slices of every exchange; 0: the fewest that fit"),
      llvm::cl::init(0)};
};

/// Fills `manager` (anchored at a module) with the passes of a preset, up to a
/// phase, each phase followed by its check. Reports unknown names through
/// `reportError`, listing those there are.
mlir::LogicalResult buildCompilePipeline(
    mlir::OpPassManager &manager, const CompileOptions &options,
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> reportError);

/// Registers `--mozart-compile`.
void registerCompilePipeline();

} // namespace mozart

#endif // MOZART_PIPELINES_COMPILE_H
