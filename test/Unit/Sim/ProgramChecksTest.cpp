//===- ProgramChecksTest.cpp - Programs that are not well formed ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramChecks.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>

using namespace mozart;
using namespace mozart::test;

namespace {

MachineModel machine() {
  absl::StatusOr<MachineModel> model = MachineModel::create(tree({2, 2}));
  if (!model.ok())
    std::abort();
  return *std::move(model);
}

MoeShape shape(ExchangeForm form, ExchangeVia via) {
  MoeShape s;
  s.form = form;
  s.via = via;
  s.layers = 2;
  s.microBatches = 2;
  s.placement = {{0}, {1}, {2}, {3}};
  return s;
}

TEST(VerifyProgram, GoodPrograms) {
  MachineModel model = machine();
  for (auto [form, via] :
       {std::pair(ExchangeForm::Pairs, ExchangeVia::Root),
        std::pair(ExchangeForm::Tokens, ExchangeVia::Root),
        std::pair(ExchangeForm::Tokens, ExchangeVia::Switch)})
    EXPECT_EQ(verifyProgram(moeProgram(model, shape(form, via)), model),
              absl::OkStatus());
}

/// Index of the first task of a kind.
Task &first(Program &p, TaskKind kind) {
  for (Task &task : p.tasks)
    if (task.kind == kind)
      return task;
  std::abort();
}

Task &named(Program &p, absl::string_view name) {
  for (Task &task : p.tasks)
    if (task.name == name)
      return task;
  std::abort();
}

Buffer &readOf(Program &p, Task &task, size_t i) {
  return p.buffers[task.reads[i]];
}

Buffer &writeOf(Program &p, Task &task, size_t i) {
  return p.buffers[task.writes[i]];
}

struct BadProgram {
  const char *name;
  ExchangeForm form;
  std::function<void(Program &)> damage;
  std::vector<std::string> says;
};

class ProgramErrors : public testing::TestWithParam<BadProgram> {};

TEST_P(ProgramErrors, AreNamed) {
  MachineModel model = machine();
  Program program = moeProgram(
      model, shape(GetParam().form, GetParam().form == ExchangeForm::Tokens
                                        ? ExchangeVia::Switch
                                        : ExchangeVia::Root));
  GetParam().damage(program);
  absl::Status status = verifyProgram(program, model);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (const std::string &text : GetParam().says)
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << "'" << text << "' is not in: " << status.message();
}

constexpr ExchangeForm kPairs = ExchangeForm::Pairs;
constexpr ExchangeForm kTokens = ExchangeForm::Tokens;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

const BadProgram kBadPrograms[] = {
    {"OtherMachine",
     kPairs,
     [](Program &p) { p.machine = "other"; },
     {"'other'", "'tree'"}},
    {"NoMicroBatch",
     kPairs,
     [](Program &p) { p.microBatches = 0; },
     {"0 micro-batches"}},
    {"NegativeLayers",
     kPairs,
     [](Program &p) { p.moeLayers = -1; },
     {"-1 MoE layers"}},
    {"TooManySlots", kPairs, [](Program &p) { p.k = 5; }, {"5 of 4 experts"}},
    {"TooManyTokens",
     kPairs,
     [](Program &p) { p.tokensPerMicroBatch = kMost; },
     {"tokens"}},

    {"SliceLayer",
     kPairs,
     [](Program &p) { p.slices[1].layer = 2; },
     {"slice 1", "layer is 2", "[0, 2)"}},
    {"SliceMicroBatch",
     kPairs,
     [](Program &p) { p.slices[1].microBatch = -1; },
     {"slice 1", "micro-batch is -1"}},
    {"SliceTokens",
     kPairs,
     [](Program &p) { p.slices[1].tokenBegin = 1; },
     {"slice 1", "tokens [1, 1 + 4)"}},
    {"SliceExpert",
     kPairs,
     [](Program &p) { p.slices[1].experts = {4}; },
     {"slice 1", "expert is 4"}},
    {"SliceExpertTwice",
     kPairs,
     [](Program &p) { p.slices[1].experts = {2, 2}; },
     {"expert 2 twice"}},

    {"BufferNode",
     kPairs,
     [](Program &p) { p.buffers[3].place = sram(9); },
     {"buffer 3", "node is 9"}},
    {"BufferInSwitch",
     kPairs,
     [](Program &p) { p.buffers[3].place = sram(1); },
     {"buffer 3", "switch 's1'"}},
    {"BufferMemory",
     kPairs,
     [](Program &p) { p.buffers[3].place = inMemory(3); },
     {"buffer 3", "memory is 3"}},
    {"BufferNegativeShape",
     kPairs,
     [](Program &p) { p.buffers[3].type.shape[0] = -4; },
     {"buffer 3", "negative dimension"}},
    {"BufferTooLarge",
     kPairs,
     [](Program &p) { p.buffers[3].type.shape[0] = kMost; },
     {"buffer 3", "passes 2^63"}},
    {"BufferSlice",
     kPairs,
     [](Program &p) { p.buffers[3].slice = 99; },
     {"buffer 3", "slice is 99"}},
    {"BufferOffset",
     kPairs,
     [](Program &p) { p.buffers[3].offset = -2; },
     {"buffer 3", "offset is -2"}},
    {"BufferEnd",
     kPairs,
     [](Program &p) { p.buffers[3].offset = kMost; },
     {"buffer 3", "below 2^63"}},
    {"RoutingShape",
     kPairs,
     [](Program &p) {
       readOf(p, first(p, TaskKind::Dispatch), 1).type.shape = {4};
     },
     {"'routing'", "tokens x slots"}},
    {"ViewOfNothing",
     kPairs,
     [](Program &p) { p.buffers[3].viewOf = 9999; },
     {"buffer 3", "view of buffer is 9999"}},
    {"ViewOfView",
     kPairs,
     [](Program &p) {
       for (int i : {1, 3}) {
         p.buffers[i] = p.buffers[0];
         p.buffers[i].offset = -1;
       }
       p.buffers[1].viewOf = 0;
       p.buffers[3].viewOf = 1;
     },
     {"buffer 3", "itself a view"}},
    {"ViewElsewhere",
     kPairs,
     [](Program &p) {
       p.buffers[3] = p.buffers[0];
       p.buffers[3].viewOf = 0;
       p.buffers[3].place = inMemory(1);
     },
     {"buffer 3", "another memory"}},
    {"ViewOfOtherType",
     kPairs,
     [](Program &p) {
       p.buffers[3] = p.buffers[0];
       p.buffers[3].viewOf = 0;
       p.buffers[3].type.element = ElementType::F32;
     },
     {"buffer 3", "f32", "number of rows"}},
    {"ViewPastTheEnd",
     kPairs,
     [](Program &p) {
       p.buffers[3] = p.buffers[0];
       p.buffers[3].offset = -1;
       p.buffers[3].viewOf = 0;
       p.buffers[3].rowBegin = 1;
     },
     {"buffer 3", "rows [1, 1 + 8)"}},
    {"ViewWithOffset",
     kPairs,
     [](Program &p) {
       p.buffers[3] = p.buffers[0];
       p.buffers[3].viewOf = 0;
       p.buffers[3].offset = 0;
     },
     {"buffer 3", "has offset 0"}},

    {"InputBuffer",
     kPairs,
     [](Program &p) { p.inputs = {{-1, 0, -1, {}}}; },
     {"input 0", "buffer is -1"}},
    {"InputInSram",
     kPairs,
     [](Program &p) {
       p.inputs = {{first(p, TaskKind::Load).writes[0], 0, -1, {}}};
     },
     {"input 0", "in SRAM"}},
    {"InputArgument",
     kPairs,
     [](Program &p) { p.inputs = {{0, -1, -1, {}}}; },
     {"input 0", "argument is -1"}},
    {"InputMicroBatch",
     kPairs,
     [](Program &p) { p.inputs = {{0, 0, 2, {}}}; },
     {"input 0", "micro-batch is 2"}},
    {"InputExperts",
     kPairs,
     [](Program &p) { p.inputs = {{1, 0, -1, {0, 1}}}; },
     {"input 0", "2 experts", "1 rows"}},
    {"OutputBuffer",
     kPairs,
     [](Program &p) { p.outputs[0].buffer = -1; },
     {"output 0", "buffer is -1"}},
    {"OutputResult",
     kPairs,
     [](Program &p) { p.outputs[0].result = -1; },
     {"output 0", "result is -1"}},
    {"OutputMicroBatch",
     kPairs,
     [](Program &p) { p.outputs[0].microBatch = 2; },
     {"output 0", "micro-batch is 2"}},

    {"TaskOnSwitch",
     kPairs,
     [](Program &p) { p.tasks[2].node = 1; },
     {"task 2", "node is 1", "chiplet"}},
    {"TaskStage",
     kPairs,
     [](Program &p) { p.tasks[2].stage = -2; },
     {"task 2", "stage is -2"}},
    {"WaitForward",
     kPairs,
     [](Program &p) { p.tasks[2].waits = {2}; },
     {"task 2", "waits for task 2"}},
    {"WaitNegative",
     kPairs,
     [](Program &p) { p.tasks[2].waits = {-1}; },
     {"task 2", "waits for task -1"}},
    {"EngineOfSwitch",
     kPairs,
     [](Program &p) { p.tasks[2].engines.push_back({EngineKind::Send, 1}); },
     {"task 2", "engines[1]", "node is 1"}},
    {"EngineOfNoMemory",
     kPairs,
     [](Program &p) { p.tasks[2].engines.push_back({EngineKind::Channel, 3}); },
     {"task 2", "engines[1]", "memory is 3"}},
    {"EngineTwice",
     kPairs,
     [](Program &p) { p.tasks[2].engines.push_back(p.tasks[2].engines[0]); },
     {"task 2", "engines[1] repeats engines[0]"}},
    {"ReadOfNothing",
     kPairs,
     [](Program &p) { p.tasks[2].reads[1] = 9999; },
     {"task 2", "reads[1] is 9999"}},
    {"WriteOfNothing",
     kPairs,
     [](Program &p) { p.tasks[2].writes[0] = -1; },
     {"task 2", "writes[0] is -1"}},
    {"StageCycle",
     kPairs,
     [](Program &p) {
       p.tasks[1].stage = 1;
       p.tasks[2].stage = 0;
     },
     {"task 1 ('load.router') is in stage 1 and so comes after task 2 "
      "('route') "
      "of stage 0; task 2 ('route') waits for task 1 ('load.router');"}},
    {"StageCycleThroughUnstaged",
     kPairs,
     [](Program &p) {
       p.tasks[1].stage = 1;
       named(p, "dispatch").stage = 0;
     },
     {"task 1 ('load.router') is in stage 1 and so comes after task 15 "
      "('dispatch') of stage 0; task 15 ('dispatch') waits for task 2 "
      "('route'); "
      "task 2 ('route') waits for task 1 ('load.router');"}},
    {"WaitCycle",
     kPairs,
     [](Program &p) { p.tasks[1].waits = {2}; },
     {"task 1 ('load.router') waits for task 2 ('route'); task 2 ('route') "
      "waits for task 1 ('load.router');"}},
    {"WaitForItself",
     kPairs,
     [](Program &p) { p.tasks[2].waits = {2}; },
     {"circle", ": task 2 ('route') waits for task 2 ('route');"}},
    {"EngineCycle",
     kPairs,
     [](Program &p) { p.tasks[0].waits = {1}; },
     {"task 0 ('load.x') waits for task 1 ('load.router'); task 1 "
      "('load.router') is behind task 0 ('load.x') on engine 'root.dma';"}},
    {"WaitForwardWithoutCycle",
     kPairs,
     [](Program &p) {
       p.tasks[1].engines = {};
       p.tasks[0].waits = {1};
     },
     {"task 0 ('load.x'): waits for task 1 ('load.router'); expected one "
      "listed before it"}},
    {"StagesInBetween",
     kPairs,
     [](Program &p) {
       p.tasks[1].stage = 7;
       p.tasks[2].stage = 0;
       p.tasks[3].stage = 1;
     },
     {"task 1 ('load.router') is in stage 7 and so comes after task 2 "
      "('route') "
      "of stage 0"}},

    {"LoadCounts",
     kPairs,
     [](Program &p) { first(p, TaskKind::Load).reads.push_back(0); },
     {"2 reads; expected 1"}},
    {"LoadFromSram",
     kPairs,
     [](Program &p) {
       Task &t = first(p, TaskKind::Load);
       t.reads = t.writes;
     },
     {"reads[0]", "expected a buffer in a memory"}},
    {"LoadToDram",
     kPairs,
     [](Program &p) {
       Task &t = first(p, TaskKind::Load);
       t.writes = t.reads;
     },
     {"writes[0]", "expected a buffer in SRAM"}},
    {"LoadOtherType",
     kPairs,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Load), 0).type.element = ElementType::F32;
     },
     {"writes[0]", "f32", "f16"}},
    {"LoadToOtherChiplet",
     kPairs,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Load), 0).place = sram(3);
     },
     {"writes[0]", "SRAM of 'c3'", "SRAM of 'root'"}},
    {"LoadRouteLink",
     kPairs,
     [](Program &p) { named(p, "load.w").route = {99}; },
     {"route[0] is 99"}},
    {"LoadRouteGap",
     kPairs,
     [](Program &p) { named(p, "load.w").route = {0}; },
     {"route[0] is link 0 from 'root'", "from 's1'"}},
    {"LoadRouteEnd",
     kPairs,
     [](Program &p) { named(p, "load.w").route.clear(); },
     {"route ends at 's1'", "expected 'c3'"}},
    {"StoreFromElsewhere",
     kPairs,
     [](Program &p) {
       readOf(p, first(p, TaskKind::Store), 0).place = sram(3);
     },
     {"SRAM of 'c3'"}},

    {"ComputeWithoutArrays",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Compute).engines = {{EngineKind::Dma, 0}};
     },
     {"does not occupy the arrays of 'root'"}},
    {"ComputeReadsElsewhere",
     kPairs,
     [](Program &p) {
       named(p, "experts").node = 4;
       named(p, "experts").engines = {{EngineKind::Compute, 4}};
     },
     {"reads[0]", "SRAM of 'c3'", "SRAM of 'c4'"}},
    {"ComputeWritesElsewhere",
     kPairs,
     [](Program &p) {
       Task &t = first(p, TaskKind::Compute);
       t.writes[0] = t.reads[0];
       t.results[0] = 0;
       writeOf(p, named(p, "experts"), 0).place = sram(4);
     },
     {"writes[0]", "SRAM of 'c4'"}},
    {"StepInput",
     kPairs,
     [](Program &p) { first(p, TaskKind::Compute).steps[1].inputs = {3}; },
     {"step 1, inputs[0] is 3"}},
    {"StepShape",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Compute).steps[0].resultTypes[0].shape = {4, 5};
     },
     {"step 0", "'router'", "result 0 (logits)", "E=4"}},
    {"ResultCount",
     kPairs,
     [](Program &p) { first(p, TaskKind::Compute).results.clear(); },
     {"0 results; expected 1"}},
    {"ResultIndex",
     kPairs,
     [](Program &p) { first(p, TaskKind::Compute).results = {4}; },
     {"results[0] is 4"}},
    {"ResultType",
     kPairs,
     [](Program &p) { first(p, TaskKind::Compute).results = {2}; },
     {"writes[0]", "expected tensor<4x4xf32>"}},

    {"PairsViaSwitch",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Dispatch).exchange.via = ExchangeVia::Switch;
     },
     {"form 'pairs'"}},
    {"PeerOnSwitch",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Dispatch).exchange.peers[1].node = 1;
     },
     {"peers[1]: node is 1"}},
    {"PeerTwice",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Dispatch).exchange.peers[1].node = 3;
     },
     {"peers[1]: 'c3'"}},
    {"PeerExpert",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Combine).exchange.peers[1].experts = {-1};
     },
     {"combine", "peers[1]: expert is -1"}},
    {"ExpertAtTwoPeers",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Dispatch).exchange.peers[1].experts = {0};
     },
     {"peers[1]: expert 0 is at peers[0]",
      "or an expert map that says which a token goes to"}},
    {"ExpertTwiceAtAPeer",
     kPairs,
     [](Program &p) {
       p.expertMaps = {{{{3}, {4}, {5}, {6}}}};
       first(p, TaskKind::Dispatch).exchange.expertMap = 0;
       first(p, TaskKind::Dispatch).exchange.peers[1].experts = {1, 1};
     },
     {"peers[1]: expert 1 is at peers[1] already; expected each once"}},
    {"ExpertNotOfTheMap",
     kPairs,
     [](Program &p) {
       p.expertMaps = {{{{3}, {4}, {5}, {6}}}};
       first(p, TaskKind::Dispatch).exchange.expertMap = 0;
       first(p, TaskKind::Dispatch).exchange.peers[1].experts = {0};
     },
     {"peers[1]: expert 0 is at 'c4', where expert map 0 does not have it"}},
    {"ExchangeMapIndex",
     kPairs,
     [](Program &p) { first(p, TaskKind::Combine).exchange.expertMap = 0; },
     {"combine", "expert map is 0; expected a value in [0, 0)"}},
    {"MapOfOtherExperts",
     kPairs,
     [](Program &p) { p.expertMaps = {{{{3}, {4}}}}; },
     {"expert map 0: has 2 experts; expected the 4 of the program"}},
    {"MapWithoutANode",
     kPairs,
     [](Program &p) { p.expertMaps = {{{{3}, {}, {5}, {6}}}}; },
     {"expert map 0: has expert 1 on no node"}},
    {"MapOnASwitch",
     kPairs,
     [](Program &p) { p.expertMaps = {{{{3}, {1, 4}, {5}, {6}}}}; },
     {"expert map 0: has expert 1 on node 1; expected a chiplet"}},
    {"MapOutOfRange",
     kPairs,
     [](Program &p) { p.expertMaps = {{{{3}, {4, 7}, {5}, {6}}}}; },
     {"expert map 0: has expert 1 on node 7; expected a chiplet"}},
    {"MapOutOfOrder",
     kPairs,
     [](Program &p) { p.expertMaps = {{{{3}, {4, 3}, {5}, {6}}}}; },
     {"has expert 1 on node 3 after node 4; expected nodes in ascending"}},
    {"SliceNodeWithoutMap",
     kPairs,
     [](Program &p) { p.slices[0].node = 3; },
     {"slice 0: is of node 3 by no expert map"}},
    {"SliceMapIndex",
     kPairs,
     [](Program &p) { p.slices[0].expertMap = -2; },
     {"slice 0: expert map is -2"}},
    {"SliceNotOfTheMap",
     kPairs,
     [](Program &p) {
       p.expertMaps = {{{{3}, {4}, {5}, {6}}}};
       p.slices[1].expertMap = 0;
       p.slices[1].node = 4;
     },
     {"slice 1: has expert 0 on node 4, where expert map 0 does not have"}},
    {"PeerRoute",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Dispatch).exchange.peers[1].route = {0, 4};
     },
     {"peers[1]: route ends at 'c3'", "'c4'"}},
    {"CombineRouteBackwards",
     kPairs,
     [](Program &p) {
       first(p, TaskKind::Combine).exchange.peers[0].route = {0, 4};
     },
     {"peers[0]: route[0] is link 0 from 'root'", "from 'c3'"}},
    {"RoutesCross",
     kTokens,
     [](Program &p) {
       // To c4 over s2 and back: reaches the root again.
       first(p, TaskKind::Dispatch).exchange.peers[1].route = {2, 3, 0, 6};
     },
     {"peers[1]", "expected the routes to form a tree"}},
    {"DispatchReads",
     kPairs,
     [](Program &p) { first(p, TaskKind::Dispatch).reads.pop_back(); },
     {"1 reads; expected 2"}},
    {"DispatchWrites",
     kPairs,
     [](Program &p) { first(p, TaskKind::Dispatch).writes.pop_back(); },
     {"7 writes; expected 8"}},
    {"DispatchRouting",
     kPairs,
     [](Program &p) {
       Task &t = first(p, TaskKind::Dispatch);
       t.reads[1] = t.reads[0];
     },
     {"reads[1]", "expected a routing of all 4 experts"}},
    {"DispatchRows",
     kPairs,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Dispatch), 2).type.shape = {4, 9};
     },
     {"writes[2]", "4x9", "4x8"}},
    {"DispatchCounts",
     kPairs,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Dispatch), 3).type.shape = {2};
     },
     {"writes[3]", "tensor<2xindex>", "tensor<1xindex>"}},
    {"DispatchLocalIsGlobal",
     kTokens,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Dispatch), 3).type.local = false;
     },
     {"writes[3]", "expected local routing<4x2 of 1"}},
    {"DispatchRowsElsewhere",
     kPairs,
     [](Program &p) {
       writeOf(p, first(p, TaskKind::Dispatch), 2).place = sram(3);
     },
     {"writes[2]", "'c3'", "'c4'"}},
    {"CombineReads",
     kPairs,
     [](Program &p) { first(p, TaskKind::Combine).reads.pop_back(); },
     {"4 reads; expected 5"}},
    {"CombineRowsElsewhere",
     kPairs,
     [](Program &p) {
       Task &t = first(p, TaskKind::Combine);
       std::swap(t.reads[0], t.reads[1]);
     },
     {"reads[0]", "'c4'", "'c3'"}},
    {"CombineResult",
     kTokens,
     [](Program &p) {
       Task &t = first(p, TaskKind::Combine);
       t.exchange.form = kPairs;
       t.exchange.via = ExchangeVia::Root;
     },
     {"writes[0]", "tensor<4x8xf16>", "tensor<8x8xf16>"}},
};

