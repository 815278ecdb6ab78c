//===- mozart-place.cpp - A placement from a routing trace ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChipletGroups.h"
#include "Options.h"
#include "StatisticsJson.h"
#include "Traces.h"
#include "mozart/Placement/Drift.h"
#include "mozart/Placement/Frontier.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/PlacementIO.h"
#include "mozart/Placement/ReplicaSearch.h"
#include "mozart/Placement/Replicate.h"
#include "mozart/Support/AtomicFile.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace mozart;

/// The name of an option that is given and only a search heeds.
static const char *searchOption(const PlaceOptions &options) {
  return options.loadCap             ? "load-cap"
         : options.groupLoadCap      ? "group-load-cap"
         : options.chipletWeight     ? "chiplet-weight"
         : options.groupWeight       ? "group-weight"
         : options.receiveWeight     ? "receive-weight"
         : options.levelWeight       ? "level-weight"
         : options.hopWeight         ? "hop-weight"
         : options.starts            ? "starts"
         : options.kicks             ? "kicks"
         : options.budget            ? "budget"
         : !options.keep.empty()     ? "keep"
         : !options.frontier.empty() ? "frontier"
                                     : nullptr;
}

static const char *replicaOption(const PlaceOptions &options) {
  return options.slots          ? "slots"
         : options.chipletBytes ? "chiplet-bytes"
         : options.maxReplicas  ? "max-replicas"
                                : nullptr;
}

static absl::StatusOr<const PlacementAlgorithm *>
chooseAlgorithm(const PlaceOptions &options) {
  std::string name = options.algorithm.empty() ? PlaceOptions::kDefaultAlgorithm
                                               : options.algorithm;
  absl::StatusOr<const PlacementAlgorithm *> algorithm =
      PlacementAlgorithm::find(name);
  if (!algorithm.ok())
    return algorithm;
  // Taken in vain, they would seem to have been heeded.
  const char *option = searchOption(options);
  if (option && !(*algorithm)->searches)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' does not search and cannot go by --%s; leave "
        "it out, or use --algorithm=search",
        name, option));
  option = replicaOption(options);
  if (option && !(*algorithm)->replicate)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm '%s' makes no replicas and cannot go by --%s; "
        "leave it out, or use --algorithm=search or load",
        name, option));
  // To the problem, 0 is none.
  if (options.loadCap == 0 || options.groupLoadCap == 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "--%s=0; expected at least 1, which is the mean over chiplets",
        options.loadCap == 0 ? "load-cap" : "group-load-cap"));
  if ((*algorithm)->needsProfile && options.profile.empty())
    return absl::InvalidArgumentError(
        absl::StrFormat("placement algorithm '%s' needs --profile=FILE", name));
  return algorithm;
}

/// Fails on options that do not go together.
static absl::Status checkOptions(const PlaceOptions &options) {
  auto fail = [](absl::string_view message) {
    return absl::InvalidArgumentError(message);
  };
  if (options.output == "-")
    return fail("standard output is for the statistics; name a file after -o");
  if (options.maxMoves && options.keep.empty())
    return fail("--max-moves needs --keep=FILE, the placement to move from");
  if (options.maxMoves && *options.maxMoves < 0)
    return fail(absl::StrFormat("--max-moves=%d; expected at least 0",
                                *options.maxMoves));
  if (options.slots && *options.slots < 1)
    return fail(
        absl::StrFormat("--slots=%d; expected at least 1", *options.slots));
  if (options.maxReplicas && *options.maxReplicas < 0)
    return fail(absl::StrFormat("--max-replicas=%d; expected at least 0",
                                *options.maxReplicas));
  if (options.slots && options.chipletBytes)
    return fail("--slots and --chiplet-bytes say the same; give one of them");
  if (options.chipletBytes && !options.expertBytes)
    return fail("--chiplet-bytes needs --expert-bytes=N, the bytes of one "
                "expert");
  if (options.expertBytes && *options.expertBytes < 1)
    return fail(absl::StrFormat("--expert-bytes=%d; expected at least 1",
                                *options.expertBytes));
  if (options.chipletBytes && *options.chipletBytes < *options.expertBytes)
    return fail(absl::StrFormat(
        "--chiplet-bytes=%d hold no expert of --expert-bytes=%d",
        *options.chipletBytes, *options.expertBytes));
  if (options.expertBytes && !options.chipletBytes && options.keep.empty())
    return fail("--expert-bytes is for --chiplet-bytes and --keep; give one of "
                "them");
  if (options.drift && (options.profile.empty() || options.evaluate.empty()))
    return fail("--drift compares two traces; give --profile=FILE and "
                "--evaluate=FILE");
  if (options.threads && (options.drift || !options.frontier.empty()))
    return fail("--threads is for placing; --drift and --frontier go layer by "
                "layer");
  if (options.drift && !options.frontier.empty())
    return fail("--drift and --frontier are two reports; ask for one");
  if (options.drift && !options.output.empty())
    return fail("--drift makes many placements and writes none; leave out -o");
  if (!options.frontier.empty() && options.loadCap)
    return fail("--frontier names the load caps; leave out --load-cap");
  if (options.pad && (options.output.empty() || !options.frontier.empty()))
    return fail("--pad is for a placement that is written; name it after -o");
  if (options.placement.empty())
    return absl::OkStatus();
  const char *option = !options.algorithm.empty() ? "algorithm"
                       : options.drift            ? "drift"
                       : options.threads          ? "threads"
                       : searchOption(options)    ? searchOption(options)
                                                  : replicaOption(options);
  if (option)
    return fail(absl::StrFormat(
        "--placement=%s is counted as it is, and nothing is placed; leave out "
        "--%s",
        options.placement, option));
  return absl::OkStatus();
}

