//===- EventEngine.cpp - A program in time --------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "ResourceTable.h"
#include "TransferNetwork.h"

#include "mozart/Cost/KernelCost.h"
#include "mozart/Sim/BufferLives.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <queue>

using namespace mozart;

namespace {

/// The end of a kernel; at one time, by ascending task.
struct KernelEnd {
  int64_t timePs;
  int32_t task;

  bool operator>(const KernelEnd &other) const {
    return timePs != other.timePs ? timePs > other.timePs : task > other.task;
  }
};

class Simulation {
public:
  Simulation(const Program &program, const MachineModel &machine,
             RoutingCounter &counter, const SimulationOptions &options)
      : program(program), machine(machine), counter(counter),
        resources(machine),
        context{program, machine, counter, resources, options} {}

  absl::StatusOr<SimulationResult> run() {
    if (context.options.recordLimits &&
        context.options.network == Network::Flow) {
      result.limits.resize(program.tasks.size());
      context.limits = &result.limits;
    }
    absl::StatusOr<std::unique_ptr<TransferNetwork>> made =
        makeTransferNetwork(context);
    if (!made.ok())
      return made.status();
    network = *std::move(made);
    result.tasks.resize(program.tasks.size());
    prepare();
    while (error.ok() && (!ready.empty() || nextPs() != kNever))
      tick();
    if (!error.ok())
      return error;
    if (ended != program.tasks.size())
      return blocked();
    absl::StatusOr<std::vector<ResourceUse>> uses = resources.uses();
    if (!uses.ok())
      return uses.status();
    result.resources = *std::move(uses);
    result.events += network->events();
    return std::move(result);
  }

private:
  static constexpr int64_t kNever = TransferNetwork::kNever;

  struct Queue {
    std::vector<int32_t> tasks;
    size_t head = 0;
  };

  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  ResourceTable resources;
  NetworkContext context;
  std::unique_ptr<TransferNetwork> network;
  SimulationResult result;
  absl::Status error;

  int64_t nowPs = 0;
  size_t started = 0, ended = 0;
  std::priority_queue<KernelEnd, std::vector<KernelEnd>,
                      std::greater<KernelEnd>>
      kernels;
  /// For each task: waits, engines and a stage that still keep it.
  std::vector<int32_t> pending;
  /// Tasks that wait for task i: followers[followerBegin[i] ..).
  std::vector<int32_t> followerBegin, followers;
  std::map<Engine, int32_t> queueOf;
  std::vector<Queue> queues;
  /// Queues of task i: taskQueues[taskQueueBegin[i] ..), as its engines.
  std::vector<int32_t> taskQueueBegin, taskQueues;
  /// Tasks of each stage, ascending, and how many have not ended.
  std::map<int64_t, std::vector<int32_t>> stages;
  size_t leftInStage = 0;
  std::vector<int32_t> ready;
  std::vector<int32_t> arrived; // scratch

  //===--- Which task may start ---===//

  void prepare() {
    const size_t count = program.tasks.size();
    pending.assign(count, 0);
    followerBegin.assign(count + 1, 0);
    for (const Task &task : program.tasks)
      for (int32_t wait : task.waits)
        ++followerBegin[wait + 1];
    for (size_t i = 0; i < count; ++i)
      followerBegin[i + 1] += followerBegin[i];
    followers.resize(followerBegin[count]);
    std::vector<int32_t> next(followerBegin.begin(), followerBegin.end() - 1);
    taskQueueBegin.push_back(0);
    for (size_t i = 0; i < count; ++i) {
      const Task &task = program.tasks[i];
      int32_t index = static_cast<int32_t>(i);
      for (int32_t wait : task.waits)
        followers[next[wait]++] = index;
      for (const Engine &engine : task.engines) {
        auto [it, fresh] =
            queueOf.try_emplace(engine, static_cast<int32_t>(queues.size()));
        if (fresh)
          queues.emplace_back();
        queues[it->second].tasks.push_back(index);
        taskQueues.push_back(it->second);
      }
      taskQueueBegin.push_back(static_cast<int32_t>(taskQueues.size()));
      if (task.stage >= 0)
        stages[task.stage].push_back(index);
      pending[i] =
          static_cast<int32_t>(task.waits.size() + task.engines.size()) +
          (task.stage >= 0 ? 1 : 0);
      if (pending[i] == 0)
        ready.push_back(index);
    }
    for (const Queue &queue : queues)
      release(queue.tasks.front());
    openStage();
  }

  /// One thing less keeps a task.
  void release(int32_t task) {
    if (--pending[task] == 0)
      ready.push_back(task);
  }

  /// Opens the lowest stage.
  void openStage() {
    if (stages.empty())
      return;
    const std::vector<int32_t> &tasks = stages.begin()->second;
    leftInStage = tasks.size();
    for (int32_t task : tasks)
      release(task);
  }

