//===- ReplicaEstimates.cpp - What changes would be worth -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For an expert with one seat, on chiplet a, that moves to c, chiplets visited
// change by the tokens that do not go to c yet, less those in which it is alone
// on a. In a swap, tokens with both experts keep what they visit, where one of
// them or both were alone. Groups likewise.
//
// A new replica on c gains the tokens of the expert that are alone with it and
// go to c anyway. A seat that is given up costs the tokens that go to its
// chiplet anyway and to none of the expert's others.
//
//===----------------------------------------------------------------------===//

#include "ReplicaEstimates.h"

#include <algorithm>

using namespace mozart;

ReplicaEstimates::ReplicaEstimates(const ReplicaState &state,
                                   const ReplicaObjective &objective)
    : state(state), objective(objective),
      numExperts(static_cast<int64_t>(state.chipletsOf().size())),
      numChiplets(static_cast<int64_t>(objective.groupOf.size())),
      numGroups(*std::max_element(objective.groupOf.begin(),
                                  objective.groupOf.end()) +
                1),
      firstSeat(1, 0) {
  for (int32_t expert = 0; expert < numExperts; ++expert) {
    for (int32_t chiplet : state.chipletsOf()[expert])
      seatList.push_back({expert, chiplet});
    firstSeat.push_back(static_cast<int64_t>(seatList.size()));
  }
  size_t seats = seatList.size();
  used.assign(seats, 0);
  stranded.assign(seats, 0);
  gain.assign(seats * numChiplets, 0);
  covered.assign(seats * numChiplets, 0);
  chiplets.alone = groups.alone = used;
  chiplets.visited = gain;
  groups.visited.assign(seats * numGroups, 0);
  chiplets.aloneWith.assign(seats * numExperts, 0);
  groups.aloneWith = chiplets.aloneWith;
  for (int64_t token = 0; token < state.numTokens(); ++token)
    countToken(state.set(token), state.chosen(token));
}

int64_t ReplicaEstimates::seatOf(int32_t expert, int32_t chiplet) const {
  int64_t seat = firstSeat[expert];
  while (seatList[seat].chiplet != chiplet)
    ++seat;
  return seat;
}

void ReplicaEstimates::countToken(absl::Span<const int32_t> set,
                                  absl::Span<const int32_t> chosen) {
  for (size_t slot = 0; slot < set.size(); ++slot)
    if (chosen[slot] != ReplicaChoice::kNowhere)
      countSeat(seatOf(set[slot], chosen[slot]), slot, set, chosen);
}

void ReplicaEstimates::countSeat(int64_t seat, size_t slot,
                                 absl::Span<const int32_t> set,
                                 absl::Span<const int32_t> chosen) {
  auto groupOf = [&](size_t of) { return objective.groupOf[chosen[of]]; };
  bool alone = true, aloneInGroup = true;
  for (size_t other = 0; other < set.size(); ++other) {
    if (other == slot || chosen[other] == ReplicaChoice::kNowhere)
      continue;
    alone &= chosen[other] != chosen[slot];
    aloneInGroup &= groupOf(other) != groupOf(slot);
  }
  ++used[seat];
  chiplets.alone[seat] += alone;
  groups.alone[seat] += aloneInGroup;
  int64_t saved =
      objective.chipletPermille + (aloneInGroup ? objective.groupPermille : 0);
  bool toOthers = false;
  for (size_t other = 0; other < set.size(); ++other) {
    int32_t chiplet = chosen[other];
    if (chiplet == ReplicaChoice::kNowhere)
      continue;
    chiplets.aloneWith[seat * numExperts + set[other]] += alone;
    groups.aloneWith[seat * numExperts + set[other]] += aloneInGroup;
    // Each chiplet and group by its first slot, its own among them.
    auto isFirst = [&](auto same) {
      for (size_t earlier = 0; earlier < other; ++earlier)
        if (chosen[earlier] != ReplicaChoice::kNowhere && same(earlier))
          return false;
      return true;
    };
    if (!isFirst([&](size_t earlier) { return chosen[earlier] == chiplet; }))
      continue;
    ++chiplets.visited[seat * numChiplets + chiplet];
    if (alone && chiplet != chosen[slot]) {
      ++covered[seat * numChiplets + chiplet];
      gain[seat * numChiplets + chiplet] += saved;
    }
    if (objective.groupPermille != 0 && isFirst([&](size_t earlier) {
          return groupOf(earlier) == groupOf(other);
        }))
      ++groups.visited[seat * numGroups + groupOf(other)];
    if (hasOthers(seat) && chiplet != chosen[slot]) {
      absl::Span<const int32_t> own = state.chipletsOf()[set[slot]];
      toOthers |= std::find(own.begin(), own.end(), chiplet) != own.end();
    }
  }
  stranded[seat] += hasOthers(seat) && !alone && !toOthers;
}

