//===- Compile.cpp - The whole way from a model to a schedule -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/Compile.h"

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

/// `name=value`, quoted where a value could be taken apart.
std::string option(StringRef name, StringRef value) {
  if (value.empty())
    return "";
  return (name + "=\"" + value + "\" ").str();
}

/// The passes that lead to each phase, as text.
SmallVector<std::string> passesOf(const CompileOptions &options,
                                  const Preset &preset) {
  StringRef algorithm = options.algorithm.empty()
                            ? preset.algorithm
                            : StringRef(options.algorithm);
  std::string seed = option("seed", std::to_string(options.seed));
  std::string model = "mozart-verify-model";
  if (!options.machine.empty())
    model = "wafer-load-machine{" + option("machine", options.machine) + "}," +
            model;
  std::string placed = "moe-place-experts{" +
                       option("algorithm", algorithm) +
                       option("profile", options.profile) + seed +
                       "},mozart-verify-placed";
  std::string routed = "convert-moe-to-nop,";
  if (preset.deduplicate)
    routed += "nop-deduplicate,nop-multicast-in-switch,nop-reduce-in-switch,";
  routed += "mozart-verify-routed";
  std::string program =
      "convert-nop-to-chiplet{" + option("preset", preset.name) + seed +
      option("slices", std::to_string(options.slices)) +
      option("weight-copies", preset.overlap ? "2" : "1") +
      "},chiplet.program(mozart-verify-program)";
  std::string schedule =
      preset.overlap
          ? "chiplet-schedule-overlap{" + option("profile", options.profile) +
                "}"
          : "chiplet-schedule-serial";
  std::string scheduled = "chiplet.program(" + schedule +
                          ",chiplet-allocate-buffers,mozart-verify-scheduled)";
  return {model, placed, routed, program, scheduled};
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
  SmallVector<std::string> phases = passesOf(options, *preset);
  std::string text =
      llvm::join(ArrayRef<std::string>(phases).take_front(*last + 1), ",");
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (failed(parsePassPipeline(text, manager, stream)))
    return reportError(error);
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
