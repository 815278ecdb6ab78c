//===- SyntheticRouter.h - Routing like that of real models -------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token's hidden state is, by variance, one half its type (8,000 of them,
// Zipf 1.05, re-weighted by topic), a fifth its topic (24, in runs of 256
// tokens) and three tenths noise. Each layer has logits = W x + b, the rows of
// W of unit length in few dimensions; the k highest are chosen. The dimension
// sets how strongly experts fire together, the spread of b how uneven their
// load is.
//
// Everything is computed in integers (fixed point), so that a seed gives the
// same trace on every platform and with every compiler. A token depends on
// its index alone: a longer draw begins with the shorter one.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_SYNTHETICROUTER_H
#define MOZART_ROUTING_SYNTHETICROUTER_H

#include "mozart/Routing/Trace.h"

#include "absl/strings/string_view.h"

namespace mozart {

/// A router to draw from. Two routers that differ in the seed have other token
/// types, topics, weights and biases.
struct SyntheticRouter {
  static constexpr int64_t kMaxDimension = 64;
  static constexpr int64_t kMaxBiasSpreadPermille = 4000;

  int64_t experts = 0;
  int64_t k = 0;
  int64_t layers = 0;
  /// Dimension of the hidden state, in [1, kMaxDimension].
  int64_t dimension = 0;
  /// Standard deviation of the bias, in thousandths of that of W x.
  int64_t biasSpreadPermille = 0;
  uint64_t seed = 0;
};

/// Two draws see the same types, topics, weights and biases, and other tokens.
enum class Draw { Profile, Evaluation };

/// Ids stand in the order of descending logits. Fails with kInvalidArgument
/// on parameters out of range.
absl::StatusOr<Trace> drawTrace(const SyntheticRouter &router, Draw draw,
                                int64_t tokens);

/// A model of which a trace can be had without a file. Its parameters are such
/// that Algorithm 1 of the paper reaches the paper's C_T on 16 chiplets.
struct EmbeddedTraceModel {
  const char *name;
  SyntheticRouter router;

  static absl::Span<const EmbeddedTraceModel> all();
};

/// Tokens of a step of the paper: 32 sequences of 256.
constexpr int64_t kEmbeddedTraceTokens = 8192;

/// The trace that stands in where none is named; drawn on demand (well under a
/// second). Fails with kNotFound, listing the models there are.
absl::StatusOr<Trace> embeddedTrace(absl::string_view model, Draw draw,
                                    int64_t tokens = kEmbeddedTraceTokens);

} // namespace mozart

#endif // MOZART_ROUTING_SYNTHETICROUTER_H
