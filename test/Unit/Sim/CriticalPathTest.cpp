//===- CriticalPathTest.cpp - Why a program takes as long as it does ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine: tree({2, 2}); see EventEngineTest.cpp for its rates.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/CriticalPath.h"
#include "mozart/Sim/Report.h"
#include "mozart/Sim/ReportText.h"
#include "mozart/Sim/Tables.h"
#include "mozart/Sim/WhatIf.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"
#include "Sim/TestPrograms.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <map>

using namespace mozart;
using namespace mozart::test;

namespace {

constexpr int32_t kRoot = 0, kC3 = 3, kC4 = 4, kDram1 = 1;

struct Outcome {
  SimulationResult result;
  CriticalPath path;
};

Outcome run(const Program &program, const MachineModel &machine,
            const BoundRouting *routing = nullptr,
            Network network = Network::Flow) {
  SimulationOptions options;
  options.network = network;
  options.recordLimits = true;
  Outcome r;
  absl::StatusOr<SimulationResult> result =
      simulate(program, machine, routing, options);
  EXPECT_TRUE(result.ok()) << result.status();
  r.result = *std::move(result);
  RoutingCounter counter(program, routing);
  absl::StatusOr<CriticalPath> path =
      criticalPath(program, machine, counter, r.result);
  EXPECT_TRUE(path.ok()) << path.status();
  r.path = *std::move(path);
  return r;
}

int64_t sum(const std::vector<Cause> &causes) {
  int64_t total = 0;
  for (const Cause &cause : causes)
    total += cause.ps;
  return total;
}

std::map<std::string, int64_t> byName(const std::vector<Cause> &causes) {
  std::map<std::string, int64_t> sums;
  for (const Cause &cause : causes)
    sums[cause.name] += cause.ps;
  return sums;
}

TEST(CriticalPath, WaitsEnginesAndTheStart) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b(machine);
  int32_t first = b.load(kDram1, kC3, 1000);          // to 100 ns
  int32_t second = b.load(kDram1, kC3, 500);          // behind it
  int32_t third = b.load(kDram1, kC4, 100, {second}); // waits for it
  Outcome r = run(b.program, machine);
  ASSERT_EQ(r.path.tasks.size(), 3u);
  EXPECT_EQ(r.path.tasks[0].task, first);
  EXPECT_EQ(r.path.tasks[0].hold, Hold::Start);
  EXPECT_EQ(r.path.tasks[1].task, second);
  EXPECT_EQ(r.path.tasks[1].hold, Hold::Engine);
  EXPECT_EQ(r.path.tasks[1].after, first);
  EXPECT_TRUE((r.path.tasks[1].engine == Engine{EngineKind::Dma, kC3}));
  EXPECT_EQ(r.path.tasks[2].task, third);
  EXPECT_EQ(r.path.tasks[2].hold, Hold::Wait);
  EXPECT_EQ(
      byName(r.path.byResource),
      (std::map<std::string, int64_t>{{"s1->c3", 150000}, {"s1->c4", 10000}}));
}

TEST(CriticalPath, StagesHold) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b(machine);
  int32_t first = b.load(kDram1, kC3, 1000);
  int32_t second = b.load(kDram1, kC4, 500);
  b.program.tasks[first].stage = 3;
  b.program.tasks[second].stage = 8;
  Outcome r = run(b.program, machine);
  ASSERT_EQ(r.path.tasks.size(), 2u);
  EXPECT_EQ(r.path.tasks[1].hold, Hold::Stage);
  EXPECT_EQ(r.path.tasks[1].after, first);
}

/// Two loads share a memory that is slower than the links; then one has it
/// alone and its link holds it back.
TEST(CriticalPath, WhatHoldsATransferBackChanges) {
  MachineFacts facts = tree({2, 2});
  facts.memories[kDram1].readBytesPerSecond = 15000000000;
  facts.memories[kDram1].latencyPs = 70;
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000);
  b.load(kDram1, kC4, 750);
  Outcome r = run(b.program, machine);
  // 7.5 GB/s each for 100 ns; then 250 bytes at 10 GB/s.
  EXPECT_EQ(r.result.latencyPs, 70 + 100000 + 25000);
  EXPECT_EQ(byName(r.path.byResource),
            (std::map<std::string, int64_t>{
                {"dram1", 100000}, {"s1->c3", 25000}, {"delays", 70}}));
  EXPECT_EQ(r.path.byKind.size(), 3u);
}