INSTANTIATE_TEST_SUITE_P(All, ProgramErrors, testing::ValuesIn(kBadPrograms),
                         [](const testing::TestParamInfo<BadProgram> &info) {
                           return std::string(info.param.name);
                         });

//===--- Steps ---===//

KernelStep step(KernelKind kind, std::vector<ValueType> results) {
  KernelStep s;
  s.kind = kind;
  s.resultTypes = std::move(results);
  return s;
}

std::string message(const KernelStep &s, std::vector<ValueType> inputs) {
  return std::string(verifyStep(s, inputs).message());
}

#define EXPECT_SAYS(expr, text)                                                \
  EXPECT_NE((expr).find(text), std::string::npos) << (expr)

TEST(VerifyStep, Attention) {
  KernelStep s = step(KernelKind::Attention, {tensor({6, 8})});
  s.attention.sequences = 2;
  s.attention.heads = 4;
  s.attention.kvHeads = 2;
  s.attention.headDim = 3;
  std::vector<ValueType> in = {tensor({6, 8}), tensor({8, 12}), tensor({8, 6}),
                               tensor({8, 6}), tensor({12, 8})};
  EXPECT_EQ(message(s, in), "");
  s.attention.hasBias = s.attention.hasOutputBias = s.attention.hasQkNorm =
      true;
  EXPECT_SAYS(message(s, in), "5 operands; expected 11");
  for (int64_t size : {12, 6, 6, 8, 3, 3})
    in.push_back(tensor({size}));
  EXPECT_EQ(message(s, in), "");
  s.attention.qkNormPerHead = false;
  EXPECT_SAYS(message(s, in), "operand 9 (q norm)");
  s.attention.qkNormPerHead = true;
  s.attention.sequences = 4;
  EXPECT_SAYS(message(s, in), "6 rows are not 4 sequences");
  s.attention.kvHeads = 3;
  EXPECT_SAYS(message(s, in), "not a multiple of 3 kv heads");
  s.attention.kvHeads = 0;
  EXPECT_SAYS(message(s, in), "kv heads is 0");
}

