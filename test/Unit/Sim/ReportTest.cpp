//===- ReportTest.cpp - What a simulation found ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Report.h"
#include "mozart/Sim/PerfettoTrace.h"

#include "Machine/TestMachines.h"
#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

using namespace mozart;
using namespace mozart::test;
using Json = nlohmann::ordered_json;

namespace {

Json parse(const std::string &text) {
  Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  return json;
}

std::vector<std::string> keys(const Json &object) {
  std::vector<std::string> result;
  for (const auto &[key, value] : object.items())
    result.push_back(key);
  return result;
}

/// The machine and routing of EventEngineTest's exchanges.
struct ReportTest : testing::Test {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  Program program;
  TestRouting routing;
  SimulationOptions options;
  SimulationResult result;

  ReportTest() {
    shape.placement = {{0}, {1}, {2}, {3}};
    program = moeProgram(machine, shape);
    program.seed = std::numeric_limits<uint64_t>::max();
    routing = bindIds(program, 1, {0, 1, 0, 2, 2, 3, 0, Trace::kPadding});
    options.recordLoads = true;
    result = *simulate(program, machine, routing.bound.get(), options);
  }

  Report report() {
    RoutingCounter counter(program, routing.bound.get());
    absl::StatusOr<Report> report =
        makeReport(program, machine, counter, options, result, 0.25);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : Report();
  }
};

TEST_F(ReportTest, Fields) {
  Report r = report();
  EXPECT_EQ(r.model(), "m");
  EXPECT_EQ(r.machine(), "tree");
  EXPECT_EQ(r.preset(), "test");
  EXPECT_EQ(r.network(), "flow");
  EXPECT_DOUBLE_EQ(r.latency_s(),
                   static_cast<double>(result.latencyPs) * 1e-12);
  // The leaf link of c3, 24 ns: see LowerBoundTest.
  EXPECT_DOUBLE_EQ(r.lower_bound_s(), 24e-9);
  EXPECT_EQ(r.binding_bound(), "leaf_links");
  EXPECT_DOUBLE_EQ(r.lower_bound_parts_s().at("memory"), 3.84e-9);
  EXPECT_DOUBLE_EQ(r.bound_ratio(), r.latency_s() / 24e-9);
  EXPECT_GE(r.program_bound_s(), r.lower_bound_s());
  EXPECT_LE(r.program_bound_s(), r.latency_s());
  ASSERT_EQ(r.layers_size(), 1);
  EXPECT_DOUBLE_EQ(r.layers(0).c_t(), 1.75);
  EXPECT_DOUBLE_EQ(r.layers(0).g_t(), 1.25);
  EXPECT_DOUBLE_EQ(r.layers(0).load_max_over_mean(), 3 / 1.75);
  EXPECT_DOUBLE_EQ(r.layers(0).receive_max_over_mean(), 3 / 1.75);
  EXPECT_TRUE(r.energy_j().empty()); // a machine without such facts
  EXPECT_TRUE(r.area_mm2().empty());
  EXPECT_EQ(r.mean_power_w(), 0);
  EXPECT_EQ(r.events(), result.events);
  std::map<std::string, const ResourceReport *> byName;
  for (const ResourceReport &resource : r.resources())
    EXPECT_TRUE(byName.emplace(resource.name(), &resource).second)
        << resource.name() << " twice";
  // s1 -> c3: 192 bytes of weights, 56 of the dispatch: 24.8 ns.
  EXPECT_DOUBLE_EQ(byName.at("s1->c3")->busy_s(), 24.8e-9);
  EXPECT_DOUBLE_EQ(byName.at("s1->c3")->utilization(), 24.8e-9 / r.latency_s());
  EXPECT_EQ(byName.at("c3.compute")->kind(), "compute");
  EXPECT_EQ(r.memories(0).name(), "root.sram");
  EXPECT_EQ(r.memories(0).capacity_bytes(), 1 << 20);
}

TEST_F(ReportTest, JsonHoldsEveryFieldInOrder) {
  Report r = report();
  Json json = parse(printReport(r));
  EXPECT_EQ(keys(json), (std::vector<std::string>{"model",
                                                  "machine",
                                                  "preset",
                                                  "network",
                                                  "seed",
                                                  "latency_s",
                                                  "lower_bound_s",
                                                  "lower_bound_parts_s",
                                                  "binding_bound",
                                                  "bound_ratio",
                                                  "program_bound_s",
                                                  "layers",
                                                  "resources",
                                                  "memories",
                                                  "energy_j",
                                                  "dropped_tokens",
                                                  "events",
                                                  "wall_s",
                                                  "warnings",
                                                  "mean_power_w",
                                                  "area_mm2",
                                                  "operations"}));
  EXPECT_EQ(keys(json["layers"][0]),
            (std::vector<std::string>{"c_t", "g_t", "load_max_over_mean",
                                      "receive_max_over_mean"}));
  EXPECT_EQ(
      keys(json["resources"][0]),
      (std::vector<std::string>{"name", "kind", "busy_s", "utilization"}));
  EXPECT_EQ(keys(json["memories"][0]),
            (std::vector<std::string>{"name", "peak_bytes", "capacity_bytes",
                                      "live_peak_bytes", "live_peak_at_s"}));
  EXPECT_EQ(keys(json["lower_bound_parts_s"]),
            (std::vector<std::string>{"attention_compute", "expert_compute",
                                      "inner_links", "leaf_links", "memory",
                                      "root_links"}));
  EXPECT_TRUE(json["energy_j"].is_object());
  EXPECT_TRUE(json["seed"].is_number_unsigned());
  EXPECT_EQ(json["seed"].get<uint64_t>(), program.seed);
  EXPECT_TRUE(json["events"].is_number_integer());
  // Numbers read back bit by bit.
  EXPECT_EQ(json["latency_s"].get<double>(), r.latency_s());
  EXPECT_EQ(json["bound_ratio"].get<double>(), r.bound_ratio());
  EXPECT_EQ(json["wall_s"].get<double>(), 0.25);
}

TEST_F(ReportTest, JsonKnowsEveryFieldOfTheMessage) {
  const google::protobuf::Descriptor *message = Report::descriptor();
  Report r = report();
  r.mutable_explanation();
  Json json = parse(printReport(r));
  std::vector<std::string> names;
  for (int i = 0; i < message->field_count(); ++i)
    names.push_back(message->field(i)->name());
  EXPECT_EQ(keys(json), names);
}

TEST_F(ReportTest, StrangeNamesStayText) {
  program.model = "caf\xe9"; // not UTF-8
  program.preset = "\"x\"\n";
  Json json = parse(printReport(report()));
  EXPECT_EQ(json["model"].get<std::string>(), "caf\\xe9");
  EXPECT_EQ(json["preset"].get<std::string>(), "\"x\"\n");
}

TEST_F(ReportTest, ProgramWithoutMoeLayers) {
  ProgramBuilder b(machine);
  b.load(1, 3, 1000);
  SimulationResult r = *simulate(b.program, machine, nullptr);
  RoutingCounter counter(b.program, nullptr);
  absl::StatusOr<Report> report =
      makeReport(b.program, machine, counter, {}, r, 0.0);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->layers_size(), 0);
  EXPECT_EQ(report->bound_ratio(), 0); // it loads no input of a model
}

