//===- SwapSearch.cpp - Steps by exact changes ---------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/SwapSearch.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

static constexpr int64_t kRatioBits = 20;

/// What changes are held against.
struct SwapSearch::Sieve {
  int64_t penalty = 0;
  /// Where steps may lead up: what a tabu change must lead below.
  const Value *aspiration = nullptr;
  /// What a change can lower beside its linear part, at most; INT64_MAX where
  /// that is not known.
  int64_t slack = 0;
};

SwapSearch::SwapSearch(const Hypergraph &graph, const SwapObjective &objective,
                       std::vector<int32_t> chipletOf)
    : objective(&objective), numExperts(graph.numVertices()),
      numChiplets(objective.numChiplets()), chiplet(std::move(chipletOf)),
      byExpert(numExperts * numChiplets), byChiplet(numExperts * numChiplets),
      tabuUntil(numExperts * numChiplets, 0) {
  for (size_t index = 0; index < objective.levels.size(); ++index) {
    const SwapObjective::Level &level = objective.levels[index];
    cuts.emplace_back();
    bool counts = objective.cost || (index == 0 && objective.receivePermille) ||
                  std::any_of(level.permille.begin(), level.permille.end(),
                              [](int64_t weight) { return weight != 0; });
    if (!counts)
      continue;
    std::vector<int32_t> parts;
    for (int32_t c : chiplet)
      parts.push_back(level.partOf[c]);
    cuts.back().emplace(graph, static_cast<int64_t>(level.permille.size()),
                        std::move(parts));
  }
  count();
}

/// Everything that is not in the tables, from the beginning.
void SwapSearch::count() {
  int64_t unit = 0;
  for (size_t i = 0; i < objective->limits.size(); ++i) {
    const SwapObjective::Limit &limit = objective->limits[i];
    std::vector<int64_t> &sums = amounts.emplace_back(limit.most.size(), 0);
    for (int64_t e = 0; e < numExperts; ++e)
      if (limit.partOf[chiplet[e]] >= 0)
        sums[limit.partOf[chiplet[e]]] += limit.amount[e];
    int64_t total =
        std::accumulate(limit.amount.begin(), limit.amount.end(), int64_t(0));
    unit = i == 0 ? total : unit;
    ratio.push_back(
        total == 0 ? 0
                   : static_cast<int64_t>(
                         (static_cast<__int128>(unit) << kRatioBits) / total));
    for (size_t part = 0; part < sums.size(); ++part)
      currentExcess += excessOf(i, static_cast<int32_t>(part), sums[part]);
  }
  told.load.assign(numChiplets, 0);
  told.experts = told.bytes = told.received = told.load;
  for (int64_t e = 0; e < numExperts; ++e) {
    told.experts[chiplet[e]] +=
        objective->units.empty() ? 1 : objective->units[e];
    told.load[chiplet[e]] += objective->load.empty() ? 0 : objective->load[e];
    told.bytes[chiplet[e]] +=
        objective->bytes.empty() ? 0 : objective->bytes[e];
  }
  for (size_t index = 1; index < cuts.size(); ++index)
    told.crossing.emplace_back();
  for (size_t index = 0; index < cuts.size(); ++index) {
    if (!cuts[index])
      continue;
    absl::Span<const int64_t> received = cuts[index]->receivedOf();
    (index == 0 ? told.received : told.crossing[index - 1])
        .assign(received.begin(), received.end());
    for (size_t part = 0; part < received.size(); ++part)
      current.first += objective->levels[index].permille[part] * received[part];
  }
  current.first +=
      objective->receivePermille *
      *std::max_element(told.received.begin(), told.received.end());
  asked = told;
  if (objective->cost)
    current = {objective->cost(told), current.first};
}

/// An excess in the unit of the first limit, and never none of some.
int64_t SwapSearch::scaled(size_t limit, int64_t over) const {
  if (over <= 0)
    return 0;
  if (limit == 0)
    return over;
  return 1 + static_cast<int64_t>(
                 (static_cast<__int128>(over) * ratio[limit]) >> kRatioBits);
}

