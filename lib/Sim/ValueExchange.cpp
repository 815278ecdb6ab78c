//===- ValueExchange.cpp - Rows on their way ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueExchange.h"

#include "Kernels/KernelSupport.h"

#include "mozart/Routing/ReplicaChoice.h"
#include "mozart/Sim/ElementCodec.h"
#include "mozart/Sim/MemoryOrder.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

using namespace mozart;

absl::StatusOr<int32_t> Network::cross(int32_t at, int32_t link,
                                       int64_t bytes) {
  const LinkFacts &facts = machine.link(link);
  if (facts.source != at)
    return absl::FailedPreconditionError(absl::StrCat(
        "link ", link, " begins at '", machine.node(facts.source).name,
        "'; expected '", machine.node(at).name, "', where the data is"));
  traffic[link] += bytes;
  return facts.target;
}

absl::StatusOr<int32_t> Network::travel(int32_t from,
                                        const std::vector<int32_t> &route,
                                        int64_t bytes) {
  for (int32_t link : route) {
    absl::StatusOr<int32_t> next = cross(from, link, bytes);
    if (!next.ok())
      return next;
    from = *next;
  }
  return from;
}

std::vector<LinkBytes> Network::takeTraffic() {
  std::vector<LinkBytes> result;
  for (auto [link, bytes] : traffic)
    result.push_back({link, bytes});
  traffic.clear();
  return result;
}

namespace {

constexpr int64_t kCountBytes = 8;

/// What both directions of an exchange share.
class ExchangeRun {
public:
  ExchangeRun(const Program &program, const MachineModel &machine,
              int32_t index, const Value &routing, Network &network)
      : program(program), machine(machine), index(index),
        task(program.tasks[index]), exchange(task.exchange), routing(routing),
        network(network), tokens(routing.dim(0)) {
    localId.assign(exchange.peers.size(),
                   std::vector<int32_t>(program.experts, kPaddingId));
    for (size_t p = 0; p < exchange.peers.size(); ++p)
      for (size_t i = 0; i < exchange.peers[p].experts.size(); ++i)
        localId[p][exchange.peers[p].experts[i]] = static_cast<int32_t>(i);
  }

protected:
  const Program &program;
  const MachineModel &machine;
  int32_t index;
  const Task &task;
  const Exchange &exchange;
  const Value &routing;
  Network &network;
  int64_t tokens;
  std::vector<std::vector<int32_t>> localId; ///< [peer][expert]
  std::vector<int32_t> nodeOf; ///< [token][slot], where there is an expert map

  absl::Status fail(absl::string_view what) const {
    return absl::FailedPreconditionError(
        absl::StrCat("program '", program.name, "', ",
                     describeTask(program, index), ": ", what));
  }

  /// Checks the routing, and says to which replica each pair goes.
  absl::Status readRouting() {
    if (absl::Status status = checkIds(); !status.ok())
      return status;
    if (exchange.expertMap == -1)
      return absl::OkStatus();
    ReplicaChoice choice(program.expertMaps[exchange.expertMap].nodesOf);
    int64_t begin =
        program.slices[program.buffers[task.reads.back()].slice].tokenBegin;
    nodeOf.resize(routing.ids.size());
    for (int64_t token = 0; token < tokens; ++token)
      choice.choose(absl::MakeConstSpan(routing.slots(token), routing.dim(1)),
                    begin + token,
                    absl::MakeSpan(nodeOf).subspan(token * routing.dim(1),
                                                   routing.dim(1)));
    return absl::OkStatus();
  }

  absl::Status checkIds() const {
    for (size_t i = 0; i < routing.ids.size(); ++i) {
      int32_t id = routing.ids[i];
      if (id != kPaddingId && (id < 0 || id >= program.experts))
        return fail(absl::StrCat(
            "token ", i / routing.dim(1), ", slot ", i % routing.dim(1),
            " has expert ", id, "; expected one of ", program.experts,
            " experts, or ", kPaddingId, " for an empty slot"));
    }
    return absl::OkStatus();
  }

  int32_t local(size_t peer, int64_t token, int64_t slot) const {
    int32_t expert = routing.slots(token)[slot];
    bool elsewhere = !nodeOf.empty() && nodeOf[token * routing.dim(1) + slot] !=
                                            exchange.peers[peer].node;
    return expert == kPaddingId || elsewhere ? kPaddingId
                                             : localId[peer][expert];
  }

  /// The pairs of a peer in order (local expert, token, slot).
  std::vector<RoutedPair> pairsOf(size_t peer) const {
    Value onlyLocal = routing;
    for (int64_t token = 0; token < tokens; ++token)
      for (int64_t slot = 0; slot < routing.dim(1); ++slot)
        onlyLocal.slots(token)[slot] = local(peer, token, slot);
    return sortedPairs(onlyLocal);
  }

