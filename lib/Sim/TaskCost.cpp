//===- TaskCost.cpp - What one task asks of the machine -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/TaskCost.h"

#include "ResourceTable.h"
#include "Transfers.h"

#include "mozart/Cost/KernelCost.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace mozart;

static constexpr int64_t kPsPerSecond = 1000000000000;
static constexpr __int128 kMost = std::numeric_limits<int64_t>::max();

namespace {

/// What messages ask of one resource, added up.
struct Total {
  __int128 bytes = 0, ps = 0, measuredBytes = 0;
  int64_t messages = 0;
};

} // namespace

struct TaskCoster::Plan {
  Plan(const Program &program, const MachineModel &machine,
       RoutingCounter &counter)
      : table(machine), planner(program, machine, table, counter),
        rates(table.rates()), totals(rates.size()) {}

  ResourceTable table;
  TransferPlanner planner;
  std::vector<int64_t> rates;
  std::vector<Message> messages;
  std::vector<Total> totals;    ///< by resource; zero between phases
  std::vector<int32_t> touched; ///< resources of the phase

  /// The time of a use at the full rate of its resource, rounded down.
  __int128 useTime(const FlowUse &use) const {
    __int128 byteTime = static_cast<__int128>(use.bytes) * kPsPerSecond;
    // Of writes, weightDenominator is the rate.
    return byteTime /
           (use.isWrite ? use.weightDenominator : rates[use.resource]);
  }

  /// Adds one leg to the totals; returns the time of its slowest use.
  __int128 add(const Leg &leg) {
    __int128 longest = 0;
    int64_t measure = 0;
    for (const FlowUse &use : leg.uses)
      if (__int128 ps = useTime(use); ps > longest) {
        longest = ps;
        measure = use.bytes;
      }
    for (const FlowUse &use : leg.uses) {
      if (use.bytes == 0)
        continue;
      Total &total = totals[use.resource];
      if (total.messages++ == 0)
        touched.push_back(use.resource);
      total.bytes += use.bytes;
      total.ps += useTime(use);
      total.measuredBytes += measure;
    }
    return longest;
  }
};

TaskCoster::TaskCoster(const Program &program, const MachineModel &machine,
                       RoutingCounter &counter)
    : program(program), machine(machine), counter(counter),
      plan(std::make_unique<Plan>(program, machine, counter)) {
  // Sums of an empty table always fit.
  absl::StatusOr<std::vector<ResourceUse>> empty = plan->table.uses();
  for (ResourceUse &use : *empty)
    known.push_back(
        {std::move(use.name), use.kind, use.index, plan->rates[known.size()]});
  arraysOf.assign(machine.numNodes(), -1);
  for (int32_t node = 0; node < machine.numNodes(); ++node) {
    if (!machine.node(node).isChiplet())
      continue;
    arraysOf[node] = static_cast<int32_t>(known.size());
    known.push_back({absl::StrCat(machine.node(node).name, ".",
                                  resourceKindName(ResourceKind::Compute)),
                     ResourceKind::Compute, node, 0});
  }
}

TaskCoster::~TaskCoster() = default;

absl::StatusOr<const TaskCost *> TaskCoster::cost(int32_t task) {
  result.delayPs = result.flowPs = result.leastPs = 0;
  result.flops = 0;
  result.resources.clear();
  result.phases.clear();
  absl::Status status = program.tasks[task].kind == TaskKind::Compute
                            ? compute(task)
                            : transfer(task);
  if (!status.ok())
    return status;
  return &result;
}

void TaskCoster::count() {
  for (const Message &message : plan->messages)
    for (const Leg &leg : message.legs)
      plan->table.count(leg.uses);
}

void TaskCoster::count(const Engine &engine, int64_t busyPs) {
  plan->table.count(engine, busyPs);
}

absl::StatusOr<std::vector<ResourceUse>> TaskCoster::uses() const {
  return plan->table.uses();
}

absl::Status TaskCoster::compute(int32_t index) {
  plan->messages.clear();
  absl::StatusOr<std::vector<KernelWork>> work =
      taskWork(program, index, counter);
  if (!work.ok())
    return work.status();
  absl::StatusOr<int64_t> ps = taskPs(program, index, machine, *work);
  if (!ps.ok())
    return ps.status();
  const int32_t node = program.tasks[index].node;
  for (const KernelWork &step : *work)
    result.flops += 2 * step.multiplyAdds + step.plainFlops;
  result.leastPs = *ps;
  result.delayPs = machine.node(node).compute.kernelStartPs;
  result.flowPs = *ps - result.delayPs;
  result.resources.push_back({arraysOf[node], 0, *ps, 0, 0});
  result.phases.push_back({result.delayPs, result.flowPs, 1});
  return absl::OkStatus();
}

/// One phase of what was added up since the last: flows begin after `delayPs`
/// and last `flowPs` or as long as the busiest resource needs; no network is
/// faster than `leastPs` and that.
bool TaskCoster::addPhase(__int128 delayPs, __int128 flowPs, __int128 leastPs) {
  std::sort(plan->touched.begin(), plan->touched.end());
  bool fits = true;
  for (int32_t resource : plan->touched) {
    Total &total = plan->totals[resource];
    flowPs = std::max(flowPs, total.ps);
    leastPs = std::max(leastPs, total.ps);
    fits &= total.ps <= kMost && total.measuredBytes <= kMost &&
            total.bytes <= kMost;
    result.resources.push_back({resource, static_cast<int64_t>(total.bytes),
                                static_cast<int64_t>(total.ps), total.messages,
                                static_cast<int64_t>(total.measuredBytes)});
    total = Total();
  }
  if (delayPs + flowPs > kMost)
    return false;
  result.phases.push_back({static_cast<int64_t>(delayPs),
                           static_cast<int64_t>(flowPs), plan->touched.size()});
  plan->touched.clear();
  auto add = [&](int64_t &sum, __int128 ps) {
    fits &= !__builtin_add_overflow(sum, static_cast<int64_t>(ps), &sum);
  };
  add(result.delayPs, delayPs);
  add(result.flowPs, flowPs);
  add(result.leastPs, leastPs);
  int64_t alone = result.delayPs;
  add(alone, result.flowPs);
  return fits;
}

/// Messages that start together are one phase, the legs of one alone a phase
/// each.
absl::Status TaskCoster::transfer(int32_t index) {
  if (absl::Status status = plan->planner.plan(index, plan->messages);
      !status.ok())
    return status;
  const bool single = plan->messages.size() == 1;
  bool fits = true;
  __int128 delay = kMost, alone = 0, least = 0;
  for (const Message &message : plan->messages) {
    __int128 headPs = 0, bytesPs = 0, leastPs = 0;
    for (const Leg &leg : message.legs) {
      __int128 longest = plan->add(leg);
      __int128 legPs =
          std::max<__int128>(leg.emptyPs, leg.leastDelayPs + longest);
      headPs += leg.delayPs;
      bytesPs += longest;
      leastPs += legPs;
      if (single)
        fits &= addPhase(leg.delayPs, longest, legPs);
    }
    delay = std::min(delay, headPs);
    alone = std::max(alone, headPs + bytesPs);
    least = std::max(least, leastPs);
  }
  if (plan->messages.size() > 1)
    fits &= addPhase(delay, alone - delay, least);
  if (!fits)
    return absl::OutOfRangeError(
        absl::StrCat("program '", program.name, "', task ", index, " ('",
                     program.tasks[index].name,
                     "'): its bytes or its time do not fit in 63 bits"));
  return absl::OkStatus();
}
