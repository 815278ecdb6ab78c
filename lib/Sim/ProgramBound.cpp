//===- ProgramBound.cpp - What one program cannot beat --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramBound.h"

#include "ResourceTable.h"
#include "Transfers.h"

#include "mozart/Cost/KernelCost.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mozart;

static constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
static constexpr int64_t kPsPerSecond = 1000000000000;

namespace {

/// Tasks and the ends of stages, as nodes of a graph of what must follow what.
class OrderGraph {
public:
  explicit OrderGraph(const Program &program) {
    const size_t tasks = program.tasks.size();
    std::map<int64_t, size_t> endOfStage;
    for (const Task &task : program.tasks)
      if (task.stage >= 0)
        endOfStage.try_emplace(task.stage, 0);
    size_t node = tasks;
    for (auto &[stage, end] : endOfStage)
      end = node++;
    after.resize(node);
    before.assign(node, 0);
    // A stage also ends after the one below it, whose end opens it.
    for (size_t end = tasks + 1; end < node; ++end)
      follow(end - 1, end);
    std::map<Engine, size_t> lastOn;
    for (size_t i = 0; i < tasks; ++i) {
      const Task &task = program.tasks[i];
      for (int32_t wait : task.waits)
        follow(wait, i);
      for (const Engine &engine : task.engines) {
        auto [it, first] = lastOn.try_emplace(engine, i);
        if (!first)
          follow(it->second, i);
        it->second = i;
      }
      if (task.stage < 0)
        continue;
      size_t end = endOfStage[task.stage];
      follow(i, end);
      if (end > tasks)
        follow(end - 1, i);
    }
  }

  /// Length of the longest chain of nodes that take `durations` (0 for the ends
  /// of stages).
  __int128 longestChain(const std::vector<int64_t> &durations) const {
    std::vector<int32_t> left = before;
    std::vector<__int128> start(after.size(), 0);
    std::vector<size_t> ready;
    for (size_t i = 0; i < after.size(); ++i)
      if (left[i] == 0)
        ready.push_back(i);
    __int128 longest = 0;
    while (!ready.empty()) {
      size_t node = ready.back();
      ready.pop_back();
      __int128 end =
          start[node] + (node < durations.size() ? durations[node] : 0);
      longest = std::max(longest, end);
      for (size_t next : after[node]) {
        start[next] = std::max(start[next], end);
        if (--left[next] == 0)
          ready.push_back(next);
      }
    }
    return longest;
  }

private:
  std::vector<std::vector<size_t>> after;
  std::vector<int32_t> before;

  void follow(size_t first, size_t second) {
    after[first].push_back(second);
    ++before[second];
  }
};

} // namespace

/// The time of a use at the full rate of its resource, rounded down.
static __int128 useTime(const FlowUse &use, const std::vector<int64_t> &rates) {
  __int128 byteTime = static_cast<__int128>(use.bytes) * kPsPerSecond;
  if (use.isWrite) // weightDenominator is the rate of writes
    return byteTime / use.weightDenominator;
  return byteTime / rates[use.resource];
}

/// How long messages take that start together on an idle machine, at least.
static __int128 aloneTime(const std::vector<Message> &messages,
                          const std::vector<int64_t> &rates) {
  __int128 longest = 0;
  absl::flat_hash_map<int32_t, __int128> onResource;
  for (const Message &message : messages) {
    __int128 time = 0;
    for (const Leg &leg : message.legs) {
      __int128 flow = 0;
      for (const FlowUse &use : leg.uses) {
        flow = std::max(flow, useTime(use, rates));
        onResource[use.resource] += useTime(use, rates);
      }
      time += std::max<__int128>(leg.emptyPs, leg.leastDelayPs + flow);
    }
    longest = std::max(longest, time);
  }
  for (const auto &[resource, time] : onResource)
    longest = std::max(longest, time); // a maximum: order does not matter
  return longest;
}

absl::StatusOr<int64_t> mozart::programBoundPs(const Program &program,
                                               const MachineModel &machine,
                                               const BoundRouting *routing) {
  if (absl::Status status = verifyProgram(program, machine); !status.ok())
    return status;
  RoutingCounter counter(program, routing);
  if (absl::Status status = counter.check(); !status.ok())
    return status;
  ResourceTable resources(machine);
  const std::vector<int64_t> rates = resources.rates();
  TransferPlanner planner(program, machine, resources, counter);

  auto tooLong = [&] {
    return absl::OutOfRangeError(
        absl::StrCat("program '", program.name,
                     "': a bound does not fit in 63 bits of picoseconds"));
  };
  std::vector<int64_t> durations(program.tasks.size());
  std::vector<__int128> arrays(machine.numNodes(), 0);
  std::vector<Message> messages;
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    int32_t index = static_cast<int32_t>(i);
    if (task.kind == TaskKind::Compute) {
      absl::StatusOr<int64_t> ps = taskPs(program, index, machine, counter);
      if (!ps.ok())
        return ps.status();
      durations[i] = *ps;
      arrays[task.node] += *ps;
      continue;
    }
    if (absl::Status status = planner.plan(index, messages); !status.ok())
      return status;
    __int128 alone = aloneTime(messages, rates);
    if (alone > kMost)
      return tooLong();
    durations[i] = static_cast<int64_t>(alone);
    for (const Message &message : messages)
      for (const Leg &leg : message.legs)
        resources.count(leg.uses);
  }

  __int128 bound = OrderGraph(program).longestChain(durations);
  for (__int128 busy : arrays)
    bound = std::max(bound, busy);
  absl::StatusOr<std::vector<ResourceUse>> uses = resources.uses();
  if (!uses.ok())
    return uses.status();
  for (const ResourceUse &use : *uses)
    bound = std::max<__int128>(bound, use.busyPs);
  if (bound > kMost)
    return tooLong();
  return static_cast<int64_t>(bound);
}
