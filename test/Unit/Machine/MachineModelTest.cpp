//===- MachineModelTest.cpp - Questions about a machine -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineModel.h"

#include "Machine/TestMachines.h"

#include "absl/strings/str_cat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace mozart;
using namespace mozart::test;

namespace {

MachineModel make(MachineFacts facts) {
  absl::StatusOr<MachineModel> model = MachineModel::create(std::move(facts));
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok())
    std::abort();
  return *std::move(model);
}

/// The nodes that a path passes, without the first.
std::vector<int32_t> stops(const MachineModel &model, int32_t from,
                           int32_t to) {
  std::vector<int32_t> nodes;
  int32_t at = from;
  for (int32_t link : model.path(from, to)) {
    EXPECT_EQ(model.link(link).source, at);
    at = model.link(link).target;
    nodes.push_back(at);
  }
  EXPECT_EQ(at, to);
  return nodes;
}

using Nodes = std::vector<int32_t>;

Nodes list(absl::Span<const int32_t> span) {
  return Nodes(span.begin(), span.end());
}

TEST(MachineModel, DepthOneIsAGroupPerChiplet) {
  MachineModel model = make(tree({3}));
  EXPECT_EQ(model.root(), 0);
  EXPECT_EQ(model.treeDepth(), 1);
  EXPECT_EQ(model.numGroups(), 3);
  EXPECT_EQ(list(model.children(0)), (Nodes{1, 2, 3}));
  EXPECT_EQ(stops(model, 1, 3), (Nodes{0, 3}));
  for (int32_t c : {1, 2, 3}) {
    EXPECT_EQ(model.groupOf(c), c - 1);
    EXPECT_EQ(model.expertOrdinal(c), c - 1);
    EXPECT_EQ(model.parent(c), 0);
  }
  EXPECT_EQ(model.groupOf(0), -1);
  EXPECT_EQ(model.parent(0), -1);
  EXPECT_EQ(model.expertOrdinal(0), -1);
}

