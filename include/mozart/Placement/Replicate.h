//===- Replicate.h - Placing with replicas, and near what was -----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PlacementProblem asks for beside the placement of each expert once:
// replicas of experts within slots, and few moves from an old placement.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_REPLICATE_H
#define MOZART_PLACEMENT_REPLICATE_H

#include "mozart/Placement/Placement.h"

namespace mozart {

/// Places one layer by an algorithm, with the replicas and within the moves
/// that the problem asks for.
///
/// `search` starts from what it finds without replicas, with the load cap and
/// without, or from the old placement, and descends by ReplicaSearch. Where all
/// experts are free to move, chiplets are renumbered, within and among switch
/// groups, so that fewer do. `load` makes the replicas that replicateByLoad
/// does.
///
/// Fails as the algorithm does; with kInvalidArgument where it makes no
/// replicas, or goes by no old placement; with kFailedPrecondition where a load
/// cap is not met, saying how close it came and how many replicas meet it.
absl::StatusOr<Placement> placeLayer(const PlacementAlgorithm &algorithm,
                                     const PlacementProblem &problem);

/// A placement that meets the problem's load cap with as few replicas as are
/// found, within the problem's slots (0: as many as it takes) and number of
/// replicas, whatever C_T is. They are added one after another, each where it
/// lowers the excess most, so fewer may do. Expects a problem that verifies,
/// with a profile. Fails with kNotFound where none is found with up to two
/// replicas an expert in the mean.
absl::StatusOr<Placement> placeForLoadCap(const PlacementProblem &problem);

/// The same placement with chiplets renumbered so that few experts move from
/// `old` (countMoves): chiplets within their switch group, and groups of equal
/// size. C_T, G_T and loads stay.
Placement renumberChiplets(const Placement &placement, const Placement &old,
                           absl::Span<const int32_t> groupOf);

/// A C_T below which no placement is whose chiplets hold at most `most`
/// experts: the mean over tokens of their experts over that, rounded up.
double boundOfCT(const Trace &trace, int64_t layer, int64_t most);

/// The most experts on a chiplet.
int64_t mostExpertsOfChiplet(const Placement &placement);
/// Replicas beyond the first of each expert.
int64_t countReplicas(const Placement &placement);
/// "5 on 0 2, 9 on 1 3 4": the experts that have replicas, and their chiplets;
/// empty for none.
std::string describeReplicas(const Placement &placement);

} // namespace mozart

#endif // MOZART_PLACEMENT_REPLICATE_H
