//===- ChipletGroups.h - The chiplets to place on -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACE_CHIPLETGROUPS_H
#define MOZART_PLACE_CHIPLETGROUPS_H

#include "Options.h"
#include "mozart/Placement/Placement.h"

#include <vector>

namespace mozart {

/// The switch group of each expert chiplet.
struct ChipletGroups {
  /// For a PlacementProblem, in which every chiplet is in a group: those that
  /// hang below no switch of the root form one more.
  std::vector<int32_t> forPlacing;
  /// For statistics, which count a chiplet outside every group (-1) in none, as
  /// the simulator's report does.
  std::vector<int32_t> forCounting;
  /// Of a machine: its deeper levels of switches, and the links to each
  /// chiplet.
  std::vector<SwitchLevel> levels;
  std::vector<int64_t> hopsOf;
  int64_t count = 0; // groups, without that one more
};

/// The chiplets of --machine, or those of --chiplets and --groups. Fails with
/// kInvalidArgument where neither or both are given, the machine cannot be
/// loaded (listing the presets there are), the groups do not divide the
/// chiplets, or a weight is given that only a machine has a use for.
absl::StatusOr<ChipletGroups> chipletGroups(const PlaceOptions &options);

} // namespace mozart

#endif // MOZART_PLACE_CHIPLETGROUPS_H
