//===- EventEngineTest.cpp - Times worked out by hand ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine: tree({2, 2}). Links carry 10 GB/s, memories read 100 GB/s and write
// 50 GB/s, SRAM ports 64 GB/s; nothing has a latency unless a test says so. So
// 1000 bytes take 100 ns on a link, 10 ns from and 20 ns to a memory, 15.625 ns
// at an SRAM port.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

using namespace mozart;
using namespace mozart::test;

namespace {

MachineModel make(const MachineFacts &facts) {
  absl::StatusOr<MachineModel> model = MachineModel::create(facts);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok())
    std::abort();
  return *std::move(model);
}

SimulationResult run(const Program &program, const MachineModel &machine,
                     const BoundRouting *routing = nullptr) {
  absl::StatusOr<SimulationResult> result = simulate(program, machine, routing);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok())
    std::abort();
  return *std::move(result);
}

const ResourceUse &find(const SimulationResult &result,
                        absl::string_view name) {
  for (const ResourceUse &use : result.resources)
    if (use.name == name)
      return use;
  std::abort();
}

constexpr int32_t kRoot = 0, kS1 = 1, kC3 = 3, kC4 = 4, kC5 = 5;
constexpr int32_t kDramRoot = 0, kDram1 = 1, kDram2 = 2;

//===--- Loads and stores ---===//

TEST(EventEngine, LoadFromAMemoryOnTheChiplet) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDramRoot].latencyPs = 70;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDramRoot, kRoot, 1000);
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.latencyPs, 70 + 15625); // the SRAM port binds
  EXPECT_EQ(find(r, "dram_root").busyPs, 10000);
  EXPECT_EQ(find(r, "root.sram").busyPs, 15625);
  EXPECT_EQ(find(r, "root.dma").busyPs, 15695);
}

/// From the root's memory to c3: two links, past the switch s1.
MachineFacts twoLinks(Forwarding forwarding) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDramRoot].latencyPs = 1;
  facts.links[0].latencyPs = 20;
  facts.links[0].messageOverheadPs = 300;
  facts.nodes[kS1].latencyPs = 4000;
  facts.nodes[kS1].forwarding = forwarding;
  facts.links[4].latencyPs = 50000;
  facts.links[4].messageOverheadPs = 600000;
  facts.links[4].wires = 20; // 50 ns
  return facts;
}

TEST(EventEngine, TwoLinksCutThrough) {
  MachineModel machine = make(twoLinks(Forwarding::CutThrough));
  ProgramBuilder b(machine);
  b.load(kDramRoot, kC3, 1000);
  EXPECT_EQ(run(b.program, machine).latencyPs, 654321 + 100000);
}

TEST(EventEngine, TwoLinksStoreAndForward) {
  MachineModel machine = make(twoLinks(Forwarding::StoreAndForward));
  ProgramBuilder b(machine);
  b.load(kDramRoot, kC3, 1000);
  EXPECT_EQ(run(b.program, machine).latencyPs, 654321 + 100000 + 50000);
}

TEST(EventEngine, MemoryOnAStoringSwitch) {
  MachineModel machine = make(twoLinks(Forwarding::StoreAndForward));
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  // Into the switch 10 ns, then over the leaf link.
  EXPECT_EQ(run(b.program, machine).latencyPs, 10000 + 654000 + 50000);
}

TEST(EventEngine, StoreGoesBackwards) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].latencyPs = 7;
  facts.nodes[kS1].latencyPs = 30;
  facts.links[5].latencyPs = 200; // c3 -> s1
  for (auto [forwarding, expected] :
       {std::pair(Forwarding::CutThrough, 237 + 100000),
        std::pair(Forwarding::StoreAndForward, 237 + 100000 + 20000)}) {
    facts.nodes[kS1].forwarding = forwarding;
    MachineModel machine = make(facts);
    ProgramBuilder b(machine);
    b.store(kDram1, kC3, 1000);
    SimulationResult r = run(b.program, machine);
    EXPECT_EQ(r.latencyPs, expected);
    EXPECT_EQ(find(r, "dram1").busyPs, 20000);
  }
}

