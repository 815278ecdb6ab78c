//===- MoeCase.cpp - Small MoE programs with their answers ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "Sim/TestPrograms.h"

#include "mozart/Sim/MemoryOrder.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;
using namespace mozart::test;

MachineModel mozart::test::treeMachine(const std::vector<int> &fanout) {
  MachineFacts facts = tree(fanout);
  for (NodeFacts &node : facts.nodes)
    if (!node.isChiplet())
      node.multicastBytesPerSecond = node.reduceBytesPerSecond = 1000000000;
  absl::StatusOr<MachineModel> model = MachineModel::create(std::move(facts));
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

MoeCase mozart::test::randomCase(uint64_t seed) {
  Draw draw(seed);
  static const std::vector<std::vector<int>> kFanouts = {
      {2}, {3}, {2, 2}, {1, 3}, {2, 1, 2}, {1, 2, 2}};
  MoeCase c;
  c.seed = seed;
  c.fanout = kFanouts[draw.below(kFanouts.size())];
  c.tokens = 1 + draw.below(5);
  c.hidden = 1 + draw.below(4);
  c.inner = 1 + draw.below(3);
  c.experts = 1 + draw.below(6);
  c.k = 1 + draw.below(std::min<int64_t>(c.experts, 3));
  c.layers = 1 + draw.below(2);
  c.microBatches = 1 + draw.below(2);
  c.form = draw.oneIn(3) ? ExchangeForm::Pairs : ExchangeForm::Tokens;
  c.via = c.form == ExchangeForm::Tokens && draw.oneIn(2) ? ExchangeVia::Switch
                                                          : ExchangeVia::Root;
  c.padding = draw.oneIn(3);
  c.channels = draw.oneIn(2);
  c.reuse = !draw.oneIn(3);
  c.stages = draw.oneIn(3);
  int64_t chiplets = std::accumulate(c.fanout.begin(), c.fanout.end(),
                                     int64_t(1), std::multiplies<int64_t>());
  c.placement.resize(chiplets);
  for (int32_t expert = 0; expert < c.experts; ++expert)
    c.placement[draw.below(chiplets)].push_back(expert);
  int64_t first = draw.below(c.tokens);
  c.chunks = first == 0 ? std::vector<int64_t>{c.tokens}
                        : std::vector<int64_t>{first, c.tokens - first};
  bool replicas = draw.oneIn(2);
  for (std::vector<int32_t> &experts : c.placement)
    for (int32_t expert = 0; replicas && expert < c.experts; ++expert)
      if (draw.oneIn(4) && absl::c_count(experts, expert) == 0)
        experts.push_back(expert);
  return c;
}

bool MoeCase::hasReplicas() const {
  size_t places = 0;
  for (const std::vector<int32_t> &experts : placement)
    places += experts.size();
  return static_cast<int64_t>(places) > experts;
}

std::string mozart::test::describeCase(const MoeCase &c) {
  std::string placement = absl::StrJoin(
      c.placement, "|", [](std::string *out, const std::vector<int32_t> &e) {
        absl::StrAppend(out, absl::StrJoin(e, " "));
      });
  return absl::StrCat(
      "seed ", c.seed, ": tree ", absl::StrJoin(c.fanout, "x"),
      ", T=", c.tokens, " H=", c.hidden, " F=", c.inner, " E=", c.experts,
      " k=", c.k, ", ", c.layers, " layers, ", c.microBatches,
      " micro-batches, chunks ", absl::StrJoin(c.chunks, "+"), ", placement ",
      placement, c.form == ExchangeForm::Pairs ? ", pairs" : ", tokens",
      c.via == ExchangeVia::Switch ? " via switches" : " via root",
      c.padding ? ", padding" : "", c.channels ? ", channels" : "",
      c.reuse ? ", reuse" : "", c.stages ? ", stages" : "");
}

namespace {

// Arguments: x (by micro-batch), padding, then by layer router, gate, up, down.
constexpr int32_t kX = 0, kPadding = 1, kFirstWeight = 2;

class CaseBuilder {
public:
  CaseBuilder(const MoeCase &c, const MachineModel &machine)
      : c(c), machine(machine), b(machine), p(b.program), draw(c.seed + 1000),
        root(machine.root()) {}

  BuiltCase build() {
    p.moeLayers = c.layers;
    p.experts = c.experts;
    p.k = c.k;
    p.tokensPerMicroBatch = c.tokens;
    p.microBatches = c.microBatches;
    expertMap = addExpertMap(p, machine, c.placement);
    drawArguments();
    for (int64_t layer = 0; layer < c.layers; ++layer)
      placeWeights(layer);
    for (int64_t mb = 0; mb < c.microBatches; ++mb)
      buildMicroBatch(mb);
    if (c.reuse)
      allocateAgain();
    addWaits(p);
    if (c.stages)
      addStages();
    return {std::move(p), std::move(arguments)};
  }

private:
  const MoeCase &c;
  const MachineModel &machine;
  ProgramBuilder b;
  Program &p;
  Draw draw;
  int32_t root;
  int32_t expertMap = -1;
  std::vector<Argument> arguments;
  int32_t paddingBuffer = -1;
  std::vector<int32_t> routers;
  std::vector<std::vector<std::vector<int32_t>>> weights; // [layer][chiplet][3]

  ValueType matrix(std::vector<int64_t> shape) const {
    return tensor(std::move(shape), c.element);
  }

  Argument drawTensor(std::vector<int64_t> shape, int64_t copies) {
    Argument argument;
    for (int64_t i = 0; i < copies; ++i) {
      std::vector<double> elements(tensor(shape).elements());
      for (double &element : elements)
        element = draw.number();
      argument.copies.push_back(*makeTensor(c.element, shape, elements));
    }
    return argument;
  }

  void drawArguments() {
    arguments.push_back(drawTensor({c.tokens, c.hidden}, c.microBatches));
    std::vector<double> mask(c.tokens, 0);
    bool everything = draw.oneIn(4);
    for (double &token : mask)
      token = c.padding && (everything || draw.oneIn(3));
    arguments.push_back({{*makeTensor(ElementType::I1, {c.tokens}, mask)}});
    for (int64_t layer = 0; layer < c.layers; ++layer) {
      arguments.push_back(drawTensor({c.hidden, c.experts}, 1));
      arguments.push_back(drawTensor({c.experts, c.hidden, c.inner}, 1));
      arguments.push_back(drawTensor({c.experts, c.hidden, c.inner}, 1));
      arguments.push_back(drawTensor({c.experts, c.inner, c.hidden}, 1));
    }
  }

  int32_t input(std::string name, int32_t memory, ValueType type,
                int32_t argument, int64_t microBatch,
                std::vector<int32_t> experts) {
    int32_t buffer =
        b.buffer(std::move(name), inMemory(memory), std::move(type));
    p.inputs.push_back({buffer, argument, microBatch, std::move(experts)});
    return buffer;
  }

  void placeWeights(int64_t layer) {
    int32_t rootMemory = machine.memoryServing(root);
    if (layer == 0)
      paddingBuffer =
          input("padding", rootMemory, tensor({c.tokens}, ElementType::I1),
                kPadding, -1, {});
    auto first = static_cast<int32_t>(kFirstWeight + 4 * layer);
    routers.push_back(input("router", rootMemory, matrix({c.hidden, c.experts}),
                            first, -1, {}));
    weights.emplace_back();
    for (size_t i = 0; i < c.placement.size(); ++i) {
      const std::vector<int32_t> &experts = c.placement[i];
      weights.back().emplace_back();
      if (experts.empty())
        continue;
      int32_t memory = machine.memoryServing(machine.expertChiplets()[i]);
      auto local = static_cast<int64_t>(experts.size());
      int32_t argument = first;
      for (const ValueType &type : {matrix({local, c.hidden, c.inner}),
                                    matrix({local, c.hidden, c.inner}),
                                    matrix({local, c.inner, c.hidden})})
        weights.back().back().push_back(
            input("weights", memory, type, ++argument, -1, experts));
    }
  }

  int32_t load(int32_t from, int32_t node) {
    int32_t to =
        b.buffer(p.buffers[from].name, sram(node), p.buffers[from].type);
    int32_t task = b.loadBuffer(from, to);
    if (c.channels)
      p.tasks[task].engines.push_back(
          {EngineKind::Channel, p.buffers[from].place.index});
    return to;
  }

  /// Rows [begin, begin + rows) of a buffer, or the buffer if that is all.
  int32_t view(int32_t of, int64_t begin, int64_t rows) {
    if (begin == 0 && rows == p.buffers[of].type.rows())
      return of;
    Buffer buffer = p.buffers[of];
    buffer.name += ".view";
    buffer.viewOf = of;
    buffer.rowBegin = begin;
    buffer.offset = -1;
    buffer.type.shape[0] = rows;
    p.buffers.push_back(buffer);
    return static_cast<int32_t>(p.buffers.size()) - 1;
  }

  static KernelStep step(KernelKind kind, std::vector<int32_t> inputs,
                         std::vector<ValueType> results) {
    KernelStep s;
    s.kind = kind;
    s.inputs = std::move(inputs);
    s.resultTypes = std::move(results);
    return s;
  }

  void buildMicroBatch(int64_t mb) {
    int32_t memory = machine.memoryServing(root);
    int32_t x = load(
        input("x", memory, matrix({c.tokens, c.hidden}), kX, mb, {}), root);
    int32_t mask = load(paddingBuffer, root);
    for (int64_t layer = 0; layer < c.layers; ++layer)
      x = buildLayer(mb, layer, x, mask);
    int32_t result =
        b.buffer("result", inMemory(memory), matrix({c.tokens, c.hidden}));
    b.storeBuffer(x, result);
    p.outputs.push_back({result, 0, mb});
  }

  int32_t buildLayer(int64_t mb, int64_t layer, int32_t x, int32_t mask) {
    int32_t router = load(routers[layer], root);
    int32_t routing =
        b.buffer("routing", sram(root),
                 test::routingType(c.tokens, c.k, c.experts, false, c.element));
    KernelStep route =
        step(KernelKind::Route, {3, 2}, {p.buffers[routing].type});
    route.route.k = c.k;
    route.route.hasPadding = true;
    b.compute(
        "route", root, {x, router, mask}, {routing},
        {step(KernelKind::Router, {0, 1}, {matrix({c.tokens, c.experts})}),
         route});
    std::vector<std::vector<int32_t>> loaded;
    for (size_t i = 0; i < c.placement.size(); ++i) {
      loaded.emplace_back();
      for (int32_t weight : weights[layer][i])
        loaded.back().push_back(load(weight, machine.expertChiplets()[i]));
    }
    int32_t next = b.buffer("x", sram(root), matrix({c.tokens, c.hidden}));
    RoutedSlice slice;
    slice.layer = layer;
    slice.microBatch = mb;
    for (int64_t chunk : c.chunks) {
      slice.tokenCount = chunk;
      slice.experts.resize(c.experts);
      std::iota(slice.experts.begin(), slice.experts.end(), 0);
      p.slices.push_back(slice);
      int32_t ids = view(routing, slice.tokenBegin, chunk);
      p.buffers[ids].slice = static_cast<int32_t>(p.slices.size()) - 1;
      buildChunk(slice, view(x, slice.tokenBegin, chunk), ids,
                 view(next, slice.tokenBegin, chunk), loaded);
      slice.tokenBegin += chunk;
    }
    return next;
  }

  void buildChunk(RoutedSlice slice, int32_t x, int32_t routing, int32_t next,
                  const std::vector<std::vector<int32_t>> &loaded) {
    const int64_t tokens = slice.tokenCount;
    const bool pairs = c.form == ExchangeForm::Pairs;
    Task dispatch, combine;
    dispatch.name = "dispatch";
    dispatch.kind = TaskKind::Dispatch;
    dispatch.reads = {x, routing};
    combine.name = "combine";
    combine.kind = TaskKind::Combine;
    for (Task *task : {&dispatch, &combine}) {
      task->node = root;
      task->exchange.form = c.form;
      task->exchange.via = c.via;
      task->exchange.expertMap = expertMap;
    }
    dispatch.engines = {{EngineKind::Send, root}};
    combine.engines = {{EngineKind::Receive, root}};
    struct Peer {
      int32_t node, rows, second, out;
      size_t chiplet;
    };
    std::vector<Peer> peers;
    for (size_t i = 0; i < c.placement.size(); ++i) {
      if (c.placement[i].empty())
        continue;
      slice.experts = c.placement[i];
      slice.expertMap = expertMap;
      slice.node = expertMap == -1 ? -1 : machine.expertChiplets()[i];
      p.slices.push_back(slice);
      auto sliceIndex = static_cast<int32_t>(p.slices.size()) - 1;
      auto local = static_cast<int64_t>(slice.experts.size());
      int64_t capacity = pairs ? tokens * std::min(c.k, local) : tokens;
      Peer peer;
      peer.node = machine.expertChiplets()[i];
      peer.chiplet = i;
      peer.rows = b.buffer("rows", sram(peer.node),
                           matrix({capacity, c.hidden}), sliceIndex);
      peer.second =
          pairs ? b.buffer("counts", sram(peer.node),
                           tensor({local}, ElementType::Index), sliceIndex)
                : b.buffer(
                      "local", sram(peer.node),
                      test::routingType(capacity, c.k, local, true, c.element),
                      sliceIndex);
      peer.out = b.buffer("out", sram(peer.node), matrix({capacity, c.hidden}),
                          sliceIndex);
      dispatch.writes.insert(dispatch.writes.end(), {peer.rows, peer.second});
      combine.reads.push_back(peer.out);
      dispatch.exchange.peers.push_back(
          {peer.node, slice.experts, b.path(root, peer.node)});
      combine.exchange.peers.push_back(
          {peer.node, slice.experts, b.path(peer.node, root)});
      dispatch.engines.push_back({EngineKind::Receive, peer.node});
      combine.engines.push_back({EngineKind::Send, peer.node});
      peers.push_back(peer);
    }
    b.task(dispatch);
    for (const Peer &peer : peers)
      buildExperts(peer.node, peer.rows, peer.second, peer.out,
                   loaded[peer.chiplet]);
    combine.reads.push_back(routing);
    int32_t y = b.buffer("y", sram(root),
                         matrix({pairs ? tokens * c.k : tokens, c.hidden}));
    combine.writes = {y};
    b.task(combine);
    ValueType sum = matrix({tokens, c.hidden});
    if (pairs)
      b.compute("residual", root, {x, y, routing}, {next},
                {step(KernelKind::Combine, {1, 2}, {sum}),
                 step(KernelKind::Add, {0, 3}, {sum})});
    else
      b.compute("residual", root, {x, y}, {next},
                {step(KernelKind::Add, {0, 1}, {sum})});
  }

  void buildExperts(int32_t node, int32_t rows, int32_t second, int32_t out,
                    const std::vector<int32_t> &loaded) {
    const ValueType type = p.buffers[rows].type;
    std::vector<int32_t> reads{rows, second, loaded[0], loaded[1], loaded[2]};
    if (c.form == ExchangeForm::Pairs) {
      b.compute("experts", node, reads, {out},
                {step(KernelKind::Experts, {0, 1, 2, 3, 4}, {type})});
      return;
    }
    ValueType spread = matrix({type.rows() * c.k, c.hidden});
    ValueType counts =
        tensor({p.buffers[second].type.experts}, ElementType::Index);
    b.compute("experts", node, reads, {out},
              {step(KernelKind::Dispatch, {0, 1}, {spread, counts}),
               step(KernelKind::Experts, {5, 6, 2, 3, 4}, {spread}),
               step(KernelKind::Combine, {7, 1}, {type})});
  }

  /// Gives every buffer in SRAM the lowest offset that is free from its first
  /// use to its last, as the tasks are listed.
  void allocateAgain() {
    std::vector<int32_t> first(p.buffers.size(), -1),
        last(p.buffers.size(), -1);
    for (size_t task = 0; task < p.tasks.size(); ++task)
      for (const auto *list : {&p.tasks[task].reads, &p.tasks[task].writes})
        for (int32_t buffer : *list) {
          int32_t owner = ownerOf(p, buffer);
          if (first[owner] == -1)
            first[owner] = static_cast<int32_t>(task);
          last[owner] = static_cast<int32_t>(task);
        }
    std::vector<int32_t> order;
    for (size_t i = 0; i < p.buffers.size(); ++i)
      if (first[i] != -1 && p.buffers[i].place.kind == Place::Kind::Sram)
        order.push_back(static_cast<int32_t>(i));
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::pair(first[a], a) < std::pair(first[b], b);
    });
    std::vector<int32_t> placed;
    for (int32_t now : order) {
      Buffer &buffer = p.buffers[now];
      std::vector<std::pair<int64_t, int64_t>> taken;
      for (int32_t other : placed)
        if (p.buffers[other].place == buffer.place && last[other] >= first[now])
          taken.push_back(
              {p.buffers[other].offset,
               p.buffers[other].offset + p.buffers[other].type.bytes()});
      std::sort(taken.begin(), taken.end());
      buffer.offset = 0;
      for (auto [begin, end] : taken)
        if (begin < buffer.offset + buffer.type.bytes())
          buffer.offset = std::max(buffer.offset, end);
      placed.push_back(now);
    }
  }

  /// A stage for each third of the tasks; some have none.
  void addStages() {
    for (size_t i = 0; i < p.tasks.size(); ++i)
      if (!draw.oneIn(4))
        p.tasks[i].stage = static_cast<int64_t>(3 * i / p.tasks.size());
  }
};

} // namespace

