//===- RandomModel.h - Small models, machines and inputs at random -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_INTEGRATION_RANDOMMODEL_H
#define MOZART_TEST_UNIT_INTEGRATION_RANDOMMODEL_H

#include "mozart/Sim/KernelEval.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace mozart::test {

/// A seeded source that gives the same numbers everywhere.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}
  /// Uniform in [low, high].
  int64_t roll(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int64_t percent) { return roll(1, 100) <= percent; }
  /// Roughly normal, mean 0, variance 1: the sum of twelve uniform numbers.
  double normal();

private:
  std::mt19937_64 engine;
};

/// One function argument: its type and whether it is a weight.
struct RandomArgument {
  ValueType type;
  bool param = false;
  std::vector<Value> copies; ///< one, or one for each micro-batch
};

/// A one-block model with one MoE layer whose function yields the output and
/// the router's logits, on a machine of its own, and how to compile it.
struct RandomModel {
  std::string module;   ///< MLIR text: a machine and a function @forward
  std::string pipeline; ///< a pass pipeline up to phase `scheduled`
  int64_t tokens = 0, hidden = 0, inner = 0, experts = 0, k = 0;
  int64_t microBatches = 1;
  std::vector<RandomArgument> arguments;
  int32_t biasArgument = -1;    ///< selection bias, or -1
  int32_t paddingArgument = -1; ///< padding mask, or -1
  bool sigmoid = false, afterSelection = false;
  int64_t groups = 1, keptGroups = 1;
  bool topTwoSum = false;
  int64_t idleExpert = -1;
  /// Names of what occurs in it, for the histogram.
  std::vector<std::string> features;
};

/// Makes a model from `seed`. Elements are f64.
RandomModel makeRandomModel(uint64_t seed);

/// The smallest gap between two choices that the router ranks next to each
/// other (among the first k + 1, and among groups): how far it is from a tie.
double smallestGap(const RandomModel &model, const Value &logits,
                   int64_t microBatch);

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_INTEGRATION_RANDOMMODEL_H
