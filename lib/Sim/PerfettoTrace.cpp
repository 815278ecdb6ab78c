//===- PerfettoTrace.cpp - A simulation as a timeline ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/PerfettoTrace.h"

#include "AsciiText.h"

#include "mozart/Sim/BufferLives.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

using namespace mozart;

static std::string quoted(const std::string &text) {
  return nlohmann::json(asciiText(text)).dump();
}

/// Picoseconds as microseconds, exact.
static std::string microseconds(int64_t ps) {
  std::string text = absl::StrCat(ps / 1000000);
  if (int64_t fraction = ps % 1000000; fraction != 0) {
    std::string digits = absl::StrCat(1000000 + fraction); // a 1, then six
    digits.erase(digits.find_last_not_of('0') + 1);
    absl::StrAppend(&text, ".", digits.substr(1));
  }
  return text;
}

namespace {

class Writer {
public:
  Writer(const Program &program, const MachineModel &machine,
         const SimulationResult &result)
      : program(program), machine(machine), result(result) {}

  std::string run() {
    nameProcesses();
    for (size_t i = 0; i < program.tasks.size(); ++i)
      slices(i);
    for (size_t i = 0; i < program.tasks.size(); ++i)
      for (int32_t wait : program.tasks[i].waits)
        arrow(wait, i);
    for (size_t i = 0; i < program.tasks.size(); ++i)
      exchangeArrows(i);
    sramCounters();
    loadCounters();
    return absl::StrCat("{\"traceEvents\":[\n", events,
                        "\n],\"displayTimeUnit\":\"ns\"}\n");
  }

private:
  struct Track {
    int64_t pid, tid;
  };

  const Program &program;
  const MachineModel &machine;
  const SimulationResult &result;
  std::string events;
  int64_t nextArrow = 1;

  void emit(const std::string &event) {
    absl::StrAppend(&events, events.empty() ? "" : ",\n", "{", event, "}");
  }

  /// Thread 0 of a chiplet holds tasks that occupy no engine.
  Track trackOf(const Engine &engine) const {
    if (engine.kind == EngineKind::Channel)
      return {machine.numNodes() + engine.index, 1};
    return {engine.index, 1 + static_cast<int64_t>(engine.kind)};
  }

  Track firstTrack(const Task &task) const {
    return task.engines.empty() ? Track{task.node, 0}
                                : trackOf(task.engines.front());
  }

  int64_t networkPid() const {
    return machine.numNodes() + machine.numMemories();
  }

  void nameProcess(int64_t pid, const std::string &name) {
    emit(absl::StrCat("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":", pid,
                      ",\"args\":{\"name\":", quoted(name), "}"));
    emit(absl::StrCat("\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":",
                      pid, ",\"args\":{\"sort_index\":", pid, "}"));
  }

  void nameProcesses() {
    for (int32_t i = 0; i < machine.numNodes(); ++i)
      if (machine.node(i).isChiplet())
        nameProcess(i, machine.node(i).name);
    for (int32_t i = 0; i < machine.numMemories(); ++i)
      nameProcess(machine.numNodes() + i, machine.memory(i).name);
    if (!result.loads.empty())
      nameProcess(networkPid(), "network");
    std::set<Engine> engines;
    std::set<int32_t> withoutEngine;
    for (const Task &task : program.tasks) {
      engines.insert(task.engines.begin(), task.engines.end());
      if (task.engines.empty())
        withoutEngine.insert(task.node);
    }
    for (const Engine &engine : engines)
      nameThread(trackOf(engine), engineKindName(engine.kind));
    for (int32_t node : withoutEngine)
      nameThread({node, 0}, "no engine");
  }

  void nameThread(Track track, const char *name) {
    emit(absl::StrCat(
        "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":", track.pid,
        ",\"tid\":", track.tid, ",\"args\":{\"name\":\"", name, "\"}"));
  }

  void slices(size_t index) {
    const Task &task = program.tasks[index];
    if (task.engines.empty())
      return slice(index, firstTrack(task));
    for (const Engine &engine : task.engines)
      slice(index, trackOf(engine));
  }

  void slice(size_t index, Track track) {
    const Task &task = program.tasks[index];
    const TaskTime &time = result.tasks[index];
    emit(absl::StrCat("\"ph\":\"X\",\"name\":", quoted(task.name),
                      ",\"cat\":\"", taskKindName(task.kind),
                      "\",\"pid\":", track.pid, ",\"tid\":", track.tid,
                      ",\"ts\":", microseconds(time.startPs),
                      ",\"dur\":", microseconds(time.endPs - time.startPs),
                      ",\"args\":{\"task\":", index, "}"));
  }

  void arrow(size_t from, size_t to) {
    const Task &first = program.tasks[from], &second = program.tasks[to];
    if (first.kind == TaskKind::Compute && second.kind == TaskKind::Compute)
      return;
    int64_t id = nextArrow++;
    arrowEnd("\"ph\":\"s\"", "waits", id, firstTrack(first),
             result.tasks[from].startPs);
    arrowEnd("\"ph\":\"f\",\"bp\":\"e\"", "waits", id, firstTrack(second),
             result.tasks[to].startPs);
  }

  /// From each sending port of an exchange to each receiving one.
  void exchangeArrows(size_t index) {
    const Task &task = program.tasks[index];
    const int64_t startPs = result.tasks[index].startPs;
    for (const Engine &from : task.engines)
      for (const Engine &to : task.engines) {
        if (from.kind != EngineKind::Send || to.kind != EngineKind::Receive)
          continue;
        int64_t id = nextArrow++;
        arrowEnd("\"ph\":\"s\"", "sends", id, trackOf(from), startPs);
        arrowEnd("\"ph\":\"f\",\"bp\":\"e\"", "sends", id, trackOf(to),
                 startPs);
      }
  }

  /// An end of an arrow holds on to the slice that encloses its time.
  void arrowEnd(const char *phase, const char *name, int64_t id, Track track,
                int64_t ps) {
    emit(absl::StrCat(phase, ",\"name\":\"", name,
                      "\",\"cat\":\"transfer\",\"id\":", id,
                      ",\"pid\":", track.pid, ",\"tid\":", track.tid,
                      ",\"ts\":", microseconds(ps)));
  }

  void counter(int64_t pid, const std::string &name, const char *unit,
               int64_t ps, int64_t value) {
    emit(absl::StrCat("\"ph\":\"C\",\"name\":", quoted(name), ",\"pid\":", pid,
                      ",\"ts\":", microseconds(ps), ",\"args\":{\"", unit,
                      "\":", value, "}"));
  }

  void sramCounters() {
    std::vector<std::vector<OccupancyStep>> steps =
        occupancy(program, machine, result.tasks, result.latencyPs);
    for (size_t i = 0; i < steps.size(); ++i) {
      Place place = result.memories[i].place;
      if (place.kind == Place::Kind::Sram)
        for (const OccupancyStep &step : steps[i])
          counter(place.index, "SRAM in use", "bytes", step.timePs, step.bytes);
    }
  }

  void loadCounters() {
    for (const LoadSample &sample : result.loads)
      counter(networkPid(), result.resources[sample.resource].name,
              "bytes_per_second", sample.timePs, sample.bytesPerSecond);
  }
};

} // namespace

std::string mozart::printPerfettoTrace(const Program &program,
                                       const MachineModel &machine,
                                       const SimulationResult &result) {
  return Writer(program, machine, result).run();
}
