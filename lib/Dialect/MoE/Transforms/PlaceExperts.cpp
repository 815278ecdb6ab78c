//===- PlaceExperts.cpp - Chiplets for experts ----------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/Transforms/Layers.h"
#include "mozart/Dialect/MoE/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/PlacementIO.h"
#include "mozart/Target/RoutingSource.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace mozart::moe {
#define GEN_PASS_DEF_MOEPLACEEXPERTS
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mozart::moe

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

/// The switch group of each expert chiplet. A root that hosts experts is in
/// none and counts as one more.
static std::vector<int32_t> groupsOfChiplets(const MachineModel &machine) {
  std::vector<int32_t> groupOf;
  for (int32_t node : machine.expertChiplets()) {
    int32_t group = machine.groupOf(node);
    groupOf.push_back(group < 0 ? machine.numGroups() : group);
  }
  return groupOf;
}

static PlacementAttr toAttribute(const Placement &placement,
                                 wafer::MachineOp machine,
                                 const MachineModel &model) {
  std::vector<std::vector<int64_t>> nodesOf;
  for (const std::vector<int32_t> &chiplets : placement.chipletsOf) {
    std::vector<int64_t> &nodes = nodesOf.emplace_back();
    for (int32_t chiplet : chiplets)
      nodes.push_back(model.expertChiplets()[chiplet]);
  }
  return PlacementAttr::get(machine.getContext(),
                            FlatSymbolRefAttr::get(machine.getSymNameAttr()),
                            nodesOf);
}

