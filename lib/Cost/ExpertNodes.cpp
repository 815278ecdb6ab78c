//===- ExpertNodes.cpp - Where a program's experts are --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/ExpertNodes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <string>

using namespace mozart;

static std::string nodeNames(const std::vector<int32_t> &nodes,
                             const MachineModel &machine) {
  return absl::StrJoin(nodes, ", ", [&](std::string *out, int32_t node) {
    absl::StrAppend(out, "'", machine.node(node).name, "'");
  });
}

absl::StatusOr<std::vector<ExpertMap>>
mozart::expertNodes(const Program &program, const MachineModel &machine) {
  std::vector<ExpertMap> maps(program.moeLayers);
  for (ExpertMap &map : maps)
    map.nodesOf.resize(program.experts);
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    if (task.kind != TaskKind::Dispatch)
      continue;
    auto fail = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat("program '", program.name,
                                                     "', task ", i, " ('",
                                                     task.name, "'): ", what));
    };
    int32_t slice = program.buffers[task.reads[1]].slice;
    if (slice < 0)
      return fail("its routing names no slice of the trace, so its MoE layer "
                  "is not known; expected one");
    int64_t layer = program.slices[slice].layer;
    int32_t map = task.exchange.expertMap;
    for (const ExchangePeer &peer : task.exchange.peers)
      for (int32_t expert : peer.experts) {
        std::vector<int32_t> found =
            map == -1 ? std::vector<int32_t>{peer.node}
                      : program.expertMaps[map].nodesOf[expert];
        std::vector<int32_t> &nodes = maps[layer].nodesOf[expert];
        if (!nodes.empty() && nodes != found)
          return fail(absl::StrCat(
              "sends expert ", expert, " of MoE layer ", layer, " to ",
              nodeNames(found, machine), ", an earlier dispatch sends it to ",
              nodeNames(nodes, machine),
              "; expected one place for each expert of a layer, or one set of "
              "places for its replicas"));
        nodes = std::move(found);
      }
  }
  return maps;
}

/// Numbers the chiplets that host experts, and any other node that holds one,
/// in the order of nodes: by it, replicas are chosen.
static std::vector<int32_t>
chipletOrdinals(const MachineModel &machine,
                const std::vector<ExpertMap> &maps) {
  std::vector<bool> counts(machine.numNodes());
  for (int32_t chiplet : machine.expertChiplets())
    counts[chiplet] = true;
  for (const ExpertMap &map : maps)
    for (const std::vector<int32_t> &nodes : map.nodesOf)
      for (int32_t node : nodes)
        counts[node] = true;
  std::vector<int32_t> ordinals(machine.numNodes(), -1);
  int32_t next = 0;
  for (int32_t node = 0; node < machine.numNodes(); ++node)
    if (counts[node])
      ordinals[node] = next++;
  return ordinals;
}

std::vector<LayerStatistics>
mozart::programStatistics(const Program &program, const MachineModel &machine,
                          const std::vector<ExpertMap> &nodes,
                          const RoutingCounter &counter) {
  std::vector<int32_t> ordinals = chipletOrdinals(machine, nodes), groupOf;
  for (int32_t node = 0; node < machine.numNodes(); ++node)
    if (ordinals[node] >= 0)
      groupOf.push_back(machine.groupOf(node));

  std::vector<LayerStatistics> result;
  const int64_t tokens = program.tokensPerMicroBatch;
  for (int64_t layer = 0; layer < program.moeLayers; ++layer) {
    std::vector<std::vector<int32_t>> chipletsOf = nodes[layer].nodesOf;
    for (std::vector<int32_t> &chiplets : chipletsOf)
      for (int32_t &chiplet : chiplets)
        chiplet = ordinals[chiplet];
    std::vector<int32_t> ids;
    ids.reserve(tokens * program.microBatches * program.k);
    for (int64_t mb = 0; mb < program.microBatches; ++mb)
      for (int64_t token = 0; token < tokens; ++token)
        for (int32_t id : counter.bound()->set(layer, mb, token))
          ids.push_back(id);
    absl::StatusOr<Trace> trace =
        Trace::create(tokens * program.microBatches, 1, program.k,
                      program.experts, std::move(ids));
    // Only a step without tokens is no trace.
    result.push_back(trace.ok()
                         ? layerStatistics(*trace, 0, ReplicaChoice(chipletsOf),
                                           groupOf, tokens)
                         : LayerStatistics());
  }
  return result;
}
