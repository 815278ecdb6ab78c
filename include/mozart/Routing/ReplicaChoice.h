//===- ReplicaChoice.h - Which replica a token is sent to ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where experts stand on several chiplets, everybody who counts or sends tokens
// must choose the same one: placers, statistics, the cost model, the simulator
// and the compiled program. The choice is a function of three things that a
// compiled program has at hand: the token's set of experts, its position (the
// row of its micro-batch, from 0), and the placement. It is made thus:
//
//   1. The token goes to the chiplet of each of its experts that is on one
//      chiplet only.
//   2. Its other experts follow in ascending order of their ids. Candidates
//      for one are those of its chiplets to which the token goes already; where
//      there are none, all of its chiplets. Of n candidates, in ascending
//      order, the one at place `position mod n` is taken, and the token goes
//      there.
//
// So a replica is a new chiplet only where it must be, and tokens that are free
// to go anywhere are dealt out evenly. The order of slots, and other tokens,
// have no part in it.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_REPLICACHOICE_H
#define MOZART_ROUTING_REPLICACHOICE_H

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// The rule above for one placement. Safe to share between threads.
class ReplicaChoice {
public:
  /// A slot that is sent nowhere.
  static constexpr int32_t kNowhere = -1;

  /// `chipletsOf[e]` holds the chiplets of expert e, ascending, each once: any
  /// numbers of at least 0 (ordinals, or nodes of a machine in the same order).
  /// An expert with none is sent nowhere.
  explicit ReplicaChoice(absl::Span<const std::vector<int32_t>> chipletsOf);
  /// Each expert on one chiplet, or at kNowhere.
  explicit ReplicaChoice(absl::Span<const int32_t> chipletOf);

  int64_t numExperts() const { return static_cast<int64_t>(begin.size()) - 1; }
  /// Whether any expert is on more than one chiplet.
  bool hasReplicas() const { return replicas; }
  absl::Span<const int32_t> chipletsOf(int32_t expert) const {
    return absl::MakeConstSpan(chiplets).subspan(
        begin[expert], begin[expert + 1] - begin[expert]);
  }

  /// The chiplet of each slot of a token; kNowhere for padding. `set` holds
  /// distinct ids below numExperts() and Trace::kPadding, `position` is at
  /// least 0, and `chosen` is as long as `set`.
  void choose(absl::Span<const int32_t> set, int64_t position,
              absl::Span<int32_t> chosen) const;

private:
  int32_t chooseOne(int32_t expert, int64_t position,
                    absl::Span<const int32_t> chosen) const;

  std::vector<int64_t> begin; // of each expert in `chiplets`, and the end
  std::vector<int32_t> chiplets;
  bool replicas = false;
};

} // namespace mozart

#endif // MOZART_ROUTING_REPLICACHOICE_H
