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
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

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
               const std::vector<ExpertMap> &expertNodes,
               RoutingCounter &counter)
      : program(program), machine(machine), expertNodes(expertNodes),
        counter(counter), linkBytes(machine.numLinks(), 0),
        readBytes(machine.numMemories(), 0),
        writeBytes(machine.numMemories(), 0),
        pairsAt(program.moeLayers, std::vector<int64_t>(machine.numNodes(), 0)),
        pairsOf(program.moeLayers, 0) {
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
  const std::vector<ExpertMap> &expertNodes;
  RoutingCounter &counter;
  /// Bytes that must cross each link of a tree, and the cuts of a mesh.
  std::vector<int128> linkBytes;
  std::optional<MeshCuts> cuts;
  std::vector<int128> readBytes, writeBytes;
  /// (token, expert) pairs of each layer and node, where no other node has the
  /// expert.
  std::vector<std::vector<int64_t>> pairsAt;
  /// Those of each layer, wherever they are computed.
  std::vector<int64_t> pairsOf;
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
    std::map<int32_t, Needs> needs; // by buffer
    for (const Task &task : program.tasks) {
      if (task.kind != TaskKind::Load)
        continue;
      const Buffer &source = program.buffers[task.reads[0]];
      int32_t whole = source.viewOf >= 0 ? source.viewOf : task.reads[0];
      if (inputs.count(whole))
        needs[whole][task.node].push_back(
            {source.rowBegin, source.rowBegin + source.type.rows()});
    }
    for (const std::vector<Replica> &replicas : findReplicas())
      moveReplicas(replicas, needs);
    for (const auto &[buffer, byNode] : needs)
      moveInput(program.buffers[buffer], byNode);
  }

  /// Rows of an input that each chiplet loads.
  using Needs = std::map<int32_t, std::vector<RowRange>>;

  /// A row of an input.
  struct Replica {
    int32_t buffer;
    int64_t row;
  };

  /// Inputs' rows of the same expert of the same argument, where there are
  /// several and experts have replicas.
  std::vector<std::vector<Replica>> findReplicas() const {
    std::map<std::tuple<int32_t, int64_t, int32_t>, std::vector<Replica>> found;
    for (const Input &input : program.inputs) {
      const Buffer &buffer = program.buffers[input.buffer];
      int32_t whole = buffer.viewOf >= 0 ? buffer.viewOf : input.buffer;
      int64_t row = buffer.rowBegin;
      if (!program.expertMaps.empty())
        for (int32_t expert : input.experts)
          found[{input.argument, input.microBatch, expert}].push_back(
              {whole, row++});
    }
    std::vector<std::vector<Replica>> result;
    for (auto &[key, replicas] : found)
      if (replicas.size() > 1)
        result.push_back(std::move(replicas));
    return result;
  }

  /// A program needs one of the replicas, so that only what all have in common
  /// counts: their memory, and links on the way from there. Takes their rows
  /// out of `needs`.
  void moveReplicas(const std::vector<Replica> &replicas,
                    std::map<int32_t, Needs> &needs) {
    const Buffer &first = program.buffers[replicas[0].buffer];
    int64_t rowBytes = first.type.bytes() / first.type.rows();
    bool sharesMemory = true;
    std::set<int32_t> links;
    for (size_t i = 0; i < replicas.size(); ++i) {
      const Buffer &buffer = program.buffers[replicas[i].buffer];
      bool loaded = false;
      std::set<int32_t> own;
      for (auto &[node, rows] : needs[replicas[i].buffer]) {
        if (!takeRow(rows, replicas[i].row))
          continue;
        loaded = true;
        if (isTree())
          for (int32_t link :
               machine.path(machine.memory(buffer.place.index).node, node))
            own.insert(link);
      }
      sharesMemory &= loaded && buffer.place == first.place;
      if (i == 0)
        links = std::move(own);
      else
        for (auto it = links.begin(); it != links.end();)
          it = own.count(*it) ? std::next(it) : links.erase(it);
    }
    if (sharesMemory)
      readBytes[first.place.index] += rowBytes;
    for (int32_t link : links)
      linkBytes[link] += rowBytes;
  }

  /// Takes `row` out of `rows`; whether it was in them.
  static bool takeRow(std::vector<RowRange> &rows, int64_t row) {
    std::vector<RowRange> rest;
    bool found = false;
    for (RowRange r : rows) {
      if (row < r.first || row >= r.second) {
        rest.push_back(r);
        continue;
      }
      found = true;
      if (r.first < row)
        rest.push_back({r.first, row});
      if (row + 1 < r.second)
        rest.push_back({row + 1, r.second});
    }
    rows = std::move(rest);
    return found;
  }

  void moveInput(const Buffer &buffer, const Needs &byNode) {
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

  static void addToken(TokenSet &tokens, const RoutedSlice &slice, int64_t t) {
    tokens.resize((slice.tokenCount + 63) / 64, 0);
    tokens[t / 64] |= uint64_t(1) << (t % 64);
  }

  /// The links between an attention chiplet and each expert of a layer that are
  /// on the way to all of its replicas.
  std::vector<std::vector<int32_t>> linksTo(int32_t from, int64_t layer) const {
    std::vector<std::vector<int32_t>> result;
    for (const std::vector<int32_t> &nodes : expertNodes[layer].nodesOf) {
      std::vector<int32_t> &common = result.emplace_back();
      if (nodes.empty() || !isTree())
        continue;
      common = machine.path(from, nodes[0]);
      for (int32_t node : nodes) {
        std::vector<int32_t> path = machine.path(from, node);
        auto fork = std::mismatch(common.begin(), common.end(), path.begin(),
                                  path.end());
        common.erase(fork.first, common.end());
      }
    }
    return result;
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
      std::vector<std::vector<int32_t>> toExpert =
          linksTo(task.node, slice.layer);
      const ExpertMap &map = expertNodes[slice.layer];
      std::map<int32_t, TokenSet> tokensAt; // of a mesh
      for (int64_t t = 0; t < slice.tokenCount; ++t, ++token) {
        int64_t row = slice.microBatch * program.tokensPerMicroBatch +
                      slice.tokenBegin + t;
        if (seen[slice.layer][row])
          continue; // this dispatch brings further experts of the same token
        seen[slice.layer][row] = true;
        for (int32_t expert : counter.set(slice, t)) {
          if (expert == Trace::kPadding || map.nodesOf[expert].empty())
            continue;
          ++pairsOf[slice.layer];
          if (map.nodesOf[expert].size() == 1) {
            int32_t node = map.nodesOf[expert][0];
            ++pairsAt[slice.layer][node];
            if (cuts)
              addToken(tokensAt[node], slice, t);
          }
          for (int32_t link : toExpert[expert]) {
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
    return spread(total, machine.attentionChiplets());
  }

  /// The time of `work` on `chiplets`, each as fast as the fastest.
  absl::StatusOr<int64_t> spread(const KernelWork &work,
                                 absl::Span<const int32_t> chiplets) {
    int64_t fastest = kMost;
    for (int32_t chiplet : chiplets) {
      absl::StatusOr<int64_t> ps = workPs(work, machine.node(chiplet));
      if (!ps.ok())
        return ps.status();
      fastest = std::min(fastest, *ps);
    }
    return fastest / static_cast<int64_t>(chiplets.size());
  }

  static bool isDense(KernelKind kind) {
    return kind == KernelKind::Linear || kind == KernelKind::Attention ||
           kind == KernelKind::LatentAttention || kind == KernelKind::Router ||
           kind == KernelKind::Ffn;
  }

  /// Work on one pair of each layer.
  absl::StatusOr<std::vector<KernelWork>> workOfPairs() {
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
    return ofPair;
  }

  /// The busiest chiplet's experts, by the pairs of the routing that only it
  /// can serve; or all pairs, as if spread evenly over the chiplets that host
  /// experts, where replicas leave a choice.
  absl::StatusOr<int64_t> experts() {
    absl::StatusOr<std::vector<KernelWork>> ofPair = workOfPairs();
    if (!ofPair.ok())
      return ofPair.status();
    int64_t longest = 0;
    for (int32_t node = 0; node < machine.numNodes(); ++node) {
      if (!machine.node(node).isChiplet())
        continue;
      KernelWork total;
      for (int64_t layer = 0; layer < program.moeLayers; ++layer)
        total.add((*ofPair)[layer], pairsAt[layer][node]);
      absl::StatusOr<int64_t> ps = workPs(total, machine.node(node));
      if (!ps.ok())
        return ps.status();
      longest = std::max(longest, *ps);
    }
    absl::StatusOr<int64_t> spread = spreadExperts(*ofPair);
    return spread.ok() ? std::max(longest, *spread) : spread;
  }

  absl::StatusOr<int64_t> spreadExperts(const std::vector<KernelWork> &ofPair) {
    KernelWork total;
    std::set<int32_t> hosts;
    for (int64_t layer = 0; layer < program.moeLayers; ++layer) {
      total.add(ofPair[layer], pairsOf[layer]);
      for (const std::vector<int32_t> &nodes : expertNodes[layer].nodesOf)
        hosts.insert(nodes.begin(), nodes.end());
    }
    return hosts.empty() ? 0
                         : spread(total, std::vector<int32_t>(hosts.begin(),
                                                              hosts.end()));
  }

  static bool isExpert(const KernelStep &step) {
    return step.kind == KernelKind::Experts || step.kind == KernelKind::Custom;
  }
};

} // namespace

absl::StatusOr<LowerBound>
mozart::lowerBound(const Program &program, const MachineModel &machine,
                   const std::vector<ExpertMap> &expertNodes,
                   RoutingCounter &counter) {
  return BoundBuilder(program, machine, expertNodes, counter).run();
}
