//===- SplitMix64.h - Random numbers, the same everywhere ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (OOPSLA 2014). All integer, so that a seed gives the same numbers
// on every platform and with every compiler; the distributions of the standard
// library do not.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_SPLITMIX64_H
#define MOZART_SUPPORT_SPLITMIX64_H

#include <cstdint>

namespace mozart {

class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}
  /// The stream of `index` under `purpose` under `seed`: drawing more from one
  /// stream changes no other.
  SplitMix64(uint64_t seed, uint64_t purpose, uint64_t index)
      : state(mix(mix(mix(seed) + purpose) + index)) {}

  uint64_t next() { return mix(state += 0x9e3779b97f4a7c15); }

  /// Uniform in [0, bound), for a positive bound; exactly so.
  uint64_t below(uint64_t bound) {
    // The lowest 2^64 mod bound values would make some results likelier.
    uint64_t threshold = (0 - bound) % bound;
    uint64_t value = next();
    while (value < threshold)
      value = next();
    return value % bound;
  }

private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state;
};

} // namespace mozart

#endif // MOZART_SUPPORT_SPLITMIX64_H
