//===- CalibrationTest.cpp - C_T on synthetic and on real routing ---------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Routing/Testing.h"
#include "mozart/Placement/PlaceLayers.h"
#include "mozart/Routing/SyntheticRouter.h"
#include "mozart/Routing/TraceIO.h"
#include "mozart/Support/AtomicFile.h"

#include <cstdlib>

using namespace mozart;
using namespace mozart::testing;

/// Mean C_T over layers, placed on 16 chiplets in 4 groups by one trace and
/// counted on another.
static double meanCT(const char *algorithm, const Trace &profile,
                     const Trace &evaluation) {
  PlacementProblem problem;
  problem.numExperts = profile.numExperts();
  problem.groupOf = *uniformGroups(16, 4);
  problem.profile = &profile;
  absl::StatusOr<std::vector<Placement>> placements = placeLayers(
      **PlacementAlgorithm::find(algorithm), problem, profile.numLayers());
  EXPECT_TRUE(placements.ok()) << placements.status();
  for (const Placement &placement : *placements)
    EXPECT_TRUE(placement.remarks.empty());
  absl::StatusOr<std::vector<LayerStatistics>> statistics =
      placementStatistics(evaluation, *placements, problem.groupOf);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  return meanStatistics(*statistics).cT;
}

// On the embedded traces Algorithm 1 must land where the same settings land in
// an independent implementation of the generator: 5.574, 5.713 and 4.417, on
// held-out tokens. Layers differ with a standard deviation of 0.06 to 0.08, so
// that their mean is sure to about 0.3 %; three times that is 1 %. Expected of
// random layouts: k experts on 16 chiplets of E / 16 touch 16 (1 - C(E - E/16,
// k) / C(E, k)) at no co-activation: 6.74, 6.61 and 5.31; what co-activation
// there is by chance moves single layouts, so 2 %.
TEST(Calibration, EmbeddedTracesReachThePapersCT) {
  struct {
    const char *model;
    double algorithm1, random;
  } expected[] = {{"olmoe-1b-7b", 5.574, 6.75},
                  {"qwen3-30b-a3b", 5.713, 6.60},
                  {"deepseek-moe-16b", 4.417, 5.32}};
  for (const auto &entry : expected) {
    Trace profile = *embeddedTrace(entry.model, Draw::Profile);
    Trace evaluation = *embeddedTrace(entry.model, Draw::Evaluation);
    EXPECT_NEAR(meanCT("algorithm1", profile, evaluation), entry.algorithm1,
                0.01 * entry.algorithm1)
        << entry.model;
    EXPECT_NEAR(meanCT("random", profile, evaluation), entry.random,
                0.02 * entry.random)
        << entry.model;
    EXPECT_NEAR(meanCT("contiguous", profile, evaluation), entry.random,
                0.02 * entry.random)
        << entry.model;
  }
}

namespace {
/// The reconstructed OLMoE layers, where they are.
class RealRouting : public ::testing::Test {
protected:
  void SetUp() override {
    const char *given = std::getenv("MOZART_DATA_DIR");
    std::string directory =
        given ? given : MOZART_SOURCE_DIR "/../shared/data/routing";
    for (const char *layer : {"0", "7", "15"}) {
      std::string path =
          directory + "/olmoe-1b-7b.recon.layer" + layer + ".train.npy";
      if (!readFile(path).ok())
        GTEST_SKIP() << "no real routing at " << path
                     << "; set MOZART_DATA_DIR to its directory";
      TraceReadOptions options;
      options.experts = 64;
      absl::StatusOr<Trace> trace = readTrace(path, options);
      ASSERT_TRUE(trace.ok()) << trace.status();
      layers.push_back(*trace);
    }
  }

  /// Tokens [begin, end) of a trace.
  static Trace slice(const Trace &trace, int64_t begin, int64_t end) {
    int64_t row = trace.numLayers() * trace.k();
    absl::Span<const int32_t> ids =
        trace.data().subspan(begin * row, (end - begin) * row);
    return makeTrace(end - begin, trace.numLayers(), trace.k(),
                     trace.numExperts(), {ids.begin(), ids.end()});
  }

  std::vector<Trace> layers;
};
} // namespace

// The paper reports 6.84 for the default layout and 5.63 for Algorithm 1;
// measured elsewhere on this routing: 6.85 and 5.62.
TEST_F(RealRouting, OlmoeReachesThePapersCT) {
  double contiguous = 0, algorithm1 = 0;
  for (const Trace &trace : layers) {
    contiguous += meanCT("contiguous", trace, trace) / 3;
    algorithm1 += meanCT("algorithm1", trace, trace) / 3;
  }
  EXPECT_NEAR(contiguous, 6.85, 0.01 * 6.85);
  EXPECT_NEAR(algorithm1, 5.62, 0.02 * 5.62);
}

TEST_F(RealRouting, HoldsOnTokensThatWereNotProfiled) {
  double contiguous = 0, algorithm1 = 0;
  for (const Trace &trace : layers) {
    int64_t half = trace.numTokens() / 2;
    Trace profile = slice(trace, 0, half);
    Trace evaluation = slice(trace, half, trace.numTokens());
    contiguous += meanCT("contiguous", profile, evaluation) / 3;
    algorithm1 += meanCT("algorithm1", profile, evaluation) / 3;
  }
  EXPECT_NEAR(contiguous, 6.85, 0.01 * 6.85);
  EXPECT_NEAR(algorithm1, 5.62, 0.02 * 5.62);
}
