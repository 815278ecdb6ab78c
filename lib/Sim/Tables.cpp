//===- Tables.cpp - A simulation as CSV and DOT ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Tables.h"

#include "AsciiText.h"
#include "TextTable.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mozart;

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

static std::string csvCell(const std::string &text) {
  std::string cell = asciiText(text);
  if (cell.find_first_of(",\"\r\n") == std::string::npos)
    return cell;
  return absl::StrCat("\"", absl::StrReplaceAll(cell, {{"\"", "\"\""}}), "\"");
}

/// The shortest decimal that reads back as the same double.
static std::string csvNumber(double value) {
  for (int digits = 1; digits < 17; ++digits) {
    std::string text = absl::StrFormat("%.*g", digits, value);
    double back = 0;
    if (absl::SimpleAtod(text, &back) && back == value)
      return text;
  }
  return absl::StrFormat("%.17g", value);
}

static std::string layersCsv(const Report &report) {
  std::string text = "layer,c_t,g_t,load_max_over_mean,receive_max_over_mean\n";
  for (int i = 0; i < report.layers_size(); ++i) {
    const LayerReport &layer = report.layers(i);
    absl::StrAppend(&text, i, ",", csvNumber(layer.c_t()), ",",
                    csvNumber(layer.g_t()), ",",
                    csvNumber(layer.load_max_over_mean()), ",",
                    csvNumber(layer.receive_max_over_mean()), "\n");
  }
  return text;
}

static std::string resourcesCsv(const SimulationResult &result,
                                const CriticalPath &path) {
  std::map<std::string, int64_t> critical;
  for (const Cause &cause : path.byResource)
    critical[cause.name] = cause.ps;
  std::string text = "name,kind,bytes,busy_ps,critical_ps\n";
  for (const ResourceUse &use : result.resources)
    absl::StrAppend(&text, csvCell(use.name), ",", resourceKindName(use.kind),
                    ",", use.bytes, ",", use.busyPs, ",", critical[use.name],
                    "\n");
  return text;
}

static std::string memoriesCsv(const SimulationResult &result) {
  std::string text =
      "name,peak_bytes,capacity_bytes,live_peak_bytes,live_peak_at_ps\n";
  for (const MemoryUse &use : result.memories)
    absl::StrAppend(&text, csvCell(use.name), ",", use.peakBytes, ",",
                    use.capacityBytes, ",", use.livePeakBytes, ",",
                    use.livePeakPs, "\n");
  return text;
}

static std::string engineName(const Engine &engine,
                              const MachineModel &machine) {
  return absl::StrCat(engine.kind == EngineKind::Channel
                          ? machine.memory(engine.index).name
                          : machine.node(engine.index).name,
                      ".", engineKindName(engine.kind));
}

static std::string tasksCsv(const Program &program, const MachineModel &machine,
                            const SimulationResult &result,
                            const CriticalPath &path) {
  std::set<int32_t> critical;
  for (const PathTask &task : path.tasks)
    critical.insert(task.task);
  std::string text =
      "task,name,kind,node,engines,stage,start_ps,end_ps,critical\n";
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    std::string engines = absl::StrJoin(
        task.engines, " ", [&](std::string *out, const Engine &engine) {
          absl::StrAppend(out, engineName(engine, machine));
        });
    absl::StrAppend(
        &text, i, ",", csvCell(task.name), ",", taskKindName(task.kind), ",",
        csvCell(machine.node(task.node).name), ",", csvCell(engines), ",",
        task.stage < 0 ? std::string() : absl::StrCat(task.stage), ",",
        result.tasks[i].startPs, ",", result.tasks[i].endPs, ",",
        critical.count(static_cast<int32_t>(i)) ? 1 : 0, "\n");
  }
  return text;
}

std::vector<std::pair<std::string, std::string>>
mozart::printCsvTables(const Program &program, const MachineModel &machine,
                       const SimulationResult &result, const CriticalPath &path,
                       const Report &report) {
  return {{"layers.csv", layersCsv(report)},
          {"resources.csv", resourcesCsv(result, path)},
          {"memories.csv", memoriesCsv(result)},
          {"tasks.csv", tasksCsv(program, machine, result, path)}};
}

//===----------------------------------------------------------------------===//
// DOT
//===----------------------------------------------------------------------===//

static std::string dotText(const std::string &text) {
  return absl::StrReplaceAll(asciiText(text), {{"\\", "\\\\"}, {"\"", "\\\""}});
}

/// White for idle, red for always busy (HSV).
static std::string colour(double share) {
  return absl::StrFormat("0.000 %.3f 1.000", std::clamp(share, 0.0, 1.0));
}

namespace {

class MachineDot {
public:
  MachineDot(const MachineModel &machine, const SimulationResult &result)
      : machine(machine), result(result) {
    for (const ResourceUse &use : result.resources)
      uses[{use.kind, use.index}] = &use;
  }

