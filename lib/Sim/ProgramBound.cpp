//===- ProgramBound.cpp - What one program cannot beat --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramBound.h"

#include "mozart/Sim/ProgramChecks.h"
#include "mozart/Sim/TaskCost.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mozart;

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

absl::StatusOr<int64_t> mozart::programBoundPs(const Program &program,
                                               const MachineModel &machine,
                                               RoutingCounter &counter) {
  TaskCoster coster(program, machine, counter);
  std::vector<int64_t> durations(program.tasks.size());
  std::vector<__int128> arrays(machine.numNodes(), 0);
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    absl::StatusOr<const TaskCost *> cost =
        coster.cost(static_cast<int32_t>(i));
    if (!cost.ok())
      return cost.status();
    durations[i] = (*cost)->leastPs;
    const Task &task = program.tasks[i];
    if (task.kind == TaskKind::Compute)
      arrays[task.node] += durations[i];
    coster.count();
  }

  __int128 bound = OrderGraph(program).longestChain(durations);
  for (__int128 busy : arrays)
    bound = std::max(bound, busy);
  absl::StatusOr<std::vector<ResourceUse>> uses = coster.uses();
  if (!uses.ok())
    return uses.status();
  for (const ResourceUse &use : *uses)
    bound = std::max<__int128>(bound, use.busyPs);
  if (bound > std::numeric_limits<int64_t>::max())
    return absl::OutOfRangeError(
        absl::StrCat("program '", program.name,
                     "': a bound does not fit in 63 bits of picoseconds"));
  return static_cast<int64_t>(bound);
}

absl::StatusOr<int64_t> mozart::programBoundPs(const Program &program,
                                               const MachineModel &machine,
                                               const BoundRouting *routing) {
  if (absl::Status status = verifyProgram(program, machine); !status.ok())
    return status;
  RoutingCounter counter(program, routing);
  if (absl::Status status = counter.check(); !status.ok())
    return status;
  return programBoundPs(program, machine, counter);
}
