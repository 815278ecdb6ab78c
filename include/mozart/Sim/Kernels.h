//===- Kernels.h - What a compute task computes -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are the named ops of the `moe` dialect with their attributes as plain
// data. Their meaning is that of the dialect's documentation; shapes below use
// T tokens, H hidden, E experts, k slots, F inner size.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_KERNELS_H
#define MOZART_SIM_KERNELS_H

#include "mozart/Support/Rope.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

enum class ElementType { F16, BF16, F32, F64, I1, I32, Index };

/// Bytes of one element in memory (Index is 8, I1 is 1).
int64_t elementBytes(ElementType type);

/// The type of a buffer or of a value inside a compute task.
struct ValueType {
  enum class Kind { Tensor, Routing };
  Kind kind = Kind::Tensor;
  ElementType element = ElementType::F32; ///< of a routing: of its gate weights
  std::vector<int64_t> shape;             ///< of a routing: {T, k}
  int64_t experts = 0;                    ///< of a routing
  bool local = false; ///< of a routing: ids are local to a chiplet

  int64_t rows() const { return shape.empty() ? 1 : shape.front(); }
  /// Bytes of all rows. A routing is its ids (i32 [T, k]) followed by its
  /// gate weights ([T, k]); a view of a routing has two byte ranges. Both
  /// saturate at the largest int64_t, which `verifyProgram` rejects.
  int64_t bytes() const;
  int64_t elements() const;
};

enum class KernelKind {
  Norm,      ///< x [T,H], weight [H] (, bias [H])
  Add,       ///< a, b: same shape
  Linear,    ///< x [T,H], w [H,N] (, bias [N])
  Attention, ///< x [T,H], wq, wk, wv, wo (, bq, bk, bv, bo)(, qnorm, knorm)
  LatentAttention, ///< x [T,H] and the weights of multi-head latent attention
  Router,          ///< x [T,H], w [H,E] (, bias [E]) -> logits [T,E]
  Route,           ///< logits [T,E] (, selection bias [E])(, padding [T] i1)
  Dispatch,        ///< x [T,H], routing -> rows [T k,H], counts [E]
  Experts,         ///< rows [R,H], counts [E], stacked weights -> rows [R,H]
  Combine,         ///< rows [T k,H], routing -> y [T,H]
  Ffn,             ///< x [T,H], weights of one FFN (, gate weight [H,1])
  Custom,          ///< a registered kernel, found by `custom.name`
};

enum class NormKind { Rms, Layer };
enum class ActivationKind {
  Swiglu,
  Geglu,
  ClampedSwiglu,
  Gelu,
  GeluTanh,
  Relu,
  Silu
};
enum class ScoreKind { Softmax, Sigmoid };
/// Whether scores are taken over all experts before the selection, or over the
/// selected ones after it.
enum class ScoreOrder { BeforeSelection, AfterSelection };
enum class GroupScore { Max, TopTwoSum };

struct NormParams {
  NormKind kind = NormKind::Rms;
  double epsilon = 1e-6;
};

/// Rows are `sequences` sequences of equal length, one after another.
struct AttentionParams {
  int64_t sequences = 1;
  int64_t heads = 1, kvHeads = 1, headDim = 1;
  bool causal = true;
  bool hasBias = false;       ///< operands bq, bk, bv follow the weights
  bool hasOutputBias = false; ///< operand bo follows them
  bool hasQkNorm = false;     ///< operands q norm, k norm follow
  bool qkNormPerHead = true; ///< over headDim; otherwise over all heads at once
  double qkNormEpsilon = 1e-6;
  double scale = 1.0; ///< of the scores, 1/sqrt(headDim) as a rule
  RopeParams rope;
};

/// Multi-head latent attention (DeepSeek-V2/V3). Operands: x, [q_a [H,qRank],
/// q_a_norm [qRank], q_b [qRank, heads (nope + rope)]] or, with qRank 0, q [H,
/// heads (nope + rope)]; then kv_a [H, kvRank + rope], kv_a_norm [kvRank], kv_b
/// [kvRank, heads (nope + v)], wo [heads v, H].
struct LatentAttentionParams {
  int64_t sequences = 1;
  int64_t heads = 1, qRank = 0, kvRank = 1;
  int64_t nopeDim = 1, ropeDim = 1, valueDim = 1;
  bool causal = true;
  double normEpsilon = 1e-6;
  double scale = 1.0;
  RopeParams rope;
};

struct RouteParams {
  int64_t k = 1;
  ScoreKind score = ScoreKind::Softmax;
  ScoreOrder order = ScoreOrder::BeforeSelection;
  bool renormalize = false;
  double renormalizeEpsilon = 0.0; ///< added to the sum that divides
  double scale = 1.0;
  bool hasSelectionBias = false;
  bool hasPadding = false;
  int64_t groups = 1, keptGroups = 1;
  GroupScore groupScore = GroupScore::Max;
};

/// An FFN, of one expert or dense. Gated kinds (Swiglu, Geglu, ClampedSwiglu)
/// take gate, up, down; others take up, down; biases follow in the same order.
struct FfnParams {
  ActivationKind activation = ActivationKind::Swiglu;
  bool hasBias = false;
  bool hasOutputGate = false; ///< Ffn only: output times sigmoid(x gateWeight)
  double clampLimit = 7.0, clampAlpha = 1.702; ///< of ClampedSwiglu
};

/// A kernel that the embedding program registers by name.
struct CustomParams {
  std::string name;
  /// Cost of one row of the first operand.
  int64_t flopsPerRow = 0, bytesPerRow = 0;
};

struct KernelStep {
  KernelKind kind = KernelKind::Add;
  std::vector<int32_t> inputs;        ///< values
  std::vector<ValueType> resultTypes; ///< one value each
  // The one that `kind` names is meaningful.
  NormParams norm;
  AttentionParams attention;
  LatentAttentionParams latent;
  RouteParams route;
  FfnParams ffn;
  CustomParams custom;
};

} // namespace mozart

#endif // MOZART_SIM_KERNELS_H
