//===- StatisticsJson.cpp - What mozart-place prints ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatisticsJson.h"

#include "mozart/Placement/PlaceLayers.h"

#include <nlohmann/json.hpp>

using namespace mozart;
using nlohmann::ordered_json;

/// The names are those of the simulator's report.
static ordered_json toJson(const LayerStatistics &statistics) {
  ordered_json object;
  object["c_t"] = statistics.cT;
  object["g_t"] = statistics.gT;
  object["load_max_over_mean"] = statistics.loadMaxOverMean;
  object["receive_max_over_mean"] = statistics.receiveMaxOverMean;
  return object;
}

std::string mozart::printStatistics(const PlacementSummary &summary,
                                    absl::Span<const TraceStatistics> traces) {
  ordered_json object;
  object["algorithm"] = summary.algorithm;
  object["seed"] = summary.seed;
  object["experts"] = summary.experts;
  object["chiplets"] = summary.chiplets;
  object["groups"] = summary.groups;
  object["layers"] = summary.layers;
  for (const TraceStatistics &trace : traces) {
    ordered_json &entry = object[trace.role];
    entry["tokens"] = trace.tokens;
    entry["layers"] = ordered_json::array();
    for (const LayerStatistics &layer : trace.layers)
      entry["layers"].push_back(toJson(layer));
    entry["mean"] = toJson(meanStatistics(trace.layers));
  }
  return object.dump(2) + "\n";
}
