//===- KernelProto.cpp - Kernel steps as protobuf messages ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelProto.h"

#include "ProtoEnums.h"

#include "mozart/Sim/ProgramChecks.h"

using namespace mozart;

/// Which parameters a kernel has.
static pb::KernelStep::ParametersCase parametersOf(KernelKind kind) {
  switch (kind) {
  case KernelKind::Norm:
    return pb::KernelStep::kNorm;
  case KernelKind::Attention:
    return pb::KernelStep::kAttention;
  case KernelKind::LatentAttention:
    return pb::KernelStep::kLatentAttention;
  case KernelKind::Route:
    return pb::KernelStep::kRoute;
  case KernelKind::Experts:
  case KernelKind::Ffn:
    return pb::KernelStep::kFfn;
  case KernelKind::Custom:
    return pb::KernelStep::kCustom;
  case KernelKind::Add:
  case KernelKind::Linear:
  case KernelKind::Router:
  case KernelKind::Dispatch:
  case KernelKind::Combine:
    break;
  }
  return pb::KernelStep::PARAMETERS_NOT_SET;
}

//===----------------------------------------------------------------------===//
// To messages
//===----------------------------------------------------------------------===//

static void write(const RopeParams &params, pb::RopeParams &message) {
  message.set_style(enumToProto<pb::RopeParams::Style>(params.style));
  message.set_theta(params.theta);
  message.set_rotary_dim(params.rotaryDim);
  message.set_factor(params.factor);
  message.set_yarn_original_length(params.yarnOriginalLength);
  message.set_yarn_beta_fast(params.yarnBetaFast);
  message.set_yarn_beta_slow(params.yarnBetaSlow);
  message.set_magnitude(params.magnitude);
}

static void write(const AttentionParams &params, pb::AttentionParams &message) {
  message.set_sequences(params.sequences);
  message.set_heads(params.heads);
  message.set_kv_heads(params.kvHeads);
  message.set_head_dim(params.headDim);
  message.set_causal(params.causal);
  message.set_has_bias(params.hasBias);
  message.set_has_output_bias(params.hasOutputBias);
  message.set_has_qk_norm(params.hasQkNorm);
  message.set_qk_norm_per_head(params.qkNormPerHead);
  message.set_qk_norm_epsilon(params.qkNormEpsilon);
  message.set_scale(params.scale);
  write(params.rope, *message.mutable_rope());
}

static void write(const LatentAttentionParams &params,
                  pb::LatentAttentionParams &message) {
  message.set_sequences(params.sequences);
  message.set_heads(params.heads);
  message.set_q_rank(params.qRank);
  message.set_kv_rank(params.kvRank);
  message.set_nope_dim(params.nopeDim);
  message.set_rope_dim(params.ropeDim);
  message.set_value_dim(params.valueDim);
  message.set_causal(params.causal);
  message.set_norm_epsilon(params.normEpsilon);
  message.set_scale(params.scale);
  write(params.rope, *message.mutable_rope());
}

static void write(const RouteParams &params, pb::RouteParams &message) {
  message.set_k(params.k);
  message.set_score(enumToProto<pb::RouteParams::Score>(params.score));
  message.set_order(enumToProto<pb::RouteParams::Order>(params.order));
  message.set_renormalize(params.renormalize);
  message.set_renormalize_epsilon(params.renormalizeEpsilon);
  message.set_scale(params.scale);
  message.set_has_selection_bias(params.hasSelectionBias);
  message.set_has_padding(params.hasPadding);
  message.set_groups(params.groups);
  message.set_kept_groups(params.keptGroups);
  message.set_group_score(
      enumToProto<pb::RouteParams::GroupScore>(params.groupScore));
}

static void write(const FfnParams &params, pb::FfnParams &message) {
  message.set_activation(
      enumToProto<pb::FfnParams::Activation>(params.activation));
  message.set_has_bias(params.hasBias);
  message.set_has_output_gate(params.hasOutputGate);
  message.set_clamp_limit(params.clampLimit);
  message.set_clamp_alpha(params.clampAlpha);
}

pb::KernelStep mozart::stepToProto(const KernelStep &step) {
  pb::KernelStep message;
  message.set_kind(enumToProto<pb::KernelStep::Kind>(step.kind));
  appendAll(*message.mutable_inputs(), step.inputs);
  for (const ValueType &type : step.resultTypes)
    *message.add_result_types() = valueTypeToProto(type);
  switch (parametersOf(step.kind)) {
  case pb::KernelStep::kNorm:
    message.mutable_norm()->set_kind(
        enumToProto<pb::NormParams::Kind>(step.norm.kind));
    message.mutable_norm()->set_epsilon(step.norm.epsilon);
    break;
  case pb::KernelStep::kAttention:
    write(step.attention, *message.mutable_attention());
    break;
  case pb::KernelStep::kLatentAttention:
    write(step.latent, *message.mutable_latent_attention());
    break;
  case pb::KernelStep::kRoute:
    write(step.route, *message.mutable_route());
    break;
  case pb::KernelStep::kFfn:
    write(step.ffn, *message.mutable_ffn());
    break;
  case pb::KernelStep::kCustom:
    message.mutable_custom()->set_name(step.custom.name);
    message.mutable_custom()->set_flops_per_row(step.custom.flopsPerRow);
    message.mutable_custom()->set_bytes_per_row(step.custom.bytesPerRow);
    break;
  case pb::KernelStep::PARAMETERS_NOT_SET:
    break;
  }
  return message;
}

