//===- Drift.h - Does a profile still say how tokens are routed? --*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_DRIFT_H
#define MOZART_PLACEMENT_DRIFT_H

#include "mozart/Placement/Placement.h"
#include "mozart/Routing/Statistics.h"

#include <optional>

namespace mozart {

/// What a placement by the first tokens of a profile does to another trace.
struct LearningPoint {
  int64_t tokens = 0;
  /// None where no placement by so few tokens keeps the load cap.
  std::optional<LayerStatistics> evaluation;
};

/// One layer's placement by the profile, and what it is worth elsewhere.
struct LayerDrift {
  LayerStatistics profile;    // on the tokens that it was placed by
  LayerStatistics evaluation; // on the others
  /// On the others, of a placement by these themselves: what a new profile
  /// could give. None where such a placement does not keep the load cap.
  std::optional<LayerStatistics> refit;
  /// By 128, 256, ... and all tokens of the profile.
  std::vector<LearningPoint> curve;
  /// The fewest tokens on the curve from which on C_T of the evaluation stays
  /// within 1 % of that by all.
  int64_t tokensEnough = 0;
};

constexpr int64_t kFirstLearningPoint = 128;
constexpr double kEnoughCT = 1.01;

/// Places layers 0 to `layers` - 1 by the problem's profile and compares with
/// `evaluation`, a trace of the same experts and k and of as many layers or
/// one. `groupOf` is that of layerStatistics. Fails as placeLayer does, naming
/// the layer, and without a profile.
absl::StatusOr<std::vector<LayerDrift>>
driftOfLayers(const PlacementAlgorithm &algorithm, PlacementProblem problem,
              int64_t layers, const Trace &evaluation,
              absl::Span<const int32_t> groupOf);

} // namespace mozart

#endif // MOZART_PLACEMENT_DRIFT_H
