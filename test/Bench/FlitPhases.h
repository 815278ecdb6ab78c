//===- FlitPhases.h - Phases of communication on trees ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases on which the fidelities of the network are compared.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_BENCH_FLITPHASES_H
#define MOZART_TEST_BENCH_FLITPHASES_H

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include "mozart/Sim/EventEngine.h"

#include <cmath>

namespace mozart::phases {

enum class Phase {
  AllToAll, ///< every chiplet sends a row of each pair to that of its expert
  Pairs,    ///< the root does
  Dispatch, ///< the root sends tokens, which switches copy
  Combine,  ///< the root receives tokens, which switches add
};

struct Case {
  Phase phase;
  int fanout;    ///< of the switches below the root and of their leaves
  bool isSkewed; ///< one expert in a few gets most of the tokens
  bool isIdeal;  ///< router; or input-queued
};

inline std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (bool isIdeal : {true, false})
    for (int fanout : {4, 8})
      for (Phase phase :
           {Phase::AllToAll, Phase::Pairs, Phase::Dispatch, Phase::Combine})
        for (bool isSkewed : {false, true})
          cases.push_back({phase, fanout, isSkewed, isIdeal});
  return cases;
}

constexpr const char *kPhaseNames[] = {"all-to-all", "pairs", "dispatch",
                                       "combine"};

/// What share of the sum of its links' rates a switch of nine links passes when
/// all of them ask for all with packets of one flit (MozartFlitBench).
constexpr int64_t kIdealPpm = 998000;
constexpr int64_t kInputQueuedPpm = 640000;
constexpr int64_t kSlots = 8;

/// So that rows are whole flits of 32 bytes: 16, and 17 with the slots of a
/// token that is dispatched.
inline int64_t hidden(const Case &c) {
  return c.phase == Phase::Dispatch ? 248 : 256;
}

inline int64_t tokens(const Case &c) {
  return c.phase == Phase::AllToAll && c.fanout > 4 ? 256 : 512;
}

/// A root chiplet over `fanout` switches with `fanout` leaves each. For an
/// all-to-all a switch joins the switches, and the root hangs on it. Links of
/// 10 GB/s; switches add and copy at full rate of their links.
inline MachineFacts machineFacts(const Case &c) {
  std::vector<int> fanout = {c.fanout, c.fanout};
  if (c.phase == Phase::AllToAll)
    fanout.insert(fanout.begin(), 1);
  MachineFacts facts = test::tree(fanout);
  for (NodeFacts &node : facts.nodes) {
    if (node.isChiplet()) {
      node.sramBytes = int64_t{1} << 40;
      node.compute.tileSramBytesPerSecond = 1000000000000;
      node.hostsAttention = node.hostsExperts = true;
      continue;
    }
    node.queueing = Queueing::Input;
    node.virtualChannels = c.isIdeal ? 16 : 4;
    node.virtualChannelFlits = c.isIdeal ? 64 : 32;
    node.pipelineCycles = c.isIdeal ? 2 : 4;
    node.allocatorIterations = c.isIdeal ? 4 : 1;
    node.speedup = c.isIdeal ? 2 : 1;
    node.efficiencyPpm = c.isIdeal ? kIdealPpm : kInputQueuedPpm;
    // Room for all streams at once: what counts here is the router.
    node.bufferBytes = int64_t{1} << 28;
    node.multicastBytesPerSecond = node.reduceBytesPerSecond =
        (c.fanout + 1) * int64_t{10000000000};
  }
  return facts;
}

