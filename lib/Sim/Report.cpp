//===- Report.cpp - What a simulation found -------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Report.h"

#include "AsciiText.h"

#include "mozart/Cost/ExpertNodes.h"
#include "mozart/Cost/LowerBound.h"
#include "mozart/Sim/Energy.h"
#include "mozart/Sim/ProgramBound.h"
#include "mozart/Sim/ProgramChecks.h"

#include <map>

#include <nlohmann/json.hpp>

using namespace mozart;

/// The nearest double to ps / 10^12.
static double seconds(int64_t ps) { return static_cast<double>(ps) / 1e12; }

static void addLayers(Report &report,
                      const std::vector<LayerStatistics> &layers) {
  for (const LayerStatistics &layer : layers) {
    LayerReport &entry = *report.add_layers();
    entry.set_c_t(layer.cT);
    entry.set_g_t(layer.gT);
    entry.set_load_max_over_mean(layer.loadMaxOverMean);
    entry.set_receive_max_over_mean(layer.receiveMaxOverMean);
  }
}

static void addOperations(Report &report, const Program &program,
                          const SimulationResult &result) {
  std::map<TaskKind, std::pair<int64_t, __int128>> kinds; // tasks and time
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    auto &[tasks, ps] = kinds[program.tasks[i].kind];
    ++tasks;
    ps += result.tasks[i].endPs - result.tasks[i].startPs;
  }
  for (const auto &[kind, sum] : kinds) {
    OperationReport &entry = *report.add_operations();
    entry.set_kind(taskKindName(kind));
    entry.set_tasks(sum.first);
    entry.set_busy_s(static_cast<double>(sum.second) / 1e12);
  }
}

static void addResources(Report &report, const SimulationResult &result) {
  for (const ResourceUse &use : result.resources) {
    ResourceReport &entry = *report.add_resources();
    entry.set_name(asciiText(use.name));
    entry.set_kind(resourceKindName(use.kind));
    entry.set_busy_s(seconds(use.busyPs));
    entry.set_utilization(result.latencyPs == 0
                              ? 0.0
                              : static_cast<double>(use.busyPs) /
                                    static_cast<double>(result.latencyPs));
  }
  for (const MemoryUse &use : result.memories) {
    MemoryReport &entry = *report.add_memories();
    entry.set_name(asciiText(use.name));
    entry.set_peak_bytes(use.peakBytes);
    entry.set_capacity_bytes(use.capacityBytes);
    entry.set_live_peak_bytes(use.livePeakBytes);
    entry.set_live_peak_at_s(seconds(use.livePeakPs));
  }
}

static void addEnergy(Report &report, const std::vector<EnergyPart> &parts,
                      int64_t latencyPs) {
  double total = 0;
  for (const EnergyPart &part : parts) {
    (*report.mutable_energy_j())[part.name] = part.joules;
    total += part.joules;
  }
  if (latencyPs > 0)
    report.set_mean_power_w(total / seconds(latencyPs));
}

absl::StatusOr<Report>
mozart::makeReport(const Program &program, const MachineModel &machine,
                   RoutingCounter &counter, const SimulationOptions &options,
                   const SimulationResult &result, double wallSeconds) {
  absl::StatusOr<int64_t> programBound =
      programBoundPs(program, machine, counter);
  if (!programBound.ok())
    return programBound.status();
  absl::StatusOr<std::vector<ExpertMap>> nodes = expertNodes(program, machine);
  if (!nodes.ok())
    return nodes.status();
  absl::StatusOr<LowerBound> bound =
      lowerBound(program, machine, *nodes, counter);
  if (!bound.ok())
    return bound.status();

  absl::StatusOr<std::vector<EnergyPart>> energy =
      programEnergy(program, machine, counter, result);
  if (!energy.ok())
    return energy.status();

  Report report;
  report.set_model(asciiText(program.model));
  report.set_machine(asciiText(program.machine));
  report.set_preset(asciiText(program.preset));
  report.set_network(networkName(options.network));
  report.set_seed(program.seed);
  report.set_latency_s(seconds(result.latencyPs));
  report.set_lower_bound_s(seconds(bound->binding().ps));
  for (const LowerBound::Part &part : bound->parts)
    (*report.mutable_lower_bound_parts_s())[part.name] = seconds(part.ps);
  report.set_binding_bound(bound->binding().name);
  if (bound->binding().ps > 0)
    report.set_bound_ratio(static_cast<double>(result.latencyPs) /
                           static_cast<double>(bound->binding().ps));
  report.set_program_bound_s(seconds(*programBound));
  addLayers(report, programStatistics(program, machine, *nodes, counter));
  addResources(report, result);
  addOperations(report, program, result);
  addEnergy(report, *energy, result.latencyPs);
  for (const AreaPart &part : machineArea(machine))
    (*report.mutable_area_mm2())[part.name] = part.squareMillimeters;
  report.set_dropped_tokens(0); // exchanges carry every token
  report.set_events(result.events);
  report.set_wall_s(wallSeconds);
  for (const std::string &warning : result.warnings)
    report.add_warnings(asciiText(warning));
  return report;
}

