//===- HFModelBuilder.cpp - From a model's sizes to its module -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HFModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

namespace {

/// Builds the function layer by layer. Weights become arguments in the order in
/// which they are used; their names are the locations of the arguments.
class ModelBuilder {
public:
  ModelBuilder(const HFModel &model, MLIRContext *context)
      : model(model), builder(context),
        element(llvm::StringSwitch<Type>(model.elementType)
                    .Case("f16", builder.getF16Type())
                    .Case("bf16", builder.getBF16Type())
                    .Case("f32", builder.getF32Type())
                    .Default(builder.getF64Type())) {}

  OwningOpRef<ModuleOp> build();

private:
  Value buildLayer(Value tokens, int64_t layer);
  Value buildNorm(Value input, const Twine &name);
  Value buildAttention(Value input, const Twine &name);
  Value buildLatentAttention(Value input, const Twine &name);
  Value buildFfn(Value input, int64_t inner, const Twine &name, bool shared,
                 Value outputGate = {});
  Value buildExperts(Value input, const Twine &name, int64_t ordinal);
  Value buildShared(Value input, const Twine &name);
  RoutingType getRoutingType() {
    return RoutingType::get(builder.getContext(), model.tokens, model.gate.k,
                            model.experts, builder.getF32Type(), false);
  }

  RankedTensorType tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  }
  Location name(const Twine &text) {
    return NameLoc::get(builder.getStringAttr(text));
  }
  /// A new weight.
  Value weight(RankedTensorType type, const Twine &text) {
    return entry->addArgument(type, name(text));
  }
  Value weight(ArrayRef<int64_t> shape, const Twine &text) {
    return weight(tensor(shape), text);
  }
  RopeAttr getRope() const;
  llvm::APFloat real(double value) const { return llvm::APFloat(value); }

  const HFModel &model;
  OpBuilder builder;
  Type element;
  Block *entry = nullptr;
  RankedTensorType activations;
  int64_t moeLayers = 0;
};

} // namespace

RopeAttr ModelBuilder::getRope() const {
  const RopeParams &rope = model.attention.rope;
  return RopeAttr::get(builder.getContext(),
                       rope.style == mozart::RopeStyle::Half
                           ? moe::RopeStyle::Half
                           : moe::RopeStyle::Interleaved,
                       real(rope.theta), rope.rotaryDim, real(rope.factor),
                       rope.yarnOriginalLength, real(rope.yarnBetaFast),
                       real(rope.yarnBetaSlow), real(rope.magnitude));
}

Value ModelBuilder::buildNorm(Value input, const Twine &text) {
  Value scale = weight({model.hidden}, text);
  return NormOp::create(builder, name(text + ".out"), input.getType(),
                        moe::NormKind::Rms, input, scale, /*bias=*/Value(),
                        real(model.normEpsilon));
}

Value ModelBuilder::buildAttention(Value input, const Twine &text) {
  const HFAttention &attention = model.attention;
  int64_t hidden = model.hidden;
  int64_t queries = attention.heads * attention.headDim;
  int64_t keys = attention.kvHeads * attention.headDim;
  Value query = weight({hidden, queries}, text + ".q_proj");
  Value key = weight({hidden, keys}, text + ".k_proj");
  Value value = weight({hidden, keys}, text + ".v_proj");
  SmallVector<Value> biases, norms;
  if (attention.inputBiases)
    biases = {weight({queries}, text + ".q_bias"),
              weight({keys}, text + ".k_bias"),
              weight({keys}, text + ".v_bias")};
  bool perHead = attention.qkNorm != QkNorm::AllHeads;
  if (attention.qkNorm != QkNorm::None)
    norms = {weight({perHead ? attention.headDim : queries}, text + ".q_norm"),
             weight({perHead ? attention.headDim : keys}, text + ".k_norm")};
  Value output = weight({queries, hidden}, text + ".o_proj");
  Value outputBias;
  if (attention.outputBias)
    outputBias = weight({hidden}, text + ".o_bias");
  // An epsilon that nothing uses stays at its default.
  auto heads =
      HeadsAttr::get(builder.getContext(), attention.heads, attention.kvHeads,
                     attention.headDim, real(attention.scale), /*causal=*/true,
                     perHead, real(norms.empty() ? 1e-6 : model.normEpsilon));
  return AttentionOp::create(builder, name(text + ".out"), activations, input,
                             query, key, value, output, biases, outputBias,
                             norms, builder.getI64IntegerAttr(model.sequences),
                             heads, getRope());
}

