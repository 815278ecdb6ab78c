//===- PlacementIO.h - Placements in files ------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms. A path that ends in .csv is the second, any other the first.
//
// The JSON that serving engines load as an expert location:
//   {"physical_to_logical_map": [[5, 2, ...], ...]}     [layers][physical]
// holds the expert at each physical place, chiplet after chiplet, so that the
// chiplet of place p is p / (places a chiplet). An expert with replicas stands
// at several places. Engines refuse other keys, so there are none where every
// chiplet holds equally many. Elsewhere they cannot load it, and
//   "experts_per_chiplet": [[5, 4, ...], ...]           [layers][chiplets]
// says where each chiplet's places end - unless the map is padded: then the
// places that are missing on a chiplet are filled with its own experts once
// more, lowest first, which changes nothing for an engine.
//
// The table of experts:
//   Expert,Node          or, of several layers,   Layer,Expert,Node
// with one line for each expert and chiplet (its ordinal among those that host
// experts), ascending.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_PLACEMENTIO_H
#define MOZART_PLACEMENT_PLACEMENTIO_H

#include "mozart/Placement/Placement.h"

#include "absl/strings/string_view.h"

#include <string>

namespace mozart {

struct PlacementReadOptions {
  /// Experts of the model; 0 takes the highest id + 1.
  int64_t experts = 0;
  /// Chiplets of the machine; 0 is only enough with experts_per_chiplet.
  int64_t chiplets = 0;
  /// Whether an expert may stand on several chiplets. Then it may stand twice
  /// on one as well, which counts once and is remarked upon.
  bool allowReplicas = false;
};

struct PlacementWriteOptions {
  /// Whether a map of chiplets that hold unequally many is padded.
  bool pad = false;
};

/// One placement a layer. Fails with kInvalidArgument on anything that is not a
/// placement (an expert missing, twice, or unknown; places that do not divide
/// by chiplets), naming layer and expert; readPlacements names the file too.
absl::StatusOr<std::vector<Placement>>
parsePlacements(absl::string_view text, const PlacementReadOptions &options);
absl::StatusOr<std::vector<Placement>>
parsePlacementsCsv(absl::string_view text, const PlacementReadOptions &options);
absl::StatusOr<std::vector<Placement>>
readPlacements(const std::string &path, const PlacementReadOptions &options);

/// Fails where a placement does not verify or layers differ in their number of
/// chiplets or, without padding, places.
absl::StatusOr<std::string>
printPlacements(absl::Span<const Placement> placements,
                const PlacementWriteOptions &options = {});
absl::StatusOr<std::string>
printPlacementsCsv(absl::Span<const Placement> placements);
/// Writes all of it or nothing.
absl::Status writePlacements(const std::string &path,
                             absl::Span<const Placement> placements,
                             const PlacementWriteOptions &options = {});

} // namespace mozart

#endif // MOZART_PLACEMENT_PLACEMENTIO_H