BuiltCase mozart::test::buildCase(const MoeCase &c,
                                  const MachineModel &machine) {
  return CaseBuilder(c, machine).build();
}

static bool overlap(const Program &p, int32_t a, int32_t b) {
  if (!(p.buffers[a].place == p.buffers[b].place))
    return false;
  for (ByteRange x : rangesOf(p, a))
    for (ByteRange y : rangesOf(p, b))
      if (x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

void mozart::test::addWaits(Program &p) {
  auto touches = [&](const std::vector<int32_t> &a,
                     const std::vector<int32_t> &b) {
    return std::any_of(a.begin(), a.end(), [&](int32_t x) {
      return std::any_of(b.begin(), b.end(),
                         [&](int32_t y) { return overlap(p, x, y); });
    });
  };
  for (size_t task = 0; task < p.tasks.size(); ++task) {
    Task &now = p.tasks[task];
    for (size_t before = 0; before < task; ++before) {
      const Task &other = p.tasks[before];
      if (touches(now.reads, other.writes) ||
          touches(now.writes, other.reads) || touches(now.writes, other.writes))
        now.waits.push_back(static_cast<int32_t>(before));
    }
  }
}

std::vector<double> mozart::test::answer(const MoeCase &c,
                                         const BuiltCase &built,
                                         int64_t microBatch) {
  std::vector<double> x = built.arguments[kX].copies[microBatch].elements;
  const std::vector<double> &mask =
      built.arguments[kPadding].copies[0].elements;
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    auto weight = [&](int64_t which) -> const std::vector<double> & {
      return built.arguments[kFirstWeight + 4 * layer + which]
          .copies[0]
          .elements;
    };
    const std::vector<double> &router = weight(0), &gate = weight(1),
                              &up = weight(2), &down = weight(3);
    std::vector<double> next = x;
    for (int64_t t = 0; t < c.tokens; ++t) {
      if (mask[t] != 0)
        continue;
      std::vector<double> score(c.experts, 0.0);
      double total = 0;
      for (int64_t e = 0; e < c.experts; ++e) {
        for (int64_t h = 0; h < c.hidden; ++h)
          score[e] += x[t * c.hidden + h] * router[h * c.experts + e];
        total += score[e] = std::exp(score[e]);
      }
      std::vector<bool> taken(c.experts, false);
      for (int64_t slot = 0; slot < c.k; ++slot) {
        int64_t best = -1;
        for (int64_t e = 0; e < c.experts; ++e)
          if (!taken[e] && (best == -1 || score[e] > score[best]))
            best = e;
        taken[best] = true;
        for (int64_t f = 0; f < c.inner; ++f) {
          double g = 0, u = 0;
          for (int64_t h = 0; h < c.hidden; ++h) {
            int64_t at = (best * c.hidden + h) * c.inner + f;
            g += x[t * c.hidden + h] * gate[at];
            u += x[t * c.hidden + h] * up[at];
          }
          double activated = g / (1 + std::exp(-g)) * u;
          for (int64_t h = 0; h < c.hidden; ++h)
            next[t * c.hidden + h] += score[best] / total * activated *
                                      down[(best * c.inner + f) * c.hidden + h];
        }
      }
    }
    x = next;
  }
  return x;
}
