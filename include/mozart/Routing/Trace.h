//===- Trace.h - Which experts each token chose -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_TRACE_H
#define MOZART_ROUTING_TRACE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

/// Routing of `tokens` tokens through `layers` MoE layers, `k` experts each.
///
/// Ids are stored [token][layer][slot]. `kPadding` marks an empty slot, which
/// is skipped everywhere; every other id is in [0, experts) and appears once
/// in its token's set.
class Trace {
public:
  static constexpr int32_t kPadding = -1;
  /// Far above any model's; a trace that claims more is damaged.
  static constexpr int64_t kMaxExperts = int64_t(1) << 20;

  Trace() = default;
  /// Fails with kInvalidArgument (naming token, layer, slot, found, expected)
  /// on an id outside [0, experts), an id twice in one set, k > experts,
  /// experts > kMaxExperts, no tokens, or sizes whose product is not
  /// ids.size().
  static absl::StatusOr<Trace> create(int64_t tokens, int64_t layers, int64_t k,
                                      int64_t experts,
                                      std::vector<int32_t> ids);

  int64_t numTokens() const { return tokens; }
  int64_t numLayers() const { return layers; }
  int64_t k() const { return slots; }
  int64_t numExperts() const { return experts; }
  /// The k ids of a token in a layer.
  absl::Span<const int32_t> set(int64_t token, int64_t layer) const {
    return absl::MakeConstSpan(ids).subspan((token * layers + layer) * slots,
                                            slots);
  }
  absl::Span<const int32_t> data() const { return ids; }
  /// Set by readers whose source held a [token, k] array: its one layer stands
  /// for every layer of a model.
  bool sharedByLayers() const { return shared; }
  void setSharedByLayers(bool value) { shared = value; }

private:
  int64_t tokens = 0, layers = 0, slots = 0, experts = 0;
  bool shared = false;
  std::vector<int32_t> ids;
};

/// A trace bound to a model: row t of micro-batch m is trace row
/// (m tokensPerMicroBatch + t) modulo the trace's tokens.
class BoundRouting {
public:
  /// Fails when the trace's k, experts or layers differ from the model's (a
  /// trace that is `sharedByLayers`, or has one layer, serves every layer).
  static absl::StatusOr<BoundRouting> bind(const Trace &trace, int64_t layers,
                                           int64_t k, int64_t experts,
                                           int64_t tokensPerMicroBatch,
                                           int64_t microBatches);
  absl::Span<const int32_t> set(int64_t layer, int64_t microBatch,
                                int64_t token) const {
    int64_t row = microBatch * tokensPerMicroBatch + token;
    if (row >= trace->numTokens()) // seldom; division is slow
      row %= trace->numTokens();
    return trace->set(row, trace->numLayers() == 1 ? 0 : layer);
  }
  int64_t numLayers() const { return layers; }
  int64_t numMicroBatches() const { return microBatches; }
  int64_t numTokensPerMicroBatch() const { return tokensPerMicroBatch; }
  /// The step needs more rows than the trace has, so rows repeat.
  bool wraps() const {
    return tokensPerMicroBatch * microBatches > trace->numTokens();
  }

private:
  const Trace *trace = nullptr; // not owned; outlives this
  int64_t layers = 0, tokensPerMicroBatch = 0, microBatches = 0;
};

} // namespace mozart

#endif // MOZART_ROUTING_TRACE_H
