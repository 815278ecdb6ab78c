//===- EventEngine.cpp - A program in time --------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "FlowNetwork.h"
#include "ResourceTable.h"
#include "Transfers.h"

#include "mozart/Cost/KernelCost.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

using namespace mozart;

const char *mozart::networkName(Network network) {
  switch (network) {
  case Network::Flow:
    return "flow";
  }
  return "unknown";
}

namespace {

/// What happens at a time. At one time, flows end first, then heads arrive,
/// then kernels end; among equals, by number.
struct Event {
  enum class Kind { FlowEnd, HeadArrives, KernelEnds };
  int64_t timePs;
  Kind kind;
  int32_t index; ///< flow, message in flight, or task
  uint32_t version;

  bool operator>(const Event &other) const {
    if (timePs != other.timePs)
      return timePs > other.timePs;
    if (kind != other.kind)
      return kind > other.kind;
    if (index != other.index)
      return index > other.index;
    return version > other.version;
  }
};

class Simulation {
public:
  Simulation(const Program &program, const MachineModel &machine,
             RoutingCounter &counter, const SimulationOptions &options)
      : program(program), machine(machine), counter(counter), options(options),
        resources(machine), network(resources.rates()),
        planner(program, machine, resources, counter) {}

  absl::StatusOr<SimulationResult> run() {
    result.tasks.resize(program.tasks.size());
    prepare();
    while (error.ok() && (!ready.empty() || !events.empty()))
      tick();
    if (!error.ok())
      return error;
    if (ended != program.tasks.size())
      return blocked();
    absl::StatusOr<std::vector<ResourceUse>> uses = resources.uses();
    if (!uses.ok())
      return uses.status();
    result.resources = *std::move(uses);
    return std::move(result);
  }

private:
  /// A message in flight: its next leg is `leg`.
  struct InFlight {
    Message message;
    size_t leg = 0;
    int32_t task = -1;
  };
  struct Queue {
    std::vector<int32_t> tasks;
    size_t head = 0;
  };

  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  const SimulationOptions &options;
  ResourceTable resources;
  FlowNetwork network;
  TransferPlanner planner;
  SimulationResult result;
  absl::Status error;

  int64_t nowPs = 0;
  size_t ended = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events;
  /// For each task: waits, engines and a stage that still keep it.
  std::vector<int32_t> pending;
  /// Messages that a running task still has in flight.
  std::vector<int32_t> outstanding;
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
  std::vector<InFlight> inFlight;
  std::vector<int32_t> freeInFlight;
  std::vector<Message> planned;        // scratch
  std::vector<FlowForecast> forecasts; // scratch

  //===--- Which task may start ---===//

