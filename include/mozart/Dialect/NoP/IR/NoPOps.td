//===- NoPOps.td - Ops of the network dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_NOP_IR_NOPOPS_TD
#define MOZART_DIALECT_NOP_IR_NOPOPS_TD

include "mozart/Dialect/MoE/IR/MoEAttrs.td"
include "mozart/Dialect/MoE/IR/MoETypes.td"
include "mozart/Dialect/NoP/IR/NoPTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class NoP_Op<string mnemonic, list<Trait> traits = []>
    : Op<NoP_Dialect, mnemonic, traits>;

def NoP_Rows : TensorRankOf<[AnyFloat], [2]>;

/// An exchange between the root and the chiplets that hold a layer's experts. Its
/// placement is checked against the machine that it names.
class NoP_ExchangeOp<string mnemonic>
    : NoP_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasVerifier = 1;
}

def NoP_ShardOp : NoP_Op<"shard",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Gives each node the slices of its experts";
  let description = [{
    The leading axis of `input` counts the experts of `placement`; each node gets the
    slices of its own, in ascending order. The other axes are of known size.
  }];
  let arguments = (ins AnyRankedTensor:$input, MoE_PlacementAttr:$placement);
  let results = (outs NoP_DistributedType:$result);
  let assemblyFormat = [{
    $input `placed` $placement attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NoP_ScatterOp : NoP_ExchangeOp<"scatter"> {
  let summary = "Sends each token once to each of its experts";
  let description = [{
    A unicast all-to-all: k rows a token leave the root. On each node `rows` [R,H]
    holds one row per (token, local expert) in order (local expert, token, slot),
    the rest zero, and `counts` how many each local expert has. R is T times the lower
    of k and the node's number of experts, and is the same on all nodes.
  }];
  let arguments = (ins NoP_Rows:$input, MoE_RoutingType:$routing, I64Attr:$root,
                       I64Attr:$layer, MoE_PlacementAttr:$placement);
  let results = (outs NoP_DistributedType:$rows, NoP_DistributedType:$counts);
  let assemblyFormat = [{
    $input `by` $routing `from` custom<Count>($root) `layer` custom<Count>($layer)
    `placed` $placement attr-dict `:` functional-type(operands, results)
  }];
}

def NoP_MulticastOp : NoP_ExchangeOp<"multicast"> {
  let summary = "Sends each token once to each chiplet that has an expert of it";
  let description = [{
    C_T rows a token arrive; with `via switch`, G_T leave the root, and the switches
    copy. On each node `rows` [T,H] holds the node's tokens in order, the rest zero, and
    `local_routing` their slots with local expert ids; slots of other nodes and rows past
    the tokens are padding.
  }];
  let arguments = (ins NoP_Rows:$input, MoE_RoutingType:$routing, I64Attr:$root,
                       NoP_ViaAttr:$via, I64Attr:$layer, MoE_PlacementAttr:$placement);
  let results = (outs NoP_DistributedType:$rows, NoP_DistributedType:$local_routing);
  let assemblyFormat = [{
    $input `by` $routing `from` custom<Count>($root) `via` `` $via
    `layer` custom<Count>($layer) `placed` $placement attr-dict `:`
    functional-type(operands, results)
  }];
}

def NoP_LocalOp : NoP_Op<"local",
    [IsolatedFromAbove, RecursiveMemoryEffects,
     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "The same computation on each node, on the node's own values";
  let description = [{
    The region sees what the operands hold on one node. A dynamic extent is the number of
    experts of the node, wherever it occurs. Ops of this dialect but `nop.yield` are not
    allowed inside: a node alone exchanges nothing.
  }];
  let arguments = (ins Variadic<NoP_DistributedType>:$inputs);
  let results = (outs Variadic<NoP_DistributedType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
  let hasRegionVerifier = 1;
}

def NoP_YieldOp : NoP_Op<"yield", [Pure, Terminator, ReturnLike,
                                   HasParent<"LocalOp">]> {
  let summary = "What a node keeps of a local computation";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def NoP_GatherOp : NoP_ExchangeOp<"gather"> {
  let summary = "Brings the row of each (token, expert) back to the root";
  let description = [{
    The reverse of `nop.scatter`: k rows a token arrive. The result [T k, H] is in the order
    of `moe.dispatch`: (expert, token, slot), the rest zero.
  }];
  let arguments = (ins NoP_DistributedType:$input, MoE_RoutingType:$routing,
                       I64Attr:$root, I64Attr:$layer, MoE_PlacementAttr:$placement);
  let results = (outs NoP_Rows:$rows);
  let assemblyFormat = [{
    $input `by` $routing `to` custom<Count>($root) `layer` custom<Count>($layer)
    `placed` $placement attr-dict `:` functional-type(operands, results)
  }];
}

def NoP_ReduceOp : NoP_ExchangeOp<"reduce"> {
  let summary = "Sums each token's partial results of its chiplets at the root";
  let description = [{
    The reverse of `nop.multicast`: each node holds one partial row per token that it got, in
    that order. `via root`, C_T rows a token arrive and are added in ascending order of
    nodes. `via switch`, each switch adds what comes from below, in the declared order of its
    links, and G_T rows arrive. A token without an expert is zero.
  }];
  let arguments = (ins NoP_DistributedType:$input, MoE_RoutingType:$routing,
                       I64Attr:$root, NoP_ViaAttr:$via, I64Attr:$layer,
                       MoE_PlacementAttr:$placement);
  let results = (outs NoP_Rows:$result);
  let assemblyFormat = [{
    $input `by` $routing `to` custom<Count>($root) `via` `` $via
    `layer` custom<Count>($layer) `placed` $placement attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // MOZART_DIALECT_NOP_IR_NOPOPS_TD