  /// The tokens that have an expert at a peer, ascending.
  std::vector<int64_t> tokensOf(size_t peer) const {
    std::vector<int64_t> result;
    for (int64_t token = 0; token < tokens; ++token)
      for (int64_t slot = 0; slot < routing.dim(1); ++slot)
        if (local(peer, token, slot) != kPaddingId) {
          result.push_back(token);
          break;
        }
    return result;
  }

  absl::Status checkFit(size_t peer, size_t needed, int32_t buffer) const {
    int64_t rows = program.buffers[buffer].type.rows();
    if (static_cast<int64_t>(needed) <= rows)
      return absl::OkStatus();
    return fail(absl::StrCat("peers[", peer, "] needs ", needed, " rows; ",
                             describeBuffer(program, buffer), " has ", rows));
  }

  absl::Status checkArrival(absl::StatusOr<int32_t> arrived, size_t peer,
                            int32_t expected) const {
    if (!arrived.ok())
      return fail(
          absl::StrCat("peers[", peer, "]: ", arrived.status().message()));
    if (*arrived == expected)
      return absl::OkStatus();
    return fail(absl::StrCat("peers[", peer, "]: the route ends at '",
                             machine.node(*arrived).name, "'; expected '",
                             machine.node(expected).name, "'"));
  }
};

class DispatchRun : public ExchangeRun {
public:
  DispatchRun(const Program &program, const MachineModel &machine,
              int32_t index, const Value &x, const Value &routing,
              Network &network)
      : ExchangeRun(program, machine, index, routing, network), x(x) {}

  absl::StatusOr<std::vector<Value>> run() {
    if (absl::Status status = readRouting(); !status.ok())
      return status;
    for (int32_t buffer : task.writes) {
      absl::StatusOr<Value> value = makeValue(program.buffers[buffer].type);
      if (!value.ok())
        return value.status();
      written.push_back(*std::move(value));
    }
    bool pairs = exchange.form == ExchangeForm::Pairs;
    for (size_t peer = 0; peer < exchange.peers.size(); ++peer)
      if (absl::Status status = pairs ? sendPairs(peer) : prepareTokens(peer);
          !status.ok())
        return status;
    if (!pairs && exchange.via == ExchangeVia::Switch)
      if (absl::Status status = multicast(); !status.ok())
        return status;
    return std::move(written);
  }

private:
  const Value &x;
  std::vector<Value> written;
  std::vector<std::vector<int64_t>> rowOf; ///< [peer][token], or -1

  int64_t rowBytes() const { return x.dim(1) * elementBytes(x.type.element); }
  /// A row of form Tokens travels with its slots.
  int64_t tokenBytes() const {
    return rowBytes() + routing.dim(1) * (elementBytes(ElementType::I32) +
                                          elementBytes(routing.type.element));
  }

  absl::Status sendPairs(size_t peer) {
    const ExchangePeer &facts = exchange.peers[peer];
    std::vector<RoutedPair> pairs = pairsOf(peer);
    if (absl::Status status =
            checkFit(peer, pairs.size(), task.writes[2 * peer]);
        !status.ok())
      return status;
    int64_t bytes = static_cast<int64_t>(pairs.size()) * rowBytes() +
                    static_cast<int64_t>(facts.experts.size()) * kCountBytes;
    if (absl::Status status = checkArrival(
            network.travel(task.node, facts.route, bytes), peer, facts.node);
        !status.ok())
      return status;
    Value &rows = written[2 * peer], &counts = written[2 * peer + 1];
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::copy_n(x.row(pairs[i].token), x.dim(1),
                  rows.row(static_cast<int64_t>(i)));
      counts.elements[pairs[i].expert] += 1;
    }
    return absl::OkStatus();
  }

  /// Via the root each token travels at once; via switches all do later.
  absl::Status prepareTokens(size_t peer) {
    const ExchangePeer &facts = exchange.peers[peer];
    std::vector<int64_t> mine = tokensOf(peer);
    if (absl::Status status =
            checkFit(peer, mine.size(), task.writes[2 * peer]);
        !status.ok())
      return status;
    rowOf.emplace_back(tokens, -1);
    for (size_t i = 0; i < mine.size(); ++i)
      rowOf[peer][mine[i]] = static_cast<int64_t>(i);
    if (exchange.via == ExchangeVia::Switch)
      return absl::OkStatus();
    int64_t bytes = static_cast<int64_t>(mine.size()) * tokenBytes();
    if (absl::Status status = checkArrival(
            network.travel(task.node, facts.route, bytes), peer, facts.node);
        !status.ok())
      return status;
    for (int64_t token : mine)
      deliver(peer, token);
    return absl::OkStatus();
  }

