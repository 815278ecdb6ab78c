//===- FlitTransfers.h - Transfers as flits ------------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLITTRANSFERS_H
#define MOZART_LIB_SIM_FLITTRANSFERS_H

#include "FlitMachine.h"
#include "PacketPlan.h"
#include "TransferNetwork.h"

#include <deque>
#include <queue>

namespace mozart {

/// Fidelity `flit`; docs/simulation.md, "Flits", states the model. Streams of
/// packets (PacketPlan.h) are fed to sources packet by packet, in turn.
class FlitTransfers : public TransferNetwork {
public:
  /// Fails as FlitMachine::create does.
  static absl::StatusOr<std::unique_ptr<FlitTransfers>>
  create(const NetworkContext &context);

  absl::Status start(int64_t nowPs, int32_t task) override;
  int64_t nextPs() const override;
  absl::StatusOr<int64_t> advance(int64_t limitPs,
                                  std::vector<int32_t> &endedTasks) override;
  absl::Status settle(int64_t nowPs, std::vector<LoadSample> &loads) override;
  int64_t events() const override { return numEvents + flits.network->moves(); }
  std::string explainStandstill() const override;

private:
  /// Packets of a stream that a source has yet to send: numbers `next` to `end`
  /// of the stream, or of `entries` (Sums), or of sizes (`stored`).
  struct Feeder {
    int32_t stream = -1;
    int32_t hop = -1; ///< of the stream
    size_t next = 0, end = 0;
    std::vector<int32_t> entries;
    std::vector<int32_t> stored; ///< flits of each
  };
  struct Stream {
    PacketStream plan;
    int32_t task = -1;
    int64_t startPs = 0;
    int32_t firstHop = -1; ///< of the network
    int64_t leftArrivals = 0;
    /// Sums: contributions that each entry's packet still needs.
    std::vector<int32_t> missing;
    /// Flits of the packets that a node stores until all are there, by hop.
    std::vector<std::vector<int32_t>> stored;
    int64_t localNext = 0;
  };
  /// At one time in this order, then by stream.
  enum class Kind { Open, Release, LocalNext, End };
  struct Event {
    int64_t timePs;
    Kind kind;
    int32_t stream, hop;

    bool operator>(const Event &other) const {
      return std::tie(timePs, kind, stream, hop) >
             std::tie(other.timePs, other.kind, other.stream, other.hop);
    }
  };

  const Program &program;
  const MachineModel &machine;
  ResourceTable &resources;
  bool recordLoads;
  PacketPlanner planner;
  FlitMachine flits;
  std::vector<std::deque<Feeder>> feeders; ///< by source
  std::vector<Stream> streams;
  std::vector<int32_t> freeStreams;
  std::vector<std::vector<int32_t>> freeHops; ///< by the logarithm of the count
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> timed;
  std::vector<int32_t> outstanding; ///< streams, by task
  int64_t numEvents = 0;
  bool tooLate = false;
  std::vector<int64_t> sampledFlits; ///< by link, for the loads
  std::vector<bool> quiet;
  int64_t sampledPs = 0;
  std::vector<PacketStream> planned; // scratch

  FlitTransfers(const NetworkContext &context, FlitMachine flits);

  void schedule(int64_t fromPs, int64_t delayPs, Kind kind, int32_t stream,
                int32_t hop = -1);
  absl::Status startStream(int64_t nowPs, int32_t task, PacketStream plan);
  absl::Status checkSize(int32_t task, const PacketStream &plan) const;
  int32_t takeHops(int32_t count);
  void layOutPath(Stream &stream);
  void layOutCopies(Stream &stream);
  void layOutSums(Stream &stream);
  bool storesRows(int32_t node) const;
  int64_t numFlits(int64_t bytes) const {
    return std::max<int64_t>(1,
                             (bytes + flits.flitBytes - 1) / flits.flitBytes);
  }

  void happen(const Event &event, std::vector<int32_t> &endedTasks);
  void open(int32_t index);
  void addFeeder(int32_t source, Feeder feeder);
  void feed(int32_t source);
  void runCycle();
  void arrived(const FlitDelivery &delivery);
  void arrivedOnPath(int32_t index, int32_t hop, int32_t numFlits);
  void passOn(int32_t stream, int32_t entry, int32_t numFlits);
  void finish(int32_t stream);
  void localNext(int32_t stream);
  void end(int32_t stream, std::vector<int32_t> &endedTasks);
  void countBytes(const PacketStream &plan);
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLITTRANSFERS_H
