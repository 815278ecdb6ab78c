//===- FlowNetwork.cpp - Transfers that share resources -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

#include <algorithm>
#include <limits>

using namespace mozart;

static constexpr int kFractionBits = 62;
static constexpr int64_t kPsPerSecond = 1000000000000;

/// Sums of shares of up to 2^30 flows stay below 2^127.
static constexpr __int128 kLargestShare = static_cast<__int128>(1) << 96;

static void addTime(std::vector<ResourceTime> &limits, int32_t resource,
                    int64_t ps) {
  if (ps == 0)
    return;
  if (!limits.empty() && limits.back().resource == resource)
    limits.back().ps += ps;
  else
    limits.push_back({resource, ps});
}

static __int128 divideUp(__int128 a, __int128 b) {
  return a / b + (a % b != 0);
}

FlowNetwork::FlowNetwork(std::vector<int64_t> rates, bool recordLimits)
    : recordLimits(recordLimits) {
  resources.resize(rates.size());
  for (size_t i = 0; i < rates.size(); ++i)
    resources[i].rate = resources[i].mixedRate = rates[i];
}

int32_t FlowNetwork::start(int64_t nowPs, absl::Span<const FlowUse> uses,
                           int32_t owner) {
  int32_t index;
  if (freeFlows.empty()) {
    index = static_cast<int32_t>(flows.size());
    flows.emplace_back();
  } else {
    index = freeFlows.back();
    freeFlows.pop_back();
  }
  // The resource that the flow alone would fill: its bytes are the measure.
  int64_t measure = 0;
  double longest = -1;
  for (const FlowUse &use : uses) {
    double rate = static_cast<double>(resources[use.resource].rate) *
                  static_cast<double>(use.weightDenominator) /
                  static_cast<double>(use.weightNumerator);
    double time = static_cast<double>(use.bytes) / rate;
    if (use.bytes == 0 || time <= longest)
      continue;
    longest = time;
    measure = use.bytes;
  }

  Flow &flow = flows[index];
  flow.remaining = static_cast<__int128>(measure) * kPsPerSecond;
  flow.rate = 0;
  flow.sincePs = nowPs;
  flow.limits.clear();
  flow.owner = owner;
  flow.active = true;
  flow.uses.clear();
  for (const FlowUse &use : uses) {
    if (use.bytes == 0)
      continue;
    Fixed share = (static_cast<Fixed>(use.bytes) << kFractionBits) / measure;
    if (__builtin_mul_overflow(share, Fixed(use.weightNumerator), &share))
      share = std::numeric_limits<Fixed>::max();
    share = std::max<Fixed>(share / use.weightDenominator, 1);
    if (share > kLargestShare) {
      share = kLargestShare;
      fits = false;
    }
    Resource &resource = resources[use.resource];
    int32_t position = static_cast<int32_t>(flow.uses.size());
    flow.uses.push_back({use.resource,
                         static_cast<int32_t>(resource.members.size()), share,
                         use.isWrite});
    resource.members.push_back({index, position});
    resource.writers += use.isWrite;
    dirty.push_back(use.resource);
  }
  return index;
}

void FlowNetwork::finish(int32_t index) {
  Flow &flow = flows[index];
  for (const Use &use : flow.uses) {
    std::vector<Member> &members = resources[use.resource].members;
    Member last = members.back();
    members[use.slot] = last;
    flows[last.flow].uses[last.use].slot = use.slot;
    members.pop_back();
    resources[use.resource].writers -= use.isWrite;
    dirty.push_back(use.resource);
  }
  flow.active = false;
  ++flow.version;
  freeFlows.push_back(index);
}

/// Appends all resources and flows that hang together with `resource`.
void FlowNetwork::collect(int32_t resource, size_t firstResource) {
  resources[resource].visited = true;
  component.push_back(resource);
  for (size_t head = firstResource; head < component.size(); ++head)
    for (const Member &member : resources[component[head]].members) {
      Flow &flow = flows[member.flow];
      if (flow.visited)
        continue;
      flow.visited = true;
      componentFlows.push_back(member.flow);
      for (const Use &use : flow.uses) {
        if (resources[use.resource].visited)
          continue;
        resources[use.resource].visited = true;
        component.push_back(use.resource);
      }
    }
}

