//===- Frontier.h - C_T against load ------------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_FRONTIER_H
#define MOZART_PLACEMENT_FRONTIER_H

#include "mozart/Placement/Placement.h"
#include "mozart/Routing/Statistics.h"

#include <optional>

namespace mozart {

/// One layer placed under one load cap.
struct FrontierPoint {
  double loadCap = 0; // 0 for none
  int64_t layer = 0;
  /// Why the cap is not met; empty where it is.
  std::string failure;
  int64_t replicas = 0;
  LayerStatistics profile;
  std::optional<LayerStatistics> evaluation;
};

/// Places every layer under every cap: caps in the order given, layers in turn.
/// `evaluation` may be null; else it is a trace of the same experts, of as many
/// layers or one. `groupOf` is that of layerStatistics. A cap that is not met
/// is a point without figures. Fails as placeLayer does otherwise, naming cap
/// and layer.
absl::StatusOr<std::vector<FrontierPoint>>
frontierOfLayers(const PlacementAlgorithm &algorithm, PlacementProblem problem,
                 int64_t layers, absl::Span<const double> loadCaps,
                 const Trace *evaluation, absl::Span<const int32_t> groupOf);

/// A line of names, then one for each point; behind the layers of a cap a line
/// of their means, whose layer is `mean`. Fields of what is not known, and of
/// all means where a layer has not met its cap, are empty; no cap is `inf`.
std::string printFrontier(absl::Span<const FrontierPoint> points);

} // namespace mozart

#endif // MOZART_PLACEMENT_FRONTIER_H