TEST(CriticalPath, KernelsAreArraysOrSram) {
  for (auto [sram, name] : {std::pair(int64_t(1) << 50, "c3.compute"),
                            std::pair(int64_t(1000000000), "c3.sram")}) {
    MachineFacts facts = tree({2, 2});
    facts.nodes[kC3].compute.tileSramBytesPerSecond = sram;
    facts.nodes[kC3].compute.kernelStartPs = 12;
    MachineModel machine = *MachineModel::create(facts);
    ProgramBuilder b(machine);
    b.matmul(kC3, 64, 64, 64);
    Outcome r = run(b.program, machine);
    EXPECT_EQ(byName(r.path.byResource),
              (std::map<std::string, int64_t>{
                  {"delays", 12}, {name, r.result.latencyPs - 12}}));
  }
}

TEST(CriticalPath, SumsAreExactOnRandomPrograms) {
  for (Network network : {Network::Flow, Network::Packet})
    for (uint64_t seed = 0; seed < 100; ++seed) {
      RandomCase c(seed);
      Outcome r = run(c.program, c.machine, c.routing.bound.get(), network);
      EXPECT_EQ(sum(r.path.byResource), r.result.latencyPs) << seed;
      EXPECT_EQ(sum(r.path.byKind), r.result.latencyPs) << seed;
      int64_t nowPs = 0;
      for (const PathTask &task : r.path.tasks) {
        const TaskTime &time = r.result.tasks[task.task];
        EXPECT_EQ(time.startPs, nowPs) << seed;
        EXPECT_EQ(sum(task.causes), time.endPs - time.startPs) << seed;
        nowPs = time.endPs;
      }
      EXPECT_EQ(nowPs, r.result.latencyPs) << seed;
    }
}

TEST(WhatIf, SimulatesAnew) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b(machine);
  b.load(kDram1, kC3, 1000); // 100 ns over s1->c3, 15.625 ns at the port
  Outcome r = run(b.program, machine);
  absl::StatusOr<std::vector<WhatIf>> found =
      whatIfs(b.program, machine, nullptr, {}, r.result, r.path);
  ASSERT_TRUE(found.ok()) << found.status();
  std::map<std::string, int64_t> latency;
  for (const WhatIf &what : *found)
    latency[what.kind + " " + what.name] = what.latencyPs;
  EXPECT_EQ(latency.at("link all"), 50000);
  EXPECT_EQ(latency.at("link s1->c3"), 50000);
  EXPECT_EQ(latency.at("dram all"), 100000);
  EXPECT_EQ(latency.at("compute all"), 100000);
  EXPECT_EQ(latency.count("delay all"), 0u); // it has none
}

TEST(WhatIf, WhatCannotBeDoubled) {
  MachineFacts facts = tree({2, 2});
  facts.links[3].wireBytesPerSecond = INT64_MAX / 2 + 1;
  absl::Status status = twiceAsFast(facts, "link").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(status.message().find("the link rate of '"), std::string::npos);
  EXPECT_TRUE(twiceAsFast(facts, "link", 2).ok());
  EXPECT_TRUE(twiceAsFast(facts, "dram").ok());
}

struct Told {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b{machine};
  Outcome r;
  Report report;

  Told() {
    int32_t first = b.load(kDram1, kC3, 1000);
    b.program.tasks[first].name = "load b0.w, \"x\"";
    b.matmul(kC3, 8, 8, 8, {first});
    r = run(b.program, machine);
    RoutingCounter counter(b.program, nullptr);
    report = *makeReport(b.program, machine, counter, {}, r.result, 0);
  }
};

