//===- Traffic.cpp - What an exchange moves over each link ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/Traffic.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

using namespace mozart;

namespace {

class TrafficCounter {
public:
  TrafficCounter(const Program &program, int32_t index,
                 const MachineModel &machine, const RoutingCounter &routing,
                 std::vector<TokenAtPeer> *tokens)
      : program(program), index(index), task(program.tasks[index]),
        machine(machine), routing(routing), tokens(tokens),
        dispatch(task.kind == TaskKind::Dispatch),
        viaSwitch(task.exchange.via == ExchangeVia::Switch) {}

  absl::StatusOr<ExchangeTraffic> run() {
    if (absl::Status status = findSlice(); !status.ok())
      return status;
    traffic.rowBytes = rowBytes();
    layOutRoutes();
    countTokens();
    fillBytes();
    if (overflow)
      return fail(absl::StatusCode::kOutOfRange,
                  "its bytes do not fit in 63 bits");
    return std::move(traffic);
  }

private:
  /// A link of the routes: rows over it, and the end nearer to the task's node.
  struct RouteLink {
    int64_t rows = 0;
    int64_t messages = 0;
    int32_t nearNode = -1;
    int64_t lastToken = -1;
  };
  /// A node that copies or adds: the ways by which a token left it, or arrived.
  struct Branch {
    int64_t ways = 0; ///< in the tree of routes
    int64_t rows = 0;
    int64_t lastToken = -1;
    int64_t waysOfToken = 0;
  };

  const Program &program;
  int32_t index;
  const Task &task;
  const MachineModel &machine;
  const RoutingCounter &routing;
  std::vector<TokenAtPeer> *tokens;
  bool dispatch, viaSwitch;
  const RoutedSlice *slice = nullptr;
  bool overflow = false;
  ExchangeTraffic traffic;
  std::vector<RouteLink> links; // by link
  std::vector<Branch> branches; // by node

  absl::Status fail(absl::StatusCode code, absl::string_view what) const {
    return absl::Status(code,
                        absl::StrCat("program '", program.name, "', task ",
                                     index, " ('", task.name, "'): ", what));
  }

  int32_t routingOperand() const {
    return dispatch ? task.reads[1] : task.reads.back();
  }

  absl::Status findSlice() {
    const Buffer &table = program.buffers[routingOperand()];
    if (table.slice < 0)
      return fail(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("its routing (buffer '", table.name,
                               "') names no slice of the trace, so its rows "
                               "cannot be counted; expected one"));
    slice = &program.slices[table.slice];
    if (slice->tokenCount != table.type.rows())
      return fail(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("its routing (buffer '", table.name, "') has ",
                               table.type.rows(),
                               " tokens, but its slice of "
                               "the trace has ",
                               slice->tokenCount));
    return absl::OkStatus();
  }

  int64_t product(int64_t a, int64_t b) {
    int64_t result = 0;
    overflow |= __builtin_mul_overflow(a, b, &result);
    return result;
  }

  int64_t sum(int64_t a, int64_t b) {
    int64_t result = 0;
    overflow |= __builtin_add_overflow(a, b, &result);
    return result;
  }

  int64_t rowBytes() {
    const ValueType &rows =
        program.buffers[dispatch ? task.reads[0] : task.writes[0]].type;
    int64_t bytes = product(rows.shape[1], elementBytes(rows.element));
    if (!dispatch || task.exchange.form == ExchangeForm::Pairs)
      return bytes;
    const ValueType &table = program.buffers[routingOperand()].type;
    int64_t slot = elementBytes(ElementType::I32) + elementBytes(table.element);
    return sum(bytes, product(table.shape[1], slot));
  }

  void layOutRoutes() {
    links.resize(machine.numLinks());
    branches.resize(machine.numNodes());
    for (const ExchangePeer &peer : task.exchange.peers) {
      ++branches[peer.node].ways; // it keeps a copy, adds its own rows
      for (int32_t link : peer.route) {
        RouteLink &way = links[link];
        if (!viaSwitch || way.messages == 0)
          ++way.messages;
        if (way.nearNode >= 0)
          continue;
        const LinkFacts &facts = machine.link(link);
        way.nearNode = dispatch ? facts.source : facts.target;
        ++branches[way.nearNode].ways;
      }
    }
  }

