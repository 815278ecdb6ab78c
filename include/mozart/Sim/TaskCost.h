//===- TaskCost.h - What one task asks of the machine -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of a task by itself: bytes and time on each memory, link, SRAM port,
// switch part and array, and how long it takes on an idle machine. Nothing is
// simulated, so a search can ask thousands of times a second.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_TASKCOST_H
#define MOZART_SIM_TASKCOST_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <memory>
#include <vector>

namespace mozart {

/// A part of the machine that tasks take time on.
struct CostResource {
  std::string name; ///< as in reports
  ResourceKind kind = ResourceKind::Link;
  int32_t index = -1; ///< link, memory or node
  /// Bytes per second (of a memory: that it reads); 0 for arrays.
  int64_t bytesPerSecond = 0;
};

/// What a task asks of one resource.
struct ResourceCost {
  int32_t resource = -1; ///< index into TaskCoster::resources()
  int64_t bytes = 0;     ///< zero for arrays
  /// Time of the bytes at its full rate, rounded down; of arrays, of the
  /// kernels.
  int64_t ps = 0;
  /// Messages that cross it, and the sum of the bytes that each has on the
  /// resource that it would fill if it were alone: by these, messages share
  /// (docs/simulation.md, "Sharing").
  int64_t messages = 0;
  int64_t measuredBytes = 0;
};

struct TaskCost {
  /// A part of the task that follows those before it: a node on the way that
  /// stores and forwards ends one and begins another.
  struct Phase {
    int64_t delayPs = 0, flowPs = 0;
    /// Its resources are the first of those after its predecessor's.
    size_t numResources = 0;
  };
  std::vector<Phase> phases;
  /// What passes before bytes flow: latencies and overheads, or a kernel's
  /// start.
  int64_t delayPs = 0;
  /// How long the bytes flow, or kernels run, with the machine to themselves.
  int64_t flowPs = 0;
  /// The shortest that the task can take: never above its time in `simulate`,
  /// whatever the network.
  int64_t leastPs = 0;
  /// Floating-point operations of matrix products and registered kernels.
  __int128 flops = 0;
  /// By phase, then by resource; each resource once.
  std::vector<ResourceCost> resources;

  /// On an idle machine.
  int64_t alonePs() const { return delayPs + flowPs; }
};

/// Costs tasks of one program. Not thread safe.
class TaskCoster {
public:
  /// All outlive it; `program` has passed `verifyProgram`, `counter.check()`
  /// has succeeded.
  TaskCoster(const Program &program, const MachineModel &machine,
             RoutingCounter &counter);
  ~TaskCoster();

  /// What flows cross, in the order of `SimulationResult::resources`, then the
  /// arrays of every chiplet.
  const std::vector<CostResource> &resources() const { return known; }

  /// Cost of task `task`, which lasts until the next call. Fails as `simulate`
  /// does where the task cannot run.
  absl::StatusOr<const TaskCost *> cost(int32_t task);

  /// Adds the bytes of the task that was costed last to `uses`, and a time for
  /// which an engine is occupied.
  void count();
  void count(const Engine &engine, int64_t busyPs);
  /// What was counted, as `SimulationResult::resources`. Fails with kOutOfRange
  /// if a sum does not fit in 63 bits.
  absl::StatusOr<std::vector<ResourceUse>> uses() const;

private:
  struct Plan; // how transfers are planned

  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  std::unique_ptr<Plan> plan;
  std::vector<CostResource> known;
  std::vector<int32_t> arraysOf; ///< resource of each node's arrays, or -1
  TaskCost result;

  absl::Status compute(int32_t task);
  absl::Status transfer(int32_t task);
  bool addPhase(__int128 delayPs, __int128 flowPs, __int128 leastPs);
};

} // namespace mozart

#endif // MOZART_SIM_TASKCOST_H
