//===- LowerBound.cpp - What no program could beat ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/LowerBound.h"

#include "MeshCuts.h"

#include "mozart/Cost/KernelCost.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

using namespace mozart;

using int128 = __int128;

static constexpr int64_t kPsPerSecond = 1000000000000;
static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

const LowerBound::Part &LowerBound::binding() const {
  return *std::max_element(
      parts.begin(), parts.end(),
      [](const Part &a, const Part &b) { return a.ps < b.ps; });
}

namespace {

class BoundBuilder {
public:
  BoundBuilder(const Program &program, const MachineModel &machine,
               const std::vector<std::vector<int32_t>> &expertNodes,
               RoutingCounter &counter)
      : program(program), machine(machine), expertNodes(expertNodes),
        counter(counter), linkBytes(machine.numLinks(), 0),
        readBytes(machine.numMemories(), 0),
        writeBytes(machine.numMemories(), 0),
        pairsAt(program.moeLayers,
                std::vector<int64_t>(machine.numNodes(), 0)) {
    if (!isTree())
      cuts.emplace(machine);
  }

  absl::StatusOr<LowerBound> run() {
    moveInputs();
    moveOutputs();
    moveTokens();
    LowerBound bound;
    auto add = [&](const char *name, int128 ps) {
      overflow |= ps > kMost;
      bound.parts.push_back({name, static_cast<int64_t>(ps)});
    };
    add("memory", memory());
    add("leaf_links", links(LinkPlace::Leaf));
    add("root_links", links(LinkPlace::Root));
    add("inner_links", links(LinkPlace::Inner));
    for (auto [name, ps] : {std::pair("attention_compute", attention()),
                            std::pair("expert_compute", experts())}) {
      if (!ps.ok())
        return ps.status();
      add(name, *ps);
    }
    if (overflow)
      return absl::OutOfRangeError(
          "a lower bound does not fit in 63 bits of picoseconds");
    return bound;
  }

private:
  enum class LinkPlace { Leaf, Root, Inner };

  const Program &program;
  const MachineModel &machine;
  const std::vector<std::vector<int32_t>> &expertNodes;
  RoutingCounter &counter;
  /// Bytes that must cross each link of a tree, and the cuts of a mesh.
  std::vector<int128> linkBytes;
  std::optional<MeshCuts> cuts;
  std::vector<int128> readBytes, writeBytes;
  /// (token, expert) pairs of each layer and node.
  std::vector<std::vector<int64_t>> pairsAt;
  bool overflow = false;

  bool isTree() const { return machine.facts().topology == Topology::Tree; }

  /// The time of `bytes` at `rate`, rounded down: a bound must not exceed what
  /// it bounds.
  int128 time(int128 bytes, int128 rate) {
    overflow |= bytes > kMost;
    return std::min<int128>(bytes, kMost) * kPsPerSecond / rate;
  }

  /// Each input is read once, as far as anything loads it, and crosses once
  /// every link that parts its memory from a chiplet that needs it.
  void moveInputs() {
    std::set<int32_t> inputs;
    for (const Input &input : program.inputs) {
      const Buffer &b = program.buffers[input.buffer];
      inputs.insert(b.viewOf >= 0 ? b.viewOf : input.buffer);
    }
    std::map<int32_t, std::map<int32_t, std::vector<RowRange>>> needs;
    for (const Task &task : program.tasks) {
      if (task.kind != TaskKind::Load)
        continue;
      const Buffer &source = program.buffers[task.reads[0]];
      int32_t whole = source.viewOf >= 0 ? source.viewOf : task.reads[0];
      if (inputs.count(whole))
        needs[whole][task.node].push_back(
            {source.rowBegin, source.rowBegin + source.type.rows()});
    }
    for (const auto &[buffer, byNode] : needs)
      moveInput(program.buffers[buffer], byNode);
  }

  void moveInput(const Buffer &buffer,
                 const std::map<int32_t, std::vector<RowRange>> &byNode) {
    int64_t rows = std::max<int64_t>(buffer.type.rows(), 1);
    int64_t rowBytes = buffer.type.bytes() / rows;
    std::vector<RowRange> all;
    // Of each link, the rows that cross it for one chiplet or another.
    std::map<int32_t, std::vector<RowRange>> crossing;
    int32_t from = machine.memory(buffer.place.index).node;
    for (const auto &[node, needed] : byNode) {
      all.insert(all.end(), needed.begin(), needed.end());
      if (isTree())
        for (int32_t link : machine.path(from, node))
          crossing[link].insert(crossing[link].end(), needed.begin(),
                                needed.end());
    }
    readBytes[buffer.place.index] += int128(unionSize(all)) * rowBytes;
    for (const auto &[link, needed] : crossing)
      linkBytes[link] += int128(unionSize(needed)) * rowBytes;
    if (cuts)
      cuts->addRows(from, byNode, rowBytes);
  }

