//===- TestPrograms.h - Small programs for tests ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_TESTPROGRAMS_H
#define MOZART_TEST_UNIT_SIM_TESTPROGRAMS_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace mozart::test {

inline ValueType tensor(std::vector<int64_t> shape,
                        ElementType element = ElementType::F16) {
  ValueType type;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

inline ValueType routingType(int64_t tokens, int64_t k, int64_t experts,
                             bool local = false,
                             ElementType element = ElementType::F16) {
  ValueType type;
  type.kind = ValueType::Kind::Routing;
  type.element = element;
  type.shape = {tokens, k};
  type.experts = experts;
  type.local = local;
  return type;
}

inline Place sram(int32_t node) { return {Place::Kind::Sram, node}; }
inline Place inMemory(int32_t memory) { return {Place::Kind::Dram, memory}; }

/// Adds buffers (allocated one after another) and tasks to a program.
class ProgramBuilder {
public:
  explicit ProgramBuilder(const MachineModel &machine) : machine(machine) {
    program.name = "p";
    program.model = "m";
    program.preset = "test";
    program.machine = machine.name();
  }

  int32_t buffer(std::string name, Place place, ValueType type,
                 int32_t slice = -1) {
    Buffer b;
    b.name = std::move(name);
    b.place = place;
    b.type = std::move(type);
    b.slice = slice;
    int64_t &end = ends[{static_cast<int>(place.kind), place.index}];
    b.offset = end;
    end += b.type.bytes();
    program.buffers.push_back(std::move(b));
    return static_cast<int32_t>(program.buffers.size()) - 1;
  }

  int32_t task(Task t) {
    program.tasks.push_back(std::move(t));
    return static_cast<int32_t>(program.tasks.size()) - 1;
  }

  std::vector<int32_t> path(int32_t from, int32_t to) const {
    return machine.path(from, to);
  }

  /// Loads `bytes` bytes from a memory to a chiplet; one DMA engine a chiplet.
  int32_t load(int32_t memory, int32_t node, int64_t bytes,
               std::vector<int32_t> waits = {}) {
    int32_t index = static_cast<int32_t>(program.tasks.size());
    ValueType type = tensor({bytes}, ElementType::I1);
    int32_t from = buffer(absl::StrCat("dram_", index), inMemory(memory), type);
    int32_t to = buffer(absl::StrCat("sram_", index), sram(node), type);
    return loadBuffer(from, to, std::move(waits));
  }

  int32_t loadBuffer(int32_t from, int32_t to,
                     std::vector<int32_t> waits = {}) {
    Task t;
    t.name = absl::StrCat("load.", program.buffers[to].name);
    t.kind = TaskKind::Load;
    t.node = program.buffers[to].place.index;
    t.engines = {{EngineKind::Dma, t.node}};
    t.reads = {from};
    t.writes = {to};
    t.waits = std::move(waits);
    t.route =
        path(machine.memory(program.buffers[from].place.index).node, t.node);
    return task(std::move(t));
  }

  int32_t storeBuffer(int32_t from, int32_t to,
                      std::vector<int32_t> waits = {}) {
    Task t;
    t.name = absl::StrCat("store.", program.buffers[from].name);
    t.kind = TaskKind::Store;
    t.node = program.buffers[from].place.index;
    t.engines = {{EngineKind::Dma, t.node}};
    t.reads = {from};
    t.writes = {to};
    t.waits = std::move(waits);
    t.route =
        path(t.node, machine.memory(program.buffers[to].place.index).node);
    return task(std::move(t));
  }

  int32_t store(int32_t memory, int32_t node, int64_t bytes,
                std::vector<int32_t> waits = {}) {
    int32_t index = static_cast<int32_t>(program.tasks.size());
    ValueType type = tensor({bytes}, ElementType::I1);
    int32_t from = buffer(absl::StrCat("sram_", index), sram(node), type);
    int32_t to = buffer(absl::StrCat("dram_", index), inMemory(memory), type);
    return storeBuffer(from, to, std::move(waits));
  }

  /// A compute task whose writes are the results of its last step.
  int32_t compute(std::string name, int32_t node, std::vector<int32_t> reads,
                  std::vector<int32_t> writes, std::vector<KernelStep> steps,
                  std::vector<int32_t> waits = {}) {
    Task t;
    t.name = std::move(name);
    t.node = node;
    t.engines = {{EngineKind::Compute, node}};
    t.waits = std::move(waits);
    t.reads = std::move(reads);
    t.writes = std::move(writes);
    int32_t values = static_cast<int32_t>(t.reads.size());
    for (const KernelStep &step : steps)
      values += static_cast<int32_t>(step.resultTypes.size());
    for (size_t i = t.writes.size(); i > 0; --i)
      t.results.push_back(values - static_cast<int32_t>(i));
    t.steps = std::move(steps);
    return task(std::move(t));
  }

  /// M x K x N in one step.
  int32_t matmul(int32_t node, int64_t m, int64_t k, int64_t n,
                 std::vector<int32_t> waits = {}) {
    int32_t x = buffer("x", sram(node), tensor({m, k}));
    int32_t w = buffer("w", sram(node), tensor({k, n}));
    int32_t y = buffer("y", sram(node), tensor({m, n}));
    KernelStep step;
    step.kind = KernelKind::Linear;
    step.inputs = {0, 1};
    step.resultTypes = {tensor({m, n})};
    return compute("matmul", node, {x, w}, {y}, {step}, std::move(waits));
  }

  Program program;
  const MachineModel &machine;

private:
  std::map<std::pair<int, int32_t>, int64_t> ends;
};

/// Adds the map of a placement (experts of each expert chiplet, by ordinal)
/// that has an expert on several chiplets; -1 for any other.
inline int32_t
addExpertMap(Program &program, const MachineModel &machine,
             const std::vector<std::vector<int32_t>> &placement) {
  ExpertMap map;
  map.nodesOf.resize(program.experts);
  bool replicas = false;
  for (size_t chiplet = 0; chiplet < placement.size(); ++chiplet)
    for (int32_t expert : placement[chiplet]) {
      map.nodesOf[expert].push_back(machine.expertChiplets()[chiplet]);
      replicas |= map.nodesOf[expert].size() > 1;
    }
  if (!replicas)
    return -1;
  program.expertMaps.push_back(std::move(map));
  return static_cast<int32_t>(program.expertMaps.size()) - 1;
}

/// What `moeProgram` builds.
struct MoeShape {
  int64_t tokens = 4, hidden = 8, inner = 4, experts = 4, k = 2;
  int64_t layers = 1, microBatches = 1;
  ExchangeForm form = ExchangeForm::Pairs;
  ExchangeVia via = ExchangeVia::Root;
  /// A dispatch starts when all weights of its layer are there, so that nothing
  /// else moves meanwhile.
  bool loadsFirst = false;
  /// Experts of each expert chiplet, by ordinal.
  std::vector<std::vector<int32_t>> placement;
};

/// Layers of router, dispatch, experts, combine and a residual on the root; the
/// weights of router and experts are loaded anew for every micro-batch from the
/// memories that serve their chiplets. Serial in nothing but its waits.
inline Program moeProgram(const MachineModel &machine, const MoeShape &shape) {
  ProgramBuilder b(machine);
  Program &p = b.program;
  const int64_t t = shape.tokens, h = shape.hidden, f = shape.inner,
                e = shape.experts, k = shape.k;
  p.moeLayers = shape.layers;
  p.experts = e;
  p.k = k;
  p.tokensPerMicroBatch = t;
  p.microBatches = shape.microBatches;
  const bool pairs = shape.form == ExchangeForm::Pairs;
  const int32_t root = machine.root();
  const int32_t rootMemory = machine.memoryServing(root);
  std::vector<int32_t> all;
  for (int32_t i = 0; i < e; ++i)
    all.push_back(i);
  const int32_t expertMap = addExpertMap(p, machine, shape.placement);

  std::vector<int32_t> routerWeights;
  std::vector<std::vector<std::vector<int32_t>>> expertWeights; // [layer][peer]
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    routerWeights.push_back(b.buffer(absl::StrCat("router.", layer),
                                     inMemory(rootMemory), tensor({h, e})));
    expertWeights.emplace_back();
    const int32_t argument = static_cast<int32_t>(1 + 4 * layer);
    p.inputs.push_back({routerWeights.back(), argument, -1, {}});
    for (size_t c = 0; c < shape.placement.size(); ++c) {
      int64_t local = static_cast<int64_t>(shape.placement[c].size());
      int32_t memory = machine.memoryServing(machine.expertChiplets()[c]);
      expertWeights.back().push_back(
          {b.buffer("gate", inMemory(memory), tensor({local, h, f})),
           b.buffer("up", inMemory(memory), tensor({local, h, f})),
           b.buffer("down", inMemory(memory), tensor({local, f, h}))});
      for (int32_t i = 0; i < 3; ++i)
        p.inputs.push_back({expertWeights.back().back()[i], argument + 1 + i,
                            -1, shape.placement[c]});
    }
  }

  for (int64_t mb = 0; mb < shape.microBatches; ++mb) {
    int32_t x = b.buffer("x", sram(root), tensor({t, h}));
    int32_t dramX = b.buffer("x.dram", inMemory(rootMemory), tensor({t, h}));
    int32_t last = b.loadBuffer(dramX, x);
    p.inputs.push_back({dramX, 0, mb, {}});
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      RoutedSlice whole;
      whole.layer = layer;
      whole.microBatch = mb;
      whole.tokenCount = t;
      whole.experts = all;
      p.slices.push_back(whole);
      int32_t slice = static_cast<int32_t>(p.slices.size()) - 1;

      int32_t w = b.buffer("router", sram(root), tensor({h, e}));
      int32_t loadW = b.loadBuffer(routerWeights[layer], w);
      int32_t routing =
          b.buffer("routing", sram(root), routingType(t, k, e), slice);
      KernelStep router, route;
      router.kind = KernelKind::Router;
      router.inputs = {0, 1};
      router.resultTypes = {tensor({t, e}, ElementType::F32)};
      route.kind = KernelKind::Route;
      route.inputs = {2};
      route.route.k = k;
      route.resultTypes = {routingType(t, k, e)};
      int32_t routed = b.compute("route", root, {x, w}, {routing},
                                 {router, route}, {last, loadW});

      Task dispatch, combine;
      dispatch.name = "dispatch";
      dispatch.kind = TaskKind::Dispatch;
      dispatch.node = root;
      dispatch.engines = {{EngineKind::Send, root}};
      dispatch.waits = {routed};
      dispatch.reads = {x, routing};
      dispatch.exchange.form = shape.form;
      dispatch.exchange.via = shape.via;
      dispatch.exchange.expertMap = expertMap;
      combine = dispatch;
      combine.name = "combine";
      combine.kind = TaskKind::Combine;
      combine.engines = {{EngineKind::Receive, root}};
      combine.reads.clear();
      combine.waits.clear();

      struct Peer {
        int32_t node, slice, rows, second, out;
        int64_t experts, capacity;
      };
      std::vector<Peer> peers;
      for (size_t c = 0; c < shape.placement.size(); ++c) {
        Peer peer;
        peer.node = machine.expertChiplets()[c];
        peer.experts = static_cast<int64_t>(shape.placement[c].size());
        peer.capacity = pairs ? t * std::min(k, peer.experts) : t;
        RoutedSlice local = whole;
        local.experts = shape.placement[c];
        local.expertMap = expertMap;
        local.node = expertMap == -1 ? -1 : peer.node;
        p.slices.push_back(local);
        peer.slice = static_cast<int32_t>(p.slices.size()) - 1;
        peer.rows = b.buffer("rows", sram(peer.node),
                             tensor({peer.capacity, h}), peer.slice);
        peer.second =
            b.buffer("second", sram(peer.node),
                     pairs ? tensor({peer.experts}, ElementType::Index)
                           : routingType(peer.capacity, k, peer.experts, true),
                     peer.slice);
        peer.out = b.buffer("out", sram(peer.node), tensor({peer.capacity, h}),
                            peer.slice);
        dispatch.writes.push_back(peer.rows);
        dispatch.writes.push_back(peer.second);
        ExchangePeer there;
        there.node = peer.node;
        there.experts = shape.placement[c];
        there.route = b.path(root, peer.node);
        dispatch.exchange.peers.push_back(there);
        there.route = b.path(peer.node, root);
        combine.exchange.peers.push_back(there);
        combine.reads.push_back(peer.out);
        peers.push_back(peer);
      }
      std::vector<std::vector<int32_t>> weights(peers.size());
      std::vector<int32_t> loads;
      for (size_t c = 0; c < peers.size(); ++c)
        for (int32_t weight : expertWeights[layer][c]) {
          weights[c].push_back(
              b.buffer("w", sram(peers[c].node), p.buffers[weight].type));
          loads.push_back(b.loadBuffer(weight, weights[c].back()));
        }
      if (shape.loadsFirst)
        dispatch.waits.insert(dispatch.waits.end(), loads.begin(), loads.end());
      int32_t dispatched = b.task(dispatch);

      for (size_t c = 0; c < peers.size(); ++c) {
        const Peer &peer = peers[c];
        std::vector<int32_t> reads = {peer.rows, peer.second};
        std::vector<int32_t> waits = {dispatched};
        for (size_t i = 0; i < weights[c].size(); ++i) {
          waits.push_back(loads[c * weights[c].size() + i]);
          reads.push_back(weights[c][i]);
        }
        KernelStep experts;
        experts.kind = KernelKind::Experts;
        std::vector<KernelStep> steps;
        if (pairs) {
          experts.inputs = {0, 1, 2, 3, 4};
          experts.resultTypes = {tensor({peer.capacity, h})};
          steps = {experts};
        } else {
          KernelStep spread, gather;
          spread.kind = KernelKind::Dispatch;
          spread.inputs = {0, 1};
          spread.resultTypes = {tensor({peer.capacity * k, h}),
                                tensor({peer.experts}, ElementType::Index)};
          experts.inputs = {5, 6, 2, 3, 4};
          experts.resultTypes = {tensor({peer.capacity * k, h})};
          gather.kind = KernelKind::Combine;
          gather.inputs = {7, 1};
          gather.resultTypes = {tensor({peer.capacity, h})};
          steps = {spread, experts, gather};
        }
        combine.waits.push_back(
            b.compute("experts", peer.node, reads, {peer.out}, steps, waits));
      }
      combine.reads.push_back(routing);
      int32_t y = b.buffer("y", sram(root), tensor({pairs ? t * k : t, h}),
                           pairs ? slice : -1);
      combine.writes = {y};
      int32_t combined = b.task(combine);

      int32_t next = b.buffer("x", sram(root), tensor({t, h}));
      KernelStep add;
      add.kind = KernelKind::Add;
      add.resultTypes = {tensor({t, h})};
      if (pairs) {
        KernelStep gather;
        gather.kind = KernelKind::Combine;
        gather.inputs = {1, 2};
        gather.resultTypes = {tensor({t, h})};
        add.inputs = {0, 3};
        last = b.compute("residual", root, {x, y, routing}, {next},
                         {gather, add}, {combined});
      } else {
        add.inputs = {0, 1};
        last = b.compute("residual", root, {x, y}, {next}, {add}, {combined});
      }
      x = next;
    }
    last = b.storeBuffer(
        x, b.buffer("y.dram", inMemory(rootMemory), tensor({t, h})), {last});
    p.outputs.push_back({p.tasks[last].writes[0], 0, mb});
  }
  return p;
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_TESTPROGRAMS_H
