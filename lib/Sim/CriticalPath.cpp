//===- CriticalPath.cpp - Why a program takes as long as it does ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/CriticalPath.h"

#include "Transfers.h"

#include "mozart/Cost/KernelCost.h"
#include "mozart/Sim/WhatIf.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

using namespace mozart;

const char *mozart::holdName(Hold hold) {
  switch (hold) {
  case Hold::Start:
    return "start";
  case Hold::Wait:
    return "wait";
  case Hold::Engine:
    return "engine";
  case Hold::Stage:
    return "stage";
  }
  return "unknown";
}

namespace {

/// What each task stands behind besides its waits.
class Queues {
public:
  explicit Queues(const Program &program) : program(program) {
    std::map<Engine, int32_t> lastOn;
    behind.resize(program.tasks.size());
    for (size_t i = 0; i < program.tasks.size(); ++i) {
      const Task &task = program.tasks[i];
      for (const Engine &engine : task.engines) {
        auto [it, first] = lastOn.try_emplace(engine, -1);
        behind[i].push_back(it->second);
        it->second = static_cast<int32_t>(i);
      }
      if (task.stage >= 0)
        stages[task.stage].push_back(static_cast<int32_t>(i));
    }
  }

  /// The task whose end let `index` start; one of them.
  PathTask find(int32_t index, const std::vector<TaskTime> &times) const {
    const Task &task = program.tasks[index];
    const int64_t startPs = times[index].startPs;
    PathTask entry;
    entry.task = index;
    auto take = [&](Hold hold, int32_t after) {
      if (after < 0 || times[after].endPs != startPs ||
          (entry.hold == hold && entry.after <= after) ||
          (entry.hold != Hold::Start && entry.hold != hold))
        return false;
      entry.hold = hold;
      entry.after = after;
      return true;
    };
    for (int32_t wait : task.waits)
      take(Hold::Wait, wait);
    for (size_t i = 0; i < task.engines.size(); ++i)
      if (take(Hold::Engine, behind[index][i]))
        entry.engine = task.engines[i];
    auto stage = stages.find(task.stage);
    if (entry.hold == Hold::Start && stage != stages.end() &&
        stage != stages.begin())
      for (int32_t earlier : std::prev(stage)->second)
        take(Hold::Stage, earlier);
    return entry;
  }

private:
  const Program &program;
  /// For each engine of a task, the task before it; -1: none.
  std::vector<std::vector<int32_t>> behind;
  std::map<int64_t, std::vector<int32_t>> stages;
};

/// Divides the time of tasks among causes.
class Divider {
public:
  Divider(const Program &program, const MachineModel &machine,
          RoutingCounter &counter, const SimulationResult &result)
      : program(program), machine(machine), counter(counter), result(result),
        table(machine), planner(program, machine, table, counter) {}

  /// Machines on which to ask what would shorten a kernel.
  absl::Status prepare() {
    for (auto [kind, model] : {std::pair("compute", &fasterArrays),
                               std::pair("sram", &fasterSram)}) {
      absl::StatusOr<MachineFacts> facts = twiceAsFast(machine.facts(), kind);
      if (!facts.ok())
        return facts.status();
      absl::StatusOr<MachineModel> made =
          MachineModel::create(*std::move(facts));
      if (!made.ok())
        return made.status();
      *model = *std::move(made);
    }
    return absl::OkStatus();
  }

  absl::Status divide(PathTask &entry) {
    const TaskTime &time = result.tasks[entry.task];
    if (program.tasks[entry.task].kind == TaskKind::Compute)
      return kernel(entry, time.endPs - time.startPs);
    if (!result.limits.empty()) {
      const TransferLimits &limits = result.limits[entry.task];
      delay(entry, limits.delayPs);
      for (const ResourceTime &limit : limits.resources)
        resource(entry, limit.resource, limit.ps);
      return absl::OkStatus();
    }
    return transfer(entry, time.endPs - time.startPs);
  }

private:
  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  const SimulationResult &result;
  ResourceTable table;
  TransferPlanner planner;
  std::optional<MachineModel> fasterArrays, fasterSram;
  std::vector<Message> messages; // scratch

  static void delay(PathTask &entry, int64_t ps) {
    if (ps > 0)
      entry.causes.push_back({"delays", "delay", ps});
  }

  void resource(PathTask &entry, int32_t index, int64_t ps) {
    const ResourceUse &use = result.resources[index];
    if (ps > 0)
      entry.causes.push_back({use.name, resourceKindName(use.kind), ps});
  }