//===--- Timeline ---===//

TEST_F(ReportTest, TimelineIsExact) {
  Json json = parse(printPerfettoTrace(program, machine, result));
  EXPECT_EQ(json["displayTimeUnit"], "ns");
  size_t slices = 0;
  for (const Json &event : json["traceEvents"]) {
    if (event["ph"] != "X")
      continue;
    const TaskTime &time = result.tasks[event["args"]["task"].get<size_t>()];
    // Small enough here that a double holds every picosecond.
    EXPECT_EQ(std::llround(event["ts"].get<double>() * 1e6), time.startPs);
    EXPECT_EQ(std::llround(event["dur"].get<double>() * 1e6),
              time.endPs - time.startPs);
    ++slices;
  }
  EXPECT_EQ(slices, program.tasks.size()); // each occupies one engine
}

TEST(Timeline, FractionsAreDecimal) {
  MachineFacts facts = tree({2, 2});
  facts.nodes[3].compute.kernelStartPs = 9007199254740993; // 2^53 + 1
  MachineModel machine = *MachineModel::create(facts);
  ProgramBuilder b(machine);
  int32_t first = b.matmul(3, 0, 1, 1);
  b.matmul(3, 0, 1, 1, {first});
  SimulationResult r = *simulate(b.program, machine, nullptr);
  std::string text = printPerfettoTrace(b.program, machine, r);
  EXPECT_NE(text.find("\"ts\":0,\"dur\":9007199254.740993,"),
            std::string::npos);
  EXPECT_NE(text.find("\"ts\":9007199254.740993,"), std::string::npos);
}

TEST_F(ReportTest, ArrowsStartAndEndOnSlices) {
  Json json = parse(printPerfettoTrace(program, machine, result));
  std::map<int64_t, std::pair<Json, Json>> arrows;
  for (const Json &event : json["traceEvents"]) {
    if (event["ph"] == "s")
      arrows[event["id"].get<int64_t>()].first = event;
    if (event["ph"] == "f")
      arrows[event["id"].get<int64_t>()].second = event;
  }
  auto onSlice = [&](const Json &end) {
    for (const Json &event : json["traceEvents"])
      if (event["ph"] == "X" && event["pid"] == end["pid"] &&
          event["tid"] == end["tid"] && event["ts"] == end["ts"])
        return true;
    return false;
  };
  // Router and x to route, route to dispatch, dispatch and three loads to each
  // of four experts, those to combine, combine to residual, that to the store.
  EXPECT_EQ(arrows.size(), 2u + 1 + 4 * 4 + 4 + 1 + 1);
  for (const auto &[id, arrow] : arrows) {
    ASSERT_FALSE(arrow.first.is_null() || arrow.second.is_null());
    EXPECT_TRUE(onSlice(arrow.first)) << arrow.first;
    EXPECT_TRUE(onSlice(arrow.second)) << arrow.second;
  }
}

TEST_F(ReportTest, CountersEndAtZero) {
  Json json = parse(printPerfettoTrace(program, machine, result));
  std::map<std::string, int64_t> last;
  int64_t most = 0;
  for (const Json &event : json["traceEvents"]) {
    if (event["ph"] != "C")
      continue;
    int64_t value = event["args"].begin()->get<int64_t>();
    last[event["pid"].dump() + event["name"].get<std::string>()] = value;
    most = std::max(most, value);
    EXPECT_GE(value, 0);
  }
  EXPECT_GT(most, 0);
  EXPECT_GT(last.size(), 5u + 10u); // five chiplets, links
  for (const auto &[name, value] : last)
    EXPECT_EQ(value, 0) << name;
}

TEST(Timeline, RandomProgramsParse) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomCase c(seed);
    SimulationResult r = *simulate(c.program, c.machine, c.routing.bound.get());
    Json json = parse(printPerfettoTrace(c.program, c.machine, r));
    EXPECT_GT(json["traceEvents"].size(), c.program.tasks.size());
  }
}

} // namespace
