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
                 const MachineModel &machine, RoutingCounter &routing,
                 std::vector<TokenAtPeer> *tokens)
      : program(program), index(index), task(program.tasks[index]),
        machine(machine), routing(routing), tokens(tokens),
        dispatch(task.kind == TaskKind::Dispatch),
        viaSwitch(task.exchange.via == ExchangeVia::Switch) {}

  absl::StatusOr<ExchangeTraffic> run() {
    if (absl::Status status = findSlice(); !status.ok())
      return status;
    traffic.rowBytes = rowBytes();
    countPeers();
    if (tokens)
      listTokens();
    layOutRoutes();
    fillBytes();
    if (overflow)
      return fail(absl::StatusCode::kOutOfRange,
                  "its bytes do not fit in 63 bits");
    return std::move(traffic);
  }

private:
  /// A link of the routes: what crosses it, and the end nearer to the task's
  /// node.
  struct RouteLink {
    TokenSet tokens; ///< via switches
    int64_t messages = 0;
    int32_t nearNode = -1;
  };

  const Program &program;
  int32_t index;
  const Task &task;
  const MachineModel &machine;
  RoutingCounter &routing;
  std::vector<TokenAtPeer> *tokens;
  bool dispatch, viaSwitch;
  const RoutedSlice *slice = nullptr;
  bool overflow = false;
  ExchangeTraffic traffic;
  const ExpertTokens *ofExperts = nullptr;
  std::vector<TokenSet> tokensOf; // by peer
  std::vector<RouteLink> links;   // by link
  /// By node: the sets of tokens that leave it (dispatch) or arrive (combine)
  /// by each way in the tree of routes, its own copy or rows being one.
  std::vector<std::vector<const TokenSet *>> ways;

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

  void countPeers() {
    const std::vector<ExchangePeer> &peers = task.exchange.peers;
    ofExperts = &routing.expertTokens(*slice, task.exchange.expertMap);
    traffic.peers.resize(peers.size());
    tokensOf.assign(peers.size(), TokenSet(ofExperts->words, 0));
    for (size_t i = 0; i < peers.size(); ++i) {
      for (int32_t expert : peers[i].experts) {
        int64_t place = ofExperts->placeOf(expert, peers[i].node);
        traffic.peers[i].pairs += ofExperts->numTokens[place];
        addTokens(tokensOf[i], ofExperts->tokensAt(place));
      }
      traffic.peers[i].tokens = countTokens(tokensOf[i]);
    }
  }

  void listTokens() {
    std::vector<std::vector<int32_t>> peersOf(program.experts);
    for (size_t i = 0; i < task.exchange.peers.size(); ++i)
      for (int32_t expert : task.exchange.peers[i].experts)
        peersOf[expert].push_back(static_cast<int32_t>(i));
    // In the order of slots; a token has at most one of an expert's peers.
    std::vector<int64_t> lastToken(task.exchange.peers.size(), -1);
    for (int64_t token = 0; token < slice->tokenCount; ++token)
      for (int32_t expert : routing.set(*slice, token)) {
        if (expert == Trace::kPadding)
          continue;
        for (int32_t peer : peersOf[expert])
          if (goesTo(peer, expert, token) &&
              std::exchange(lastToken[peer], token) != token)
            tokens->push_back({token, peer});
      }
  }

  bool goesTo(int32_t peer, int32_t expert, int64_t token) const {
    int64_t place = ofExperts->placeOf(expert, task.exchange.peers[peer].node);
    return ofExperts->tokensAt(place)[token / 64] >> (token % 64) & 1;
  }

  void layOutRoutes() {
    const std::vector<ExchangePeer> &peers = task.exchange.peers;
    links.resize(machine.numLinks());
    ways.resize(machine.numNodes());
    for (size_t i = 0; i < peers.size(); ++i) {
      ways[peers[i].node].push_back(&tokensOf[i]);
      for (int32_t link : peers[i].route) {
        RouteLink &way = links[link];
        if (!viaSwitch || way.messages == 0)
          ++way.messages;
        if (way.nearNode < 0) {
          const LinkFacts &facts = machine.link(link);
          way.nearNode = dispatch ? facts.source : facts.target;
          ways[way.nearNode].push_back(&way.tokens);
          way.tokens.assign(viaSwitch ? tokensOf[i].size() : 0, 0);
        }
        if (viaSwitch)
          addTokens(way.tokens, tokensOf[i]);
      }
    }
  }

  /// Rows of tokens that leave `node`, or arrive, by more than one way.
  int64_t branchingRows(int32_t node) const {
    TokenSet any(ways[node].front()->size(), 0), several = any;
    for (const TokenSet *way : ways[node])
      for (size_t i = 0; i < any.size(); ++i) {
        several[i] |= any[i] & (*way)[i];
        any[i] |= (*way)[i];
      }
    int64_t rows = 0;
    for (const TokenSet *way : ways[node])
      for (size_t i = 0; i < any.size(); ++i)
        rows += __builtin_popcountll(several[i] & (*way)[i]);
    return rows;
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
        linkBytes[link] = product(countTokens(way.tokens), traffic.rowBytes);
        if (way.nearNode == task.node)
          traffic.rootBytes = sum(traffic.rootBytes, linkBytes[link]);
      }
      traffic.links.push_back({link, linkBytes[link], way.messages});
    }
    for (int32_t node = 0; viaSwitch && node < machine.numNodes(); ++node)
      if (node != task.node && ways[node].size() > 1)
        traffic.branches.push_back(
            {node, product(branchingRows(node), traffic.rowBytes)});
  }
};

} // namespace

absl::StatusOr<ExchangeTraffic>
mozart::exchangeTraffic(const Program &program, int32_t task,
                        const MachineModel &machine, RoutingCounter &counter,
                        std::vector<TokenAtPeer> *tokens) {
  return TrafficCounter(program, task, machine, counter, tokens).run();
}
