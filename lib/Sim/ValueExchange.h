//===- ValueExchange.h - Rows on their way ------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_VALUEEXCHANGE_H
#define MOZART_LIB_SIM_VALUEEXCHANGE_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/KernelEval.h"
#include "mozart/Sim/ValueEngine.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <map>
#include <vector>

namespace mozart {

/// Checks what `verifyProgram` leaves open about routes and exchanges: that no
/// route passes a node twice, that nodes where routes part or join can copy or
/// add, and that slices say which tokens and experts an exchange moves.
absl::Status verifyTransfers(const Program &program,
                             const MachineModel &machine);

/// The pairs that a dispatch or combine moves to or from one of its peers.
RoutedSlice sliceOfPeer(const Program &program, int32_t task, size_t peer);

/// Carries data over links, one hop after another, and counts bytes.
class Network {
public:
  explicit Network(const MachineModel &machine) : machine(machine) {}

  /// Takes `bytes` from node `at` over `link`; returns the node where they
  /// arrive. Fails with kFailedPrecondition where the link begins elsewhere.
  absl::StatusOr<int32_t> cross(int32_t at, int32_t link, int64_t bytes);
  /// Takes `bytes` over all links of a route; returns where they arrive.
  absl::StatusOr<int32_t>
  travel(int32_t from, const std::vector<int32_t> &route, int64_t bytes);
  /// Bytes by link since the last call, ascending.
  std::vector<LinkBytes> takeTraffic();

private:
  const MachineModel &machine;
  std::map<int32_t, int64_t> traffic;
};

/// The values that a dispatch leaves at each peer, in the order of its writes.
/// Fails with kFailedPrecondition where rows do not fit, or arrive elsewhere.
absl::StatusOr<std::vector<Value>>
runDispatch(const Program &program, const MachineModel &machine, int32_t task,
            const Value &x, const Value &routing, Network &network);

/// The value that a combine writes, from the rows of each peer.
absl::StatusOr<Value> runCombine(const Program &program,
                                 const MachineModel &machine, int32_t task,
                                 const std::vector<Value> &rows,
                                 const Value &routing, Network &network);

} // namespace mozart

#endif // MOZART_LIB_SIM_VALUEEXCHANGE_H
