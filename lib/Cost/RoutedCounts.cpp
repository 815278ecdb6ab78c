//===- RoutedCounts.cpp - How many rows a routed buffer has ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/RoutedCounts.h"

#include "mozart/Routing/ReplicaChoice.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <optional>

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
  auto [it, fresh] = known.try_emplace(
      Key(slice.layer, slice.microBatch, slice.tokenBegin, slice.tokenCount,
          slice.experts, slice.expertMap, slice.node));
  RoutedCounts &counts = it->second;
  ofSlice[index] = &counts;
  if (!fresh)
    return counts;

  const ExpertTokens &tokens = expertTokens(slice, slice.expertMap);
  TokenSet here(tokens.words, 0);
  counts.pairsOfExpert.reserve(slice.experts.size());
  for (int32_t expert : slice.experts) {
    int64_t place = tokens.placeOf(expert, slice.node);
    counts.pairsOfExpert.push_back(tokens.numTokens[place]);
    counts.pairs += tokens.numTokens[place];
    addTokens(here, tokens.tokensAt(place));
  }
  counts.tokens = countTokens(here);
  return counts;
}

int64_t ExpertTokens::placeOf(int32_t expert, int32_t node) const {
  if (map == nullptr)
    return expert;
  const std::vector<int32_t> &nodes = map->nodesOf[expert];
  return firstPlace[expert] +
         (std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

/// Empty sets of `tokens` tokens, for `experts` experts or by a map of them.
static ExpertTokens noTokens(int64_t tokens, int64_t experts,
                             const ExpertMap *map) {
  ExpertTokens result;
  result.map = map;
  int64_t places = experts;
  if (map != nullptr) {
    places = 0;
    for (const std::vector<int32_t> &nodes : map->nodesOf) {
      result.firstPlace.push_back(places);
      places += static_cast<int64_t>(nodes.size());
    }
  }
  result.words = (tokens + 63) / 64;
  result.sets.assign(places * result.words, 0);
  result.numTokens.assign(places, 0);
  return result;
}

const ExpertTokens &RoutingCounter::expertTokens(const RoutedSlice &slice,
                                                 int32_t expertMap) {
  auto [it, fresh] = tokensOfRange.try_emplace(
      Range(slice.layer, slice.microBatch, slice.tokenBegin, slice.tokenCount,
            expertMap));
  ExpertTokens &tokens = it->second;
  if (!fresh)
    return tokens;
  const ExpertMap *map =
      expertMap == -1 ? nullptr : &program.expertMaps[expertMap];
  tokens = noTokens(slice.tokenCount, program.experts, map);
  std::optional<ReplicaChoice> choice;
  if (map != nullptr)
    choice.emplace(map->nodesOf);
  // A trace has the layers of a token side by side, so the tokens of one layer
  // are far apart: they are asked for ahead of time.
  constexpr int64_t kAhead = 16;
  std::vector<int32_t> nodes;
  for (int64_t token = 0; token < slice.tokenCount; ++token) {
    if (token + kAhead < slice.tokenCount)
      __builtin_prefetch(set(slice, token + kAhead).data());
    absl::Span<const int32_t> ids = set(slice, token);
    nodes.resize(ids.size(), -1);
    if (choice)
      choice->choose(ids, slice.tokenBegin + token, absl::MakeSpan(nodes));
    for (size_t slot = 0; slot < ids.size(); ++slot) {
      if (ids[slot] == Trace::kPadding)
        continue;
      int64_t place = tokens.placeOf(ids[slot], nodes[slot]);
      tokens.sets[place * tokens.words + token / 64] |= uint64_t(1)
                                                        << (token % 64);
      ++tokens.numTokens[place]; // a set has an expert once
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
