//===- MachineModel.h - Questions about a machine -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checked machine that answers every question which a verifier, a pass, the
// cost model or the simulator has about it. Immutable once made.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_MACHINE_MACHINEMODEL_H
#define MOZART_MACHINE_MACHINEMODEL_H

#include "mozart/Machine/MachineFacts.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mozart {

class MachineModel {
public:
  /// Most nodes that a machine may have: a mesh keeps a step for every pair of
  /// nodes.
  static constexpr int32_t kMaxNodes = 2048;

  /// Checks `facts` and builds the answers. Fails with kInvalidArgument and a
  /// message that names the part, what was found and what was expected:
  /// duplicate or empty names (nodes and memories share one name space),
  /// dangling node references, non-positive sizes or rates, negative latencies,
  /// products that pass 2^63, a link without its reverse, a link declared
  /// twice, a network that is not connected, a `Tree` with a cycle, no chiplet
  /// that hosts attention, no chiplet that hosts experts, more than `kMaxNodes`
  /// nodes.
  static absl::StatusOr<MachineModel> create(MachineFacts facts);

  const MachineFacts &facts() const { return machine; }
  const std::string &name() const { return machine.name; }
  int32_t numNodes() const {
    return static_cast<int32_t>(machine.nodes.size());
  }
  int32_t numLinks() const {
    return static_cast<int32_t>(machine.links.size());
  }
  int32_t numMemories() const {
    return static_cast<int32_t>(machine.memories.size());
  }
  const NodeFacts &node(int32_t index) const { return machine.nodes[index]; }
  const LinkFacts &link(int32_t index) const { return machine.links[index]; }
  const MemoryFacts &memory(int32_t index) const {
    return machine.memories[index];
  }
  /// Index of the node or memory called `name`, or -1.
  int32_t findNode(absl::string_view name) const;
  int32_t findMemory(absl::string_view name) const;

  /// The attention chiplet that the tree hangs from: the first that hosts
  /// attention. (`attentionChiplets` lists all.)
  int32_t root() const { return rootNode; }
  absl::Span<const int32_t> attentionChiplets() const { return attention; }
  /// Chiplets that host experts, in declared order. A *chiplet ordinal* is an
  /// index into this list; placements speak in ordinals.
  absl::Span<const int32_t> expertChiplets() const { return experts; }
  /// The ordinal of `node` among `expertChiplets`, or -1.
  int32_t expertOrdinal(int32_t node) const { return ordinalOf[node]; }

  /// Links of the path from one node to another, in order (the shortest; on a
  /// tree the only one; among equals the one that goes through lower node
  /// indices first). Empty when they are the same node. Takes time in
  /// proportion to its length.
  std::vector<int32_t> path(int32_t from, int32_t to) const;
  /// The link from `from` to its neighbour `to`, or -1.
  int32_t linkBetween(int32_t from, int32_t to) const;
  /// The parent of a node as seen from the root (-1 for the root), its
  /// distance from it in links, and its children in declared order.
  int32_t parent(int32_t node) const { return parents[node]; }
  int32_t depth(int32_t node) const { return depths[node]; }
  absl::Span<const int32_t> children(int32_t node) const {
    return childLists[node];
  }
  /// Deepest expert chiplet, in links from the root.
  int32_t treeDepth() const;

  /// Switch groups: the subtrees below the root, counted in declared order,
  /// leaving out those without an expert chiplet. `groupOf` is -1 for a node
  /// outside every group.
  int32_t numGroups() const { return groups; }
  int32_t groupOf(int32_t node) const { return groupIndex[node]; }

  /// The memory that serves a node: the first on the node itself, else on the
  /// nearest ancestor that has one; -1 where there is none.
  int32_t memoryServing(int32_t node) const { return serving[node]; }

  /// Bytes per second of one direction of a link.
  int64_t linkBytesPerSecond(int32_t link) const {
    return machine.links[link].wires * machine.links[link].wireBytesPerSecond;
  }
  /// Sustained bytes per second: peak times efficiency, rounded down.
  int64_t readBytesPerSecond(int32_t memory) const;
  int64_t writeBytesPerSecond(int32_t memory) const;
  /// Peak of all arrays of a chiplet: 2 tiles arrays rows columns clock.
  int64_t flopsPerSecond(int32_t node) const;
  /// SRAM bytes per second of all tiles of a chiplet.
  int64_t sramBytesPerSecond(int32_t node) const;

private:
  MachineModel() = default;

  MachineFacts machine;
  int32_t rootNode = -1;
  int32_t groups = 0;
  std::vector<int32_t> attention, experts, ordinalOf, parents, depths,
      groupIndex, serving;
  std::vector<std::vector<int32_t>> childLists;
  /// Links that leave each node, by ascending target.
  std::vector<std::vector<int32_t>> outLinks;
  /// The links from a node's parent to it and back, on a path from the root.
  std::vector<int32_t> downLinks, upLinks;
  /// On a mesh: the link by which a path to node `to` leaves node `from`, at
  /// to * numNodes + from.
  std::vector<int32_t> steps;

  absl::Status joinUp();
  void findSteps();
  void hangFromRoot();
  void hang(int32_t node, int32_t down);
  void findGroups();
  std::vector<int32_t> treePath(int32_t from, int32_t to) const;
};

} // namespace mozart

#endif // MOZART_MACHINE_MACHINEMODEL_H
