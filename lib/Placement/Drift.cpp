//===- Drift.cpp - Does a profile still say how tokens are routed? --------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Drift.h"

#include "mozart/Placement/Replicate.h"

#include "absl/strings/str_format.h"

using namespace mozart;

/// The first tokens of one layer.
static absl::StatusOr<Trace> prefixOf(const Trace &trace, int64_t layer,
                                      int64_t tokens) {
  std::vector<int32_t> ids;
  ids.reserve(tokens * trace.k());
  for (int64_t token = 0; token < tokens; ++token) {
    absl::Span<const int32_t> set = trace.set(token, layer);
    ids.insert(ids.end(), set.begin(), set.end());
  }
  return Trace::create(tokens, 1, trace.k(), trace.numExperts(),
                       std::move(ids));
}

namespace {
class DriftOfLayer {
public:
  DriftOfLayer(const PlacementAlgorithm &algorithm,
               const PlacementProblem &problem, const Trace &evaluation,
               absl::Span<const int32_t> groupOf)
      : algorithm(algorithm), problem(problem), evaluation(evaluation),
        evaluatedLayer(evaluation.numLayers() == 1 ? 0 : problem.layer),
        groupOf(groupOf) {}

  absl::StatusOr<LayerDrift> run();

private:
  LayerStatistics count(const Trace &trace, int64_t layer,
                        const Placement &placement) const {
    return layerStatistics(trace, layer, ReplicaChoice(placement.chipletsOf),
                           groupOf);
  }
  /// On the evaluation, of a placement by some tokens; none where that does not
  /// keep the load cap.
  absl::StatusOr<std::optional<LayerStatistics>>
  countPlacedBy(const Trace &trace, int64_t layer, int64_t tokens) const;
  absl::Status drawCurve(LayerDrift &drift) const;

  const PlacementAlgorithm &algorithm;
  const PlacementProblem &problem;
  const Trace &evaluation;
  int64_t evaluatedLayer;
  absl::Span<const int32_t> groupOf;
};
} // namespace

absl::StatusOr<std::optional<LayerStatistics>>
DriftOfLayer::countPlacedBy(const Trace &trace, int64_t layer,
                            int64_t tokens) const {
  absl::StatusOr<Trace> prefix = prefixOf(trace, layer, tokens);
  if (!prefix.ok())
    return prefix.status();
  PlacementProblem by = problem;
  by.profile = &*prefix;
  absl::StatusOr<Placement> placement = placeLayer(algorithm, by);
  if (absl::IsFailedPrecondition(placement.status()))
    return std::optional<LayerStatistics>();
  if (!placement.ok())
    return placement.status();
  return std::optional<LayerStatistics>(
      count(evaluation, evaluatedLayer, *placement));
}

absl::Status DriftOfLayer::drawCurve(LayerDrift &drift) const {
  int64_t all = problem.profile->numTokens();
  for (int64_t tokens = kFirstLearningPoint; tokens < all; tokens *= 2) {
    auto point =
        countPlacedBy(*problem.profile, problem.profileLayer(), tokens);
    if (!point.ok())
      return point.status();
    drift.curve.push_back({tokens, *point});
  }
  drift.curve.push_back({all, drift.evaluation});
  for (auto point = drift.curve.rbegin(); point != drift.curve.rend();
       ++point) {
    if (!point->evaluation ||
        point->evaluation->cT > kEnoughCT * drift.evaluation.cT)
      break;
    drift.tokensEnough = point->tokens;
  }
  return absl::OkStatus();
}

absl::StatusOr<LayerDrift> DriftOfLayer::run() {
  absl::StatusOr<Placement> placement = placeLayer(algorithm, problem);
  if (!placement.ok())
    return placement.status();
  LayerDrift drift;
  drift.profile = count(*problem.profile, problem.profileLayer(), *placement);
  drift.evaluation = count(evaluation, evaluatedLayer, *placement);
  auto refit =
      countPlacedBy(evaluation, evaluatedLayer, evaluation.numTokens());
  if (!refit.ok())
    return refit.status();
  drift.refit = *refit;
  absl::Status status = drawCurve(drift);
  if (!status.ok())
    return status;
  return drift;
}

absl::StatusOr<std::vector<LayerDrift>>
mozart::driftOfLayers(const PlacementAlgorithm &algorithm,
                      PlacementProblem problem, int64_t layers,
                      const Trace &evaluation,
                      absl::Span<const int32_t> groupOf) {
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "a drift is that of a profile; none is given");
  if (evaluation.numExperts() != problem.numExperts ||
      (evaluation.numLayers() != layers && evaluation.numLayers() != 1))
    return absl::InvalidArgumentError(absl::StrFormat(
        "the trace to compare with has %d layers of %d experts, expected %d or "
        "1 of %d",
        evaluation.numLayers(), evaluation.numExperts(), layers,
        problem.numExperts));
  std::vector<LayerDrift> drifts;
  for (problem.layer = 0; problem.layer < layers; ++problem.layer) {
    absl::StatusOr<LayerDrift> drift =
        DriftOfLayer(algorithm, problem, evaluation, groupOf).run();
    if (!drift.ok())
      return absl::Status(drift.status().code(),
                          absl::StrFormat("cannot place layer %d: %s",
                                          problem.layer,
                                          drift.status().message()));
    drifts.push_back(*std::move(drift));
  }
  return drifts;
}