  /// Each output in a memory is written there once, unless it is an input too.
  void moveOutputs() {
    std::set<int32_t> outputs;
    for (const Input &input : program.inputs)
      outputs.insert(input.buffer);
    for (const Output &output : program.outputs) {
      const Buffer &b = program.buffers[output.buffer];
      if (b.place.kind == Place::Kind::Dram &&
          outputs.insert(output.buffer).second)
        writeBytes[b.place.index] += b.type.bytes();
    }
  }

  /// Each token crosses once every link that parts its attention chiplet from
  /// one of its experts, and one sum of its results comes back.
  void moveTokens() {
    std::vector<std::vector<bool>> seen(
        program.moeLayers,
        std::vector<bool>(program.tokensPerMicroBatch * program.microBatches));
    std::vector<int64_t> lastToken(machine.numLinks(), -1);
    int64_t token = 0;
    for (const Task &task : program.tasks) {
      if (task.kind != TaskKind::Dispatch)
        continue;
      const RoutedSlice &slice =
          program.slices[program.buffers[task.reads[1]].slice];
      const ValueType &x = program.buffers[task.reads[0]].type;
      int64_t rowBytes = x.shape[1] * elementBytes(x.element);
      std::vector<int64_t> rows(machine.numLinks(), 0);
      std::vector<std::vector<int32_t>> paths(machine.numNodes());
      for (int32_t node : expertNodes[slice.layer])
        if (node >= 0 && paths[node].empty())
          paths[node] = machine.path(task.node, node);
      std::map<int32_t, TokenSet> tokensAt; // of a mesh
      for (int64_t t = 0; t < slice.tokenCount; ++t, ++token) {
        int64_t row = slice.microBatch * program.tokensPerMicroBatch +
                      slice.tokenBegin + t;
        if (seen[slice.layer][row])
          continue; // this dispatch brings further experts of the same token
        seen[slice.layer][row] = true;
        for (int32_t expert : counter.set(slice, t)) {
          int32_t node =
              expert == Trace::kPadding ? -1 : expertNodes[slice.layer][expert];
          if (node < 0)
            continue;
          ++pairsAt[slice.layer][node];
          if (cuts) {
            TokenSet &tokens = tokensAt[node];
            tokens.resize((slice.tokenCount + 63) / 64, 0);
            tokens[t / 64] |= uint64_t(1) << (t % 64);
          }
          for (int32_t link : paths[node]) {
            rows[link] += lastToken[link] != token;
            lastToken[link] = token;
          }
        }
      }
      if (cuts)
        cuts->addTokensAt(task.node, tokensAt, rowBytes);
      for (int32_t link = 0; isTree() && link < machine.numLinks(); ++link) {
        if (rows[link] == 0)
          continue;
        const LinkFacts &facts = machine.link(link);
        linkBytes[link] += int128(rows[link]) * rowBytes;
        linkBytes[machine.linkBetween(facts.target, facts.source)] +=
            int128(rows[link]) * rowBytes;
      }
    }
  }

  int128 memory() {
    int128 longest = 0;
    for (int32_t i = 0; i < machine.numMemories(); ++i)
      longest = std::max(
          longest, time(readBytes[i], machine.readBytesPerSecond(i)) +
                       time(writeBytes[i], machine.writeBytesPerSecond(i)));
    return longest;
  }

  LinkPlace placeOf(int32_t link) const {
    const LinkFacts &facts = machine.link(link);
    bool down = machine.parent(facts.target) == facts.source;
    int32_t parent = down ? facts.source : facts.target;
    int32_t child = down ? facts.target : facts.source;
    if (machine.node(child).isChiplet())
      return LinkPlace::Leaf;
    return parent == machine.root() ? LinkPlace::Root : LinkPlace::Inner;
  }

