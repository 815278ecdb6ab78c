//===- FlitMachine.h - A machine as a network of flits -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLITMACHINE_H
#define MOZART_LIB_SIM_FLITMACHINE_H

#include "FlitNetwork.h"
#include "PacketPlan.h"

#include "mozart/Machine/MachineModel.h"

#include "absl/status/statusor.h"

#include <memory>

namespace mozart {

/// The network of flits of a machine, its clock, and which of its parts are
/// whose. The clock is that of the fastest link: a flit a cycle.
struct FlitMachine {
  /// Fails with kInvalidArgument, naming the part, where switches have flits of
  /// different sizes or more than 64 virtual channels, or where a latency or a
  /// slow rate would take more than 2^22 cycles.
  static absl::StatusOr<FlitMachine> create(const MachineModel &machine);

  std::unique_ptr<FlitNetwork> network;
  int64_t flitBytes = 0;
  /// A cycle takes flitBytes / this.
  int64_t bytesPerSecond = 0;
  std::vector<int32_t> sramServers, reduceServers; ///< by node; -1: none
  std::vector<int32_t> memoryServers;              ///< by memory
  std::vector<FlitSource> sources;
  std::vector<StreamEnd> sourceEnds; ///< by source; None: rows that a switch
                                     ///< has stored or added
  std::vector<int32_t> firstSource;  ///< by link

  /// When a cycle begins, rounded up; -1: that passes 2^63.
  int64_t psOf(int64_t cycle) const;
  /// The first cycle that does not begin before `ps`.
  int64_t cycleAt(int64_t ps) const;

  int32_t sourceOf(int32_t link, StreamEnd end) const;
  int32_t serverOf(StreamEnd end) const;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLITMACHINE_H