void FlowNetwork::freeze(Flow &flow, int64_t rate, int32_t limitedBy) {
  flow.frozen = true;
  flow.limitedBy = limitedBy;
  flow.rate = rate;
  for (const Use &use : flow.uses) {
    Resource &resource = resources[use.resource];
    resource.demand -= use.share;
    // Below zero only where the least rate of 1 asks for more than there is.
    resource.slack = std::max<Fixed>(
        0, resource.slack - use.share * static_cast<Fixed>(rate));
  }
}

/// Progressive filling of one component.
void FlowNetwork::share(absl::Span<const int32_t> ofResources,
                        absl::Span<const int32_t> ofFlows) {
  for (int32_t index : ofFlows)
    flows[index].frozen = false;
  for (int32_t index : ofResources) {
    Resource &resource = resources[index];
    resource.slack = static_cast<Fixed>(resource.rateNow()) << kFractionBits;
    resource.demand = 0;
    for (const Member &member : resource.members)
      resource.demand += flows[member.flow].uses[member.use].share;
  }
  for (size_t left = ofFlows.size(); left > 0;) {
    Fixed least = std::numeric_limits<Fixed>::max();
    for (int32_t index : ofResources)
      if (resources[index].demand > 0)
        least =
            std::min(least, resources[index].slack / resources[index].demand);
    // Fits: no flow can be faster than the resource that it loads most.
    int64_t rate = std::max<int64_t>(1, static_cast<int64_t>(least));
    for (int32_t index : ofResources) {
      Resource &resource = resources[index];
      if (resource.demand <= 0 || resource.slack / resource.demand > least)
        continue;
      for (const Member &member : resource.members) {
        Flow &flow = flows[member.flow];
        if (flow.frozen)
          continue;
        freeze(flow, rate, index);
        --left;
      }
    }
  }
}

bool FlowNetwork::update(int64_t nowPs, std::vector<FlowForecast> &forecasts) {
  component.clear();
  componentFlows.clear();
  for (int32_t resource : dirty) {
    if (resources[resource].visited)
      continue;
    size_t firstResource = component.size();
    size_t firstFlow = componentFlows.size();
    collect(resource, firstResource);
    absl::Span<const int32_t> here =
        absl::MakeConstSpan(componentFlows).subspan(firstFlow);
    for (int32_t index : here) {
      Flow &flow = flows[index];
      flow.remaining -=
          static_cast<__int128>(flow.rate) * (nowPs - flow.sincePs);
      if (recordLimits)
        addTime(flow.limits, flow.limitedBy, nowPs - flow.sincePs);
      flow.sincePs = nowPs;
    }
    oldRates.clear();
    for (int32_t index : here)
      oldRates.push_back(flows[index].rate);
    share(absl::MakeConstSpan(component).subspan(firstResource), here);
    for (size_t i = 0; i < here.size(); ++i) {
      Flow &flow = flows[here[i]];
      if (flow.rate == oldRates[i])
        continue; // its forecast stays true
      __int128 left =
          divideUp(std::max<__int128>(flow.remaining, 0), flow.rate);
      if (left > std::numeric_limits<int64_t>::max() - nowPs) {
        fits = false;
        continue;
      }
      forecasts.push_back(
          {nowPs + static_cast<int64_t>(left), here[i], ++flow.version});
    }
  }
  for (int32_t resource : component)
    resources[resource].visited = false;
  for (int32_t flow : componentFlows)
    flows[flow].visited = false;
  dirty.clear();
  return fits;
}

void FlowNetwork::addLimits(int32_t index, int64_t nowPs,
                            std::vector<ResourceTime> &limits) const {
  const Flow &flow = flows[index];
  for (const ResourceTime &limit : flow.limits)
    addTime(limits, limit.resource, limit.ps);
  addTime(limits, flow.limitedBy, nowPs - flow.sincePs);
}

int64_t FlowNetwork::bytesPerSecond(int32_t index) const {
  Fixed total = 0;
  for (const Member &member : resources[index].members)
    total += flows[member.flow].uses[member.use].share *
             static_cast<Fixed>(flows[member.flow].rate);
  return static_cast<int64_t>(total >> kFractionBits);
}
