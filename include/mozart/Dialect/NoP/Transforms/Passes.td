//===- Passes.td - Passes on exchanges -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_NOP_TRANSFORMS_PASSES_TD
#define MOZART_DIALECT_NOP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NoPDeduplicate : Pass<"nop-deduplicate"> {
  let summary = "Send a token once to a chiplet, and one sum back";
  let description = [{
    A token with several experts on one chiplet is sent there several times by
    `nop.scatter`, and `nop.gather` brings a row back for each. Here the exchange
    becomes `nop.multicast` and `nop.reduce`, both `via root`: the rows are copied for
    their experts on the chiplet (`moe.dispatch` moves into the `nop.local`), and
    weighed and added there (as does `moe.combine`). So of k rows a token, C_T remain
    in each direction.

    Sums are formed in another order than before: first over the experts of a chiplet,
    in order of slots, then over chiplets. Partial sums have the element type of the
    rows.

    The exchange must be that of `convert-moe-to-nop`: rows and counts of the scatter
    go to one `nop.local` that holds nothing but experts on these rows, and all that
    it yields is gathered and combined by the same routing. A remark says, at the op,
    which of this did not hold.
  }];
  let dependentDialects = ["::mozart::moe::MoEDialect"];
}

def NoPMulticastInSwitch : Pass<"nop-multicast-in-switch", "::mlir::ModuleOp"> {
  let summary = "Copy tokens at the switches instead of the root";
  let description = [{
    Makes `nop.multicast via root` one `via switch`: one copy of a token crosses each
    link on the way to its chiplets, so that G_T rows leave the root instead of C_T.
    Every node where paths to the chiplets part must be a switch with a rate of
    multicast in the machine; a remark names the one that is not. Where no paths part
    below the root, nothing changes.
  }];
}

def NoPReduceInSwitch : Pass<"nop-reduce-in-switch", "::mlir::ModuleOp"> {
  let summary = "Add partial sums at the switches instead of the root";
  let description = [{
    Makes `nop.reduce via root` one `via switch`: one partial sum of a token crosses
    each link on the way to the root, and G_T rows reach it instead of C_T. The order
    of addition changes to that of the tree. Every node where paths meet must be a
    switch with a rate of reduction in the machine; a remark names the one that is
    not. Where no paths meet below the root, nothing changes.
  }];
}

def VerifyRouted : Pass<"mozart-verify-routed", "::mlir::ModuleOp"> {
  let summary = "Check what phase `routed` promises";
  let description = [{
    Of the one function with `moe.model`: MoE layers are counted from 0 without a gap
    by their `moe.route`, which routes all tokens of a micro-batch. Each layer sends
    its rows out once (`nop.scatter` or `nop.multicast`) and brings them back once
    (`nop.gather` or `nop.reduce`), by the layer's routing, with one root and one
    placement, which sends each pair of a token and an expert to one node. On the root are no experts and no
    dispatch, and a combine only of gathered rows.

    What nodes do in between is followed through every `nop.local`: rows are copied
    for experts, worked on, weighed and added at most in this order, by the routing
    and counts that came with them and with weights sharded by the same placement. A
    gather must bring back a row for each (token, expert), a reduce a sum for each
    token, both of the layer that they name. So each (token, expert) is computed once.

    Rows that go through another op cannot be followed. That is an error unless
    `allow-undecided`, which makes it a warning.
  }];
  let options = [
    Option<"allowUndecided", "allow-undecided", "bool", /*default=*/"false",
           "Warn of what cannot be decided, instead of failing">];
}

#endif // MOZART_DIALECT_NOP_TRANSFORMS_PASSES_TD