static absl::StatusOr<std::vector<double>>
parseLoadCaps(const std::string &text) {
  std::vector<double> caps;
  for (absl::string_view one : absl::StrSplit(text, ',')) {
    double cap = 0;
    if (one != "inf" && (!absl::SimpleAtod(one, &cap) || !(cap >= 1)))
      return absl::InvalidArgumentError(absl::StrFormat(
          "--frontier: load cap '%s'; expected a number of at least 1, which "
          "is the mean over chiplets, or inf for none",
          one));
    caps.push_back(cap);
  }
  return caps;
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

static void remark(absl::string_view text) {
  std::fprintf(stderr, "mozart-place: remark: %s\n", std::string(text).c_str());
}

static absl::StatusOr<std::vector<Placement>>
readOld(const std::string &path, const PlacementProblem &problem) {
  PlacementReadOptions options;
  options.experts = problem.numExperts;
  options.chiplets = problem.numChiplets();
  options.allowReplicas = true;
  return readPlacements(path, options);
}

namespace {
/// One run of the tool, over what the options name.
class Run {
public:
  explicit Run(const PlaceOptions &options) : options(options) {}
  absl::Status run();

private:
  absl::Status setUp();
  absl::Status reportDrift();
  absl::Status reportFrontier();
  absl::Status place();
  absl::StatusOr<std::vector<Placement>> placements();
  PlacementSummary summary() const;

  const PlaceOptions &options;
  const PlacementAlgorithm *algorithm = nullptr;
  ChipletGroups groups;
  Traces traces;
  std::vector<Placement> old;
  PlacementProblem problem;
};
} // namespace

absl::Status Run::setUp() {
  absl::Status status = checkOptions(options);
  if (!status.ok())
    return status;
  if (options.placement.empty()) {
    absl::StatusOr<const PlacementAlgorithm *> chosen =
        chooseAlgorithm(options);
    if (!chosen.ok())
      return chosen.status();
    algorithm = *chosen;
  }
  absl::StatusOr<ChipletGroups> found = chipletGroups(options);
  if (!found.ok())
    return found.status();
  groups = *std::move(found);
  absl::StatusOr<Traces> read = readTraces(options);
  if (!read.ok())
    return read.status();
  traces = *std::move(read);

  problem.numExperts = traces.experts;
  problem.groupOf = groups.forPlacing;
  problem.profile = traces.profile ? &*traces.profile : nullptr;
  problem.seed = options.seed;
  problem.loadCap = options.loadCap.value_or(problem.loadCap);
  problem.groupLoadCap = options.groupLoadCap.value_or(problem.groupLoadCap);
  problem.chipletWeight = options.chipletWeight.value_or(problem.chipletWeight);
  problem.groupWeight = options.groupWeight.value_or(problem.groupWeight);
  problem.receiveWeight = options.receiveWeight.value_or(problem.receiveWeight);
  problem.hopWeight = options.hopWeight.value_or(problem.hopWeight);
  problem.hopsOf = groups.hopsOf;
  problem.levels = groups.levels;
  for (SwitchLevel &level : problem.levels)
    level.weight = options.levelWeight.value_or(level.weight);
  problem.starts = options.starts.value_or(problem.starts);
  problem.kicks = options.kicks.value_or(problem.kicks);
  problem.moveBudget = options.budget.value_or(problem.moveBudget);
  problem.slots = options.slots.value_or(problem.slots);
  if (options.chipletBytes)
    problem.slots = std::min(*options.chipletBytes / *options.expertBytes,
                             problem.numExperts);
  problem.maxReplicas = options.maxReplicas.value_or(problem.maxReplicas);
  problem.maxMoves = options.maxMoves.value_or(problem.maxMoves);
  if (!options.keep.empty()) {
    absl::StatusOr<std::vector<Placement>> kept =
        readOld(options.keep, problem);
    if (!kept.ok())
      return kept.status();
    old = *std::move(kept);
    int64_t layers = static_cast<int64_t>(old.size());
    if (layers != traces.layers && layers != 1)
      return absl::InvalidArgumentError(
          absl::StrFormat("placement '%s' has %d layers, %d are to be placed; "
                          "expected as many, "
                          "or one that holds for all",
                          options.keep, layers, traces.layers));
    problem.keep = old;
  }
  return absl::OkStatus();
}

PlacementSummary Run::summary() const {
  PlacementSummary summary;
  summary.algorithm = algorithm ? algorithm->name : "";
  summary.seed = options.seed;
  summary.experts = traces.experts;
  summary.chiplets = problem.numChiplets();
  summary.groups = groups.count;
  summary.layers = traces.layers;
  return summary;
}

absl::Status Run::reportDrift() {
  absl::StatusOr<std::vector<LayerDrift>> drifts =
      driftOfLayers(*algorithm, problem, traces.layers, *traces.evaluation,
                    groups.forCounting);
  if (!drifts.ok())
    return drifts.status();
  return writeFile("-", printDrift(summary(), traces.profile->numTokens(),
                                   traces.evaluation->numTokens(), *drifts));
}

absl::Status Run::reportFrontier() {
  absl::StatusOr<std::vector<double>> caps = parseLoadCaps(options.frontier);
  if (!caps.ok())
    return caps.status();
  absl::StatusOr<std::vector<FrontierPoint>> points = frontierOfLayers(
      *algorithm, problem, traces.layers, *caps,
      traces.evaluation ? &*traces.evaluation : nullptr, groups.forCounting);
  if (!points.ok())
    return points.status();
  for (const FrontierPoint &point : *points)
    if (!point.failure.empty())
      remark(absl::StrFormat("load cap %g, layer %d: %s", point.loadCap,
                             point.layer, point.failure));
  return writeFile(options.output.empty() ? "-" : options.output,
                   printFrontier(*points));
}

absl::StatusOr<std::vector<Placement>> Run::placements() {
  if (algorithm)
    return placeLayers(*algorithm, problem, traces.layers,
                       options.threads.value_or(1));
  absl::StatusOr<std::vector<Placement>> read =
      readOld(options.placement, problem);
  int64_t layers = read.ok() ? static_cast<int64_t>(read->size()) : 0;
  if (read.ok())
    traces.layers = std::max(traces.layers, layers);
  return read;
}

absl::Status Run::place() {
  absl::StatusOr<std::vector<Placement>> placed = placements();
  if (!placed.ok())
    return placed.status();
  for (const Placement &placement : *placed)
    for (const std::string &text : placement.remarks)
      remark(text);
  absl::StatusOr<std::vector<TraceStatistics>> counted =
      countTraces(traces, *placed, groups.forCounting);
  if (!counted.ok())
    return counted.status();

  PlacementSummary of = summary();
  for (size_t layer = 0; layer < placed->size(); ++layer) {
    const Placement &placement = (*placed)[layer];
    if (problem.slots > 0 || !algorithm)
      of.replicas.push_back(countReplicas(placement));
    if (countReplicas(placement) > 0)
      remark(absl::StrFormat("layer %d has replicas: expert %s", layer,
                             describeReplicas(placement)));
    if (!old.empty())
      of.moves.push_back(
          countMoves(old[old.size() == 1 ? 0 : layer], placement));
  }
  if (!old.empty() && options.expertBytes) {
    int64_t moves =
        std::accumulate(of.moves.begin(), of.moves.end(), int64_t(0));
    if (__builtin_mul_overflow(moves, *options.expertBytes,
                               &of.bytesMoved.emplace()))
      return absl::InvalidArgumentError(absl::StrFormat(
          "%d moves of --expert-bytes=%d are more bytes than 64 bits count",
          moves, *options.expertBytes));
  }
  // The file comes last: a failure before it leaves none.
  absl::Status status = writeFile("-", printStatistics(of, *counted));
  if (status.ok() && !options.output.empty())
    status = writePlacements(options.output, *placed, {options.pad});
  return status;
}

absl::Status Run::run() {
  absl::Status status = setUp();
  if (!status.ok())
    return status;
  return options.drift              ? reportDrift()
         : options.frontier.empty() ? place()
                                    : reportFrontier();
}

int main(int argc, char **argv) {
  std::vector<absl::string_view> arguments(argv + 1, argv + argc);
  absl::StatusOr<PlaceOptions> options = parsePlaceOptions(arguments);
  absl::Status status = options.status();
  if (options.ok())
    status = options->help ? writeFile("-", placeHelp()) : Run(*options).run();
  if (status.ok())
    return 0;
  std::fprintf(stderr, "mozart-place: error: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
