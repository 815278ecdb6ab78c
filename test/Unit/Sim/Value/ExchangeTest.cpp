//===- ExchangeTest.cpp - Rows on their way -------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedRouting.h"

#include "mozart/Routing/ReplicaChoice.h"

#include "gmock/gmock.h"

#include <map>
#include <set>

using namespace mozart;
using namespace mozart::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr double kBig = 0x1p24; // kBig + 1 is kBig in f32

/// Four tokens, four experts on the four chiplets of a 2 x 2 tree; expert 1 is
/// idle, token 3 padding. Nodes: root 0, switches 1 2, chiplets 3 4 (below 1)
/// and 5 6 (below 2).
FixedRouting handCase(ExchangeForm form, ExchangeVia via) {
  FixedRouting f;
  f.fanout = {2, 2};
  f.x = {1, 2, 3, 4};
  f.k = 2;
  f.ids = {0, 2, 2, 3, 3, 0, -1, -1};
  f.gates = {1, 2, 3, 4, 5, 6, 0, 0};
  f.factor = {10, 20, 30, 40};
  f.peers = {{0, {0}}, {1, {1}}, {2, {2}}, {3, {3}}};
  f.form = form;
  f.via = via;
  return f;
}

const std::vector<std::pair<ExchangeForm, ExchangeVia>> kForms = {
    {ExchangeForm::Pairs, ExchangeVia::Root},
    {ExchangeForm::Tokens, ExchangeVia::Root},
    {ExchangeForm::Tokens, ExchangeVia::Switch}};

TEST(Exchange, EveryFormGivesTheSameAnswer) {
  MachineModel machine = treeMachine({2, 2});
  for (auto [form, via] : kForms)
    EXPECT_THAT(runFixed(buildFixed(handCase(form, via), machine), machine),
                ElementsAre(1 * (1 * 10 + 2 * 30), 2 * (3 * 30 + 4 * 40),
                            3 * (5 * 40 + 6 * 10), 0));
}

/// Bytes by "source>target" node.
std::map<std::string, int64_t> traffic(const MachineModel &machine,
                                       const std::vector<LinkBytes> &links) {
  std::map<std::string, int64_t> result;
  for (const LinkBytes &link : links)
    result[absl::StrCat(machine.link(link.link).source, ">",
                        machine.link(link.link).target)] = link.bytes;
  return result;
}

// A row is one f32: 4 bytes; a slot of local routing 4 + 4; counts 8 an expert.
TEST(Exchange, CountsTheBytesOfEveryLink) {
  MachineModel machine = treeMachine({2, 2});
  using Bytes = std::map<std::string, int64_t>;
  auto run = [&](ExchangeForm form, ExchangeVia via, Bytes down, Bytes up) {
    FixedProgram p = buildFixed(handCase(form, via), machine);
    absl::StatusOr<ValueReport> report =
        executeProgram(p.built.program, machine, p.built.arguments);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(traffic(machine, report->traffic[p.dispatch]), down);
    EXPECT_EQ(traffic(machine, report->traffic[p.combine]), up);
  };
  // Pairs: expert 0: tokens 0 2; expert 2: tokens 0 1; expert 3: tokens 1 2.
  run(ExchangeForm::Pairs, ExchangeVia::Root,
      {{"0>1", 8 + 8 + 8},
       {"1>3", 8 + 8},
       {"1>4", 8},
       {"0>2", 16 + 16},
       {"2>5", 8 + 8},
       {"2>6", 8 + 8}},
      {{"3>1", 8},
       {"4>1", 0},
       {"1>0", 8},
       {"5>2", 8},
       {"6>2", 8},
       {"2>0", 16}});
  // No token has two experts on one chiplet: as many rows, with 16 bytes of
  // slots each, and no counts.
  run(ExchangeForm::Tokens, ExchangeVia::Root,
      {{"0>1", 40},
       {"1>3", 40},
       {"1>4", 0},
       {"0>2", 80},
       {"2>5", 40},
       {"2>6", 40}},
      {{"3>1", 8},
       {"4>1", 0},
       {"1>0", 8},
       {"5>2", 8},
       {"6>2", 8},
       {"2>0", 16}});
  // Token 1 has both experts below switch 2: one copy, and one sum.
  run(ExchangeForm::Tokens, ExchangeVia::Switch,
      {{"0>1", 40}, {"1>3", 40}, {"0>2", 60}, {"2>5", 40}, {"2>6", 40}},
      {{"3>1", 8}, {"1>0", 8}, {"5>2", 8}, {"6>2", 8}, {"2>0", 12}});
}