TEST(VerifyStep, LatentAttention) {
  KernelStep s = step(KernelKind::LatentAttention, {tensor({4, 8})});
  s.latent.heads = 2;
  s.latent.qRank = 3;
  s.latent.kvRank = 5;
  s.latent.nopeDim = 4;
  s.latent.ropeDim = 2;
  s.latent.valueDim = 6;
  std::vector<ValueType> in = {tensor({4, 8}),  tensor({8, 3}), tensor({3}),
                               tensor({3, 12}), tensor({8, 7}), tensor({5}),
                               tensor({5, 20}), tensor({12, 8})};
  EXPECT_EQ(message(s, in), "");
  s.latent.qRank = 0;
  EXPECT_SAYS(message(s, in), "8 operands; expected 6");
  in.erase(in.begin() + 1, in.begin() + 3);
  EXPECT_SAYS(message(s, in), "operand 1 (q)");
  in[1] = tensor({8, 12});
  EXPECT_EQ(message(s, in), "");
}

TEST(VerifyStep, Route) {
  KernelStep s = step(KernelKind::Route, {routingType(4, 3, 8)});
  s.route.k = 3;
  s.route.groups = 4;
  s.route.keptGroups = 2;
  std::vector<ValueType> in = {tensor({4, 8}, ElementType::F32)};
  EXPECT_EQ(message(s, in), "");
  s.route.hasPadding = true;
  in.push_back(tensor({4}));
  EXPECT_SAYS(message(s, in),
              "operand 1 (padding) is tensor<4xf16>; expected i1");
  in[1].element = ElementType::I1;
  EXPECT_EQ(message(s, in), "");
  s.route.keptGroups = 1;
  EXPECT_SAYS(message(s, in), "kept groups hold only 2");
  s.route.keptGroups = 5;
  EXPECT_SAYS(message(s, in), "keeps 5 groups of 4");
  s.route.groups = 3;
  EXPECT_SAYS(message(s, in), "multiple of 3 groups");
  s = step(KernelKind::Route, {routingType(4, 9, 8)});
  s.route.k = 9;
  EXPECT_SAYS(message(s, {in[0]}), "k is 9");
  s = step(KernelKind::Route, {routingType(4, 1, 8, true)});
  EXPECT_SAYS(message(s, {in[0]}), "local routing");
}

