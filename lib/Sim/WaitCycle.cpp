//===- WaitCycle.cpp - Tasks that wait for one another --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitCycle.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

using namespace mozart;

namespace {

/// Who waits for whom. Nodes are the tasks, then the openings of the stages in
/// ascending order.
class WaitGraph {
public:
  WaitGraph(const Program &program, const MachineModel &machine)
      : program(program), machine(machine),
        numTasks(static_cast<int32_t>(program.tasks.size())) {
    std::map<int64_t, int32_t> openings;
    for (const Task &task : program.tasks)
      if (task.stage >= 0)
        openings.try_emplace(task.stage, 0);
    int32_t node = numTasks;
    for (auto &[stage, opening] : openings)
      opening = node++;
    holds.resize(node);
    for (int32_t opening = numTasks + 1; opening < node; ++opening)
      holds[opening].push_back({opening - 1, Hold::Kind::Stage, {}});
    std::map<Engine, int32_t> lastOn;
    for (int32_t i = 0; i < numTasks; ++i) {
      const Task &task = program.tasks[i];
      for (int32_t wait : task.waits)
        holds[i].push_back({wait, Hold::Kind::Wait, {}});
      for (const Engine &engine : task.engines) {
        auto [it, first] = lastOn.try_emplace(engine, i);
        if (!first)
          holds[i].push_back({it->second, Hold::Kind::Engine, engine});
        it->second = i;
      }
      if (task.stage < 0)
        continue;
      int32_t opening = openings[task.stage];
      holds[i].push_back({opening, Hold::Kind::Stage, {}});
      if (opening + 1 < node)
        holds[opening + 1].push_back({i, Hold::Kind::Stage, {}});
    }
  }

  std::string describe() const {
    std::vector<int32_t> cycle = find();
    // Begin with the lowest task.
    auto first = std::min_element(cycle.begin(), cycle.end());
    std::rotate(cycle.begin(), first, cycle.end());
    std::string text;
    for (size_t i = 0; i < cycle.size(); ++i)
      if (cycle[i] < numTasks)
        absl::StrAppend(&text, text.empty() ? "" : "; ", link(cycle, i));
    return text;
  }

private:
  /// What a node waits for.
  struct Hold {
    enum class Kind { Wait, Engine, Stage };
    int32_t on;
    Kind kind;
    Engine engine;
  };

  const Program &program;
  const MachineModel &machine;
  int32_t numTasks;
  std::vector<std::vector<Hold>> holds;

  /// Nodes that wait for themselves through others, and those that wait for
  /// such.
  std::vector<bool> stuck() const {
    std::vector<std::vector<int32_t>> followers(holds.size());
    std::vector<size_t> left(holds.size());
    std::vector<int32_t> free;
    for (size_t i = 0; i < holds.size(); ++i) {
      left[i] = holds[i].size();
      if (left[i] == 0)
        free.push_back(static_cast<int32_t>(i));
      for (const Hold &hold : holds[i])
        followers[hold.on].push_back(static_cast<int32_t>(i));
    }
    std::vector<bool> result(holds.size(), true);
    while (!free.empty()) {
      int32_t node = free.back();
      free.pop_back();
      result[node] = false;
      for (int32_t next : followers[node])
        if (--left[next] == 0)
          free.push_back(next);
    }
    return result;
  }

  /// A cycle, each node waiting for the next: the shortest through some node.
  std::vector<int32_t> find() const {
    std::vector<bool> isStuck = stuck();
    auto first = std::find(isStuck.begin(), isStuck.end(), true);
    if (first == isStuck.end())
      return {};
    // A stuck node waits for a stuck one: going on leads into a cycle.
    auto node = static_cast<int32_t>(first - isStuck.begin());
    std::vector<bool> seen(holds.size(), false);
    while (!seen[node]) {
      seen[node] = true;
      for (const Hold &hold : holds[node])
        if (isStuck[hold.on]) {
          node = hold.on;
          break;
        }
    }
    return shortestThrough(node);
  }

  std::vector<int32_t> shortestThrough(int32_t start) const {
    std::vector<int32_t> from(holds.size(), -1), queue = {start};
    for (size_t head = 0; head < queue.size(); ++head)
      for (const Hold &hold : holds[queue[head]]) {
        if (hold.on == start) {
          std::vector<int32_t> cycle;
          for (int32_t node = queue[head]; node != start; node = from[node])
            cycle.push_back(node);
          cycle.push_back(start);
          std::reverse(cycle.begin(), cycle.end());
          return cycle;
        }
        if (from[hold.on] >= 0)
          continue;
        from[hold.on] = queue[head];
        queue.push_back(hold.on);
      }
    return {};
  }

  std::string name(int32_t task) const {
    return absl::StrCat("task ", task, " ('", program.tasks[task].name, "')");
  }

  std::string name(const Engine &engine) const {
    return absl::StrCat("'",
                        engine.kind == EngineKind::Channel
                            ? machine.memory(engine.index).name
                            : machine.node(engine.index).name,
                        ".", engineKindName(engine.kind), "'");
  }

  /// What task `cycle[i]` waits for. A stage's opening waits for the next task
  /// on the cycle.
  std::string link(const std::vector<int32_t> &cycle, size_t i) const {
    int32_t task = cycle[i], on = cycle[(i + 1) % cycle.size()];
    auto hold = std::find_if(holds[task].begin(), holds[task].end(),
                             [&](const Hold &h) { return h.on == on; });
    for (size_t next = i + 2; on >= numTasks; ++next)
      on = cycle[next % cycle.size()];
    switch (hold->kind) {
    case Hold::Kind::Wait:
      return absl::StrCat(name(task), " waits for ", name(on));
    case Hold::Kind::Engine:
      return absl::StrCat(name(task), " is behind ", name(on), " on engine ",
                          name(hold->engine));
    case Hold::Kind::Stage:
      return absl::StrCat(name(task), " is in stage ",
                          program.tasks[task].stage, " and so comes after ",
                          name(on), " of stage ", program.tasks[on].stage);
    }
    return "";
  }
};

} // namespace

std::string mozart::describeWaitCycle(const Program &program,
                                      const MachineModel &machine) {
  return WaitGraph(program, machine).describe();
}
