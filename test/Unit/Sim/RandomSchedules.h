//===- RandomSchedules.h - Many ways to run one model -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_RANDOMSCHEDULES_H
#define MOZART_TEST_UNIT_SIM_RANDOMSCHEDULES_H

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <algorithm>
#include <random>

namespace mozart::test {

/// The tasks in another order that their waits allow: of those that may come
/// next, one of the first `reach`.
inline void shuffleTasks(Program &program, std::mt19937_64 &random,
                         size_t reach) {
  const size_t count = program.tasks.size();
  std::vector<int32_t> missing(count), newIndex(count);
  std::vector<std::vector<int32_t>> followers(count);
  std::vector<int32_t> ready; // ascending
  for (size_t i = 0; i < count; ++i) {
    missing[i] = static_cast<int32_t>(program.tasks[i].waits.size());
    for (int32_t wait : program.tasks[i].waits)
      followers[wait].push_back(static_cast<int32_t>(i));
    if (missing[i] == 0)
      ready.push_back(static_cast<int32_t>(i));
  }
  std::vector<Task> tasks;
  while (!ready.empty()) {
    auto chosen = ready.begin() + static_cast<int64_t>(
                                      random() % std::min(reach, ready.size()));
    int32_t task = *chosen;
    ready.erase(chosen);
    newIndex[task] = static_cast<int32_t>(tasks.size());
    tasks.push_back(program.tasks[task]);
    for (int32_t &wait : tasks.back().waits)
      wait = newIndex[wait];
    for (int32_t next : followers[task])
      if (--missing[next] == 0)
        ready.insert(std::upper_bound(ready.begin(), ready.end(), next), next);
  }
  program.tasks = std::move(tasks);
}

/// One model on one machine, placed and scheduled in a random way: experts
/// anywhere, evenly or not; rows by pair or by token, via the root or via
/// switches; loads by the chiplets' DMA engines or by the memories'
/// controllers, before a dispatch or beside it; tasks in one order or another,
/// some programs in stages.
struct RandomSchedule {
  MachineModel machine;
  Program program;
  TestRouting routing;

  explicit RandomSchedule(uint64_t seed)
      : machine(*MachineModel::create(facts())) {
    std::mt19937_64 random(seed);
    MoeShape shape;
    shape.tokens = 128;
    shape.hidden = 64;
    shape.inner = 32;
    shape.experts = 24;
    shape.k = 4;
    shape.layers = 3;
    shape.microBatches = 2;
    shape.form = random() % 3 == 0 ? ExchangeForm::Pairs : ExchangeForm::Tokens;
    shape.via = shape.form == ExchangeForm::Tokens && random() % 2
                    ? ExchangeVia::Switch
                    : ExchangeVia::Root;
    shape.loadsFirst = random() % 2;
    const size_t chiplets = machine.expertChiplets().size();
    shape.placement.resize(chiplets);
    const size_t used = chiplets - random() % (chiplets / 2);
    const bool even = random() % 2;
    for (int32_t e = 0; e < shape.experts; ++e)
      shape.placement[even ? e % used : random() % used].push_back(e);
    program = moeProgram(machine, shape);
    if (random() % 2)
      for (Task &task : program.tasks)
        if (task.kind == TaskKind::Load)
          task.engines = {{EngineKind::Channel,
                           program.buffers[task.reads[0]].place.index}};
    shuffleTasks(program, random, 1 + random() % 12);
    if (random() % 3 == 0) {
      int64_t stage = 0;
      for (Task &task : program.tasks) {
        task.stage = stage;
        if (task.kind == TaskKind::Combine)
          ++stage;
      }
    }
    routing = randomRouting(program, 1); // the same for all
  }

private:
  static MachineFacts facts() {
    MachineFacts facts = tree({3, 4});
    for (NodeFacts &node : facts.nodes) {
      node.sramBytes = int64_t(1) << 40;
      node.compute.kernelStartPs = 1000;
      node.compute.tileSramBytesPerSecond = 200000000000;
      if (node.isChiplet())
        continue;
      node.multicastBytesPerSecond = 30000000000;
      node.reduceBytesPerSecond = 20000000000;
      node.latencyPs = 20000;
    }
    for (MemoryFacts &memory : facts.memories) {
      memory.readBytesPerSecond = 15000000000;
      memory.writeBytesPerSecond = 12000000000;
      memory.latencyPs = 50000;
    }
    for (LinkFacts &link : facts.links) {
      link.latencyPs = 5000;
      link.messageOverheadPs = 2000;
    }
    return facts;
  }
};

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_RANDOMSCHEDULES_H
