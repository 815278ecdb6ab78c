//===- PlacementLatency.cpp - The time of a layer under a placement -------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search asks for thousands of times a millisecond: what a count is worth is
// worked out once, in 2^-16 of a picosecond, and rounded up.
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/PlacementLatency.h"

#include "mozart/Cost/KernelCost.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <map>

using namespace mozart;

static constexpr int64_t kPsPerSecond = 1'000'000'000'000;
static constexpr int64_t kFractionBits = 16;

/// The nodes of the path from the root to each expert chiplet, the root left
/// out.
static std::vector<std::vector<int32_t>>
pathNodes(const MachineModel &machine) {
  std::vector<std::vector<int32_t>> paths;
  for (int32_t node : machine.expertChiplets()) {
    std::vector<int32_t> &nodes = paths.emplace_back();
    for (int32_t link : machine.path(machine.root(), node))
      nodes.push_back(machine.link(link).target);
  }
  return paths;
}

MachinePositions mozart::positionsOf(const MachineModel &machine) {
  MachinePositions positions;
  std::vector<std::vector<int32_t>> paths = pathNodes(machine);
  size_t deepest = 0;
  for (size_t chiplet = 0; chiplet < paths.size(); ++chiplet) {
    int32_t group = machine.groupOf(machine.expertChiplets()[chiplet]);
    positions.groupOf.push_back(group < 0 ? machine.numGroups() : group);
    positions.hopsOf.push_back(static_cast<int64_t>(paths[chiplet].size()));
    deepest = std::max(deepest, paths[chiplet].size());
  }
  for (size_t depth = 1; depth < deepest; ++depth) {
    SwitchLevel level;
    std::map<int32_t, int32_t> partOfNode;
    int64_t chiplets = 0;
    for (const std::vector<int32_t> &path : paths) {
      if (depth >= path.size()) {
        level.partOf.push_back(-1);
        continue;
      }
      ++chiplets;
      int32_t next = static_cast<int32_t>(partOfNode.size());
      level.partOf.push_back(
          partOfNode.emplace(path[depth], next).first->second);
    }
    // Below, each chiplet is alone: what it receives says it all.
    if (static_cast<int64_t>(partOfNode.size()) < chiplets)
      positions.levels.push_back(std::move(level));
  }
  return positions;
}

namespace {
/// One direction of a link, and what counts the rows on it.
struct LinkTime {
  /// Of PlacementCounts::crossing; -1: the sum over `chiplets` of received.
  int64_t level = -1;
  int32_t part = -1;
  std::vector<int32_t> chiplets;
  int64_t perRow = 0;
};

struct ChipletTime {
  int64_t perPair = 0, start = 0;
};

struct MemoryTime {
  std::vector<int32_t> chiplets;
  int64_t readBytesPerSecond = 0;
};

/// The cost function's data.
struct LayerTimes {
  std::vector<LinkTime> dispatch, combine;
  std::vector<ChipletTime> compute;
  std::vector<MemoryTime> memories;
  int64_t expertBytes = 0;

  int64_t operator()(const PlacementCounts &counts) const;
};
} // namespace

static int64_t clampTime(__int128 ps) {
  return static_cast<int64_t>(
      std::min<__int128>(ps, PlacementProblem::kMaxCost));
}

static __int128 longest(const std::vector<LinkTime> &links,
                        const PlacementCounts &counts) {
  __int128 most = 0;
  for (const LinkTime &link : links) {
    int64_t rows = 0;
    if (link.level >= 0)
      rows = counts.crossing[link.level][link.part];
    else
      for (int32_t chiplet : link.chiplets)
        rows += counts.received[chiplet];
    most = std::max(most, static_cast<__int128>(rows) * link.perRow);
  }
  return most >> kFractionBits;
}

int64_t LayerTimes::operator()(const PlacementCounts &counts) const {
  __int128 computing = 0, loading = 0;
  for (size_t chiplet = 0; chiplet < compute.size(); ++chiplet)
    if (counts.load[chiplet] > 0)
      computing =
          std::max(computing, (static_cast<__int128>(counts.load[chiplet]) *
                                   compute[chiplet].perPair >>
                               kFractionBits) +
                                  compute[chiplet].start);
  for (const MemoryTime &memory : memories) {
    __int128 bytes = 0;
    for (int32_t chiplet : memory.chiplets)
      bytes +=
          counts.bytes[chiplet] != 0
              ? counts.bytes[chiplet]
              : static_cast<__int128>(counts.experts[chiplet]) * expertBytes;
    loading =
        std::max(loading, bytes * kPsPerSecond / memory.readBytesPerSecond);
  }
  __int128 tokens =
      longest(dispatch, counts) + computing + longest(combine, counts);
  return clampTime(std::max(loading, tokens));
}

namespace {
/// Works out what counts are worth.
class LatencyBuilder {
public:
  LatencyBuilder(const MachineModel &machine, const LayerShape &shape,
                 int64_t profileTokens)
      : machine(machine), shape(shape), profileTokens(profileTokens),
        paths(pathNodes(machine)), positions(positionsOf(machine)) {}

  absl::StatusOr<PlacementCost> run();

private:
  /// The time of `amount` at a rate, of one count of the profile.
  int64_t worth(int64_t amount, int64_t perSecond);
  void addLinks();
  /// The level and part that count the tokens with a chiplet beyond a node.
  void setCounter(size_t depth, int32_t chiplet, LinkTime &time) const;
  void addMemories();

