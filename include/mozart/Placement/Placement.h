//===- Placement.h - Which chiplets hold which experts ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_PLACEMENT_H
#define MOZART_PLACEMENT_PLACEMENT_H

#include "mozart/Routing/Trace.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mozart {

/// Experts of one layer on chiplets. `chipletsOf[e]` lists the ordinals of the
/// chiplets that hold a replica of expert e, ascending, never empty.
struct Placement {
  int64_t numChiplets = 0;
  std::vector<std::vector<int32_t>> chipletsOf;
  /// What a user should be told about how it was found; mostly empty.
  std::vector<std::string> remarks;

  int64_t numExperts() const { return static_cast<int64_t>(chipletsOf.size()); }
  /// Experts of each chiplet, ascending: local id i of chiplet c is
  /// `expertsOf()[c][i]`.
  std::vector<std::vector<int32_t>> expertsOf() const;
  /// Fails naming the expert or chiplet: an expert without a chiplet, an
  /// ordinal outside [0, numChiplets), the same chiplet twice.
  absl::Status verify() const;
};

/// A level of switches below the groups: the part of the machine that each
/// chiplet hangs in, so that a machine of any depth, balanced or not, is a list
/// of these.
struct SwitchLevel {
  /// Part of each chiplet, in [0, chiplets); -1: it hangs in none, and what is
  /// sent to it crosses nothing here.
  std::vector<int32_t> partOf;
  /// What the mean number of parts that a token is sent to counts beside C_T,
  /// rounded to thousandths.
  double weight = 0;
  /// The highest load of a part, over its chiplets' share by speed: at least 1;
  /// 0 for no cap.
  double loadCap = 0;
};

/// What a placement does to the tokens of a layer's profile: what costs of
/// placements are made of.
struct PlacementCounts {
  /// Of each chiplet: (token, expert) pairs, distinct tokens received, experts,
  /// and bytes of their weights (0 where the problem tells no sizes).
  std::vector<int64_t> load, received, experts, bytes;
  /// Distinct tokens received by each group and by each part of each level:
  /// [0] is the groups, [1 + l] the problem's level l.
  std::vector<std::vector<int64_t>> crossing;
};

/// What a placement costs, at least 0, in a unit of its own; values above
/// kMaxCost count as that. Called for every change that a search considers, so
/// it should take well under a microsecond; from several threads at once where
/// layers are placed so.
using PlacementCost = std::function<int64_t(const PlacementCounts &)>;

/// What a placer is asked: experts of one layer, chiplets in groups.
struct PlacementProblem {
  int64_t numExperts = 0;
  /// Group of each chiplet; chiplet c is in group groupOf[c].
  std::vector<int32_t> groupOf;
  /// Profile; may be null for algorithms that need none.
  const Trace *profile = nullptr;
  int64_t layer = 0;
  /// Rows of the profile that are one micro-batch: a token's place in it says
  /// which of several replicas it goes to.
  int64_t tokensPerMicroBatch = INT64_MAX;
  uint64_t seed = 0;

  // Unequal chiplets and experts. Each is empty, for equal ones, or as long as
  // there are chiplets or experts.
  /// Experts that each chiplet has room for, at least 1. Empty: as even as can
  /// be.
  std::vector<int64_t> slotsOf;

  // For algorithms that search.
  /// Bytes of each expert's weights and of each chiplet's room for them; both
  /// or neither.
  std::vector<int64_t> expertBytes, bytesOf;
  /// Speed of each chiplet, in any unit, at least 1: its share of the load, by
  /// which caps go.
  std::vector<int64_t> speedOf;
  /// The highest load of a chiplet, in (token, expert) pairs of the profile,
  /// over its share (by speed; else the mean of chiplets): at least 1; 0 for no
  /// cap. The same of a group.
  double loadCap = 0, groupLoadCap = 0;
  /// What is minimised: chipletWeight C_T + groupWeight G_T + the levels'
  /// weights times their means + receiveWeight times the share of tokens that
  /// the busiest chiplet receives + hopWeight times the mean number of hops of
  /// a token's copies. Weights are rounded to thousandths.
  double chipletWeight = 1, groupWeight = 0, receiveWeight = 0, hopWeight = 0;
  std::vector<SwitchLevel> levels;
  /// Links from the attention chiplet to each chiplet, for hopWeight; clusters
  /// are put on chiplets by it also where hopWeight is 0. Empty: all alike.
  std::vector<int64_t> hopsOf;
  /// Where there is one it is what is minimised, and the above decides among
  /// placements of equal cost.
  PlacementCost cost;
  /// Placements to start from.
  int64_t starts = 8;
  /// Times that a search goes on from near the best that is known.
  int64_t kicks = 60;
  /// Changes that may be made in all.
  int64_t moveBudget = 1'000'000;

