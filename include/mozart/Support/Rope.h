//===- Rope.h - Frequencies of rotary embeddings ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_ROPE_H
#define MOZART_SUPPORT_ROPE_H

#include <cstdint>
#include <vector>

namespace mozart {

/// Which entries of a head form a pair that turns: (i, i + dim/2), or
/// (2 i, 2 i + 1).
enum class RopeStyle { None, Half, Interleaved };

/// Rotary embedding of the first `rotaryDim` entries of a head (of its rope
/// part, in latent attention). Pair i at position p turns by p * frequency[i].
///   frequency[i] = theta^(-2 i / rotaryDim) / factor             without YaRN
/// With YaRN (arXiv 2309.00071, section 3.2) frequencies run from unscaled, for
/// pairs that turn more than `yarnBetaFast` times over `yarnOriginalLength`
/// positions, to divided by `factor`, for those that turn less than
/// `yarnBetaSlow` times, linearly in the pair's index between.
struct RopeParams {
  RopeStyle style = RopeStyle::None;
  double theta = 10000.0;
  int64_t rotaryDim = 0;
  double factor = 1.0;
  int64_t yarnOriginalLength = 0; ///< 0: no YaRN
  double yarnBetaFast = 32.0;
  double yarnBetaSlow = 1.0;
  /// Sines and cosines are multiplied by it.
  double magnitude = 1.0;
};

/// The rotaryDim / 2 frequencies, in radians per position.
std::vector<double> ropeFrequencies(const RopeParams &rope);

} // namespace mozart

#endif // MOZART_SUPPORT_ROPE_H
