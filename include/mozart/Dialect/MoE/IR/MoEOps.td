//===- MoEOps.td - Ops of the model dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_IR_MOEOPS_TD
#define MOZART_DIALECT_MOE_IR_MOEOPS_TD

include "mozart/Dialect/MoE/IR/MoEAttrs.td"
include "mozart/Dialect/MoE/IR/MoEInterfaces.td"
include "mozart/Dialect/MoE/IR/MoETypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def MoE_Tensor : RankedTensorOf<[AnyFloat]>;
def MoE_Rows : TensorRankOf<[AnyFloat], [2]>;
def MoE_Vector : TensorRankOf<[AnyFloat], [1]>;
def MoE_Matrix : TensorRankOf<[AnyFloat], [2]>;
def MoE_Stack : TensorRankOf<[AnyFloat], [2, 3]>;
def MoE_Counts : TensorRankOf<[Index], [1]>;
def MoE_Mask : TensorRankOf<[I1], [1]>;

/// An op that a chiplet executes: pure, costed, with a kernel.
class MoE_KernelOp<string mnemonic, list<Trait> traits = []>
    : MoE_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<KernelOpInterface>,
        DeclareOpInterfaceMethods<CostOpInterface>], traits)> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def MoE_NormOp : MoE_KernelOp<"norm"> {
  let summary = "Normalises each row";
  let description = [{
    `rms`: x / sqrt(mean(x^2) + epsilon) * weight. `layer`: (x - mean) / sqrt(variance
    + epsilon) * weight + bias; only it takes a bias.

    ```mlir
    %1 = moe.norm rms %x, %w epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins MoE_NormKindAttr:$kind,
                       MoE_Rows:$input, MoE_Vector:$weight,
                       Optional<MoE_Vector>:$bias, F64Attr:$epsilon);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    `` $kind $input `,` $weight (`bias` $bias^)? `epsilon` custom<Double>($epsilon)
    attr-dict `:` functional-type(operands, results)
  }];
}

def MoE_AddOp : MoE_KernelOp<"add", [SameOperandsAndResultType]> {
  let summary = "Adds two activations, such as a residual";
  let arguments = (ins MoE_Rows:$lhs, MoE_Rows:$rhs);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def MoE_LinearOp : MoE_KernelOp<"linear"> {
  let summary = "x [T,H] times weight [H,N], plus a bias [N] if given";
  let arguments = (ins MoE_Rows:$input, MoE_Matrix:$weight,
                       Optional<MoE_Vector>:$bias);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def MoE_AttentionOp : MoE_KernelOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "Multi-head attention of each sequence with itself";
  let description = [{
    Rows of `input` are `sequences` sequences of equal length, one after another; a
    token sees its own sequence (up to itself where causal). Weights: query [H, query
    dim], key and value [H, kv dim], output [query dim, H]; their biases; and norms of
    queries and keys, of [dim] where per head, else of [query dim] and [kv dim].
    Order: projection, bias, norm (rms), rotation, scores.
  }];
  let arguments = (ins MoE_Rows:$input, MoE_Matrix:$query, MoE_Matrix:$key,
    MoE_Matrix:$value, MoE_Matrix:$output,
    Variadic<MoE_Vector>:$biases, Optional<MoE_Vector>:$output_bias,
    Variadic<MoE_Vector>:$qk_norms,
    I64Attr:$sequences, MoE_HeadsAttr:$heads, OptionalAttr<MoE_RopeAttr>:$rope);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    $input `weights` `(` $query `,` $key `,` $value `,` $output `)`
    (`biases` `(` $biases^ `)`)? (`output_bias` $output_bias^)?
    (`qk_norms` `(` $qk_norms^ `)`)?
    `sequences` custom<Count>($sequences) `heads` $heads (`rope` $rope^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def MoE_LatentAttentionOp : MoE_KernelOp<"latent_attention"> {
  let summary = "Multi-head latent attention of each sequence with itself";
  let description = [{
    Weights, in order: with query_rank: query_a [H, query_rank], its norm
    [query_rank], query_b [query_rank, query (nope + rope)]; without: query [H, query
    (nope + rope)]. Then kv_a [H, kv_rank + rope], the norm of its first kv_rank
    columns [kv_rank], kv_b [kv_rank, query (nope + value)], output [query value, H].
    The last `rope` columns of kv_a are one rotary key, shared by all heads.
  }];
  let arguments = (ins MoE_Rows:$input, Variadic<MoE_Tensor>:$weights,
    I64Attr:$sequences, MoE_LatentHeadsAttr:$heads, OptionalAttr<MoE_RopeAttr>:$rope);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    $input `weights` `(` $weights `)` `sequences` custom<Count>($sequences)
    `heads` $heads (`rope` $rope^)? attr-dict `:` functional-type(operands, results)
  }];
}

def MoE_FfnOp : MoE_KernelOp<"ffn", [AttrSizedOperandSegments]> {
  let summary = "A feed-forward network that every token goes through";
  let description = [{
    Dense layers and shared experts. Weights: gate (gated kinds only) and up [H,F],
    down [F,H]; biases in the same order. With `output_gate` [H,1] the result of a row
    is multiplied by sigmoid(row output_gate).
  }];
  let arguments = (ins MoE_Rows:$input, Variadic<MoE_Matrix>:$weights,
    Variadic<MoE_Vector>:$biases, Optional<MoE_Matrix>:$output_gate,
    MoE_FfnAttr:$kind, UnitAttr:$shared);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    (`shared` $shared^)? $input `weights` `(` $weights `)`
    (`biases` `(` $biases^ `)`)? (`output_gate` $output_gate^)? $kind
    attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Routing
//===----------------------------------------------------------------------===//

def MoE_RouterOp : MoE_KernelOp<"router"> {
  let summary = "Logits of experts: x [T,H] times weight [H,E], plus a bias [E]";
  let description = [{
    Computed in the element type of the result, which is f32 in all imported models.
  }];
  let arguments = (ins MoE_Rows:$input, MoE_Matrix:$weight,
                       Optional<MoE_Vector>:$bias);
  let results = (outs MoE_Rows:$logits);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

class MoE_LayerOp<string mnemonic, list<Trait> traits = []>
    : MoE_KernelOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<MoELayerOpInterface, ["getNumExperts"]>], traits)>;

def MoE_RouteOp : MoE_LayerOp<"route", [AttrSizedOperandSegments]> {
  let summary = "Chooses and weighs the k experts of each token";
  let description = [{
    See `#moe.gate`. `padding` marks tokens that are none: they go to no expert.

    ```mlir
    %r = moe.route %logits <k = 2, score = softmax> layer 0
       : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
    ```
  }];
  let arguments = (ins MoE_Rows:$logits, Optional<MoE_Vector>:$selection_bias,
    Optional<MoE_Mask>:$padding, MoE_GateAttr:$gate, I64Attr:$layer,
    OptionalAttr<MoE_PlacementAttr>:$placement);
  let results = (outs MoE_RoutingType:$routing);
  let assemblyFormat = [{
    $logits (`selection_bias` $selection_bias^)? (`padding` $padding^)? $gate
    `layer` custom<Count>($layer) (`placed` $placement^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def MoE_DispatchOp : MoE_LayerOp<"dispatch"> {
  let summary = "Copies each token once for each of its experts";
  let description = [{
    Rows come in order (expert, token, slot); `counts` says how many each expert has.
    Rows past their sum are zero.
  }];
  let arguments = (ins MoE_Rows:$input, MoE_RoutingType:$routing, I64Attr:$layer,
                       OptionalAttr<MoE_PlacementAttr>:$placement);
  let results = (outs MoE_Rows:$rows, MoE_Counts:$counts);
  let assemblyFormat = [{
    $input `by` $routing `layer` custom<Count>($layer) (`placed` $placement^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def MoE_ExpertsOp : MoE_LayerOp<"experts",
    [AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<ExpertBodyInterface, ["getStackedWeights"]>]> {
  let summary = "The FFN of each expert on its rows";
  let description = [{
    The first counts[0] rows go through expert 0, the next counts[1] through expert 1,
    and so on; rows past the sum of the counts become zero. Weights are stacked over
    experts: gate (gated kinds only) and up [E,H,F], down [E,F,H]; biases [E,F], [E,F],
    [E,H] in the same order.
  }];
  let arguments = (ins MoE_Rows:$rows, MoE_Counts:$counts,
    Variadic<MoE_Stack>:$weights, Variadic<MoE_Stack>:$biases, MoE_FfnAttr:$kind,
    I64Attr:$layer, OptionalAttr<MoE_PlacementAttr>:$placement);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    $rows `counts` $counts `weights` `(` $weights `)` (`biases` `(` $biases^ `)`)?
    $kind `layer` custom<Count>($layer) (`placed` $placement^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def MoE_CustomExpertsOp : MoE_LayerOp<"custom_experts",
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">,
     DeclareOpInterfaceMethods<ExpertBodyInterface, ["getStackedWeights"]>]> {
  let summary = "Experts with a body of their own";
  let description = [{
    The region computes one expert: its arguments are the expert's rows, tensor<?xH>,
    and one slice of each stacked weight (the leading axis dropped); it yields rows of
    the result's width. The kernel is registered as `name` from the body.
  }];
  let arguments = (ins MoE_Rows:$rows, MoE_Counts:$counts,
    Variadic<MoE_Tensor>:$weights, I64Attr:$layer,
    OptionalAttr<MoE_PlacementAttr>:$placement, StrAttr:$name);
  let results = (outs MoE_Rows:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name $rows `counts` $counts `weights` `(` $weights `)` `layer`
    custom<Count>($layer) (`placed` $placement^)? attr-dict `:`
    functional-type(operands, results) $body
  }];
}

def MoE_YieldOp : MoE_Op<"yield", [Pure, Terminator, ReturnLike,
                                   HasParent<"CustomExpertsOp">]> {
  let summary = "The result of an expert";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def MoE_CombineOp : MoE_LayerOp<"combine"> {
  let summary = "Sums the weighted rows of each token";
  let description = [{
    Row t of the result is the sum over the slots of token t, in order, of gate weight
    times the slot's row. The transpose of `moe.dispatch` with weights. `rows` are in
    the order of `moe.dispatch`.
  }];
  let arguments = (ins MoE_Rows:$rows, MoE_RoutingType:$routing, I64Attr:$layer,
                       OptionalAttr<MoE_PlacementAttr>:$placement);
  let results = (outs MoE_Rows:$result);
  let assemblyFormat = [{
    $rows `by` $routing `layer` custom<Count>($layer) (`placed` $placement^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Routing values as tensors
//===----------------------------------------------------------------------===//

def MoE_UnpackOp : MoE_Op<"unpack", [Pure]> {
  let summary = "The ids [T,k] and gate weights [T,k] of a routing";
  let arguments = (ins MoE_RoutingType:$routing);
  let results = (outs TensorRankOf<[I32], [2]>:$ids, MoE_Rows:$weights);
  let assemblyFormat = "$routing attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def MoE_PackOp : MoE_Op<"pack", [Pure]> {
  let summary = "A routing from ids [T,k] and gate weights [T,k]";
  let arguments = (ins TensorRankOf<[I32], [2]>:$ids, MoE_Rows:$weights);
  let results = (outs MoE_RoutingType:$routing);
  let assemblyFormat =
    "$ids `,` $weights attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

def MoE_ProfileOp : MoE_Op<"profile", [Symbol]> {
  let summary = "Names the routing profile of a module";
  let description = [{
    Placement reads the first profile of the module where no trace is named. `embedded`
    is a trace that comes with the library, `file` a path.
    ```mlir
    moe.profile @profile embedded "olmoe-1b-7b"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    MoE_ProfileKindAttr:$kind, StrAttr:$source);
  let assemblyFormat = "$sym_name `` $kind $source attr-dict";
  let hasVerifier = 1;
}

#endif // MOZART_DIALECT_MOE_IR_MOEOPS_TD