TEST(EventEngine, EmptyMessagesCostTheirDelays) {
  MachineModel machine = make(twoLinks(Forwarding::StoreAndForward));
  ProgramBuilder b(machine);
  b.load(kDramRoot, kC3, 0);
  EXPECT_EQ(run(b.program, machine).latencyPs, 654321);
}

/// A load and a store of the root's memory at once (the store on its own
/// engine), with an SRAM port that never binds.
Program readAndWrite(const MachineModel &machine, int64_t readBytes,
                     int64_t writtenBytes) {
  ProgramBuilder b(machine);
  b.load(kDramRoot, kRoot, readBytes);
  b.store(kDramRoot, kRoot, writtenBytes);
  b.program.tasks[1].engines = {{EngineKind::Channel, 0}};
  return b.program;
}

MachineFacts turning(int64_t turnaroundPs, int64_t turnaroundBytes) {
  MachineFacts facts = tree({2, 2});
  facts.nodes[kRoot].compute.tileSramBytesPerSecond = 1000000000000;
  facts.memories[kDramRoot].turnaroundPs = turnaroundPs;
  facts.memories[kDramRoot].turnaroundBytes = turnaroundBytes;
  return facts;
}

TEST(EventEngine, MemoriesThatTurnServeBatches) {
  // 500 bytes are read in 5 ns and 500 written in 20 ns; a turn after each
  // takes 12.5 ns: 50 ns instead of 25 for each pair.
  for (auto [turnPs, pairPs] : {std::pair(0, 25000), std::pair(12500, 50000)}) {
    MachineFacts facts = turning(turnPs, 500);
    facts.memories[kDramRoot].writeBytesPerSecond = 25000000000;
    MachineModel machine = make(facts);
    EXPECT_EQ(run(readAndWrite(machine, 1000, 1000), machine).latencyPs,
              2 * pairPs);
  }
}

TEST(EventEngine, MemoriesTurnOnlyWhileBothAreAskedFor) {
  MachineModel machine = make(turning(5000, 500));
  SimulationResult r = run(readAndWrite(machine, 1000, 3000), machine);
  EXPECT_EQ(r.tasks[0].endPs, 50000);             // two pairs
  EXPECT_EQ(r.tasks[1].endPs, 50000 + 2 * 20000); // 2000 bytes more, alone
  r = run(readAndWrite(machine, 3000, 1000), machine);
  EXPECT_EQ(r.tasks[1].endPs, 50000);
  EXPECT_EQ(r.tasks[0].endPs, 50000 + 2 * 10000);
  // At full rate, whatever the turns: 10 ns and 20 ns a 1000 bytes.
  EXPECT_EQ(find(r, "dram_root").busyPs, 30000 + 20000);

  ProgramBuilder reads(machine);
  reads.load(kDramRoot, kRoot, 1000);
  reads.load(kDramRoot, kRoot, 1000);
  reads.program.tasks[1].engines = {{EngineKind::Channel, 0}};
  EXPECT_EQ(run(reads.program, machine).latencyPs, 20000);
  ProgramBuilder writes(machine);
  writes.store(kDramRoot, kRoot, 1000);
  writes.store(kDramRoot, kRoot, 1000);
  writes.program.tasks[1].engines = {{EngineKind::Channel, 0}};
  EXPECT_EQ(run(writes.program, machine).latencyPs, 40000);
}

TEST(EventEngine, TurnsCostNothingWhereTheMemoryDoesNotBind) {
  MachineFacts facts = turning(5000, 500);
  facts.nodes[kRoot].compute.tileSramBytesPerSecond = 1000000000; // 2 GB/s
  MachineModel machine = make(facts);
  EXPECT_EQ(run(readAndWrite(machine, 1000, 1000), machine).latencyPs, 1000000);
}

