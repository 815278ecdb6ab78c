//===- StatisticsJson.h - What mozart-place prints ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACE_STATISTICSJSON_H
#define MOZART_PLACE_STATISTICSJSON_H

#include "mozart/Placement/Drift.h"

#include <string>

namespace mozart {

/// What was counted on one trace.
struct TraceStatistics {
  const char *role; // "profile" or "evaluation"
  int64_t tokens = 0;
  std::vector<LayerStatistics> layers;
};

/// What the statistics are of.
struct PlacementSummary {
  std::string algorithm; // empty where nothing was placed
  uint64_t seed = 0;
  int64_t experts = 0, chiplets = 0, groups = 0, layers = 0;
  // Of each layer, where there are such: replicas beyond the first of each
  // expert, and experts that moved; and the bytes of all that moved.
  std::vector<int64_t> replicas, moves;
  std::optional<int64_t> bytesMoved;
};

/// One JSON object, with a line at the end.
std::string printStatistics(const PlacementSummary &summary,
                            absl::Span<const TraceStatistics> traces);

/// Likewise, of what became of a profile.
std::string printDrift(const PlacementSummary &summary, int64_t profileTokens,
                       int64_t evaluationTokens,
                       absl::Span<const LayerDrift> drifts);

} // namespace mozart

#endif // MOZART_PLACE_STATISTICSJSON_H
