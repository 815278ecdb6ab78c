//===- PlaceLayers.cpp - Placing every layer of a model -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlaceLayers.h"

#include "mozart/Placement/Replicate.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace mozart;

absl::StatusOr<std::vector<int32_t>> mozart::uniformGroups(int64_t chiplets,
                                                           int64_t groups) {
  if (chiplets <= 0 || chiplets > Trace::kMaxExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d chiplets; expected 1 to %d", chiplets, Trace::kMaxExperts));
  if (groups <= 0 || chiplets % groups != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d chiplets in %d switch groups; expected a number of groups that "
        "divides that of chiplets",
        chiplets, groups));
  std::vector<int32_t> groupOf;
  for (int64_t chiplet = 0; chiplet < chiplets; ++chiplet)
    groupOf.push_back(static_cast<int32_t>(chiplet / (chiplets / groups)));
  return groupOf;
}

absl::StatusOr<std::vector<Placement>>
mozart::placeLayers(const PlacementAlgorithm &algorithm,
                    PlacementProblem problem, int64_t layers, int64_t threads) {
  if (!algorithm.searches && problem.asksForSearch())
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' goes by no load cap and no weight of groups, "
        "nor by other weights, costs, bytes or speeds; leave them out, or use "
        "one that searches",
        algorithm.name));
  if (threads < 1)
    return absl::InvalidArgumentError(
        absl::StrFormat("%d threads; expected at least 1", threads));
  // Each layer is a problem of its own, so that threads share nothing but the
  // next layer's number.
  std::vector<absl::StatusOr<Placement>> placed(
      std::max<int64_t>(layers, 0), absl::UnknownError("not placed"));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    PlacementProblem mine = problem;
    while ((mine.layer = next.fetch_add(1)) < layers)
      placed[mine.layer] = placeLayer(algorithm, mine);
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(threads, layers); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  std::vector<Placement> placements;
  for (int64_t layer = 0; layer < layers; ++layer) {
    if (!placed[layer].ok())
      return absl::Status(placed[layer].status().code(),
                          absl::StrFormat("cannot place layer %d: %s", layer,
                                          placed[layer].status().message()));
    placements.push_back(*std::move(placed[layer]));
  }
  return placements;
}

absl::StatusOr<std::vector<LayerStatistics>> mozart::placementStatistics(
    const Trace &trace, absl::Span<const Placement> placements,
    absl::Span<const int32_t> groupOf, int64_t tokensPerMicroBatch) {
  int64_t count = static_cast<int64_t>(placements.size());
  int64_t layers = std::max(count, trace.numLayers());
  if ((count != layers && count != 1) ||
      (trace.numLayers() != layers && trace.numLayers() != 1))
    return absl::InvalidArgumentError(absl::StrFormat(
        "a trace of %d layers for %d placements; expected as many, or one that "
        "serves every layer",
        trace.numLayers(), count));
  std::vector<LayerStatistics> statistics;
  for (int64_t layer = 0; layer < layers; ++layer) {
    const Placement &placement = placements[count == 1 ? 0 : layer];
    if (placement.numExperts() != trace.numExperts() ||
        placement.numChiplets != static_cast<int64_t>(groupOf.size()))
      return absl::InvalidArgumentError(absl::StrFormat(
          "placement %d is of %d experts on %d chiplets, expected %d on %d",
          layer, placement.numExperts(), placement.numChiplets,
          trace.numExperts(), groupOf.size()));
    statistics.push_back(layerStatistics(
        trace, trace.numLayers() == 1 ? 0 : layer,
        ReplicaChoice(placement.chipletsOf), groupOf, tokensPerMicroBatch));
  }
  return statistics;
}

LayerStatistics
mozart::meanStatistics(absl::Span<const LayerStatistics> layers) {
  LayerStatistics mean;
  for (const LayerStatistics &one : layers) {
    double count = static_cast<double>(layers.size());
    mean.cT += one.cT / count;
    mean.gT += one.gT / count;
    mean.loadMaxOverMean += one.loadMaxOverMean / count;
    mean.receiveMaxOverMean += one.receiveMaxOverMean / count;
  }
  return mean;
}