TEST(EventEngine, TwoLoadsShareOneMemory) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].readBytesPerSecond = 10000000000;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  b.load(kDram1, kC4, 500);
  SimulationResult r = run(b.program, machine);
  // 5 GB/s each until 100 ns; the rest of the first, 500 bytes, at 10 GB/s.
  EXPECT_EQ(r.tasks[1].endPs, 100000);
  EXPECT_EQ(r.tasks[0].endPs, 150000);
  EXPECT_EQ(r.latencyPs, 150000);
}

TEST(EventEngine, LoadsThatShareNothingDoNotMeet) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  b.load(kDram2, kC5, 1000);
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.tasks[0].endPs, 100000);
  EXPECT_EQ(r.tasks[1].endPs, 100000);
}

TEST(EventEngine, ReadsAndWritesShareTheChannels) {
  // A memory on the chiplet, its SRAM port out of the way. Alone, 10 ns and
  // 20 ns; together, a byte written costs two read: x + 2 x = 100 GB/s.
  MachineFacts facts = tree({2, 2});
  facts.nodes[kRoot].compute.tileSramBytesPerSecond = 1000000000000;
  facts.memories[kDramRoot].readBytesPerSecond = 99000000000;
  facts.memories[kDramRoot].writeBytesPerSecond = 49500000000;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDramRoot, kRoot, 990);
  b.store(kDramRoot, kRoot, 990);
  b.program.tasks[1].engines = {{EngineKind::Channel, kDramRoot}};
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.tasks[0].endPs, 30000); // 33 GB/s both
  EXPECT_EQ(r.tasks[1].endPs, 30000);
  EXPECT_EQ(find(r, "dram_root").busyPs, 30000);
  EXPECT_EQ(find(r, "dram_root.channel").busyPs, 30000);
}

TEST(EventEngine, LateArrivalSlowsDownAndIsExact) {
  // 10 GB/s memory, then as above but the second starts after a 40 ns kernel.
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].readBytesPerSecond = 10000000000;
  facts.nodes[kC4].compute.kernelStartPs = 40001;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  int32_t delay = b.matmul(kC4, 0, 1, 1);
  b.load(kDram1, kC4, 1000, {delay});
  SimulationResult r = run(b.program, machine);
  // 400.01 bytes alone; 599.99 bytes at 5 GB/s: 119998 ps. Then the second has
  // 1000 - 599.99 left at 10 GB/s: 40001 ps.
  EXPECT_EQ(r.tasks[0].endPs, 40001 + 119998);
  EXPECT_EQ(r.tasks[2].endPs, 40001 + 119998 + 40001);
}

//===--- Compute, order ---===//

TEST(EventEngine, OneMatmul) {
  MachineFacts facts = tree({2, 2});
  facts.nodes[kC3].compute.kernelStartPs = 123;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.matmul(kC3, 16, 32, 8); // 20 ns, see KernelCostTest
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.latencyPs, 20123);
  EXPECT_EQ(find(r, "c3.compute").busyPs, 20123);
}

TEST(EventEngine, EnginesWorkInListedOrder) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  int32_t far = b.load(kDramRoot, kC3, 1000);      // 100 ns
  int32_t first = b.matmul(kC4, 16, 32, 8, {far}); // waits, 20 ns
  int32_t second = b.matmul(kC4, 16, 32, 8);       // could start at once
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.tasks[first].startPs, 100000);
  EXPECT_EQ(r.tasks[second].startPs, 120000);
  EXPECT_EQ(r.latencyPs, 140000);
}