/// Tasks that exchange rows of a slice between `node` and all leaves.
inline void addExchange(test::ProgramBuilder &b, const Case &c, int32_t node,
                        int64_t layer) {
  const MachineModel &machine = b.machine;
  const bool pairs = c.phase == Phase::AllToAll || c.phase == Phase::Pairs;
  Task task;
  task.name = absl::StrCat(kPhaseNames[static_cast<int>(c.phase)], node);
  task.kind =
      c.phase == Phase::Combine ? TaskKind::Combine : TaskKind::Dispatch;
  task.node = node;
  task.engines = {
      {c.phase == Phase::Combine ? EngineKind::Receive : EngineKind::Send,
       node}};
  task.exchange.form = pairs ? ExchangeForm::Pairs : ExchangeForm::Tokens;
  task.exchange.via = pairs ? ExchangeVia::Root : ExchangeVia::Switch;
  RoutedSlice slice;
  slice.layer = layer;
  slice.tokenCount = tokens(c);
  for (int64_t i = 0; i < b.program.experts; ++i)
    slice.experts.push_back(static_cast<int32_t>(i));
  const int64_t experts = b.program.experts;
  b.program.slices.push_back(slice);
  const int32_t x =
      b.buffer("x", test::sram(node), test::tensor({tokens(c), hidden(c)}));
  const int32_t routing =
      b.buffer("routing", test::sram(node),
               test::routingType(tokens(c), kSlots, experts),
               static_cast<int32_t>(b.program.slices.size()) - 1);
  // Each begins with the chiplet after its own.
  std::vector<int32_t> chiplets;
  for (int32_t leaf = 0; leaf < machine.numNodes(); ++leaf)
    if (machine.node(leaf).isChiplet() &&
        (leaf != 0 || c.phase == Phase::AllToAll))
      chiplets.push_back(leaf);
  const size_t first = static_cast<size_t>(
      std::upper_bound(chiplets.begin(), chiplets.end(), node) -
      chiplets.begin());
  for (size_t i = 0; i < chiplets.size(); ++i) {
    const size_t ordinal =
        (i + (c.phase == Phase::AllToAll ? first : 0)) % chiplets.size();
    const int32_t leaf = chiplets[ordinal];
    // Two experts a chiplet, in order.
    const int32_t expert = static_cast<int32_t>(2 * ordinal);
    slice.experts = {expert, expert + 1};
    b.program.slices.push_back(slice);
    const int32_t local = static_cast<int32_t>(b.program.slices.size()) - 1;
    const int64_t capacity = pairs ? 2 * tokens(c) : tokens(c);
    const int32_t rows = b.buffer("rows", test::sram(leaf),
                                  test::tensor({capacity, hidden(c)}), local);
    if (task.kind == TaskKind::Combine) {
      task.reads.push_back(rows);
    } else {
      task.writes.push_back(rows);
      task.writes.push_back(
          b.buffer("second", test::sram(leaf),
                   pairs ? test::tensor({2}, ElementType::Index)
                         : test::routingType(capacity, kSlots, 2, true),
                   local));
    }
    ExchangePeer peer;
    peer.node = leaf;
    peer.experts = slice.experts;
    peer.route = task.kind == TaskKind::Combine ? b.path(leaf, node)
                                                : b.path(node, leaf);
    task.exchange.peers.push_back(peer);
  }
  if (task.kind == TaskKind::Combine) {
    task.reads.push_back(routing);
    task.writes = {x};
  } else {
    task.reads = {x, routing};
  }
  b.task(std::move(task));
}

/// The program of a case, and its routing.
struct PhaseProgram {
  MachineModel machine;
  Program program;
  test::TestRouting routing;
};

/// Draws distinct experts, uniformly or by Zipf's law over a random order.
inline test::TestRouting drawRouting(const Program &program, bool isSkewed) {
  std::mt19937_64 random(17);
  const size_t experts = static_cast<size_t>(program.experts);
  std::vector<double> weights(experts, 1.0);
  if (isSkewed)
    for (size_t i = 0; i < experts; ++i)
      weights[(i * 7 + 3) % experts] =
          std::pow(static_cast<double>(i + 1), -0.8);
  std::vector<int32_t> ids;
  for (int64_t row = 0; row < program.tokensPerMicroBatch * program.moeLayers;
       ++row) {
    std::vector<double> left = weights;
    for (int64_t slot = 0; slot < program.k; ++slot) {
      double sum = 0;
      for (double weight : left)
        sum += weight;
      double at = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
      size_t chosen = 0;
      while (chosen + 1 < experts && (at >= left[chosen] || left[chosen] == 0))
        at -= left[chosen++];
      ids.push_back(static_cast<int32_t>(chosen));
      left[chosen] = 0;
    }
  }
  return test::bindIds(program, program.moeLayers, std::move(ids));
}

inline PhaseProgram makePhase(const Case &c) {
  absl::StatusOr<MachineModel> machine = MachineModel::create(machineFacts(c));
  if (!machine.ok())
    std::abort();
  PhaseProgram result{*std::move(machine), {}, {}};
  test::ProgramBuilder b(result.machine);
  const bool isAllToAll = c.phase == Phase::AllToAll;
  const int64_t chiplets = int64_t{c.fanout} * c.fanout + isAllToAll;
  b.program.experts = 2 * chiplets;
  b.program.k = kSlots;
  b.program.tokensPerMicroBatch = tokens(c);
  b.program.moeLayers = isAllToAll ? chiplets : 1;
  if (!isAllToAll) {
    addExchange(b, c, result.machine.root(), 0);
  } else {
    // Each chiplet has a routing of its own: that of a layer.
    int64_t layer = 0;
    for (int32_t node = 0; node < result.machine.numNodes(); ++node)
      if (result.machine.node(node).isChiplet())
        addExchange(b, c, node, layer++);
  }
  result.program = std::move(b.program);
  result.routing = drawRouting(result.program, c.isSkewed);
  return result;
}

inline absl::StatusOr<int64_t> latencyPs(const PhaseProgram &phase,
                                         Network network) {
  SimulationOptions options;
  options.network = network;
  absl::StatusOr<SimulationResult> result = simulate(
      phase.program, phase.machine, phase.routing.bound.get(), options);
  if (!result.ok())
    return result.status();
  return result->latencyPs;
}

} // namespace mozart::phases

#endif // MOZART_TEST_BENCH_FLITPHASES_H