int64_t SwapSearch::excessOf(size_t limit, int32_t part, int64_t amount) const {
  return scaled(limit, amount - objective->limits[limit].most[part]);
}

int64_t SwapSearch::changeOfExcess(int32_t expert, int32_t other,
                                   int32_t to) const {
  int64_t change = 0;
  for (size_t i = 0; i < amounts.size(); ++i) {
    const SwapObjective::Limit &limit = objective->limits[i];
    int32_t a = limit.partOf[chiplet[expert]], b = limit.partOf[to];
    int64_t moved =
        limit.amount[expert] - (other < 0 ? 0 : limit.amount[other]);
    if (a == b || moved == 0)
      continue;
    if (a >= 0)
      change +=
          excessOf(i, a, amounts[i][a] - moved) - excessOf(i, a, amounts[i][a]);
    if (b >= 0)
      change +=
          excessOf(i, b, amounts[i][b] + moved) - excessOf(i, b, amounts[i][b]);
  }
  return change;
}

void SwapSearch::tabulate() {
  std::fill(byChiplet.begin(), byChiplet.end(), 0);
  for (size_t index = 0; index < cuts.size(); ++index) {
    if (!cuts[index])
      continue;
    const CutLevel &cut = *cuts[index];
    const SwapObjective::Level &level = objective->levels[index];
    for (int32_t to = 0; to < numChiplets; ++to) {
      int32_t part = level.partOf[to];
      int64_t weight = part < 0 ? 0 : level.permille[part];
      int64_t *row = &byChiplet[to * numExperts];
      for (int32_t e = 0; e < numExperts; ++e) {
        int32_t from = cut.part(e);
        if (from == part)
          continue;
        int64_t left = from < 0 ? 0 : level.permille[from];
        row[e] += weight * cut.gainOfMove(e, part) - left * cut.alone(e);
      }
    }
  }
  for (int64_t to = 0; to < numChiplets; ++to)
    for (int64_t e = 0; e < numExperts; ++e)
      byExpert[e * numChiplets + to] = byChiplet[to * numExperts + e];
}

/// Of the sum over levels; tabulate has run since the last change.
int64_t SwapSearch::changeOfLinear(int32_t expert, int32_t other,
                                   int32_t to) const {
  int64_t change = byExpert[expert * numChiplets + to];
  if (other < 0)
    return change;
  change += byExpert[other * numChiplets + chiplet[expert]];
  for (size_t index = 0; index < cuts.size(); ++index) {
    if (!cuts[index])
      continue;
    const CutLevel &cut = *cuts[index];
    int32_t a = cut.part(expert), b = cut.part(other);
    if (a == b)
      continue;
    if (a >= 0)
      change +=
          objective->levels[index].permille[a] * cut.aloneWith(expert, other);
    if (b >= 0)
      change +=
          objective->levels[index].permille[b] * cut.aloneWith(other, expert);
  }
  return change;
}

/// What the part of `expert` at a level receives more (first), and the one that
/// it goes to (second).
static std::pair<int64_t, int64_t> gains(const CutLevel &cut, int32_t expert,
                                         int32_t other, int32_t toPart) {
  if (other >= 0)
    return {cut.gainOfSwap(expert, other), cut.gainOfSwap(other, expert)};
  return {cut.part(expert) < 0 ? 0 : -cut.alone(expert),
          cut.gainOfMove(expert, toPart)};
}

int64_t SwapSearch::changeOfReceive(int32_t expert, int32_t other,
                                    int32_t to) const {
  const std::vector<int64_t> &received = told.received;
  int32_t from = chiplet[expert];
  auto [first, second] = gains(*cuts[0], expert, other, to);
  int64_t before = 0, after = 0;
  for (int32_t c = 0; c < numChiplets; ++c) {
    before = std::max(before, received[c]);
    after = std::max(after, received[c] + (c == from ? first
                                           : c == to ? second
                                                     : 0));
  }
  return after - before;
}

