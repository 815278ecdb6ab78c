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

#endif // MOZART_DIALECT_NOP_TRANSFORMS_PASSES_TD
