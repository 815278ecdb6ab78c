//===- WhatIf.cpp - What if a part were twice as fast? --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/WhatIf.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

static const std::vector<std::string> &kinds() {
  static const std::vector<std::string> names = {
      "compute", "sram", "dram", "link", "multicast", "reduce", "delay"};
  return names;
}

static void halveDelays(MachineFacts &facts) {
  for (NodeFacts &node : facts.nodes) {
    node.latencyPs /= 2;
    node.compute.kernelStartPs /= 2;
  }
  for (MemoryFacts &memory : facts.memories) {
    memory.latencyPs /= 2;
    memory.turnaroundPs /= 2;
  }
  for (LinkFacts &link : facts.links) {
    link.latencyPs /= 2;
    link.messageOverheadPs /= 2;
  }
}

absl::StatusOr<MachineFacts> mozart::twiceAsFast(MachineFacts facts,
                                                 const std::string &kind,
                                                 int32_t index) {
  std::string tooFast;
  auto twice = [&](int64_t &rate, const std::string &name) {
    if (__builtin_mul_overflow(rate, int64_t(2), &rate))
      tooFast = name;
  };
  auto each = [&](auto &parts, const auto &change) {
    for (size_t i = 0; i < parts.size(); ++i)
      if (index < 0 || static_cast<size_t>(index) == i)
        change(parts[i]);
  };
  if (kind == "compute")
    each(facts.nodes,
         [&](NodeFacts &node) { twice(node.compute.clockHz, node.name); });
  else if (kind == "sram")
    each(facts.nodes, [&](NodeFacts &node) {
      twice(node.compute.tileSramBytesPerSecond, node.name);
    });
  else if (kind == "dram")
    each(facts.memories, [&](MemoryFacts &memory) {
      twice(memory.readBytesPerSecond, memory.name);
      twice(memory.writeBytesPerSecond, memory.name);
    });
  else if (kind == "link")
    each(facts.links, [&](LinkFacts &link) {
      twice(link.wireBytesPerSecond,
            absl::StrCat(facts.nodes[link.source].name, "->",
                         facts.nodes[link.target].name));
    });
  else if (kind == "multicast")
    each(facts.nodes, [&](NodeFacts &node) {
      twice(node.multicastBytesPerSecond, node.name);
    });
  else if (kind == "reduce")
    each(facts.nodes,
         [&](NodeFacts &node) { twice(node.reduceBytesPerSecond, node.name); });
  else
    halveDelays(facts);
  if (!tooFast.empty())
    return absl::OutOfRangeError(
        absl::StrCat("machine '", facts.name, "': the ", kind, " rate of '",
                     tooFast, "' cannot be doubled in 63 bits"));
  return facts;
}

static bool hasNoDelays(const MachineFacts &facts) {
  bool none = true;
  for (const NodeFacts &node : facts.nodes)
    none &= node.latencyPs == 0 && node.compute.kernelStartPs == 0;
  for (const MemoryFacts &memory : facts.memories)
    none &= memory.latencyPs == 0 && memory.turnaroundPs == 0;
  for (const LinkFacts &link : facts.links)
    none &= link.latencyPs == 0 && link.messageOverheadPs == 0;
  return none;
}

/// Whether the machine has anything of this kind.
static bool has(const MachineFacts &facts, const std::string &kind) {
  auto any = [&](int64_t NodeFacts::*rate) {
    return std::any_of(facts.nodes.begin(), facts.nodes.end(),
                       [&](const NodeFacts &node) { return node.*rate > 0; });
  };
  if (kind == "multicast")
    return any(&NodeFacts::multicastBytesPerSecond);
  if (kind == "reduce")
    return any(&NodeFacts::reduceBytesPerSecond);
  if (kind == "dram")
    return !facts.memories.empty();
  if (kind == "link")
    return !facts.links.empty();
  if (kind == "delay")
    return !hasNoDelays(facts);
  return true;
}

/// Index of the resource of that name: of its link, memory or node.
static int32_t indexOf(const Cause &cause, const SimulationResult &result,
                       const MachineModel &machine) {
  for (const ResourceUse &use : result.resources)
    if (use.name == cause.name)
      return use.index;
  // Arrays: not every chiplet's engine is among the resources.
  return machine.findNode(cause.name.substr(0, cause.name.rfind('.')));
}

absl::StatusOr<std::vector<WhatIf>>
mozart::whatIfs(const Program &program, const MachineModel &machine,
                const BoundRouting *routing, const SimulationOptions &options,
                const SimulationResult &result, const CriticalPath &path,
                size_t single) {
  SimulationOptions plain = options;
  plain.recordLoads = plain.recordLimits = false;
  std::vector<WhatIf> found;
  auto run = [&](WhatIf what, int32_t index) -> absl::Status {
    absl::StatusOr<MachineFacts> facts =
        twiceAsFast(machine.facts(), what.kind, index);
    if (!facts.ok())
      return facts.status();
    absl::StatusOr<MachineModel> faster =
        MachineModel::create(*std::move(facts));
    if (!faster.ok())
      return faster.status();
    absl::StatusOr<SimulationResult> again =
        simulate(program, *faster, routing, plain);
    if (!again.ok())
      return again.status();
    what.latencyPs = again->latencyPs;
    found.push_back(std::move(what));
    return absl::OkStatus();
  };
  for (const std::string &kind : kinds())
    if (has(machine.facts(), kind))
      if (absl::Status status = run({"all", kind}, -1); !status.ok())
        return status;
  for (const Cause &cause : path.byResource) {
    if (single == 0)
      break;
    if (cause.kind == "delay")
      continue;
    --single;
    absl::Status status =
        run({cause.name, cause.kind}, indexOf(cause, result, machine));
    if (!status.ok())
      return status;
  }
  return found;
}
