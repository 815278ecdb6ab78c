//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_CONVERSION_PASSES_TD
#define MOZART_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertMoEToLinalg : Pass<"convert-moe-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers models to linalg, tensor, scf, arith and math";
  let description = [{
    Every op of the `moe` dialect becomes upstream ops that stock MLIR can run, and
    that say what the op means. A routing becomes two tensors, ids [T,k] of i32 and gate
    weights [T,k], also where it crosses functions, calls and branches. Placements,
    profiles, `moe.model` and `moe.param` are dropped: they change no number.

    An op works in f32 where its result is narrower, else in its result's element type,
    and rounds once, at the end. Of equal choices, the expert with the lowest id wins. A
    slot whose id is not one of an expert (-1, as a rule) is skipped.

    The number of tokens may be dynamic except in attention, and the number of experts
    in `moe.experts` and `moe.custom_experts`; all else must be static.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvertMoEToNoP : Pass<"convert-moe-to-nop", "::mlir::ModuleOp"> {
  let summary = "Turn placed MoE layers into exchanges with chiplets";
  let description = [{
    Every `moe.dispatch` with the experts that its rows go through becomes
    `nop.scatter`, one `nop.local` with the experts, and `nop.gather`; the
    `moe.combine` stays on the root. Weights of experts become `nop.shard`s. The form
    is that of unicast pairs, one row per (token, expert) each way; the passes of the
    `nop` dialect make less of it.

    Layers are found by following the rows of a dispatch. These may go through any
    number of experts ops, one after another, and then to any number of combines by
    the same routing; any other use is an error at that use. All ops of a layer must
    be placed, and in the same way, with each expert on one chiplet of a machine in
    the module. The root is that of the machine.
  }];
  let dependentDialects = ["::mozart::moe::MoEDialect", "::mozart::nop::NoPDialect"];
}

def ConvertNoPToLinalg : Pass<"convert-nop-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Run all nodes in one address space";
  let description = [{
    Gives exchanges a meaning without a machine, to hold them against the model that
    they came from. A distributed value becomes one value a node; `nop.local` becomes
    a copy of its body for each node, with its `?` replaced by the node's number of
    experts; exchanges become loops that move rows as the routing says, in the order
    and with the zeros that the ops promise, and `nop.reduce` adds in the order that
    it states. Routings are taken apart and put together by `moe.unpack` and
    `moe.pack`; `convert-moe-to-linalg` then lowers what is left of `moe`.

    Distributed values must come from `nop` ops and go to `nop` ops.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mozart::moe::MoEDialect"];
}

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
           "Blocks whose expert weights should fit at once, where possible: 1 or 2">,
    Option<"machine", "machine", "std::string", /*default=*/"",
           "Machine of a model without exchanges, where the module has several">,
    Option<"preset", "preset", "std::string", /*default=*/"\"custom\"",
           "Name of the preset, for reports">,
    Option<"seed", "seed", "int64_t", /*default=*/"0",
           "Seed that the model was compiled with, for reports">];
  let dependentDialects = [
    "::mozart::chiplet::ChipletDialect", "::mozart::wafer::WaferDialect"];
}

#endif // MOZART_CONVERSION_PASSES_TD
