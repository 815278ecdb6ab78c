//===- Frontier.cpp - C_T against load ------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Frontier.h"

#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/Replicate.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

using namespace mozart;

static absl::StatusOr<FrontierPoint>
placePoint(const PlacementAlgorithm &algorithm, const PlacementProblem &problem,
           const Trace *evaluation, absl::Span<const int32_t> groupOf) {
  FrontierPoint point;
  point.loadCap = problem.loadCap;
  point.layer = problem.layer;
  absl::StatusOr<Placement> placement = placeLayer(algorithm, problem);
  if (absl::IsFailedPrecondition(placement.status())) {
    point.failure = std::string(placement.status().message());
    return point;
  }
  if (!placement.ok())
    return absl::Status(
        placement.status().code(),
        absl::StrFormat("cannot place layer %d at load cap %g: %s",
                        problem.layer, problem.loadCap,
                        placement.status().message()));
  ReplicaChoice choice(placement->chipletsOf);
  point.replicas = countReplicas(*placement);
  point.profile = layerStatistics(*problem.profile, problem.profileLayer(),
                                  choice, groupOf);
  if (evaluation)
    point.evaluation = layerStatistics(
        *evaluation, evaluation->numLayers() == 1 ? 0 : problem.layer, choice,
        groupOf);
  return point;
}

absl::StatusOr<std::vector<FrontierPoint>> mozart::frontierOfLayers(
    const PlacementAlgorithm &algorithm, PlacementProblem problem,
    int64_t layers, absl::Span<const double> loadCaps, const Trace *evaluation,
    absl::Span<const int32_t> groupOf) {
  if (!algorithm.searches)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' goes by no load cap; use 'search'",
        algorithm.name));
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "load is that of a profile; none is given");
  std::vector<FrontierPoint> points;
  for (double cap : loadCaps) {
    problem.loadCap = cap;
    for (problem.layer = 0; problem.layer < layers; ++problem.layer) {
      absl::StatusOr<FrontierPoint> point =
          placePoint(algorithm, problem, evaluation, groupOf);
      if (!point.ok())
        return point.status();
      points.push_back(*std::move(point));
    }
  }
  return points;
}

static std::string fieldsOf(const LayerStatistics *statistics) {
  if (!statistics)
    return ",,,,";
  return absl::StrFormat(",%.6f,%.6f,%.6f,%.6f", statistics->cT, statistics->gT,
                         statistics->loadMaxOverMean,
                         statistics->receiveMaxOverMean);
}

static std::string capOf(double cap) {
  return cap == 0 ? "inf" : absl::StrCat(cap);
}

/// The means of the layers of one cap.
static std::string printMean(absl::Span<const FrontierPoint> points) {
  std::vector<LayerStatistics> profile, evaluation;
  int64_t replicas = 0;
  for (const FrontierPoint &point : points) {
    if (!point.failure.empty())
      continue;
    profile.push_back(point.profile);
    if (point.evaluation)
      evaluation.push_back(*point.evaluation);
    replicas += point.replicas;
  }
  bool met = profile.size() == points.size();
  LayerStatistics ofProfile = meanStatistics(profile),
                  ofEvaluation = meanStatistics(evaluation);
  return absl::StrCat(
      capOf(points[0].loadCap), ",mean,",
      met ? absl::StrFormat("%.3f", static_cast<double>(replicas) /
                                        static_cast<double>(points.size()))
          : "",
      fieldsOf(met ? &ofProfile : nullptr),
      fieldsOf(met && !evaluation.empty() ? &ofEvaluation : nullptr), "\n");
}

std::string mozart::printFrontier(absl::Span<const FrontierPoint> points) {
  std::string out = "load_cap,layer,replicas";
  for (const char *trace : {"profile", "evaluation"})
    for (const char *figure :
         {"c_t", "g_t", "load_max_over_mean", "receive_max_over_mean"})
      absl::StrAppend(&out, ",", trace, "_", figure);
  out += "\n";
  for (size_t first = 0; first < points.size();) {
    size_t end = first;
    do {
      const FrontierPoint &point = points[end];
      bool met = point.failure.empty();
      absl::StrAppend(&out, capOf(point.loadCap), ",", point.layer, ",",
                      met ? absl::StrCat(point.replicas) : "",
                      fieldsOf(met ? &point.profile : nullptr),
                      fieldsOf(point.evaluation ? &*point.evaluation : nullptr),
                      "\n");
      ++end;
    } while (end < points.size() && points[end].layer != 0);
    out += printMean(points.subspan(first, end - first));
    first = end;
  }
  return out;
}
