//===- TaskOrder.cpp - Which task happens before which --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/TaskOrder.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace mozart;

void TaskOrder::addEdge(int32_t from, int32_t to) {
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

/// Waits first, so that wait i of a task is its predecessor i.
void TaskOrder::addEdges(const Program &program) {
  for (int32_t task = 0; task < numTasks; ++task)
    for (int32_t wait : program.tasks[task].waits)
      addEdge(wait, task);
  std::map<Engine, int32_t> lastOn;
  for (int32_t task = 0; task < numTasks; ++task)
    for (const Engine &engine : program.tasks[task].engines) {
      auto [it, first] = lastOn.try_emplace(engine, task);
      if (!first)
        addEdge(it->second, task);
      it->second = task;
    }
}

void TaskOrder::addStages(const Program &program) {
  std::map<int64_t, std::vector<int32_t>> stages;
  for (int32_t task = 0; task < numTasks; ++task)
    if (program.tasks[task].stage >= 0)
      stages[program.tasks[task].stage].push_back(task);
  predecessors.resize(numTasks + stages.size());
  successors.resize(numTasks + stages.size());
  int32_t barrier = numTasks;
  auto end = static_cast<int32_t>(successors.size());
  for (const auto &[stage, tasks] : stages) {
    for (int32_t task : tasks) {
      addEdge(barrier, task);
      if (barrier + 1 < end)
        addEdge(task, barrier + 1);
    }
    if (barrier + 1 < end)
      addEdge(barrier, barrier + 1);
    ++barrier;
  }
}

/// Tasks of one engine are a chain, and so are the barriers. A task without an
/// engine goes behind a task that it waits for, where that ends a chain of such
/// tasks, or begins a chain.
void TaskOrder::makeChains(const Program &program) {
  auto numNodes = static_cast<int32_t>(successors.size());
  chainOf.resize(numNodes);
  positionOf.resize(numNodes);
  std::map<Engine, int32_t> engineChain;
  std::vector<int32_t> sizes, lastFree; // per chain; -1: not of free tasks
  auto append = [&](int32_t node, int32_t chain) {
    chainOf[node] = chain;
    positionOf[node] = sizes[chain]++;
  };
  auto newChain = [&] {
    sizes.push_back(0);
    lastFree.push_back(-1);
    return static_cast<int32_t>(sizes.size()) - 1;
  };
  for (int32_t task = 0; task < numTasks; ++task) {
    const Task &facts = program.tasks[task];
    if (!facts.engines.empty()) {
      auto [it, first] = engineChain.try_emplace(facts.engines[0], -1);
      if (first)
        it->second = newChain();
      append(task, it->second);
      continue;
    }
    auto wait =
        std::find_if(facts.waits.begin(), facts.waits.end(),
                     [&](int32_t w) { return lastFree[chainOf[w]] == w; });
    int32_t chain = wait == facts.waits.end() ? newChain() : chainOf[*wait];
    append(task, chain);
    lastFree[chain] = task;
  }
  int32_t barriers = numNodes > numTasks ? newChain() : -1;
  for (int32_t node = numTasks; node < numNodes; ++node)
    append(node, barriers);
  latest.assign(numNodes, std::vector<int32_t>(sizes.size(), -1));
}

/// Nodes in a topological order; `choose(ready)` names the index of the next
/// among the nodes that may come. Stops early where nodes go round in a circle.
template <typename Choose>
std::vector<int32_t> TaskOrder::sortNodes(Choose choose) const {
  std::vector<size_t> missing;
  std::vector<int32_t> ready, sorted;
  for (size_t node = 0; node < predecessors.size(); ++node) {
    missing.push_back(predecessors[node].size());
    if (missing.back() == 0)
      ready.push_back(static_cast<int32_t>(node));
  }
  while (!ready.empty()) {
    size_t index = choose(ready);
    int32_t node = ready[index];
    ready[index] = ready.back();
    ready.pop_back();
    sorted.push_back(node);
    for (int32_t next : successors[node])
      if (--missing[next] == 0)
        ready.push_back(next);
  }
  return sorted;
}

absl::Status TaskOrder::findLatest(const Program &program) {
  std::vector<int32_t> sorted = sortNodes(
      [](const std::vector<int32_t> &ready) { return ready.size() - 1; });
  if (sorted.size() != predecessors.size()) {
    std::set<int32_t> seen(sorted.begin(), sorted.end());
    int32_t task = 0;
    while (seen.count(task))
      ++task;
    return absl::InvalidArgumentError(absl::StrCat(
        "program '", program.name, "', task ", task, " ('",
        program.tasks[task].name,
        "'): can never start: waits, engine order and stages make it come "
        "after itself; expected tasks to be listed by ascending stage"));
  }
  for (int32_t node : sorted)
    for (int32_t earlier : predecessors[node]) {
      for (size_t chain = 0; chain < latest[node].size(); ++chain)
        latest[node][chain] =
            std::max(latest[node][chain], latest[earlier][chain]);
      int32_t &own = latest[node][chainOf[earlier]];
      own = std::max(own, positionOf[earlier]);
    }
  return absl::OkStatus();
}

absl::StatusOr<TaskOrder> TaskOrder::create(const Program &program) {
  TaskOrder order;
  order.numTasks = static_cast<int32_t>(program.tasks.size());
  order.predecessors.resize(order.numTasks);
  order.successors.resize(order.numTasks);
  order.addEdges(program);
  order.addStages(program);
  order.makeChains(program);
  if (absl::Status status = order.findLatest(program); !status.ok())
    return status;
  return order;
}

bool TaskOrder::isImplied(int32_t task, size_t wait) const {
  int32_t earlier = predecessors[task][wait];
  for (size_t i = 0; i < predecessors[task].size(); ++i) {
    int32_t other = predecessors[task][i];
    if (i != wait && (other == earlier || nodeBefore(earlier, other)))
      return true;
  }
  return false;
}

std::vector<int32_t> TaskOrder::linearize(OrderChoice choice,
                                          uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<int32_t> sorted =
      sortNodes([&](const std::vector<int32_t> &ready) -> size_t {
        switch (choice) {
        case OrderChoice::Earliest:
          return std::min_element(ready.begin(), ready.end()) - ready.begin();
        case OrderChoice::Latest:
          return std::max_element(ready.begin(), ready.end()) - ready.begin();
        case OrderChoice::Random:
          break;
        }
        return random() % ready.size();
      });
  // Barriers run nothing.
  sorted.erase(std::remove_if(sorted.begin(), sorted.end(),
                              [&](int32_t node) { return node >= numTasks; }),
               sorted.end());
  return sorted;
}
