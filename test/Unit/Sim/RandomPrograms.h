//===- RandomPrograms.h - Random machines and programs ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_RANDOMPROGRAMS_H
#define MOZART_TEST_UNIT_SIM_RANDOMPROGRAMS_H

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <random>

namespace mozart::test {

inline MachineFacts randomMachine(std::mt19937_64 &random) {
  const std::vector<std::vector<int>> trees = {
      {3}, {2, 2}, {1, 3}, {2, 2, 2}, {1, 2, 1, 2}};
  MachineFacts facts = tree(trees[random() % trees.size()]);
  auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  };
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 40;
    node.compute.kernelStartPs = pick(0, 2000);
    node.compute.tileSramBytesPerSecond = pick(1, 64) * 1000000007;
    if (node.isChiplet())
      continue;
    node.latencyPs = pick(0, 500);
    node.multicastBytesPerSecond = pick(1, 50) * 999999937;
    node.reduceBytesPerSecond = pick(1, 50) * 999999937;
    if (random() % 2)
      node.forwarding = Forwarding::StoreAndForward;
  }
  for (MemoryFacts &memory : facts.memories) {
    memory.readBytesPerSecond = pick(1, 100) * 1000000021;
    memory.writeBytesPerSecond = pick(1, 100) * 1000000033;
    memory.efficiencyPpm = pick(500000, 1000000);
    memory.latencyPs = pick(0, 3000);
  }
  for (LinkFacts &link : facts.links) {
    link.wires = pick(1, 40);
    link.latencyPs = pick(0, 300);
    link.messageOverheadPs = pick(0, 300);
  }
  return facts;
}

/// A program of MoE layers on a random machine, under a random routing. In a
/// third of them tasks are in stages, one a layer and micro-batch.
struct RandomCase {
  MachineModel machine;
  MoeShape shape;
  Program program;
  TestRouting routing;

  explicit RandomCase(uint64_t seed) : RandomCase(std::mt19937_64(seed)) {}

private:
  explicit RandomCase(std::mt19937_64 random)
      : machine(*MachineModel::create(randomMachine(random))) {
    auto pick = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % (most - least + 1));
    };
    shape.tokens = pick(1, 24);
    shape.hidden = pick(1, 40);
    shape.inner = pick(1, 40);
    shape.experts = pick(1, 12);
    shape.k = pick(1, shape.experts);
    shape.layers = pick(1, 3);
    shape.microBatches = pick(1, 3);
    shape.form = random() % 3 == 0 ? ExchangeForm::Pairs : ExchangeForm::Tokens;
    shape.via = shape.form == ExchangeForm::Tokens && random() % 2
                    ? ExchangeVia::Switch
                    : ExchangeVia::Root;
    shape.loadsFirst = random() % 2;
    shape.placement.resize(machine.expertChiplets().size());
    for (int32_t e = 0; e < shape.experts; ++e)
      shape.placement[random() % shape.placement.size()].push_back(e);
    if (random() % 2)
      addReplicas(random);
    program = moeProgram(machine, shape);
    if (random() % 3 == 0) {
      int64_t stage = 0;
      for (Task &task : program.tasks) {
        task.stage = random() % 8 == 0 ? -1 : stage;
        if (task.kind == TaskKind::Combine)
          ++stage;
      }
    }
    routing = randomRouting(program, random(), random() % 2 ? 0.3 : 0.0);
  }

  /// Puts some experts on some more chiplets.
  void addReplicas(std::mt19937_64 &random) {
    for (std::vector<int32_t> &experts : shape.placement)
      for (int32_t e = 0; e < shape.experts; ++e)
        if (random() % 4 == 0 &&
            std::find(experts.begin(), experts.end(), e) == experts.end())
          experts.push_back(e);
  }
};

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_RANDOMPROGRAMS_H
