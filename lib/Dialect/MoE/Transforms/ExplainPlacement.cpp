//===- ExplainPlacement.cpp - Remarks on placements -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainPlacement.h"

#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/ReplicaSearch.h"
#include "mozart/Placement/Replicate.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

static remark::RemarkOpts optionsOf(FunctionOpInterface function,
                                    StringRef name) {
  return remark::RemarkOpts::name(name)
      .category("moe-place-experts")
      .function(function.getName());
}

static void explainWorth(FunctionOpInterface function, Location loc,
                         size_t layer, StringRef how,
                         const LayerStatistics &now,
                         const LayerStatistics &was) {
  auto figure = [](double value) {
    return llvm::formatv("{0:f3}", value).str();
  };
  remark::passed(loc, optionsOf(function, "PlaceExperts"))
      << llvm::formatv("MoE layer {0} by {1}: C_T {2:f3} (contiguous {3:f3}), "
                       "G_T {4:f3} ({5:f3}), load max/mean {6:f3} ({7:f3}), "
                       "receive max/mean {8:f3} ({9:f3})",
                       layer, how, now.cT, was.cT, now.gT, was.gT,
                       now.loadMaxOverMean, was.loadMaxOverMean,
                       now.receiveMaxOverMean, was.receiveMaxOverMean)
             .str()
      << remark::metric("c_t", figure(now.cT))
      << remark::metric("g_t", figure(now.gT))
      << remark::metric("load_max_over_mean", figure(now.loadMaxOverMean))
      << remark::metric("receive_max_over_mean",
                        figure(now.receiveMaxOverMean));
}

/// Bounds of C_T, and of load where each expert is placed once by an algorithm
/// that keeps chiplets even.
static void explainBounds(FunctionOpInterface function, Location loc,
                          const PlacementProblem &problem,
                          const Placement &placement) {
  const Trace &profile = *problem.profile;
  int64_t layer = problem.profileLayer();
  int64_t most = std::max(problem.slots, mostExpertsOfChiplet(placement));
  std::string text =
      llvm::formatv("MoE layer {0}: with {1} experts a chiplet no C_T is below "
                    "{2:f3}",
                    problem.layer, most, boundOfCT(profile, layer, most))
          .str();
  if (problem.slots == 0) {
    std::vector<int64_t> load = expertLoad(profile, layer);
    int64_t pairs = 0;
    for (int64_t one : load)
      pairs += one;
    if (pairs > 0)
      text +=
          llvm::formatv(
              ", and without replicas no load max/mean is below {0:f3}",
              static_cast<double>(boundOfBusiest(load, problem.numChiplets())) *
                  static_cast<double>(problem.numChiplets()) /
                  static_cast<double>(pairs))
              .str();
  }
  remark::analysis(loc, optionsOf(function, "PlacementBounds")) << text;
}

static void explainChanges(FunctionOpInterface function, Location loc,
                           const PlacementProblem &problem,
                           const Placement &placement, int64_t expertBytes) {
  if (int64_t replicas = countReplicas(placement))
    remark::analysis(loc, optionsOf(function, "Replicas"))
        << llvm::formatv("MoE layer {0} has {1} replicas, by chiplets' "
                         "ordinals: expert {2}",
                         problem.layer, replicas, describeReplicas(placement))
               .str();
  if (const Placement *old = problem.oldPlacement()) {
    int64_t moves = countMoves(*old, placement), bytes;
    std::string text =
        llvm::formatv("MoE layer {0}: {1} experts move from the placement to "
                      "keep",
                      problem.layer, moves)
            .str();
    if (expertBytes > 0 && !__builtin_mul_overflow(moves, expertBytes, &bytes))
      text += llvm::formatv(", {0} bytes", bytes).str();
    remark::analysis(loc, optionsOf(function, "Moves")) << text;
  }
  for (const std::string &text : placement.remarks)
    remark::analysis(loc, optionsOf(function, "Placer")) << text;
}

/// Experts in order, whatever was asked of the placer.
static absl::StatusOr<std::vector<LayerStatistics>>
statisticsOfContiguous(const PlacementProblem &problem, int64_t layers,
                       int64_t tokensPerMicroBatch) {
  PlacementProblem plain;
  plain.numExperts = problem.numExperts;
  plain.groupOf = problem.groupOf;
  plain.profile = problem.profile;
  absl::StatusOr<const PlacementAlgorithm *> contiguous =
      PlacementAlgorithm::find("contiguous");
  if (!contiguous.ok())
    return contiguous.status();
  absl::StatusOr<std::vector<Placement>> placements =
      placeLayers(**contiguous, plain, layers);
  if (!placements.ok())
    return placements.status();
  return placementStatistics(*problem.profile, *placements, problem.groupOf,
                             tokensPerMicroBatch);
}

LogicalResult moe::explainPlacements(FunctionOpInterface function,
                                     ArrayRef<Layer> layers,
                                     ArrayRef<Placement> placements,
                                     const PlacementProblem &problem,
                                     const PlacementStory &story) {
  int64_t count = static_cast<int64_t>(layers.size());
  absl::StatusOr<std::vector<LayerStatistics>> after =
      std::vector<LayerStatistics>();
  absl::StatusOr<std::vector<LayerStatistics>> before = after;
  if (problem.profile) {
    after = placementStatistics(*problem.profile,
                                {placements.data(), placements.size()},
                                problem.groupOf, problem.tokensPerMicroBatch);
    before =
        statisticsOfContiguous(problem, count, problem.tokensPerMicroBatch);
  }
  if (!after.ok() || !before.ok())
    return function.emitError()
           << std::string((after.ok() ? before : after).status().message());
  PlacementProblem ofLayer = problem;
  for (int64_t layer = 0; layer < count; ++layer) {
    ofLayer.layer = layer;
    Location loc = MoELayerOpInterface(layers[layer].ops.front()).getLoc();
    if (problem.profile) {
      explainWorth(function, loc, layer,
                   story.algorithm ? story.algorithm->name : "file",
                   (*after)[layer], (*before)[layer]);
      if (story.algorithm)
        explainBounds(function, loc, ofLayer, placements[layer]);
    }
    explainChanges(function, loc, ofLayer, placements[layer],
                   story.expertBytes);
  }
  return success();
}