TEST(VerifyStep, FfnAndExperts) {
  KernelStep s = step(KernelKind::Experts, {tensor({5, 8})});
  ValueType counts = tensor({3}, ElementType::Index);
  std::vector<ValueType> in = {tensor({5, 8}), counts, tensor({3, 8, 4}),
                               tensor({3, 8, 4}), tensor({3, 4, 8})};
  EXPECT_EQ(message(s, in), "");
  in[4] = tensor({3, 8, 4});
  EXPECT_SAYS(message(s, in), "operand 4 (down)");
  in[1] = tensor({3}, ElementType::I32);
  EXPECT_SAYS(message(s, in), "expected index");
  s.ffn.hasOutputGate = true;
  EXPECT_SAYS(message(s, in), "output gate");

  KernelStep f = step(KernelKind::Ffn, {tensor({5, 8})});
  f.ffn.activation = ActivationKind::Relu;
  f.ffn.hasBias = f.ffn.hasOutputGate = true;
  EXPECT_EQ(message(f, {tensor({5, 8}), tensor({8, 4}), tensor({4, 8}),
                        tensor({4}), tensor({8}), tensor({8, 1})}),
            "");
  EXPECT_SAYS(message(f, {tensor({5, 8}), tensor({8, 4}), tensor({4, 8}),
                          tensor({4}), tensor({8}), tensor({8, 2})}),
              "operand 5 (gate weight)");
}

