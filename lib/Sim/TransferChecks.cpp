//===- TransferChecks.cpp - Checks of routes and exchanges ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueExchange.h"

#include "mozart/Sim/MemoryOrder.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <map>
#include <set>

using namespace mozart;

namespace {

class TransferChecker {
public:
  TransferChecker(const Program &program, const MachineModel &machine,
                  int32_t index)
      : program(program), machine(machine), index(index),
        task(program.tasks[index]) {}

  absl::Status run() {
    simple(task.route, "route");
    if (task.kind != TaskKind::Dispatch && task.kind != TaskKind::Combine)
      return error;
    for (size_t i = 0; i < task.exchange.peers.size(); ++i)
      simple(task.exchange.peers[i].route,
             absl::StrCat("peers[", i, "]: route"));
    if (task.exchange.via == ExchangeVia::Switch)
      capabilities();
    slots();
    slices();
    return error;
  }

private:
  const Program &program;
  const MachineModel &machine;
  int32_t index;
  const Task &task;
  absl::Status error;

  void fail(absl::string_view what) {
    if (error.ok())
      error = absl::FailedPreconditionError(
          absl::StrCat("program '", program.name, "', ",
                       describeTask(program, index), ": ", what));
  }

  /// A route that comes back to a node carries its data in a circle.
  void simple(const std::vector<int32_t> &route, const std::string &what) {
    std::set<int32_t> seen;
    for (size_t i = 0; i < route.size(); ++i) {
      const LinkFacts &link = machine.link(route[i]);
      if (i == 0)
        seen.insert(link.source);
      if (!seen.insert(link.target).second)
        fail(absl::StrCat(what, "[", i, "] is link ", route[i],
                          ", which comes back to '",
                          machine.node(link.target).name,
                          "'; expected a route that passes each node once"));
    }
  }

  /// Routes part (or join) at a node where more than one link carries copies
  /// (or partial sums), or one does and the node is itself a peer.
  void capabilities() {
    bool dispatch = task.kind == TaskKind::Dispatch;
    std::map<int32_t, std::set<int32_t>> branches; // node -> links away from
                                                   // the exchange's own node
    for (const ExchangePeer &peer : task.exchange.peers) {
      for (int32_t link : peer.route)
        branches[dispatch ? machine.link(link).source
                          : machine.link(link).target]
            .insert(link);
      branches[peer.node].insert(-1);
    }
    for (const auto &[node, links] : branches) {
      const NodeFacts &facts = machine.node(node);
      bool able = (dispatch ? facts.multicastBytesPerSecond
                            : facts.reduceBytesPerSecond) > 0;
      if (node == task.node || links.size() < 2 || able)
        continue;
      fail(absl::StrCat(
          dispatch ? "needs copies" : "needs sums", " at '", facts.name,
          "', where its routes ", dispatch ? "part" : "join",
          "; expected a switch that can make them, or an exchange via root"));
    }
  }

  void slots() {
    const Buffer &routing = program.buffers[task.reads.back()];
    if (routing.type.shape[1] != program.k)
      fail(absl::StrCat("routes by ",
                        describeBuffer(program, task.reads.back()),
                        ", which is ", describeType(routing.type),
                        "; expected the ", program.k, " slots of the program"));
  }

  /// The routing's slice says which tokens move; what a dispatch leaves at a
  /// peer must be declared as those with the peer's experts.
  void slices() {
    int32_t routing = task.reads.back();
    const Buffer &table = program.buffers[routing];
    if (table.slice == -1)
      return fail(absl::StrCat("routes by ", describeBuffer(program, routing),
                               ", which has no slice; expected the tokens that "
                               "it routes"));
    const RoutedSlice &whole = program.slices[table.slice];
    if (whole.tokenCount != table.type.rows())
      fail(absl::StrCat("routes by ", describeBuffer(program, routing), " of ",
                        table.type.rows(), " tokens, whose slice has ",
                        whole.tokenCount, "; expected as many"));
    for (size_t i = 0; i < task.exchange.peers.size(); ++i)
      if (task.kind == TaskKind::Dispatch) {
        arrival(i, task.writes[2 * i]);
        arrival(i, task.writes[2 * i + 1]);
      }
  }

  void arrival(size_t peer, int32_t buffer) {
    RoutedSlice expected = sliceOfPeer(program, index, peer);
    int32_t found = program.buffers[buffer].slice;
    if (found == -1)
      return fail(absl::StrCat("peers[", peer,
                               "]: ", describeBuffer(program, buffer),
                               " has no slice; expected ", text(expected)));
    const RoutedSlice &s = program.slices[found];
    if (s.layer != expected.layer || s.microBatch != expected.microBatch ||
        s.tokenBegin != expected.tokenBegin ||
        s.tokenCount != expected.tokenCount || s.experts != expected.experts ||
        s.expertMap != expected.expertMap || s.node != expected.node)
      fail(absl::StrCat("peers[", peer, "]: ", describeBuffer(program, buffer),
                        " is declared to hold ", text(s), "; expected ",
                        text(expected)));
  }

  static std::string text(const RoutedSlice &s) {
    return absl::StrCat(
        "tokens [", s.tokenBegin, ", ", s.tokenBegin + s.tokenCount,
        ") with experts {", absl::StrJoin(s.experts, ", "), "} of layer ",
        s.layer, ", micro-batch ", s.microBatch,
        s.expertMap == -1 ? ""
                          : absl::StrCat(" that expert map ", s.expertMap,
                                         " sends to node ", s.node));
  }
};

} // namespace

RoutedSlice mozart::sliceOfPeer(const Program &program, int32_t task,
                                size_t peer) {
  const Task &exchange = program.tasks[task];
  RoutedSlice slice =
      program.slices[program.buffers[exchange.reads.back()].slice];
  slice.experts = exchange.exchange.peers[peer].experts;
  slice.expertMap = exchange.exchange.expertMap;
  slice.node = slice.expertMap == -1 ? -1 : exchange.exchange.peers[peer].node;
  return slice;
}

absl::Status mozart::verifyTransfers(const Program &program,
                                     const MachineModel &machine) {
  for (size_t i = 0; i < program.tasks.size(); ++i)
    if (absl::Status status =
            TransferChecker(program, machine, static_cast<int32_t>(i)).run();
        !status.ok())
      return status;
  return absl::OkStatus();
}
