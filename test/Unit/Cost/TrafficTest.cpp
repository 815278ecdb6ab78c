//===- TrafficTest.cpp - What an exchange moves over each link ------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/Traffic.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include "mozart/Routing/ReplicaChoice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace mozart;
using namespace mozart::test;

namespace {

int32_t indexOf(const Program &program, TaskKind kind) {
  for (size_t i = 0; i < program.tasks.size(); ++i)
    if (program.tasks[i].kind == kind)
      return static_cast<int32_t>(i);
  return -1;
}

ExchangeTraffic count(const Program &program, TaskKind kind,
                      const MachineModel &machine, const TestRouting &routing) {
  RoutingCounter counter(program, routing.bound.get());
  absl::StatusOr<ExchangeTraffic> traffic =
      exchangeTraffic(program, indexOf(program, kind), machine, counter);
  EXPECT_TRUE(traffic.ok()) << traffic.status();
  return traffic.ok() ? *traffic : ExchangeTraffic();
}

std::map<int32_t, int64_t> bytesOf(const ExchangeTraffic &traffic) {
  std::map<int32_t, int64_t> bytes;
  for (const LinkTraffic &link : traffic.links)
    bytes[link.link] = link.bytes;
  return bytes;
}

// tree({2, 2}): switches 1 2; chiplets 3 4 (below 1), 5 6 (below 2), of one
// expert each. Links root->s1 0, root->s2 2, s1->c3 4, s1->c4 6, s2->c5 8,
// s2->c6 10; the reverse of each is one more. Rows are 8 x fp16.
struct ByHand : testing::Test {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  std::vector<int32_t> ids = {0, 1, 0, 2, 2, 3, 0, Trace::kPadding};
  ByHand() { shape.placement = {{0}, {1}, {2}, {3}}; }

