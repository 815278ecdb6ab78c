//===- PacketPlan.cpp - Tasks that move bytes, as packets -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketPlan.h"

#include "Transfers.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mozart;

int64_t PacketPlanner::add(int64_t a, int64_t b) {
  int64_t sum = 0;
  overflow |= __builtin_add_overflow(a, b, &sum);
  return sum;
}

absl::Status PacketPlanner::plan(int32_t index,
                                 std::vector<PacketStream> &streams) {
  const Task &task = program.tasks[index];
  overflow = false;
  streams.clear();
  absl::Status status;
  switch (task.kind) {
  case TaskKind::Load:
    streams.push_back(load(task));
    break;
  case TaskKind::Store:
    streams.push_back(store(task));
    break;
  case TaskKind::Dispatch:
  case TaskKind::Combine:
    status = task.exchange.via == ExchangeVia::Root ? viaRoot(index, streams)
                                                    : viaSwitch(index, streams);
    break;
  case TaskKind::Compute:
    break;
  }
  if (status.ok() && overflow)
    return absl::OutOfRangeError(absl::StrCat(
        "program '", program.name, "', task ", index, " ('", task.name,
        "'): its delays or bytes do not fit in 63 bits"));
  return status;
}

/// Cuts `bytes` into packets of the machine's size.
void PacketPlanner::cut(PacketStream &stream, int64_t bytes) {
  stream.packetBytes = machine.facts().packetBytes;
  stream.numPackets = bytes / stream.packetBytes;
  int64_t rest = bytes % stream.packetBytes;
  if (rest == 0)
    return;
  stream.oddPacket = stream.numPackets++;
  stream.oddBytes = rest;
}

/// The hops of a single path, in the order of travel.
void PacketPlanner::addPath(PacketStream &stream,
                            const std::vector<int32_t> &route) {
  for (size_t i = 0; i < route.size(); ++i) {
    StreamHop hop;
    hop.link = route[i];
    hop.parent = static_cast<int32_t>(i) - 1;
    if (i + 1 < route.size()) {
      hop.childBegin = static_cast<int32_t>(i) + 1;
      hop.childEnd = hop.childBegin + 1;
    }
    if (i > 0)
      hop.nodeDelayPs = machine.node(machine.link(route[i]).source).latencyPs;
    stream.hops.push_back(hop);
  }
}

/// Overheads of links, each paid by the first packet where it last waits for
/// nothing but its turn: at the source, or where the message is stored.
void PacketPlanner::addOverheads(PacketStream &stream) {
  int64_t *delayPs = &stream.startDelayPs;
  for (StreamHop &hop : stream.hops) {
    if (hop.storesWhole)
      delayPs = &hop.headDelayPs;
    *delayPs = add(*delayPs, machine.link(hop.link).messageOverheadPs);
  }
}

int64_t PacketPlanner::overheadPs(const std::vector<int32_t> &route) {
  int64_t sum = 0;
  for (int32_t link : route)
    sum = add(sum, machine.link(link).messageOverheadPs);
  return sum;
}

/// Of the links of a route and the nodes between them.
int64_t PacketPlanner::latencyPs(const std::vector<int32_t> &route) {
  int64_t sum = 0;
  for (size_t i = 0; i < route.size(); ++i) {
    sum = add(sum, machine.link(route[i]).latencyPs);
    if (i > 0)
      sum = add(sum, machine.node(machine.link(route[i]).source).latencyPs);
  }
  return sum;
}

static bool storesWhole(const NodeFacts &node) {
  return node.forwarding == Forwarding::StoreAndForward;
}

PacketStream PacketPlanner::load(const Task &task) {
  const Buffer &source = program.buffers[task.reads[0]];
  PacketStream stream;
  stream.trunk = {StreamEnd::Kind::Memory, source.place.index};
  cut(stream, source.type.bytes());
  addPath(stream, task.route);
  stream.startDelayPs = machine.memory(source.place.index).latencyPs;
  for (StreamHop &hop : stream.hops) {
    const NodeFacts &node = machine.node(machine.link(hop.link).source);
    hop.nodeDelayPs = node.latencyPs; // also that of the memory's own node
    hop.storesWhole = storesWhole(node);
  }
  addOverheads(stream);
  const StreamEnd end = {StreamEnd::Kind::Sram, task.node};
  (stream.hops.empty() ? stream.near : stream.hops.back().leaf) = end;
  stream.leastPs = stream.startDelayPs;
  for (const StreamHop &hop : stream.hops)
    stream.leastPs =
        add(add(stream.leastPs, hop.headDelayPs),
            add(hop.nodeDelayPs, machine.link(hop.link).latencyPs));
  return stream;
}