TEST(EventEngine, ATaskTakesAllItsEnginesAtOnce) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  b.matmul(kC3, 16, 32, 8);
  b.matmul(kC3, 16, 32, 8);
  int32_t both = b.load(kDram2, kC5, 1000); // needs c3's arrays, and c5's DMA
  b.program.tasks[both].engines.push_back({EngineKind::Compute, kC3});
  int32_t behind = b.load(kDram2, kC5, 1000);
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.tasks[both].startPs, 40000);
  EXPECT_EQ(r.tasks[behind].startPs, 140000);
}

TEST(EventEngine, StagesAreBarriers) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  int32_t slow = b.load(kDram1, kC3, 1000);
  int32_t quick = b.matmul(kC4, 16, 32, 8);
  int32_t next = b.matmul(kC4, 16, 32, 8);
  int32_t free = b.matmul(kC5, 16, 32, 8);
  int32_t last = b.matmul(kC5, 16, 32, 8);
  b.program.tasks[slow].stage = b.program.tasks[quick].stage = 3;
  b.program.tasks[next].stage = 4;
  b.program.tasks[last].stage = 9;
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.tasks[quick].startPs, 0);
  EXPECT_EQ(r.tasks[next].startPs, 100000);
  EXPECT_EQ(r.tasks[free].startPs, 0); // in no stage
  EXPECT_EQ(r.tasks[last].startPs, 120000);
}

TEST(EventEngine, NothingToDo) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.latencyPs, 0);
  EXPECT_EQ(find(r, "s1->c3").bytes, 0);
}

//===--- Exchanges ---===//

// Chiplets 3 4 5 6 hold one expert each of four; rows of 8 x fp16. Tokens go to
// {0, 1}, {0, 2}, {2, 3}, {0}: 3, 1, 2, 1 rows. See TrafficTest for the bytes.
struct ExchangeTest : testing::Test {
  MachineFacts facts = tree({2, 2});
  MoeShape shape;
  std::vector<int32_t> ids = {0, 1, 0, 2, 2, 3, 0, Trace::kPadding};
  SimulationResult result;

  ExchangeTest() {
    shape.placement = {{0}, {1}, {2}, {3}};
    shape.loadsFirst = true;
    for (int32_t s : {1, 2}) {
      facts.nodes[s].multicastBytesPerSecond = 1000000000000;
      facts.nodes[s].reduceBytesPerSecond = 1000000000000;
    }
  }

  /// Duration of the program's only dispatch or combine.
  int64_t duration(ExchangeForm form, ExchangeVia via, TaskKind kind) {
    shape.form = form;
    shape.via = via;
    MachineModel machine = make(facts);
    Program program = moeProgram(machine, shape);
    TestRouting routing = bindIds(program, 1, ids);
    result = run(program, machine, routing.bound.get());
    for (size_t i = 0; i < program.tasks.size(); ++i)
      if (program.tasks[i].kind == kind)
        return result.tasks[i].endPs - result.tasks[i].startPs;
    std::abort();
  }
};

TEST_F(ExchangeTest, DispatchPairsViaRoot) {
  // 56 and 24 bytes through root->s1, 40 and 24 through root->s2. Each link
  // shared in halves: s1: 24 each by 4.8 ns, the other 32 by 8 ns.
  EXPECT_EQ(
      duration(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Dispatch),
      8000);
}

TEST_F(ExchangeTest, StoringSwitchDelaysByOneRow) {
  for (int32_t s : {1, 2})
    facts.nodes[s].forwarding = Forwarding::StoreAndForward;
  // 16 bytes over 10 GB/s more.
  EXPECT_EQ(
      duration(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Dispatch),
      8000 + 1600);
}

TEST_F(ExchangeTest, DispatchTokensViaRoot) {
  // 84 + 28 bytes through root->s1.
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Root, TaskKind::Dispatch),
      11200);
}

TEST_F(ExchangeTest, MulticastAtSwitches) {
  // One copy of tokens 0, 1, 3 into s1: 84 bytes, and out to c3.
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch),
      8400);
  EXPECT_EQ(find(result, "root->s1").bytes, 84);
  EXPECT_EQ(find(result, "s1.multicast").bytes, 56);
  // x and router weights in, five copies out, five sums in, x out.
  EXPECT_EQ(find(result, "root.sram").bytes, 64 + 64 + 5 * 28 + 5 * 16 + 64);
}

