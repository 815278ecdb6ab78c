//===- HFFamilies.cpp - What each family means by its keys -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same key, and above all its absence, means different things under
// different values of `model_type`. Sizes and whatever else changes numbers
// must be stated, except where its absence has one meaning in the family.
//
//===----------------------------------------------------------------------===//

#include "HFConfig.h"
#include "HFModel.h"
#include "HFRope.h"

#include "mozart/Routing/SyntheticRouter.h"

#include <cmath>

using namespace mozart;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// What families share
//===----------------------------------------------------------------------===//

static int64_t getExperts(HFConfig &config) {
  return config.getInt({"num_experts", "n_routed_experts", "num_local_experts",
                        "moe_num_experts"});
}

static void readK(HFConfig &config, HFModel &model) {
  StringRef spellings[] = {"num_experts_per_tok", "num_experts_per_token",
                           "experts_per_token",   "moe_k",
                           "top_k_experts",       "num_selects"};
  model.gate.k = config.getInt(spellings);
  config.requireAtMost(config.find(spellings), model.gate.k, model.experts,
                       "the number of experts");
}

/// `intermediate_size` is the width of an expert only where none is stated.
static int64_t getExpertInner(HFConfig &config) {
  if (config.has("moe_intermediate_size"))
    return config.getInt({"moe_intermediate_size"});
  return config.getInt({"intermediate_size"});
}

static moe::Activation getActivation(HFConfig &config) {
  std::string name = config.getString({"hidden_act"}, "silu");
  if (name == "silu" || name == "swish")
    return moe::Activation::Swiglu;
  if (name == "gelu")
    return moe::Activation::Geglu;
  config.error("hidden_act", "'hidden_act' is '" + Twine(name) +
                                 "', expected 'silu' or 'gelu'");
  return moe::Activation::Swiglu;
}

/// Sequences longer than the window would not see all of themselves. The key
/// `sliding_window` counts only where `use_sliding_window` is not false;
/// `windowsByDefault` is what a missing one means. A list of `layer_types` may
/// name kinds of attention that see everything.
static void refuseWindow(HFConfig &config, const HFModel &model,
                         bool windowsByDefault) {
  bool mayHaveWindows = false;
  for (const std::string &type : config.getStrings("layer_types")) {
    mayHaveWindows |= type == "sliding_attention";
    if (type != "full_attention" && type != "sliding_attention")
      return config.error("layer_types", "'layer_types' names '" + Twine(type) +
                                             "', expected 'full_attention'");
  }
  if (!mayHaveWindows &&
      !config.getBool("use_sliding_window", windowsByDefault))
    return;
  if (mayHaveWindows && !config.has("sliding_window"))
    return config.error("layer_types", "'layer_types' names "
                                       "'sliding_attention' without a "
                                       "'sliding_window', expected its length");
  int64_t window = config.getInt({"sliding_window"}, 1, model.sequenceLength);
  if (window < model.sequenceLength)
    config.error("sliding_window",
                 "'sliding_window' is " + Twine(window) +
                     ", expected null or at least the sequence length (" +
                     Twine(model.sequenceLength) +
                     "): attention over a window is not supported");
}

/// Attention with heads of their own keys and values, or shared ones.
static void readAttention(HFConfig &config, HFModel &model,
                          bool statesKvHeads) {
  HFAttention &attention = model.attention;
  attention.heads = config.getInt({"num_attention_heads", "n_head"});
  attention.kvHeads = statesKvHeads ? config.getInt({"num_key_value_heads"})
                                    : config.getInt({"num_key_value_heads"}, 1,
                                                    attention.heads);
  if (attention.heads % attention.kvHeads)
    config.error("num_key_value_heads",
                 "'num_key_value_heads' is " + Twine(attention.kvHeads) +
                     ", expected a divisor of the " + Twine(attention.heads) +
                     " attention heads");
  if (config.has("head_dim"))
    attention.headDim = config.getInt({"head_dim"});
  else if (model.hidden % attention.heads)
    config.error("num_attention_heads",
                 "'num_attention_heads' is " + Twine(attention.heads) +
                     ", expected a divisor of the hidden size (" +
                     Twine(model.hidden) + "), or a 'head_dim'");
  else
    attention.headDim = model.hidden / attention.heads;
  attention.scale = 1 / std::sqrt(static_cast<double>(attention.headDim));
  double share = config.getDouble({"partial_rotary_factor"}, 1.0);
  if (share > 1)
    config.error("partial_rotary_factor",
                 "'partial_rotary_factor' is above 1, expected at most 1");
  double unusedScale;
  attention.rope = readHFRope(
      config, RopeStyle::Half,
      static_cast<int64_t>(static_cast<double>(attention.headDim) * share),
      unusedScale);
}

