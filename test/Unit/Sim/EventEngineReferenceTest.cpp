//===- EventEngineReferenceTest.cpp - Against a plain simulator -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second, plain simulator of loads and stores in floating point: at every
// event it shares all resources anew among all flows and moves everything to
// the next event. It shares no code with the engine.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

using namespace mozart;
using namespace mozart::test;

namespace {

struct PlainLeg {
  double delay = 0;                             // s
  std::map<std::string, double> secondsPerByte; // of each resource
};

struct PlainTask {
  std::vector<PlainLeg> legs;
  double bytes = 0;
  // 0: not started, 1: the head travels until `until`, 2: flows, 3: ended
  int state = 0;
  size_t leg = 0;
  double until = 0, left = 0, rate = 0, end = 0;
};

PlainTask plan(const Program &program, const Task &task,
               const MachineModel &machine) {
  bool load = task.kind == TaskKind::Load;
  const Buffer &dram = program.buffers[load ? task.reads[0] : task.writes[0]];
  const MemoryFacts &memory = machine.memory(dram.place.index);
  PlainTask plain;
  plain.bytes = static_cast<double>(dram.type.bytes());
  plain.legs.resize(1);
  double efficiency = static_cast<double>(memory.efficiencyPpm) * 1e-6;
  auto atMemory = [&] {
    plain.legs.back().delay += static_cast<double>(memory.latencyPs) * 1e-12;
    plain.legs.back().secondsPerByte[memory.name] =
        1 /
        (efficiency * static_cast<double>(load ? memory.readBytesPerSecond
                                               : memory.writeBytesPerSecond));
  };
  auto atChiplet = [&] {
    plain.legs.back().secondsPerByte["sram" + std::to_string(task.node)] =
        1 / static_cast<double>(machine.sramBytesPerSecond(task.node));
  };
  auto atNode = [&](int32_t node) {
    if (machine.node(node).forwarding == Forwarding::StoreAndForward)
      plain.legs.emplace_back();
    plain.legs.back().delay +=
        static_cast<double>(machine.node(node).latencyPs) * 1e-12;
  };
  load ? atMemory() : atChiplet();
  for (int32_t link : task.route) {
    const LinkFacts &facts = machine.link(link);
    if (load)
      atNode(facts.source);
    plain.legs.back().delay +=
        static_cast<double>(facts.latencyPs + facts.messageOverheadPs) * 1e-12;
    plain.legs.back().secondsPerByte["link" + std::to_string(link)] =
        1 / static_cast<double>(facts.wires * facts.wireBytesPerSecond);
    if (!load)
      atNode(facts.target);
  }
  load ? atChiplet() : atMemory();
  return plain;
}

/// Raises all rates together; whoever meets a full resource stays.
void shareAll(std::vector<PlainTask> &tasks) {
  std::vector<PlainTask *> growing;
  std::map<std::string, double> free;
  for (PlainTask &task : tasks) {
    if (task.state != 2)
      continue;
    growing.push_back(&task);
    for (const auto &[name, cost] : task.legs[task.leg].secondsPerByte)
      free[name] = 1.0;
  }
  while (!growing.empty()) {
    std::map<std::string, double> demand;
    for (PlainTask *task : growing)
      for (const auto &[name, cost] : task->legs[task->leg].secondsPerByte)
        demand[name] += cost;
    double rate = std::numeric_limits<double>::infinity();
    for (const auto &[name, sum] : demand)
      rate = std::min(rate, free[name] / sum);
    std::vector<PlainTask *> still;
    std::map<std::string, double> taken;
    for (PlainTask *task : growing) {
      bool full = false;
      for (const auto &[name, cost] : task->legs[task->leg].secondsPerByte)
        full |= free[name] / demand[name] <= rate * (1 + 1e-12);
      if (!full) {
        still.push_back(task);
        continue;
      }
      task->rate = rate;
      for (const auto &[name, cost] : task->legs[task->leg].secondsPerByte)
        taken[name] += rate * cost;
    }
    for (const auto &[name, part] : taken)
      free[name] -= part;
    growing = still;
  }
}

std::vector<double> simulatePlainly(const Program &program,
                                    const MachineModel &machine) {
  std::vector<PlainTask> tasks;
  for (const Task &task : program.tasks)
    tasks.push_back(plan(program, task, machine));
  double now = 0;
  auto mayStart = [&](size_t i) {
    for (int32_t wait : program.tasks[i].waits)
      if (tasks[wait].state != 3)
        return false;
    for (size_t j = 0; j < i; ++j)
      for (const Engine &a : program.tasks[i].engines)
        for (const Engine &b : program.tasks[j].engines)
          if (a == b && tasks[j].state != 3)
            return false;
    return true;
  };
  for (;;) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < tasks.size(); ++i) {
        PlainTask &task = tasks[i];
        if (task.state == 0 && mayStart(i)) {
          task.state = 1;
          task.until = now + task.legs[0].delay;
          changed = true;
        }
        if (task.state == 1 && task.until <= now) {
          task.state = 2;
          task.left = task.bytes;
          changed = true;
        }
        // Below a thousandth of a byte is nothing.
        if (task.state == 2 && task.left < 1e-3) {
          changed = true;
          if (++task.leg < task.legs.size()) {
            task.state = 1;
            task.until = now + task.legs[task.leg].delay;
          } else {
            task.state = 3;
            task.end = now;
          }
        }
      }
    }
    shareAll(tasks);
    double next = std::numeric_limits<double>::infinity();
    for (const PlainTask &task : tasks) {
      if (task.state == 1)
        next = std::min(next, task.until);
      if (task.state == 2)
        next = std::min(next, now + task.left / task.rate);
    }
    if (std::isinf(next))
      break;
    for (PlainTask &task : tasks)
      if (task.state == 2)
        task.left -= task.rate * (next - now);
    now = next;
  }
  std::vector<double> ends;
  for (const PlainTask &task : tasks)
    ends.push_back(task.end);
  return ends;
}

TEST(EventEngineReference, RandomLoadsAndStores) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 150; ++round) {
    MachineModel machine = *MachineModel::create(randomMachine(random));
    ProgramBuilder b(machine);
    for (int i = 0; i < 30; ++i) {
      std::vector<int32_t> waits;
      if (i > 0 && random() % 3 == 0)
        waits.push_back(static_cast<int32_t>(random() % i));
      int32_t chiplet =
          machine.expertChiplets()[random() % machine.expertChiplets().size()];
      int32_t memory = random() % 4 == 0 ? machine.memoryServing(machine.root())
                                         : machine.memoryServing(chiplet);
      int64_t bytes = static_cast<int64_t>(random() % 200000);
      int32_t task = random() % 3 == 0 ? b.store(memory, chiplet, bytes, waits)
                                       : b.load(memory, chiplet, bytes, waits);
      // Some with no engine, so that they meet on one chiplet too.
      if (random() % 2)
        b.program.tasks[task].engines.clear();
    }
    absl::StatusOr<SimulationResult> r = simulate(b.program, machine, nullptr);
    ASSERT_TRUE(r.ok()) << r.status();
    std::vector<double> expected = simulatePlainly(b.program, machine);
    for (size_t i = 0; i < expected.size(); ++i) {
      double end = static_cast<double>(r->tasks[i].endPs) * 1e-12;
      EXPECT_NEAR(end, expected[i], expected[i] * 1e-6 + 1e-11)
          << "task " << i << " round " << round;
    }
  }
}

} // namespace
