//===- TaskClock.h - What has ended before a task starts ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_DIALECT_CHIPLET_TRANSFORMS_TASKCLOCK_H
#define MOZART_LIB_DIALECT_CHIPLET_TRANSFORMS_TASKCLOCK_H

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

namespace mozart::chiplet {

/// Follows the tasks of a program in order and says which happen before which,
/// by waits, engine order and stages. For each task and engine it keeps how
/// many tasks of the engine have ended before the task starts: tasks times
/// engines times 4 bytes.
class TaskClock {
public:
  /// Enters the next task, with the waits that it has.
  void enter(TaskOpInterface task);
  /// Whether `earlier`, entered before, has ended before the task entered last
  /// starts.
  bool precedesLast(TaskOpInterface earlier) const;
  /// The task entered last also waits for `earlier`.
  void addWait(TaskOpInterface earlier);

private:
  using Counts = std::vector<int32_t>;

  unsigned indexOf(Engine engine);
  /// What has ended when `task` has: its own counts, and itself.
  Counts endOf(size_t task) const;
  static void join(Counts &into, const Counts &from);

  std::map<Engine, unsigned> engineIndex;
  /// Of each engine: tasks so far, and the last of them.
  std::vector<int32_t> entered;
  std::vector<size_t> lastOf;
  llvm::DenseMap<mlir::Operation *, size_t> indexOfTask;
  std::vector<Counts> counts;
  std::vector<llvm::SmallVector<std::pair<unsigned, int32_t>>> positions;
  /// All tasks of the stage of the last one, and of those before it.
  int64_t stage = -1;
  Counts thisStage, lowerStages;
};

} // namespace mozart::chiplet

#endif // MOZART_LIB_DIALECT_CHIPLET_TRANSFORMS_TASKCLOCK_H
