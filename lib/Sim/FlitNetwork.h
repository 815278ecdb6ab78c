//===- FlitNetwork.h - A network cycle by cycle -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Routers with virtual channels, credits and separable allocators, and links
// that take a flit at a time. docs/simulation.md ("Flits") states the model.
//
// A router is a pipeline of pipelineCycles x speedup steps, `speedup` of them a
// cycle. Route computation takes what the others leave (no step of its own
// where there are fewer than four), then a step each: allocation of a virtual
// channel of the next node, allocation of the switch, traversal. Both
// allocators are iSLIP (McKeown 1999) with `allocatorIterations` rounds. An
// output sends what has traversed in order; with a speed-up above one that is a
// queue which the credits of the next node bound.
//
// A packet whose ways part takes channels of all its outputs at once, so that
// packets cannot hold what others wait for; the one that has waited longest
// keeps others from its outputs. Its flits are copied one by one, to each
// output as it is free, and leave their queue with the last copy.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLITNETWORK_H
#define MOZART_LIB_SIM_FLITNETWORK_H

#include "BitSpan.h"

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// A router, or the network interface of a terminal.
struct FlitNode {
  int32_t virtualChannels = 4; ///< of each link that comes in; at most 64
  int32_t virtualChannelFlits = 32;
  int32_t pipelineCycles = 1;
  int32_t allocatorIterations = 1;
  int32_t speedup = 1;
  /// Every flit that has a credit crosses the switch, whatever else does.
  bool isOutputQueued = false;
  /// Of copies that leave it; -1: no limit.
  int32_t copyServer = -1;
};

/// One direction of a connection. It takes a flit every `cyclesNumerator` /
/// `cyclesDenominator` cycles (at least one), exactly in the long run. A flit
/// sent in cycle c can be used in cycle c + 1 + latency (later by what it takes
/// longer than a cycle to send); its credit comes back after another latency
/// and two cycles.
struct FlitLink {
  int32_t source = -1, target = -1;
  int64_t latencyCycles = 1;
  int64_t cyclesNumerator = 1, cyclesDenominator = 1;
};

/// Puts packets onto a link, one after another; it is in the node that the link
/// leaves. Each flit takes its time of `server` (-1: none).
struct FlitSource {
  int32_t link = -1;
  int32_t server = -1;
};

/// What serves a flit after another, in 2^-32 of a cycle.
struct FlitServer {
  static constexpr int kFractionBits = 32;
  int64_t sourceTicks = 0; ///< of a flit that leaves by a source, or of a copy
  int64_t sinkTicks = 0;   ///< of a flit that arrives
};

/// A link that a packet takes, and what follows it.
struct FlitHop {
  int32_t link = -1;
  /// Hops at the node where the link leads; several: the packet is copied.
  /// Without any it has arrived, and `childBegin` is the server of its flits,
  /// or -1.
  int32_t childBegin = -1, numChildren = 0;
};

/// A packet (or a copy) of which all flits have arrived.
struct FlitDelivery {
  int64_t createdCycle = 0;
  int32_t tag = 0;
  int32_t flits = 0;
  int32_t hop = -1; ///< its last
};

class FlitNetwork {
public:
  FlitNetwork(absl::Span<const FlitNode> nodes,
              absl::Span<const FlitLink> links,
              absl::Span<const FlitSource> sources,
              absl::Span<const FlitServer> servers);
  // Sets of bits point into the object.
  FlitNetwork(const FlitNetwork &) = delete;
  FlitNetwork &operator=(const FlitNetwork &) = delete;

  /// Adds `count` hops with consecutive numbers and returns the first.
  int32_t addHops(int32_t count);
  FlitHop &hop(int32_t index) { return hops[index]; }

  /// Queues a packet in `source`, in the current cycle. The link of `hop` is
  /// that of the source.
  void inject(int32_t source, int32_t hop, int32_t flits, int32_t tag);

  /// Lets `server` serve so many flits, one after another from this cycle on,
  /// and returns the cycle from which on it has. `isSink`: as flits that
  /// arrive.
  int64_t serve(int32_t server, int64_t flits, bool isSink);

  /// Runs the current cycle and goes on to the next.
  void step();
  /// Goes to the next cycle in which something may happen; false if there is
  /// none.
  bool skipIdle();
  /// That cycle; -1: there is none.
  int64_t nextCycle() const;
  /// Makes `cycle` the current one. Nothing may happen before it.
  void skipTo(int64_t cycle) { now = cycle; }

  int64_t cycle() const { return now; }
  /// Packets that `step` delivered.
  absl::Span<const FlitDelivery> delivered() const { return deliveries; }
  int64_t flitsDelivered() const { return numDelivered; }
  /// Sources that sent a packet's last flit in `step`.
  absl::Span<const int32_t> drained() const { return drainedSources; }
  /// Flits that crossed a switch or arrived so far.
  int64_t moves() const { return numMoves; }
  /// Nothing has moved for so long that nothing ever will.
  bool standsStill() const;
  /// Links whose queues wait for each other in a circle; empty: there is none.
  std::vector<int32_t> waitCycle() const;
  /// Packets that are queued or under way.
  int64_t packetsLeft() const { return numPackets; }
  /// Packets that wait in a source, the one that is being sent included.
  int32_t sourceQueue(int32_t source) const { return waiting[source]; }
  int64_t flitsSent(int32_t link) const { return outputs[outputOf[link]].sent; }

private:
  static constexpr int32_t kNone = -1;