TEST_F(ExchangeTest, MulticastRateBinds) {
  // s1 copies 56 of the 84 bytes of the most loaded link at 4 GB/s: 14 ns.
  facts.nodes[kS1].multicastBytesPerSecond = 4000000000;
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch),
      14000);
}

TEST_F(ExchangeTest, ReduceAtSwitches) {
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Combine),
      4800); // 3 rows
  facts.nodes[kS1].reduceBytesPerSecond = 2000000000;
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Combine),
      16000); // 32 bytes arrive to be added
}

TEST_F(ExchangeTest, LongestPathDelaysTheWhole) {
  facts.links[8].latencyPs = 1000; // s2 -> c5
  facts.links[8].messageOverheadPs = 500;
  facts.nodes[2].latencyPs = 70;
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch),
      1570 + 8400);
}

TEST_F(ExchangeTest, NoTokenCostsOnlyDelays) {
  ids.assign(8, Trace::kPadding);
  facts.links[8].latencyPs = 1000;
  for (ExchangeVia via : {ExchangeVia::Root, ExchangeVia::Switch}) {
    EXPECT_EQ(duration(ExchangeForm::Tokens, via, TaskKind::Dispatch), 1000);
    EXPECT_EQ(duration(ExchangeForm::Tokens, via, TaskKind::Combine), 0);
  }
  // Pairs still carry their counts: 8 bytes to each of two on a link.
  facts.links[8].latencyPs = 0;
  EXPECT_EQ(
      duration(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Dispatch),
      1600);
}

TEST_F(ExchangeTest, PeerAtTheRootCopiesLocally) {
  // The root is a chiplet of its own tree({2}) and holds all experts.
  facts = tree({2});
  facts.nodes[0].hostsExperts = true;
  shape.placement = {{0, 1, 2, 3}, {}, {}};
  // Four rows of 28 bytes, read and written at 64 GB/s: 3.5 ns.
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Root, TaskKind::Dispatch),
      3500);
  EXPECT_EQ(
      duration(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch),
      3500);
}

//===--- Errors and capacities ---===//

#define EXPECT_SAYS(status, text)                                              \
  EXPECT_NE(std::string((status).message()).find(text), std::string::npos)     \
      << (status)

TEST_F(ExchangeTest, SwitchThatCannotIsNamed) {
  shape.form = ExchangeForm::Tokens;
  shape.via = ExchangeVia::Switch;
  for (bool dispatch : {true, false}) {
    MachineFacts bad = facts;
    (dispatch ? bad.nodes[2].multicastBytesPerSecond
              : bad.nodes[2].reduceBytesPerSecond) = 0;
    MachineModel machine = make(bad);
    Program program = moeProgram(machine, shape);
    TestRouting routing = bindIds(program, 1, ids);
    absl::Status status =
        simulate(program, machine, routing.bound.get()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_SAYS(status, "'s2' must");
    EXPECT_SAYS(status, dispatch ? "multicast_bytes_per_second is 0"
                                 : "reduce_bytes_per_second is 0");
  }
}

TEST_F(ExchangeTest, BufferTooSmallForTheRoutingIsNamed) {
  for (ExchangeForm form : {ExchangeForm::Pairs, ExchangeForm::Tokens}) {
    shape.form = form;
    MachineModel machine = make(facts);
    Program program = moeProgram(machine, shape);
    // Rows to c3, three of which come; of the compute task, too.
    for (Buffer &buffer : program.buffers)
      if (buffer.place == sram(kC3) && buffer.type.rows() == 4)
        buffer.type.shape[0] = 2;
    for (Task &task : program.tasks)
      for (KernelStep &step : task.steps)
        if (task.node == kC3)
          for (ValueType &type : step.resultTypes)
            if (type.shape[0] == 4)
              type.shape[0] = 2;
    TestRouting routing = bindIds(program, 1, ids);
    EXPECT_SAYS(simulate(program, machine, routing.bound.get()).status(),
                "3 rows go to 'c3', but buffer 'rows' holds 2");
  }
}

TEST(EventEngine, RoutingIsNeeded) {
  MachineModel machine = make(tree({2, 2}));
  MoeShape shape;
  shape.placement = {{0}, {1}, {2}, {3}};
  absl::Status status =
      simulate(moeProgram(machine, shape), machine, nullptr).status();
  EXPECT_SAYS(status, "need a routing");
}

TEST(EventEngine, BadProgramsDoNotRun) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 10);
  b.program.tasks[0].route.clear();
  EXPECT_SAYS(simulate(b.program, machine, nullptr).status(), "route ends at");
}