void SwapSearch::addToCounts(int32_t expert, int32_t other, int32_t to,
                             int64_t sign) {
  int32_t from = chiplet[expert];
  auto shift = [&](std::vector<int64_t> &counts, int64_t moved) {
    counts[from] -= sign * moved;
    counts[to] += sign * moved;
  };
  auto moved = [&](const std::vector<int64_t> &of) {
    return of.empty() ? 0 : of[expert] - (other < 0 ? 0 : of[other]);
  };
  shift(asked.load, moved(objective->load));
  shift(asked.bytes, moved(objective->bytes));
  shift(asked.experts,
        objective->units.empty() ? other < 0 : moved(objective->units));
  for (size_t index = 0; index < cuts.size(); ++index) {
    if (!cuts[index])
      continue;
    const CutLevel &cut = *cuts[index];
    int32_t a = cut.part(expert), b = objective->levels[index].partOf[to];
    if (a == b)
      continue;
    std::vector<int64_t> &received =
        index == 0 ? asked.received : asked.crossing[index - 1];
    auto [first, second] = gains(cut, expert, other, b);
    if (a >= 0)
      received[a] += sign * first;
    if (b >= 0)
      received[b] += sign * second;
  }
}

int64_t SwapSearch::costAfter(int32_t expert, int32_t other, int32_t to) {
  addToCounts(expert, other, to, 1);
  int64_t cost = std::clamp<int64_t>(objective->cost(asked), 0,
                                     PlacementProblem::kMaxCost);
  addToCounts(expert, other, to, -1);
  return cost;
}

bool SwapSearch::isTabu(int32_t expert, int32_t other, int32_t to) const {
  return tabuUntil[expert * numChiplets + to] > steps ||
         (other >= 0 &&
          tabuUntil[other * numChiplets + chiplet[expert]] > steps);
}

void SwapSearch::consider(int32_t expert, int32_t other, int32_t to,
                          const Sieve &sieve, Change &best) {
  Value value{changeOfLinear(expert, other, to), 0};
  if (sieve.slack == 0 && value.first >= best.value.first)
    return;
  if (objective->receivePermille != 0)
    value.first +=
        objective->receivePermille * changeOfReceive(expert, other, to);
  if (objective->cost)
    value = {costAfter(expert, other, to) - current.first, value.first};
  int64_t excess = amounts.empty() || sieve.penalty == 0
                       ? 0
                       : changeOfExcess(expert, other, to);
  if (sieve.penalty == kForbidden) {
    if (excess > 0)
      return;
  } else {
    value.first += sieve.penalty * excess;
  }
  if (!(value < best.value))
    return;
  if (sieve.aspiration && isTabu(expert, other, to)) {
    Value ends = current + value;
    ends.first -= sieve.penalty == kForbidden ? 0 : sieve.penalty * excess;
    if (currentExcess + excess > 0 || !(ends < *sieve.aspiration))
      return;
  }
  best = {value, expert, other, to};
}

void SwapSearch::considerSwaps(int32_t expert, const Sieve &sieve,
                               Change &best) {
  int32_t from = chiplet[expert];
  const int64_t *ofOthers = &byChiplet[from * numExperts];
  const int64_t *ofExpert = &byExpert[expert * numChiplets];
  bool sifts = sieve.slack != INT64_MAX;
  for (int32_t other = expert + 1; other < numExperts; ++other) {
    int32_t to = chiplet[other];
    if (to == from)
      continue;
    // Both moves; what the two share only adds to that.
    if (sifts &&
        ofExpert[to] + ofOthers[other] - sieve.slack >= best.value.first)
      continue;
    consider(expert, other, to, sieve, best);
  }
}

void SwapSearch::considerMoves(int32_t expert, const Sieve &sieve,
                               Change &best) {
  int32_t from = chiplet[expert];
  if (told.experts[from] <= objective->fewest[from])
    return;
  for (int32_t to = 0; to < numChiplets; ++to)
    if (to != from && told.experts[to] < objective->most[to])
      consider(expert, -1, to, sieve, best);
}