/// The node of each slot of a micro-batch by the program's expert map.
std::vector<int32_t> chosenNodes(const Program &program,
                                 const std::vector<int32_t> &ids) {
  ReplicaChoice choice(program.expertMaps[0].nodesOf);
  std::vector<int32_t> nodes(ids.size());
  for (int64_t token = 0; token < program.tokensPerMicroBatch; ++token) {
    size_t at = token * program.k;
    choice.choose(absl::MakeConstSpan(ids).subspan(at, program.k), token,
                  absl::MakeSpan(nodes).subspan(at, program.k));
  }
  return nodes;
}

// What a link must carry, counted from the routing alone.
TEST(Exchange, TrafficFollowsFromTheRouting) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    MoeCase c = randomCase(seed);
    SCOPED_TRACE(describeCase(c));
    MachineModel machine = treeMachine(c.fanout);
    BuiltCase built = buildCase(c, machine);
    absl::StatusOr<ValueReport> report =
        executeProgram(built.program, machine, built.arguments);
    ASSERT_TRUE(report.ok()) << report.status();
    std::map<std::pair<int64_t, int64_t>, std::vector<int32_t>> ids, nodes;
    for (const DispatchedIds &routing : report->routings) {
      ids[{routing.layer, routing.microBatch}] = routing.ids;
      if (c.hasReplicas())
        nodes[{routing.layer, routing.microBatch}] =
            chosenNodes(built.program, routing.ids);
    }
    int64_t each = elementBytes(c.element);
    for (size_t i = 0; i < built.program.tasks.size(); ++i) {
      const Task &task = built.program.tasks[i];
      bool dispatch = task.kind == TaskKind::Dispatch;
      if (!dispatch && task.kind != TaskKind::Combine)
        continue;
      bool pairs = task.exchange.form == ExchangeForm::Pairs;
      int32_t rows = dispatch ? task.writes[0] : task.reads[0];
      const RoutedSlice &slice =
          built.program.slices[built.program.buffers[rows].slice];
      int64_t rowBytes = c.hidden * each;
      if (dispatch && !pairs)
        rowBytes += c.k * (4 + each);
      std::map<int32_t, int64_t> found, expected;
      for (LinkBytes link : report->traffic[i])
        if (link.bytes > 0)
          found[link.link] = link.bytes;
      for (int32_t link = 0; link < machine.numLinks(); ++link) {
        int64_t bytes = 0, copies = 0;
        std::map<int64_t, std::multiset<int32_t>> beyond; // token -> chiplets
        for (size_t ordinal = 0; ordinal < c.placement.size(); ++ordinal) {
          int32_t node = machine.expertChiplets()[ordinal];
          auto path = dispatch ? machine.path(task.node, node)
                               : machine.path(node, task.node);
          if (std::find(path.begin(), path.end(), link) == path.end())
            continue;
          if (dispatch && pairs)
            bytes += 8 * static_cast<int64_t>(c.placement[ordinal].size());
          for (int64_t t = 0; t < slice.tokenCount; ++t)
            for (int64_t slot = 0; slot < c.k; ++slot)
              for (int32_t expert : c.placement[ordinal]) {
                size_t at = (slice.tokenBegin + t) * c.k + slot;
                if (ids[{slice.layer, slice.microBatch}][at] == expert &&
                    (!c.hasReplicas() ||
                     nodes[{slice.layer, slice.microBatch}][at] == node))
                  beyond[t].insert(node);
              }
        }
        for (const auto &[token, chiplets] : beyond)
          copies +=
              pairs ? static_cast<int64_t>(chiplets.size())
              : task.exchange.via == ExchangeVia::Switch
                  ? 1
                  : static_cast<int64_t>(
                        std::set<int32_t>(chiplets.begin(), chiplets.end())
                            .size());
        if (bytes += copies *rowBytes; bytes > 0)
          expected[link] = bytes;
      }
      ASSERT_EQ(found, expected) << "task " << i;
    }
  }
}