TEST(EventEngine, SramOverflow) {
  MachineModel machine = make(tree({2, 2})); // 1 MiB of SRAM
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, (1 << 20) - 5);
  SimulationResult r = run(b.program, machine);
  EXPECT_EQ(r.memories[1].name, "c3.sram");
  EXPECT_EQ(r.memories[1].peakBytes, (1 << 20) - 5);
  b.load(kDram1, kC3, 6);
  absl::Status status = simulate(b.program, machine, nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_SAYS(status, "'c3': needs 1048577 bytes, has 1048576; allocation is "
                      "static, so at any time. Its largest buffers: 'sram_0' "
                      "(1048571 bytes at offset 0), 'sram_1' (6 bytes at "
                      "offset 1048571); schedule");
  // Buffers without an offset come after the others.
  b.program.buffers.back().offset = -1;
  EXPECT_SAYS(simulate(b.program, machine, nullptr).status(),
              "needs 1048577 bytes");
}

TEST(EventEngine, PeakCountsCoveredBytesAndCapacityTheEnd) {
  MachineModel machine = make(tree({2, 2}));
  ProgramBuilder b(machine);
  for (int64_t bytes : {100, 50, 0})
    b.load(kDram1, kC3, bytes);
  std::vector<Buffer> &buffers = b.program.buffers; // dram, sram, dram, ...
  buffers[1].offset = 1000;
  buffers[3].offset = 1080; // 20 bytes of it shared with the other
  buffers[5].offset = 5000; // empty
  const MemoryUse use = memoryUse(b.program, machine)[1];
  EXPECT_EQ(use.peakBytes, 130);
  EXPECT_EQ(use.endBytes, 1130);
  buffers[3].offset = (1 << 20) - 49;
  EXPECT_SAYS(simulate(b.program, machine, nullptr).status(),
              "needs 1048577 bytes");
}

TEST(EventEngine, DramOverflowIsFatalUnlessElastic) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].bytes = 999;
  {
    MachineModel machine = make(facts);
    ProgramBuilder b(machine);
    b.load(kDram1, kC3, 1000);
    absl::Status status = simulate(b.program, machine, nullptr).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_SAYS(status, "memory 'dram1': needs 1000 bytes, has 999");
  }
  facts.memories[kDram1].elastic = true;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  SimulationResult r = run(b.program, machine);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("'dram1': needs 1000 bytes, has 999"),
            std::string::npos);
}

TEST(EventEngine, TimePastTheClock) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].latencyPs = std::numeric_limits<int64_t>::max();
  facts.links[4].latencyPs = 1;
  MachineModel machine = make(facts);
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  EXPECT_EQ(simulate(b.program, machine, nullptr).status().code(),
            absl::StatusCode::kOutOfRange);
  facts.links[4].latencyPs = 0;
  MachineModel again = make(facts);
  EXPECT_EQ(simulate(b.program, again, nullptr).status().code(),
            absl::StatusCode::kOutOfRange);
}

} // namespace
