//===- LoadBalance.h - Packing and replicating by load ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expert-parallel load balancer that DeepSeek published ("EPLB"): hot
// experts are replicated, and replicas packed so that devices carry equal
// load. It knows nothing of which experts fire together.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_LOADBALANCE_H
#define MOZART_PLACEMENT_LOADBALANCE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// Puts items, heaviest first, each into the lightest pack that has room.
/// Returns the items of each pack in the order they came. Ties go to the
/// lowest item and the lowest pack. Where every pack takes one item, item i is
/// in pack i. The capacities must add up to at least the number of items.
std::vector<std::vector<int32_t>>
packByLoad(absl::Span<const double> loads,
           absl::Span<const int64_t> capacities);

/// A load that some chiplet reaches in every placement of the experts, without
/// replicas, on C chiplets of evenCapacities. The highest of: the mean, rounded
/// up; what the heaviest j C + 1 experts give, of which some chiplet holds
/// j + 1; and what the m heaviest give, of which two share a chiplet or else m
/// chiplets share these and as light a rest as there is. Expects loads of at
/// least 0 and as many experts as chiplets or more.
int64_t boundOfBusiest(absl::Span<const int64_t> loads, int64_t numChiplets);

/// The chiplet of each expert, in evenCapacities, so that the busiest chiplet
/// carries at most `limit`; or, where none is found, as little as is found.
/// Packs by load and goes on by swaps, some of them random.
std::vector<int32_t> balanceLoads(absl::Span<const int64_t> loads,
                                  int64_t numChiplets, int64_t limit,
                                  uint64_t seed);

/// Where replicas go: `nodes` of equally many devices, devices of equally many
/// places, of which there are `places` in all. Experts come in `expertGroups`
/// of equal size, consecutive ids each; a group stays on one node.
struct ReplicaShape {
  int64_t places = 0, expertGroups = 1, nodes = 1, devices = 1;
};

struct ReplicaLayout {
  /// The expert at each place, device after device.
  std::vector<int32_t> expertOfPlace;
  /// Replicas of each expert, at least one; a device may hold several of them.
  std::vector<int32_t> replicasOf;
};

/// Expert groups are packed on nodes, then places that are left over on a node
/// go, one after another, to the expert with the highest load for each
/// replica, then replicas are packed on the node's devices. As published, the
/// machine is taken as one node with one group where nodes do not divide the
/// groups.
///
/// Fails with kInvalidArgument on no experts, a negative load, fewer places
/// than experts, and on numbers that do not divide as above.
absl::StatusOr<ReplicaLayout> replicateByLoad(absl::Span<const int64_t> loads,
                                              const ReplicaShape &shape);

} // namespace mozart

#endif // MOZART_PLACEMENT_LOADBALANCE_H