/// Biases on all four projections, or on none.
static void readAttentionBias(HFConfig &config, HFModel &model) {
  model.attention.inputBiases = config.getBool("attention_bias", false);
  model.attention.outputBias = model.attention.inputBiases;
}

/// Keys that all families have.
static void readTrunk(HFConfig &config, HFModel &model) {
  model.hidden = config.getInt({"hidden_size", "n_embd", "d_model"});
  model.normEpsilon = config.getDouble({"rms_norm_eps"});
  model.activation = getActivation(config);
  // A layer is some twenty ops. More layers than this are a slip of the pen.
  constexpr int64_t kMostLayers = 4096;
  StringRef layers[] = {"num_hidden_layers", "n_layer", "num_layers"};
  int64_t count = config.getInt(layers);
  config.requireAtMost(config.find(layers), count, kMostLayers,
                       "the most that are unrolled");
  model.isMoE.assign(config.failed() ? 1 : count, true);
}

/// The width of the layers without experts, if there are any; at least one has
/// them.
static void readDenseLayers(HFConfig &config, HFModel &model) {
  if (!llvm::is_contained(model.isMoE, true))
    config.error("", "none of the " + Twine(model.isMoE.size()) +
                         " layers has experts, expected at least one");
  if (llvm::is_contained(model.isMoE, false))
    model.denseInner = config.getInt({"intermediate_size"});
}

//===----------------------------------------------------------------------===//
// OLMoE, Mixtral
//===----------------------------------------------------------------------===//

static void readOlmoe(HFConfig &config, HFModel &model) {
  readAttention(config, model, /*statesKvHeads=*/false);
  readAttentionBias(config, model);
  model.attention.qkNorm = QkNorm::AllHeads;
  refuseWindow(config, model, /*windowsByDefault=*/true);
  config.requireOff("clip_qkv",
                    "clipped queries, keys and values are not supported");
  model.experts = getExperts(config);
  readK(config, model);
  model.expertInner = getExpertInner(config);
  model.gate.renormalize = config.getBool("norm_topk_prob", false);
}

static void readMixtral(HFConfig &config, HFModel &model) {
  readAttention(config, model, /*statesKvHeads=*/true);
  readAttentionBias(config, model);
  model.experts = getExperts(config);
  readK(config, model);
  model.expertInner = getExpertInner(config);
  refuseWindow(config, model, /*windowsByDefault=*/true);
  model.gate.renormalize = true;
  if (!config.getBool("norm_topk_prob", true))
    config.error("norm_topk_prob", "'norm_topk_prob' is false, expected true: "
                                   "Mixtral renormalises always");
}

//===----------------------------------------------------------------------===//
// Qwen
//===----------------------------------------------------------------------===//

/// Layer i has experts unless it is listed, if (i + 1) is a multiple of the
/// step.
static void readQwenLayers(HFConfig &config, HFModel &model) {
  int64_t step = config.getInt({"decoder_sparse_step"}, 1, 1);
  int64_t count = model.isMoE.size();
  for (int64_t i = 0; i < count; ++i)
    model.isMoE[i] = (i + 1) % step == 0;
  for (int64_t i : config.getInts("mlp_only_layers")) {
    if (i < 0 || i >= count)
      return config.error("mlp_only_layers",
                          "'mlp_only_layers' names layer " + Twine(i) +
                              ", expected layers in [0, " + Twine(count) + ")");
    model.isMoE[i] = false;
  }
  readDenseLayers(config, model);
}

static void readQwen3(HFConfig &config, HFModel &model) {
  readAttention(config, model, /*statesKvHeads=*/true);
  readAttentionBias(config, model);
  refuseWindow(config, model, /*windowsByDefault=*/false);
  model.attention.qkNorm = QkNorm::PerHead;
  model.experts = getExperts(config);
  readK(config, model);
  model.expertInner = config.getInt({"moe_intermediate_size"});
  model.gate.renormalize = config.getBool("norm_topk_prob", false);
  readQwenLayers(config, model);
}

