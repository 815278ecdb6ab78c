//===- RoutedCounts.h - How many rows a routed buffer has ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers of routed tokens are sized for the worst case; what is really in them
// follows from the routing. These counts are what durations are made of.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_ROUTEDCOUNTS_H
#define MOZART_COST_ROUTEDCOUNTS_H

#include "mozart/Routing/Trace.h"
#include "mozart/Sim/Program.h"

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

#include <tuple>
#include <vector>

namespace mozart {

/// Counts of one slice of one layer's routing.
struct RoutedCounts {
  /// Tokens that have at least one of the slice's pairs.
  int64_t tokens = 0;
  /// (token, expert) pairs of the slice: the sum of `pairsOfExpert`.
  int64_t pairs = 0;
  /// Pairs of each of the slice's experts, by position in its list.
  std::vector<int64_t> pairsOfExpert;
};

/// A set of tokens of a slice: token t is bit t % 64 of word t / 64. Sets of
/// tokens are counted and joined 64 tokens at a time.
using TokenSet = std::vector<uint64_t>;

int64_t countTokens(absl::Span<const uint64_t> set);
/// Adds the tokens of `other`, a set of the same slice.
void addTokens(TokenSet &set, absl::Span<const uint64_t> other);

/// The tokens of each expert, for a range of tokens of a layer; of each replica
/// where there is an expert map.
struct ExpertTokens {
  int64_t words = 0;              ///< of each set
  std::vector<uint64_t> sets;     ///< [place][word]
  std::vector<int64_t> numTokens; ///< of each place
  const ExpertMap *map = nullptr;
  /// With a map: the first place of each expert, whose nodes have one each.
  std::vector<int64_t> firstPlace;

  /// Of a node that has the expert by the map; without one, of any.
  int64_t placeOf(int32_t expert, int32_t node) const;
  absl::Span<const uint64_t> tokensAt(int64_t place) const {
    return absl::MakeConstSpan(sets).subspan(place * words, words);
  }
};

/// Counts the slices of a program under one routing, each once. Not thread
/// safe. The program and the routing outlive it.
class RoutingCounter {
public:
  /// `routing` may be null for a program without routed buffers.
  RoutingCounter(const Program &program, const BoundRouting *routing)
      : program(program), routing(routing) {}

  /// Fails with kInvalidArgument if the program has MoE layers and there is no
  /// routing, or one of another shape.
  absl::Status check() const;

  /// Counts of slice `slice` in [0, program.slices.size()); a slice without
  /// experts is empty. `check` has succeeded.
  const RoutedCounts &counts(int32_t slice);

  /// The tokens of all experts of the program, among those of `slice` (of which
  /// `experts`, `expertMap` and `node` are not looked at), by an expert map of
  /// the program where `expertMap` is not -1.
  const ExpertTokens &expertTokens(const RoutedSlice &slice, int32_t expertMap);

  /// The experts of one token, padding included.
  absl::Span<const int32_t> set(const RoutedSlice &slice, int64_t token) const {
    return routing->set(slice.layer, slice.microBatch,
                        slice.tokenBegin + token);
  }

  const BoundRouting *bound() const { return routing; }

private:
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t,
                         std::vector<int32_t>, int32_t, int32_t>;

  const Program &program;
  const BoundRouting *routing;
  std::vector<const RoutedCounts *> ofSlice;
  absl::node_hash_map<Key, RoutedCounts> known;
  using Range = std::tuple<int64_t, int64_t, int64_t, int64_t, int32_t>;
  absl::node_hash_map<Range, ExpertTokens> tokensOfRange;
};

} // namespace mozart

#endif // MOZART_COST_ROUTEDCOUNTS_H