  void end(int32_t index) {
    const Task &task = program.tasks[index];
    result.tasks[index].endPs = nowPs;
    // Not the last event's: a network may look at times after the last end.
    result.latencyPs = nowPs;
    ++ended;
    int64_t busyPs = nowPs - result.tasks[index].startPs;
    for (const Engine &engine : task.engines)
      resources.count(engine, busyPs);
    for (int32_t i = followerBegin[index]; i < followerBegin[index + 1]; ++i)
      release(followers[i]);
    for (int32_t i = taskQueueBegin[index]; i < taskQueueBegin[index + 1];
         ++i) {
      Queue &queue = queues[taskQueues[i]];
      if (++queue.head < queue.tasks.size())
        release(queue.tasks[queue.head]);
    }
    if (task.stage >= 0 && --leftInStage == 0) {
      stages.erase(stages.begin());
      openStage();
    }
  }

  //===--- What happens ---===//

  int64_t kernelPs() const {
    return kernels.empty() ? kNever : kernels.top().timePs;
  }
  int64_t nextPs() const { return std::min(kernelPs(), network->nextPs()); }

  /// Everything that happens at the next time at which a task starts or ends,
  /// or sooner.
  void tick() {
    if (ready.empty())
      happen();
    while (error.ok() && (!ready.empty() || nextPs() == nowPs)) {
      // Starting a task makes no other ready.
      std::sort(ready.begin(), ready.end());
      for (size_t i = 0; error.ok() && i < ready.size(); ++i)
        start(ready[i]);
      ready.clear();
      if (error.ok() && nextPs() == nowPs)
        happen();
    }
    if (error.ok())
      error = network->settle(nowPs, result.loads);
  }

  /// What comes next: what the network has, or else one kernel that ends.
  void happen() {
    if (network->nextPs() > kernelPs()) {
      nowPs = kernelPs();
      ++result.events;
      int32_t task = kernels.top().task;
      kernels.pop();
      return end(task);
    }
    arrived.clear();
    absl::StatusOr<int64_t> reached = network->advance(kernelPs(), arrived);
    if (!reached.ok()) {
      error = reached.status();
      return;
    }
    nowPs = *reached;
    for (int32_t task : arrived)
      end(task);
  }

  void start(int32_t index) {
    result.tasks[index].startPs = nowPs;
    ++started;
    if (program.tasks[index].kind != TaskKind::Compute) {
      error = network->start(nowPs, index);
      return;
    }
    absl::StatusOr<int64_t> ps = taskPs(program, index, machine, counter);
    int64_t endPs = 0;
    if (!ps.ok())
      error = ps.status();
    else if (__builtin_add_overflow(nowPs, *ps, &endPs) || endPs == kNever)
      error = timeOverflow(program);
    else
      kernels.push({endPs, index});
  }

  /// Nothing happens any more, and tasks are left: a transfer that has started
  /// stands still, or (`verifyProgram` excludes it) the order has a cycle.
  absl::Status blocked() const {
    std::string where =
        absl::StrCat("program '", program.name,
                     "': nothing can happen any more after ", nowPs, " ps");
    if (started > ended)
      return absl::InternalError(
          absl::StrCat(where, ": ", network->explainStandstill()));
    size_t first = 0;
    while (pending[first] == 0)
      ++first;
    return absl::InternalError(absl::StrCat(
        where, ", but task ", first, " ('", program.tasks[first].name,
        "') still waits for ", pending[first],
        " tasks, engines or stages; its order has a cycle"));
  }
};

} // namespace

void mozart::addLivePeaks(SimulationResult &result, const Program &program,
                          const MachineModel &machine) {
  std::vector<std::vector<OccupancyStep>> steps =
      occupancy(program, machine, result.tasks, result.latencyPs);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const OccupancyStep &step : steps[i])
      if (step.bytes > result.memories[i].livePeakBytes) {
        result.memories[i].livePeakBytes = step.bytes;
        result.memories[i].livePeakPs = step.timePs;
      }
}

absl::StatusOr<SimulationResult>
mozart::simulate(const Program &program, const MachineModel &machine,
                 RoutingCounter &counter, const SimulationOptions &options) {
  std::vector<MemoryUse> memories = memoryUse(program, machine);
  std::vector<std::string> warnings;
  if (absl::Status status = checkMemories(memories, program, machine, warnings);
      !status.ok())
    return status;
  absl::StatusOr<SimulationResult> result =
      Simulation(program, machine, counter, options).run();
  if (!result.ok())
    return result;
  result->memories = std::move(memories);
  result->warnings = std::move(warnings);
  addLivePeaks(*result, program, machine);
  return result;
}

absl::StatusOr<SimulationResult>
mozart::simulate(const Program &program, const MachineModel &machine,
                 const BoundRouting *routing,
                 const SimulationOptions &options) {
  if (absl::Status status = verifyProgram(program, machine); !status.ok())
    return status;
  RoutingCounter counter(program, routing);
  if (absl::Status status = counter.check(); !status.ok())
    return status;
  return simulate(program, machine, counter, options);
}
