//===- ProgramBoundTest.cpp - What one program cannot beat ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramBound.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;

namespace {

// The machine of EventEngineTest: 1000 bytes take 100 ns on a link, 10 ns from
// a memory; the matmul takes 20 ns.
struct ProgramBound : testing::Test {
  MachineFacts facts = tree({2, 2});

  int64_t of(const ProgramBuilder &b) {
    absl::StatusOr<int64_t> ps = programBoundPs(b.program, b.machine, nullptr);
    EXPECT_TRUE(ps.ok()) << ps.status();
    return ps.ok() ? *ps : -1;
  }
};

TEST_F(ProgramBound, ChainOfWaits) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t load = b.load(1, 3, 1000);
  b.matmul(3, 16, 32, 8, {load});
  EXPECT_EQ(of(b), 120000);
}

TEST_F(ProgramBound, EnginesAndStagesOrderToo) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.matmul(3, 16, 32, 8);
  b.matmul(4, 16, 32, 8);
  EXPECT_EQ(of(b), 20000);
  b.program.tasks[0].stage = 0;
  b.program.tasks[1].stage = 1;
  EXPECT_EQ(of(b), 40000);
  int32_t load = b.load(2, 5, 1000); // in the last stage, listed before another
  b.program.tasks[load].stage = 2;
  b.matmul(3, 16, 32, 8);
  EXPECT_EQ(of(b), 140000);
}

TEST_F(ProgramBound, BusyResource) {
  facts.memories[1].readBytesPerSecond = 10000000000;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 3, 1000);
  b.load(1, 4, 500);
  EXPECT_EQ(of(b), 150000); // each alone: 100 and 50 ns
}

TEST_F(ProgramBound, BusyArrays) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  for (int i = 0; i < 3; ++i)
    b.matmul(3, 16, 32, 8);
  EXPECT_EQ(of(b), 60000);
}

TEST_F(ProgramBound, StoringSwitchesAddUp) {
  facts.nodes[1].forwarding = Forwarding::StoreAndForward;
  facts.memories[0].latencyPs = 5;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 3, 1000);
  EXPECT_EQ(of(b), 200005);
}

TEST_F(ProgramBound, FailsAsTheEngineDoes) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(1, 3, 10);
  b.program.tasks[0].route.clear();
  EXPECT_FALSE(programBoundPs(b.program, machine, nullptr).ok());
}

} // namespace
