//===- Trace.cpp - Which experts each token chose -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/Trace.h"

#include "absl/strings/str_format.h"

#include <algorithm>

using namespace mozart;

/// Fails unless the sizes are positive, k <= experts <= kMaxExperts, and their
/// product is `numIds`.
static absl::Status checkSizes(int64_t tokens, int64_t layers, int64_t k,
                               int64_t experts, size_t numIds) {
  if (tokens <= 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace is empty: it has %d tokens, expected at least 1",
        tokens));
  if (layers <= 0 || k <= 0 || experts <= 0)
    return absl::InvalidArgumentError(
        absl::StrFormat("routing trace has %d layers, k = %d and %d experts; "
                        "each must be at least 1",
                        layers, k, experts));
  if (experts > Trace::kMaxExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace has %d experts, more than the %d that are supported; "
        "is it damaged, or read with the wrong element type?",
        experts, Trace::kMaxExperts));
  if (k > experts)
    return absl::InvalidArgumentError(
        absl::StrFormat("routing trace has k = %d experts a token, more than "
                        "the %d experts there are",
                        k, experts));
  int64_t product;
  if (__builtin_mul_overflow(tokens, layers, &product) ||
      __builtin_mul_overflow(product, k, &product))
    return absl::InvalidArgumentError(
        absl::StrFormat("routing trace of %d tokens x %d layers x k = %d has "
                        "more ids than 64 bits count",
                        tokens, layers, k));
  if (static_cast<uint64_t>(product) != numIds)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace of %d tokens x %d layers x k = %d needs %d ids, found "
        "%d",
        tokens, layers, k, product, numIds));
  return absl::OkStatus();
}

/// A slot of `set` whose id stands in an earlier slot as well, or -1. `sorted`
/// is scratch space.
static int64_t findRepeatedSlot(absl::Span<const int32_t> set,
                                std::vector<int32_t> &sorted) {
  sorted.clear();
  for (int32_t id : set)
    if (id != Trace::kPadding)
      sorted.push_back(id);
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
    return -1;
  for (size_t slot = 1; slot < set.size(); ++slot)
    if (set[slot] != Trace::kPadding &&
        std::find(set.begin(), set.begin() + slot, set[slot]) !=
            set.begin() + slot)
      return slot;
  return -1;
}

/// Fails on an id outside [0, experts) or twice in its set.
static absl::Status checkIds(const Trace &trace) {
  std::vector<int32_t> sorted;
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    for (int64_t layer = 0; layer < trace.numLayers(); ++layer) {
      absl::Span<const int32_t> set = trace.set(token, layer);
      for (size_t slot = 0; slot < set.size(); ++slot) {
        int32_t id = set[slot];
        if (id != Trace::kPadding && (id < 0 || id >= trace.numExperts()))
          return absl::InvalidArgumentError(absl::StrFormat(
              "expert id %d at token %d, layer %d, slot %d is neither in [0, "
              "%d) nor padding (-1); is this the trace of another model?",
              id, token, layer, slot, trace.numExperts()));
      }
      int64_t slot = findRepeatedSlot(set, sorted);
      if (slot >= 0)
        return absl::InvalidArgumentError(absl::StrFormat(
            "expert id %d at token %d, layer %d, slot %d is already in that "
            "token's set; a token chooses distinct experts",
            set[slot], token, layer, slot));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Trace> Trace::create(int64_t tokens, int64_t layers, int64_t k,
                                    int64_t experts, std::vector<int32_t> ids) {
  absl::Status status = checkSizes(tokens, layers, k, experts, ids.size());
  if (!status.ok())
    return status;
  Trace trace;
  trace.tokens = tokens;
  trace.layers = layers;
  trace.slots = k;
  trace.experts = experts;
  trace.ids = std::move(ids);
  status = checkIds(trace);
  if (!status.ok())
    return status;
  return trace;
}

/// Fails unless the trace is one of the model's.
static absl::Status checkModel(const Trace &trace, int64_t layers, int64_t k,
                               int64_t experts) {
  if (trace.k() != k)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace has k = %d experts a token, the model has %d; use a "
        "trace of this model",
        trace.k(), k));
  if (trace.numExperts() != experts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace is over %d experts, the model has %d; use a trace of "
        "this model (a form that does not carry the number of experts is read "
        "with the model's)",
        trace.numExperts(), experts));
  if (trace.numLayers() != layers && trace.numLayers() != 1)
    return absl::InvalidArgumentError(absl::StrFormat(
        "routing trace has %d layers, the model has %d MoE layers; expected "
        "that many, or one that serves every layer",
        trace.numLayers(), layers));
  return absl::OkStatus();
}

absl::StatusOr<BoundRouting> BoundRouting::bind(const Trace &trace,
                                                int64_t layers, int64_t k,
                                                int64_t experts,
                                                int64_t tokensPerMicroBatch,
                                                int64_t microBatches) {
  if (trace.numTokens() == 0)
    return absl::InvalidArgumentError("routing trace is empty");
  absl::Status status = checkModel(trace, layers, k, experts);
  if (!status.ok())
    return status;
  int64_t rows;
  if (tokensPerMicroBatch <= 0 || microBatches <= 0 ||
      __builtin_mul_overflow(tokensPerMicroBatch, microBatches, &rows))
    return absl::InvalidArgumentError(absl::StrFormat(
        "a step of %d micro-batches of %d tokens is not a positive 64-bit "
        "number of tokens",
        microBatches, tokensPerMicroBatch));
  BoundRouting bound;
  bound.trace = &trace;
  bound.layers = layers;
  bound.tokensPerMicroBatch = tokensPerMicroBatch;
  bound.microBatches = microBatches;
  return bound;
}
