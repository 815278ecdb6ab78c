//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_CONVERSION_PASSES_TD
#define MOZART_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNoPToChiplet : Pass<"convert-nop-to-chiplet", "::mlir::ModuleOp"> {
  let summary = "Turn a routed model into a program for its machine";
  let description = [{
    The one function with `moe.model` becomes a `chiplet.program` over all
    micro-batches. The model is cut into transformer blocks; all micro-batches go
    through a block before the next one starts, so that its weights are loaded once.
    In a block, ops outside exchanges run on the root, one task each; what
    `nop.local` holds runs on every chiplet with an expert.

    Exchanges are cut into the fewest equal slices of tokens whose worst case fits
    into every chiplet's SRAM; where the root cannot hold the activations of all
    micro-batches, they wait in its DRAM between blocks. The program waits for data
    alone: a schedule, and offsets, come later.
  }];
  let options = [
    Option<"slices", "slices", "int64_t", /*default=*/"0",
           "Token slices of every exchange; 0: the fewest that fit">,
    Option<"weightCopies", "weight-copies", "int64_t", /*default=*/"1",
           "Blocks whose expert weights should fit at once, where possible">,
    Option<"preset", "preset", "std::string", /*default=*/"\"custom\"",
           "Name of the preset, for reports">,
    Option<"seed", "seed", "int64_t", /*default=*/"0",
           "Seed that the model was compiled with, for reports">];
  let dependentDialects = ["::mozart::chiplet::ChipletDialect"];
}

#endif // MOZART_CONVERSION_PASSES_TD