  const MachineModel &machine;
  const LayerShape &shape;
  int64_t profileTokens;
  std::vector<std::vector<int32_t>> paths;
  MachinePositions positions;
  LayerTimes times;
  bool tooLong = false;
};
} // namespace

int64_t LatencyBuilder::worth(int64_t amount, int64_t perSecond) {
  // amount 10^12 2^16 tokens / (profileTokens perSecond), rounded up; each
  // factor is applied where the product still fits.
  __int128 each = (static_cast<__int128>(amount) * kPsPerSecond *
                       (int64_t(1) << kFractionBits) +
                   perSecond - 1) /
                  perSecond;
  if (each > (static_cast<__int128>(1) << 62)) {
    tooLong = true;
    return 0;
  }
  __int128 scaled = (each * shape.tokens + profileTokens - 1) / profileTokens;
  if (scaled > (static_cast<__int128>(1) << 62)) {
    tooLong = true;
    return 0;
  }
  return static_cast<int64_t>(scaled);
}

void LatencyBuilder::setCounter(size_t depth, int32_t chiplet,
                                LinkTime &time) const {
  if (depth == 0) {
    time.level = 0;
    time.part = positions.groupOf[chiplet];
    return;
  }
  // Levels at which every chiplet is alone are left out; nothing shares them.
  if (time.chiplets.size() == 1)
    return;
  for (size_t level = 0; level < positions.levels.size(); ++level) {
    const std::vector<int32_t> &partOf = positions.levels[level].partOf;
    std::vector<int32_t> members;
    for (size_t other = 0; other < partOf.size(); ++other)
      if (partOf[other] >= 0 && partOf[other] == partOf[chiplet])
        members.push_back(static_cast<int32_t>(other));
    if (members == time.chiplets) {
      time.level = static_cast<int64_t>(level) + 1;
      time.part = partOf[chiplet];
      return;
    }
  }
}

void LatencyBuilder::addLinks() {
  // Chiplets beyond each node, in the order of nodes.
  std::map<int32_t, std::vector<int32_t>> beyond;
  std::map<int32_t, std::pair<size_t, int32_t>> reached; // depth, node before
  for (size_t chiplet = 0; chiplet < paths.size(); ++chiplet) {
    int32_t before = machine.root();
    for (size_t depth = 0; depth < paths[chiplet].size(); ++depth) {
      int32_t node = paths[chiplet][depth];
      beyond[node].push_back(static_cast<int32_t>(chiplet));
      reached[node] = {depth, before};
      before = node;
    }
  }
  for (const auto &[node, chiplets] : beyond) {
    auto [depth, before] = reached[node];
    LinkTime down, up;
    down.chiplets = up.chiplets = chiplets;
    down.perRow =
        worth(shape.rowBytes,
              machine.linkBytesPerSecond(machine.linkBetween(before, node)));
    up.perRow =
        worth(shape.rowBytes,
              machine.linkBytesPerSecond(machine.linkBetween(node, before)));
    // One copy goes down to where it is multiplied; sums come from where they
    // are added.
    const NodeFacts &facts = machine.node(node);
    if (facts.multicastBytesPerSecond > 0)
      setCounter(depth, chiplets.front(), down);
    if (facts.reduceBytesPerSecond > 0)
      setCounter(depth, chiplets.front(), up);
    times.dispatch.push_back(std::move(down));
    times.combine.push_back(std::move(up));
  }
}

void LatencyBuilder::addMemories() {
  std::map<int32_t, std::vector<int32_t>> served;
  for (size_t chiplet = 0; chiplet < paths.size(); ++chiplet)
    if (int32_t memory =
            machine.memoryServing(machine.expertChiplets()[chiplet]);
        memory >= 0)
      served[memory].push_back(static_cast<int32_t>(chiplet));
  for (auto &[memory, chiplets] : served)
    times.memories.push_back(
        {std::move(chiplets), machine.readBytesPerSecond(memory)});
}

absl::StatusOr<PlacementCost> LatencyBuilder::run() {
  if (shape.tokens < 1 || profileTokens < 1 || shape.rowBytes < 0 ||
      shape.expertBytes < 0 || shape.flopsPerPair < 0 || shape.elementBytes < 1)
    return absl::InvalidArgumentError(absl::StrFormat(
        "a layer of %d tokens (%d in the profile), %d bytes a row, %d bytes "
        "and %d operations an expert, %d bytes an element; expected at least 1 "
        "of tokens and of an element, 0 of the others",
        shape.tokens, profileTokens, shape.rowBytes, shape.expertBytes,
        shape.flopsPerPair, shape.elementBytes));
  times.expertBytes = shape.expertBytes;
  addLinks();
  addMemories();
  for (int32_t node : machine.expertChiplets()) {
    const NodeFacts &facts = machine.node(node);
    times.compute.push_back(
        {worth(shape.flopsPerPair,
               std::max<int64_t>(
                   rooflineFlopsPerSecond(facts, shape.elementBytes), 1)),
         facts.compute.kernelStartPs});
  }
  if (tooLong)
    return absl::InvalidArgumentError(
        "a row or a pair of a layer takes longer than 2^46 picoseconds; check "
        "the sizes and the rates of the machine");
  return PlacementCost(std::move(times));
}

absl::StatusOr<PlacementCost> mozart::layerLatency(const MachineModel &machine,
                                                   const LayerShape &shape,
                                                   int64_t profileTokens) {
  return LatencyBuilder(machine, shape, profileTokens).run();
}