  struct Packet {
    int64_t createdCycle = 0;
    int32_t hop = kNone;
    int32_t flits = 0, sent = 0;
    int32_t tag = 0;
    int32_t copies = 1;   ///< that have not arrived
    int32_t next = kNone; ///< behind it in a source, or in the free list
  };

  struct Flit {
    int32_t packet = kNone;
    int32_t hop = kNone; ///< by which it came, or travels
    bool isHead = false, isTail = false;
  };

  /// A queue of an input: of flits that came by a link, or of the packets of a
  /// source.
  struct Channel {
    int32_t input = kNone;
    int32_t local = 0; ///< number within its node
    int32_t firstSlot = 0;
    int32_t head = 0, count = 0; ///< in slots; of sources: count is 0 or 1
    int32_t firstPacket = kNone, lastPacket = kNone; ///< of sources
    int32_t output = kNone;                          ///< of the packet in front
    int32_t granted = kNone;     ///< the next node's channel it holds
    int32_t firstBranch = kNone; ///< instead of both, if it is copied
    int32_t acceptPointer = 0;   ///< of channel allocation, in its node
    int32_t nextWaiting = kNone; ///< behind it in a server's queue
    // As the channel of the next node, seen from where it is filled:
    int32_t credits = 0;
    int32_t owner = kNone; ///< channel of the last node that sends into it
    int32_t grantPointer = 0;
  };

  /// One way of a packet that is copied.
  struct Branch {
    int32_t output = kNone, granted = kNone, hop = kNone;
    bool isSent = false; ///< the flit in front
    int32_t next = kNone;
  };

  struct Server {
    FlitServer ticks;
    int64_t freeCycle = 0, freeTicks = 0;
    /// Channels whose flit in front it has to take.
    int32_t firstWaiting = kNone, lastWaiting = kNone;
  };

  struct Input {
    int32_t node = kNone;
    int32_t local = 0;
    int32_t firstChannel = 0, numChannels = 0;
    int32_t link = kNone;   ///< that leads here, or
    int32_t source = kNone; ///< that it is
    int32_t server = kNone; ///< of the source
    int32_t acceptPointer = 0;
    int32_t channelPointer = 0;
  };

  struct Output {
    int32_t node = kNone;
    int32_t local = 0;
    int32_t link = kNone;
    int32_t target = kNone;                    ///< node
    int32_t firstChannel = 0, numChannels = 0; ///< of the next node
    uint64_t freeChannels = 0, roomyChannels = 0;
    int32_t grantPointer = 0, copyPointer = 0;
    /// It can send again from freeCycle + freePart / parts on.
    int64_t freeCycle = 0, freePart = 0;
    int64_t wholeCycles = 1, partCycles = 0, parts = 1; ///< of a flit
    int64_t latencyCycles = 1;
    int64_t sent = 0;
    BitSpan channelRequests; ///< local channels that ask for one of its next
    BitSpan switchRequests;  ///< local inputs that ask for it
  };

  struct Node {
    int32_t firstInput = 0, numInputs = 0;
    int32_t firstOutput = 0, numOutputs = 0;
    int32_t firstChannel = 0, numChannels = 0;
    int32_t routeSteps = 0, traverseSteps = 1;
    bool allocatesAtOnce = false, isOutputQueued = false;
    int32_t copyServer = kNone;
    int32_t iterations = 1, speedup = 1;
    /// Channels whose packet in front is being routed, and the step that ends
    /// it: a ring.
    int32_t firstRouting = 0, routingHead = 0, routingCount = 0;
    BitSpan outputsWithChannelRequests, outputsWithSwitchRequests;
    BitSpan linkChannels; ///< its channels that are not a source's
    /// Channels whose packets are to be copied and have no channels yet.
    std::vector<int32_t> waitingCopies;
    /// masks[input x outputs + output]: channels of the input that ask for it.
    size_t firstMask = 0;
  };

  struct Routing {
    int64_t step = 0;
    int32_t channel = kNone;
  };
  struct Arrival {
    Flit flit;
    int32_t channel = kNone;
  };

  std::vector<Node> nodes;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Channel> channels;
  std::vector<int32_t> channelFlits;   ///< capacity, by node
  std::vector<int32_t> outputOf;       ///< by link
  std::vector<int32_t> sourceChannels; ///< by source
  std::vector<int32_t> waiting;        ///< packets, by source
  std::vector<Flit> slots;
  std::vector<Routing> routings;
  std::vector<uint64_t> masks;
  std::vector<uint64_t> bits;
  std::vector<FlitHop> hops;
  std::vector<Server> servers;
  std::vector<Branch> branches;
  int32_t freeBranch = kNone;
  std::vector<Packet> packets;
  int32_t freePacket = kNone;

