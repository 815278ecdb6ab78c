//===- StatisticsJson.cpp - What mozart-place prints ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatisticsJson.h"

#include "mozart/Placement/PlaceLayers.h"

#include <algorithm>
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

static ordered_json toJson(const std::optional<LayerStatistics> &statistics) {
  return statistics ? toJson(*statistics) : ordered_json(nullptr);
}

static ordered_json toJson(const PlacementSummary &summary) {
  ordered_json object;
  if (!summary.algorithm.empty())
    object["algorithm"] = summary.algorithm;
  object["seed"] = summary.seed;
  object["experts"] = summary.experts;
  object["chiplets"] = summary.chiplets;
  object["groups"] = summary.groups;
  object["layers"] = summary.layers;
  if (!summary.replicas.empty())
    object["replicas"] = summary.replicas;
  if (!summary.moves.empty())
    object["experts_moved"] = summary.moves;
  if (summary.bytesMoved)
    object["bytes_moved"] = *summary.bytesMoved;
  return object;
}

std::string mozart::printStatistics(const PlacementSummary &summary,
                                    absl::Span<const TraceStatistics> traces) {
  ordered_json object = toJson(summary);
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

std::string mozart::printDrift(const PlacementSummary &summary,
                               int64_t profileTokens, int64_t evaluationTokens,
                               absl::Span<const LayerDrift> drifts) {
  ordered_json object = toJson(summary);
  ordered_json &drift = object["drift"];
  drift["profile_tokens"] = profileTokens;
  drift["evaluation_tokens"] = evaluationTokens;
  int64_t enough = 0;
  for (const LayerDrift &layer : drifts)
    enough = std::max(enough, layer.tokensEnough);
  drift["profile_tokens_enough"] = enough;
  drift["layers"] = ordered_json::array();
  for (const LayerDrift &layer : drifts) {
    ordered_json entry;
    entry["profile"] = toJson(layer.profile);
    entry["evaluation"] = toJson(layer.evaluation);
    entry["evaluation_refit"] = toJson(layer.refit);
    entry["profile_tokens_enough"] = layer.tokensEnough;
    entry["learning_curve"] = ordered_json::array();
    for (const LearningPoint &point : layer.curve)
      entry["learning_curve"].push_back(
          {{"profile_tokens", point.tokens},
           {"evaluation", toJson(point.evaluation)}});
    drift["layers"].push_back(std::move(entry));
  }
  return object.dump(2) + "\n";
}
