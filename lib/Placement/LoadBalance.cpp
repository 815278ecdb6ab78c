//===- LoadBalance.cpp - Packing and replicating by load ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/Placement.h"
#include "mozart/Support/SplitMix64.h"

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

int64_t mozart::boundOfBusiest(absl::Span<const int64_t> loads,
                               int64_t numChiplets) {
  int64_t experts = static_cast<int64_t>(loads.size());
  std::vector<int64_t> sorted(loads.begin(), loads.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<int64_t>());
  std::vector<int64_t> prefix(1, 0);
  for (int64_t load : sorted)
    prefix.push_back(prefix.back() + load);
  int64_t bound = (prefix.back() + numChiplets - 1) / numChiplets;
  int64_t smallest = experts / numChiplets;
  auto lightest = [&](int64_t count) {
    return prefix[experts] - prefix[experts - count];
  };
  for (int64_t j = 0; j * numChiplets < experts; ++j) {
    // The lightest j + 1 of the heaviest, and as light a rest as there is.
    int64_t heaviest = j * numChiplets + 1;
    bound =
        std::max(bound, prefix[heaviest] - prefix[heaviest - j - 1] +
                            lightest(std::max<int64_t>(smallest - j - 1, 0)));
  }
  for (int64_t m = 2; m <= numChiplets; ++m) {
    int64_t together = prefix[m] - prefix[m - 2] +
                       lightest(std::max<int64_t>(smallest - 2, 0));
    int64_t apart = prefix[m] + lightest(m * (smallest - 1));
    bound = std::max(bound, std::min(together, (apart + m - 1) / m));
  }
  return bound;
}

/// Descents to try, and random swaps before each but the first.
static constexpr int64_t kAttempts = 500;
static constexpr int64_t kSwapsOfKick = 8;

namespace {
/// Chiplets whose load above a limit is lowered by swaps.
class Balancing {
public:
  Balancing(absl::Span<const int64_t> loads, int64_t numChiplets);

  /// Swaps while that lowers the excess over `limit`.
  void descend(int64_t limit);
  void kick(SplitMix64 &random);
  int64_t busiest() const {
    return *std::max_element(carried.begin(), carried.end());
  }

  std::vector<int32_t> chipletOf;

private:
  void exchange(int32_t one, int32_t other);
  int64_t excessOf(int32_t a, int32_t b, int64_t moved, int64_t limit) const {
    return std::max<int64_t>(carried[a] - moved - limit, 0) +
           std::max<int64_t>(carried[b] + moved - limit, 0);
  }

  absl::Span<const int64_t> loads;
  std::vector<int64_t> carried;
};
} // namespace

Balancing::Balancing(absl::Span<const int64_t> loads, int64_t numChiplets)
    : chipletOf(loads.size()), loads(loads), carried(numChiplets, 0) {
  std::vector<double> weights(loads.begin(), loads.end());
  std::vector<std::vector<int32_t>> packs = packByLoad(
      weights, evenCapacities(static_cast<int64_t>(loads.size()), numChiplets));
  for (size_t chiplet = 0; chiplet < packs.size(); ++chiplet)
    for (int32_t expert : packs[chiplet]) {
      chipletOf[expert] = static_cast<int32_t>(chiplet);
      carried[chiplet] += loads[expert];
    }
}

void Balancing::descend(int64_t limit) {
  int32_t experts = static_cast<int32_t>(loads.size());
  while (true) {
    int64_t best = 0;
    int32_t one = -1, other = -1;
    for (int32_t x = 0; x < experts; ++x)
      for (int32_t y = x + 1; y < experts; ++y) {
        int32_t a = chipletOf[x], b = chipletOf[y];
        if (a == b || std::max(carried[a], carried[b]) <= limit)
          continue;
        int64_t change = excessOf(a, b, loads[x] - loads[y], limit) -
                         excessOf(a, b, 0, limit);
        if (change < best) {
          best = change;
          one = x;
          other = y;
        }
      }
    if (one < 0)
      return;
    exchange(one, other);
  }
}

void Balancing::exchange(int32_t one, int32_t other) {
  int64_t moved = loads[one] - loads[other];
  carried[chipletOf[one]] -= moved;
  carried[chipletOf[other]] += moved;
  std::swap(chipletOf[one], chipletOf[other]);
}

void Balancing::kick(SplitMix64 &random) {
  for (int64_t swap = 0; swap < kSwapsOfKick; ++swap)
    exchange(static_cast<int32_t>(random.below(loads.size())),
             static_cast<int32_t>(random.below(loads.size())));
}

std::vector<int32_t> mozart::balanceLoads(absl::Span<const int64_t> loads,
                                          int64_t numChiplets, int64_t limit,
                                          uint64_t seed) {
  Balancing best(loads, numChiplets);
  SplitMix64 random(seed);
  for (int64_t attempt = 0; attempt < kAttempts && best.busiest() > limit;
       ++attempt) {
    Balancing next = best;
    if (attempt > 0)
      next.kick(random);
    // Below the best, but no further than can be hoped for: a limit that is
    // not met is no guide to what can be.
    next.descend(std::max(limit, best.busiest() - 1));
    if (next.busiest() < best.busiest())
      best = next;
  }
  return best.chipletOf;
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
