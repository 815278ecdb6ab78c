//===- TestMachines.h - Small machines for tests ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_MACHINE_TESTMACHINES_H
#define MOZART_TEST_UNIT_MACHINE_TESTMACHINES_H

#include "mozart/Machine/MachineFacts.h"

#include "absl/strings/str_cat.h"

#include <string>
#include <vector>

namespace mozart::test {

inline NodeFacts chiplet(std::string name, bool attention, bool experts) {
  NodeFacts node;
  node.kind = NodeKind::Chiplet;
  node.name = std::move(name);
  node.hostsAttention = attention;
  node.hostsExperts = experts;
  node.sramBytes = 1 << 20;
  node.compute.tiles = 2;
  node.compute.arraysPerTile = 4;
  node.compute.arrayRows = 8;
  node.compute.arrayColumns = 8;
  node.compute.clockHz = 1000000000;
  node.compute.tileSramBytesPerSecond = 32000000000;
  return node;
}

inline NodeFacts networkSwitch(std::string name) {
  NodeFacts node;
  node.kind = NodeKind::Switch;
  node.name = std::move(name);
  node.bufferBytes = 1 << 16;
  return node;
}

inline MemoryFacts dram(std::string name, int32_t node) {
  MemoryFacts memory;
  memory.name = std::move(name);
  memory.node = node;
  memory.bytes = 1 << 30;
  memory.readBytesPerSecond = 100000000000;
  memory.writeBytesPerSecond = 50000000000;
  return memory;
}

/// Adds both directions between `a` and `b`: 10 wires of 1 GB/s.
inline void join(MachineFacts &facts, int32_t a, int32_t b) {
  LinkFacts link;
  link.source = a;
  link.target = b;
  link.wires = 10;
  link.wireBytesPerSecond = 1000000000;
  facts.links.push_back(link);
  std::swap(link.source, link.target);
  facts.links.push_back(link);
}

/// A tree below an attention chiplet `root` (node 0, memory `dram_root`),
/// breadth first: level i has `fanout[i]` children a node, the last level is
/// chiplets, those above are switches. Each child of the root has a memory of
/// its own.
inline MachineFacts tree(const std::vector<int> &fanout) {
  MachineFacts facts;
  facts.name = "tree";
  facts.nodes.push_back(chiplet("root", true, false));
  facts.memories.push_back(dram("dram_root", 0));
  int32_t levelBegin = 0;
  for (size_t level = 0; level < fanout.size(); ++level) {
    int32_t levelEnd = static_cast<int32_t>(facts.nodes.size());
    bool leaf = level + 1 == fanout.size();
    for (int32_t parent = levelBegin; parent < levelEnd; ++parent)
      for (int i = 0; i < fanout[level]; ++i) {
        int32_t node = static_cast<int32_t>(facts.nodes.size());
        facts.nodes.push_back(
            leaf ? chiplet(absl::StrCat("c", node), false, true)
                 : networkSwitch(absl::StrCat("s", node)));
        join(facts, parent, node);
        if (level == 0)
          facts.memories.push_back(dram(absl::StrCat("dram", node), node));
      }
    levelBegin = levelEnd;
  }
  return facts;
}

/// width x height chiplets, named and indexed row by row; the first hosts
/// attention, the others experts.
inline MachineFacts mesh(int32_t width, int32_t height) {
  MachineFacts facts;
  facts.name = "mesh";
  facts.topology = Topology::Mesh;
  for (int32_t i = 0; i < width * height; ++i)
    facts.nodes.push_back(chiplet(absl::StrCat("c", i), i == 0, i != 0));
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) {
      int32_t at = y * width + x;
      if (x + 1 < width)
        join(facts, at, at + 1);
      if (y + 1 < height)
        join(facts, at, at + width);
    }
  facts.memories.push_back(dram("dram0", 0));
  return facts;
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_MACHINE_TESTMACHINES_H
