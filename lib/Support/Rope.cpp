//===- Rope.cpp - Frequencies of rotary embeddings ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Support/Rope.h"

#include <algorithm>
#include <cmath>

using namespace mozart;

/// The (fractional) pair index that turns `turns` times over the original
/// length.
static double pairThatTurns(const RopeParams &rope, double turns) {
  constexpr double kTwoPi = 6.283185307179586;
  double length = static_cast<double>(rope.yarnOriginalLength);
  return static_cast<double>(rope.rotaryDim) *
         std::log(length / (turns * kTwoPi)) / (2.0 * std::log(rope.theta));
}

std::vector<double> mozart::ropeFrequencies(const RopeParams &rope) {
  std::vector<double> frequencies;
  double dim = static_cast<double>(rope.rotaryDim);
  double low = 0, high = 0;
  if (rope.yarnOriginalLength > 0) {
    low = std::max(std::floor(pairThatTurns(rope, rope.yarnBetaFast)), 0.0);
    high = std::min(std::ceil(pairThatTurns(rope, rope.yarnBetaSlow)), dim - 1);
    if (low == high)
      high += 0.001; // a step, as in the published implementation
  }
  for (int64_t i = 0; i < rope.rotaryDim / 2; ++i) {
    double base = std::pow(rope.theta, -2.0 * static_cast<double>(i) / dim);
    double scaled = base / rope.factor;
    if (rope.yarnOriginalLength > 0) {
      double ramp =
          std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
      scaled = scaled * ramp + base * (1.0 - ramp);
    }
    frequencies.push_back(scaled);
  }
  return frequencies;
}
