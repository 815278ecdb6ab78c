//===- FluidTransfers.cpp - Transfers as fluids ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FluidTransfers.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

FluidTransfers::FluidTransfers(const NetworkContext &context)
    : program(context.program), resources(context.resources),
      recordLoads(context.options.recordLoads), limits(context.limits),
      network(resources.rates(), limits != nullptr),
      planner(context.program, context.machine, resources, context.counter),
      outstanding(context.program.tasks.size(), 0) {
  const std::vector<int64_t> mixed = resources.mixedRates();
  for (size_t i = 0; i < mixed.size(); ++i)
    network.setMixedRate(static_cast<int32_t>(i), mixed[i]);
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
  network.start(nowPs, leg.uses, slot);
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
  if (limits)
    (*limits)[flight.task] = std::move(flight.limits);
}
