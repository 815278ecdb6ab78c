//===- TransferNetwork.h - What carries the transfers of tasks ----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The event engine knows tasks; how their bytes travel is a matter of the
// network's fidelity. Each fidelity is one implementation of TransferNetwork.
//
// The engine lets a network go on until a task ends or a kernel does, starts
// the tasks that may start thereupon, and says when no more of them will start
// at this time.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_TRANSFERNETWORK_H
#define MOZART_LIB_SIM_TRANSFERNETWORK_H

#include "ResourceTable.h"

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Sim/EventEngine.h"

#include "absl/status/status.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mozart {

/// What a network works on; all of it outlives the network.
struct NetworkContext {
  const Program &program; ///< verified
  const MachineModel &machine;
  RoutingCounter &counter;
  /// Where the bytes of transfers are counted: each of them once it has gone.
  ResourceTable &resources;
  const SimulationOptions &options;
  /// By task, to be filled in by networks that can say; null if nobody asks.
  std::vector<TransferLimits> *limits = nullptr;
};

class TransferNetwork {
public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  virtual ~TransferNetwork() = default;

  /// Starts what task `task`, which is none that computes, moves. It ends in
  /// `advance`, and be it at the same time. Fails where the task cannot be
  /// planned (TransferPlanner::plan).
  virtual absl::Status start(int64_t nowPs, int32_t task) = 0;

  /// When something happens next; kNever if nothing does.
  virtual int64_t nextPs() const = 0;

  /// Lets what is due happen, from the time that `nextPs` names on, and appends
  /// the tasks of which everything has arrived. Goes on to later times at will,
  /// but neither past `limitPs` nor past one at which a task ended. Returns the
  /// last time, at which all that was due has happened.
  virtual absl::StatusOr<int64_t> advance(int64_t limitPs,
                                          std::vector<int32_t> &endedTasks) = 0;

  /// Nothing more starts or ends at `nowPs`. Appends to `loads` if
  /// `options.recordLoads`.
  virtual absl::Status settle(int64_t nowPs,
                              std::vector<LoadSample> &loads) = 0;

  /// Things that happened so far.
  virtual int64_t events() const = 0;

  /// Why transfers that have started do not go on, for an error message. Asked
  /// when `nextPs` is kNever and a started task has not ended.
  virtual std::string explainStandstill() const = 0;
};

/// The network of `context.options.network`. Fails where the machine lacks what
/// this fidelity needs.
absl::StatusOr<std::unique_ptr<TransferNetwork>>
makeTransferNetwork(const NetworkContext &context);

/// The error of a time that does not fit.
absl::Status timeOverflow(const Program &program);

} // namespace mozart

#endif // MOZART_LIB_SIM_TRANSFERNETWORK_H
