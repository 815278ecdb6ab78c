//===- RangeMap.h - One fact for each byte of a memory ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_RANGEMAP_H
#define MOZART_LIB_SIM_RANGEMAP_H

#include "mozart/Sim/MemoryOrder.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace mozart {

/// Holds a `Fact` for every byte, those of a default fact at first, in as many
/// pieces as there are different stretches.
template <typename Fact> class RangeMap {
public:
  /// Calls `visit(ByteRange, Fact &)` for the pieces that make up `range`, in
  /// ascending order, cut at its ends. Stops and returns false where `visit`
  /// does.
  template <typename Visit> bool forEach(ByteRange range, Visit visit) {
    if (range.begin >= range.end)
      return true;
    auto last = split(range.end);
    for (auto it = split(range.begin); it != last;) {
      auto next = std::next(it);
      if (!visit(ByteRange{it->first, next->first}, it->second))
        return false;
      it = next;
    }
    return true;
  }

  /// Makes `range` one piece.
  void assign(ByteRange range, Fact fact) {
    if (range.begin >= range.end)
      return;
    auto last = split(range.end);
    auto first = split(range.begin);
    pieces.erase(first, last);
    pieces.emplace(range.begin, std::move(fact));
  }

private:
  // Where a piece begins; it ends where the next one does. Bytes before the
  // first piece have the default fact.
  std::map<int64_t, Fact> pieces;

  typename std::map<int64_t, Fact>::iterator split(int64_t at) {
    auto it = pieces.lower_bound(at);
    if (it != pieces.end() && it->first == at)
      return it;
    return pieces.emplace_hint(
        it, at, it == pieces.begin() ? Fact() : std::prev(it)->second);
  }
};

} // namespace mozart

#endif // MOZART_LIB_SIM_RANGEMAP_H
