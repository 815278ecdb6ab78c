//===- FluidTransfers.h - Transfers as fluids ---------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLUIDTRANSFERS_H
#define MOZART_LIB_SIM_FLUIDTRANSFERS_H

#include "FlowNetwork.h"
#include "TransferNetwork.h"
#include "Transfers.h"

#include <map>
#include <queue>

namespace mozart {

/// Fidelity `flow`: messages whose legs share what they cross max-min fairly.
class FluidTransfers : public TransferNetwork {
public:
  explicit FluidTransfers(const NetworkContext &context);

  absl::Status start(int64_t nowPs, int32_t task) override;
  int64_t nextPs() const override;
  absl::StatusOr<int64_t> advance(int64_t limitPs,
                                  std::vector<int32_t> &endedTasks) override;
  absl::Status settle(int64_t nowPs, std::vector<LoadSample> &loads) override;
  int64_t events() const override { return numEvents; }
  std::string explainStandstill() const override;

private:
  /// What happens at a time. At one time, flows end first, then heads arrive,
  /// then tasks end that move nothing; among equals, by number.
  struct Event {
    enum class Kind { FlowEnd, HeadArrives, NothingMoved };
    int64_t timePs;
    Kind kind;
    int32_t index; ///< flow, message in flight, or task
    uint32_t version;

    bool operator>(const Event &other) const {
      if (timePs != other.timePs)
        return timePs > other.timePs;
      if (kind != other.kind)
        return kind > other.kind;
      if (index != other.index)
        return index > other.index;
      return version > other.version;
    }
  };
  /// A message in flight: its next leg is `leg`.
  struct InFlight {
    Message message;
    size_t leg = 0;
    int32_t task = -1;
    TransferLimits limits; ///< of its legs so far; if recorded
  };

  const Program &program;
  const MachineModel &machine;
  ResourceTable &resources;
  bool recordLoads;
  std::vector<TransferLimits> *limits;
  FlowNetwork network;
  TransferPlanner planner;
  /// Resources of `network` that are not the table's: what switches with queues
  /// at their inputs pass, by node; -1: it has none.
  std::vector<int32_t> fabricOf;
  int32_t numReported = 0;
  bool hasFabrics = false;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> queue;
  std::vector<InFlight> inFlight;
  std::vector<int32_t> freeInFlight;
  /// Messages that a running task still has in flight.
  std::vector<int32_t> outstanding;
  int64_t numEvents = 0;
  bool tooLate = false;
  std::vector<Message> planned;        // scratch
  std::vector<FlowForecast> forecasts; // scratch
  std::vector<FlowUse> uses;           // scratch
  /// Bytes that come in and go out, by node; scratch.
  std::map<int32_t, std::pair<__int128, __int128>> crossings;

  void addFabrics(std::vector<int64_t> &rates);
  void addCrossings(const Leg &leg);

  void schedule(int64_t nowPs, int64_t delayPs, Event::Kind kind,
                int32_t index);
  void startLeg(int64_t nowPs, int32_t slot);
  void flow(int64_t nowPs, int32_t slot, std::vector<int32_t> &endedTasks);
  void endLeg(int64_t nowPs, int32_t slot, std::vector<int32_t> &endedTasks);
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLUIDTRANSFERS_H