  std::string run() const {
    std::string text = absl::StrCat(
        "digraph \"", dotText(machine.name()), "\" {\n  label=\"",
        dotText(machine.name()), ", ", durationText(result.latencyPs),
        "\";\n  node [style=filled, fillcolor=white];\n");
    for (int32_t i = 0; i < machine.numNodes(); ++i)
      absl::StrAppend(&text, node(i));
    for (int32_t i = 0; i < machine.numMemories(); ++i)
      absl::StrAppend(&text, memory(i));
    for (int32_t i = 0; i < machine.numLinks(); ++i)
      absl::StrAppend(&text, link(i));
    return text + "}\n";
  }

private:
  const MachineModel &machine;
  const SimulationResult &result;
  std::map<std::pair<ResourceKind, int32_t>, const ResourceUse *> uses;

  int64_t busyPs(ResourceKind kind, int32_t index) const {
    auto it = uses.find({kind, index});
    return it == uses.end() ? 0 : it->second->busyPs;
  }

  double share(int64_t busyPs) const {
    return result.latencyPs == 0 ? 0.0
                                 : static_cast<double>(busyPs) /
                                       static_cast<double>(result.latencyPs);
  }

  std::string percent(int64_t busyPs) const {
    return shareText(busyPs, result.latencyPs);
  }

  std::string node(int32_t i) const {
    std::string label = dotText(machine.node(i).name);
    int64_t busy = 0;
    if (machine.node(i).isChiplet()) {
      busy = busyPs(ResourceKind::Compute, i);
      absl::StrAppend(&label, "\\narrays ", percent(busy));
      for (const MemoryUse &use : result.memories)
        if (use.place == Place{Place::Kind::Sram, i})
          absl::StrAppend(&label, "\\nSRAM ",
                          shareText(use.livePeakBytes, use.capacityBytes),
                          " at peak");
    } else {
      for (auto [kind, name] : {std::pair(ResourceKind::Multicast, "copies "),
                                std::pair(ResourceKind::Reduce, "sums ")}) {
        int64_t part = busyPs(kind, i);
        busy = std::max(busy, part);
        if (uses.count({kind, i}))
          absl::StrAppend(&label, "\\n", name, percent(part));
      }
    }
    return absl::StrCat(
        "  n", i, " [shape=", machine.node(i).isChiplet() ? "box" : "ellipse",
        ", label=\"", label, "\", fillcolor=\"", colour(share(busy)), "\"];\n");
  }

  std::string memory(int32_t i) const {
    int64_t busy = busyPs(ResourceKind::Dram, i);
    return absl::StrCat("  m", i, " [shape=cylinder, label=\"",
                        dotText(machine.memory(i).name), "\\n", percent(busy),
                        "\", fillcolor=\"", colour(share(busy)), "\"];\n  n",
                        machine.memory(i).node, " -> m", i,
                        " [dir=none, style=dashed];\n");
  }

  std::string link(int32_t i) const {
    int64_t busy = busyPs(ResourceKind::Link, i);
    double width = 1 + 4 * share(busy);
    return absl::StrCat("  n", machine.link(i).source, " -> n",
                        machine.link(i).target, " [label=\"", percent(busy),
                        "\", penwidth=", absl::StrFormat("%.2f", width),
                        "];\n");
  }
};

} // namespace

std::string mozart::printMachineDot(const MachineModel &machine,
                                    const SimulationResult &result) {
  return MachineDot(machine, result).run();
}

absl::StatusOr<std::string> mozart::printTaskDot(const Program &program,
                                                 const MachineModel &machine,
                                                 const SimulationResult &result,
                                                 const CriticalPath &path) {
  constexpr size_t kMostTasks = 1000;
  if (program.tasks.size() > kMostTasks)
    return absl::InvalidArgumentError(absl::StrCat(
        "program '", program.name, "': has ", program.tasks.size(),
        " tasks, more than the ", kMostTasks,
        " that a graph is drawn of; look at it as a timeline instead"));
  std::set<int32_t> critical;
  std::set<std::pair<int32_t, int32_t>> steps;
  for (const PathTask &task : path.tasks) {
    critical.insert(task.task);
    steps.insert({task.after, task.task});
  }
  std::string text = absl::StrCat("digraph \"", dotText(program.name),
                                  "\" {\n  rankdir=LR;\n  node [shape=box];\n");
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    const TaskTime &time = result.tasks[i];
    absl::StrAppend(
        &text, "  t", i, " [label=\"", dotText(task.name), "\\n",
        dotText(machine.node(task.node).name), ", ",
        durationText(time.endPs - time.startPs), "\"",
        critical.count(static_cast<int32_t>(i)) ? ", color=red" : "", "];\n");
  }
  for (size_t i = 0; i < program.tasks.size(); ++i)
    for (int32_t wait : program.tasks[i].waits)
      absl::StrAppend(
          &text, "  t", wait, " -> t", i,
          steps.count({wait, static_cast<int32_t>(i)}) ? " [color=red]" : "",
          ";\n");
  return text + "}\n";
}
