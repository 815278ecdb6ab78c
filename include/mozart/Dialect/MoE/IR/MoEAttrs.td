//===- MoEAttrs.td - Attributes of models -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_IR_MOEATTRS_TD
#define MOZART_DIALECT_MOE_IR_MOEATTRS_TD

include "mozart/Dialect/MoE/IR/MoEDialect.td"

def MoE_NormKindEnum : MoE_Enum<"NormKind", "how rows are normalised", [
  I32EnumAttrCase<"Rms", 0, "rms">, I32EnumAttrCase<"Layer", 1, "layer">]>;
def MoE_NormKindAttr : EnumAttr<MoE_Dialect, MoE_NormKindEnum, "norm_kind">;
def MoE_ScoreEnum : MoE_Enum<"Score", "how logits become scores", [
  I32EnumAttrCase<"Softmax", 0, "softmax">,
  I32EnumAttrCase<"Sigmoid", 1, "sigmoid">]>;
def MoE_ScoreOrderEnum : MoE_Enum<"ScoreOrder",
  "whether scores are taken before or after the selection", [
  I32EnumAttrCase<"BeforeSelection", 0, "before_selection">,
  I32EnumAttrCase<"AfterSelection", 1, "after_selection">]>;
def MoE_GroupScoreEnum : MoE_Enum<"GroupScore", "how a group of experts is ranked", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"TopTwoSum", 1, "top_two_sum">]>;
def MoE_ActivationEnum : MoE_Enum<"Activation", "the non-linearity of an FFN", [
  I32EnumAttrCase<"Swiglu", 0, "swiglu">,
  I32EnumAttrCase<"Geglu", 1, "geglu">,
  I32EnumAttrCase<"ClampedSwiglu", 2, "clamped_swiglu">,
  I32EnumAttrCase<"Gelu", 3, "gelu">,
  I32EnumAttrCase<"GeluTanh", 4, "gelu_tanh">,
  I32EnumAttrCase<"Relu", 5, "relu">,
  I32EnumAttrCase<"Silu", 6, "silu">]>;
def MoE_RopeStyleEnum : MoE_Enum<"RopeStyle", "which entries of a head turn together", [
  I32EnumAttrCase<"Half", 1, "half">,
  I32EnumAttrCase<"Interleaved", 2, "interleaved">]>;
def MoE_ProfileKindEnum : MoE_Enum<"ProfileKind", "where a routing profile is", [
  I32EnumAttrCase<"Embedded", 0, "embedded">, I32EnumAttrCase<"File", 1, "file">]>;

def MoE_ProfileKindAttr : EnumAttr<MoE_Dialect, MoE_ProfileKindEnum, "profile_kind">;

/// An enum with a default.
class MoE_DefaultEnum<EnumInfo info, string value> : EnumParameter<info> {
  let defaultValue = value;
}

/// A double, printed so that it reads back as the same value.
class MoE_Double<string desc = ""> : AttrOrTypeParameter<"::llvm::APFloat", desc> {
  let comparator = "$_lhs.bitwiseIsEqual($_rhs)";
  let parser = "::mozart::moe::detail::parseDouble($_parser)";
  let printer = "::mozart::moe::detail::printDouble($_printer, $_self)";
}
class MoE_DefaultDouble<string value> : MoE_Double {
  let defaultValue = "::llvm::APFloat(" # value # ")";
}

def MoE_ModelAttr : MoE_Attr<"Model", "model"> {
  let summary = "What a model function stands for";
  let description = [{
    The function covers `sequences` sequences of `sequence_length` tokens: one
    micro-batch of the `micro_batches` that make up a step.
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$sequences,
                        "int64_t":$sequence_length, "int64_t":$micro_batches);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getTokens() const { return getSequences() * getSequenceLength(); }
  }];
}

def MoE_PlacementAttr : MoE_Attr<"Placement", "placement"> {
  let summary = "Which chiplets hold which experts";
  let description = [{
    One entry per expert: the node of machine `machine` that holds it, or a list of
    nodes in ascending order where it has replicas.
    ```mlir
    #moe.placement<@toy, [2, 2, 3, [3, 4]]>
    ```
    The experts of a node, ascending, are its local experts 0, 1, 2, ...

    A pair of a token and an expert is computed on one of the expert's nodes. A
    token goes to those of its experts that are on one node only. Its others
    follow, in ascending order of their ids: of the n of the expert's nodes to
    which the token goes already, or else of all n, the one at place (row of the
    token in its micro-batch) mod n, in ascending order.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$machine,
      ArrayRefParameter<"int64_t">:$nodes, ArrayRefParameter<"int64_t">:$replicas);
  let builders = [AttrBuilder<(ins "::mlir::FlatSymbolRefAttr":$machine,
      "::llvm::ArrayRef<std::vector<int64_t>>":$nodesOf)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumExperts() const { return getReplicas().size(); }
    /// The nodes of each expert.
    std::vector<std::vector<int64_t>> getNodesOf() const;
    /// The experts of each node that has any, by ascending node.
    std::map<int64_t, std::vector<int64_t>> getExpertsOf() const;
    /// Every expert is on one node.
    bool isPartition() const { return getNodes().size() == getReplicas().size(); }
  }];
}