  void countTokens() {
    const std::vector<ExchangePeer> &peers = task.exchange.peers;
    std::vector<int32_t> peerOf(program.experts, -1);
    for (size_t i = 0; i < peers.size(); ++i)
      for (int32_t expert : peers[i].experts)
        peerOf[expert] = static_cast<int32_t>(i);
    traffic.peers.resize(peers.size());
    std::vector<int64_t> lastToken(peers.size(), -1);
    for (int64_t token = 0; token < slice->tokenCount; ++token)
      for (int32_t expert : routing.set(*slice, token)) {
        if (expert == Trace::kPadding || peerOf[expert] < 0)
          continue;
        int32_t peer = peerOf[expert];
        ++traffic.peers[peer].pairs;
        if (lastToken[peer] == token)
          continue;
        lastToken[peer] = token;
        ++traffic.peers[peer].tokens;
        if (tokens)
          tokens->push_back({token, peer});
        if (viaSwitch)
          walk(peers[peer], token);
      }
  }

  /// Counts a token's row on the links between a peer and the first node that
  /// the token passes already.
  void walk(const ExchangePeer &peer, int64_t token) {
    takeWay(peer.node, token);
    for (size_t i = 0; i < peer.route.size(); ++i) {
      RouteLink &way = links[dispatch ? peer.route[peer.route.size() - 1 - i]
                                      : peer.route[i]];
      if (way.lastToken == token)
        return;
      way.lastToken = token;
      ++way.rows;
      takeWay(way.nearNode, token);
    }
  }

  /// One more way of a token through a node: the second makes the first count.
  void takeWay(int32_t node, int64_t token) {
    Branch &branch = branches[node];
    if (branch.lastToken != token) {
      branch.lastToken = token;
      branch.waysOfToken = 0;
    }
    ++branch.waysOfToken;
    if (branch.waysOfToken > 1)
      branch.rows += branch.waysOfToken == 2 ? 2 : 1;
  }

  void fillBytes() {
    bool pairs = task.exchange.form == ExchangeForm::Pairs;
    std::vector<int64_t> linkBytes(machine.numLinks(), 0);
    for (size_t i = 0; i < traffic.peers.size(); ++i) {
      const ExchangePeer &peer = task.exchange.peers[i];
      PeerTraffic &there = traffic.peers[i];
      there.bytes =
          product(pairs ? there.pairs : there.tokens, traffic.rowBytes);
      if (dispatch && pairs)
        there.bytes =
            sum(there.bytes, product(static_cast<int64_t>(peer.experts.size()),
                                     elementBytes(ElementType::Index)));
      if (!viaSwitch)
        for (int32_t link : peer.route)
          linkBytes[link] = sum(linkBytes[link], there.bytes);
      if (!viaSwitch || peer.route.empty())
        traffic.rootBytes = sum(traffic.rootBytes, there.bytes);
    }
    for (int32_t link = 0; link < machine.numLinks(); ++link) {
      const RouteLink &way = links[link];
      if (way.nearNode < 0)
        continue;
      if (viaSwitch) {
        linkBytes[link] = product(way.rows, traffic.rowBytes);
        if (way.nearNode == task.node)
          traffic.rootBytes = sum(traffic.rootBytes, linkBytes[link]);
      }
      traffic.links.push_back({link, linkBytes[link], way.messages});
    }
    for (int32_t node = 0; viaSwitch && node < machine.numNodes(); ++node)
      if (node != task.node && branches[node].ways > 1)
        traffic.branches.push_back(
            {node, product(branches[node].rows, traffic.rowBytes)});
  }
};

} // namespace

absl::StatusOr<ExchangeTraffic> mozart::exchangeTraffic(
    const Program &program, int32_t task, const MachineModel &machine,
    const RoutingCounter &counter, std::vector<TokenAtPeer> *tokens) {
  return TrafficCounter(program, task, machine, counter, tokens).run();
}
