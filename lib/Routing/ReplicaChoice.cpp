//===- ReplicaChoice.cpp - Which replica a token is sent to ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/ReplicaChoice.h"

#include "mozart/Routing/Trace.h"

#include <algorithm>

using namespace mozart;

/// A slot whose expert has replicas and waits for its turn.
static constexpr int32_t kOpen = -2;

ReplicaChoice::ReplicaChoice(
    absl::Span<const std::vector<int32_t>> chipletsOf) {
  begin.reserve(chipletsOf.size() + 1);
  begin.push_back(0);
  for (const std::vector<int32_t> &one : chipletsOf) {
    chiplets.insert(chiplets.end(), one.begin(), one.end());
    begin.push_back(static_cast<int64_t>(chiplets.size()));
    replicas |= one.size() > 1;
  }
}

ReplicaChoice::ReplicaChoice(absl::Span<const int32_t> chipletOf) {
  begin.reserve(chipletOf.size() + 1);
  begin.push_back(0);
  for (int32_t chiplet : chipletOf) {
    if (chiplet != kNowhere)
      chiplets.push_back(chiplet);
    begin.push_back(static_cast<int64_t>(chiplets.size()));
  }
}

int32_t ReplicaChoice::chooseOne(int32_t expert, int64_t position,
                                 absl::Span<const int32_t> chosen) const {
  absl::Span<const int32_t> all = chipletsOf(expert);
  auto isVisited = [&](int32_t chiplet) {
    return std::find(chosen.begin(), chosen.end(), chiplet) != chosen.end();
  };
  int64_t visited = std::count_if(all.begin(), all.end(), isVisited);
  if (visited == 0)
    return all[position % static_cast<int64_t>(all.size())];
  int64_t place = position % visited;
  for (int32_t chiplet : all)
    if (isVisited(chiplet) && place-- == 0)
      return chiplet;
  return kNowhere; // not reached: `place` is below `visited`
}

void ReplicaChoice::choose(absl::Span<const int32_t> set, int64_t position,
                           absl::Span<int32_t> chosen) const {
  int64_t open = 0;
  for (size_t slot = 0; slot < set.size(); ++slot) {
    if (set[slot] == Trace::kPadding) {
      chosen[slot] = kNowhere;
      continue;
    }
    absl::Span<const int32_t> all = chipletsOf(set[slot]);
    chosen[slot] = all.empty() ? kNowhere : all.size() == 1 ? all[0] : kOpen;
    open += chosen[slot] == kOpen;
  }
  for (; open > 0; --open) {
    size_t next = set.size();
    for (size_t slot = 0; slot < set.size(); ++slot)
      if (chosen[slot] == kOpen &&
          (next == set.size() || set[slot] < set[next]))
        next = slot;
    chosen[next] = chooseOne(set[next], position, chosen);
  }
}