def MoE_RopeAttr : MoE_Attr<"Rope", "rope"> {
  let summary = "Rotary embedding of queries and keys";
  let description = [{
    Pair i of the first `dim` entries of a head, (i, i + dim/2) in style `half` and
    (2 i, 2 i + 1) in style `interleaved`, turns at position p by p times
    theta^(-2 i / dim) / factor. With `yarn_original_length` the frequencies are
    YaRN's (arXiv 2309.00071). Sines and cosines are multiplied by `magnitude`.
  }];
  let parameters = (ins EnumParameter<MoE_RopeStyleEnum>:$style,
    MoE_Double<>:$theta, "int64_t":$dim, MoE_DefaultDouble<"1.0">:$factor,
    DefaultValuedParameter<"int64_t", "0">:$yarn_original_length,
    MoE_DefaultDouble<"32.0">:$yarn_beta_fast,
    MoE_DefaultDouble<"1.0">:$yarn_beta_slow,
    MoE_DefaultDouble<"1.0">:$magnitude);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MoE_HeadsAttr : MoE_Attr<"Heads", "heads"> {
  let summary = "The shape of multi-head attention";
  let description = [{
    `query` heads share `kv` key-value heads, in order: head h uses key-value head
    h / (query / kv). Scores are multiplied by `scale` (usually 1 / sqrt(dim)).
    Norms of queries and keys act on each head where `qk_norm_per_head`, otherwise
    on all heads at once.
  }];
  let parameters = (ins "int64_t":$query, "int64_t":$kv, "int64_t":$dim,
    MoE_Double<>:$scale, DefaultValuedParameter<"bool", "true">:$causal,
    DefaultValuedParameter<"bool", "true">:$qk_norm_per_head,
    MoE_DefaultDouble<"1e-6">:$qk_norm_epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MoE_LatentHeadsAttr : MoE_Attr<"LatentHeads", "latent_heads"> {
  let summary = "The shape of multi-head latent attention";
  let description = [{
    DeepSeek-V2's attention (arXiv 2405.04434): `query_rank` 0 says that queries are
    not compressed. A query and a key head have `nope` plain and `rope` rotary
    entries, in this order; a value head has `value`.
  }];
  let parameters = (ins "int64_t":$query,
    DefaultValuedParameter<"int64_t", "0">:$query_rank,
    "int64_t":$kv_rank, "int64_t":$nope, "int64_t":$rope, "int64_t":$value,
    MoE_Double<>:$scale, DefaultValuedParameter<"bool", "true">:$causal,
    MoE_DefaultDouble<"1e-6">:$norm_epsilon);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MoE_GateAttr : MoE_Attr<"Gate", "gate"> {
  let summary = "How experts are chosen and weighed";
  let description = [{
    Logits become scores by `score`, over all experts where `order` is
    `before_selection`, else over the chosen ones. The `k` highest are chosen; of
    equal ones, the lowest id. With `groups` > 1, only experts of the
    `kept_groups` best groups (ranked by `group_score`; equal groups: the lowest) may
    be chosen. A selection bias, an operand of the op, counts in both choices and
    not in the weights. The weights are the scores of the chosen experts, divided by
    their sum plus `renormalize_epsilon` if `renormalize`, times `scale`. Slots are in
    order of descending choice.
  }];
  let parameters = (ins "int64_t":$k, EnumParameter<MoE_ScoreEnum>:$score,
    MoE_DefaultEnum<MoE_ScoreOrderEnum, "ScoreOrder::BeforeSelection">:$order,
    DefaultValuedParameter<"bool", "false">:$renormalize,
    MoE_DefaultDouble<"0.0">:$renormalize_epsilon,
    MoE_DefaultDouble<"1.0">:$scale,
    DefaultValuedParameter<"int64_t", "1">:$groups,
    DefaultValuedParameter<"int64_t", "1">:$kept_groups,
    MoE_DefaultEnum<MoE_GroupScoreEnum, "GroupScore::Max">:$group_score);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MoE_FfnAttr : MoE_Attr<"Ffn", "ffn"> {
  let summary = "The kind of a feed-forward network";
  let description = [{
    `swiglu` and `geglu` are down(act(gate(x)) * up(x)) with silu and gelu.
    `clamped_swiglu` clamps gate(x) from above and up(x) on both sides at `limit`,
    and is down(g sigmoid(alpha g) (u + 1)) (gpt-oss). `gelu`, `gelu_tanh`, `relu` and
    `silu` are down(act(up(x))), without a gate.
  }];
  let parameters = (ins EnumParameter<MoE_ActivationEnum>:$activation,
    MoE_DefaultDouble<"7.0">:$limit, MoE_DefaultDouble<"1.702">:$alpha);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isGated() const {
      return getActivation() == Activation::Swiglu ||
             getActivation() == Activation::Geglu ||
             getActivation() == Activation::ClampedSwiglu;
    }
  }];
}

#endif // MOZART_DIALECT_MOE_IR_MOEATTRS_TD
