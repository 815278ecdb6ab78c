//===- ExpertNodes.cpp - Where a program's experts are --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/ExpertNodes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

absl::StatusOr<std::vector<std::vector<int32_t>>>
mozart::expertNodes(const Program &program, const MachineModel &machine) {
  std::vector<std::vector<int32_t>> nodes(
      program.moeLayers, std::vector<int32_t>(program.experts, -1));
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
    for (const ExchangePeer &peer : task.exchange.peers)
      for (int32_t expert : peer.experts) {
        int32_t &node = nodes[layer][expert];
        if (node >= 0 && node != peer.node)
          return fail(absl::StrCat("sends expert ", expert, " of MoE layer ",
                                   layer, " to '", machine.node(peer.node).name,
                                   "', an earlier dispatch sends it "
                                   "to '",
                                   machine.node(node).name,
                                   "'; expected one place for each expert "
                                   "of a layer"));
        node = peer.node;
      }
  }
  return nodes;
}

std::vector<LayerStatistics>
mozart::programStatistics(const Program &program, const MachineModel &machine,
                          const std::vector<std::vector<int32_t>> &nodes,
                          const RoutingCounter &counter) {
  // Chiplets that host experts, then any other node that holds one.
  std::vector<int32_t> ordinals(machine.numNodes(), -1), groupOf;
  auto ordinal = [&](int32_t node) {
    if (ordinals[node] < 0) {
      ordinals[node] = static_cast<int32_t>(groupOf.size());
      groupOf.push_back(machine.groupOf(node));
    }
    return ordinals[node];
  };
  for (int32_t chiplet : machine.expertChiplets())
    ordinal(chiplet);

  std::vector<LayerStatistics> result;
  const int64_t tokens = program.tokensPerMicroBatch;
  for (int64_t layer = 0; layer < program.moeLayers; ++layer) {
    std::vector<int32_t> chipletOf(program.experts, -1);
    for (int64_t e = 0; e < program.experts; ++e)
      if (nodes[layer][e] >= 0)
        chipletOf[e] = ordinal(nodes[layer][e]);
    std::vector<int32_t> ids;
    ids.reserve(tokens * program.microBatches * program.k);
    for (int64_t mb = 0; mb < program.microBatches; ++mb)
      for (int64_t token = 0; token < tokens; ++token)
        for (int32_t id : counter.bound()->set(layer, mb, token))
          ids.push_back(id >= 0 && chipletOf[id] >= 0 ? id : Trace::kPadding);
    absl::StatusOr<Trace> trace =
        Trace::create(tokens * program.microBatches, 1, program.k,
                      program.experts, std::move(ids));
    // Only a step without tokens is no trace.
    result.push_back(trace.ok() ? layerStatistics(*trace, 0, chipletOf, groupOf)
                                : LayerStatistics());
  }
  return result;
}
