//===- BoundsTest.cpp - Bounds hold, and are reached ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/ExpertNodes.h"
#include "mozart/Cost/LowerBound.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/ProgramBound.h"

#include "Sim/RandomPrograms.h"

#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;

namespace {

absl::StatusOr<LowerBound> lowerBoundOf(const Program &program,
                                        const MachineModel &machine,
                                        RoutingCounter &counter) {
  absl::StatusOr<std::vector<ExpertMap>> nodes = expertNodes(program, machine);
  if (!nodes.ok())
    return nodes.status();
  return lowerBound(program, machine, *nodes, counter);
}

/// Checks that no latency is below a bound; counts latencies that
/// `program_bound_s` comes within 10 % of.
void expectBounded(const Program &program, const MachineModel &machine,
                   const BoundRouting *routing, Network network,
                   const std::string &what, int &tight) {
  SimulationOptions options;
  options.network = network;
  RoutingCounter counter(program, routing);
  absl::StatusOr<SimulationResult> r =
      simulate(program, machine, routing, options);
  ASSERT_TRUE(r.ok()) << what << r.status();
  absl::StatusOr<int64_t> bound = programBoundPs(program, machine, counter);
  ASSERT_TRUE(bound.ok()) << what << bound.status();
  absl::StatusOr<LowerBound> lower = lowerBoundOf(program, machine, counter);
  ASSERT_TRUE(lower.ok()) << what << lower.status();
  EXPECT_LE(*bound, r->latencyPs) << what;
  EXPECT_LE(lower->binding().ps, r->latencyPs)
      << what << ": " << lower->binding().name;
  tight += *bound * 10 > r->latencyPs * 9;
}

TEST(Bounds, HoldOnRandomTrees) {
  int tight = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomCase c(seed);
    for (Network network : {Network::Flow, Network::Packet})
      expectBounded(c.program, c.machine, c.routing.bound.get(), network,
                    absl::StrCat("seed ", seed, ", ", networkName(network)),
                    tight);
  }
  EXPECT_GT(tight, 200);
}

/// Meshes of all shapes, with memories at random nodes and links of any rate.
MachineFacts randomMesh(std::mt19937_64 &random) {
  auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % (most - least + 1));
  };
  int32_t width = static_cast<int32_t>(pick(2, 4));
  int32_t height = static_cast<int32_t>(pick(1, 3));
  MachineFacts facts = mesh(width, height);
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 40;
    node.compute.tileSramBytesPerSecond = pick(1, 64) * 1000000007;
  }
  for (int32_t node = 1; node < width * height; ++node)
    if (random() % 3 == 0)
      facts.memories.push_back(dram(absl::StrCat("dram", node), node));
  for (MemoryFacts &memory : facts.memories)
    memory.readBytesPerSecond = pick(1, 100) * 1000000021;
  for (LinkFacts &link : facts.links) {
    link.wires = pick(1, 40);
    link.latencyPs = pick(0, 300);
  }
  return facts;
}

TEST(Bounds, HoldOnRandomMeshes) {
  int tight = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    MachineModel machine = *MachineModel::create(randomMesh(random));
    MoeShape shape;
    shape.tokens = 1 + static_cast<int64_t>(random() % 20);
    shape.hidden = 1 + static_cast<int64_t>(random() % 40);
    shape.inner = 1 + static_cast<int64_t>(random() % 20);
    shape.experts = 6;
    shape.layers = 1 + static_cast<int64_t>(random() % 2);
    shape.microBatches = 1 + static_cast<int64_t>(random() % 2);
    shape.form = random() % 2 ? ExchangeForm::Pairs : ExchangeForm::Tokens;
    shape.placement.resize(machine.expertChiplets().size());
    for (int32_t e = 0; e < shape.experts; ++e)
      shape.placement[random() % shape.placement.size()].push_back(e);
    Program program = moeProgram(machine, shape);
    TestRouting routing = randomRouting(program, seed);
    expectBounded(program, machine, routing.bound.get(), Network::Flow,
                  absl::StrCat("seed ", seed), tight);
  }
  EXPECT_GT(tight, 30);
}

//===----------------------------------------------------------------------===//
// Programs with one bottleneck
//===----------------------------------------------------------------------===//

struct Bottleneck {
  std::string part;
  MachineFacts facts;
  MoeShape shape;
};

/// A machine on which everything is far faster than what will be slowed.
MachineFacts fast(MachineFacts facts) {
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t(1) << 40;
    node.compute.clockHz = 100000000000;
    node.compute.tileSramBytesPerSecond = 100000000000000;
  }
  for (MemoryFacts &memory : facts.memories)
    memory.readBytesPerSecond = memory.writeBytesPerSecond = 100000000000000;
  for (LinkFacts &link : facts.links)
    link.wireBytesPerSecond = 10000000000000;
  return facts;
}

