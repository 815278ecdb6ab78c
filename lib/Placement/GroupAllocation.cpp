//===- GroupAllocation.cpp - Which clusters share a switch group ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With n clusters of total load W, a group of s clusters and load w deviates by
// w - W s / n. All is counted in n-ths, so that it is an integer: n w - W s.
//
// Groups are filled one after another, each with clusters in descending order
// of load, so that the load a half-filled group can still take on is known from
// prefix sums, and branches that must miss the bound are cut. Of a run of
// equally large groups each begins after the one before it; the last such run
// takes, in each group, the first cluster that is left.
//
// First the least greatest deviation D is sought, then, among the allocations
// that keep to it, the least sum of squares S. Deviations add up to zero, so
// that groups yet to fill deviate by at least what the filled ones do together:
// the greatest of r by |sum| / r, their squares by sum^2 / r.
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/GroupAllocation.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <numeric>

using namespace mozart;

using Square = unsigned __int128;

static int64_t magnitude(int64_t value) { return value < 0 ? -value : value; }

static Square squareOf(int64_t value) {
  return static_cast<Square>(magnitude(value)) * magnitude(value);
}

namespace {
/// What an allocation is judged by, the first first.
struct Cost {
  int64_t greatest = INT64_MAX;
  Square squares = ~Square(0);

  bool operator<(const Cost &other) const {
    return greatest != other.greatest ? greatest < other.greatest
                                      : squares < other.squares;
  }
};

/// Clusters and groups in the order of the search.
class Search {
public:
  Search(absl::Span<const int64_t> loads, absl::Span<const int64_t> sizes,
         int64_t maxSteps);

  GroupAllocation run();

private:
  int64_t numClusters() const { return static_cast<int64_t>(order.size()); }
  int64_t numGroups() const { return static_cast<int64_t>(size.size()); }
  /// In n-ths, of a group with this load.
  int64_t deviation(int64_t group, int64_t load) const {
    return load * numClusters() - total * size[group];
  }
  Cost costOf(absl::Span<const int64_t> sums) const;
  std::vector<int64_t> sumsOf(absl::Span<const int32_t> allocation) const;
  void startGreedily();
  void improveBySwaps();

  enum class Goal { Greatest, Squares };
  void fillGroup(int64_t group, int64_t previousFirst, int64_t sum,
                 Square squares);
  void pick(int64_t group, absl::Span<const int64_t> candidates,
            absl::Span<const int64_t> prefix, int64_t from, int64_t missing,
            int64_t load, int64_t sum, Square squares);
  void closeGroup(int64_t group, int64_t load, int64_t sum, Square squares);
  bool canImprove(int64_t left, int64_t sum, Square squares) const;
  Cost idealCost() const;
  bool isIdeal() const { return !(ideal < bestCost); }
  bool isDone() const { return steps > maxSteps || isIdeal(); }
  GroupAllocation result() const;

  // order[i] is the cluster at place i; groups likewise.
  std::vector<int64_t> order, groupOrder;
  std::vector<int64_t> load, size;
  /// size[g] equals that of every later group.
  std::vector<bool> inLastRun;
  int64_t total = 0;

  Goal goal = Goal::Greatest;
  int64_t maxSteps, steps = 0;
  /// The group at each place, -1 for none yet; and the best so far.
  std::vector<int32_t> current, best;
  Cost bestCost;
  /// No allocation is better than this.
  Cost ideal;
};
} // namespace