Value ModelBuilder::buildLatentAttention(Value input, const Twine &text) {
  const HFAttention &attention = model.attention;
  int64_t hidden = model.hidden;
  int64_t queries = attention.heads * (attention.nopeDim + attention.ropeDim);
  SmallVector<Value> weights;
  if (attention.queryRank) {
    weights.push_back(weight({hidden, attention.queryRank}, text + ".q_a"));
    weights.push_back(weight({attention.queryRank}, text + ".q_a_norm"));
    weights.push_back(weight({attention.queryRank, queries}, text + ".q_b"));
  } else {
    weights.push_back(weight({hidden, queries}, text + ".q_proj"));
  }
  weights.push_back(
      weight({hidden, attention.kvRank + attention.ropeDim}, text + ".kv_a"));
  weights.push_back(weight({attention.kvRank}, text + ".kv_a_norm"));
  weights.push_back(
      weight({attention.kvRank,
              attention.heads * (attention.nopeDim + attention.valueDim)},
             text + ".kv_b"));
  weights.push_back(
      weight({attention.heads * attention.valueDim, hidden}, text + ".o_proj"));
  // The norms of compressed queries and keys have an epsilon of their own,
  // which no configuration states.
  auto heads = LatentHeadsAttr::get(
      builder.getContext(), attention.heads, attention.queryRank,
      attention.kvRank, attention.nopeDim, attention.ropeDim,
      attention.valueDim, real(attention.scale), /*causal=*/true, real(1e-6));
  return LatentAttentionOp::create(
      builder, name(text + ".out"), activations, input, weights,
      builder.getI64IntegerAttr(model.sequences), heads, getRope());
}

Value ModelBuilder::buildFfn(Value input, int64_t inner, const Twine &text,
                             bool shared, Value outputGate) {
  SmallVector<Value> weights = {
      weight({model.hidden, inner}, text + ".gate_proj"),
      weight({model.hidden, inner}, text + ".up_proj"),
      weight({inner, model.hidden}, text + ".down_proj")};
  auto kind = FfnAttr::get(builder.getContext(), model.activation, real(7.0),
                           real(1.702));
  auto ffn =
      FfnOp::create(builder, name(text + ".out"), activations, input, weights,
                    /*biases=*/ValueRange(), outputGate, kind, shared);
  return ffn;
}

Value ModelBuilder::buildExperts(Value input, const Twine &text,
                                 int64_t ordinal) {
  const HFGate &gate = model.gate;
  MLIRContext *context = builder.getContext();
  IntegerAttr layer = builder.getI64IntegerAttr(ordinal);
  // Experts are chosen in single precision, whatever the activations are in.
  auto logitsType = RankedTensorType::get({model.tokens, model.experts},
                                          builder.getF32Type());
  Value router = weight(RankedTensorType::get({model.hidden, model.experts},
                                              builder.getF32Type()),
                        text + ".gate");
  Value logits = RouterOp::create(builder, name(text + ".logits"), logitsType,
                                  input, router, /*bias=*/Value());
  Value bias;
  if (gate.selectionBias)
    bias = weight(RankedTensorType::get({model.experts}, builder.getF32Type()),
                  text + ".selection_bias");
  auto gateAttr = GateAttr::get(
      context, gate.k, gate.score, moe::ScoreOrder::BeforeSelection,
      gate.renormalize, real(gate.renormalize ? gate.renormalizeEpsilon : 0),
      real(gate.scale), gate.groups, gate.keptGroups, gate.groupScore);
  Value routing = RouteOp::create(
      builder, name(text + ".routing"), getRoutingType(), logits, bias,
      /*padding=*/Value(), gateAttr, layer, PlacementAttr());
  auto rowsType = tensor({model.tokens * gate.k, model.hidden});
  auto countsType =
      RankedTensorType::get({model.experts}, builder.getIndexType());
  auto dispatch =
      DispatchOp::create(builder, name(text + ".dispatch"), rowsType,
                         countsType, input, routing, layer, PlacementAttr());
  int64_t inner = model.expertInner;
  SmallVector<Value> weights = {
      weight({model.experts, model.hidden, inner}, text + ".experts.gate_proj"),
      weight({model.experts, model.hidden, inner}, text + ".experts.up_proj"),
      weight({model.experts, inner, model.hidden},
             text + ".experts.down_proj")};
  auto kind = FfnAttr::get(context, model.activation, real(7.0), real(1.702));
  Value rows =
      ExpertsOp::create(builder, name(text + ".experts.out"), rowsType,
                        dispatch.getRows(), dispatch.getCounts(), weights,
                        /*biases=*/ValueRange(), kind, layer, PlacementAttr());
  return CombineOp::create(builder, name(text + ".combine"), activations, rows,
                           routing, layer, PlacementAttr());
}

