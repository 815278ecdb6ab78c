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

  // For algorithms that search.
  /// The highest load of a chiplet, in (token, expert) pairs of the profile,
  /// over the mean of chiplets: at least 1; 0 for no cap.
  double loadCap = 0;
  /// What G_T counts beside C_T, rounded to thousandths.
  double groupWeight = 0;
  /// Placements to start from.
  int64_t starts = 4;
  /// Descents from near the best that the starts led to.
  int64_t kicks = 60;
  /// Swaps that may be made in all.
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

  static constexpr double kMaxGroupWeight = 1000;
  static constexpr int64_t kMaxStarts = 100'000;

  int64_t numChiplets() const { return static_cast<int64_t>(groupOf.size()); }
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
  /// for searches out of range, slots that do not hold the experts or the
  /// replicas, and an old placement of another shape.
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