Search::Search(absl::Span<const int64_t> loads, absl::Span<const int64_t> sizes,
               int64_t maxSteps)
    : order(loads.size()), groupOrder(sizes.size()), maxSteps(maxSteps) {
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return loads[a] != loads[b] ? loads[a] > loads[b] : a < b;
  });
  std::iota(groupOrder.begin(), groupOrder.end(), 0);
  std::sort(groupOrder.begin(), groupOrder.end(), [&](int64_t a, int64_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  for (int64_t cluster : order)
    load.push_back(loads[cluster]);
  for (int64_t group : groupOrder)
    size.push_back(sizes[group]);
  for (int64_t value : size)
    inLastRun.push_back(value == size.back());
  total = std::accumulate(load.begin(), load.end(), int64_t(0));
  ideal = idealCost();
}

/// Of groups with these loads.
Cost Search::costOf(absl::Span<const int64_t> sums) const {
  Cost cost{0, 0};
  for (int64_t group = 0; group < numGroups(); ++group) {
    int64_t value = deviation(group, sums[group]);
    cost.greatest = std::max(cost.greatest, magnitude(value));
    cost.squares += squareOf(value);
  }
  return cost;
}

std::vector<int64_t>
Search::sumsOf(absl::Span<const int32_t> allocation) const {
  std::vector<int64_t> sums(numGroups(), 0);
  for (int64_t place = 0; place < numClusters(); ++place)
    sums[allocation[place]] += load[place];
  return sums;
}

/// The cost if load could be cut anywhere between units: every group at its
/// share rounded down, and those with the largest remainders one above.
Cost Search::idealCost() const {
  std::vector<int64_t> sums, byRemainder(numGroups());
  int64_t left = total;
  for (int64_t group = 0; group < numGroups(); ++group) {
    sums.push_back(total * size[group] / numClusters());
    left -= sums.back();
  }
  std::iota(byRemainder.begin(), byRemainder.end(), 0);
  std::sort(byRemainder.begin(), byRemainder.end(), [&](int64_t a, int64_t b) {
    return deviation(a, sums[a]) < deviation(b, sums[b]);
  });
  for (int64_t i = 0; i < left; ++i)
    ++sums[byRemainder[i]];
  return costOf(sums);
}

/// Heaviest first, each to the group that is furthest below its share.
void Search::startGreedily() {
  std::vector<int64_t> sums(numGroups(), 0), room = size;
  best.assign(numClusters(), -1);
  for (int64_t place = 0; place < numClusters(); ++place) {
    int64_t chosen = -1;
    for (int64_t group = 0; group < numGroups(); ++group)
      if (room[group] > 0 &&
          (chosen < 0 ||
           deviation(group, sums[group]) < deviation(chosen, sums[chosen])))
        chosen = group;
    best[place] = static_cast<int32_t>(chosen);
    sums[chosen] += load[place];
    --room[chosen];
  }
}

/// Swaps pairs while that makes the allocation better: a good bound to start
/// from, and what is left where the search is stopped. Takes maxSteps at most.
void Search::improveBySwaps() {
  std::vector<int64_t> sums = sumsOf(best);
  bestCost = costOf(sums);
  int64_t tries = 0;
  for (bool improved = true; improved;) {
    improved = false;
    for (int64_t a = 0; a < numClusters(); ++a) {
      for (int64_t b = a + 1; b < numClusters(); ++b) {
        int64_t difference = load[a] - load[b];
        if (best[a] == best[b] || difference == 0)
          continue;
        if (++tries > maxSteps)
          return;
        sums[best[a]] -= difference;
        sums[best[b]] += difference;
        Cost cost = costOf(sums);
        if (cost < bestCost) {
          bestCost = cost;
          std::swap(best[a], best[b]);
          improved = true;
        } else {
          sums[best[a]] += difference;
          sums[best[b]] -= difference;
        }
      }
    }
  }
}

/// Whether groups filled so far, with these sums of deviations and of their
/// squares, leave a way to what is sought; `left` groups are to fill.
bool Search::canImprove(int64_t left, int64_t sum, Square squares) const {
  if (left == 0)
    return goal == Goal::Greatest || squares < bestCost.squares;
  if (goal == Goal::Greatest)
    return magnitude(sum) < bestCost.greatest * left;
  return squares + squareOf(sum) / left < bestCost.squares;
}

void Search::closeGroup(int64_t group, int64_t load, int64_t sum,
                        Square squares) {
  int64_t value = deviation(group, load);
  int64_t limit =
      goal == Goal::Greatest ? bestCost.greatest - 1 : bestCost.greatest;
  if (magnitude(value) > limit)
    return;
  sum += value;
  squares += squareOf(value);
  int64_t left = numGroups() - group - 1;
  if (!canImprove(left, sum, squares))
    return;
  if (left == 0) {
    best = current;
    bestCost = costOf(sumsOf(best));
    return;
  }
  auto first = std::find(current.begin(), current.end(), group);
  fillGroup(group + 1, first - current.begin(), sum, squares);
}

void Search::fillGroup(int64_t group, int64_t previousFirst, int64_t sum,
                       Square squares) {
  std::vector<int64_t> candidates, prefix = {0};
  bool sameRun = group > 0 && size[group] == size[group - 1];
  for (int64_t place = 0; place < numClusters(); ++place) {
    // A group of a run begins after the one before it.
    if (current[place] >= 0 || (sameRun && place < previousFirst))
      continue;
    candidates.push_back(place);
    prefix.push_back(prefix.back() + load[place]);
  }
  int64_t count = static_cast<int64_t>(candidates.size());
  for (int64_t first = 0; first + size[group] <= count; ++first) {
    current[candidates[first]] = static_cast<int32_t>(group);
    pick(group, candidates, prefix, first + 1, size[group] - 1,
         load[candidates[first]], sum, squares);
    current[candidates[first]] = -1;
    // The first that is left must be in some group of the last run: in this.
    if (inLastRun[group] || isDone())
      break;
  }
}

/// Adds `missing` more of candidates[from...] to the group.
void Search::pick(int64_t group, absl::Span<const int64_t> candidates,
                  absl::Span<const int64_t> prefix, int64_t from,
                  int64_t missing, int64_t load, int64_t sum, Square squares) {
  ++steps;
  if (isDone())
    return;
  if (missing == 0)
    return closeGroup(group, load, sum, squares);
  int64_t count = static_cast<int64_t>(candidates.size());
  int64_t limit =
      goal == Goal::Greatest ? bestCost.greatest - 1 : bestCost.greatest;
  // The lightest are the last.
  int64_t lightest = prefix[count] - prefix[count - missing];
  if (from + missing > count || deviation(group, load + lightest) > limit)
    return;
  for (int64_t i = from; i + missing <= count; ++i) {
    // The heaviest from here on are the next.
    int64_t heaviest = prefix[i + missing] - prefix[i];
    if (deviation(group, load + heaviest) < -limit || isDone())
      return;
    current[candidates[i]] = static_cast<int32_t>(group);
    pick(group, candidates, prefix, i + 1, missing - 1,
         load + this->load[candidates[i]], sum, squares);
    current[candidates[i]] = -1;
  }
}

GroupAllocation Search::run() {
  startGreedily();
  improveBySwaps();
  for (Goal next : {Goal::Greatest, Goal::Squares}) {
    goal = next;
    // So that an equal allocation that comes first in order takes its place.
    if (goal == Goal::Squares)
      ++bestCost.squares;
    current.assign(numClusters(), -1);
    fillGroup(0, 0, 0, 0);
  }
  return result();
}

/// Back to the caller's order. Groups of one size are interchangeable: the one
/// with the lowest cluster comes first.
GroupAllocation Search::result() const {
  std::vector<int64_t> lowest(numGroups(), numClusters());
  for (int64_t place = 0; place < numClusters(); ++place)
    lowest[best[place]] = std::min(lowest[best[place]], order[place]);
  std::vector<int64_t> byLowest(numGroups());
  std::iota(byLowest.begin(), byLowest.end(), 0);
  std::sort(byLowest.begin(), byLowest.end(), [&](int64_t a, int64_t b) {
    return size[a] != size[b] ? size[a] > size[b] : lowest[a] < lowest[b];
  });
  std::vector<int32_t> renamed(numGroups());
  for (int64_t rank = 0; rank < numGroups(); ++rank)
    renamed[byLowest[rank]] = static_cast<int32_t>(groupOrder[rank]);
  GroupAllocation allocation;
  allocation.groupOf.resize(numClusters());
  for (int64_t place = 0; place < numClusters(); ++place)
    allocation.groupOf[order[place]] = renamed[best[place]];
  allocation.provenOptimal = steps <= maxSteps || isIdeal();
  return allocation;
}

absl::StatusOr<GroupAllocation>
mozart::allocateGroups(absl::Span<const int64_t> loads,
                       absl::Span<const int64_t> groupSizes, int64_t maxSteps) {
  int64_t clusters = 0, total = 0, scaled;
  for (int64_t size : groupSizes)
    if (size < 1 || __builtin_add_overflow(clusters, size, &clusters))
      return absl::InvalidArgumentError(absl::StrFormat(
          "a switch group of %d clusters; expected at least 1", size));
  if (clusters != static_cast<int64_t>(loads.size()) || clusters == 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d clusters for switch groups that take %d; expected as many, and at "
        "least one",
        loads.size(), clusters));
  for (int64_t load : loads)
    if (load < 0 || __builtin_add_overflow(total, load, &total))
      return absl::InvalidArgumentError(
          absl::StrFormat("cluster loads must be at least 0 and add up to less "
                          "than 2^63, found %d",
                          load));
  // Room for the sum of deviations over all groups as well.
  if (__builtin_mul_overflow(total, 4 * clusters * clusters, &scaled))
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d clusters with a load of %d in all are too many to compare in 64 "
        "bits",
        clusters, total));
  return Search(loads, groupSizes, maxSteps).run();
}
