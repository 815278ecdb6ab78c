//===- EnergyTest.cpp - Joules worked out by hand -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Energy.h"

#include "mozart/Cost/Traffic.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

#include <map>

using namespace mozart;
using namespace mozart::test;

namespace {

/// Every fact a different power of ten, so that no two can be mistaken.
MachineFacts withEnergies() {
  MachineFacts facts = tree({2, 2});
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 40;
    if (node.isChiplet()) {
      node.sramFemtojoulesPerByte = 10;
      node.compute.femtojoulesPerFlop = 100;
      node.staticMicrowatts = 2000000;
      node.areaSquareMicrometers = 3000000;
    } else {
      node.femtojoulesPerByte = 1000;
      node.multicastBytesPerSecond = node.reduceBytesPerSecond = 100000000000;
      node.multicastFemtojoulesPerByte = 10000;
      node.reduceFemtojoulesPerByte = 100000;
      node.areaSquareMicrometers = 500000;
    }
  }
  for (MemoryFacts &memory : facts.memories) {
    memory.readFemtojoulesPerByte = 1000000;
    memory.writeFemtojoulesPerByte = 10000000;
    memory.areaSquareMicrometers = 70000;
  }
  for (LinkFacts &link : facts.links)
    link.femtojoulesPerByte = 100000000;
  return facts;
}

std::map<std::string, double> energy(const Program &program,
                                     const MachineModel &machine,
                                     const BoundRouting *routing = nullptr) {
  absl::StatusOr<SimulationResult> result = simulate(program, machine, routing);
  EXPECT_TRUE(result.ok()) << result.status();
  RoutingCounter counter(program, routing);
  absl::StatusOr<std::vector<EnergyPart>> parts =
      programEnergy(program, machine, counter, *result);
  EXPECT_TRUE(parts.ok()) << parts.status();
  std::map<std::string, double> byName;
  for (const EnergyPart &part : *parts)
    byName[part.name] = part.joules;
  return byName;
}

constexpr double kFemto = 1e-15;

TEST(Energy, LoadFromTheSwitch) {
  MachineModel machine = *MachineModel::create(withEnergies());
  ProgramBuilder b(machine);
  b.load(1, 3, 1000); // dram1 on s1, to c3: enters s1, one link
  auto e = energy(b.program, machine);
  EXPECT_DOUBLE_EQ(e["dram_read"], 1000 * 1000000 * kFemto);
  EXPECT_EQ(e["dram_write"], 0);
  EXPECT_DOUBLE_EQ(e["switches"], 1000 * 1000 * kFemto);
  EXPECT_DOUBLE_EQ(e["links"], 1000 * 100000000.0 * kFemto);
  EXPECT_DOUBLE_EQ(e["sram"], 1000 * 10 * kFemto);
  EXPECT_EQ(e["compute"], 0);
  // 100 ns at 5 chiplets of 2 W.
  EXPECT_DOUBLE_EQ(e["static"], 100e-9 * 10);
}

TEST(Energy, StoreToTheSwitch) {
  MachineModel machine = *MachineModel::create(withEnergies());
  ProgramBuilder b(machine);
  b.store(1, 3, 1000); // enters s1 once, over the link
  auto e = energy(b.program, machine);
  EXPECT_EQ(e["dram_read"], 0);
  EXPECT_DOUBLE_EQ(e["dram_write"], 1000 * 10000000.0 * kFemto);
  EXPECT_DOUBLE_EQ(e["switches"], 1000 * 1000 * kFemto);
  EXPECT_DOUBLE_EQ(e["links"], 1000 * 100000000.0 * kFemto);
}

