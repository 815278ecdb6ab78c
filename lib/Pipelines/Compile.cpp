//===- Compile.cpp - The whole way from a model to a schedule -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/Compile.h"

#include "mozart/Conversion/Passes.h"
#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Dialect/MoE/Transforms/Passes.h"
#include "mozart/Dialect/NoP/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mozart;

namespace {

/// What a preset adds to the one before it (paper, "Ablation").
struct Preset {
  StringRef name;
  StringRef algorithm;
  bool overlap;
  bool deduplicate;
};

constexpr Preset kPresets[] = {
    {"baseline", "contiguous", false, false},
    {"overlap", "contiguous", true, false},
    {"dedup", "contiguous", true, true},
    {"layout", "algorithm1", true, true},
};

constexpr StringRef kPhases[] = {"model", "placed", "routed", "program",
                                 "scheduled"};

using ReportError = function_ref<LogicalResult(const Twine &)>;

FailureOr<Preset> findPreset(StringRef name, ReportError reportError) {
  for (const Preset &preset : kPresets)
    if (preset.name == name)
      return preset;
  if (name == "best")
    return reportError("preset 'best' is still to come; expected baseline, "
                       "overlap, dedup or layout");
  return reportError("unknown preset '" + name +
                     "'; expected baseline, overlap, dedup or layout");
}

FailureOr<size_t> findPhase(StringRef name, ReportError reportError) {
  for (auto [index, phase] : llvm::enumerate(kPhases))
    if (phase == name)
      return index;
  return reportError("unknown phase '" + name + "' in compile-to; expected " +
                     llvm::join(ArrayRef<StringRef>(kPhases), ", "));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void addModel(OpPassManager &manager, const CompileOptions &options) {
  if (!options.machine.empty()) {
    wafer::WaferLoadMachineOptions load;
    load.machine = options.machine;
    manager.addPass(wafer::createWaferLoadMachine(load));
  }
  manager.addPass(moe::createVerifyModel());
}

void addPlaced(OpPassManager &manager, const CompileOptions &options,
               const Preset &preset) {
  moe::MoEPlaceExpertsOptions place;
  place.algorithm = options.algorithm;
  place.placement = options.placement;
  if (options.algorithm.empty() && options.placement.empty())
    place.algorithm = preset.algorithm.str();
  place.profile = options.profile;
  place.machine = options.machine;
  place.loadCap = options.loadCap;
  place.groupWeight = options.groupWeight;
  place.slots = options.slots;
  place.seed = static_cast<uint64_t>(options.seed.getValue());
  manager.addPass(moe::createMoEPlaceExperts(place));
  manager.addPass(moe::createVerifyPlaced());
}

void addRouted(OpPassManager &manager, const Preset &preset) {
  manager.addPass(createConvertMoEToNoP());
  if (preset.deduplicate) {
    manager.addPass(nop::createNoPDeduplicate());
    manager.addPass(nop::createNoPMulticastInSwitch());
    manager.addPass(nop::createNoPReduceInSwitch());
  }
  manager.addPass(nop::createVerifyRouted());
}

void addProgram(OpPassManager &manager, const CompileOptions &options,
                const Preset &preset) {
  ConvertNoPToChipletOptions convert;
  convert.preset = preset.name.str();
  convert.machine = options.machine;
  convert.seed = options.seed;
  convert.slices = options.slices;
  convert.weightCopies = preset.overlap ? 2 : 1;
  manager.addPass(createConvertNoPToChiplet(convert));
  manager.nest<chiplet::ProgramOp>().addPass(chiplet::createVerifyProgram());
}

void addScheduled(OpPassManager &manager, const CompileOptions &options,
                  const Preset &preset) {
  OpPassManager &program = manager.nest<chiplet::ProgramOp>();
  if (preset.overlap) {
    chiplet::ChipletScheduleOverlapOptions schedule;
    schedule.profile = options.profile;
    program.addPass(chiplet::createChipletScheduleOverlap(schedule));
  } else {
    program.addPass(chiplet::createChipletScheduleSerial());
  }
  program.addPass(chiplet::createChipletAllocateBuffers());
  program.addPass(chiplet::createVerifyScheduled());
}

} // namespace

LogicalResult mozart::buildCompilePipeline(OpPassManager &manager,
                                           const CompileOptions &options,
                                           ReportError reportError) {
  FailureOr<Preset> preset = findPreset(options.preset, reportError);
  if (failed(preset))
    return failure();
  FailureOr<size_t> last = findPhase(options.compileTo, reportError);
  if (failed(last))
    return failure();
  if (options.seed < 0)
    return reportError("seed is " + Twine(options.seed) +
                       ", expected a number from 0 to 2^63 - 1");
  const std::function<void()> phases[] = {
      [&] { addModel(manager, options); },
      [&] { addPlaced(manager, options, *preset); },
      [&] { addRouted(manager, *preset); },
      [&] { addProgram(manager, options, *preset); },
      [&] { addScheduled(manager, options, *preset); }};
  for (const auto &phase : ArrayRef(phases).take_front(*last + 1))
    phase();
  return success();
}

void mozart::registerCompilePipeline() {
  auto build = [](OpPassManager &manager, StringRef text,
                  ReportError reportError) -> LogicalResult {
    CompileOptions options;
    if (failed(options.parseFromString(text)))
      return failure();
    return buildCompilePipeline(manager, options, reportError);
  };
  registerPassPipeline(
      "mozart-compile",
      "Compile a model for a machine: place, route, lower, schedule", build,
      [](function_ref<void(const detail::PassOptions &)> print) {
        print(CompileOptions());
      });
}
