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

  position.assign(program.experts, -1);
  for (size_t i = 0; i < slice.experts.size(); ++i)
    position[slice.experts[i]] = static_cast<int32_t>(i);
  counts.pairsOfExpert.assign(slice.experts.size(), 0);
  for (int64_t token = 0; token < slice.tokenCount; ++token) {
    int64_t here = 0;
    for (int32_t expert : set(slice, token)) {
      if (expert == Trace::kPadding || position[expert] < 0)
        continue;
      ++counts.pairsOfExpert[position[expert]];
      ++here;
    }
    counts.pairs += here;
    counts.tokens += here > 0;
  }
  return counts;
}
