//===- BufferLivesTest.cpp - When buffers hold something ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/BufferLives.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"
#include "Sim/TestPrograms.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mozart;
using namespace mozart::test;

namespace {

constexpr int32_t kC3 = 3, kDram1 = 1;
constexpr size_t kSramC3 = 1, kMemory1 = 6; // root, c3, c4, c6, c7; dram_root

/// Two loads of 1000 and 500 bytes to c3, one after the other (100 and 50 ns),
/// and a store of the first that waits for both (100 ns).
struct ThreeTransfers {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b{machine};
  int32_t target = -1;

  ThreeTransfers() {
    int32_t first = b.load(kDram1, kC3, 1000);
    int32_t second = b.load(kDram1, kC3, 500);
    target =
        b.buffer("target", inMemory(kDram1), tensor({1000}, ElementType::I1));
    b.storeBuffer(b.program.tasks[first].writes[0], target, {first, second});
  }
};

TEST(BufferLives, FromTheFirstWriteToTheLastRead) {
  ThreeTransfers t;
  SimulationResult r = *simulate(t.b.program, t.machine, nullptr);
  ASSERT_EQ(r.latencyPs, 250000);
  std::vector<BufferLife> lives =
      bufferLives(t.b.program, r.tasks, r.latencyPs);
  EXPECT_EQ(lives[1].beginPs, 0);
  EXPECT_EQ(lives[1].endPs, 250000); // to the end of the store
  EXPECT_EQ(lives[3].beginPs, 100000);
  EXPECT_EQ(lives[3].endPs, 150000); // nobody reads it
  std::vector<OccupancyStep> c3 =
      occupancy(t.b.program, t.machine, r.tasks, r.latencyPs)[kSramC3];
  ASSERT_EQ(c3.size(), 4u);
  const int64_t expected[4][2] = {
      {0, 1000}, {100000, 1500}, {150000, 1000}, {250000, 0}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(c3[i].timePs, expected[i][0]);
    EXPECT_EQ(c3[i].bytes, expected[i][1]);
  }
  EXPECT_EQ(r.memories[kSramC3].livePeakBytes, 1500);
  EXPECT_EQ(r.memories[kSramC3].livePeakPs, 100000);
}

TEST(BufferLives, WhatEndsMakesRoomForWhatBegins) {
  ThreeTransfers t;
  t.b.load(kDram1, kC3, 1000, {2}); // begins when the store ends
  SimulationResult r = *simulate(t.b.program, t.machine, nullptr);
  EXPECT_EQ(r.memories[kSramC3].livePeakBytes, 1500);
  EXPECT_EQ(r.memories[kSramC3].livePeakPs, 100000);
}

TEST(BufferLives, InputsAndOutputsLast) {
  ThreeTransfers t;
  t.b.program.inputs.push_back({0, 0, -1, {}});
  t.b.program.outputs.push_back({t.target, 0, 0});
  SimulationResult r = *simulate(t.b.program, t.machine, nullptr);
  std::vector<BufferLife> lives =
      bufferLives(t.b.program, r.tasks, r.latencyPs);
  EXPECT_EQ(lives[0].beginPs, 0);
  EXPECT_EQ(lives[0].endPs, 250000);
  EXPECT_EQ(lives[t.target].beginPs, 150000);
  EXPECT_EQ(lives[t.target].endPs, 250000);
  EXPECT_EQ(r.memories[kMemory1].name, "dram1");
  EXPECT_EQ(r.memories[kMemory1].livePeakBytes, 2000);
  EXPECT_EQ(r.memories[kMemory1].livePeakPs, 150000);
}

TEST(BufferLives, ViewsCountForWhatTheyShow) {
  ThreeTransfers t;
  Buffer view = t.b.program.buffers[1];
  view.name = "view";
  view.viewOf = 1;
  view.offset = -1;
  view.type = tensor({400}, ElementType::I1);
  t.b.program.buffers.push_back(view);
  auto index = static_cast<int32_t>(t.b.program.buffers.size()) - 1;
  int32_t to =
      t.b.buffer("to", inMemory(kDram1), tensor({400}, ElementType::I1));
  t.b.storeBuffer(index, to, {2});
  SimulationResult r = *simulate(t.b.program, t.machine, nullptr);
  ASSERT_EQ(r.latencyPs, 290000);
  std::vector<BufferLife> lives =
      bufferLives(t.b.program, r.tasks, r.latencyPs);
  EXPECT_EQ(lives[1].endPs, 290000);
  EXPECT_EQ(lives[index].beginPs, -1);
  EXPECT_EQ(r.memories[kSramC3].livePeakBytes, 1500);
}

/// Buffers of random programs lie side by side, so what lives is never more
/// than what they cover.
TEST(BufferLives, NeverMoreThanTheStaticPeak) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomCase c(seed);
    SimulationResult r = *simulate(c.program, c.machine, c.routing.bound.get());
    std::vector<std::vector<OccupancyStep>> steps =
        occupancy(c.program, c.machine, r.tasks, r.latencyPs);
    ASSERT_EQ(steps.size(), r.memories.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_LE(r.memories[i].livePeakBytes, r.memories[i].peakBytes) << seed;
      int64_t most = 0, before = -1;
      for (const OccupancyStep &step : steps[i]) {
        EXPECT_LT(before, step.timePs);
        before = step.timePs;
        most = std::max(most, step.bytes);
      }
      EXPECT_EQ(r.memories[i].livePeakBytes, most);
      if (!steps[i].empty())
        EXPECT_EQ(steps[i].back().bytes, 0);
    }
  }
}

} // namespace
