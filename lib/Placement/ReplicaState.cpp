//===- ReplicaState.cpp - Every token under a placement -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/ReplicaSearch.h"

#include <algorithm>

using namespace mozart;

ReplicaState::ReplicaState(const Trace &trace, int64_t layer,
                           absl::Span<const int32_t> groupOf,
                           const Placement &start, int64_t tokensPerMicroBatch)
    : trace(trace), layer(layer), tokensPerMicroBatch(tokensPerMicroBatch),
      groupOf(groupOf.begin(), groupOf.end()), chiplets(start.chipletsOf),
      tokensOf(trace.numExperts()), choices(trace.numTokens() * trace.k()),
      scratch(trace.k()), chipletSeen(groupOf.size(), 0),
      groupSeen(*std::max_element(groupOf.begin(), groupOf.end()) + 1, 0) {
  current.load.assign(groupOf.size(), 0);
  ReplicaChoice choice(chiplets);
  for (int64_t token = 0; token < numTokens(); ++token) {
    for (int32_t id : set(token))
      if (id != Trace::kPadding)
        tokensOf[id].push_back(token);
    absl::Span<int32_t> own =
        absl::MakeSpan(choices).subspan(token * trace.k(), trace.k());
    choice.choose(set(token), position(token), own);
    count(own, 1, current);
  }
}

void ReplicaState::count(absl::Span<const int32_t> chosen, int64_t sign,
                         ReplicaTotals &totals) {
  ++stamp;
  for (int32_t chiplet : chosen) {
    if (chiplet == ReplicaChoice::kNowhere)
      continue;
    totals.load[chiplet] += sign;
    if (chipletSeen[chiplet] == stamp)
      continue;
    chipletSeen[chiplet] = stamp;
    totals.chipletVisits += sign;
    int64_t &group = groupSeen[groupOf[chiplet]];
    totals.groupVisits += group == stamp ? 0 : sign;
    group = stamp;
  }
}

std::vector<std::vector<int32_t>>
ReplicaState::chipletsAfter(const ReplicaChange &change) const {
  std::vector<std::vector<int32_t>> after = chiplets;
  for (int i = 0; i < change.count; ++i) {
    const ReplicaChange::Step &step = change.steps[i];
    std::vector<int32_t> &own = after[step.expert];
    if (step.from >= 0)
      own.erase(std::find(own.begin(), own.end(), step.from));
    if (step.to >= 0)
      own.insert(std::upper_bound(own.begin(), own.end(), step.to), step.to);
  }
  return after;
}

template <typename Visit>
void ReplicaState::forEachChanged(const ReplicaChange &change, Visit visit) {
  ReplicaChoice choice(chipletsAfter(change));
  auto consider = [&](int64_t token) {
    choice.choose(set(token), position(token), absl::MakeSpan(scratch));
    absl::Span<const int32_t> before = chosen(token);
    if (!std::equal(before.begin(), before.end(), scratch.begin()))
      visit(token, absl::MakeConstSpan(scratch));
  };
  absl::Span<const int64_t> one = tokensOf[change.steps[0].expert], other;
  if (change.count > 1)
    other = tokensOf[change.steps[1].expert];
  // Tokens of either, those of both once.
  auto a = one.begin(), b = other.begin();
  while (a != one.end() || b != other.end()) {
    int64_t token = b == other.end() ? *a
                    : a == one.end() ? *b
                                     : std::min(*a, *b);
    a += a != one.end() && *a == token;
    b += b != other.end() && *b == token;
    consider(token);
  }
}

ReplicaTotals ReplicaState::tryChange(const ReplicaChange &change) {
  ReplicaTotals totals = current;
  forEachChanged(change, [&](int64_t token, absl::Span<const int32_t> after) {
    count(chosen(token), -1, totals);
    count(after, 1, totals);
  });
  return totals;
}

void ReplicaState::apply(const ReplicaChange &change) {
  forEachChanged(change, [&](int64_t token, absl::Span<const int32_t> after) {
    count(chosen(token), -1, current);
    count(after, 1, current);
    std::copy(after.begin(), after.end(), choices.begin() + token * trace.k());
  });
  chiplets = chipletsAfter(change);
}
