//===- Options.h - The command line of mozart-place ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACE_OPTIONS_H
#define MOZART_PLACE_OPTIONS_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mozart {

struct PlaceOptions {
  std::string profile;                     // a trace file; empty for none
  std::string evaluate;                    // likewise
  std::string algorithm;                   // empty for the default
  std::string placement;                   // a placement file; empty for none
  std::string keep;                        // likewise
  std::string output;                      // a placement file; empty for none
  std::string machine;                     // a preset or a file; empty for none
  std::optional<int64_t> experts;          // by the traces where not given
  std::optional<int64_t> chiplets, groups; // instead of a machine
  uint64_t seed = 0;
  std::optional<int64_t> threads;
  // For algorithms that search, where given.
  std::optional<double> loadCap, groupLoadCap;
  std::optional<double> chipletWeight, groupWeight, receiveWeight;
  std::optional<double> levelWeight, hopWeight;
  std::optional<int64_t> starts, kicks, budget;
  // Replicas and moves, where given.
  std::optional<int64_t> slots, maxReplicas, chipletBytes, expertBytes,
      maxMoves;
  std::string frontier; // load caps, comma-separated; empty for none
  bool drift = false;
  bool pad = false;
  bool help = false;

  static constexpr const char *kDefaultAlgorithm = "algorithm1";
};

/// Reads `--name=value`, `--name value`, `--flag`, `-o value` and `--help`.
/// Fails with kInvalidArgument, naming the argument, on anything else.
absl::StatusOr<PlaceOptions>
parsePlaceOptions(absl::Span<const absl::string_view> arguments);

/// What `--help` prints.
std::string placeHelp();

} // namespace mozart

#endif // MOZART_PLACE_OPTIONS_H
