//===- RoutingStatistics.cpp - What a routing trace says ------------------
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutingFlags.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Target/RoutingTranslations.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mozart;
using nlohmann::ordered_json;
namespace cl = llvm::cl;

namespace {
struct RoutingStatisticsFlags {
  cl::OptionCategory category{"Options of --routing-statistics"};
  cl::opt<int64_t> &experts = expertsFlag(category);
  cl::opt<int64_t> chiplets{
      "chiplets",
      cl::desc(
          "Also count what the contiguous layout on so many chiplets does"),
      cl::value_desc("N"), cl::init(0), cl::cat(category)};
  cl::opt<int64_t> groups{
      "groups",
      cl::desc("Switch groups that these form, of equal size (default: 1)"),
      cl::value_desc("N"), cl::init(1), cl::cat(category)};
};
} // namespace

/// A layer's experts: names of their own, since `load_max_over_mean` of a
/// report is that of chiplets.
static ordered_json describeExperts(const ExpertStatistics &statistics) {
  ordered_json object;
  object["expert_load"] = statistics.load;
  object["expert_load_max_over_mean"] = statistics.loadMaxOverMean;
  object["expert_load_variation"] = statistics.loadVariation;
  object["expert_coactivation_peak"] = statistics.peakCoactivation;
  return object;
}

/// What the contiguous layout does to each layer, under the names of a report;
/// none where no chiplets are given.
static absl::StatusOr<std::vector<LayerStatistics>>
countContiguous(const Trace &trace, const RoutingStatisticsFlags &flags) {
  if (flags.chiplets.getNumOccurrences() == 0) {
    if (flags.groups.getNumOccurrences() > 0)
      return absl::InvalidArgumentError(
          "--groups cuts the chiplets of --chiplets, which is not given");
    return std::vector<LayerStatistics>();
  }
  absl::StatusOr<std::vector<int32_t>> groupOf =
      uniformGroups(flags.chiplets, flags.groups);
  if (!groupOf.ok())
    return groupOf.status();
  absl::StatusOr<const PlacementAlgorithm *> contiguous =
      PlacementAlgorithm::find("contiguous");
  if (!contiguous.ok())
    return contiguous.status();
  PlacementProblem problem;
  problem.numExperts = trace.numExperts();
  problem.groupOf = *groupOf;
  absl::StatusOr<std::vector<Placement>> placements =
      placeLayers(**contiguous, problem, /*layers=*/1);
  if (!placements.ok())
    return placements.status();
  return placementStatistics(trace, *placements, *groupOf);
}

static absl::StatusOr<std::string>
printStatistics(const Trace &trace, const RoutingStatisticsFlags &flags) {
  absl::StatusOr<std::vector<LayerStatistics>> contiguous =
      countContiguous(trace, flags);
  if (!contiguous.ok())
    return contiguous.status();
  ordered_json object;
  object["experts"] = trace.numExperts();
  object["k"] = trace.k();
  object["tokens"] = trace.numTokens();
  object["layers"] = ordered_json::array();
  for (int64_t layer = 0; layer < trace.numLayers(); ++layer) {
    absl::StatusOr<ExpertStatistics> experts = expertStatistics(trace, layer);
    if (!experts.ok())
      return experts.status();
    ordered_json entry = describeExperts(*experts);
    if (!contiguous->empty()) {
      const LayerStatistics &counted = (*contiguous)[layer];
      entry["contiguous"] = {
          {"c_t", counted.cT},
          {"g_t", counted.gT},
          {"load_max_over_mean", counted.loadMaxOverMean},
          {"receive_max_over_mean", counted.receiveMaxOverMean}};
    }
    object["layers"].push_back(std::move(entry));
  }
  return object.dump(2) + "\n";
}

void mozart::registerRoutingStatistics() {
  static RoutingStatisticsFlags flags;
  static TranslateRegistration registration(
      "routing-statistics",
      "Routing trace to statistics of each layer: load, co-activation, C_T and "
      "G_T; as JSON",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        FailureOr<Trace> trace = parseRouting(*sources, context);
        if (failed(trace))
          return failure();
        absl::StatusOr<std::string> text = printStatistics(*trace, flags);
        if (!text.ok())
          return emitError(UnknownLoc::get(context))
                 << std::string(text.status().message());
        output << *text;
        return success();
      });
}