TEST(VerifyStep, OtherKernels) {
  KernelStep n = step(KernelKind::Norm, {tensor({2, 4})});
  EXPECT_EQ(message(n, {tensor({2, 4}), tensor({4})}), "");
  EXPECT_EQ(message(n, {tensor({2, 4}), tensor({4}), tensor({4})}), "");
  EXPECT_SAYS(message(n, {tensor({2, 4}), tensor({5})}), "expected [H=4]");
  KernelStep a = step(KernelKind::Add, {tensor({2, 4})});
  EXPECT_EQ(message(a, {tensor({2, 4}), tensor({2, 4})}), "");
  EXPECT_SAYS(message(a, {tensor({2, 4}), tensor({4, 2})}), "operand 1 (b)");
  EXPECT_SAYS(message(a, {}), "0 operands; expected 2");
  EXPECT_SAYS(message(a, {routingType(2, 4, 8), tensor({2, 4})}),
              "expected floats");
  KernelStep c = step(KernelKind::Custom, {tensor({2, 4})});
  EXPECT_SAYS(message(c, {tensor({2})}), "has no name");
  c.custom.name = "mine";
  EXPECT_EQ(message(c, {tensor({2})}), "");
  EXPECT_SAYS(message(c, {}), "no operand");
  c.custom.flopsPerRow = -1;
  EXPECT_SAYS(message(c, {tensor({2})}), "negative cost");
}

} // namespace
