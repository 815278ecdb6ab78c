//===- MoeCase.h - Small MoE programs with their answers ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_VALUE_MOECASE_H
#define MOZART_TEST_UNIT_SIM_VALUE_MOECASE_H

#include "Machine/TestMachines.h"

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"
#include "mozart/Sim/ValueEngine.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mozart::test {

/// Numbers in [-1, 1), the same on every system.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}
  double number() {
    return static_cast<double>(static_cast<int64_t>(engine() >> 11)) * 0x1p-52 -
           1.0;
  }
  /// In [0, limit).
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(limit));
  }
  bool oneIn(int64_t n) { return below(n) == 0; }

private:
  std::mt19937_64 engine;
};

/// A tree machine whose switches can copy and add.
MachineModel treeMachine(const std::vector<int> &fanout);

/// What a program computes, and how. The model: in each layer x becomes x plus
/// the sum over x's k best experts (softmax of x times the router) of score
/// times swiglu FFN; with `padding`, some tokens choose none.
struct MoeCase {
  std::vector<int> fanout = {2};
  int64_t tokens = 4, hidden = 3, inner = 2, experts = 3, k = 2;
  int64_t layers = 1, microBatches = 1;
  ExchangeForm form = ExchangeForm::Pairs;
  ExchangeVia via = ExchangeVia::Root;
  ElementType element = ElementType::F64;
  /// By chiplet ordinal; each expert on at least one.
  std::vector<std::vector<int32_t>> placement;
  std::vector<int64_t> chunks; ///< tokens of each; sum: tokens
  bool padding = false;
  bool channels = false; ///< loads occupy the memory's controller
  bool reuse = false;    ///< SRAM bytes are used again
  bool stages = false;   ///< stages stand for some of the waits
  uint64_t seed = 1;

  bool hasReplicas() const;
};

/// A case that is drawn at random, and its name.
MoeCase randomCase(uint64_t seed);
std::string describeCase(const MoeCase &c);

struct BuiltCase {
  Program program;
  std::vector<Argument> arguments;
};

/// The program: buffers allocated, and each task waiting for every earlier task
/// that touches the same bytes (one of the two writing), and for no other.
BuiltCase buildCase(const MoeCase &c, const MachineModel &machine);

/// Gives every task the waits just described.
void addWaits(Program &program);

/// The answer for a micro-batch, [T, H], written down straight from the model,
/// in double.
std::vector<double> answer(const MoeCase &c, const BuiltCase &built,
                           int64_t microBatch);

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_VALUE_MOECASE_H
