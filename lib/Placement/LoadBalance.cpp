//===- LoadBalance.cpp - Packing and replicating by load ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/LoadBalance.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

std::vector<std::vector<int32_t>>
mozart::packByLoad(absl::Span<const double> loads,
                   absl::Span<const int64_t> capacities) {
  std::vector<std::vector<int32_t>> packs(capacities.size());
  std::vector<int32_t> order(loads.size());
  std::iota(order.begin(), order.end(), 0);
  if (loads.size() == capacities.size() &&
      std::all_of(capacities.begin(), capacities.end(),
                  [](int64_t capacity) { return capacity == 1; })) {
    for (int32_t item : order)
      packs[item].push_back(item);
    return packs;
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return loads[a] != loads[b] ? loads[a] > loads[b] : a < b;
  });
  std::vector<double> packed(capacities.size(), 0);
  for (int32_t item : order) {
    size_t lightest = packs.size();
    for (size_t pack = 0; pack < packs.size(); ++pack)
      if (static_cast<int64_t>(packs[pack].size()) < capacities[pack] &&
          (lightest == packs.size() || packed[pack] < packed[lightest]))
        lightest = pack;
    packs[lightest].push_back(item);
    packed[lightest] += loads[item];
  }
  return packs;
}

static absl::Status verify(absl::Span<const int64_t> loads,
                           const ReplicaShape &shape) {
  int64_t experts = static_cast<int64_t>(loads.size());
  for (int64_t expert = 0; expert < experts; ++expert)
    if (loads[expert] < 0)
      return absl::InvalidArgumentError(
          absl::StrFormat("expert %d has a load of %d; expected at least 0",
                          expert, loads[expert]));
  if (experts == 0 || shape.places < experts || shape.places > INT32_MAX)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d places for %d experts; expected at least one expert, and a place "
        "for each",
        shape.places, experts));
  if (shape.expertGroups < 1 || experts % shape.expertGroups != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d experts in %d groups; expected a number of groups that divides "
        "that of experts",
        experts, shape.expertGroups));
  if (shape.nodes < 1 || shape.devices < 1 || shape.devices % shape.nodes != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d devices on %d nodes; expected a number of nodes that divides that "
        "of devices",
        shape.devices, shape.nodes));
  if (shape.places % shape.devices != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d places on %d devices; expected a number of devices that divides "
        "that of places",
        shape.places, shape.devices));
  return absl::OkStatus();
}

/// The experts of each node: whole groups.
static std::vector<std::vector<int32_t>>
expertsOfNodes(absl::Span<const int64_t> loads, const ReplicaShape &shape) {
  int64_t groupSize = static_cast<int64_t>(loads.size()) / shape.expertGroups;
  std::vector<double> groupLoads;
  for (int64_t group = 0; group < shape.expertGroups; ++group) {
    auto first = loads.begin() + group * groupSize;
    groupLoads.push_back(std::accumulate(first, first + groupSize, 0.0));
  }
  std::vector<int64_t> capacities(shape.nodes,
                                  shape.expertGroups / shape.nodes);
  std::vector<std::vector<int32_t>> experts;
  for (const std::vector<int32_t> &groups :
       packByLoad(groupLoads, capacities)) {
    experts.emplace_back();
    for (int32_t group : groups)
      for (int64_t i = 0; i < groupSize; ++i)
        experts.back().push_back(static_cast<int32_t>(group * groupSize + i));
  }
  return experts;
}

/// Lays out one node and appends its places.
static void layOutNode(absl::Span<const int64_t> loads,
                       absl::Span<const int32_t> experts, int64_t places,
                       int64_t devices, ReplicaLayout &layout) {
  auto loadOf = [&](int32_t expert) {
    return static_cast<double>(loads[expert]) / layout.replicasOf[expert];
  };
  std::vector<int32_t> replicas(experts.begin(), experts.end());
  while (static_cast<int64_t>(replicas.size()) < places) {
    int32_t hottest = experts.front();
    for (int32_t expert : experts)
      if (loadOf(expert) > loadOf(hottest))
        hottest = expert;
    replicas.push_back(hottest);
    ++layout.replicasOf[hottest];
  }
  std::vector<double> replicaLoads;
  for (int32_t expert : replicas)
    replicaLoads.push_back(loadOf(expert));
  std::vector<int64_t> capacities(devices, places / devices);
  for (const std::vector<int32_t> &device :
       packByLoad(replicaLoads, capacities))
    for (int32_t replica : device)
      layout.expertOfPlace.push_back(replicas[replica]);
}

absl::StatusOr<ReplicaLayout>
mozart::replicateByLoad(absl::Span<const int64_t> loads,
                        const ReplicaShape &shape) {
  absl::Status status = verify(loads, shape);
  if (!status.ok())
    return status;
  ReplicaShape used = shape;
  if (shape.expertGroups % shape.nodes != 0)
    used.expertGroups = used.nodes = 1;
  ReplicaLayout layout;
  layout.replicasOf.assign(loads.size(), 1);
  for (const std::vector<int32_t> &experts : expertsOfNodes(loads, used))
    layOutNode(loads, experts, used.places / used.nodes,
               used.devices / used.nodes, layout);
  return layout;
}
