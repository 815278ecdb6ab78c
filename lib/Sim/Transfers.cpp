//===- Transfers.cpp - Tasks that move bytes, as flows --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transfers.h"

#include "mozart/Cost/Traffic.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mozart;

static constexpr int64_t kPsPerSecond = 1000000000000;

/// Buffers are sized before the routing is known; a smaller bound than the
/// worst case may turn out too small.
static absl::Status checkRoom(const Program &program, int32_t index,
                              const MachineModel &machine,
                              const ExchangeTraffic &traffic) {
  const Task &task = program.tasks[index];
  const bool dispatch = task.kind == TaskKind::Dispatch;
  const bool pairs = task.exchange.form == ExchangeForm::Pairs;
  for (size_t i = 0; i < traffic.peers.size(); ++i) {
    const Buffer &rows =
        program.buffers[dispatch ? task.writes[2 * i] : task.reads[i]];
    int64_t needed = pairs ? traffic.peers[i].pairs : traffic.peers[i].tokens;
    if (needed > rows.type.rows())
      return absl::InvalidArgumentError(absl::StrCat(
          "program '", program.name, "', task ", index, " ('", task.name,
          "'): under this routing ", needed, " rows go ",
          dispatch ? "to '" : "from '",
          machine.node(task.exchange.peers[i].node).name, "', but buffer '",
          rows.name, "' holds ", rows.type.rows(),
          "; compile for larger or for fewer tokens at a time"));
  }
  return absl::OkStatus();
}