  /// Puts a token that has arrived into the peer's buffers.
  void deliver(size_t peer, int64_t token) {
    int64_t row = rowOf[peer][token];
    std::copy_n(x.row(token), x.dim(1), written[2 * peer].row(row));
    Value &slots = written[2 * peer + 1];
    for (int64_t slot = 0; slot < routing.dim(1); ++slot) {
      int32_t id = local(peer, token, slot);
      slots.slots(row)[slot] = id;
      if (id != kPaddingId)
        slots.row(row)[slot] = routing.row(token)[slot];
    }
  }

  absl::Status multicast() {
    for (int64_t token = 0; token < tokens; ++token) {
      std::vector<size_t> peers;
      for (size_t peer = 0; peer < exchange.peers.size(); ++peer)
        if (rowOf[peer][token] != -1)
          peers.push_back(peer);
      if (absl::Status status = forward(token, task.node, 0, peers);
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  /// A token is at `node`, `hops` links from the start: one copy goes over each
  /// link that leads on to some of `peers`.
  absl::Status forward(int64_t token, int32_t node, size_t hops,
                       const std::vector<size_t> &peers) {
    std::map<int32_t, std::vector<size_t>> beyond;
    for (size_t peer : peers) {
      const ExchangePeer &facts = exchange.peers[peer];
      if (hops < facts.route.size()) {
        beyond[facts.route[hops]].push_back(peer);
        continue;
      }
      if (absl::Status status = checkArrival(node, peer, facts.node);
          !status.ok())
        return status;
      deliver(peer, token);
    }
    for (const auto &[link, onward] : beyond) {
      absl::StatusOr<int32_t> next = network.cross(node, link, tokenBytes());
      if (!next.ok())
        return fail(next.status().message());
      if (absl::Status status = forward(token, *next, hops + 1, onward);
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }
};

class CombineRun : public ExchangeRun {
public:
  CombineRun(const Program &program, const MachineModel &machine, int32_t index,
             const std::vector<Value> &rows, const Value &routing,
             Network &network)
      : ExchangeRun(program, machine, index, routing, network), rows(rows),
        type(program.buffers[task.writes[0]].type),
        math(type.element == ElementType::F64) {}

  absl::StatusOr<Value> run() {
    if (absl::Status status = readRouting(); !status.ok())
      return status;
    absl::StatusOr<Value> result = makeValue(type);
    if (!result.ok())
      return result;
    written = *std::move(result);
    absl::Status status =
        exchange.form == ExchangeForm::Pairs ? gatherPairs() : gatherTokens();
    if (!status.ok())
      return status;
    return std::move(written);
  }

private:
  using Row = std::vector<double>;

  const std::vector<Value> &rows;
  const ValueType &type;
  Arithmetic math;
  Value written;
  std::vector<std::vector<int64_t>> rowOf; ///< [peer][token], or -1

  int64_t rowBytes() const {
    return type.shape[1] * elementBytes(type.element);
  }

  absl::Status gatherPairs() {
    // Position of each (token, slot) among all pairs of the routing.
    std::vector<int64_t> position(routing.ids.size(), -1);
    std::vector<RoutedPair> all = sortedPairs(routing);
    for (size_t i = 0; i < all.size(); ++i)
      position[all[i].token * routing.dim(1) + all[i].slot] =
          static_cast<int64_t>(i);
    for (size_t peer = 0; peer < exchange.peers.size(); ++peer) {
      std::vector<RoutedPair> pairs = pairsOf(peer);
      if (absl::Status status = arrive(peer, pairs.size()); !status.ok())
        return status;
      for (size_t i = 0; i < pairs.size(); ++i)
        std::copy_n(
            rows[peer].row(static_cast<int64_t>(i)), type.shape[1],
            written.row(
                position[pairs[i].token * routing.dim(1) + pairs[i].slot]));
    }
    return absl::OkStatus();
  }

  /// `count` rows of a peer travel to the root.
  absl::Status arrive(size_t peer, size_t count) {
    if (absl::Status status = checkFit(peer, count, task.reads[peer]);
        !status.ok())
      return status;
    const ExchangePeer &facts = exchange.peers[peer];
    int64_t bytes = static_cast<int64_t>(count) * rowBytes();
    return checkArrival(network.travel(facts.node, facts.route, bytes), peer,
                        task.node);
  }

  absl::Status gatherTokens() {
    bool viaRoot = exchange.via == ExchangeVia::Root;
    std::vector<size_t> everyone;
    for (size_t peer = 0; peer < exchange.peers.size(); ++peer) {
      everyone.push_back(peer);
      std::vector<int64_t> mine = tokensOf(peer);
      if (absl::Status status =
              viaRoot ? arrive(peer, mine.size())
                      : checkFit(peer, mine.size(), task.reads[peer]);
          !status.ok())
        return status;
      rowOf.emplace_back(tokens, -1);
      for (size_t i = 0; i < mine.size(); ++i)
        rowOf[peer][mine[i]] = static_cast<int64_t>(i);
    }
    for (int64_t token = 0; token < tokens; ++token) {
      absl::StatusOr<std::optional<Row>> sum =
          viaRoot ? sumAtRoot(token) : sumAt(token, task.node, 0, everyone);
      if (!sum.ok())
        return sum.status();
      if (*sum)
        std::copy((*sum)->begin(), (*sum)->end(), written.row(token));
    }
    return absl::OkStatus();
  }

  std::optional<Row> rowFrom(size_t peer, int64_t token) const {
    if (rowOf[peer][token] == -1)
      return std::nullopt;
    const double *row = rows[peer].row(rowOf[peer][token]);
    return Row(row, row + type.shape[1]);
  }

  /// Adds rows in order; the sum is rounded to the rows' type when it is whole.
  std::optional<Row> add(const std::vector<Row> &parts) const {
    if (parts.empty())
      return std::nullopt;
    Row sum = parts[0];
    for (size_t part = 1; part < parts.size(); ++part)
      for (size_t i = 0; i < sum.size(); ++i)
        sum[i] = math.add(sum[i], parts[part][i]);
    for (double &value : sum)
      value = roundTo(type.element, value);
    return sum;
  }

  absl::StatusOr<std::optional<Row>> sumAtRoot(int64_t token) const {
    std::vector<Row> parts;
    for (size_t peer = 0; peer < exchange.peers.size(); ++peer)
      if (std::optional<Row> row = rowFrom(peer, token))
        parts.push_back(*std::move(row));
    return add(parts);
  }

  /// The sum of the rows of `peers` as it is at `node`, `hops` links from the
  /// root: first the node's own row, then those of its children.
  absl::StatusOr<std::optional<Row>> sumAt(int64_t token, int32_t node,
                                           size_t hops,
                                           const std::vector<size_t> &peers) {
    std::vector<Row> parts;
    std::map<std::pair<int64_t, int32_t>, std::vector<size_t>> children;
    for (size_t peer : peers) {
      const std::vector<int32_t> &route = exchange.peers[peer].route;
      if (hops < route.size()) {
        int32_t link = route[route.size() - 1 - hops];
        children[{childOrder(node, machine.link(link).source), link}].push_back(
            peer);
      } else if (std::optional<Row> own = rowFrom(peer, token)) {
        if (absl::Status status =
                checkArrival(node, peer, exchange.peers[peer].node);
            !status.ok())
          return status;
        parts.push_back(*std::move(own));
      }
    }
    for (const auto &[key, below] : children) {
      int32_t link = key.second;
      absl::StatusOr<std::optional<Row>> part =
          sumAt(token, machine.link(link).source, hops + 1, below);
      if (!part.ok())
        return part;
      if (!*part)
        continue;
      absl::StatusOr<int32_t> arrived =
          network.cross(machine.link(link).source, link, rowBytes());
      if (!arrived.ok())
        return fail(arrived.status().message());
      if (*arrived != node)
        return fail(absl::StrCat("link ", link, " ends at '",
                                 machine.node(*arrived).name, "'; expected '",
                                 machine.node(node).name, "'"));
      parts.push_back(**std::move(part));
    }
    return add(parts);
  }

  /// Children count in the machine's declared order; the parent, where data
  /// comes down, after them.
  int64_t childOrder(int32_t node, int32_t neighbour) const {
    absl::Span<const int32_t> children = machine.children(node);
    return std::find(children.begin(), children.end(), neighbour) -
           children.begin();
  }
};

} // namespace

absl::StatusOr<std::vector<Value>>
mozart::runDispatch(const Program &program, const MachineModel &machine,
                    int32_t task, const Value &x, const Value &routing,
                    Network &network) {
  return DispatchRun(program, machine, task, x, routing, network).run();
}

absl::StatusOr<Value>
mozart::runCombine(const Program &program, const MachineModel &machine,
                   int32_t task, const std::vector<Value> &rows,
                   const Value &routing, Network &network) {
  return CombineRun(program, machine, task, rows, routing, network).run();
}
