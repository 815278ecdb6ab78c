//===- Traces.h - The traces that mozart-place reads --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACE_TRACES_H
#define MOZART_PLACE_TRACES_H

#include "Options.h"
#include "mozart/Routing/Trace.h"

namespace mozart {

/// The traces that were named, over the same experts.
struct Traces {
  std::optional<Trace> profile, evaluation;
  int64_t experts = 0;
  /// Layers to place.
  int64_t layers = 1;
};

/// Fails where a trace cannot be read, the two are not of one model, or the
/// number of experts is not known.
absl::StatusOr<Traces> readTraces(const PlaceOptions &options);

} // namespace mozart

#endif // MOZART_PLACE_TRACES_H
