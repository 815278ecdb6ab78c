//===- Statistics.h - Load, co-activation, C_T, G_T ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_STATISTICS_H
#define MOZART_ROUTING_STATISTICS_H

#include "mozart/Routing/ReplicaChoice.h"
#include "mozart/Routing/Trace.h"

namespace mozart {

/// Tokens that chose each expert of a layer ([experts]).
std::vector<int64_t> expertLoad(const Trace &trace, int64_t layer);

/// Tokens that chose both experts ([experts x experts], symmetric; the
/// diagonal holds the load). Paper section "Placement", C_ij.
std::vector<int64_t> coactivation(const Trace &trace, int64_t layer);

/// How the tokens of a layer choose among its experts.
struct ExpertStatistics {
  std::vector<int64_t> load; // as expertLoad
  /// Highest load and standard deviation of the load, both over the mean.
  double loadMaxOverMean = 0, loadVariation = 0;
  /// Of each expert e that any token chose, the highest share of its tokens
  /// that some one other expert has too, P(f given e); the mean over those.
  double peakCoactivation = 0;
};

/// Most experts of which pairs are counted: a matrix of 128 MiB.
constexpr int64_t kMaxExpertsOfCoactivation = 4096;

/// Fails with kInvalidArgument on more than kMaxExpertsOfCoactivation experts.
/// All but the load is zero where no token chose any.
absl::StatusOr<ExpertStatistics> expertStatistics(const Trace &trace,
                                                  int64_t layer);

/// What a placement does to a layer's tokens.
struct LayerStatistics {
  /// Mean over tokens of distinct chiplets and distinct switch groups that a
  /// token is sent to (paper: C_T; G_T is its analogue for groups).
  double cT = 0, gT = 0;
  /// Max over mean, over chiplets, of (token, expert) pairs and of distinct
  /// tokens received.
  double loadMaxOverMean = 0, receiveMaxOverMean = 0;
};

/// Counts a layer of routing under a placement, whose chiplets are ordinals.
/// `groupOf[c]` is the group of chiplet c (-1: it is in none). Which of several
/// replicas a token is sent to goes by its position, which is its row in the
/// trace or, where those are given, in its micro-batch. Tokens whose slots are
/// all padding count as tokens that are sent nowhere. A layer in which no token
/// is sent anywhere has zero everywhere.
LayerStatistics layerStatistics(const Trace &trace, int64_t layer,
                                const ReplicaChoice &choice,
                                absl::Span<const int32_t> groupOf,
                                int64_t tokensPerMicroBatch = INT64_MAX);

/// The same where `chipletOf[e]` is the one chiplet of expert e.
LayerStatistics layerStatistics(const Trace &trace, int64_t layer,
                                absl::Span<const int32_t> chipletOf,
                                absl::Span<const int32_t> groupOf);

} // namespace mozart

#endif // MOZART_ROUTING_STATISTICS_H
