//===- mozart-place.cpp - A placement from a routing trace ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChipletGroups.h"
#include "Options.h"
#include "StatisticsJson.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/PlacementIO.h"
#include "mozart/Routing/TraceIO.h"
#include "mozart/Support/AtomicFile.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <cstdio>
#include <optional>

using namespace mozart;

namespace {
/// The traces that were named, over the same experts.
struct Traces {
  std::optional<Trace> profile, evaluation;
  int64_t experts = 0;
  /// Layers to place.
  int64_t layers = 1;
};
} // namespace

static absl::Status readInto(const std::string &path, int64_t experts,
                             std::optional<Trace> &trace) {
  if (path.empty())
    return absl::OkStatus();
  TraceReadOptions options;
  options.experts = experts;
  absl::StatusOr<Trace> read = readTrace(path, options);
  if (!read.ok())
    return read.status();
  trace = *std::move(read);
  return absl::OkStatus();
}

static absl::StatusOr<Traces> readBoth(const PlaceOptions &options,
                                       int64_t experts) {
  Traces traces;
  traces.experts = experts;
  absl::Status status = readInto(options.profile, experts, traces.profile);
  if (status.ok())
    status = readInto(options.evaluate, experts, traces.evaluation);
  if (!status.ok())
    return status;
  for (const auto *trace : {&traces.profile, &traces.evaluation})
    if (*trace)
      traces.experts = std::max(traces.experts, (*trace)->numExperts());
  return traces;
}

/// Fails where the two are not of one model.
static absl::Status checkTraces(const Traces &traces) {
  if (!traces.profile || !traces.evaluation)
    return absl::OkStatus();
  const Trace &profile = *traces.profile, &evaluation = *traces.evaluation;
  if (profile.k() != evaluation.k())
    return absl::InvalidArgumentError(absl::StrFormat(
        "the profile has k = %d experts a token, the trace to evaluate has %d; "
        "they must be of one model",
        profile.k(), evaluation.k()));
  if (profile.numLayers() != evaluation.numLayers() &&
      profile.numLayers() != 1 && evaluation.numLayers() != 1)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the profile has %d layers, the trace to evaluate has %d; expected as "
        "many, or one that serves every layer",
        profile.numLayers(), evaluation.numLayers()));
  return absl::OkStatus();
}

static absl::StatusOr<Traces> readTraces(const PlaceOptions &options) {
  if (options.experts && *options.experts < 1)
    return absl::InvalidArgumentError(
        absl::StrFormat("--experts=%d; expected at least 1", *options.experts));
  absl::StatusOr<Traces> traces =
      readBoth(options, options.experts.value_or(0));
  // One of them may have been taken by its highest id: read it again as one of
  // the other's model. Where it says another number, that fails.
  if (traces.ok() && !options.experts && traces->experts != 0)
    traces = readBoth(options, traces->experts);
  if (!traces.ok())
    return traces;
  if (traces->experts == 0)
    return absl::InvalidArgumentError(
        "the number of experts is not known; give --experts=N, or a trace");
  absl::Status status = checkTraces(*traces);
  if (!status.ok())
    return status;
  if (traces->profile)
    traces->layers = traces->profile->numLayers();
  else if (traces->evaluation)
    traces->layers = traces->evaluation->numLayers();
  return traces;
}

static absl::StatusOr<const PlacementAlgorithm *>
chooseAlgorithm(const PlaceOptions &options) {
  absl::StatusOr<const PlacementAlgorithm *> algorithm =
      PlacementAlgorithm::find(options.algorithm);
  if (!algorithm.ok())
    return algorithm;
  // Taken in vain, they would seem to have been heeded.
  const char *option = options.loadCap       ? "load-cap"
                       : options.groupWeight ? "group-weight"
                       : options.starts      ? "starts"
                       : options.kicks       ? "kicks"
                       : options.budget      ? "budget"
                                             : nullptr;
  if (option && !(*algorithm)->searches)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' does not search and cannot go by --%s; leave "
        "it out, or use --algorithm=search",
        options.algorithm, option));
  // To the problem, 0 is none.
  if (options.loadCap == 0)
    return absl::InvalidArgumentError(
        "--load-cap=0; expected at least 1, which is the mean over chiplets");
  if ((*algorithm)->needsProfile && options.profile.empty())
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' needs --profile=FILE", options.algorithm));
  return algorithm;
}

/// Counts what the placements do to each trace.
static absl::StatusOr<std::vector<TraceStatistics>>
countTraces(const Traces &traces, absl::Span<const Placement> placements,
            absl::Span<const int32_t> groupOf) {
  std::vector<TraceStatistics> counted;
  auto count = [&](const char *role, const std::optional<Trace> &trace) {
    if (!trace)
      return absl::OkStatus();
    absl::StatusOr<std::vector<LayerStatistics>> layers =
        placementStatistics(*trace, placements, groupOf);
    if (layers.ok())
      counted.push_back({role, trace->numTokens(), *layers});
    return layers.status();
  };
  absl::Status status = count("profile", traces.profile);
  if (status.ok())
    status = count("evaluation", traces.evaluation);
  if (!status.ok())
    return status;
  return counted;
}

static absl::Status run(const PlaceOptions &options) {
  if (options.output == "-")
    return absl::InvalidArgumentError(
        "standard output is for the statistics; name a file after -o");
  absl::StatusOr<const PlacementAlgorithm *> algorithm =
      chooseAlgorithm(options);
  if (!algorithm.ok())
    return algorithm.status();
  absl::StatusOr<ChipletGroups> groups = chipletGroups(options);
  if (!groups.ok())
    return groups.status();
  absl::StatusOr<Traces> traces = readTraces(options);
  if (!traces.ok())
    return traces.status();

  PlacementProblem problem;
  problem.numExperts = traces->experts;
  problem.groupOf = groups->forPlacing;
  problem.profile = traces->profile ? &*traces->profile : nullptr;
  problem.seed = options.seed;
  problem.loadCap = options.loadCap.value_or(problem.loadCap);
  problem.groupWeight = options.groupWeight.value_or(problem.groupWeight);
  problem.starts = options.starts.value_or(problem.starts);
  problem.kicks = options.kicks.value_or(problem.kicks);
  problem.moveBudget = options.budget.value_or(problem.moveBudget);
  absl::StatusOr<std::vector<Placement>> placements =
      placeLayers(**algorithm, problem, traces->layers);
  if (!placements.ok())
    return placements.status();
  for (const Placement &placement : *placements)
    for (const std::string &remark : placement.remarks)
      std::fprintf(stderr, "mozart-place: remark: %s\n", remark.c_str());
  absl::StatusOr<std::vector<TraceStatistics>> counted =
      countTraces(*traces, *placements, groups->forCounting);
  if (!counted.ok())
    return counted.status();

  PlacementSummary summary;
  summary.algorithm = options.algorithm;
  summary.seed = options.seed;
  summary.experts = traces->experts;
  summary.chiplets = problem.numChiplets();
  summary.groups = groups->count;
  summary.layers = traces->layers;
  // The file comes last: a failure before it leaves none.
  absl::Status status = writeFile("-", printStatistics(summary, *counted));
  if (status.ok() && !options.output.empty())
    status = writePlacements(options.output, *placements);
  return status;
}

int main(int argc, char **argv) {
  std::vector<absl::string_view> arguments(argv + 1, argv + argc);
  absl::StatusOr<PlaceOptions> options = parsePlaceOptions(arguments);
  absl::Status status = options.status();
  if (options.ok())
    status = options->help ? writeFile("-", placeHelp()) : run(*options);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "mozart-place: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