TEST(Energy, MatmulStreamsByTheShapeOfATile) {
  MachineModel machine = *MachineModel::create(withEnergies());
  ProgramBuilder b(machine);
  b.matmul(3, 10, 64, 16);
  auto e = energy(b.program, machine);
  EXPECT_DOUBLE_EQ(e["compute"], 2 * 10 * 64 * 16 * 100 * kFemto);
  // Four arrays of 8 x 8 joined along K: 32 in and 8 out of f16 for each row of
  // a 32 x 8 block, of which there are 2 x 2.
  EXPECT_DOUBLE_EQ(e["sram"], 10 * 4 * (32 + 8) * 2 * 10 * kFemto);
}

TEST(Energy, SwitchesCopyAndAdd) {
  MachineModel machine = *MachineModel::create(withEnergies());
  MoeShape shape;
  shape.tokens = 6;
  shape.experts = shape.k = 4;
  shape.form = ExchangeForm::Tokens;
  shape.via = ExchangeVia::Switch;
  shape.placement = {{0}, {1}, {2}, {3}};
  Program program = moeProgram(machine, shape);
  TestRouting routing = randomRouting(program, 1);
  auto e = energy(program, machine, routing.bound.get());
  // Every token goes everywhere. A row of 8 x 2 bytes with 4 slots of 6 bytes
  // enters each switch once and leaves it twice; a row of 16 bytes comes back
  // from each of two chiplets.
  EXPECT_DOUBLE_EQ(e["multicast"], 2 * 6 * 2 * 40 * 10000 * kFemto);
  EXPECT_DOUBLE_EQ(e["reduce"], 2 * 6 * 2 * 16 * 100000 * kFemto);
}

/// Whatever the program, the parts are the bytes of its resources.
TEST(Energy, IsWhatResourcesCarry) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomCase c(seed);
    MachineFacts facts = c.machine.facts();
    for (LinkFacts &link : facts.links)
      link.femtojoulesPerByte = 7;
    for (MemoryFacts &memory : facts.memories)
      memory.readFemtojoulesPerByte = memory.writeFemtojoulesPerByte = 3;
    MachineModel machine = *MachineModel::create(facts);
    absl::StatusOr<SimulationResult> r =
        simulate(c.program, machine, c.routing.bound.get());
    ASSERT_TRUE(r.ok()) << r.status();
    double links = 0, dram = 0;
    for (const ResourceUse &use : r->resources) {
      if (use.kind == ResourceKind::Link)
        links += static_cast<double>(use.bytes) * 7 * kFemto;
      if (use.kind == ResourceKind::Dram)
        dram += static_cast<double>(use.bytes) * 3 * kFemto;
    }
    auto e = energy(c.program, machine, c.routing.bound.get());
    EXPECT_NEAR(e["links"], links, links * 1e-12);
    EXPECT_NEAR(e["dram_read"] + e["dram_write"], dram, dram * 1e-12);
    EXPECT_EQ(e.count("compute"), 0u); // no such fact
  }
}

TEST(Energy, AreaByKind) {
  MachineModel machine = *MachineModel::create(withEnergies());
  std::vector<AreaPart> area = machineArea(machine);
  ASSERT_EQ(area.size(), 3u);
  EXPECT_EQ(area[0].name, "chiplets");
  EXPECT_DOUBLE_EQ(area[0].squareMillimeters, 5 * 3.0);
  EXPECT_DOUBLE_EQ(area[1].squareMillimeters, 2 * 0.5);
  EXPECT_DOUBLE_EQ(area[2].squareMillimeters, 3 * 0.07);
  EXPECT_TRUE(machineArea(*MachineModel::create(tree({2, 2}))).empty());
}

TEST(Energy, TooLargeIsAnError) {
  MachineFacts facts = withEnergies();
  facts.nodes[3].compute.femtojoulesPerFlop = INT64_MAX;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.matmul(3, int64_t(1) << 20, int64_t(1) << 26, int64_t(1) << 24);
  RoutingCounter counter(b.program, nullptr);
  absl::StatusOr<std::vector<EnergyPart>> parts =
      programEnergy(b.program, machine, counter, SimulationResult());
  EXPECT_EQ(parts.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(parts.status().message().find("energy does not fit"),
            std::string::npos);
}

} // namespace
