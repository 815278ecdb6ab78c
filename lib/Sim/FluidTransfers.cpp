//===- FluidTransfers.cpp - Transfers as fluids ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FluidTransfers.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace mozart;

static constexpr int64_t kWholePpm = 1000000;

FluidTransfers::FluidTransfers(const NetworkContext &context)
    : program(context.program), machine(context.machine),
      resources(context.resources), recordLoads(context.options.recordLoads),
      limits(context.limits), network({}),
      planner(context.program, context.machine, resources, context.counter),
      outstanding(context.program.tasks.size(), 0) {
  std::vector<int64_t> rates = resources.rates();
  numReported = static_cast<int32_t>(rates.size());
  addFabrics(rates);
  network = FlowNetwork(std::move(rates), limits != nullptr);
  const std::vector<int64_t> mixed = resources.mixedRates();
  for (size_t i = 0; i < mixed.size(); ++i)
    network.setMixedRate(static_cast<int32_t>(i), mixed[i]);
}

/// A switch with queues at its inputs passes `efficiencyPpm` of what its links
/// could send.
void FluidTransfers::addFabrics(std::vector<int64_t> &rates) {
  fabricOf.assign(machine.numNodes(), -1);
  for (int32_t i = 0; i < machine.numNodes(); ++i) {
    const NodeFacts &node = machine.node(i);
    if (node.isChiplet() || node.queueing != Queueing::Input ||
        node.efficiencyPpm >= kWholePpm)
      continue;
    __int128 sum = 0;
    for (int32_t link = 0; link < machine.numLinks(); ++link)
      if (machine.link(link).source == i)
        sum += machine.linkBytesPerSecond(link);
    sum = std::min<__int128>(sum * node.efficiencyPpm / kWholePpm,
                             std::numeric_limits<int64_t>::max());
    fabricOf[i] = static_cast<int32_t>(rates.size());
    rates.push_back(std::max<int64_t>(1, static_cast<int64_t>(sum)));
    hasFabrics = true;
  }
}

/// What a leg takes of the switches that it crosses: the lesser of what comes
/// in and what goes out, since copies cross once and rows that are added do not
/// cross.
void FluidTransfers::addCrossings(const Leg &leg) {
  uses = leg.uses;
  crossings.clear();
  for (const FlowUse &use : leg.uses) {
    if (use.resource >= machine.numLinks())
      continue;
    const LinkFacts &link = machine.link(use.resource);
    crossings[link.target].first += use.bytes;
    crossings[link.source].second += use.bytes;
  }
  for (const auto &[node, bytes] : crossings) {
    if (fabricOf[node] < 0)
      continue;
    FlowUse use;
    use.resource = fabricOf[node];
    use.bytes = static_cast<int64_t>(
        std::min<__int128>(std::min(bytes.first, bytes.second),
                           std::numeric_limits<int64_t>::max()));
    if (use.bytes > 0)
      uses.push_back(use);
  }
}

absl::Status FluidTransfers::start(int64_t nowPs, int32_t task) {
  if (absl::Status status = planner.plan(task, planned); !status.ok())
    return status;
  outstanding[task] = static_cast<int32_t>(planned.size());
  if (planned.empty())
    schedule(nowPs, 0, Event::Kind::NothingMoved, task);
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
    inFlight[slot].task = task;
    inFlight[slot].limits = {};
    startLeg(nowPs, slot);
  }
  return tooLate ? timeOverflow(program) : absl::OkStatus();
}

int64_t FluidTransfers::nextPs() const {
  return queue.empty() ? kNever : queue.top().timePs;
}

/// One time: before the next, rates must be shared anew.
absl::StatusOr<int64_t>
FluidTransfers::advance(int64_t /*limitPs*/, std::vector<int32_t> &endedTasks) {
  const int64_t nowPs = queue.top().timePs;
  while (!tooLate && !queue.empty() && queue.top().timePs == nowPs) {
    Event event = queue.top();
    queue.pop();
    if (event.kind == Event::Kind::FlowEnd &&
        !network.isNewest(event.index, event.version))
      continue;
    ++numEvents;
    switch (event.kind) {
    case Event::Kind::FlowEnd: {
      int32_t slot = network.owner(event.index);
      if (limits)
        network.addLimits(event.index, nowPs, inFlight[slot].limits.resources);
      network.finish(event.index);
      endLeg(nowPs, slot, endedTasks);
      break;
    }
    case Event::Kind::HeadArrives:
      flow(nowPs, event.index, endedTasks);
      break;
    case Event::Kind::NothingMoved:
      endedTasks.push_back(event.index);
      break;
    }
  }
  if (tooLate)
    return timeOverflow(program);
  return nowPs;
}

absl::Status FluidTransfers::settle(int64_t nowPs,
                                    std::vector<LoadSample> &loads) {
  forecasts.clear();
  if (!network.update(nowPs, forecasts))
    return timeOverflow(program);
  for (const FlowForecast &forecast : forecasts)
    queue.push({forecast.endPs, Event::Kind::FlowEnd, forecast.flow,
                forecast.version});
  if (recordLoads)
    for (int32_t resource : network.updatedResources())
      if (resource < numReported)
        loads.push_back({nowPs, resource, network.bytesPerSecond(resource)});
  return absl::OkStatus();
}

std::string FluidTransfers::explainStandstill() const {
  return "a flow has no forecast of its end";
}

void FluidTransfers::schedule(int64_t nowPs, int64_t delayPs, Event::Kind kind,
                              int32_t index) {
  int64_t timePs = 0;
  if (__builtin_add_overflow(nowPs, delayPs, &timePs) || timePs == kNever)
    tooLate = true;
  else
    queue.push({timePs, kind, index, 0});
}

void FluidTransfers::startLeg(int64_t nowPs, int32_t slot) {
  InFlight &flight = inFlight[slot];
  int64_t delayPs = flight.message.legs[flight.leg].delayPs;
  flight.limits.delayPs += delayPs; // a sum of times that fit (see schedule)
  schedule(nowPs, delayPs, Event::Kind::HeadArrives, slot);
}

void FluidTransfers::flow(int64_t nowPs, int32_t slot,
                          std::vector<int32_t> &endedTasks) {
  const Leg &leg = inFlight[slot].message.legs[inFlight[slot].leg];
  if (leg.isEmpty())
    return endLeg(nowPs, slot, endedTasks);
  if (hasFabrics)
    addCrossings(leg);
  network.start(nowPs, hasFabrics ? uses : leg.uses, slot);
}

void FluidTransfers::endLeg(int64_t nowPs, int32_t slot,
                            std::vector<int32_t> &endedTasks) {
  InFlight &flight = inFlight[slot];
  resources.count(flight.message.legs[flight.leg].uses);
  if (++flight.leg < flight.message.legs.size())
    return startLeg(nowPs, slot);
  freeInFlight.push_back(slot);
  if (--outstanding[flight.task] != 0)
    return;
  endedTasks.push_back(flight.task);
  if (limits) {
    // What a switch holds back is no resource of the report: a delay.
    std::vector<ResourceTime> &held = flight.limits.resources;
    auto isFabric = [&](const ResourceTime &time) {
      if (time.resource < numReported)
        return false;
      flight.limits.delayPs += time.ps;
      return true;
    };
    held.erase(std::remove_if(held.begin(), held.end(), isFabric), held.end());
    (*limits)[flight.task] = std::move(flight.limits);
  }
}
