//===- Statistics.h - Load, co-activation, C_T, G_T ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_STATISTICS_H
#define MOZART_ROUTING_STATISTICS_H

#include "mozart/Routing/Trace.h"

namespace mozart {

/// Tokens that chose each expert of a layer ([experts]).
std::vector<int64_t> expertLoad(const Trace &trace, int64_t layer);

/// Tokens that chose both experts ([experts x experts], symmetric; the
/// diagonal holds the load). Paper section "Placement", C_ij.
std::vector<int64_t> coactivation(const Trace &trace, int64_t layer);

/// What a placement does to a layer's tokens.
struct LayerStatistics {
  /// Mean over tokens of distinct chiplets and distinct switch groups that a
  /// token is sent to (paper: C_T; G_T is its analogue for groups).
  double cT = 0, gT = 0;
  /// Max over mean, over chiplets, of (token, expert) pairs and of distinct
  /// tokens received.
  double loadMaxOverMean = 0, receiveMaxOverMean = 0;
};

/// Counts a layer of bound routing. `chipletOf[e]` is the chiplet ordinal of
/// expert e, `groupOf[c]` the group of chiplet c (-1: it is in none). Tokens whose slots are all
/// padding count as tokens that are sent nowhere. A layer in which no token
/// is sent anywhere has zero everywhere.
LayerStatistics layerStatistics(const Trace &trace, int64_t layer,
                                absl::Span<const int32_t> chipletOf,
                                absl::Span<const int32_t> groupOf);

} // namespace mozart

#endif // MOZART_ROUTING_STATISTICS_H