static void readQwen2(HFConfig &config, HFModel &model) {
  readAttention(config, model, /*statesKvHeads=*/true);
  refuseWindow(config, model, /*windowsByDefault=*/false);
  model.attention.inputBiases = config.getBool("qkv_bias", true);
  model.experts = getExperts(config);
  readK(config, model);
  model.expertInner = config.getInt({"moe_intermediate_size"});
  model.gate.renormalize = config.getBool("norm_topk_prob", false);
  model.sharedInner = config.getInt({"shared_expert_intermediate_size"});
  model.sharedGated = true;
  readQwenLayers(config, model);
}

//===----------------------------------------------------------------------===//
// DeepSeek
//===----------------------------------------------------------------------===//

static void requireString(HFConfig &config, StringRef key, StringRef expected) {
  std::string found = config.getString({key}, expected);
  if (found != expected)
    config.error(key, "'" + key + "' is '" + found + "', expected '" +
                          expected + "'");
}

/// Reads `norm_topk_prob`.
static void readRenormalize(HFConfig &config, HFModel &model, bool missing) {
  model.gate.renormalize = config.getBool("norm_topk_prob", missing);
  if (model.gate.renormalize && model.gate.k == 1)
    config.error("norm_topk_prob",
                 "'norm_topk_prob' is true for one expert a token, expected "
                 "false: published code disagrees whether DeepSeek models "
                 "renormalise a single weight");
}

static void readDeepSeekExperts(HFConfig &config, HFModel &model,
                                bool statesFirstDense) {
  model.experts = getExperts(config);
  readK(config, model);
  model.expertInner = config.getInt({"moe_intermediate_size"});
  model.sharedInner =
      config.multiply(config.getInt({"n_shared_experts"}, 0, 0),
                      model.expertInner, "inner entries of shared experts");
  model.gate.renormalizeEpsilon = 1e-20;
  refuseWindow(config, model, /*windowsByDefault=*/true);

  int64_t count = model.isMoE.size();
  int64_t firstMoE = statesFirstDense
                         ? config.getInt({"first_k_dense_replace"}, 0)
                         : config.getInt({"first_k_dense_replace"}, 0, 0);
  config.requireAtMost("first_k_dense_replace", firstMoE, count,
                       "the number of layers");
  int64_t frequency = config.getInt({"moe_layer_freq"}, 1, 1);
  for (int64_t i = 0; i < count; ++i)
    model.isMoE[i] = i >= firstMoE && i % frequency == 0;
  readDenseLayers(config, model);
}

/// DeepSeek-MoE, the first.
static void readDeepSeek(HFConfig &config, HFModel &model) {
  readAttention(config, model, /*statesKvHeads=*/false);
  readAttentionBias(config, model);
  readDeepSeekExperts(config, model, /*statesFirstDense=*/false);
  requireString(config, "scoring_func", "softmax");
  readRenormalize(config, model, /*missing=*/false);
}

static void readLatentAttention(HFConfig &config, HFModel &model) {
  HFAttention &attention = model.attention;
  attention.heads = config.getInt({"num_attention_heads"});
  if (config.getInt({"num_key_value_heads"}, 1, attention.heads) !=
      attention.heads)
    config.error("num_key_value_heads",
                 "'num_key_value_heads' differs from 'num_attention_heads' (" +
                     Twine(attention.heads) +
                     "), expected the same: latent attention has no groups");
  attention.queryRank = config.getInt({"q_lora_rank"}, 1, 0);
  attention.kvRank = config.getInt({"kv_lora_rank"});
  attention.nopeDim = config.getInt({"qk_nope_head_dim"});
  attention.ropeDim = config.getInt({"qk_rope_head_dim"});
  attention.valueDim = config.getInt({"v_head_dim"});
  config.requireOff("attention_bias",
                    "biases of latent attention are not supported");
  bool interleaved = config.getBool("rope_interleave", true);
  double scoreScale;
  attention.rope =
      readHFRope(config, interleaved ? RopeStyle::Interleaved : RopeStyle::Half,
                 attention.ropeDim, scoreScale);
  attention.scale =
      scoreScale / std::sqrt(static_cast<double>(attention.nopeDim) +
                             static_cast<double>(attention.ropeDim));
}