//===----------------------------------------------------------------------===//
// From messages
//===----------------------------------------------------------------------===//

static absl::Status read(const pb::RopeParams &message, RopeParams &params) {
  if (!enumFromProto(message.style(), pb::RopeParams::Style_MAX, params.style))
    return unknownEnum("style of the rotary embedding", message.style());
  params.theta = message.theta();
  params.rotaryDim = message.rotary_dim();
  params.factor = message.factor();
  params.yarnOriginalLength = message.yarn_original_length();
  params.yarnBetaFast = message.yarn_beta_fast();
  params.yarnBetaSlow = message.yarn_beta_slow();
  params.magnitude = message.magnitude();
  return absl::OkStatus();
}

static absl::Status read(const pb::NormParams &message, NormParams &params) {
  if (!enumFromProto(message.kind(), pb::NormParams::Kind_MAX, params.kind))
    return unknownEnum("kind of norm", message.kind());
  params.epsilon = message.epsilon();
  return absl::OkStatus();
}

static absl::Status read(const pb::AttentionParams &message,
                         AttentionParams &params) {
  params.sequences = message.sequences();
  params.heads = message.heads();
  params.kvHeads = message.kv_heads();
  params.headDim = message.head_dim();
  params.causal = message.causal();
  params.hasBias = message.has_bias();
  params.hasOutputBias = message.has_output_bias();
  params.hasQkNorm = message.has_qk_norm();
  params.qkNormPerHead = message.qk_norm_per_head();
  params.qkNormEpsilon = message.qk_norm_epsilon();
  params.scale = message.scale();
  return read(message.rope(), params.rope);
}

static absl::Status read(const pb::LatentAttentionParams &message,
                         LatentAttentionParams &params) {
  params.sequences = message.sequences();
  params.heads = message.heads();
  params.qRank = message.q_rank();
  params.kvRank = message.kv_rank();
  params.nopeDim = message.nope_dim();
  params.ropeDim = message.rope_dim();
  params.valueDim = message.value_dim();
  params.causal = message.causal();
  params.normEpsilon = message.norm_epsilon();
  params.scale = message.scale();
  return read(message.rope(), params.rope);
}

static absl::Status read(const pb::RouteParams &message, RouteParams &params) {
  if (!enumFromProto(message.score(), pb::RouteParams::Score_MAX, params.score))
    return unknownEnum("score", message.score());
  if (!enumFromProto(message.order(), pb::RouteParams::Order_MAX, params.order))
    return unknownEnum("order", message.order());
  if (!enumFromProto(message.group_score(), pb::RouteParams::GroupScore_MAX,
                     params.groupScore))
    return unknownEnum("group_score", message.group_score());
  params.k = message.k();
  params.renormalize = message.renormalize();
  params.renormalizeEpsilon = message.renormalize_epsilon();
  params.scale = message.scale();
  params.hasSelectionBias = message.has_selection_bias();
  params.hasPadding = message.has_padding();
  params.groups = message.groups();
  params.keptGroups = message.kept_groups();
  return absl::OkStatus();
}

static absl::Status read(const pb::FfnParams &message, FfnParams &params) {
  if (!enumFromProto(message.activation(), pb::FfnParams::Activation_MAX,
                     params.activation))
    return unknownEnum("activation", message.activation());
  params.hasBias = message.has_bias();
  params.hasOutputGate = message.has_output_gate();
  params.clampLimit = message.clamp_limit();
  params.clampAlpha = message.clamp_alpha();
  return absl::OkStatus();
}

static absl::Status readParameters(const pb::KernelStep &message,
                                   KernelStep &step) {
  switch (message.parameters_case()) {
  case pb::KernelStep::kNorm:
    return read(message.norm(), step.norm);
  case pb::KernelStep::kAttention:
    return read(message.attention(), step.attention);
  case pb::KernelStep::kLatentAttention:
    return read(message.latent_attention(), step.latent);
  case pb::KernelStep::kRoute:
    return read(message.route(), step.route);
  case pb::KernelStep::kFfn:
    return read(message.ffn(), step.ffn);
  case pb::KernelStep::kCustom:
    step.custom = {message.custom().name(), message.custom().flops_per_row(),
                   message.custom().bytes_per_row()};
    return absl::OkStatus();
  case pb::KernelStep::PARAMETERS_NOT_SET:
    break;
  }
  return absl::OkStatus();
}

absl::StatusOr<KernelStep>
mozart::stepFromProto(const pb::KernelStep &message) {
  KernelStep step;
  if (!enumFromProto(message.kind(), pb::KernelStep::Kind_MAX, step.kind))
    return unknownEnum("kind", message.kind());
  step.inputs.assign(message.inputs().begin(), message.inputs().end());
  for (const pb::ValueType &entry : message.result_types()) {
    absl::StatusOr<ValueType> type = valueTypeFromProto(entry);
    if (!type.ok())
      return type.status();
    step.resultTypes.push_back(*std::move(type));
  }
  if (message.parameters_case() != parametersOf(step.kind))
    return absl::InvalidArgumentError(absl::StrCat(
        "kernel '", kernelName(step.kind),
        "' has no parameters where it needs them, or those of another kernel"));
  if (absl::Status status = readParameters(message, step); !status.ok())
    return status;
  return step;
}
