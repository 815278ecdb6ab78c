//===- GroupAllocation.h - Which clusters share a switch group ----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_GROUPALLOCATION_H
#define MOZART_PLACEMENT_GROUPALLOCATION_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

struct GroupAllocation {
  /// The group of each cluster.
  std::vector<int32_t> groupOf;
  /// False where the search was stopped at its limit of steps; then it is the
  /// best that was found.
  bool provenOptimal = true;
};

/// Puts clusters into groups of the given sizes (whose sum is the number of
/// clusters) so that the share of the workload of each group is as close as
/// can be to its share of the clusters: 1 / groups where sizes are equal, as
/// paper section "Placement" asks.
///
/// Exact: least is the greatest deviation |load of the group - its share|;
/// under that the sum of squared deviations. Of equal solutions the first found
/// is taken, in an order that goes by descending load and then by id, so that
/// the result is the same everywhere; of equally large groups the one with the
/// lowest cluster id comes first. Branch and bound, `maxSteps` at most (16
/// clusters in 4 groups take some thousands).
///
/// Fails with kInvalidArgument on a negative load, a size below 1, sizes that
/// do not add up, and loads too large to add.
absl::StatusOr<GroupAllocation>
allocateGroups(absl::Span<const int64_t> loads,
               absl::Span<const int64_t> groupSizes,
               int64_t maxSteps = 5'000'000);

} // namespace mozart

#endif // MOZART_PLACEMENT_GROUPALLOCATION_H