/// What copies or adds on the way must be able to.
static absl::Status checkBranches(const Program &program, int32_t index,
                                  const MachineModel &machine,
                                  const ExchangeTraffic &traffic) {
  const Task &task = program.tasks[index];
  const bool dispatch = task.kind == TaskKind::Dispatch;
  for (const NodeTraffic &branch : traffic.branches) {
    const NodeFacts &node = machine.node(branch.node);
    if ((dispatch ? node.multicastBytesPerSecond : node.reduceBytesPerSecond) >
        0)
      continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "program '", program.name, "', task ", index, " ('", task.name, "'): '",
        node.name, "' must ", dispatch ? "copy" : "add",
        " rows on the way, but its ", dispatch ? "multicast" : "reduce",
        "_bytes_per_second is 0; exchange via the root, or choose a machine "
        "whose switches can"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExchangeTraffic>
mozart::checkedTraffic(const Program &program, int32_t task,
                       const MachineModel &machine, RoutingCounter &counter,
                       std::vector<TokenAtPeer> *tokens) {
  absl::StatusOr<ExchangeTraffic> traffic =
      exchangeTraffic(program, task, machine, counter, tokens);
  if (!traffic.ok())
    return traffic;
  if (absl::Status status = checkRoom(program, task, machine, *traffic);
      !status.ok())
    return status;
  if (absl::Status status = checkBranches(program, task, machine, *traffic);
      !status.ok())
    return status;
  return traffic;
}

absl::Status TransferPlanner::plan(int32_t index,
                                   std::vector<Message> &messages) {
  const Task &task = program.tasks[index];
  overflow = false;
  messages.clear();
  absl::Status status;
  switch (task.kind) {
  case TaskKind::Load:
    messages.push_back(load(task));
    break;
  case TaskKind::Store:
    messages.push_back(store(task));
    break;
  case TaskKind::Dispatch:
  case TaskKind::Combine:
    status = task.exchange.via == ExchangeVia::Root
                 ? viaRoot(index, messages)
                 : viaSwitch(index, messages);
    break;
  case TaskKind::Compute:
    break;
  }
  if (status.ok() && overflow)
    return absl::OutOfRangeError(absl::StrCat(
        "program '", program.name, "', task ", index, " ('", task.name,
        "'): its delays or bytes do not fit in 63 "
        "bits"));
  return status;
}

void TransferPlanner::wait(Leg &leg, int64_t delayPs) {
  overflow |= __builtin_add_overflow(leg.delayPs, delayPs, &leg.delayPs);
  leg.emptyPs = leg.leastDelayPs = leg.delayPs;
}

void TransferPlanner::passLink(Leg &leg, int32_t link, int64_t bytes) {
  wait(leg, machine.link(link).messageOverheadPs);
  wait(leg, machine.link(link).latencyPs);
  leg.uses.push_back(resources.link(link, bytes));
}

/// A node that forwards begins a new leg where it stores the message first.
void TransferPlanner::passNode(Message &message, int32_t node) {
  if (machine.node(node).forwarding == Forwarding::StoreAndForward)
    message.legs.emplace_back();
  wait(message.legs.back(), machine.node(node).latencyPs);
}

Message TransferPlanner::load(const Task &task) {
  const Buffer &source = program.buffers[task.reads[0]];
  int32_t memory = source.place.index;
  int64_t bytes = source.type.bytes();
  Message message;
  message.legs.emplace_back();
  wait(message.legs.back(), machine.memory(memory).latencyPs);
  message.legs.back().uses.push_back(resources.read(memory, bytes));
  for (int32_t link : task.route) {
    passNode(message, machine.link(link).source);
    passLink(message.legs.back(), link, bytes);
  }
  message.legs.back().uses.push_back(resources.sram(task.node, bytes));
  return message;
}

Message TransferPlanner::store(const Task &task) {
  const Buffer &target = program.buffers[task.writes[0]];
  int32_t memory = target.place.index;
  int64_t bytes = target.type.bytes();
  Message message;
  message.legs.emplace_back();
  message.legs.back().uses.push_back(resources.sram(task.node, bytes));
  for (int32_t link : task.route) {
    passLink(message.legs.back(), link, bytes);
    passNode(message, machine.link(link).target);
  }
  wait(message.legs.back(), machine.memory(memory).latencyPs);
  message.legs.back().uses.push_back(resources.write(memory, bytes));
  return message;
}

/// Delay of the head of an exchange's rows: links, nodes on the way, and one
/// row's time into each of them that stores a row before it forwards it.
int64_t TransferPlanner::routeDelayPs(const std::vector<int32_t> &route,
                                      int64_t rowBytes) {
  Leg leg;
  for (size_t i = 0; i < route.size(); ++i) {
    wait(leg, machine.link(route[i]).messageOverheadPs);
    wait(leg, machine.link(route[i]).latencyPs);
    if (i + 1 == route.size())
      break;
    const NodeFacts &node = machine.node(machine.link(route[i]).target);
    wait(leg, node.latencyPs);
    if (node.forwarding != Forwarding::StoreAndForward)
      continue;
    int64_t rate = machine.linkBytesPerSecond(route[i]);
    __int128 ps =
        (static_cast<__int128>(rowBytes) * kPsPerSecond + rate - 1) / rate;
    if (ps > std::numeric_limits<int64_t>::max())
      overflow = true;
    else
      wait(leg, static_cast<int64_t>(ps));
  }
  return leg.delayPs;
}

absl::Status TransferPlanner::viaRoot(int32_t index,
                                      std::vector<Message> &messages) {
  absl::StatusOr<ExchangeTraffic> traffic =
      checkedTraffic(program, index, machine, counter);
  if (!traffic.ok())
    return traffic.status();
  const Task &task = program.tasks[index];
  for (size_t i = 0; i < traffic->peers.size(); ++i) {
    const ExchangePeer &peer = task.exchange.peers[i];
    int64_t bytes = traffic->peers[i].bytes;
    Leg leg;
    wait(leg, routeDelayPs(peer.route, 0));
    if (bytes > 0)
      leg.delayPs = routeDelayPs(peer.route, traffic->rowBytes);
    for (int32_t link : peer.route)
      leg.uses.push_back(resources.link(link, bytes));
    if (peer.node != task.node) {
      leg.uses.push_back(resources.sram(task.node, bytes));
      leg.uses.push_back(resources.sram(peer.node, bytes));
    } else { // read and written by the same port
      overflow |= __builtin_add_overflow(bytes, bytes, &bytes);
      leg.uses.push_back(resources.sram(task.node, bytes));
    }
    messages.push_back({{std::move(leg)}});
  }
  return absl::OkStatus();
}

absl::Status TransferPlanner::viaSwitch(int32_t index,
                                        std::vector<Message> &messages) {
  absl::StatusOr<ExchangeTraffic> traffic =
      checkedTraffic(program, index, machine, counter);
  if (!traffic.ok())
    return traffic.status();
  const Task &task = program.tasks[index];
  const bool dispatch = task.kind == TaskKind::Dispatch;
  Leg leg;
  int64_t anyBytes = 0;
  for (const LinkTraffic &link : traffic->links) {
    leg.uses.push_back(resources.link(link.link, link.bytes));
    anyBytes |= link.bytes;
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t leastOverheadPs = kMost, leastLatencyPs = kMost;
  for (size_t i = 0; i < traffic->peers.size(); ++i) {
    const std::vector<int32_t> &route = task.exchange.peers[i].route;
    leg.delayPs = std::max(
        leg.delayPs, routeDelayPs(route, anyBytes > 0 ? traffic->rowBytes : 0));
    const int64_t emptyPs = routeDelayPs(route, 0);
    leg.emptyPs = std::max(leg.emptyPs, emptyPs);
    if (traffic->peers[i].bytes == 0)
      continue;
    int64_t overheadPs = 0; // a part of emptyPs
    for (int32_t link : route)
      overheadPs += machine.link(link).messageOverheadPs;
    leastOverheadPs = std::min(leastOverheadPs, overheadPs);
    leastLatencyPs = std::min(leastLatencyPs, emptyPs - overheadPs);
  }
  if (leastOverheadPs < kMost)
    leg.leastDelayPs = leastOverheadPs + leastLatencyPs;
  std::map<int32_t, int64_t> sramBytes;
  sramBytes[task.node] = traffic->rootBytes;
  for (size_t i = 0; i < traffic->peers.size(); ++i) {
    int64_t &there = sramBytes[task.exchange.peers[i].node];
    overflow |= __builtin_add_overflow(there, traffic->peers[i].bytes, &there);
  }
  for (auto [node, bytes] : sramBytes)
    leg.uses.push_back(resources.sram(node, bytes));
  for (const NodeTraffic &branch : traffic->branches)
    leg.uses.push_back(dispatch ? resources.multicast(branch.node, branch.bytes)
                                : resources.reduce(branch.node, branch.bytes));
  messages.push_back({{std::move(leg)}});
  return absl::OkStatus();
}
