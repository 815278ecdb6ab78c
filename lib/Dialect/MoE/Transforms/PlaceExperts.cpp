//===- PlaceExperts.cpp - Chiplets for experts ----------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainPlacement.h"
#include "mozart/Cost/PlacementLatency.h"
#include "mozart/Dialect/MoE/Transforms/Layers.h"
#include "mozart/Dialect/MoE/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/PlacementIO.h"
#include "mozart/Target/RoutingSource.h"

#include "llvm/Support/FormatVariadic.h"

namespace mozart::moe {
#define GEN_PASS_DEF_MOEPLACEEXPERTS
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mozart::moe

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

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

  /// The name of an option that a placer is told and a file is not.
  StringRef givenOption() const {
    return !algorithm.empty()   ? "algorithm"
           : loadCap != 0       ? "load-cap"
           : groupWeight != 0   ? "group-weight"
           : groupLoadCap != 0  ? "group-load-cap"
           : chipletWeight != 1 ? "chiplet-weight"
           : receiveWeight != 0 ? "receive-weight"
           : starts != 0        ? "starts"
           : kicks >= 0         ? "kicks"
           : budget >= 0        ? "budget"
           : slots != 0         ? "slots"
           : chipletBytes != 0  ? "chiplet-bytes"
           : maxReplicas != -1  ? "max-replicas"
           : !keep.empty()      ? "keep"
           : maxMoves != -1     ? "max-moves"
                                : "";
  }

  /// Null where a file has the placements.
  FailureOr<const PlacementAlgorithm *> findAlgorithm() {
    ModuleOp module = getOperation();
    if (expertBytes < 0 || chipletBytes < 0)
      return module.emitError()
             << "is placed with expert-bytes=" << expertBytes.getValue()
             << " and chiplet-bytes=" << chipletBytes.getValue()
             << ", expected at least 1 of each, or 0 for what is not known";
    if (chipletBytes > 0 &&
        (expertBytes == 0 || slots != 0 || chipletBytes < expertBytes))
      return module.emitError()
             << "is placed with chiplet-bytes=" << chipletBytes.getValue()
             << ", expected expert-bytes of no more and no slots beside it, "
                "found expert-bytes="
             << expertBytes.getValue() << " and slots=" << slots.getValue();
    if (!placement.empty()) {
      StringRef given = givenOption();
      if (given.empty())
        return static_cast<const PlacementAlgorithm *>(nullptr);
      return module.emitError()
             << "is placed by the file '" << placement.getValue()
             << "', expected no option '" << given << "' beside it";
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
    // Also what has no weight: clusters are put on chiplets by it.
    MachinePositions positions = positionsOf(model);
    problem.groupOf = std::move(positions.groupOf);
    problem.levels = std::move(positions.levels);
    problem.hopsOf = std::move(positions.hopsOf);
    problem.profile = *trace ? &**trace : nullptr;
    problem.seed = seed;
    if (layers->front().tokens > 0)
      problem.tokensPerMicroBatch = layers->front().tokens;
    setLimits(problem);
    std::vector<Placement> old;
    if (!keep.empty()) {
      absl::StatusOr<std::vector<Placement>> read =
          readLayers(keep, problem, layers->size());
      if (!read.ok())
        return function.emitError() << std::string(read.status().message());
      old = *std::move(read);
      problem.keep = old;
    }
    absl::StatusOr<std::vector<Placement>> placements =
        algorithm ? placeLayers(*algorithm, problem, layers->size(), threads)
                  : readLayers(placement, problem, layers->size());
    if (!placements.ok())
      return function.emitError() << std::string(placements.status().message());
    for (auto [layer, placement] : llvm::zip(*layers, *placements)) {
      PlacementAttr attribute = toAttribute(placement, machine, model);
      for (MoELayerOpInterface op : layer.ops)
        op.setPlacementAttr(attribute);
    }
    return explainPlacements(function, *layers, *placements, problem,
                             {algorithm, expertBytes});
  }

  /// What an algorithm is asked for, beside experts and chiplets.
  void setLimits(PlacementProblem &problem) {
    problem.loadCap = loadCap;
    problem.groupLoadCap = groupLoadCap;
    problem.chipletWeight = chipletWeight;
    problem.groupWeight = groupWeight;
    problem.receiveWeight = receiveWeight;
    if (starts != 0)
      problem.starts = starts;
    if (kicks >= 0)
      problem.kicks = kicks;
    if (budget >= 0)
      problem.moveBudget = budget;
    problem.slots = slots;
    if (chipletBytes > 0)
      problem.slots =
          std::min<int64_t>(chipletBytes / expertBytes, problem.numExperts);
    problem.maxReplicas = maxReplicas;
    problem.maxMoves = maxMoves;
  }

  /// The placements of a file; one of a single layer serves them all.
  static absl::StatusOr<std::vector<Placement>>
  readLayers(const std::string &path, const PlacementProblem &problem,
             size_t layers) {
    PlacementReadOptions options;
    options.experts = problem.numExperts;
    options.chiplets = static_cast<int64_t>(problem.groupOf.size());
    options.allowReplicas = true;
    absl::StatusOr<std::vector<Placement>> placements =
        readPlacements(path, options);
    if (placements.ok() && placements->size() == 1)
      placements->resize(layers, placements->front());
    if (placements.ok() && placements->size() != layers)
      return absl::InvalidArgumentError(
          llvm::formatv("placements in '{0}' are of {1} layers, the model has "
                        "{2}; expected as many, or one that serves every layer",
                        path, placements->size(), layers)
              .str());
    return placements;
  }
};
} // namespace
