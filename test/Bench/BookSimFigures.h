//===- BookSimFigures.h - Published cycle-accurate measurements ---*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What BookSim2 (28f4329) gives for trees of two levels with packets of one
// flit and links of a flit a cycle, and the same measured here.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_BENCH_BOOKSIMFIGURES_H
#define MOZART_TEST_BENCH_BOOKSIMFIGURES_H

#include "FlitTraffic.h"

#include <numeric>

namespace mozart::booksim {

/// The two routers: input-queued, and what is called ideal. Virtual channels,
/// flits of each, cycles of the pipeline, iterations, speed-up.
constexpr FlitNode kInputQueued = {4, 32, 4, 1, 1};
constexpr FlitNode kIdeal = {16, 64, 2, 4, 2};

enum class Traffic { Uniform, RootsToLeaves, AllToRoot };

/// Not measured.
constexpr double kNone = -1;

struct Figure {
  const char *name;
  int32_t roots;
  bool leavesHaveRouters;
  Traffic traffic;
  /// [router][latency of links between routers: 1 or 10 cycles], cycles.
  double zeroLoad[2][2];
  /// [router], flits a cycle.
  double saturation[2];
};

// clang-format off
constexpr Figure kFigures[] = {
    {"T1 uniform", 1, false, Traffic::Uniform, {{14.23, 27.24}, {9.34, 22.35}}, {3.74, 5.45}},
    {"T2 uniform", 1, true, Traffic::Uniform, {{23.14, 52.17}, {14.68, 43.72}}, {3.74, 5.45}},
    {"T3 uniform", 4, false, Traffic::Uniform, {{13.42, 24.97}, {8.86, 20.40}}, {4.19, 6.20}},
    {"T1 root to leaves", 1, false, Traffic::RootsToLeaves, {{12.00, 21.00}, {8.00, 17.00}}, {1.00, 1.00}},
    {"T2 root to leaves", 1, true, Traffic::RootsToLeaves, {{17.00, 35.00}, {11.00, 29.00}}, {1.00, 1.00}},
    {"T3 four roots to leaves", 4, false, Traffic::RootsToLeaves, {{12.02, 21.02}, {8.02, 17.02}}, {2.64, 3.96}},
    {"T1 leaves to root", 1, false, Traffic::AllToRoot, {{11.75, 20.26}, {kNone, kNone}}, {1.00, kNone}},
};
// clang-format on

/// Cycles of a fixed batch of 1,000 packets a node, input-queued.
struct Batch {
  const char *name;
  bool leavesHaveRouters;
  Traffic traffic;
  double cycles;
};
constexpr Batch kBatches[] = {
    {"T1 uniform", false, Traffic::Uniform, 4460},
    {"T2 uniform", true, Traffic::Uniform, 4490},
    {"T1 all to root", false, Traffic::AllToRoot, 17007},
};

constexpr int64_t kLatencies[] = {1, 10};
constexpr uint64_t kSeed = 1;
/// Of zero load, flits a cycle and sender.
constexpr double kLittleLoad = 0.005;

inline FlitTraffic makeTraffic(const FlitNode &router, int32_t roots,
                               bool leavesHaveRouters, Traffic traffic,
                               int64_t latencyCycles) {
  FlitTopology topology =
      flitTree(router, roots, leavesHaveRouters, latencyCycles);
  auto range = [](int32_t begin, int32_t end) {
    std::vector<int32_t> result(end - begin);
    std::iota(result.begin(), result.end(), begin);
    return result;
  };
  const int32_t all = static_cast<int32_t>(topology.terminals.size());
  FlitPattern pattern = {range(0, all), range(0, all)};
  if (traffic == Traffic::RootsToLeaves)
    pattern = {range(0, roots), range(roots, all)};
  if (traffic == Traffic::AllToRoot)
    pattern.receivers = {0};
  return FlitTraffic(std::move(topology), std::move(pattern), 1, kSeed);
}

inline double zeroLoad(const Figure &figure, int32_t router, int32_t latency) {
  return makeTraffic(router == 0 ? kInputQueued : kIdeal, figure.roots,
                     figure.leavesHaveRouters, figure.traffic,
                     kLatencies[latency])
      .measure(kLittleLoad, 1000, 50000)
      .meanLatencyCycles;
}

/// Loads in steps of 0.01 flits a cycle and sender, or of 0.001 where all of
/// them share one receiver.
inline double saturation(const Figure &figure, int32_t router) {
  return makeTraffic(router == 0 ? kInputQueued : kIdeal, figure.roots,
                     figure.leavesHaveRouters, figure.traffic, 1)
      .saturation(figure.traffic == Traffic::AllToRoot ? 1000 : 100, 5000,
                  40000)
      .flitsPerCycle;
}

inline int64_t batchCycles(const Batch &batch) {
  return makeTraffic(kInputQueued, 1, batch.leavesHaveRouters, batch.traffic, 1)
      .batchCycles(1000);
}

} // namespace mozart::booksim

#endif // MOZART_TEST_BENCH_BOOKSIMFIGURES_H
