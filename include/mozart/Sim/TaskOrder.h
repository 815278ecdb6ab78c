//===- TaskOrder.h - Which task happens before which --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order that waits, engines and stages impose whatever the durations are
// (see "Order" in Program.h).
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_TASKORDER_H
#define MOZART_SIM_TASKORDER_H

#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mozart {

/// How to choose among the tasks that may run next.
enum class OrderChoice {
  Earliest, ///< the first in the program's list
  Latest,   ///< the last in the program's list
  Random,   ///< any, by a seed
};

/// Answers in constant time; takes tasks x engines x 4 bytes.
class TaskOrder {
public:
  /// Fails with kInvalidArgument, naming a task, where waits, engines and
  /// stages go round in a circle. Needs indices in range (`verifyProgram`).
  static absl::StatusOr<TaskOrder> create(const Program &program);

  /// Whether `a` has ended before `b` starts, always.
  bool before(int32_t a, int32_t b) const { return nodeBefore(a, b); }
  bool ordered(int32_t a, int32_t b) const {
    return before(a, b) || before(b, a);
  }

  /// Whether `task` would still come after the task that its wait number
  /// `wait` names if that wait were removed.
  bool isImplied(int32_t task, size_t wait) const;

  /// All tasks in an order that is possible.
  std::vector<int32_t> linearize(OrderChoice choice, uint64_t seed = 0) const;

private:
  // Nodes are the tasks, then one barrier per stage: all tasks of lower stages
  // have ended.
  int32_t numTasks = 0;
  std::vector<std::vector<int32_t>> predecessors, successors;
  // Nodes are divided into chains, each totally ordered; `latest[node]` holds
  // for each chain the last position that happens before the node, or -1.
  std::vector<int32_t> chainOf, positionOf;
  std::vector<std::vector<int32_t>> latest;

  void addEdge(int32_t from, int32_t to);
  void addEdges(const Program &program);
  void addStages(const Program &program);
  void makeChains(const Program &program);
  absl::Status findLatest(const Program &program);
  bool nodeBefore(int32_t a, int32_t b) const {
    return latest[b][chainOf[a]] >= positionOf[a];
  }
  template <typename Choose>
  std::vector<int32_t> sortNodes(Choose choose) const;
};

} // namespace mozart

#endif // MOZART_SIM_TASKORDER_H