namespace {
struct MoEPlaceExperts
    : public moe::impl::MoEPlaceExpertsBase<MoEPlaceExperts> {
  using MoEPlaceExpertsBase::MoEPlaceExpertsBase;

  void runOnOperation() override {
    FailureOr<wafer::MachineOp> machine = findMachine();
    if (failed(machine))
      return signalPassFailure();
    MachineModel model = wafer::getMachineModel(*machine);
    FailureOr<const PlacementAlgorithm *> found = findAlgorithm();
    if (failed(found))
      return signalPassFailure();
    for (FunctionOpInterface function :
         getOperation().getOps<FunctionOpInterface>())
      if (failed(place(function, *found, *machine, model)))
        return signalPassFailure();
  }

  /// Null where a file has the placements.
  FailureOr<const PlacementAlgorithm *> findAlgorithm() {
    ModuleOp module = getOperation();
    if (!placement.empty()) {
      if (algorithm.empty() && loadCap == 0 && groupWeight == 0)
        return static_cast<const PlacementAlgorithm *>(nullptr);
      return module.emitError()
             << "is placed by the file '" << placement.getValue()
             << "', expected no algorithm, load cap or weight of groups beside "
                "it";
    }
    absl::StatusOr<const PlacementAlgorithm *> found = PlacementAlgorithm::find(
        algorithm.empty() ? "algorithm1" : algorithm.getValue());
    if (!found.ok())
      return module.emitError() << std::string(found.status().message());
    return *found;
  }

  FailureOr<wafer::MachineOp> findMachine() {
    ModuleOp module = getOperation();
    if (!machine.empty())
      return wafer::loadMachine(module, machine);
    auto machines = llvm::to_vector(module.getOps<wafer::MachineOp>());
    if (machines.size() == 1)
      return machines.front();
    InFlightDiagnostic diag = module.emitError()
                              << "has " << machines.size()
                              << " machines to place experts on, expected one; "
                              << (machines.empty()
                                      ? "load it with wafer-load-machine"
                                      : "choose with the option machine");
    for (wafer::MachineOp found : machines)
      diag.attachNote(found.getLoc())
          << "machine '" << found.getSymName() << "'";
    return diag;
  }

  /// A trace says the same number of slots and experts for all layers.
  static LogicalResult checkEqualLayers(ArrayRef<Layer> layers) {
    const Layer &first = layers.front();
    for (auto [ordinal, layer] : llvm::enumerate(layers))
      if (layer.experts != first.experts || layer.k != first.k)
        return layer.ops.front()->emitOpError()
               << "is in MoE layer " << ordinal << " with k = " << layer.k
               << " of " << layer.experts
               << " experts, but layer 0 has k = " << first.k << " of "
               << first.experts
               << "; expected the same in all layers, as in a routing trace";
    return success();
  }

  /// The profile, if one is named or needed. Fails where it is not of this
  /// model.
  FailureOr<std::optional<Trace>>
  getProfile(FunctionOpInterface function, const PlacementAlgorithm *algorithm,
             ArrayRef<Layer> layers) {
    ModuleOp module = getOperation();
    bool needed = algorithm && algorithm->needsProfile;
    if (!needed && profile.empty() && module.getOps<ProfileOp>().empty())
      return std::optional<Trace>();
    const Layer &first = layers.front();
    FailureOr<Trace> trace =
        loadTrace(module, profile, Draw::Profile, first.experts);
    if (failed(trace))
      return failure();
    absl::StatusOr<BoundRouting> bound =
        BoundRouting::bind(*trace, layers.size(), first.k, first.experts,
                           first.tokens, /*microBatches=*/1);
    if (!bound.ok())
      return function.emitError()
             << "the routing profile is not of this model: "
             << std::string(bound.status().message());
    return std::optional<Trace>(*std::move(trace));
  }

  LogicalResult place(FunctionOpInterface function,
                      const PlacementAlgorithm *algorithm,
                      wafer::MachineOp machine, const MachineModel &model) {
    FailureOr<SmallVector<Layer>> layers = getLayers(function);
    if (failed(layers))
      return failure();
    if (layers->empty())
      return success();
    if (failed(checkEqualLayers(*layers)))
      return failure();
    FailureOr<std::optional<Trace>> trace =
        getProfile(function, algorithm, *layers);
    if (failed(trace))
      return failure();

    PlacementProblem problem;
    problem.numExperts = layers->front().experts;
    problem.groupOf = groupsOfChiplets(model);
    problem.profile = *trace ? &**trace : nullptr;
    problem.seed = seed;
    problem.loadCap = loadCap;
    problem.groupWeight = groupWeight;
    absl::StatusOr<std::vector<Placement>> placements =
        algorithm ? placeLayers(*algorithm, problem, layers->size())
                  : readLayers(problem, layers->size());
    if (!placements.ok())
      return function.emitError() << std::string(placements.status().message());
    for (auto [layer, placement] : llvm::zip(*layers, *placements)) {
      PlacementAttr attribute = toAttribute(placement, machine, model);
      for (MoELayerOpInterface op : layer.ops)
        op.setPlacementAttr(attribute);
    }
    if (problem.profile)
      return explain(function, *layers, algorithm ? algorithm->name : "file",
                     *placements, problem);
    return success();
  }

  /// The placements of the file; one of a single layer serves them all.
  absl::StatusOr<std::vector<Placement>>
  readLayers(const PlacementProblem &problem, size_t layers) {
    PlacementReadOptions options;
    options.experts = problem.numExperts;
    options.chiplets = static_cast<int64_t>(problem.groupOf.size());
    options.allowReplicas = true;
    absl::StatusOr<std::vector<Placement>> placements =
        readPlacements(placement, options);
    if (placements.ok() && placements->size() == 1)
      placements->resize(layers, placements->front());
    if (placements.ok() && placements->size() != layers)
      return absl::InvalidArgumentError(
          llvm::formatv("placements in '{0}' are of {1} layers, the model has "
                        "{2}; expected as many, or one that serves every layer",
                        placement.getValue(), placements->size(), layers)
              .str());
    return placements;
  }

  /// A remark for each layer: what the placement is worth under its profile.
  static LogicalResult explain(FunctionOpInterface function,
                               ArrayRef<Layer> layers, StringRef how,
                               ArrayRef<Placement> placements,
                               const PlacementProblem &problem) {
    absl::StatusOr<std::vector<LayerStatistics>> after = placementStatistics(
        *problem.profile, {placements.data(), placements.size()},
        problem.groupOf,
        layers.front().tokens > 0 ? layers.front().tokens : INT64_MAX);
    absl::StatusOr<std::vector<LayerStatistics>> before =
        statisticsOfContiguous(problem, layers.size());
    if (!after.ok() || !before.ok())
      return function.emitError()
             << std::string((after.ok() ? before : after).status().message());
    for (size_t i = 0; i < layers.size(); ++i) {
      auto figure = [](double value) {
        return llvm::formatv("{0:f3}", value).str();
      };
      MoELayerOpInterface first = layers[i].ops.front();
      const LayerStatistics &now = (*after)[i], &was = (*before)[i];
      remark::passed(first.getLoc(), remark::RemarkOpts::name("PlaceExperts")
                                         .category("moe-place-experts")
                                         .function(function.getName()))
          << llvm::formatv("MoE layer {0} by {1}: C_T {2:f3} (contiguous "
                           "{3:f3}), G_T {4:f3} ({5:f3}), load max/mean {6:f3} "
                           "({7:f3})",
                           i, how, now.cT, was.cT, now.gT, was.gT,
                           now.loadMaxOverMean, was.loadMaxOverMean)
                 .str()
          << remark::metric("c_t", figure(now.cT))
          << remark::metric("g_t", figure(now.gT))
          << remark::metric("load_max_over_mean", figure(now.loadMaxOverMean));
    }
    return success();
  }

  static absl::StatusOr<std::vector<LayerStatistics>>
  statisticsOfContiguous(PlacementProblem problem, int64_t layers) {
    // What only the algorithm in use was asked for.
    problem.loadCap = problem.groupWeight = 0;
    absl::StatusOr<const PlacementAlgorithm *> contiguous =
        PlacementAlgorithm::find("contiguous");
    if (!contiguous.ok())
      return contiguous.status();
    absl::StatusOr<std::vector<Placement>> placements =
        placeLayers(**contiguous, problem, layers);
    if (!placements.ok())
      return placements.status();
    return placementStatistics(*problem.profile, *placements, problem.groupOf);
  }
};
} // namespace
