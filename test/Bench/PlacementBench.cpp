//===- PlacementBench.cpp - How fast and how good the search is -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   MozartPlacementBench            synthetic routing
//   MozartPlacementBench NPY E C    every layer of a trace of E experts, on C
//                                   chiplets
//   MozartPlacementBench smoke      a little of each, to see that it runs
//
// Of each layer and objective: processor time, changes made, edges gone
// through, C_T and G_T. Against the best of many starts without kicks, what it
// is above that. Last, layers in threads.
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Placement/SearchLayer.h"
#include "mozart/Routing/SyntheticRouter.h"
#include "mozart/Routing/TraceIO.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace mozart;

static double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

static PlacementProblem problemOf(const Trace &trace, int64_t chiplets) {
  PlacementProblem problem;
  problem.numExperts = trace.numExperts();
  problem.groupOf = *uniformGroups(chiplets, chiplets % 4 == 0 ? 4 : 1);
  problem.profile = &trace;
  return problem;
}

static void time(const char *name, const PlacementProblem &problem) {
  double begin = processorSeconds();
  absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
  double seconds = processorSeconds() - begin;
  if (!found.ok()) {
    std::printf("  %-14s %s\n", name,
                std::string(found.status().message()).c_str());
    return;
  }
  std::vector<int32_t> chipletOf;
  for (const std::vector<int32_t> &one : found->placement.chipletsOf)
    chipletOf.push_back(one[0]);
  LayerStatistics s = layerStatistics(*problem.profile, problem.profileLayer(),
                                      chipletOf, problem.groupOf);
  std::printf("  %-14s %7.3f s %7lld changes %7.2f M edges  C_T %.4f  G_T %.4f"
              "  load %.3f  receive %.3f\n",
              name, seconds, static_cast<long long>(found->changes),
              static_cast<double>(found->edgeVisits) / 1e6, s.cT, s.gT,
              s.loadMaxOverMean, s.receiveMaxOverMean);
}

static void timeObjectives(const char *name, PlacementProblem problem) {
  std::printf("%s, %lld experts, k = %lld, %lld tokens, %lld chiplets\n", name,
              static_cast<long long>(problem.numExperts),
              static_cast<long long>(problem.profile->k()),
              static_cast<long long>(problem.profile->numTokens()),
              static_cast<long long>(problem.numChiplets()));
  time("C_T", problem);
  problem.groupWeight = 1;
  time("+ G_T", problem);
  problem.loadCap = 1.15;
  time("+ G_T, cap", problem);
  problem.groupWeight = 0;
  time("cap", problem);
  problem.receiveWeight = 16;
  time("cap, + receive", problem);
}

/// By how much the search is above the best of starts alone, of its objective.
static void compareWithStarts(PlacementProblem problem, int64_t starts) {
  absl::StatusOr<LayerSearchResult> found = searchLayer(problem);
  problem.starts = starts;
  problem.kicks = 0;
  absl::StatusOr<LayerSearchResult> best = searchLayer(problem);
  if (!found.ok() || !best.ok())
    return;
  std::printf("  against the best of %lld starts: %+.3f %%\n",
              static_cast<long long>(starts),
              100 * (static_cast<double>(found->value.first) /
                         static_cast<double>(best->value.first) -
                     1));
}

static Trace draw(int64_t experts, int64_t k, int64_t layers, int64_t tokens) {
  SyntheticRouter router;
  router.experts = experts;
  router.k = k;
  router.layers = layers;
  router.dimension = 16;
  router.biasSpreadPermille = 300;
  return *drawTrace(router, Draw::Profile, tokens);
}

/// All layers, on one thread and on more; the bytes must be the same.
static int timeThreads(const Trace &trace, int64_t threads) {
  PlacementProblem problem = problemOf(trace, 16);
  const PlacementAlgorithm &search = **PlacementAlgorithm::find("search");
  std::vector<std::vector<Placement>> all;
  for (int64_t count : {int64_t(1), threads}) {
    auto begin = std::chrono::steady_clock::now();
    all.push_back(*placeLayers(search, problem, trace.numLayers(), count));
    std::chrono::duration<double> wall =
        std::chrono::steady_clock::now() - begin;
    std::printf("%lld layers on %lld threads: %.2f s\n",
                static_cast<long long>(trace.numLayers()),
                static_cast<long long>(count), wall.count());
  }
  for (size_t layer = 0; layer < all[0].size(); ++layer)
    if (all[0][layer].chipletsOf != all[1][layer].chipletsOf) {
      std::printf("layer %zu differs\n", layer);
      return 1;
    }
  std::printf("the same bytes\n");
  return 0;
}

int main(int argc, char **argv) {
  bool smoke = argc == 2 && std::string(argv[1]) == "smoke";
  if (argc == 4) {
    TraceReadOptions options;
    options.experts = std::atoll(argv[2]);
    absl::StatusOr<Trace> trace = readTrace(argv[1], options);
    int64_t chiplets = std::atoll(argv[3]);
    if (!trace.ok() || chiplets < 1) {
      std::fprintf(stderr, "%s\n",
                   std::string(trace.status().message()).c_str());
      return 1;
    }
    PlacementProblem problem = problemOf(*trace, chiplets);
    for (; problem.layer < trace->numLayers(); ++problem.layer) {
      std::string name = "layer " + std::to_string(problem.layer);
      timeObjectives(name.c_str(), problem);
      compareWithStarts(problem, 200);
    }
    return 0;
  }
  if (smoke) {
    Trace trace = draw(32, 4, 2, 500);
    PlacementProblem problem = problemOf(trace, 8);
    problem.kicks = 2;
    timeObjectives("synthetic", problem);
    compareWithStarts(problem, 5);
    return timeThreads(trace, 2);
  }
  Trace small = draw(64, 8, 1, 20'000);
  timeObjectives("synthetic", problemOf(small, 16));
  compareWithStarts(problemOf(small, 16), 200);
  Trace large = draw(256, 8, 1, 100'000);
  timeObjectives("synthetic", problemOf(large, 16));
  return timeThreads(draw(256, 8, 58, 20'000), 2);
}