/// Groups of experts of which only the best are looked at.
static void readGroups(HFConfig &config, HFModel &model) {
  HFGate &gate = model.gate;
  gate.groups = config.getInt({"n_group"});
  gate.keptGroups = config.getInt({"topk_group"});
  config.requireAtMost("topk_group", gate.keptGroups, gate.groups,
                       "the value of 'n_group'");
  if (config.failed())
    return;
  if (model.experts % gate.groups)
    return config.error("n_group", "'n_group' is " + Twine(gate.groups) +
                                       ", expected a divisor of the " +
                                       Twine(model.experts) + " experts");
  int64_t perGroup = model.experts / gate.groups;
  config.requireAtMost("num_experts_per_tok", gate.k,
                       gate.keptGroups * perGroup,
                       "the number of experts in the groups that are kept");
  if (gate.groups > 1 && gate.groupScore == moe::GroupScore::TopTwoSum &&
      perGroup < 2)
    config.error("n_group", "'n_group' leaves one expert a group, expected two "
                            "or more: groups are ranked by their best two");
}

static void readDeepSeekV2(HFConfig &config, HFModel &model) {
  readLatentAttention(config, model);
  readDeepSeekExperts(config, model, /*statesFirstDense=*/false);
  requireString(config, "scoring_func", "softmax");
  model.gate.scale = config.getDouble({"routed_scaling_factor"}, 1.0);
  readRenormalize(config, model, /*missing=*/false);
  if (model.gate.renormalize && model.gate.scale != 1.0)
    config.error("norm_topk_prob",
                 "'norm_topk_prob' is true beside a 'routed_scaling_factor', "
                 "expected false: published code disagrees whether "
                 "DeepSeek-V2 then scales");
  std::string method = config.getString({"topk_method"}, "greedy");
  if (method == "group_limited_greedy")
    readGroups(config, model);
  else if (method != "greedy")
    config.error("topk_method",
                 "'topk_method' is '" + Twine(method) +
                     "', expected 'greedy' or 'group_limited_greedy'");
}

