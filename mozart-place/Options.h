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
  std::string profile;  // a trace file; empty for none
  std::string evaluate; // likewise
  std::string algorithm = "algorithm1";
  std::string output;                      // a placement file; empty for none
  std::string machine;                     // a preset or a file; empty for none
  std::optional<int64_t> experts;          // by the traces where not given
  std::optional<int64_t> chiplets, groups; // instead of a machine
  uint64_t seed = 0;
  // For algorithms that search, where given.
  std::optional<double> loadCap, groupWeight;
  std::optional<int64_t> starts, kicks, budget;
  bool help = false;
};

/// Reads `--name=value`, `--name value`, `-o value` and `--help`. Fails with
/// kInvalidArgument, naming the argument, on anything else.
absl::StatusOr<PlaceOptions>
parsePlaceOptions(absl::Span<const absl::string_view> arguments);

/// What `--help` prints.
std::string placeHelp();

} // namespace mozart

#endif // MOZART_PLACE_OPTIONS_H
