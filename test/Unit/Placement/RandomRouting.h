//===- RandomRouting.h - Small traces to enumerate over ---------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_UNITTESTS_PLACEMENT_RANDOMROUTING_H
#define MOZART_UNITTESTS_PLACEMENT_RANDOMROUTING_H

#include "../Routing/Testing.h"
#include "mozart/Support/SplitMix64.h"

namespace mozart::testing {

/// Tokens of 1 to k experts, of which low ids are likelier, the rest padding.
inline Trace randomRouting(SplitMix64 &random, int64_t tokens, int64_t k,
                           int64_t experts) {
  std::vector<int32_t> ids;
  for (int64_t token = 0; token < tokens; ++token) {
    std::vector<int32_t> set;
    int64_t size = 1 + static_cast<int64_t>(random.below(k));
    while (static_cast<int64_t>(set.size()) < size) {
      uint64_t limit = 1 + random.below(experts);
      int32_t id = static_cast<int32_t>(random.below(limit));
      if (std::find(set.begin(), set.end(), id) == set.end())
        set.push_back(id);
    }
    set.resize(k, Trace::kPadding);
    ids.insert(ids.end(), set.begin(), set.end());
  }
  return makeTrace(tokens, 1, k, experts, std::move(ids));
}

} // namespace mozart::testing

#endif // MOZART_UNITTESTS_PLACEMENT_RANDOMROUTING_H