/// DeepSeek-V3 and what is made like it.
static void readDeepSeekV3(HFConfig &config, HFModel &model) {
  readLatentAttention(config, model);
  readDeepSeekExperts(config, model, /*statesFirstDense=*/true);
  requireString(config, "scoring_func", "sigmoid");
  requireString(config, "topk_method", "noaux_tc");
  model.gate.score = moe::Score::Sigmoid;
  model.gate.selectionBias = true;
  model.gate.groupScore = moe::GroupScore::TopTwoSum;
  readRenormalize(config, model, /*missing=*/true);
  model.gate.scale = config.getDouble({"routed_scaling_factor"});
  readGroups(config, model);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

namespace {
struct Family {
  StringRef modelType;
  void (*read)(HFConfig &, HFModel &);
};

/// A published model of which routing comes with the library.
struct KnownModel {
  StringRef name; ///< of the routing, too
  StringRef modelType;
  int64_t hidden, expertInner;
};
} // namespace

static constexpr Family kFamilies[] = {
    {"olmoe", readOlmoe},        {"qwen3_moe", readQwen3},
    {"qwen2_moe", readQwen2},    {"deepseek", readDeepSeek},
    {"mixtral", readMixtral},    {"deepseek_v2", readDeepSeekV2},
    {"kimi_k2", readDeepSeekV3}, {"deepseek_v3", readDeepSeekV3},
};

static constexpr KnownModel kKnownModels[] = {
    {"olmoe-1b-7b", "olmoe", 2048, 1024},
    {"qwen3-30b-a3b", "qwen3_moe", 2048, 768},
    {"deepseek-moe-16b", "deepseek", 2048, 1408},
};

/// The embedded trace that is of this model, or an empty name.
static std::string findProfile(const HFModel &model, StringRef type) {
  auto fits = [&](const EmbeddedTraceModel &trace) {
    return trace.router.experts == model.experts &&
           trace.router.k == model.gate.k &&
           trace.router.layers == llvm::count(model.isMoE, true);
  };
  for (const KnownModel &known : kKnownModels)
    if (known.modelType == type && known.hidden == model.hidden &&
        known.expertInner == model.expertInner)
      for (const EmbeddedTraceModel &trace : EmbeddedTraceModel::all())
        if (known.name == trace.name && fits(trace))
          return trace.name;
  return "";
}

/// Families that are known and cannot be expressed.
static StringRef getReasonAgainst(StringRef modelType) {
  if (modelType == "gpt_oss")
    return "attention sinks and windows";
  if (modelType == "granitemoe" || modelType == "granitemoeshared")
    return "scaled residuals";
  return "";
}

static const Family *findFamily(HFConfig &config, StringRef type) {
  if (config.failed())
    return nullptr;
  for (const Family &family : kFamilies)
    if (family.modelType == type)
      return &family;
  std::string message = ("'model_type' is '" + type + "', expected ").str();
  llvm::raw_string_ostream stream(message);
  llvm::interleave(
      kFamilies, stream,
      [&](const Family &family) { stream << "'" << family.modelType << "'"; },
      ", ");
  if (StringRef reason = getReasonAgainst(type); !reason.empty())
    stream << ": the moe dialect has no " << reason;
  config.error("model_type", message);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The step, and sizes together
//===----------------------------------------------------------------------===//

static bool readStep(HFConfig &config, HFModel &model,
                     const HFImportOptions &options) {
  auto fail = [&](const Twine &message) {
    mlir::emitError(mlir::UnknownLoc::get(config.getContext())) << message;
    return false;
  };
  for (auto [name, value] :
       {std::pair("sequences", options.sequences),
        std::pair("sequence-length", options.sequenceLength),
        std::pair("micro-batches", options.microBatches)})
    if (value < 1)
      return fail(Twine("--") + name + " is " + Twine(value) +
                  ", expected at least 1");
  if (options.sequences % options.microBatches)
    return fail("--sequences is " + Twine(options.sequences) +
                ", expected a multiple of --micro-batches (" +
                Twine(options.microBatches) + ")");
  model.sequences = options.sequences / options.microBatches;
  model.sequenceLength = options.sequenceLength;
  model.microBatches = options.microBatches;
  int64_t stepTokens;
  if (__builtin_mul_overflow(options.sequences, options.sequenceLength,
                             &stepTokens))
    return fail("--sequences times --sequence-length does not fit in 63 bits");
  model.tokens = stepTokens / options.microBatches;
  return true;
}

static std::string readElementType(HFConfig &config,
                                   const std::string &requested) {
  if (requested != "config") {
    if (llvm::is_contained({"f16", "bf16", "f32", "f64"}, requested))
      return requested;
    mlir::emitError(mlir::UnknownLoc::get(config.getContext()))
        << "--element-type is '" << requested
        << "', expected f16, bf16, f32, f64 or config";
    return "";
  }
  StringRef key = config.find({"torch_dtype", "dtype"});
  std::string name = config.getString({"torch_dtype", "dtype"});
  StringRef plain = name;
  plain.consume_front("torch.");
  std::string type = llvm::StringSwitch<std::string>(plain)
                         .Case("float16", "f16")
                         .Case("bfloat16", "bf16")
                         .Case("float32", "f32")
                         .Case("float64", "f64")
                         .Default("");
  if (type.empty())
    config.error(key, "'" + key + "' is '" + name +
                          "', expected 'float16', 'bfloat16', 'float32' or "
                          "'float64'");
  return type;
}

/// Every tensor of the model, and all its weights together, must be countable.
/// Sums of two sizes are of at most 2^63 - 1 each, so they are taken last.
static void checkSizes(HFConfig &config, const HFModel &model) {
  constexpr int64_t kBytes = 8; // of the largest element
  auto times = [&](std::initializer_list<int64_t> factors, const char *what) {
    int64_t product = kBytes;
    for (int64_t factor : factors)
      product = config.multiply(product, factor, what);
    return product;
  };
  const HFAttention &attention = model.attention;
  int64_t widths[] = {model.hidden,      model.expertInner, model.denseInner,
                      model.sharedInner, attention.headDim, attention.queryRank,
                      attention.kvRank,  attention.nopeDim, attention.ropeDim,
                      attention.valueDim};
  int64_t widest = *std::max_element(std::begin(widths), std::end(widths));
  // Four times the widest covers sums such as kv_rank + rope.
  times({4, model.tokens, model.gate.k, widest, attention.heads},
        "bytes of routed tokens");
  times({4, 8, static_cast<int64_t>(model.isMoE.size()),
         std::max(model.experts, attention.heads), widest, widest},
        "bytes of weights");
}

std::optional<HFModel> mozart::readHFModel(HFConfig &config,
                                           const HFImportOptions &options) {
  HFModel model;
  if (!readStep(config, model, options))
    return {};
  std::string type = config.getModelType();
  const Family *family = findFamily(config, type);
  if (!family)
    return {};
  model.elementType = readElementType(config, options.elementType);
  if (model.elementType.empty())
    return {};
  readTrunk(config, model);
  if (!config.failed())
    family->read(config, model);
  if (!config.failed())
    checkSizes(config, model);
  if (config.failed())
    return {};

  model.profile = findProfile(model, type);
  model.name = model.profile.empty() ? type : model.profile;
  if (!options.name.empty())
    model.name = options.name;
  return model;
}
