//===- ChipletGroups.cpp - The chiplets to place on -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChipletGroups.h"

#include "mozart/Cost/PlacementLatency.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Placement/PlaceLayers.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

/// `file:line:column: message`, or the message alone where there is no file.
static std::string describe(mlir::Diagnostic &diagnostic) {
  auto file = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation());
  if (!file)
    return diagnostic.str();
  return absl::StrCat(file.getFilename().str(), ":", file.getLine(), ":",
                      file.getColumn(), ": ", diagnostic.str());
}

static absl::StatusOr<MachineModel> loadModel(const std::string &machine) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<wafer::WaferDialect>();
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        absl::StrAppend(&errors, errors.empty() ? "" : "\n",
                        describe(diagnostic));
        return mlir::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  mlir::FailureOr<wafer::MachineOp> loaded =
      wafer::loadMachine(*module, machine);
  if (failed(loaded))
    return absl::InvalidArgumentError(
        absl::StrCat("cannot load the machine: ", errors));
  return wafer::getMachineModel(*loaded);
}

static ChipletGroups groupsOf(const MachineModel &machine) {
  ChipletGroups groups;
  groups.count = machine.numGroups();
  for (int32_t node : machine.expertChiplets())
    groups.forCounting.push_back(machine.groupOf(node));
  MachinePositions positions = positionsOf(machine);
  groups.forPlacing = std::move(positions.groupOf);
  groups.levels = std::move(positions.levels);
  groups.hopsOf = std::move(positions.hopsOf);
  return groups;
}

absl::StatusOr<ChipletGroups>
mozart::chipletGroups(const PlaceOptions &options) {
  if (!options.machine.empty()) {
    if (options.chiplets || options.groups)
      return absl::InvalidArgumentError(
          absl::StrCat("--machine=", options.machine,
                       " says what chiplets and groups there "
                       "are; leave out --",
                       options.chiplets ? "chiplets" : "groups",
                       ", or leave out --machine"));
    absl::StatusOr<MachineModel> machine = loadModel(options.machine);
    if (!machine.ok())
      return machine.status();
    return groupsOf(*machine);
  }
  if (options.levelWeight || options.hopWeight)
    return absl::InvalidArgumentError(absl::StrCat(
        "--", options.levelWeight ? "level-weight" : "hop-weight",
        " is of no use without --machine, which says what levels and links "
        "there are"));
  if (!options.chiplets)
    return absl::InvalidArgumentError(
        "the machine is not known; give --machine=NAME, or --chiplets=N and "
        "--groups=N");
  ChipletGroups groups;
  groups.count = options.groups.value_or(1);
  absl::StatusOr<std::vector<int32_t>> groupOf =
      uniformGroups(*options.chiplets, groups.count);
  if (!groupOf.ok())
    return groupOf.status();
  groups.forPlacing = groups.forCounting = *std::move(groupOf);
  return groups;
}