LinkFacts &linkFrom(MachineFacts &facts, int32_t source, int32_t target) {
  for (LinkFacts &link : facts.links)
    if (link.source == source && link.target == target)
      return link;
  std::abort();
}

/// One expert on each chiplet, one expert a token, so that pairs are tokens.
MoeShape oneExpertEach(const MachineFacts &facts, std::mt19937_64 &random) {
  MoeShape shape;
  shape.tokens = 20 + static_cast<int64_t>(random() % 200);
  shape.hidden = 2000 + static_cast<int64_t>(random() % 2000);
  shape.inner = 10 + static_cast<int64_t>(random() % 100);
  shape.k = 1;
  for (const NodeFacts &node : facts.nodes)
    if (node.hostsExperts)
      shape.placement.push_back({static_cast<int32_t>(shape.placement.size())});
  shape.experts = static_cast<int64_t>(shape.placement.size());
  return shape;
}

/// Kinds of bottleneck: each part of the bound on a tree, links also of a mesh
/// (a row of chiplets, where a cut is one link).
constexpr int kKinds = 12;

Bottleneck bottleneck(int kind, std::mt19937_64 &random) {
  // tree({2, 2, 2}): root 0, switches 1 2, switches 3..6, chiplets 7..14.
  const bool row = kind >= 8;
  Bottleneck b;
  b.facts = fast(row ? mesh(5, 1) : tree({2, 2, 2}));
  b.shape = oneExpertEach(b.facts, random);
  const int64_t rate = 1000000 + static_cast<int64_t>(random() % 10000000);
  auto slow = [&](int32_t source, int32_t target) {
    LinkFacts &link = linkFrom(b.facts, source, target);
    link.wires = 1;
    link.wireBytesPerSecond = rate;
  };
  switch (kind) {
  case 0:
    b.part = "memory";
    b.facts.memories[1 + random() % 2].readBytesPerSecond = rate;
    break;
  case 1: // where results are written
    b.part = "memory";
    b.facts.memories[0].writeBytesPerSecond = rate;
    break;
  case 2:
    b.part = "leaf_links";
    slow(3, 7);
    break;
  case 3:
    b.part = "leaf_links";
    slow(8, 3);
    break;
  case 4:
    b.part = "root_links";
    slow(0, 2);
    break;
  case 5:
    b.part = "inner_links";
    slow(4, 1);
    break;
  case 6:
    b.part = "attention_compute";
    b.facts.nodes[0].compute.clockHz = 1000;
    break;
  case 7:
    b.part = "expert_compute";
    for (NodeFacts &node : b.facts.nodes)
      if (node.hostsExperts)
        node.compute.clockHz = 1000;
    break;
  case 8:
    b.part = "leaf_links";
    slow(4, 3);
    break;
  case 9:
    b.part = "root_links";
    slow(0, 1);
    break;
  case 10:
    b.part = "inner_links";
    slow(1, 2);
    break;
  default:
    b.part = "root_links";
    slow(1, 0);
    break;
  }
  return b;
}

TEST(Bounds, AreReachedWhereThereIsOneBottleneck) {
  std::map<std::string, int> reached;
  for (uint64_t seed = 0; seed < 5 * kKinds; ++seed) {
    std::mt19937_64 random(seed);
    Bottleneck b = bottleneck(static_cast<int>(seed % kKinds), random);
    MachineModel machine = *MachineModel::create(b.facts);
    Program program = moeProgram(machine, b.shape);
    TestRouting routing = randomRouting(program, seed);
    RoutingCounter counter(program, routing.bound.get());
    absl::StatusOr<SimulationResult> r =
        simulate(program, machine, routing.bound.get());
    ASSERT_TRUE(r.ok()) << r.status();
    absl::StatusOr<LowerBound> bound = lowerBoundOf(program, machine, counter);
    ASSERT_TRUE(bound.ok()) << bound.status();
    const int64_t lower = bound->binding().ps;
    int64_t part = 0;
    for (const LowerBound::Part &p : bound->parts)
      if (p.name == b.part)
        part = p.ps;
    EXPECT_EQ(part, lower) << "seed " << seed << ": " << b.part << ", not "
                           << bound->binding().name << ", was to bind";
    EXPECT_LE(lower, r->latencyPs);
    EXPECT_GE(static_cast<double>(lower),
              0.99 * static_cast<double>(r->latencyPs))
        << "seed " << seed << ", " << b.part;
    ++reached[b.part];
  }
  EXPECT_EQ(reached.size(), 6u); // every part
}

} // namespace
