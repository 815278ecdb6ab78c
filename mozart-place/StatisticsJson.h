//===- StatisticsJson.h - What mozart-place prints ----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACE_STATISTICSJSON_H
#define MOZART_PLACE_STATISTICSJSON_H

#include "mozart/Routing/Statistics.h"

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
  std::string algorithm;
  uint64_t seed = 0;
  int64_t experts = 0, chiplets = 0, groups = 0, layers = 0;
};

/// One JSON object, with a line at the end.
std::string printStatistics(const PlacementSummary &summary,
                            absl::Span<const TraceStatistics> traces);

} // namespace mozart

#endif // MOZART_PLACE_STATISTICSJSON_H
