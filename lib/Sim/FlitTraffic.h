//===- FlitTraffic.h - Synthetic traffic on a network of flits ----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The measurements by which cycle-accurate networks are compared: latency at
// little load, throughput at saturation, and the time of a fixed batch.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLITTRAFFIC_H
#define MOZART_LIB_SIM_FLITTRAFFIC_H

#include "FlitNetwork.h"

#include <memory>

namespace mozart {

/// A network whose terminals are joined to a router by a link each way.
struct FlitTopology {
  std::vector<FlitNode> nodes;
  std::vector<FlitLink> links;
  std::vector<int32_t> terminals;

  int32_t addRouter(const FlitNode &router);
  /// Both ways, a flit a cycle.
  void join(int32_t a, int32_t b, int64_t latencyCycles);
  /// A terminal on `router`, one cycle away; returns its ordinal.
  int32_t addTerminal(int32_t router);
};

/// A root router with `roots` terminals (the first ordinals) and four switches
/// with four leaves each; links between routers take `latencyCycles`. A leaf is
/// a terminal of the switch, or of a router of its own.
FlitTopology flitTree(const FlitNode &router, int32_t roots,
                      bool leavesHaveRouters, int64_t latencyCycles);

/// Each sender draws a receiver uniformly for each packet; a terminal may be
/// both, and may draw itself.
struct FlitPattern {
  std::vector<int32_t> senders, receivers; ///< ordinals of terminals
};

struct FlitMeasurement {
  /// More is created than delivered: what is under way or waits grew, while it
  /// was measured, by over 0.2 % of what was delivered.
  bool isSaturated = false;
  /// From creation to the arrival of the tail, of packets created while it was
  /// measured; not measured of a saturated network.
  double meanLatencyCycles = 0;
  /// Delivered while it was measured.
  double flitsPerCycle = 0;
  int64_t cycles = 0, flitsDelivered = 0; ///< of the whole run
};

/// Runs traffic on a topology. Packets have `flits` flits.
class FlitTraffic {
public:
  /// The topology must be a tree.
  FlitTraffic(FlitTopology topology, FlitPattern pattern, int32_t flits,
              uint64_t seed);

  /// Each sender creates a packet in a cycle with probability `load` / flits.
  FlitMeasurement measure(double load, int64_t warmupCycles,
                          int64_t measuredCycles) const;
  /// The measurement at the highest load, in steps of 1 / `steps` flits a cycle
  /// and sender, that does not saturate the network.
  FlitMeasurement saturation(int32_t steps, int64_t warmupCycles,
                             int64_t measuredCycles) const;
  /// Each sender creates `packets` packets in cycle 0. Returns the cycle in
  /// which the last has arrived.
  int64_t batchCycles(int32_t packets) const;

private:
  FlitTopology topology;
  FlitPattern pattern;
  int32_t flits;
  uint64_t seed;
  std::vector<FlitSource> sources; ///< by sender
  std::vector<FlitHop> hops;
  std::vector<int32_t> firstHops; ///< by sender and receiver

  void findRoutes();
  std::unique_ptr<FlitNetwork> makeNetwork() const;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLITTRAFFIC_H