TEST(MachineModel, DepthTwo) {
  // Root 0; switches 1 2; chiplets 3 4 5 below 1 and 6 7 8 below 2.
  MachineModel model = make(tree({2, 3}));
  EXPECT_EQ(model.treeDepth(), 2);
  EXPECT_EQ(model.numGroups(), 2);
  EXPECT_EQ(list(model.expertChiplets()), (Nodes{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(list(model.attentionChiplets()), (Nodes{0}));
  EXPECT_EQ(stops(model, 0, 8), (Nodes{2, 8}));
  EXPECT_EQ(stops(model, 8, 0), (Nodes{2, 0}));
  EXPECT_EQ(stops(model, 3, 5), (Nodes{1, 5}));
  EXPECT_EQ(stops(model, 3, 6), (Nodes{1, 0, 2, 6}));
  EXPECT_TRUE(model.path(4, 4).empty());
  EXPECT_EQ(model.groupOf(1), 0);
  EXPECT_EQ(model.groupOf(5), 0);
  EXPECT_EQ(model.groupOf(6), 1);
  EXPECT_EQ(model.memoryServing(0), model.findMemory("dram_root"));
  EXPECT_EQ(model.memoryServing(5), model.findMemory("dram1"));
  EXPECT_EQ(model.memoryServing(2), model.findMemory("dram2"));
}

TEST(MachineModel, DepthThreeAndFour) {
  MachineModel three = make(tree({2, 2, 2}));
  EXPECT_EQ(three.treeDepth(), 3);
  EXPECT_EQ(three.numGroups(), 2);
  // Switches 1 2, 3 4 below 1, 5 6 below 2; chiplets 7 .. 14.
  EXPECT_EQ(stops(three, 7, 14), (Nodes{3, 1, 0, 2, 6, 14}));
  EXPECT_EQ(stops(three, 7, 9), (Nodes{3, 1, 4, 9}));
  EXPECT_EQ(three.groupOf(10), 0);
  EXPECT_EQ(three.groupOf(11), 1);
  EXPECT_EQ(three.memoryServing(14), three.findMemory("dram2"));

  MachineModel four = make(tree({1, 2, 1, 2}));
  EXPECT_EQ(four.treeDepth(), 4);
  EXPECT_EQ(four.numGroups(), 1);
  EXPECT_EQ(four.expertChiplets().size(), 4u);
  EXPECT_EQ(four.depth(four.expertChiplets().back()), 4);
}

TEST(MachineModel, DeclaredOrderNeedNotBeTopDown) {
  // The same shape as tree({2, 1}), declared bottom up: chiplets 0 1, switches
  // 2 3 (2 holds chiplet 1, 3 holds chiplet 0), root 4.
  MachineFacts facts;
  facts.name = "upside-down";
  facts.nodes = {chiplet("c0", false, true), chiplet("c1", false, true),
                 networkSwitch("s2"), networkSwitch("s3"),
                 chiplet("root", true, false)};
  join(facts, 0, 3);
  join(facts, 1, 2);
  join(facts, 2, 4);
  join(facts, 3, 4);
  MachineModel model = make(facts);
  EXPECT_EQ(model.root(), 4);
  EXPECT_EQ(list(model.children(4)), (Nodes{2, 3}));
  EXPECT_EQ(model.groupOf(1), 0);
  EXPECT_EQ(model.groupOf(0), 1);
  EXPECT_EQ(model.expertOrdinal(0), 0);
  EXPECT_EQ(stops(model, 0, 1), (Nodes{3, 4, 2, 1}));
  EXPECT_EQ(model.memoryServing(0), -1);
}

TEST(MachineModel, BranchWithoutExpertsIsNoGroup) {
  // A second attention chiplet hangs on the root between the two switches.
  MachineFacts facts = tree({2, 1}); // switches 1 2, chiplets 3 4
  std::swap(facts.nodes[1], facts.nodes[4]);
  facts.nodes[1] = chiplet("second", true, false);
  facts.nodes[4] = networkSwitch("s4");
  facts.links.clear();
  join(facts, 0, 1);
  join(facts, 0, 2);
  join(facts, 0, 4);
  join(facts, 4, 3);
  facts.nodes.push_back(chiplet("c5", false, true));
  join(facts, 2, 5);
  MachineModel model = make(facts);
  EXPECT_EQ(list(model.attentionChiplets()), (Nodes{0, 1}));
  EXPECT_EQ(model.root(), 0);
  EXPECT_EQ(model.numGroups(), 2);
  EXPECT_EQ(model.groupOf(1), -1);
  EXPECT_EQ(model.groupOf(5), 0); // below node 2
  EXPECT_EQ(model.groupOf(3), 1); // below node 4
}

TEST(MachineModel, RootMayHostExperts) {
  MachineFacts facts = tree({2});
  facts.nodes[0].hostsExperts = true;
  MachineModel model = make(facts);
  EXPECT_EQ(list(model.expertChiplets()), (Nodes{0, 1, 2}));
  EXPECT_EQ(model.groupOf(0), -1);
  EXPECT_EQ(model.numGroups(), 2);

  facts.nodes = {facts.nodes[0]};
  facts.links.clear();
  facts.memories.resize(1);
  MachineModel alone = make(facts);
  EXPECT_EQ(alone.treeDepth(), 0);
  EXPECT_EQ(alone.numGroups(), 0);
}

TEST(MachineModel, MeshPathsAreShortestAndGoThroughLowNodesFirst) {
  // 0 1 2 / 3 4 5 / 6 7 8
  MachineModel model = make(mesh(3, 3));
  EXPECT_EQ(stops(model, 0, 8), (Nodes{1, 2, 5, 8}));
  EXPECT_EQ(stops(model, 8, 0), (Nodes{5, 2, 1, 0}));
  EXPECT_EQ(stops(model, 6, 2), (Nodes{3, 0, 1, 2}));
  EXPECT_EQ(model.parent(8), 5);
  EXPECT_EQ(model.parent(4), 1);
  EXPECT_EQ(list(model.children(1)), (Nodes{2, 4}));
  EXPECT_EQ(model.depth(8), 4);
  EXPECT_EQ(model.memoryServing(8), 0);
  // Against the Manhattan distance, for all pairs of an uneven mesh.
  MachineModel wide = make(mesh(5, 3));
  for (int32_t a = 0; a < 15; ++a)
    for (int32_t b = 0; b < 15; ++b)
      EXPECT_EQ(stops(wide, a, b).size(),
                static_cast<size_t>(std::abs(a % 5 - b % 5) +
                                    std::abs(a / 5 - b / 5)));
}

TEST(MachineModel, FindsByName) {
  MachineModel model = make(tree({2, 2}));
  EXPECT_EQ(model.findNode("s2"), 2);
  EXPECT_EQ(model.findNode("dram1"), -1);
  EXPECT_EQ(model.findMemory("dram1"), 1);
  EXPECT_EQ(model.findMemory("s2"), -1);
  EXPECT_EQ(model.linkBetween(1, 4), 6);
  EXPECT_EQ(model.linkBetween(4, 1), 7);
  EXPECT_EQ(model.linkBetween(3, 4), -1);
}

TEST(MachineModel, FirstMemoryOfANodeServesIt) {
  MachineFacts facts = tree({1, 1}); // root, switch 1, chiplet 2
  facts.memories.push_back(dram("second", 1));
  facts.memories.push_back(dram("own", 2));
  MachineModel model = make(facts);
  EXPECT_EQ(model.memoryServing(1), model.findMemory("dram1"));
  EXPECT_EQ(model.memoryServing(2), model.findMemory("own"));
}

TEST(MachineModel, Rates) {
  MachineFacts facts = tree({1, 1});
  facts.memories[0].readBytesPerSecond = 1001;
  facts.memories[0].efficiencyPpm = 910000;
  facts.memories[1].readBytesPerSecond = 9000000000000000000;
  facts.memories[1].efficiencyPpm = 500000;
  MachineModel model = make(facts);
  EXPECT_EQ(model.readBytesPerSecond(0), 910); // 910.91 rounded down
  EXPECT_EQ(model.writeBytesPerSecond(0), 45500000000);
  EXPECT_EQ(model.readBytesPerSecond(1), 4500000000000000000);
  EXPECT_EQ(model.linkBytesPerSecond(0), 10000000000);
  // 2 x 2 tiles x 4 arrays x 8 x 8 x 1 GHz
  EXPECT_EQ(model.flopsPerSecond(2), 1024000000000);
  EXPECT_EQ(model.sramBytesPerSecond(2), 64000000000);
}

TEST(MachineModel, LargestAllowedMachineIsQuick) {
  // 1 root + 45 switches + 45 x 44 chiplets = 2026 nodes.
  MachineModel model = make(tree({45, 44}));
  EXPECT_EQ(model.expertChiplets().size(), 1980u);
  EXPECT_EQ(model.path(46, 2025).size(), 4u);
}

/// Paths on trees are made when asked for; here against a search.
TEST(MachineModel, PathsOfRandomTreesAreTheOnlyOnes) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    MachineFacts facts;
    facts.name = "random";
    const int32_t nodes = 2 + static_cast<int32_t>(random() % 30);
    for (int32_t i = 0; i < nodes; ++i)
      facts.nodes.push_back(chiplet(absl::StrCat("c", i), false, true));
    facts.nodes[random() % nodes].hostsAttention = true;
    for (int32_t i = 1; i < nodes; ++i)
      join(facts, i, static_cast<int32_t>(random() % i));
    MachineModel asTree = make(facts);
    facts.topology = Topology::Mesh;
    MachineModel asMesh = make(facts);
    for (int32_t from = 0; from < nodes; ++from) {
      EXPECT_EQ(asTree.parent(from), asMesh.parent(from));
      EXPECT_EQ(asTree.depth(from), asMesh.depth(from));
      EXPECT_EQ(asTree.groupOf(from), asMesh.groupOf(from));
      EXPECT_EQ(list(asTree.children(from)), list(asMesh.children(from)));
      for (int32_t to = 0; to < nodes; ++to)
        EXPECT_EQ(asTree.path(from, to), asMesh.path(from, to));
    }
  }
}

TEST(MachineModel, LongestAllowedChainIsQuick) {
  MachineModel model =
      make(tree(std::vector<int>(MachineModel::kMaxNodes - 1, 1)));
  EXPECT_EQ(model.path(0, MachineModel::kMaxNodes - 1).size(),
            static_cast<size_t>(MachineModel::kMaxNodes - 1));
  EXPECT_EQ(model.memoryServing(MachineModel::kMaxNodes - 1),
            model.findMemory("dram1"));
}

} // namespace