TEST(ReportText, SummaryAndExplanation) {
  Told t;
  std::string summary =
      printSummary(t.b.program, t.r.result, t.r.path, t.report);
  for (const char *part : {"m on tree, preset test, network flow", "latency",
                           "b0", "link 100.0 % (s1->c3 100.0 %)", "c3.sram"})
    EXPECT_NE(summary.find(part), std::string::npos) << part << summary;
  std::vector<WhatIf> faster =
      *whatIfs(t.b.program, t.machine, nullptr, {}, t.r.result, t.r.path);
  std::string text =
      printExplanation(t.b.program, t.r.result, t.r.path, faster);
  for (const char *part :
       {"end of load b0.w", "If it were twice as fast", "100000", "nothing"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  for (const std::string *one : {&summary, &text})
    EXPECT_EQ(one->find(" \n"), std::string::npos) << *one;

  addExplanation(t.report, t.b.program, t.machine, t.r.result, t.r.path,
                 faster);
  nlohmann::json json =
      nlohmann::json::parse(printReport(t.report), nullptr, false);
  ASSERT_TRUE(json.is_object());
  int64_t sum = 0;
  for (const nlohmann::json &task : json["explanation"]["critical_path"])
    for (const nlohmann::json &cause : task["causes"])
      sum += cause["ps"].get<int64_t>();
  EXPECT_EQ(sum, t.r.result.latencyPs);
  EXPECT_EQ(json["explanation"]["latency_ps"], t.r.result.latencyPs);
}

TEST(ReportText, EmptyProgram) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  ProgramBuilder b(machine);
  Outcome r = run(b.program, machine);
  RoutingCounter counter(b.program, nullptr);
  Report report = *makeReport(b.program, machine, counter, {}, r.result, 0);
  EXPECT_NE(printSummary(b.program, r.result, r.path, report).find("0 ps"),
            std::string::npos);
  EXPECT_NE(printExplanation(b.program, r.result, r.path, {}).find("0 tasks"),
            std::string::npos);
}

TEST(Tables, CsvQuotesAndIsExact) {
  Told t;
  std::map<std::string, std::string> files;
  for (auto &[name, contents] :
       printCsvTables(t.b.program, t.machine, t.r.result, t.r.path, t.report))
    files[name] = contents;
  EXPECT_EQ(files.size(), 4u);
  EXPECT_NE(
      files["tasks.csv"].find("0,\"load b0.w, \"\"x\"\"\",load,c3,c3.dma,,"
                              "0,100000,1\n"),
      std::string::npos)
      << files["tasks.csv"];
  EXPECT_NE(files["resources.csv"].find("s1->c3,link,1000,100000,100000\n"),
            std::string::npos)
      << files["resources.csv"];
  EXPECT_NE(files["memories.csv"].find("c3.sram,1384,1048576,1000,0\n"),
            std::string::npos)
      << files["memories.csv"];
  EXPECT_EQ(files["layers.csv"],
            "layer,c_t,g_t,load_max_over_mean,receive_max_over_mean\n");
}

TEST(Tables, Dot) {
  Told t;
  std::string machine = printMachineDot(t.machine, t.r.result);
  EXPECT_NE(machine.find("n3 [shape=box, label=\"c3\\narrays "),
            std::string::npos)
      << machine;
  absl::StatusOr<std::string> tasks =
      printTaskDot(t.b.program, t.machine, t.r.result, t.r.path);
  ASSERT_TRUE(tasks.ok());
  EXPECT_NE(tasks->find("label=\"load b0.w, \\\"x\\\"\\nc3, 100.000 ns\""),
            std::string::npos)
      << *tasks;
  EXPECT_NE(tasks->find("t0 -> t1 [color=red];"), std::string::npos);
  for (int i = 0; i < 1000; ++i)
    t.b.load(kDram1, kRoot, 1);
  Outcome r = run(t.b.program, t.machine);
  EXPECT_NE(printTaskDot(t.b.program, t.machine, r.result, r.path)
                .status()
                .message()
                .find("has 1002 tasks, more than the 1000"),
            std::string::npos);
}

} // namespace