Value ModelBuilder::buildShared(Value input, const Twine &text) {
  Value gate;
  if (model.sharedGated)
    gate = weight({model.hidden, 1}, text + ".output_gate");
  return buildFfn(input, model.sharedInner, text, /*shared=*/true, gate);
}

/// A block that normalises before each half and adds its result to its input.
Value ModelBuilder::buildLayer(Value tokens, int64_t index) {
  std::string layer = ("layers." + Twine(index)).str();
  std::string attention = layer + ".self_attn", mlp = layer + ".mlp";
  auto add = [&](Value residual, Value value, const Twine &text) -> Value {
    return AddOp::create(builder, name(text), activations, residual, value);
  };
  Value normed = buildNorm(tokens, layer + ".input_layernorm");
  Value attended = model.attention.isLatent()
                       ? buildLatentAttention(normed, attention)
                       : buildAttention(normed, attention);
  tokens = add(tokens, attended, layer + ".attended");
  normed = buildNorm(tokens, layer + ".post_attention_layernorm");
  if (!model.isMoE[index])
    return add(tokens,
               buildFfn(normed, model.denseInner, mlp, /*shared=*/false),
               layer + ".out");
  Value result = buildExperts(normed, mlp, moeLayers++);
  if (model.sharedInner)
    result =
        add(result, buildShared(normed, mlp + ".shared_experts"), mlp + ".out");
  return add(tokens, result, layer + ".out");
}

OwningOpRef<ModuleOp> ModelBuilder::build() {
  MLIRContext *context = builder.getContext();
  Location unknown = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
  builder.setInsertionPointToEnd(module->getBody());
  if (!model.profile.empty())
    ProfileOp::create(builder, unknown, builder.getStringAttr("profile"),
                      ProfileKindAttr::get(context, ProfileKind::Embedded),
                      builder.getStringAttr(model.profile));
  auto function = func::FuncOp::create(builder, unknown, "forward",
                                       builder.getFunctionType({}, {}));
  function->setAttr("moe.model",
                    ModelAttr::get(context, model.name, model.sequences,
                                   model.sequenceLength, model.microBatches));
  entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  activations = tensor({model.tokens, model.hidden});

  Value tokens = entry->addArgument(activations, name("tokens"));
  for (size_t layer = 0; layer < model.isMoE.size(); ++layer)
    tokens = buildLayer(tokens, layer);
  tokens = buildNorm(tokens, "norm");
  func::ReturnOp::create(builder, unknown, tokens);

  function.setType(
      builder.getFunctionType(entry->getArgumentTypes(), {activations}));
  SmallVector<Attribute> attributes = {builder.getDictionaryAttr({})};
  for (BlockArgument weight : llvm::drop_begin(entry->getArguments()))
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        "moe.param", cast<NameLoc>(weight.getLoc()).getName())));
  function.setAllArgAttrs(attributes);
  return module;
}

OwningOpRef<ModuleOp> mozart::buildHFModel(const HFModel &model,
                                           MLIRContext *context) {
  return ModelBuilder(model, context).build();
}
