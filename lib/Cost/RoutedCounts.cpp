//===- RoutedCounts.cpp - How many rows a routed buffer has ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/RoutedCounts.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

absl::Status RoutingCounter::check() const {
  if (program.moeLayers == 0)
    return absl::OkStatus();
  if (routing == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat("program '", program.name, "' has ", program.moeLayers,
                     " MoE layers, so its durations need a routing; name a "
                     "trace"));
  if (routing->numLayers() != program.moeLayers ||
      routing->numMicroBatches() != program.microBatches ||
      routing->numTokensPerMicroBatch() != program.tokensPerMicroBatch)
    return absl::InvalidArgumentError(absl::StrCat(
        "program '", program.name, "' has ", program.moeLayers,
        " MoE layers and ", program.microBatches, " micro-batches of ",
        program.tokensPerMicroBatch, " tokens, but the routing is bound to ",
        routing->numLayers(), " layers and ", routing->numMicroBatches(),
        " micro-batches of ", routing->numTokensPerMicroBatch(),
        "; bind the trace to this program"));
  return absl::OkStatus();
}

const RoutedCounts &RoutingCounter::counts(int32_t index) {
  ofSlice.resize(program.slices.size(), nullptr);
  if (ofSlice[index] != nullptr)
    return *ofSlice[index];
  const RoutedSlice &slice = program.slices[index];
  auto [it, fresh] =
      known.try_emplace(Key(slice.layer, slice.microBatch, slice.tokenBegin,
                            slice.tokenCount, slice.experts));
  RoutedCounts &counts = it->second;
  ofSlice[index] = &counts;
  if (!fresh)
    return counts;

  const ExpertTokens &tokens = expertTokens(slice);
  TokenSet here(tokens.words, 0);
  counts.pairsOfExpert.reserve(slice.experts.size());
  for (int32_t expert : slice.experts) {
    counts.pairsOfExpert.push_back(tokens.numTokens[expert]);
    counts.pairs += tokens.numTokens[expert];
    addTokens(here, tokens.of(expert));
  }
  counts.tokens = countTokens(here);
  return counts;
}

const ExpertTokens &RoutingCounter::expertTokens(const RoutedSlice &slice) {
  auto [it, fresh] = tokensOfRange.try_emplace(
      Range(slice.layer, slice.microBatch, slice.tokenBegin, slice.tokenCount));
  ExpertTokens &tokens = it->second;
  if (!fresh)
    return tokens;
  tokens.words = (slice.tokenCount + 63) / 64;
  tokens.sets.assign(program.experts * tokens.words, 0);
  tokens.numTokens.assign(program.experts, 0);
  // A trace has the layers of a token side by side, so the tokens of one layer
  // are far apart: they are asked for ahead of time.
  constexpr int64_t kAhead = 16;
  uint64_t *sets = tokens.sets.data();
  int64_t *numTokens = tokens.numTokens.data();
  const int64_t words = tokens.words;
  for (int64_t token = 0; token < slice.tokenCount; ++token) {
    if (token + kAhead < slice.tokenCount)
      __builtin_prefetch(set(slice, token + kAhead).data());
    for (int32_t expert : set(slice, token)) {
      if (expert == Trace::kPadding)
        continue;
      sets[expert * words + token / 64] |= uint64_t(1) << (token % 64);
      ++numTokens[expert]; // a set has an expert once
    }
  }
  return tokens;
}

int64_t mozart::countTokens(absl::Span<const uint64_t> set) {
  int64_t count = 0;
  for (uint64_t word : set)
    count += __builtin_popcountll(word);
  return count;
}

void mozart::addTokens(TokenSet &set, absl::Span<const uint64_t> other) {
  for (size_t i = 0; i < set.size(); ++i)
    set[i] |= other[i];
}