/// One token of x = 1 with an expert on every chiplet, whose rows are `factor`.
std::vector<double> sum(std::vector<int> fanout, std::vector<double> factor,
                        ExchangeVia via, std::vector<int32_t> peerOrder,
                        ElementType element = ElementType::F32) {
  FixedRouting f;
  f.fanout = fanout;
  f.x = {1};
  f.k = static_cast<int64_t>(factor.size());
  f.element = element;
  for (int32_t i = 0; i < f.k; ++i)
    f.ids.push_back(i);
  for (int32_t peer : peerOrder)
    f.peers.push_back({peer, {peer}});
  f.factor = std::move(factor);
  f.via = via;
  MachineModel machine = treeMachine(fanout);
  return runFixed(buildFixed(f, machine), machine);
}

TEST(Exchange, SwitchesAddWhereRoutesJoin) {
  // (big + 0) + (1 + 1) against ((big + 0) + 1) + 1.
  std::vector<double> factor{kBig, 0, 1, 1};
  EXPECT_THAT(sum({2, 2}, factor, ExchangeVia::Switch, {0, 1, 2, 3}),
              ElementsAre(kBig + 2));
  EXPECT_THAT(sum({2, 2}, factor, ExchangeVia::Root, {0, 1, 2, 3}),
              ElementsAre(kBig));
}

TEST(Exchange, SwitchesAddInTheOrderOfTheMachineAndTheRootInThatOfPeers) {
  // (big + 1) - big is 0; (-big + 1) + big is 1.
  std::vector<double> factor{kBig, 1, -kBig};
  for (std::vector<int32_t> order :
       {std::vector<int32_t>{0, 1, 2}, std::vector<int32_t>{2, 1, 0}}) {
    EXPECT_THAT(sum({1, 3}, factor, ExchangeVia::Switch, order),
                ElementsAre(0));
    EXPECT_THAT(sum({1, 3}, factor, ExchangeVia::Root, order),
                ElementsAre(order[0] == 0 ? 0 : 1));
  }
}

TEST(Exchange, SumsAreRoundedWhenTheyLeaveASwitch) {
  // In f16, 2048 + 1 is 2048; at the root, 2048 + 1 + 1 is 2050 in f32.
  std::vector<double> factor{2048, 1, 1, 0};
  EXPECT_THAT(
      sum({2, 2}, factor, ExchangeVia::Switch, {0, 1, 2, 3}, ElementType::F16),
      ElementsAre(2048));
  EXPECT_THAT(
      sum({2, 2}, factor, ExchangeVia::Root, {0, 1, 2, 3}, ElementType::F16),
      ElementsAre(2050));
}

TEST(Exchange, ARoutingWithTwoExpertsOnOneChipletTravelsOnce) {
  FixedRouting f;
  f.x = {1, 2};
  f.k = 2;
  f.ids = {0, 1, 2, 0};
  f.factor = {10, 20, 30};
  f.peers = {{0, {1, 0}}, {1, {2}}}; // local ids are positions, not ids
  MachineModel machine = treeMachine({2});
  FixedProgram p = buildFixed(f, machine);
  absl::StatusOr<ValueReport> report =
      executeProgram(p.built.program, machine, p.built.arguments);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->results[0].value.elements, ElementsAre(30, 80));
  EXPECT_EQ(traffic(machine, report->traffic[p.dispatch]),
            (std::map<std::string, int64_t>{{"0>1", 2 * 20}, {"0>2", 20}}));
  ASSERT_EQ(report->routings.size(), 1u);
  EXPECT_THAT(report->routings[0].ids, ElementsAre(0, 1, 2, 0));
}

/// Expert 0 on both chiplets, 1 on the second.
FixedRouting replicas(ExchangeForm form, ExchangeVia via) {
  FixedRouting f;
  f.x = {1, 2, 3, 4};
  f.k = 2;
  // Chiplets: 0; 1; 1 1 for expert 1 is there; 1.
  f.ids = {0, -1, -1, 0, 1, 0, 0, -1};
  f.factor = {10, 20};
  f.peers = {{0, {0}}, {1, {0, 1}}};
  f.form = form;
  f.via = via;
  return f;
}

TEST(Exchange, ReplicasAreChosenByPosition) {
  MachineModel machine = treeMachine({2});
  for (auto [form, via] : kForms) {
    FixedProgram p = buildFixed(replicas(form, via), machine);
    absl::StatusOr<ValueReport> report =
        executeProgram(p.built.program, machine, p.built.arguments);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_THAT(report->results[0].value.elements, ElementsAre(10, 20, 90, 40));
    bool pairs = form == ExchangeForm::Pairs;
    EXPECT_EQ(
        traffic(machine, report->traffic[p.combine]),
        (std::map<std::string, int64_t>{{"1>0", 4}, {"2>0", pairs ? 16 : 12}}));
  }
}