  static LinkPlace placeOf(MeshCuts::Kind kind) {
    switch (kind) {
    case MeshCuts::Kind::Chiplet:
      return LinkPlace::Leaf;
    case MeshCuts::Kind::Root:
      return LinkPlace::Root;
    case MeshCuts::Kind::Ball:
      break;
    }
    return LinkPlace::Inner;
  }

  int128 links(LinkPlace place) {
    int128 longest = 0;
    if (cuts) {
      for (const MeshCuts::Cut &cut : cuts->cuts())
        if (placeOf(cut.kind) == place && cut.outRate > 0) // both or none
          longest = std::max({longest, time(cut.outBytes, cut.outRate),
                              time(cut.inBytes, cut.inRate)});
      return longest;
    }
    for (int32_t i = 0; i < machine.numLinks(); ++i)
      if (placeOf(i) == place)
        longest = std::max(longest,
                           time(linkBytes[i], machine.linkBytesPerSecond(i)));
    return longest;
  }

  /// All matrix products that run on attention chiplets, but for experts', as
  /// if spread evenly over them.
  absl::StatusOr<int64_t> attention() {
    KernelWork total;
    for (const Task &task : program.tasks) {
      if (task.kind != TaskKind::Compute ||
          !machine.node(task.node).hostsAttention)
        continue;
      std::vector<StepOperands> operands = stepOperands(program, task);
      for (size_t i = 0; i < task.steps.size(); ++i) {
        if (!isDense(task.steps[i].kind))
          continue;
        absl::StatusOr<KernelWork> work =
            kernelWork(task.steps[i], operands[i].types, nullptr);
        if (!work.ok())
          return work.status();
        work->movedBytes = 0;
        total.add(*work);
      }
    }
    int64_t fastest = kMost;
    for (int32_t chiplet : machine.attentionChiplets()) {
      absl::StatusOr<int64_t> ps = workPs(total, machine.node(chiplet));
      if (!ps.ok())
        return ps.status();
      fastest = std::min(fastest, *ps);
    }
    return fastest / static_cast<int64_t>(machine.attentionChiplets().size());
  }

  static bool isDense(KernelKind kind) {
    return kind == KernelKind::Linear || kind == KernelKind::Attention ||
           kind == KernelKind::LatentAttention || kind == KernelKind::Router ||
           kind == KernelKind::Ffn;
  }

  /// The busiest chiplet's experts, by the pairs of the routing.
  absl::StatusOr<int64_t> experts() {
    std::vector<KernelWork> ofPair(program.moeLayers);
    std::vector<bool> known(program.moeLayers, false);
    for (const Task &task : program.tasks) {
      if (task.kind != TaskKind::Compute)
        continue;
      std::vector<StepOperands> operands = stepOperands(program, task);
      for (size_t i = 0; i < task.steps.size(); ++i) {
        if (!isExpert(task.steps[i]) || operands[i].slice < 0)
          continue;
        int64_t layer = program.slices[operands[i].slice].layer;
        if (known[layer])
          continue;
        RoutedCounts one;
        one.pairs = one.tokens = 1;
        one.pairsOfExpert.assign(
            program.slices[operands[i].slice].experts.size(), 0);
        if (one.pairsOfExpert.empty())
          continue;
        one.pairsOfExpert.front() = 1;
        absl::StatusOr<KernelWork> work =
            kernelWork(task.steps[i], operands[i].types, &one);
        if (!work.ok())
          return work.status();
        ofPair[layer] = *work;
        ofPair[layer].movedBytes = 0;
        known[layer] = true;
      }
    }
    int64_t longest = 0;
    for (int32_t node = 0; node < machine.numNodes(); ++node) {
      if (!machine.node(node).isChiplet())
        continue;
      KernelWork total;
      for (int64_t layer = 0; layer < program.moeLayers; ++layer)
        total.add(ofPair[layer], pairsAt[layer][node]);
      absl::StatusOr<int64_t> ps = workPs(total, machine.node(node));
      if (!ps.ok())
        return ps.status();
      longest = std::max(longest, *ps);
    }
    return longest;
  }

  static bool isExpert(const KernelStep &step) {
    return step.kind == KernelKind::Experts || step.kind == KernelKind::Custom;
  }
};

} // namespace

absl::StatusOr<LowerBound>
mozart::lowerBound(const Program &program, const MachineModel &machine,
                   const std::vector<std::vector<int32_t>> &expertNodes,
                   RoutingCounter &counter) {
  return BoundBuilder(program, machine, expertNodes, counter).run();
}
