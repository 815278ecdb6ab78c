//===- FlitTransfersTest.cpp - Transfers as flits -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;

namespace {

SimulationOptions flitOptions() {
  SimulationOptions options;
  options.network = Network::Flit;
  return options;
}

/// 32 bytes at 10 GB/s.
constexpr int64_t kCyclePs = 3200;

int64_t loadPs(MachineFacts facts, int64_t flits, bool stores = false) {
  MachineModel machine = *MachineModel::create(std::move(facts));
  ProgramBuilder b(machine);
  const int32_t leaf = machine.expertChiplets()[0];
  if (stores)
    b.store(0, leaf, 32 * flits);
  else
    b.load(0, leaf, 32 * flits);
  absl::StatusOr<SimulationResult> result =
      simulate(b.program, machine, nullptr, flitOptions());
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->latencyPs : -1;
}

TEST(FlitTransfers, AloneTransfersTakeTheClosedForm) {
  for (int64_t flits : {1, 128, 1000}) {
    // A link between chiplets: its rate, and nothing else.
    EXPECT_EQ(loadPs(tree({1}), flits), flits * kCyclePs);
    // Each switch takes its pipeline, each link its latency.
    MachineFacts facts = tree({1, 1, 1});
    facts.packetBytes = 1 << 20;
    EXPECT_EQ(loadPs(facts, flits), (flits + 2) * kCyclePs);
    EXPECT_EQ(loadPs(facts, flits, true), (flits + 2) * kCyclePs);
    facts.nodes[1].pipelineCycles = facts.nodes[2].pipelineCycles = 5;
    for (LinkFacts &link : facts.links)
      link.latencyPs = 3 * kCyclePs - 1; // rounded up to 3
    EXPECT_EQ(loadPs(facts, flits), (flits + 2 * 5 + 3 * 3) * kCyclePs);
    // A latency beyond the pipeline counts, and so does the memory's.
    facts.nodes[1].latencyPs = 7 * kCyclePs;
    facts.memories[0].latencyPs = 10 * kCyclePs;
    EXPECT_EQ(loadPs(facts, flits), (flits + 10 + 7 + 5 + 3 * 3) * kCyclePs);
  }
}

TEST(FlitTransfers, SwitchesThatStoreWholeMessages) {
  MachineFacts facts = tree({1, 1});
  facts.nodes[1].forwarding = Forwarding::StoreAndForward;
  facts.packetBytes = 320;
  for (LinkFacts &link : facts.links)
    link.messageOverheadPs = 2 * kCyclePs;
  // Overhead and message twice; the switch sends in the cycle after the last
  // flit has come.
  EXPECT_EQ(loadPs(facts, 100), (2 + 100 + 1 + 2 + 100) * kCyclePs);
}

TEST(FlitTransfers, SlowLinksAndMemoriesBind) {
  MachineFacts facts = tree({1, 1});
  facts.links[2].wires = facts.links[3].wires = 3; // of the leaf
  EXPECT_NEAR(static_cast<double>(loadPs(facts, 3000)),
              3000 * kCyclePs * 10.0 / 3, 10 * kCyclePs);
  facts.memories[0].readBytesPerSecond = 1000000000;
  EXPECT_NEAR(static_cast<double>(loadPs(facts, 3000)), 3000 * kCyclePs * 10.0,
              10 * kCyclePs);
  // On the chiplet itself the memory is all there is.
  MachineFacts near = tree({1});
  near.memories[0].node = near.memories[1].node = 1;
  EXPECT_NEAR(static_cast<double>(loadPs(near, 3000)), 3000 * 32 * 1e12 / 50e9,
              300 * kCyclePs);
}

TEST(FlitTransfers, RandomProgramsMoveTheBytesOfFlows) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomCase c(seed);
    absl::StatusOr<SimulationResult> flow =
        simulate(c.program, c.machine, c.routing.bound.get());
    ASSERT_TRUE(flow.ok()) << flow.status();
    SimulationOptions options = flitOptions();
    options.recordLoads = true;
    absl::StatusOr<SimulationResult> flit =
        simulate(c.program, c.machine, c.routing.bound.get(), options);
    ASSERT_TRUE(flit.ok()) << flit.status() << " seed " << seed;
    ASSERT_EQ(flow->resources.size(), flit->resources.size());
    for (size_t i = 0; i < flow->resources.size(); ++i)
      EXPECT_EQ(flow->resources[i].bytes, flit->resources[i].bytes)
          << flow->resources[i].name << " seed " << seed;
    absl::StatusOr<SimulationResult> again =
        simulate(c.program, c.machine, c.routing.bound.get(), options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(flit->events, again->events);
    for (size_t i = 0; i < flit->tasks.size(); ++i)
      EXPECT_EQ(flit->tasks[i].endPs, again->tasks[i].endPs);
  }
}

void expectRefused(MachineFacts facts, const std::string &message) {
  absl::StatusOr<MachineModel> machine = MachineModel::create(std::move(facts));
  ASSERT_TRUE(machine.ok()) << machine.status();
  ProgramBuilder b(*machine);
  b.load(0, machine->expertChiplets()[0], 320);
  absl::StatusOr<SimulationResult> result =
      simulate(b.program, *machine, nullptr, flitOptions());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(result.status().message()),
            "machine 'tree', network 'flit': " + message);
}

TEST(FlitTransfers, RefusesWhatItCannotSimulate) {
  MachineFacts facts = tree({2, 1});
  facts.nodes[1].flitBytes = 64;
  expectRefused(facts, "switch 's1' has flits of 64 bytes and 's2' of 32; "
                       "expected one size of flits");
  facts = tree({2, 1});
  facts.nodes[1].virtualChannels = 65;
  expectRefused(facts,
                "switch 's1' has 65 virtual channels; expected at most 64");
  facts = tree({2, 1});
  facts.nodes[1].pipelineCycles = 5000000;
  expectRefused(facts, "switch 's1' has more than 4194304 flits a virtual "
                       "channel, pipeline cycles, iterations or passes");
  facts = tree({2, 1});
  facts.links[0].latencyPs = int64_t{1} << 50;
  expectRefused(facts, "link 'root->s1' and the switch before it have a "
                       "latency of more than 4194304 cycles");
  facts = tree({2, 1});
  facts.links[0].wireBytesPerSecond = 100;
  facts.links[0].wires = 1;
  expectRefused(facts, "link 'root->s1': the flits that its credits allow "
                       "would take more than 4194304 cycles of the fastest "
                       "link");
  facts = tree({2, 1});
  facts.memories[0].readBytesPerSecond = 100;
  expectRefused(facts, "'dram_root' has 100 bytes/s, and the fastest link "
                       "10000000000; expected at most 4194304 times as much");
}

TEST(FlitTransfers, TimesThatDoNotFit) {
  // 2^62 bytes at 10 GB/s are refused before they run.
  MachineFacts facts = tree({1});
  facts.memories[0].bytes = facts.nodes[1].sramBytes =
      std::numeric_limits<int64_t>::max();
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(0, 1, int64_t{1} << 60);
  absl::StatusOr<SimulationResult> result =
      simulate(b.program, machine, nullptr, flitOptions());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(result.status().message().find(
                "moves 281474976710656 packets of 128 flits at once; expected "
                "at most 2147483647 of either"),
            absl::string_view::npos)
      << result.status();
}

} // namespace