PacketStream PacketPlanner::store(const Task &task) {
  const Buffer &target = program.buffers[task.writes[0]];
  PacketStream stream;
  stream.trunk = {StreamEnd::Kind::Sram, task.node};
  cut(stream, target.type.bytes());
  addPath(stream, task.route);
  for (size_t i = 1; i < stream.hops.size(); ++i)
    stream.hops[i].storesWhole =
        storesWhole(machine.node(machine.link(stream.hops[i].link).source));
  addOverheads(stream);
  const StreamEnd end = {StreamEnd::Kind::Memory, target.place.index};
  (stream.hops.empty() ? stream.near : stream.hops.back().leaf) = end;
  stream.endDelayPs = machine.memory(target.place.index).latencyPs;
  if (!stream.hops.empty()) {
    const NodeFacts &last =
        machine.node(machine.link(stream.hops.back().link).target);
    stream.endDelayPs = add(stream.endDelayPs, last.latencyPs);
    stream.endStoresWhole = storesWhole(last);
  }
  stream.leastPs = add(stream.startDelayPs, stream.endDelayPs);
  for (const StreamHop &hop : stream.hops)
    stream.leastPs =
        add(add(stream.leastPs, hop.headDelayPs),
            add(hop.nodeDelayPs, machine.link(hop.link).latencyPs));
  return stream;
}