static nlohmann::ordered_json
causesJson(const google::protobuf::RepeatedPtrField<CauseReport> &causes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CauseReport &cause : causes)
    json.push_back(
        {{"name", cause.name()}, {"kind", cause.kind()}, {"ps", cause.ps()}});
  return json;
}

static nlohmann::ordered_json
explanationJson(const ExplanationReport &explanation) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["latency_ps"] = explanation.latency_ps();
  json["causes"] = causesJson(explanation.causes());
  json["kinds"] = causesJson(explanation.kinds());
  json["twice_as_fast"] = Json::array();
  for (const WhatIfReport &what : explanation.twice_as_fast())
    json["twice_as_fast"].push_back({{"name", what.name()},
                                     {"kind", what.kind()},
                                     {"latency_ps", what.latency_ps()}});
  json["critical_path"] = Json::array();
  for (const PathTaskReport &task : explanation.critical_path())
    json["critical_path"].push_back({{"task", task.task()},
                                     {"name", task.name()},
                                     {"kind", task.kind()},
                                     {"node", task.node()},
                                     {"start_ps", task.start_ps()},
                                     {"end_ps", task.end_ps()},
                                     {"waited_for", task.waited_for()},
                                     {"after", task.after()},
                                     {"causes", causesJson(task.causes())}});
  return json;
}

template <typename ProtoMap>
static nlohmann::ordered_json sorted(const ProtoMap &map) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto &[key, value] :
       std::map<std::string, double>(map.begin(), map.end()))
    json[key] = value;
  return json;
}

std::string mozart::printReport(const Report &report) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["model"] = report.model();
  json["machine"] = report.machine();
  json["preset"] = report.preset();
  json["network"] = report.network();
  json["seed"] = report.seed();
  json["latency_s"] = report.latency_s();
  json["lower_bound_s"] = report.lower_bound_s();
  json["lower_bound_parts_s"] = sorted(report.lower_bound_parts_s());
  json["binding_bound"] = report.binding_bound();
  json["bound_ratio"] = report.bound_ratio();
  json["program_bound_s"] = report.program_bound_s();
  json["layers"] = Json::array();
  for (const LayerReport &layer : report.layers())
    json["layers"].push_back(
        {{"c_t", layer.c_t()},
         {"g_t", layer.g_t()},
         {"load_max_over_mean", layer.load_max_over_mean()},
         {"receive_max_over_mean", layer.receive_max_over_mean()}});
  json["resources"] = Json::array();
  for (const ResourceReport &resource : report.resources())
    json["resources"].push_back({{"name", resource.name()},
                                 {"kind", resource.kind()},
                                 {"busy_s", resource.busy_s()},
                                 {"utilization", resource.utilization()}});
  json["memories"] = Json::array();
  for (const MemoryReport &memory : report.memories())
    json["memories"].push_back({{"name", memory.name()},
                                {"peak_bytes", memory.peak_bytes()},
                                {"capacity_bytes", memory.capacity_bytes()},
                                {"live_peak_bytes", memory.live_peak_bytes()},
                                {"live_peak_at_s", memory.live_peak_at_s()}});
  json["energy_j"] = sorted(report.energy_j());
  json["dropped_tokens"] = report.dropped_tokens();
  json["events"] = report.events();
  json["wall_s"] = report.wall_s();
  json["warnings"] = Json::array();
  for (const std::string &warning : report.warnings())
    json["warnings"].push_back(warning);
  json["mean_power_w"] = report.mean_power_w();
  json["area_mm2"] = sorted(report.area_mm2());
  if (report.has_explanation())
    json["explanation"] = explanationJson(report.explanation());
  json["operations"] = Json::array();
  for (const OperationReport &operation : report.operations())
    json["operations"].push_back({{"kind", operation.kind()},
                                  {"tasks", operation.tasks()},
                                  {"busy_s", operation.busy_s()}});
  return json.dump(2) + "\n";
}
