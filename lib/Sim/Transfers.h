//===- Transfers.h - Tasks that move bytes, as flows --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_TRANSFERS_H
#define MOZART_LIB_SIM_TRANSFERS_H

#include "ResourceTable.h"

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Cost/Traffic.h"

#include "absl/status/status.h"

#include <vector>

namespace mozart {

/// One leg of a message: its head needs `delayPs`, then the bytes flow.
struct Leg {
  int64_t delayPs = 0;
  /// For bounds on every network: what it takes if it is empty, and what any of
  /// its bytes are delayed at least.
  int64_t emptyPs = 0, leastDelayPs = 0;
  std::vector<FlowUse> uses; ///< of distinct resources; zero bytes allowed

  bool isEmpty() const {
    for (const FlowUse &use : uses)
      if (use.bytes > 0)
        return false;
    return true;
  }
};

/// Legs that follow one another.
struct Message {
  std::vector<Leg> legs;
};

/// `exchangeTraffic`, checked: fails also with kInvalidArgument naming the
/// switch that must copy or add and cannot, or the buffer that holds fewer rows
/// than the routing sends.
absl::StatusOr<ExchangeTraffic>
checkedTraffic(const Program &program, int32_t task,
               const MachineModel &machine, RoutingCounter &counter,
               std::vector<TokenAtPeer> *tokens = nullptr);

/// Plans loads, stores and exchanges of a verified program. docs/simulation.md
/// says which delays and which uses each of them has.
class TransferPlanner {
public:
  TransferPlanner(const Program &program, const MachineModel &machine,
                  const ResourceTable &resources, RoutingCounter &counter)
      : program(program), machine(machine), resources(resources),
        counter(counter) {}

  /// Messages of a task that start with it, together; the task ends when all
  /// have. Fails as `checkedTraffic` does, and with kOutOfRange if delays or
  /// bytes do not fit in 63 bits.
  absl::Status plan(int32_t task, std::vector<Message> &messages);

private:
  const Program &program;
  const MachineModel &machine;
  const ResourceTable &resources;
  RoutingCounter &counter;
  bool overflow = false;

  Message load(const Task &task);
  Message store(const Task &task);
  absl::Status viaRoot(int32_t task, std::vector<Message> &messages);
  absl::Status viaSwitch(int32_t task, std::vector<Message> &messages);

  void wait(Leg &leg, int64_t delayPs);
  void passLink(Leg &leg, int32_t link, int64_t bytes);
  void passNode(Message &message, int32_t node);
  int64_t routeDelayPs(const std::vector<int32_t> &route, int64_t rowBytes);
};

} // namespace mozart

#endif // MOZART_LIB_SIM_TRANSFERS_H
