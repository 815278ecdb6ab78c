//===- TaskClock.cpp - What has ended before a task starts ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskClock.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

unsigned TaskClock::indexOf(Engine engine) {
  auto [found, isNew] = engineIndex.try_emplace(engine, entered.size());
  if (isNew) {
    entered.push_back(0);
    lastOf.push_back(0);
  }
  return found->second;
}

void TaskClock::join(Counts &into, const Counts &from) {
  if (into.size() < from.size())
    into.resize(from.size(), 0);
  for (auto [index, count] : llvm::enumerate(from))
    into[index] = std::max(into[index], count);
}

TaskClock::Counts TaskClock::endOf(size_t task) const {
  Counts end = counts[task];
  for (auto [engine, position] : positions[task]) {
    if (end.size() <= engine)
      end.resize(engine + 1, 0);
    end[engine] = std::max(end[engine], position + 1);
  }
  return end;
}

void TaskClock::enter(TaskOpInterface task) {
  size_t index = counts.size();
  Counts start;
  llvm::SmallVector<std::pair<unsigned, int32_t>> places;
  for (Engine engine : task.getEngines()) {
    unsigned at = indexOf(engine);
    places.push_back({at, entered[at]});
  }
  indexOfTask[task] = index;
  counts.push_back({});
  positions.push_back(places);
  for (auto [engine, position] : places) {
    // The engine's last task came after all before it.
    if (position > 0)
      join(start, endOf(lastOf[engine]));
    lastOf[engine] = index;
    entered[engine] = position + 1;
  }
  for (Value wait : task.getWaits())
    join(start, endOf(indexOfTask.lookup(wait.getDefiningOp())));
  if (IntegerAttr attr = task.getStageAttr()) {
    if (attr.getInt() > stage) {
      join(lowerStages, thisStage);
      stage = attr.getInt();
    }
    join(start, lowerStages);
  }
  counts[index] = std::move(start);
  if (task.getStageAttr())
    join(thisStage, endOf(index));
}

bool TaskClock::precedesLast(TaskOpInterface earlier) const {
  size_t index = indexOfTask.lookup(earlier);
  const Counts &last = counts.back();
  return llvm::any_of(positions[index], [&](auto place) {
    auto [engine, position] = place;
    return engine < last.size() && last[engine] > position;
  });
}

void TaskClock::addWait(TaskOpInterface earlier) {
  join(counts.back(), endOf(indexOfTask.lookup(earlier)));
  if (stage >= 0)
    join(thisStage, counts.back());
}