  void prepare() {
    const size_t count = program.tasks.size();
    pending.assign(count, 0);
    outstanding.assign(count, 0);
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
    // Not the last event's: outdated forecasts may come after the last end.
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

  /// Everything that happens at the next time at which something does.
  void tick() {
    if (ready.empty())
      nowPs = events.top().timePs;
    while (error.ok() && (!ready.empty() ||
                          (!events.empty() && events.top().timePs == nowPs))) {
      while (error.ok() && !ready.empty()) {
        int32_t task = ready.back();
        ready.pop_back();
        start(task);
      }
      if (!error.ok() || events.empty() || events.top().timePs != nowPs)
        continue;
      Event event = events.top();
      events.pop();
      happen(event);
    }
    if (!error.ok())
      return;
    forecasts.clear();
    if (!network.update(nowPs, forecasts))
      return tooLate();
    for (const FlowForecast &forecast : forecasts)
      events.push({forecast.endPs, Event::Kind::FlowEnd, forecast.flow,
                   forecast.version});
    if (options.recordLoads)
      for (int32_t resource : network.updatedResources())
        result.loads.push_back(
            {nowPs, resource, network.bytesPerSecond(resource)});
  }

  void happen(const Event &event) {
    switch (event.kind) {
    case Event::Kind::FlowEnd: {
      if (!network.isNewest(event.index, event.version))
        return;
      ++result.events;
      int32_t message = network.owner(event.index);
      network.finish(event.index);
      return endLeg(message);
    }
    case Event::Kind::HeadArrives:
      ++result.events;
      return flow(event.index);
    case Event::Kind::KernelEnds:
      ++result.events;
      return end(event.index);
    }
  }

  void tooLate() {
    error = absl::OutOfRangeError(
        absl::StrCat("program '", program.name,
                     "': its time does not fit in 63 bits of picoseconds"));
  }

  void schedule(int64_t delayPs, Event::Kind kind, int32_t index) {
    int64_t timePs = 0;
    if (__builtin_add_overflow(nowPs, delayPs, &timePs))
      return tooLate();
    events.push({timePs, kind, index, 0});
  }

  void start(int32_t index) {
    result.tasks[index].startPs = nowPs;
    const Task &task = program.tasks[index];
    if (task.kind == TaskKind::Compute) {
      absl::StatusOr<int64_t> ps = taskPs(program, index, machine, counter);
      if (!ps.ok()) {
        error = ps.status();
        return;
      }
      return schedule(*ps, Event::Kind::KernelEnds, index);
    }
    error = planner.plan(index, planned);
    if (!error.ok())
      return;
    outstanding[index] = static_cast<int32_t>(planned.size());
    if (planned.empty())
      return schedule(0, Event::Kind::KernelEnds, index);
    for (Message &message : planned) {
      int32_t slot;
      if (freeInFlight.empty()) {
        slot = static_cast<int32_t>(inFlight.size());
        inFlight.emplace_back();
      } else {
        slot = freeInFlight.back();
        freeInFlight.pop_back();
      }
      inFlight[slot].message = std::move(message);
      inFlight[slot].leg = 0;
      inFlight[slot].task = index;
      startLeg(slot);
    }
  }

  void startLeg(int32_t slot) {
    const InFlight &flight = inFlight[slot];
    schedule(flight.message.legs[flight.leg].delayPs, Event::Kind::HeadArrives,
             slot);
  }

  void flow(int32_t slot) {
    const InFlight &flight = inFlight[slot];
    const Leg &leg = flight.message.legs[flight.leg];
    if (leg.isEmpty())
      return endLeg(slot);
    network.start(nowPs, leg.uses, slot);
  }

  void endLeg(int32_t slot) {
    InFlight &flight = inFlight[slot];
    resources.count(flight.message.legs[flight.leg].uses);
    if (++flight.leg < flight.message.legs.size())
      return startLeg(slot);
    int32_t task = flight.task;
    freeInFlight.push_back(slot);
    if (--outstanding[task] == 0)
      end(task);
  }

  /// Nothing happens any more, and tasks are left. `verifyProgram` excludes it.
  absl::Status blocked() const {
    for (size_t i = 0; i < program.tasks.size(); ++i)
      if (pending[i] > 0)
        return absl::InternalError(absl::StrCat(
            "program '", program.name, "': nothing can happen any more after ",
            nowPs, " ps, but task ", i, " ('", program.tasks[i].name,
            "') still waits for ", pending[i],
            " tasks, engines or stages; its order has a cycle"));
    return absl::InternalError(absl::StrCat("program '", program.name,
                                            "': a started task never ended"));
  }
};

} // namespace

/// Checks sizes; what is over but elastic becomes a warning.
static absl::Status checkMemories(const std::vector<MemoryUse> &memories,
                                  const MachineModel &machine,
                                  std::vector<std::string> &warnings) {
  for (const MemoryUse &use : memories) {
    if (use.endBytes <= use.capacityBytes)
      continue;
    bool isSram = use.place.kind == Place::Kind::Sram;
    std::string message = absl::StrCat(
        isSram ? "the SRAM of chiplet '" : "memory '",
        isSram ? machine.node(use.place.index).name : use.name, "': needs ",
        use.endBytes, " bytes, has ", use.capacityBytes);
    if (isSram || !machine.memory(use.place.index).elastic)
      return absl::ResourceExhaustedError(absl::StrCat(
          message, "; schedule fewer bytes at a time, or choose a machine with "
                   "more"));
    warnings.push_back(absl::StrCat(message, " (it is declared elastic)"));
  }
  return absl::OkStatus();
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
  std::vector<MemoryUse> memories = memoryUse(program, machine);
  std::vector<std::string> warnings;
  if (absl::Status status = checkMemories(memories, machine, warnings);
      !status.ok())
    return status;
  absl::StatusOr<SimulationResult> result =
      Simulation(program, machine, counter, options).run();
  if (!result.ok())
    return result;
  result->memories = std::move(memories);
  result->warnings = std::move(warnings);
  return result;
}