  // For algorithms that make replicas.
  /// Experts that fit on a chiplet: at least numExperts / numChiplets rounded
  /// up; 0 where experts are to have no replicas.
  int64_t slots = 0;
  /// Replicas beyond the first of each expert, over all chiplets; -1 for as
  /// many as fit and help.
  int64_t maxReplicas = -1;

  // For algorithms that search.
  /// Where experts were: of each layer, or one that holds for all; empty where
  /// it does not matter.
  absl::Span<const Placement> keep;
  /// How many may stand on a chiplet that `keep` has them not on (an expert
  /// counts once for each such chiplet); -1 for any number.
  int64_t maxMoves = -1;

  /// Of any weight.
  static constexpr double kMaxGroupWeight = 1000;
  static constexpr int64_t kMaxStarts = 100'000;
  static constexpr int64_t kMaxHops = 10'000;
  static constexpr int64_t kMaxCost = int64_t(1) << 46;

  int64_t numChiplets() const { return static_cast<int64_t>(groupOf.size()); }
  /// Whether anything is asked that only a search can go by: a load cap or a
  /// weight of groups, or more.
  bool asksForSearch() const {
    return loadCap != 0 || groupWeight != 0 || asksForMoreThanCapAndGroups();
  }
  /// Whether more is asked: other caps and weights, sizes, speeds, a cost. Only
  /// the search without replicas goes by these.
  bool asksForMoreThanCapAndGroups() const;
  /// Experts for each chiplet, as even as slots allow, the larger first.
  std::vector<int64_t> capacities() const;
  /// The layer of the profile that stands for `layer`: the one there is, where
  /// there is but one.
  int64_t profileLayer() const { return profile->numLayers() == 1 ? 0 : layer; }
  /// The old placement of `layer`; null where there is none.
  const Placement *oldPlacement() const {
    return keep.empty() ? nullptr : &keep[keep.size() == 1 ? 0 : layer];
  }
  /// Fails with kInvalidArgument: no experts or more than Trace::kMaxExperts,
  /// no chiplets, more chiplets than experts, a group outside [0, chiplets), a
  /// profile over other experts, without tokens, or without the layer, numbers
  /// for searches out of range, room for too few experts or bytes, slots that
  /// do not hold the experts or the replicas, and an old placement of another
  /// shape.
  absl::Status verify() const;
};

/// A way to place experts. One file each under lib/Placement; `all` lists them.
/// `run` fails as PlacementProblem::verify does, and without a profile where
/// one is needed; with kFailedPrecondition where the load cap is not met,
/// saying how close it came and what is proven.
struct PlacementAlgorithm {
  const char *name;
  const char *description;
  bool needsProfile;
  /// Whether it goes by the numbers for searches; the others
  /// leave them aside.
  bool searches;
  absl::StatusOr<Placement> (*run)(const PlacementProblem &problem);
  /// The same with replicas, within the problem's slots; null where it makes
  /// none. Called through placeLayer (Replicate.h), as is `run`.
  absl::StatusOr<Placement> (*replicate)(const PlacementProblem &problem) =
      nullptr;

  static absl::Span<const PlacementAlgorithm> all();
  /// Fails with kNotFound, listing the names there are.
  static absl::StatusOr<const PlacementAlgorithm *>
  find(absl::string_view name);
};

/// Experts per chiplet for `numExperts` on `numChiplets`: sizes that differ by
/// at most one, the larger first.
std::vector<int64_t> evenCapacities(int64_t numExperts, int64_t numChiplets);

} // namespace mozart

#endif // MOZART_PLACEMENT_PLACEMENT_H
