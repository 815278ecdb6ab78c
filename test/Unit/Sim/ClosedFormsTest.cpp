//===- ClosedFormsTest.cpp - Pipelines whose time has a formula -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains, double buffering and contention over whole ranges of sizes, compared
// with closed forms to the picosecond. (EventEngineTest.cpp has single cases
// worked out by hand.)
//
// Machine: tree({2, 2}). Links carry 10 GB/s, memories read 100 GB/s and write
// 50 GB/s, SRAM ports 64 GB/s; nothing has a latency unless a test says so.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mozart;
using namespace mozart::test;

namespace {

constexpr int32_t kC3 = 3;
constexpr int32_t kDramRoot = 0, kDram1 = 1;

/// Picoseconds of `bytes` at 10 GB/s, which divides a microsecond evenly.
int64_t linkPs(int64_t bytes) { return bytes * 100; }

MachineFacts facts() {
  MachineFacts result = tree({2, 2});
  for (NodeFacts &node : result.nodes)
    node.sramBytes = int64_t(1) << 40;
  return result;
}

int64_t latency(const Program &program, const MachineFacts &facts,
                const BoundRouting *routing = nullptr) {
  absl::StatusOr<MachineModel> machine = MachineModel::create(facts);
  EXPECT_TRUE(machine.ok()) << machine.status();
  absl::StatusOr<SimulationResult> result =
      simulate(program, *machine, routing);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->latencyPs : -1;
}

/// Time of an M x 8 x 8 product on c3 alone.
int64_t matmulPs(const MachineFacts &facts, int64_t rows) {
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.matmul(kC3, rows, 8, 8);
  return latency(b.program, facts);
}

/// `chunks` loads of `bytes` over one leaf link, each computed on when it is
/// there and stored when computed; a chunk waits until the one `buffers` before
/// it has left.
Program pipeline(const MachineModel &machine, int64_t chunks, int64_t bytes,
                 int64_t rows, int64_t buffers, bool stores) {
  ProgramBuilder b(machine);
  std::vector<int32_t> done;
  for (int64_t i = 0; i < chunks; ++i) {
    std::vector<int32_t> room;
    if (i >= buffers)
      room = {done[i - buffers]};
    int32_t loaded = b.load(kDram1, kC3, bytes, room);
    b.program.tasks[loaded].engines = {{EngineKind::Dma, kC3}};
    int32_t last = b.matmul(kC3, rows, 8, 8, {loaded});
    if (stores) {
      last = b.store(kDram1, kC3, bytes, {last});
      b.program.tasks[last].engines = {{EngineKind::Send, kC3}};
    }
    done.push_back(last);
  }
  return std::move(b.program);
}

TEST(ClosedForms, OneBufferIsASum) {
  MachineFacts machine = facts();
  for (int64_t chunks : {1, 2, 3, 17})
    for (int64_t bytes : {0, 1, 1000, 77777})
      for (int64_t rows : {1, 64, 1000}) {
        int64_t load = linkPs(bytes), compute = matmulPs(machine, rows);
        EXPECT_EQ(latency(pipeline(*MachineModel::create(machine), chunks,
                                   bytes, rows, 1, false),
                          machine),
                  chunks * (load + compute));
      }
}

TEST(ClosedForms, DoubleBufferingHidesTheShorter) {
  MachineFacts machine = facts();
  for (int64_t chunks : {1, 2, 3, 17})
    for (int64_t bytes : {0, 1, 1000, 77777})
      for (int64_t rows : {1, 64, 1000}) {
        int64_t load = linkPs(bytes), compute = matmulPs(machine, rows);
        EXPECT_EQ(latency(pipeline(*MachineModel::create(machine), chunks,
                                   bytes, rows, 2, false),
                          machine),
                  load + (chunks - 1) * std::max(load, compute) + compute);
      }
}

/// Directions of a link are apart, so that loads and stores meet at the SRAM
/// port and the memory alone, both of which have room for either.
TEST(ClosedForms, ThreeStagesRunAtTheSlowest) {
  MachineFacts machine = facts();
  for (int64_t chunks : {1, 2, 3, 17})
    for (int64_t bytes : {0, 1000, 77777})
      for (int64_t rows : {1, 64, 1000}) {
        int64_t move = linkPs(bytes), compute = matmulPs(machine, rows);
        EXPECT_EQ(latency(pipeline(*MachineModel::create(machine), chunks,
                                   bytes, rows, 3, true),
                          machine),
                  2 * move + compute + (chunks - 1) * std::max(move, compute));
      }
}

TEST(ClosedForms, AsymmetricLinks) {
  MachineFacts machine = facts();
  for (int64_t up : {1, 3, 10, 40}) {
    machine.links[5].wires = up; // c3 -> s1; down stays at 10
    MachineModel model = *MachineModel::create(machine);
    ProgramBuilder down(model);
    down.load(kDram1, kC3, 6000);
    EXPECT_EQ(latency(down.program, machine), linkPs(6000));
    ProgramBuilder back(model);
    back.store(kDram1, kC3, 6000);
    // Where the link is wide, the memory's writes bind.
    EXPECT_EQ(latency(back.program, machine),
              std::max(6000 * 1000 / up, int64_t(6000 * 20)));
  }
}

/// n equal transfers over one link end together, n times as late; those that
/// are longer go on alone.
TEST(ClosedForms, ContendingTransfersShareEvenly) {
  MachineFacts machine = facts();
  MachineModel model = *MachineModel::create(machine);
  for (int64_t n : {1, 2, 5, 10}) {
    ProgramBuilder b(model);
    for (int64_t i = 0; i < n; ++i)
      b.program.tasks[b.load(kDramRoot, kC3, 1000 * (i + 1))].engines.clear();
    absl::StatusOr<SimulationResult> r = simulate(b.program, model, nullptr);
    ASSERT_TRUE(r.ok()) << r.status();
    int64_t end = 0;
    for (int64_t i = 0; i < n; ++i) {
      // While n - i transfers are left, each gets 1 / (n - i) of the link.
      end += linkPs(1000) * (n - i);
      // Shares are rounded down to whole bytes a second.
      EXPECT_NEAR(r->tasks[i].endPs, end, i + 1) << n;
    }
  }
}

/// Every token goes to every chiplet: a row crosses each link once on the way
/// down with multicast, and once on the way up with sums.
TEST(ClosedForms, MulticastAndReduceTrees) {
  for (const std::vector<int> &fanout :
       std::vector<std::vector<int>>{{2, 2}, {4, 4}, {2, 2, 2}, {1, 3, 2}}) {
    MachineFacts machine = tree(fanout);
    for (NodeFacts &node : machine.nodes) {
      node.sramBytes = int64_t(1) << 40;
      // Not faster than a link: copies and sums bind where ways part.
      node.compute.tileSramBytesPerSecond = int64_t(1) << 45;
      if (!node.isChiplet())
        node.multicastBytesPerSecond = node.reduceBytesPerSecond = 5000000000;
    }
    MachineModel model = *MachineModel::create(machine);
    int64_t chiplets = static_cast<int64_t>(model.expertChiplets().size());
    MoeShape shape;
    shape.tokens = 16;
    shape.hidden = 100;
    shape.experts = shape.k = chiplets;
    shape.form = ExchangeForm::Tokens;
    shape.via = ExchangeVia::Switch;
    shape.loadsFirst = true;
    shape.placement.resize(chiplets);
    for (int32_t e = 0; e < chiplets; ++e)
      shape.placement[e] = {e};
    Program program = moeProgram(model, shape);
    TestRouting routing = randomRouting(program, 1);
    absl::StatusOr<SimulationResult> r =
        simulate(program, model, routing.bound.get());
    ASSERT_TRUE(r.ok()) << r.status();
    int64_t ways = 0; // of the switch with most
    for (int32_t node = 0; node < model.numNodes(); ++node)
      if (!model.node(node).isChiplet() && model.children(node).size() > 1)
        ways =
            std::max(ways, static_cast<int64_t>(model.children(node).size()));
    int64_t rowBytes = 100 * 2, slotBytes = chiplets * (4 + 2);
    for (size_t i = 0; i < program.tasks.size(); ++i) {
      const Task &task = program.tasks[i];
      int64_t took = r->tasks[i].endPs - r->tasks[i].startPs;
      if (task.kind == TaskKind::Dispatch)
        EXPECT_EQ(took, 16 * (rowBytes + slotBytes) * 200 * ways);
      if (task.kind == TaskKind::Combine)
        EXPECT_EQ(took, 16 * rowBytes * 200 * ways);
    }
  }
}

} // namespace