  ExchangeTraffic run(ExchangeForm form, ExchangeVia via, TaskKind kind) {
    shape.form = form;
    shape.via = via;
    Program program = moeProgram(machine, shape);
    return count(program, kind, machine, bindIds(program, 1, ids));
  }
};

using Bytes = std::map<int32_t, int64_t>;

TEST_F(ByHand, DispatchPairs) {
  ExchangeTraffic t =
      run(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Dispatch);
  // Pairs: 3, 1, 2, 1 rows of 16 bytes, and 8 bytes of counts.
  EXPECT_EQ(
      bytesOf(t),
      (Bytes{{0, 56 + 24}, {2, 40 + 24}, {4, 56}, {6, 24}, {8, 40}, {10, 24}}));
  EXPECT_EQ(t.rootBytes, 144);
  EXPECT_EQ(t.links[0].messages, 2);
  EXPECT_EQ(t.links[2].messages, 1);
  EXPECT_TRUE(t.branches.empty());
}

TEST_F(ByHand, DispatchTokensViaRoot) {
  ExchangeTraffic t =
      run(ExchangeForm::Tokens, ExchangeVia::Root, TaskKind::Dispatch);
  // Rows of 16 + 2 x (4 + 2) bytes.
  EXPECT_EQ(t.rowBytes, 28);
  EXPECT_EQ(bytesOf(t), (Bytes{{0, 4 * 28},
                               {2, 3 * 28},
                               {4, 3 * 28},
                               {6, 28},
                               {8, 2 * 28},
                               {10, 28}}));
}

TEST_F(ByHand, DispatchTokensViaSwitch) {
  ExchangeTraffic t =
      run(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch);
  // Below s1: tokens 0, 1, 3; below s2: tokens 1, 2.
  EXPECT_EQ(bytesOf(t), (Bytes{{0, 3 * 28},
                               {2, 2 * 28},
                               {4, 3 * 28},
                               {6, 28},
                               {8, 2 * 28},
                               {10, 28}}));
  EXPECT_EQ(t.rootBytes, 5 * 28);
  // s1 copies token 0, s2 copies token 2, to two links each.
  ASSERT_EQ(t.branches.size(), 2u);
  EXPECT_EQ(t.branches[0].node, 1);
  EXPECT_EQ(t.branches[0].bytes, 2 * 28);
  EXPECT_EQ(t.branches[1].bytes, 2 * 28);
  for (const LinkTraffic &link : t.links)
    EXPECT_EQ(link.messages, 1);
}

TEST_F(ByHand, CombineTokensViaSwitch) {
  ExchangeTraffic t =
      run(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Combine);
  EXPECT_EQ(bytesOf(t), (Bytes{{1, 3 * 16},
                               {3, 2 * 16},
                               {5, 3 * 16},
                               {7, 16},
                               {9, 2 * 16},
                               {11, 16}}));
  EXPECT_EQ(t.branches[0].bytes, 2 * 16);
}

TEST_F(ByHand, CombinePairs) {
  ExchangeTraffic t =
      run(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Combine);
  EXPECT_EQ(bytesOf(t), (Bytes{{1, 4 * 16},
                               {3, 3 * 16},
                               {5, 3 * 16},
                               {7, 16},
                               {9, 2 * 16},
                               {11, 16}}));
}

TEST_F(ByHand, ReplicasShareTheTokens) {
  // Expert 0 also on c6. Token 0 {0, 1} is at position 0: c3, c4. Token 1 {0,
  // 2} is at an odd one: c6, c5. Token 2 {2, 3}: c5, c6. Token 3 {0}: c6.
  shape.placement = {{0}, {1}, {2}, {3, 0}};
  ExchangeTraffic t =
      run(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch);
  EXPECT_EQ(
      bytesOf(t),
      (Bytes{
          {0, 28}, {2, 3 * 28}, {4, 28}, {6, 28}, {8, 2 * 28}, {10, 3 * 28}}));
  t = run(ExchangeForm::Pairs, ExchangeVia::Root, TaskKind::Combine);
  EXPECT_EQ(bytesOf(t), (Bytes{{1, 2 * 16},
                               {3, 5 * 16},
                               {5, 16},
                               {7, 16},
                               {9, 2 * 16},
                               {11, 3 * 16}}));
}

TEST_F(ByHand, NoTokensStillSendMessages) {
  ids.assign(8, Trace::kPadding);
  ExchangeTraffic t =
      run(ExchangeForm::Tokens, ExchangeVia::Switch, TaskKind::Dispatch);
  EXPECT_EQ(t.links.size(), 6u);
  for (const LinkTraffic &link : t.links) {
    EXPECT_EQ(link.bytes, 0);
    EXPECT_EQ(link.messages, 1);
  }
}

TEST_F(ByHand, MissingSliceIsNamed) {
  Program program = moeProgram(machine, shape);
  TestRouting routing = bindIds(program, 1, ids);
  RoutingCounter counter(program, routing.bound.get());
  int32_t task = indexOf(program, TaskKind::Dispatch);
  int32_t table = program.tasks[task].reads[1];
  program.slices[program.buffers[table].slice].tokenCount = 3;
  absl::Status status =
      exchangeTraffic(program, task, machine, counter).status();
  EXPECT_NE(std::string(status.message()).find("its slice of the trace has 3"),
            std::string::npos)
      << status;
  program.buffers[table].slice = -1;
  status = exchangeTraffic(program, task, machine, counter).status();
  EXPECT_NE(std::string(status.message()).find("('dispatch')"),
            std::string::npos)
      << status;
}

/// Where the program's one expert map sends a token; empty where it has none.
std::vector<int32_t> nodesOf(const Program &program,
                             absl::Span<const int32_t> ids, int64_t token) {
  if (program.expertMaps.empty())
    return {};
  std::vector<int32_t> nodes(ids.size());
  ReplicaChoice(program.expertMaps[0].nodesOf)
      .choose(ids, token, absl::MakeSpan(nodes));
  return nodes;
}

/// Counts by sets: which tokens have a peer whose route holds the link.
TEST(Traffic, RandomTreesAgainstSets) {
  std::mt19937_64 random(11);
  const std::vector<std::vector<int>> trees = {
      {3}, {2, 2}, {1, 3}, {2, 2, 2}, {1, 2, 1, 2}};
  for (int round = 0; round < 200; ++round) {
    MachineModel machine =
        *MachineModel::create(tree(trees[random() % trees.size()]));
    MoeShape shape;
    shape.tokens = static_cast<int64_t>(random() % 20);
    shape.experts = 1 + static_cast<int64_t>(random() % 12);
    shape.k = 1 + static_cast<int64_t>(random() % shape.experts);
    shape.form = random() % 3 == 0 ? ExchangeForm::Pairs : ExchangeForm::Tokens;
    shape.via = shape.form == ExchangeForm::Tokens && random() % 2
                    ? ExchangeVia::Switch
                    : ExchangeVia::Root;
    shape.placement.resize(machine.expertChiplets().size());
    for (int32_t e = 0; e < shape.experts; ++e)
      shape.placement[random() % shape.placement.size()].push_back(e);
    for (std::vector<int32_t> &experts : shape.placement)
      for (int32_t e = 0; round % 2 && e < shape.experts; ++e)
        if (random() % 4 == 0 &&
            std::find(experts.begin(), experts.end(), e) == experts.end())
          experts.push_back(e);
    Program program = moeProgram(machine, shape);
    if (shape.tokens == 0)
      continue; // a trace holds at least one token
    TestRouting routing = randomRouting(program, random(), 0.2);
    for (TaskKind kind : {TaskKind::Dispatch, TaskKind::Combine}) {
      ExchangeTraffic t = count(program, kind, machine, routing);
      const Exchange &exchange = program.tasks[indexOf(program, kind)].exchange;
      Bytes expected;
      std::map<int32_t, std::set<int64_t>> tokensOn;
      for (size_t p = 0; p < exchange.peers.size(); ++p) {
        int64_t rows = 0;
        for (int64_t token = 0; token < shape.tokens; ++token) {
          std::set<int32_t> here;
          absl::Span<const int32_t> ids = routing.bound->set(0, 0, token);
          std::vector<int32_t> nodes = nodesOf(program, ids, token);
          for (size_t slot = 0; slot < ids.size(); ++slot)
            for (int32_t e : exchange.peers[p].experts)
              if (ids[slot] == e &&
                  (nodes.empty() || nodes[slot] == exchange.peers[p].node))
                here.insert(e);
          rows += shape.form == ExchangeForm::Pairs
                      ? static_cast<int64_t>(here.size())
                      : !here.empty();
          for (int32_t link : exchange.peers[p].route)
            if (!here.empty())
              tokensOn[link].insert(token);
        }
        int64_t bytes = rows * t.rowBytes;
        if (kind == TaskKind::Dispatch && shape.form == ExchangeForm::Pairs)
          bytes += 8 * static_cast<int64_t>(exchange.peers[p].experts.size());
        EXPECT_EQ(t.peers[p].bytes, bytes);
        for (int32_t link : exchange.peers[p].route)
          expected[link] += bytes;
      }
      if (shape.via == ExchangeVia::Switch)
        for (auto &[link, bytes] : expected)
          bytes = static_cast<int64_t>(tokensOn[link].size()) * t.rowBytes;
      EXPECT_EQ(bytesOf(t), expected);
    }
  }
}

} // namespace