  absl::Status kernel(PathTask &entry, int64_t durationPs) {
    int32_t node = program.tasks[entry.task].node;
    int64_t startPs =
        std::min(durationPs, machine.node(node).compute.kernelStartPs);
    delay(entry, startPs);
    if (durationPs == startPs)
      return absl::OkStatus();
    absl::StatusOr<int64_t> arrays =
        taskPs(program, entry.task, *fasterArrays, counter);
    absl::StatusOr<int64_t> sram =
        taskPs(program, entry.task, *fasterSram, counter);
    if (!arrays.ok())
      return arrays.status();
    if (!sram.ok())
      return sram.status();
    const char *kind = *arrays <= *sram ? "compute" : "sram";
    entry.causes.push_back({absl::StrCat(machine.node(node).name, ".", kind),
                            kind, durationPs - startPs});
    return absl::OkStatus();
  }

  /// For networks that do not say what held a transfer back.
  absl::Status transfer(PathTask &entry, int64_t durationPs) {
    if (absl::Status status = planner.plan(entry.task, messages); !status.ok())
      return status;
    const std::vector<int64_t> rates = table.rates();
    std::map<int32_t, double> seconds;
    int64_t delayPs = 0;
    for (const Message &message : messages) {
      __int128 ofMessage = 0;
      for (const Leg &leg : message.legs) {
        ofMessage += leg.delayPs;
        for (const FlowUse &use : leg.uses)
          seconds[use.resource] += static_cast<double>(use.bytes) *
                                   static_cast<double>(use.weightNumerator) /
                                   static_cast<double>(use.weightDenominator) /
                                   static_cast<double>(rates[use.resource]);
      }
      delayPs = std::max(delayPs, static_cast<int64_t>(std::min<__int128>(
                                      ofMessage, durationPs)));
    }
    auto longest = std::max_element(
        seconds.begin(), seconds.end(),
        [](const auto &a, const auto &b) { return a.second < b.second; });
    if (longest == seconds.end() || longest->second == 0)
      delayPs = durationPs;
    delay(entry, delayPs);
    if (delayPs < durationPs)
      resource(entry, longest->first, durationPs - delayPs);
    return absl::OkStatus();
  }
};

} // namespace

/// Sums of the causes of a path by a key, largest first, then by key.
template <typename Key>
static std::vector<Cause> sumUp(const CriticalPath &path, Key keyOf) {
  std::map<std::pair<std::string, std::string>, int64_t> sums;
  for (const PathTask &task : path.tasks)
    for (const Cause &cause : task.causes)
      sums[{cause.kind, keyOf(cause)}] += cause.ps;
  std::vector<Cause> result;
  for (const auto &[key, ps] : sums)
    result.push_back({key.second, key.first, ps});
  std::sort(result.begin(), result.end(), [](const Cause &a, const Cause &b) {
    return std::tie(b.ps, a.kind, a.name) < std::tie(a.ps, b.kind, b.name);
  });
  return result;
}

absl::StatusOr<CriticalPath>
mozart::criticalPath(const Program &program, const MachineModel &machine,
                     RoutingCounter &counter, const SimulationResult &result) {
  CriticalPath path;
  int32_t task = -1;
  for (size_t i = 0; i < result.tasks.size() && task < 0; ++i)
    if (result.tasks[i].endPs == result.latencyPs)
      task = static_cast<int32_t>(i);
  Queues queues(program);
  Divider divider(program, machine, counter, result);
  if (absl::Status status = divider.prepare(); !status.ok())
    return status;
  while (task >= 0) {
    path.tasks.push_back(queues.find(task, result.tasks));
    PathTask &entry = path.tasks.back();
    if (entry.hold == Hold::Start && result.tasks[task].startPs != 0)
      return absl::InternalError(
          absl::StrCat("program '", program.name, "', task ", task, " ('",
                       program.tasks[task].name, "'): started at ",
                       result.tasks[task].startPs,
                       " ps, when nothing ended that it waits "
                       "for"));
    if (absl::Status status = divider.divide(entry); !status.ok())
      return status;
    task = entry.after;
  }
  std::reverse(path.tasks.begin(), path.tasks.end());
  path.byResource = sumUp(path, [](const Cause &cause) { return cause.name; });
  path.byKind = sumUp(path, [](const Cause &) { return std::string("all"); });
  return path;
}
