//===- RandomLayer.h - Small layers on small machines, at random --*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_CONVERSION_RANDOMLAYER_H
#define MOZART_TEST_UNIT_CONVERSION_RANDOMLAYER_H

#include "mozart/Sim/KernelEval.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace mozart::test {

/// One MoE layer and a machine that it fits on; all of it follows from the
/// seed.
struct RandomLayer {
  enum class Body { Swiglu, Biased, Chain, Custom };

  int depth = 1; ///< of the tree, in links
  bool ableSwitches = true;
  ElementType element = ElementType::F32;
  int64_t tokens = 1, experts = 1, k = 1, hidden = 1, width = 1;
  Body body = Body::Swiglu;
  /// The function routes; otherwise its routing is an argument, with padding in
  /// any slot.
  bool routes = false;
  /// Of a layer that routes: some tokens are none.
  bool padsTokens = false;
  /// moe-place-experts places it; otherwise it comes placed at random.
  bool placedByPass = false;
  /// Indices of the chiplets that host experts; of those of each expert,
  /// ascending, where the layer comes placed.
  std::vector<int32_t> chiplets;
  std::vector<std::vector<int32_t>> chipletsOf;

  /// A module with the machine @m and the function @layer, which has moe.model
  /// where it routes.
  std::string source;
  /// The function @terms of the same arguments: it adds up the absolute values
  /// of what @layer adds up.
  std::string terms;
  std::vector<Value> inputs;

  explicit RandomLayer(uint64_t seed);

  /// Some expert, or some chiplet, has nothing to do; some routing slot is
  /// padding; chiplets have different numbers of experts; experts are on
  /// several chiplets. Of layers whose routing, or placement, is not computed.
  bool hasIdleExpert() const;
  bool hasPaddingSlot() const;
  bool hasIdleChiplet() const;
  bool isUneven() const;
  bool hasReplicas() const;

private:
  std::mt19937_64 random;

  int64_t draw(int64_t low, int64_t high); ///< both included
  double drawReal();                       ///< in [-1, 1)
  void drawShape();
  std::string drawMachine();
  std::string drawPlacement();
  std::map<int32_t, int64_t> expertsOfChiplets() const;
  void drawRouting();
  std::string addArgument(const std::string &name, std::vector<int64_t> shape);
  void writeFunctions(const std::string &machine);
  std::string expertOps(const std::string &placed);
  std::string type(const std::vector<int64_t> &shape) const;
  std::vector<std::string> arguments;
};

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_CONVERSION_RANDOMLAYER_H