/// Of an expert with one seat: that of moving it to the chiplet. Of others:
/// that of giving up the seat, less what a new one there gains.
int64_t ReplicaEstimates::costOfLeaving(int64_t seat, int32_t chiplet) const {
  const Seat &own = seatList[seat];
  if (hasOthers(seat))
    return objective.chipletPermille * stranded[seat] +
           costOfAdding(own.expert, chiplet);
  int64_t cost = objective.chipletPermille *
                 (used[seat] - chiplets.alone[seat] -
                  chiplets.visited[seat * numChiplets + chiplet]);
  int32_t group = objective.groupOf[chiplet];
  if (objective.groupPermille != 0 && group != objective.groupOf[own.chiplet])
    cost +=
        objective.groupPermille * (used[seat] - groups.alone[seat] -
                                   groups.visited[seat * numGroups + group]);
  return cost;
}

int64_t ReplicaEstimates::costOfAdding(int32_t expert, int32_t chiplet) const {
  int64_t cost = 0;
  for (int64_t seat = firstSeat[expert]; seat < firstSeat[expert + 1]; ++seat)
    cost -= gain[seat * numChiplets + chiplet];
  return cost;
}

void ReplicaEstimates::shiftToNew(int32_t expert, int32_t chiplet,
                                  Shifts &shifts) const {
  int64_t seats = firstSeat[expert + 1] - firstSeat[expert], sum = 0;
  for (int64_t seat = firstSeat[expert]; seat < firstSeat[expert + 1]; ++seat) {
    int64_t there = covered[seat * numChiplets + chiplet];
    int64_t met = chiplets.visited[seat * numChiplets + chiplet];
    // All that gain; of those that go to both one half; of those that are free
    // to choose an even share.
    int64_t drawn = there + (met - there) / 2 +
                    (chiplets.alone[seat] - there) / (seats + 1);
    shifts.push_back({seatList[seat].chiplet, -drawn});
    sum += drawn;
  }
  shifts.push_back({chiplet, sum});
}

void ReplicaEstimates::shiftToOthers(int64_t seat, Shifts &shifts) const {
  int32_t expert = seatList[seat].expert;
  int64_t others = firstSeat[expert + 1] - firstSeat[expert] - 1;
  shifts.push_back({seatList[seat].chiplet, -used[seat]});
  for (int64_t i = firstSeat[expert]; i < firstSeat[expert + 1]; ++i)
    if (i != seat)
      shifts.push_back({seatList[i].chiplet, used[seat] / others});
}

int64_t ReplicaEstimates::price(Shifts &shifts, int64_t penalty) const {
  if (penalty == 0)
    return 0;
  std::sort(shifts.begin(), shifts.end(), [](const Shift &a, const Shift &b) {
    return a.chiplet < b.chiplet;
  });
  auto over = [&](int64_t load) {
    return std::max<int64_t>(load - objective.loadLimit, 0);
  };
  int64_t excess = 0;
  for (size_t i = 0; i < shifts.size();) {
    int32_t chiplet = shifts[i].chiplet;
    int64_t load = state.totals().load[chiplet], before = over(load);
    for (; i < shifts.size() && shifts[i].chiplet == chiplet; ++i)
      load += shifts[i].load;
    excess += over(load) - before;
  }
  return penalty * excess;
}

int64_t ReplicaEstimates::ofAdding(int32_t expert, int32_t chiplet,
                                   int64_t penalty) const {
  Shifts shifts;
  shiftToNew(expert, chiplet, shifts);
  return costOfAdding(expert, chiplet) + price(shifts, penalty);
}

int64_t ReplicaEstimates::ofMoving(int64_t seat, int32_t chiplet,
                                   int64_t penalty) const {
  Shifts shifts = {{seatList[seat].chiplet, -used[seat]},
                   {chiplet, used[seat]}};
  return costOfLeaving(seat, chiplet) + price(shifts, penalty);
}

int64_t ReplicaEstimates::ofSwapping(int64_t one, int64_t other,
                                     int64_t penalty) const {
  const Seat &a = seatList[one], &b = seatList[other];
  int64_t cost =
      costOfLeaving(one, b.chiplet) + costOfLeaving(other, a.chiplet);
  if (!hasOthers(one) && !hasOthers(other)) {
    auto both = [&](const Level &level) {
      return level.aloneWith[one * numExperts + b.expert] +
             level.aloneWith[other * numExperts + a.expert];
    };
    cost += objective.chipletPermille * both(chiplets);
    if (objective.groupOf[a.chiplet] != objective.groupOf[b.chiplet])
      cost += objective.groupPermille * both(groups);
  }
  Shifts shifts = {{a.chiplet, used[other] - used[one]},
                   {b.chiplet, used[one] - used[other]}};
  return cost + price(shifts, penalty);
}

int64_t ReplicaEstimates::ofReplacing(int64_t seat, int32_t expert,
                                      int64_t penalty) const {
  int32_t chiplet = seatList[seat].chiplet;
  Shifts shifts;
  shiftToOthers(seat, shifts);
  shiftToNew(expert, chiplet, shifts);
  return objective.chipletPermille * stranded[seat] +
         costOfAdding(expert, chiplet) + price(shifts, penalty);
}
