//===- PlacementLatency.h - The time of a layer under a placement -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a search for placements needs to know of a machine, and a cost for it to
// minimise: the time of one MoE layer, from the counts of a placement alone.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_PLACEMENTLATENCY_H
#define MOZART_COST_PLACEMENTLATENCY_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Placement/Placement.h"

#include "absl/status/statusor.h"

namespace mozart {

/// Where the expert chiplets of a machine are, by ordinal: fields of a
/// PlacementProblem.
struct MachinePositions {
  /// The subtree of the root; chiplets outside all form one more.
  std::vector<int32_t> groupOf;
  /// One level for each further step from the root at which paths still share
  /// a node; weights are 0. A tree may be unbalanced, and on a mesh the paths
  /// from the root form the tree.
  std::vector<SwitchLevel> levels;
  /// Links of the path from the root.
  std::vector<int64_t> hopsOf;
};

MachinePositions positionsOf(const MachineModel &machine);

/// What a layer's tokens and experts weigh.
struct LayerShape {
  /// Tokens of a step, to which the counts of the profile are scaled.
  int64_t tokens = 0;
  /// Bytes of a token's row on a link, each way.
  int64_t rowBytes = 0;
  /// Bytes of an expert's weights that are loaded; used where the problem tells
  /// no sizes.
  int64_t expertBytes = 0;
  /// Operations of one expert on one token, and bytes of an element.
  int64_t flopsPerPair = 0;
  int64_t elementBytes = 2;
};

/// The time of a layer in picoseconds:
///
///   max(loads, dispatch + compute + combine)
///
///   loads     the longest over memories: bytes of the weights of all chiplets
///             that it serves / its sustained read rate
///   dispatch  the longest over links from the root on: rows / the link's rate.
///             A link carries a row for each token with a chiplet beyond it
///             where the node before it multicasts (or is the root), and else
///             one for each token and chiplet beyond
///   compute   the longest over chiplets: pairs * flops of one / the rate of
///             the chiplet's roofline, and its kernel start
///   combine   as dispatch, on the reverse links; the node that adds is the
///             one that the link comes from
///
/// Of a problem whose groupOf and levels are positionsOf(machine) and whose
/// profile has `profileTokens` tokens. Fails with kInvalidArgument on numbers
/// below 0 or, of tokens, below 1, and where no time fits in 46 bits of
/// picoseconds per token. Keeps no reference to the machine.
absl::StatusOr<PlacementCost> layerLatency(const MachineModel &machine,
                                           const LayerShape &shape,
                                           int64_t profileTokens);

} // namespace mozart

#endif // MOZART_COST_PLACEMENTLATENCY_H
