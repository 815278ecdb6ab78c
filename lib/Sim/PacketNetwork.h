//===- PacketNetwork.h - Transfers as packets ---------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fidelity `packet`; docs/simulation.md, "Packets", states the model. At a
// time, first everything arrives and ends; then the servers that are free
// choose, in the order in which they were asked.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_PACKETNETWORK_H
#define MOZART_LIB_SIM_PACKETNETWORK_H

#include "EventHeap.h"
#include "PacketParts.h"
#include "TransferNetwork.h"

#include "absl/types/span.h"

#include <memory>

namespace mozart {

/// A part of the network, what it waits for, and which part has to go on first;
/// -1: none.
struct PartWait {
  std::string text;
  int64_t on = -1; ///< index
};

/// Names a cycle of waits if there is one, else the longest chain.
std::string describeWaits(absl::Span<const PartWait> waits);

class PacketNetwork : public TransferNetwork {
public:
  explicit PacketNetwork(const NetworkContext &context);

  absl::Status start(int64_t nowPs, int32_t task) override;
  int64_t nextPs() const override;
  absl::StatusOr<int64_t> advance(int64_t limitPs,
                                  std::vector<int32_t> &endedTasks) override;
  absl::Status settle(int64_t nowPs, std::vector<LoadSample> &loads) override;
  int64_t events() const override { return numEvents; }
  std::string explainStandstill() const override;

  /// Packets that have crossed a link.
  int64_t packetHops() const { return numHops; }

private:
  /// At one time in this order; each by ascending server, lane or stream.
  enum class Kind : uint64_t {
    ServerFree, ///< a server has sent its packet
    Arrive,     ///< a packet is at the node beyond
    PartDone,   ///< a packet has been copied, or a row has been added
    Release,    ///< the room of a packet that has left
    FifoNext,   ///< the first of an input's queue has left
    Open,       ///< a stream's sources, or the lane of a whole message
    LocalNext,  ///< the next packet of a stream within one SRAM
    StreamEnd,
  };
  using Span = RateServer::Service;

  const Program &program;
  const MachineModel &machine;
  ResourceTable &resources;
  bool recordLoads;
  PacketPlanner planner;
  SwitchRooms rooms;
  EventHeap heap;
  int64_t nowPs = 0;
  int64_t numEvents = 0, numHops = 0;
  bool tooLate = false;

  std::vector<std::unique_ptr<RunningStream>> streams;
  std::vector<int32_t> freeStreams;
  IndexPool<HeldPacket> held;
  IndexPool<PacketCopy> copies;
  std::vector<PacketServer> servers; ///< links, then memories
  std::vector<PacketMemory> memories;
  std::vector<RateServer> ports; ///< of SRAMs, by node
  std::vector<int32_t> portResource, copierResource, adderResource;
  std::vector<RateServer> copiers; ///< multicast parts, by node
  std::vector<RateServer> adders;  ///< reduce parts, by node
  std::vector<int32_t> asked;      ///< servers that may choose at this time
  std::vector<std::vector<int32_t>>
      starvedAt; ///< by node: servers without room
  /// Inputs of a node: the links to it by number, its memories, its SRAM port,
  /// its reduce part. Of each server, which input of the node beyond it is.
  std::vector<int32_t> numInputs, inputOf;
  std::vector<int32_t> firstSender; ///< by node; -1: inputs send at will
  std::vector<bool> sending;        ///< by sender
  std::vector<std::vector<int32_t>> serversOf; ///< by node that sends to them
  std::vector<InputFifo> fifos;
  std::vector<int32_t> firstFifo; ///< by node; -1: it has no such queues
  /// Streams of a task that have not ended.
  std::vector<int32_t> outstanding;
  /// For the loads: bytes of each resource since the last sample, and whether
  /// that was zero.
  std::vector<int64_t> carried;
  std::vector<bool> quiet;
  int64_t sampledPs = 0;
  std::vector<PacketStream> planned; // scratch
  std::vector<int32_t> admitted;     // scratch
  std::vector<int32_t> *endedTasks = nullptr;

  // PacketNetwork.cpp: events and servers.
  void schedule(int64_t timePs, Kind kind, int64_t order, int32_t index);
  void happen(Kind kind, int32_t order, int32_t index);
  /// The node that sends to a link, or that a memory is on.
  int32_t nodeOf(int32_t server) const {
    return server < machine.numLinks()
               ? machine.link(server).source
               : machine.memory(server - machine.numLinks()).node;
  }
  void ask(int32_t server);
  void freeSender(int32_t server);
  void choose(int32_t server);
  PacketLane *pick(PacketServer &server, size_t begin, size_t end);
  PacketLane *pickOfMemory(int32_t server);
  int32_t nextPacket(const PacketLane &lane) const;
  bool mayCross(const PacketLane &lane) const;
  int32_t takePacket(PacketLane &lane);
  Span serve(RateServer &rate, const PacketLane &lane, int32_t heldIndex,
             int64_t bytes);
  void cross(int32_t server, PacketLane &lane);
  void turn(int32_t server, bool write);
  void crossMemory(int32_t server, PacketLane &lane);
  int64_t arriveInSram(int32_t node, Span span, int64_t bytes);
  void leave(int32_t heldIndex, int64_t bytes, Span span);
  void hold(PacketLane &lane, int32_t packet, int64_t bytes, Span span);
  void arrived(RunningStream &stream, int64_t timePs);
  void carry(int32_t resource, int64_t bytes) {
    if (recordLoads)
      carried[resource] += bytes;
  }

  // PacketQueues.cpp: what nodes do with packets.
  void enterRing(PacketLane &lane);
  void leaveRing(PacketLane &lane);
  void enqueue(PacketLane &lane, int32_t heldIndex, int32_t packet);
  void arrive(int32_t heldIndex);
  void expose(int32_t heldIndex);
  void spread(int32_t heldIndex);
  void add(int32_t heldIndex);
  void finishSum(int32_t heldIndex);
  void popFifo(int32_t fifo);
  void release(int32_t heldIndex);
  void wake(int32_t node);

  // PacketStreams.cpp: their starts and ends.
  static constexpr int32_t kSources = (1 << 28) - 1; ///< of Kind::Open
  void layOutInputs();
  absl::Status startStream(int32_t task, PacketStream plan);
  int32_t shareOf(const PacketLane &lane) const;
  void layOutLanes(RunningStream &stream);
  void layOutExtraLane(RunningStream &stream);
  void layOutSums(RunningStream &stream);
  int32_t inputOfLane(const RunningStream &stream, int32_t hop) const;
  absl::Status makeRoom(RunningStream &stream);
  void scheduleOpen(const RunningStream &stream);
  void open(RunningStream &stream, int32_t lane);
  void localNext(RunningStream &stream);
  void endStream(RunningStream &stream);
  void countBytes(const RunningStream &stream);

  // PacketStandstill.cpp: why they do not end.
  std::string nameOf(const RunningStream &stream) const;
  std::string nameOfServer(int32_t server) const;
  std::string nameOfShare(int32_t share) const;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_PACKETNETWORK_H