  int64_t now = 0;
  /// What happens in cycle c: at c modulo their number (a power of two).
  std::vector<std::vector<Arrival>> arrivals;
  std::vector<std::vector<int32_t>> credits; ///< channels of next nodes
  int64_t underWay = 0;                      ///< entries of both
  int64_t patience = 0;
  BitSpan activeNodes;
  BitSpan busyServers; ///< that have something to take
  std::vector<FlitDelivery> deliveries;
  std::vector<int32_t> drainedSources;
  int64_t numDelivered = 0, numPackets = 0, numMoves = 0;
  /// Cycle; or when the last packet was created, or a server will be free.
  int64_t lastMove = 0;

  // Scratch of the allocators.
  std::vector<int32_t> grantedChannels, offeredTo;
  std::vector<uint64_t> offers; ///< channels of the next node, by local channel
  BitSpan freeInputs, freeOutputs, grantedInputs, reservedOutputs;
  std::vector<uint64_t> inputGrants; ///< outputs granted, by local input
  size_t outputWords = 1;
  struct Match {
    int32_t channel, output;
  };
  std::vector<Match> matches;

  void layOut(absl::Span<const FlitNode> facts,
              absl::Span<const FlitLink> links,
              absl::Span<const FlitSource> sources);
  int32_t addInput(Node &node, int32_t numChannels, int32_t slotsEach);
  void addOutput(Node &node, int32_t link, const FlitLink &facts);
  void layOutBits();
  void layOutWheel(absl::Span<const FlitNode> facts,
                   absl::Span<const FlitLink> links);

  size_t bucket(int64_t cycle) const {
    return static_cast<size_t>(cycle) & (arrivals.size() - 1);
  }
  void arrive(const Arrival &arrival);
  void deliver(const Flit &flit, int32_t channel);
  void returnCredit(int32_t channel);
  void takeCredit(int32_t channel);
  bool isFree(int32_t server) const {
    return server == kNone || servers[server].freeCycle <= now;
  }
  void take(int32_t server, int64_t ticks, int64_t flits = 1);
  void waitForServer(int32_t server, int32_t channel);
  void serveArrivals(int32_t server);
  int32_t waitsFor(int32_t channel) const;

  Flit &front(Channel &channel) {
    return slots[channel.firstSlot + channel.head];
  }
  void popFront(Channel &channel);
  /// Another packet or another flit for a server is in front of `channel`.
  void frontChanged(int32_t channel, int64_t step);

  // FlitRouter.cpp
  void stepNode(Node &node, int64_t step);
  void requestChannel(Node &node, int32_t channel);
  void allocateChannels(Node &node, Output &output);
  void offerChannels(Node &node, Output &output);
  void acceptChannel(Node &node, Output &output, int32_t channel,
                     uint64_t offered, bool isFirst);
  void allocateSwitch(Node &node, int64_t step);
  void crossAll(Node &node);
  bool grantOutputs(Node &node, int64_t step);
  void acceptOutputs(Node &node, bool isFirst);
  void matchSwitch(Node &node, int32_t input, int32_t output, bool isFirst);
  /// With a queue at the output; without one it waits for its link.
  bool canTraverse(const Node &node, const Output &output, int64_t step) const {
    return node.speedup > 1 || output.freeCycle <= step + node.traverseSteps;
  }
  uint64_t &mask(const Node &node, int32_t input, int32_t output) {
    return masks[node.firstMask + static_cast<size_t>(input) * node.numOutputs +
                 output];
  }
  void traverse(Node &node, int64_t step, const Match &match);
  Flit takeFlit(Channel &channel);
  void send(Node &node, Output &output, int64_t step, const Flit &flit,
            int32_t nextChannel);
  void setReady(Node &node, int32_t channel, const Output &output);
  void clearReady(Node &node, int32_t channel, const Output &output);
  void setReadyIfSo(Node &node, int32_t channel);
  bool canSend(const Channel &channel) const {
    return channel.granted != kNone && channel.count > 0 &&
           channels[channel.granted].credits > 0;
  }

  // FlitCopies.cpp
  void addBranches(Node &node, int32_t channel, const FlitHop &hop);
  void allocateCopies(Node &node);
  bool grantBranches(int32_t channel);
  void matchCopies(Node &node, int32_t input, const BitSpan &grants,
                   Match accepted);
  bool startCopies(const Node &node, const Channel &channel);
  void traverseCopy(Node &node, int64_t step, const Match &match);
  Branch &branchTo(const Channel &channel, int32_t output);
  bool isGranted(const Channel &channel) const {
    return channel.granted != kNone ||
           (channel.firstBranch != kNone &&
            branches[channel.firstBranch].granted != kNone);
  }
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLITNETWORK_H
