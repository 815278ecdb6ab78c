//===- Statistics.cpp - Load, co-activation, C_T, G_T ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/Statistics.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

std::vector<int64_t> mozart::expertLoad(const Trace &trace, int64_t layer) {
  std::vector<int64_t> load(trace.numExperts(), 0);
  for (int64_t token = 0; token < trace.numTokens(); ++token)
    for (int32_t id : trace.set(token, layer))
      if (id != Trace::kPadding)
        ++load[id];
  return load;
}

std::vector<int64_t> mozart::coactivation(const Trace &trace, int64_t layer) {
  int64_t experts = trace.numExperts();
  std::vector<int64_t> counts(experts * experts, 0);
  std::vector<int32_t> chosen;
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    chosen.clear();
    for (int32_t id : trace.set(token, layer))
      if (id != Trace::kPadding)
        chosen.push_back(id);
    for (int32_t a : chosen)
      for (int32_t b : chosen)
        ++counts[a * experts + b];
  }
  return counts;
}

/// Zero where nothing was counted.
static double maxOverMean(absl::Span<const int64_t> counts) {
  int64_t sum = std::accumulate(counts.begin(), counts.end(), int64_t(0));
  if (sum == 0)
    return 0;
  int64_t max = *std::max_element(counts.begin(), counts.end());
  return static_cast<double>(max) * static_cast<double>(counts.size()) /
         static_cast<double>(sum);
}

absl::StatusOr<ExpertStatistics> mozart::expertStatistics(const Trace &trace,
                                                          int64_t layer) {
  int64_t experts = trace.numExperts();
  if (experts > kMaxExpertsOfCoactivation)
    return absl::InvalidArgumentError(
        absl::StrFormat("co-activation of %d experts; expected at most %d",
                        experts, kMaxExpertsOfCoactivation));
  ExpertStatistics result;
  result.load = expertLoad(trace, layer);
  std::vector<int64_t> together = coactivation(trace, layer);
  result.loadMaxOverMean = maxOverMean(result.load);
  if (result.loadMaxOverMean == 0)
    return result;
  double mean = std::accumulate(result.load.begin(), result.load.end(), 0.0) /
                static_cast<double>(experts);
  double squares = 0, peaks = 0;
  int64_t chosen = 0;
  for (int64_t e = 0; e < experts; ++e) {
    double deviation = static_cast<double>(result.load[e]) - mean;
    squares += deviation * deviation;
    if (result.load[e] == 0)
      continue;
    int64_t highest = 0;
    for (int64_t f = 0; f < experts; ++f)
      if (f != e)
        highest = std::max(highest, together[e * experts + f]);
    peaks += static_cast<double>(highest) / static_cast<double>(result.load[e]);
    ++chosen;
  }
  result.loadVariation =
      std::sqrt(squares / static_cast<double>(experts)) / mean;
  result.peakCoactivation = peaks / static_cast<double>(chosen);
  return result;
}

LayerStatistics mozart::layerStatistics(const Trace &trace, int64_t layer,
                                        const ReplicaChoice &choice,
                                        absl::Span<const int32_t> groupOf,
                                        int64_t tokensPerMicroBatch) {
  int32_t numGroups =
      groupOf.empty() ? 0
                      : *std::max_element(groupOf.begin(), groupOf.end()) + 1;
  std::vector<int64_t> pairs(groupOf.size(), 0), received(groupOf.size(), 0);
  // The last token that was counted at each chiplet and group.
  std::vector<int64_t> chipletSeen(groupOf.size(), -1);
  std::vector<int64_t> groupSeen(numGroups, -1);
  int64_t chipletVisits = 0, groupVisits = 0;
  std::vector<int32_t> chosen(trace.k());
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    choice.choose(trace.set(token, layer), token % tokensPerMicroBatch,
                  absl::MakeSpan(chosen));
    for (int32_t chiplet : chosen) {
      if (chiplet == ReplicaChoice::kNowhere)
        continue;
      int32_t group = groupOf[chiplet];
      ++pairs[chiplet];
      if (chipletSeen[chiplet] != token) {
        chipletSeen[chiplet] = token;
        ++received[chiplet];
        ++chipletVisits;
      }
      if (group >= 0 && groupSeen[group] != token) {
        groupSeen[group] = token;
        ++groupVisits;
      }
    }
  }
  LayerStatistics stats;
  double tokens = static_cast<double>(trace.numTokens());
  stats.cT = static_cast<double>(chipletVisits) / tokens;
  stats.gT = static_cast<double>(groupVisits) / tokens;
  stats.loadMaxOverMean = maxOverMean(pairs);
  stats.receiveMaxOverMean = maxOverMean(received);
  return stats;
}

LayerStatistics mozart::layerStatistics(const Trace &trace, int64_t layer,
                                        absl::Span<const int32_t> chipletOf,
                                        absl::Span<const int32_t> groupOf) {
  return layerStatistics(trace, layer, ReplicaChoice(chipletOf), groupOf);
}