/// A mistake in the map of one end shows, whatever else is right.
TEST(Exchange, BothEndsChooseByOneMap) {
  MachineModel machine = treeMachine({3});
  for (auto [form, via] : kForms) {
    FixedRouting f = replicas(form, via);
    f.peers.push_back({2, {0}});
    FixedProgram right = buildFixed(f, machine);
    for (bool dispatch : {true, false}) {
      FixedProgram p = right;
      Program &program = p.built.program;
      program.expertMaps.push_back(program.expertMaps[0]);
      program.expertMaps[1].nodesOf[1] = {1, 2}; // where peers[0] lacks it
      Task &task = program.tasks[dispatch ? p.dispatch : p.combine];
      task.exchange.expertMap = 1;
      EXPECT_THAT(errorOf(program, machine, p.built.arguments),
                  HasSubstr(dispatch
                                ? "is declared to hold tokens [0, 4) with "
                                  "experts {0} of layer 0, micro-batch 0 that "
                                  "expert map 0 sends to node 1; expected"
                                : "token 2 with expert 1 in layer 0, "
                                  "micro-batch 0 is combined 0 times"));
    }
  }
}

TEST(Exchange, LoadsAndStoresCountTheirBytesToo) {
  MachineModel machine = treeMachine({2, 2});
  FixedProgram p =
      buildFixed(handCase(ExchangeForm::Pairs, ExchangeVia::Root), machine);
  absl::StatusOr<ValueReport> report =
      executeProgram(p.built.program, machine, p.built.arguments);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->traffic[p.loadX].empty()) << "its memory is on the root";
  // The memory is on the switch, the weight one f32.
  for (size_t i = 0; i < p.built.program.tasks.size(); ++i)
    if (p.built.program.tasks[i].node == 5 &&
        p.built.program.tasks[i].kind == TaskKind::Load) {
      EXPECT_EQ(traffic(machine, report->traffic[i]),
                (std::map<std::string, int64_t>{{"2>5", 4}}));
    }
}

TEST(Exchange, NeedsSwitchesThatCanCopyAndAdd) {
  for (bool copies : {true, false}) {
    MachineFacts facts = tree({2, 2});
    for (NodeFacts &node : facts.nodes)
      if (!node.isChiplet())
        (copies ? node.multicastBytesPerSecond : node.reduceBytesPerSecond) = 1;
    MachineModel machine = *MachineModel::create(facts);
    FixedProgram p = buildFixed(
        handCase(ExchangeForm::Tokens, ExchangeVia::Switch), machine);
    EXPECT_THAT(errorOf(p.built.program, machine, p.built.arguments),
                HasSubstr(copies ? "('combine'): needs sums at 's1', where its "
                                   "routes join"
                                 : "('dispatch'): needs copies at 's1', where "
                                   "its routes part"));
    p = buildFixed(handCase(ExchangeForm::Tokens, ExchangeVia::Root), machine);
    EXPECT_EQ(errorOf(p.built.program, machine, p.built.arguments), "no error");
  }
}

TEST(Exchange, RowsMustFitTheirBuffers) {
  MachineModel machine = treeMachine({2});
  for (auto [form, via] : kForms) {
    FixedRouting f;
    f.x = {1, 2};
    f.ids = {0, 0};
    f.factor = {10};
    f.peers = {{0, {0}}};
    f.form = form;
    f.via = via;
    FixedProgram p = buildFixed(f, machine);
    for (int32_t buffer : {p.rows[0], p.second[0], p.out[0]}) {
      ValueType &type = p.built.program.buffers[buffer].type;
      if (type.element != ElementType::Index)
        type.shape[0] = 1;
    }
    for (KernelStep &step : p.built.program.tasks[p.experts[0]].steps)
      for (ValueType &type : step.resultTypes)
        if (type.element != ElementType::Index)
          type.shape[0] = 1;
    EXPECT_THAT(errorOf(p.built.program, machine, p.built.arguments),
                HasSubstr("('dispatch'): peers[0] needs 2 rows; buffer "));
  }
}

} // namespace
