//===- RateServer.h - One packet after another at a rate ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets are ready, and are done, at whole picoseconds; what a server takes
// for one is a fraction. It carries the fraction on: a packet that is ready by
// the picosecond in which the one before ends follows it without a gap. So n
// packets in a row take what their bytes take together, rounded up once.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_RATESERVER_H
#define MOZART_LIB_SIM_RATESERVER_H

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mozart {

class RateServer {
public:
  /// `bytesPerSecond` is positive.
  explicit RateServer(int64_t bytesPerSecond) : rate(bytesPerSecond) {}

  struct Service {
    int64_t beginPs; ///< rounded down
    int64_t endPs;   ///< rounded up
  };

  /// From when on a packet finds it free, rounded up.
  int64_t freePs() const { return wholePs + (part > 0); }

  /// The time of a packet alone, rounded up.
  int64_t spanPs(int64_t bytes) {
    measure(bytes);
    return spanWholePs + (spanPart > 0);
  }

  /// Serves a packet that is ready at `readyPs`. Times that do not fit in 63
  /// bits saturate.
  Service serve(int64_t readyPs, int64_t bytes) {
    measure(bytes);
    if (readyPs > freePs()) {
      wholePs = readyPs;
      part = 0;
    }
    const int64_t beginPs = wholePs;
    part += spanPart;
    const int64_t carry = part >= static_cast<uint64_t>(rate);
    part -= carry ? rate : 0;
    if (__builtin_add_overflow(wholePs, spanWholePs + carry, &wholePs))
      wholePs = kMostPs;
    return {beginPs, freePs()};
  }

  /// Takes up, as it comes in, a packet that another server delivers in
  /// `other`: done as early as can be, and not before it is all there.
  Service serveWhile(Service other, int64_t bytes) {
    Service service = serve(other.beginPs, bytes);
    service.endPs = std::max(service.endPs, other.endPs);
    return service;
  }

  /// Passes on, as it comes in, a packet that another server delivers in
  /// `other`: begins as late as can be so as to end with it.
  Service serveInStep(Service other, int64_t bytes) {
    return serveWhile(
        {std::max(other.beginPs, other.endPs - spanPs(bytes)), other.endPs},
        bytes);
  }

  /// Not free before `ps`.
  void holdUntil(int64_t ps) {
    if (ps <= freePs())
      return;
    wholePs = ps;
    part = 0;
  }

private:
  static constexpr int64_t kMostPs = std::numeric_limits<int64_t>::max() / 2;
  static constexpr int64_t kPsPerSecond = 1000000000000;

  int64_t rate;
  /// It is free from wholePs + part / rate on.
  int64_t wholePs = 0;
  uint64_t part = 0; // below `rate`
  /// The span of `measuredBytes`: packets mostly have the size of the one
  /// before.
  int64_t measuredBytes = 0, spanWholePs = 0;
  uint64_t spanPart = 0;

  void measure(int64_t bytes) {
    if (bytes == measuredBytes)
      return;
    measuredBytes = bytes;
    __int128 time = static_cast<__int128>(bytes) * kPsPerSecond;
    spanWholePs =
        static_cast<int64_t>(std::min<__int128>(time / rate, kMostPs));
    spanPart = static_cast<uint64_t>(time % rate);
  }
};

} // namespace mozart

#endif // MOZART_LIB_SIM_RATESERVER_H