absl::Status PacketPlanner::viaRoot(int32_t index,
                                    std::vector<PacketStream> &streams) {
  absl::StatusOr<ExchangeTraffic> traffic =
      checkedTraffic(program, index, machine, counter);
  if (!traffic.ok())
    return traffic.status();
  const Task &task = program.tasks[index];
  const bool dispatch = task.kind == TaskKind::Dispatch;
  const bool pairs = task.exchange.form == ExchangeForm::Pairs;
  for (size_t i = 0; i < traffic->peers.size(); ++i) {
    const ExchangePeer &peer = task.exchange.peers[i];
    const PeerTraffic &there = traffic->peers[i];
    PacketStream stream;
    stream.packetBytes = traffic->rowBytes;
    stream.numPackets = pairs ? there.pairs : there.tokens;
    stream.oddBytes = there.bytes - stream.numPackets * stream.packetBytes;
    if (stream.oddBytes > 0) {
      stream.oddPacket = 0;
      ++stream.numPackets;
    }
    addPath(stream, peer.route);
    addOverheads(stream);
    const StreamEnd root = {StreamEnd::Kind::Sram, task.node};
    const StreamEnd far = {StreamEnd::Kind::Sram, peer.node};
    stream.trunk = dispatch ? root : far;
    (stream.hops.empty() ? stream.near : stream.hops.back().leaf) =
        dispatch ? far : root;
    stream.leastPs = add(stream.startDelayPs, latencyPs(peer.route));
    streams.push_back(std::move(stream));
  }
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Exchanges via switches
//===----------------------------------------------------------------------===//

namespace {

/// The tree of the peers behind one link of the exchange's own node, and which
/// ways each token takes through it.
class TreeStream {
public:
  TreeStream(const MachineModel &machine, bool dispatch)
      : machine(machine), dispatch(dispatch) {
    stream.shape = dispatch ? StreamShape::Copies : StreamShape::Sums;
  }

  /// The links of a peer, from the trunk outwards.
  void addRoute(const std::vector<int32_t> &outward) {
    for (size_t i = 0; i < outward.size(); ++i) {
      Way &way = ways[outward[i]];
      int32_t before = i > 0 ? outward[i - 1] : -1;
      isTree &= way.parentLink == kUnknown || way.parentLink == before;
      if (way.parentLink == kUnknown && i > 0)
        ways[before].children.emplace(farNode(outward[i]), outward[i]);
      way.parentLink = before;
    }
  }

  /// Numbers the hops breadth first. False: the routes are no tree, or a peer
  /// lies on the way to another.
  bool layOut(int32_t trunkLink) {
    std::vector<int32_t> links = {trunkLink};
    stream.hops.emplace_back();
    for (size_t i = 0; i < links.size(); ++i) {
      Way &way = ways[links[i]];
      way.hop = static_cast<int32_t>(i);
      StreamHop &hop = stream.hops[i];
      hop.link = links[i];
      hop.childBegin = static_cast<int32_t>(stream.hops.size());
      // A dispatch leaves a node by the hop's link and a combine by it too: the
      // node is the near one of the former, the far one of the latter.
      bool passesNode = dispatch ? i > 0 : !way.children.empty();
      if (passesNode)
        hop.nodeDelayPs = machine.node(machine.link(hop.link).source).latencyPs;
      if (way.children.empty())
        hop.leaf = {StreamEnd::Kind::Sram, farNode(links[i])};
      for (auto [node, link] : way.children) {
        links.push_back(link);
        StreamHop child;
        child.parent = static_cast<int32_t>(i);
        stream.hops.push_back(child); // invalidates `hop`
      }
      stream.hops[i].childEnd = static_cast<int32_t>(stream.hops.size());
    }
    entryOf.assign(stream.hops.size(), -1);
    stream.packetBegin.push_back(0);
    return isTree && links.size() == ways.size();
  }

  bool isLeaf(const std::vector<int32_t> &outward) {
    return ways[outward.back()].children.empty();
  }

  /// The next token, which goes to the peer behind `leafLink`, or more of it.
  void addToken(int64_t token, int32_t leafLink) {
    if (token != lastToken)
      endToken();
    lastToken = token;
    for (int32_t hop = ways[leafLink].hop; hop >= 0 && entryOf[hop] < 0;
         hop = stream.hops[hop].parent) {
      entryOf[hop] = 0;
      taken.push_back(hop);
    }
  }

  PacketStream finish() {
    endToken();
    stream.numPackets = static_cast<int64_t>(stream.packetBegin.size()) - 1;
    return std::move(stream);
  }

  PacketStream stream;

private:
  static constexpr int32_t kUnknown = -2;
  struct Way {
    int32_t parentLink = kUnknown;
    int32_t hop = -1;
    std::map<int32_t, int32_t> children; // link by far node
  };

  const MachineModel &machine;
  bool dispatch;
  bool isTree = true;
  std::map<int32_t, Way> ways; // by link
  int64_t lastToken = -1;
  std::vector<int32_t> taken;   // hops of the token
  std::vector<int32_t> entryOf; // of each hop, for the token; -1: not taken

  int32_t farNode(int32_t link) const {
    return dispatch ? machine.link(link).target : machine.link(link).source;
  }

  void endToken() {
    if (taken.empty())
      return;
    std::sort(taken.begin(), taken.end());
    for (int32_t hop : taken) {
      int32_t index = static_cast<int32_t>(stream.entries.size());
      entryOf[hop] = index;
      PacketHop entry;
      entry.hop = hop;
      if (int32_t parentHop = stream.hops[hop].parent; parentHop >= 0) {
        entry.parent = entryOf[parentHop];
        PacketHop &parent = stream.entries[entry.parent];
        if (parent.childBegin == parent.childEnd)
          parent.childBegin = index;
        parent.childEnd = index + 1;
      }
      stream.entries.push_back(entry);
    }
    for (int32_t hop : taken)
      entryOf[hop] = -1;
    taken.clear();
    stream.packetBegin.push_back(static_cast<int64_t>(stream.entries.size()));
  }
};

} // namespace

absl::Status PacketPlanner::viaSwitch(int32_t index,
                                      std::vector<PacketStream> &streams) {
  std::vector<TokenAtPeer> tokens;
  absl::StatusOr<ExchangeTraffic> traffic =
      checkedTraffic(program, index, machine, counter, &tokens);
  if (!traffic.ok())
    return traffic.status();
  const Task &task = program.tasks[index];
  const bool dispatch = task.kind == TaskKind::Dispatch;
  const StreamEnd root = {StreamEnd::Kind::Sram, task.node};
  std::map<int32_t, TreeStream> trees; // by the link at the trunk
  std::vector<std::vector<int32_t>> outward;
  for (const ExchangePeer &peer : task.exchange.peers) {
    outward.push_back(peer.route);
    if (!dispatch)
      std::reverse(outward.back().begin(), outward.back().end());
    if (peer.route.empty()) {
      PacketStream stream;
      stream.trunk = stream.near = root;
      stream.packetBytes = traffic->rowBytes;
      stream.numPackets = traffic->peers[outward.size() - 1].tokens;
      streams.push_back(std::move(stream));
      continue;
    }
    TreeStream &tree =
        trees.try_emplace(outward.back().front(), machine, dispatch)
            .first->second;
    tree.addRoute(outward.back());
    PacketStream &stream = tree.stream;
    int64_t overheads = overheadPs(peer.route);
    stream.startDelayPs = std::max(stream.startDelayPs, overheads);
    stream.leastPs =
        std::max(stream.leastPs, add(overheads, latencyPs(peer.route)));
  }
  bool isTree = true;
  for (auto &[link, tree] : trees)
    isTree &= tree.layOut(link);
  for (const std::vector<int32_t> &route : outward)
    isTree &= route.empty() || trees.at(route.front()).isLeaf(route);
  if (!isTree)
    return absl::InvalidArgumentError(absl::StrCat(
        "program '", program.name, "', task ", index, " ('", task.name,
        "'): the routes of its peers are no tree that ends in them, so that "
        "its rows cannot be copied or added on the way; exchange via the "
        "root"));
  if (tokens.size() * machine.numLinks() >
      static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    overflow = true;
  for (const TokenAtPeer &at : tokens)
    if (const std::vector<int32_t> &route = outward[at.peer];
        !route.empty() && !overflow)
      trees.at(route.front()).addToken(at.token, route.back());
  for (auto &[link, tree] : trees) {
    tree.stream.trunk = root;
    tree.stream.packetBytes = traffic->rowBytes;
    streams.push_back(tree.finish());
  }
  return absl::OkStatus();
}
