//===- Passes.td - Passes on models -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_TRANSFORMS_PASSES_TD
#define MOZART_DIALECT_MOE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MoEPlaceExperts : Pass<"moe-place-experts", "::mlir::ModuleOp"> {
  let summary = "Choose the chiplets of every layer's experts";
  let description = [{
    Gives all ops of every MoE layer a placement on a machine; one that they had before
    is replaced. Chiplets are those that host experts, in declared
    order; their groups are the subtrees below the root.

    Algorithms are `contiguous` (experts in order), `random` (shuffled by `seed`),
    `algorithm1` (the paper's: experts that fire together share a chiplet, and groups
    carry equal load), `load` (chiplets carry equal load, as expert-parallel load
    balancers place) and `search` (least C_T, by swaps whose gain is counted exactly).
    The last three go by a routing profile: the trace `profile`, else
    the first `moe.profile` of the module. Slots and experts of the trace must be the
    model's, and so must its number of layers, unless it has one, which then stands
    for all.

    `search` alone takes `load-cap`, which it keeps or else fails with the load that
    can be reached, `group-load-cap` likewise, and weights of what it minimises:
    `chiplet-weight` of C_T, `group-weight` of G_T, and `receive-weight` of the share of
    tokens that the busiest chiplet receives.

    `search` and `load` give experts replicas where `slots` says how many fit on a
    chiplet (or `chiplet-bytes`, of `expert-bytes` each), at most `max-replicas` of
    them beyond each expert's first. A token then goes to a replica on a chiplet
    that it goes to anyway, else to that at its row modulo their number. A load cap
    that is not met says how many replicas meet it. With `keep`, `search` moves at most
    `max-moves` experts of a layer from where a file has them.

    In place of an algorithm, `placement` names a file that says where the experts of
    every layer are (the JSON that `mozart-place` writes, or a table Expert,Node in
    `.csv`), or of one layer that stands
    for all. There an expert may be on several chiplets.

    Where there is a profile, a remark for each layer says what the placement is
    worth: how many chiplets (C_T) and groups (G_T) a token is sent to in the mean,
    and what the busiest chiplet carries and receives over the mean, each beside its
    value under `contiguous`. More remarks give what is proven of any placement, the
    experts with replicas, how many moved, and what the placer had to say.
  }];
  let dependentDialects = ["::mozart::wafer::WaferDialect"];
  let options = [
    Option<"algorithm", "algorithm", "std::string", /*default=*/"",
           "How to place: contiguous, random, algorithm1 (the default), load or "
           "search">,
    Option<"placement", "placement", "std::string", /*default=*/"",
           "File of placements to use in place of an algorithm">,
    Option<"profile", "profile", "std::string", /*default=*/"",
           "Routing trace to place by; without it, the module's moe.profile">,
    Option<"machine", "machine", "std::string", /*default=*/"",
           "Machine, named as for wafer-load-machine; without it, the one in the "
           "module">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "Seed of the algorithm, where it draws">,
    Option<"loadCap", "load-cap", "double", /*default=*/"0",
           "Highest load of a chiplet over the mean, at least 1, for search; 0 for "
           "none">,
    Option<"groupWeight", "group-weight", "double", /*default=*/"0",
           "What a group counts beside a chiplet, for search">,
    Option<"groupLoadCap", "group-load-cap", "double", /*default=*/"0",
           "Highest load of a group over the mean, at least 1, for search; 0 for none">,
    Option<"chipletWeight", "chiplet-weight", "double", /*default=*/"1",
           "What a chiplet that a token is sent to counts, for search">,
    Option<"receiveWeight", "receive-weight", "double", /*default=*/"0",
           "What it counts if all tokens went to the busiest chiplet, for search">,
    Option<"threads", "threads", "int64_t", /*default=*/"1",
           "Layers to place at a time, to the same end">,
    Option<"starts", "starts", "int64_t", /*default=*/"0",
           "Placements to search from, for search; 0 for its own number">,
    Option<"kicks", "kicks", "int64_t", /*default=*/"-1",
           "Times to go on from near the best, for search; -1 for its own number">,
    Option<"budget", "budget", "int64_t", /*default=*/"-1",
           "Changes to make for a layer, in all, for search; -1 for its own number">,
    Option<"slots", "slots", "int64_t", /*default=*/"0",
           "Experts that fit on a chiplet, for search and load; 0 for no replicas">,
    Option<"chipletBytes", "chiplet-bytes", "int64_t", /*default=*/"0",
           "The same as bytes, of expert-bytes each; 0 for no replicas">,
    Option<"expertBytes", "expert-bytes", "int64_t", /*default=*/"0",
           "Bytes of an expert's weights; 0 where they do not matter">,
    Option<"maxReplicas", "max-replicas", "int64_t", /*default=*/"-1",
           "Replicas beyond the first of each expert; -1 for as many as fit and help">,
    Option<"keep", "keep", "std::string", /*default=*/"",
           "File of placements to stay near, for search">,
    Option<"maxMoves", "max-moves", "int64_t", /*default=*/"-1",
           "Experts that may move from there in each layer; -1 for any number">];
}

def VerifyModel : Pass<"mozart-verify-model", "::mlir::ModuleOp"> {
  let summary = "Check what phase `model` promises";
  let description = [{
    One function of the module has `moe.model`, and no op of it knows of a machine.
    Its MoE layers are counted from 0 without a gap. Each has one `moe.route` of all
    tokens of a micro-batch, one `moe.dispatch` by it, one or more experts ops that
    the rows go through one after another, each with the dispatch's counts, and one
    `moe.combine` of the last ones' rows by the same routing.
  }];
}

def VerifyPlaced : Pass<"mozart-verify-placed", "::mlir::ModuleOp"> {
  let summary = "Check what phase `placed` promises";
  let description = [{
    The model keeps what phase `model` promises, and every op of an MoE layer has a
    placement: the same within a layer, with each expert on chiplets that host
    experts. All are on one machine, which is in the module.
  }];
}

#endif // MOZART_DIALECT_MOE_TRANSFORMS_PASSES_TD
