//===- BitSpan.h - A few bits in a row ----------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_BITSPAN_H
#define MOZART_LIB_SIM_BITSPAN_H

#include <cstddef>
#include <cstdint>

namespace mozart {

/// The lowest bit of `word`, which is not zero.
inline int32_t lowestBit(uint64_t word) { return __builtin_ctzll(word); }

/// The lowest bit of `word` from `begin` on, and from the start if there is
/// none. `word` is not zero, `begin` below 64.
inline int32_t nextBit(uint64_t word, int32_t begin) {
  uint64_t later = word & (~uint64_t{0} << begin);
  return lowestBit(later != 0 ? later : word);
}

/// Bits that live in somebody else's words.
struct BitSpan {
  uint64_t *words = nullptr;
  int32_t numWords = 0;

  static int32_t wordsFor(int32_t bits) { return (bits + 63) / 64; }

  void set(int32_t bit) { words[bit >> 6] |= uint64_t{1} << (bit & 63); }
  void clear(int32_t bit) { words[bit >> 6] &= ~(uint64_t{1} << (bit & 63)); }
  void setAll() {
    for (int32_t i = 0; i < numWords; ++i)
      words[i] = ~uint64_t{0};
  }
  void clearAll() {
    for (int32_t i = 0; i < numWords; ++i)
      words[i] = 0;
  }
  bool test(int32_t bit) const { return words[bit >> 6] >> (bit & 63) & 1; }
  bool any() const {
    for (int32_t i = 0; i < numWords; ++i)
      if (words[i] != 0)
        return true;
    return false;
  }

  /// The bit that is set, if it is the only one; else -1.
  int32_t only() const {
    int32_t found = -1;
    for (int32_t i = 0; i < numWords; ++i) {
      if (words[i] == 0)
        continue;
      if (found >= 0 || (words[i] & (words[i] - 1)) != 0)
        return -1;
      found = i * 64 + lowestBit(words[i]);
    }
    return found;
  }

  /// The first bit from `begin` on, around the end, that `also` has too; -1 if
  /// there is none. `also` has as many words.
  int32_t next(int32_t begin, const uint64_t *also) const {
    int32_t first = begin >> 6;
    uint64_t later = ~uint64_t{0} << (begin & 63);
    if (uint64_t word = words[first] & also[first] & later)
      return first * 64 + lowestBit(word);
    for (int32_t i = first + 1; i < numWords; ++i)
      if (uint64_t word = words[i] & also[i])
        return i * 64 + lowestBit(word);
    for (int32_t i = 0; i < first; ++i)
      if (uint64_t word = words[i] & also[i])
        return i * 64 + lowestBit(word);
    if (uint64_t word = words[first] & also[first] & ~later)
      return first * 64 + lowestBit(word);
    return -1;
  }
  int32_t next(int32_t begin) const { return next(begin, words); }

  /// Calls `visit` with each bit, ascending. It may clear the bit it is given.
  template <typename Visit> void forEach(Visit visit) const {
    for (int32_t i = 0; i < numWords; ++i)
      for (uint64_t word = words[i]; word != 0; word &= word - 1)
        visit(i * 64 + lowestBit(word));
  }
};

} // namespace mozart

#endif // MOZART_LIB_SIM_BITSPAN_H