SwapSearch::Change SwapSearch::bestChange(const Sieve &given) {
  Sieve sieve = given;
  if (objective->cost || objective->receivePermille != 0)
    sieve.slack = INT64_MAX;
  else if (sieve.penalty != kForbidden)
    sieve.slack = sieve.penalty * currentExcess;
  tabulate();
  Change best;
  if (sieve.aspiration)
    best.value = {INT64_MAX / 2, INT64_MAX / 2};
  for (int32_t expert = 0; expert < numExperts; ++expert) {
    considerSwaps(expert, sieve, best);
    considerMoves(expert, sieve, best);
  }
  return best;
}

void SwapSearch::move(int32_t expert, int32_t to) {
  for (size_t index = 0; index < cuts.size(); ++index)
    if (cuts[index])
      cuts[index]->move(expert, objective->levels[index].partOf[to]);
  chiplet[expert] = to;
}

void SwapSearch::apply(const Change &change) {
  int32_t expert = change.expert, other = change.other, to = change.toChiplet;
  int32_t from = chiplet[expert];
  for (size_t i = 0; i < amounts.size(); ++i) {
    const SwapObjective::Limit &limit = objective->limits[i];
    int64_t moved =
        limit.amount[expert] - (other < 0 ? 0 : limit.amount[other]);
    int32_t parts[] = {limit.partOf[from], limit.partOf[to]};
    if (parts[0] == parts[1])
      continue;
    for (int side = 0; side < 2; ++side) {
      int32_t part = parts[side];
      if (part < 0)
        continue;
      currentExcess -= excessOf(i, part, amounts[i][part]);
      amounts[i][part] += side == 0 ? -moved : moved;
      currentExcess += excessOf(i, part, amounts[i][part]);
    }
  }
  int64_t busiest =
      *std::max_element(told.received.begin(), told.received.end());
  int64_t linear = changeOfLinear(expert, other, to);
  addToCounts(expert, other, to, 1);
  told = asked;
  linear +=
      objective->receivePermille *
      (*std::max_element(told.received.begin(), told.received.end()) - busiest);
  (objective->cost ? current.second : current.first) += linear;
  if (objective->cost)
    current.first = std::clamp<int64_t>(objective->cost(told), 0,
                                        PlacementProblem::kMaxCost);
  move(expert, to);
  if (other >= 0)
    move(other, from);
  ++steps;
}

void SwapSearch::descend(int64_t penalty, int64_t &budget) {
  Sieve sieve;
  sieve.penalty = penalty;
  for (; budget > 0; --budget) {
    Change best = bestChange(sieve);
    if (best.expert < 0)
      return;
    apply(best);
  }
}

bool SwapSearch::stepOn(int64_t penalty, const Value &aspiration,
                        SplitMix64 &random) {
  Sieve sieve;
  sieve.penalty = penalty;
  sieve.aspiration = &aspiration;
  Change best = bestChange(sieve);
  if (best.expert < 0) {
    ++steps; // what is tabu will not stay so
    return false;
  }
  int32_t from = chiplet[best.expert];
  apply(best);
  // Longer than it takes to come back by a few other changes; drawn, so that
  // no cycle keeps in step.
  int64_t tenure = std::max<int64_t>(numExperts / 4, 2);
  auto forbid = [&](int32_t expert, int32_t to) {
    tabuUntil[expert * numChiplets + to] =
        steps + tenure / 2 + static_cast<int64_t>(random.below(tenure));
  };
  forbid(best.expert, from);
  if (best.other >= 0)
    forbid(best.other, best.toChiplet);
  return true;
}

void SwapSearch::swapRandom(SplitMix64 &random) {
  int32_t one = static_cast<int32_t>(random.below(numExperts));
  int32_t other = static_cast<int32_t>(random.below(numExperts));
  if (chiplet[one] == chiplet[other])
    return;
  tabulate();
  apply({{}, one, other, chiplet[other]});
}

int64_t SwapSearch::edgeVisits() const {
  int64_t visits = 0;
  for (const std::optional<CutLevel> &cut : cuts)
    visits += cut ? cut->edgeVisits() : 0;
  return visits;
}
