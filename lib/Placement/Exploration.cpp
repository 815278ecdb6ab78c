//===- Exploration.cpp - Many ends of a search, the best kept -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exploration.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

/// How often a price is doubled before a descent is given up.
static constexpr int64_t kPenaltyRounds = 12;

/// Random swaps of a kick. With fewer most ways lead back.
static constexpr int64_t kSwapsOfKick = 8;

/// Steps on one side of the limits after which their price changes.
static constexpr int64_t kStepsOfPenalty = 4;

/// What a unit above the limits costs first: half of what one of the amount
/// costs on average.
int64_t Exploration::firstPenalty(const SwapSearch &search) const {
  if (objective.limits.empty())
    return 0;
  const std::vector<int64_t> &amount = objective.limits[0].amount;
  int64_t sum = std::accumulate(amount.begin(), amount.end(), int64_t(0));
  return 1 + search.cost().first / std::max<int64_t>(2 * sum, 1);
}

void Exploration::consider(const SwapSearch &search) {
  if (search.excess() > 0)
    return;
  SwapSearch::Value value = search.cost();
  if (found.size() == kKept && !(value < found.back().value))
    return;
  absl::Span<const int32_t> chipletOf = search.chipletOf();
  for (const Found &known : found)
    if (absl::MakeConstSpan(known.chipletOf) == chipletOf)
      return;
  Found entry{value, {chipletOf.begin(), chipletOf.end()}};
  auto place = std::upper_bound(
      found.begin(), found.end(), entry,
      [](const Found &a, const Found &b) { return a.value < b.value; });
  if (place == found.begin())
    atBest = search;
  found.insert(place, std::move(entry));
  if (found.size() > kKept)
    found.pop_back();
}

void Exploration::settle(SwapSearch &search) {
  int64_t penalty = firstPenalty(search);
  search.descend(penalty, budget);
  for (int64_t round = 0; round < kPenaltyRounds && search.excess() > 0;
       ++round)
    search.descend(penalty <<= 1, budget);
  if (search.excess() == 0 && !objective.limits.empty())
    search.descend(SwapSearch::kForbidden, budget);
  consider(search);
}

void Exploration::take(std::vector<int32_t> chipletOf) {
  consider(SwapSearch(graph, objective, std::move(chipletOf)));
}

void Exploration::startFrom(std::vector<int32_t> chipletOf) {
  SwapSearch search(graph, objective, std::move(chipletOf));
  consider(search);
  settle(search);
  visits += search.edgeVisits();
}

void Exploration::walk(SwapSearch &search, int64_t steps) {
  int64_t lowest = firstPenalty(search), penalty = lowest;
  int64_t above = 0, within = 0;
  // Of a way that leads down, only the end is a candidate.
  std::optional<SwapSearch> low;
  SwapSearch::Value bound = found.front().value;
  for (int64_t step = 0; step < steps && budget > 0; ++step) {
    if (search.stepOn(penalty, bound, random))
      --budget;
    if (search.excess() == 0) {
      above = 0;
      if (search.cost() < bound) {
        bound = search.cost();
        low = search;
      }
    }
    if (objective.limits.empty())
      continue;
    bool isAbove = search.excess() > 0;
    above = isAbove ? above + 1 : 0;
    within = isAbove ? 0 : within + 1;
    if (above == kStepsOfPenalty) {
      penalty = std::min(penalty << 1, lowest << kPenaltyRounds);
      above = 0;
    } else if (within == kStepsOfPenalty) {
      penalty = std::max<int64_t>(penalty - penalty / 3, 1);
      within = 0;
    }
  }
  if (low)
    settle(*low);
}

void Exploration::kick(int64_t steps) {
  if (!atBest)
    return;
  SwapSearch search = *atBest;
  int64_t before = search.edgeVisits();
  for (int64_t swap = 0; swap < kSwapsOfKick; ++swap)
    search.swapRandom(random);
  walk(search, steps);
  visits += search.edgeVisits() - before;
}

void Exploration::walkFromBest(int64_t steps) {
  if (!atBest)
    return;
  SwapSearch search = *atBest;
  int64_t before = search.edgeVisits();
  walk(search, steps);
  visits += search.edgeVisits() - before;
}
