//===- ValueErrorsTest.cpp - What the value engine reports ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FixedRouting.h"

#include "gmock/gmock.h"

#include <cmath>
#include <memory>

using namespace mozart;
using namespace mozart::test;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Two tokens, three experts on two chiplets below the root.
class ValueErrors : public testing::TestWithParam<ExchangeForm> {
protected:
  ValueErrors() : machine(treeMachine({2})) {
    FixedRouting f;
    f.x = {1, 2};
    f.k = 2;
    f.ids = {0, 1, 2, 0};
    f.factor = {10, 20, 30};
    f.peers = {{0, {0, 1}}, {1, {2}}};
    f.form = GetParam();
    fixed = buildFixed(f, machine);
  }

  std::string error(const ValueOptions &options = {}) {
    return errorOf(program, machine, fixed.built.arguments, options);
  }
  Task &task(int32_t index) { return program.tasks[index]; }
  Buffer &buffer(int32_t index) { return program.buffers[index]; }

  MachineModel machine;
  FixedProgram fixed;
  Program &program = fixed.built.program;
};

INSTANTIATE_TEST_SUITE_P(Forms, ValueErrors,
                         testing::Values(ExchangeForm::Pairs,
                                         ExchangeForm::Tokens),
                         [](const auto &info) {
                           return info.param == ExchangeForm::Pairs ? "Pairs"
                                                                    : "Tokens";
                         });

TEST_P(ValueErrors, NoneAtFirst) {
  EXPECT_EQ(error(), "no error");
  EXPECT_THAT(runFixed(fixed, machine), ElementsAre(30, 80));
}

TEST_P(ValueErrors, AByteThatNothingWrote) {
  program.inputs.erase(program.inputs.begin());
  EXPECT_THAT(
      error(),
      HasSubstr("task 0 ('load.x') reads buffer 1 ('x.dram'), but bytes "
                "[0, 8) of memory 'dram_root', which are part of it, "
                "were never written"));
}

TEST_P(ValueErrors, AMissingWaitIsNamedWithBothTasksAndTheBytes) {
  task(fixed.dispatch).waits = {fixed.loadRouting};
  // Both are on the root's DMA engine, in this order; take that away, too.
  task(fixed.loadX).engines.clear();
  EXPECT_THAT(
      error(),
      AllOf(HasSubstr("task 0 ('load.x') writes them as buffer 0 ('x') and "),
            HasSubstr("('dispatch') reads them as buffer 0 ('x'), bytes [0, 8) "
                      "of the SRAM of 'root', but no wait, engine or stage "
                      "orders the two")));
}

TEST_P(ValueErrors, AnEarlyOverwrite) {
  // A load brings other data to where the rows are that the first chiplet's
  // experts have yet to read.
  Task early;
  early.name = "early";
  early.kind = TaskKind::Load;
  early.node = buffer(fixed.rows[0]).place.index;
  early.engines = {{EngineKind::Compute, early.node}};
  Buffer target = buffer(fixed.rows[0]);
  target.name = "target";
  target.slice = -1;
  program.buffers.push_back(target);
  auto index = static_cast<int32_t>(program.buffers.size()) - 1;
  Buffer source = target;
  source.name = "source";
  source.place = {Place::Kind::Dram, machine.memoryServing(early.node)};
  source.offset = 4096;
  program.buffers.push_back(source);
  Argument zeros{{*makeTensor(source.type.element, source.type.shape,
                              std::vector<double>(source.type.elements(), 0))}};
  fixed.built.arguments.push_back(zeros);
  program.inputs.push_back({index + 1, 4, -1, {}});
  early.reads = {index + 1};
  early.writes = {index};
  early.waits = {fixed.dispatch};
  early.route =
      machine.path(machine.memory(source.place.index).node, early.node);
  // Runs between the dispatch and the experts, ordered with both.
  int32_t at = fixed.dispatch + 1;
  program.tasks.insert(program.tasks.begin() + at, early);
  for (size_t i = at + 1; i < program.tasks.size(); ++i)
    for (int32_t &wait : program.tasks[i].waits)
      wait += wait >= at;
  EXPECT_THAT(
      error(),
      AllOf(HasSubstr("('experts') reads buffer "),
            HasSubstr("('rows'), but bytes [0, "),
            HasSubstr("were overwritten by task 3 ('early') as buffer "),
            HasSubstr("('target')")));
}

TEST_P(ValueErrors, AnOutputThatIsOverwrittenAtTheEnd) {
  Buffer other = buffer(fixed.result);
  other.name = "other";
  program.buffers.push_back(other);
  Task again = task(fixed.store);
  again.name = "again";
  again.writes = {static_cast<int32_t>(program.buffers.size()) - 1};
  program.tasks.push_back(again);
  EXPECT_THAT(error(), AllOf(HasSubstr("the end of the program reads buffer "),
                             HasSubstr("overwritten by task "),
                             HasSubstr("('again') as buffer ")));
}

TEST_P(ValueErrors, ARouteThatPassesANodeTwice) {
  int32_t there = machine.linkBetween(0, 2), back = machine.linkBetween(2, 0);
  std::vector<int32_t> &route = task(fixed.dispatch).exchange.peers[0].route;
  route.insert(route.begin(), {there, back});
  EXPECT_THAT(error(),
              HasSubstr("('dispatch'): peers[0]: route[1] is link " +
                        std::to_string(back) + ", which comes back to 'root'"));
}

TEST_P(ValueErrors, ARouteToAnotherNode) {
  task(fixed.dispatch).exchange.peers[0].route = {machine.linkBetween(0, 2)};
  EXPECT_THAT(error(), HasSubstr("ends at 'c2'; expected 'c1'"));
}

TEST_P(ValueErrors, AnOffsetPastTheMemoryOrNone) {
  buffer(fixed.x).offset = (1 << 20) - 7;
  EXPECT_THAT(error(), HasSubstr("buffer 0 ('x'): ends at byte 1048577 of the "
                                 "SRAM of 'root'; expected at most its 1048576 "
                                 "bytes"));
  buffer(fixed.x).offset = -1;
  EXPECT_THAT(error(), HasSubstr("buffer 0 ('x'): has no offset in the SRAM of "
                                 "'root'"));
}

TEST_P(ValueErrors, NotABufferThatNothingUses) {
  Buffer spare = buffer(fixed.x);
  spare.name = "spare";
  spare.offset = -1;
  program.buffers.push_back(spare);
  EXPECT_EQ(error(), "no error");
}

TEST_P(ValueErrors, AnOffsetOntoLiveBytes) {
  buffer(fixed.routing).offset = buffer(fixed.x).offset + 4;
  // Engine order makes the loads follow one another.
  EXPECT_THAT(error(),
              HasSubstr("reads buffer 0 ('x'), but bytes [4, 8) of the "
                        "SRAM of 'root', which are part of it, were "
                        "overwritten by task 1 ('load.routing')"));
}

TEST_P(ValueErrors, APairThatNobodyTakes) {
  for (int32_t index : {fixed.dispatch, fixed.combine}) {
    task(index).exchange.peers.pop_back();
  }
  task(fixed.dispatch).writes.resize(2);
  task(fixed.combine).reads.erase(task(fixed.combine).reads.begin() + 1);
  // The other chiplet would work on rows that never come.
  EXPECT_THAT(error(), HasSubstr("were never written"));
  program.tasks[fixed.experts[1]].reads = {};
  program.tasks[fixed.experts[1]].writes = {};
  program.tasks[fixed.experts[1]].results = {};
  program.tasks[fixed.experts[1]].steps = {};
  EXPECT_THAT(error(),
              HasSubstr("token 1 with expert 2 in layer 0, micro-batch "
                        "0 is dispatched 0 times; expected once"));
}

TEST_P(ValueErrors, APairThatIsComputedTwiceOrNever) {
  Task again = task(fixed.experts[0]);
  Program once = program;
  again.waits.push_back(fixed.combine);
  again.waits.push_back(fixed.experts[0]);
  program.tasks.push_back(again);
  EXPECT_THAT(error(),
              HasSubstr("token 0 with expert 0 in layer 0, micro-batch "
                        "0 is computed 2 times; expected once"));
  // Rows that go straight to the results: nothing computes them.
  program = once;
  if (GetParam() == ExchangeForm::Tokens) {
    task(fixed.experts[0]).steps.clear();
    task(fixed.experts[0]).results = {0};
    EXPECT_THAT(error(), HasSubstr("is computed 0 times; expected once"));
  }
}

TEST_P(ValueErrors, APairThatIsDispatchedTwice) {
  Task again = task(fixed.dispatch);
  again.waits.push_back(fixed.dispatch);
  again.waits.push_back(fixed.experts[0]);
  again.waits.push_back(fixed.experts[1]);
  program.tasks.push_back(again);
  EXPECT_THAT(error(), HasSubstr("is dispatched 2 times; expected once"));
}

TEST_P(ValueErrors, APairThatIsNeverCombined) {
  // The second peer's rows never come back.
  task(fixed.combine).exchange.peers.pop_back();
  task(fixed.combine).reads.erase(task(fixed.combine).reads.begin() + 1);
  EXPECT_THAT(error(),
              HasSubstr("token 1 with expert 2 in layer 0, micro-batch "
                        "0 is combined 0 times; expected once"));
}

TEST_P(ValueErrors, SlicesThatDoNotSayWhatMoves) {
  Program right = program;
  int32_t slice = buffer(fixed.rows[1]).slice;
  std::string expected =
      "; expected tokens [0, 2) with experts {2} of layer 0, micro-batch 0";
  program.slices[slice].experts = {1};
  EXPECT_THAT(error(),
              HasSubstr("is declared to hold tokens [0, 2) with experts {1} of "
                        "layer 0, micro-batch 0" +
                        expected));
  program = right;
  program.slices[slice].tokenCount = 1;
  EXPECT_THAT(error(), HasSubstr("is declared to hold tokens [0, 1)"));
  program = right;
  program.microBatches = 2;
  program.slices[slice].microBatch = 1;
  EXPECT_THAT(error(), HasSubstr("micro-batch 1" + expected));
  program = right;
  buffer(fixed.second[1]).slice = -1;
  EXPECT_THAT(error(), HasSubstr("has no slice" + expected));
  program = right;
  buffer(fixed.routing).slice = -1;
  EXPECT_THAT(error(), HasSubstr("has no slice; expected the tokens that it "
                                 "routes"));
  program = right;
  program.slices[0].tokenCount = 1;
  EXPECT_THAT(error(), HasSubstr("of 2 tokens, whose slice has 1"));
  program = right;
  program.tokensPerMicroBatch = 3;
  EXPECT_THAT(error(), HasSubstr("token 2 in layer 0, micro-batch 0 is never "
                                 "dispatched"));
  program = right;
  program.k = 3;
  EXPECT_THAT(error(), HasSubstr("expected the 3 slots of the program"));
}

TEST_P(ValueErrors, ARoutingThatChangesBetweenDispatchAndCombine) {
  // A second routing for the combine alone.
  Value other = fixed.built.arguments[1].copies[0];
  std::swap(other.ids[0], other.ids[1]);
  fixed.built.arguments.push_back({{other}});
  Buffer source = buffer(program.inputs[1].buffer);
  source.offset = 4096;
  program.buffers.push_back(source);
  auto sourceIndex = static_cast<int32_t>(program.buffers.size()) - 1;
  Buffer target = buffer(fixed.routing);
  target.offset = 4096;
  program.buffers.push_back(target);
  program.inputs.push_back({sourceIndex, 4, -1, {}});
  Task load = task(fixed.loadRouting);
  load.reads = {sourceIndex};
  load.writes = {sourceIndex + 1};
  load.waits.clear();
  program.tasks.insert(program.tasks.begin(), load);
  for (size_t i = 1; i < program.tasks.size(); ++i) {
    for (int32_t &wait : program.tasks[i].waits)
      ++wait;
    if (program.tasks[i].kind == TaskKind::Combine) {
      program.tasks[i].reads.back() = sourceIndex + 1;
      program.tasks[i].waits.push_back(0);
    }
  }
  EXPECT_THAT(error(),
              HasSubstr("('combine'): routes token 0 of layer 0, "
                        "micro-batch 0 otherwise than it was dispatched"));
}

TEST_P(ValueErrors, UnknownExpertIds) {
  fixed.built.arguments[1].copies[0].ids[2] = 3;
  EXPECT_THAT(error(), HasSubstr("('dispatch'): token 1, slot 0 has expert 3; "
                                 "expected one of 3 experts, or -1"));
}

TEST_P(ValueErrors, ArgumentsThatDoNotFit) {
  std::vector<Argument> right = fixed.built.arguments;
  std::vector<Argument> &arguments = fixed.built.arguments;
  arguments.pop_back();
  EXPECT_THAT(error(), HasSubstr("needs argument 3; 3 were given"));
  arguments = right;
  arguments[0].copies.push_back(arguments[0].copies[0]);
  EXPECT_THAT(error(),
              HasSubstr("input 0 (buffer 1 ('x.dram')): argument 0 has "
                        "2 copies; expected one for all micro-batches"));
  program.inputs[0].microBatch = 0;
  EXPECT_EQ(error(), "no error");
  arguments[0].copies.clear();
  EXPECT_THAT(error(),
              HasSubstr("argument 0 has 0 copies; expected one for each "
                        "micro-batch"));
  arguments = right;
  arguments[0].copies[0] = *makeTensor(ElementType::F64, {2, 1}, {1, 2});
  EXPECT_THAT(error(), HasSubstr("argument 0 is tensor<2x1xf64>; expected "
                                 "tensor<2x1xf32>"));
  arguments = right;
  arguments[2].copies[0] = *makeTensor(ElementType::F32, {2, 1, 1}, {1, 2});
  EXPECT_THAT(error(), HasSubstr("takes expert 2 of argument 2, which has 2"));
  arguments = right;
  arguments[0].copies[0].elements.pop_back();
  EXPECT_THAT(error(), HasSubstr("argument 0 has 1 elements; expected 2"));
  arguments = right;
  program.inputs[1].buffer = program.inputs[0].buffer;
  program.inputs[1].argument = 0;
  EXPECT_THAT(error(),
              HasSubstr("inputs 0 and 1, buffer 1 ('x.dram') and buffer "
                        "1 ('x.dram'), share bytes of memory "
                        "'dram_root'"));
}

TEST_P(ValueErrors, MoreMemoryThanTheLimit) {
  ValueOptions options;
  options.memoryLimitBytes = 100;
  EXPECT_THAT(error(options),
              HasSubstr("needs more than 100 bytes of simulated "
                        "memory"));
  program.tokensPerMicroBatch = int64_t(1) << 40;
  EXPECT_THAT(error(), HasSubstr("routes 1099511627776 tokens of 2 slots"));
}

TEST_P(ValueErrors, KernelsAndTheirDataAreNamedWithTheirTask) {
  KernelStep &last = task(fixed.experts[1]).steps.back();
  last.kind = KernelKind::Custom;
  last.custom.name = "mystery";
  absl::StatusOr<ValueReport> report =
      executeProgram(program, machine, fixed.built.arguments);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(report.status().message()),
              AllOf(HasSubstr("('experts'): no kernel named 'mystery' is "
                              "registered"),
                    HasSubstr("(order: earliest task first)")));
}

// A kernel that does not always give the same answer.
TEST_P(ValueErrors, ResultsThatDependOnTheOrder) {
  KernelRegistry registry;
  auto calls = std::make_shared<int>(0);
  ASSERT_TRUE(
      registry
          .add("counter",
               [calls](const CustomParams &, absl::Span<const Value *const>,
                       absl::Span<Value> results) {
                 results[0].elements[0] = ++*calls;
                 return absl::OkStatus();
               })
          .ok());
  ValueOptions options;
  options.kernels = &registry;
  KernelStep step;
  step.kind = KernelKind::Custom;
  step.custom.name = "counter";
  step.inputs = {0};
  step.resultTypes = {buffer(fixed.y).type};
  // Its result takes the place of y on its way to the store.
  Task counter;
  counter.name = "counter";
  counter.node = 0;
  counter.engines = {{EngineKind::Compute, 0}};
  counter.reads = {fixed.y};
  Buffer counted = buffer(fixed.y);
  counted.offset = 4096;
  program.buffers.push_back(counted);
  counter.writes = {static_cast<int32_t>(program.buffers.size()) - 1};
  counter.results = {1};
  counter.steps = {step};
  Task store = task(fixed.store);
  counter.waits = store.waits;
  store.reads = counter.writes;
  store.waits = {fixed.store};
  program.tasks.pop_back();
  program.tasks.push_back(counter);
  program.tasks.push_back(store);
  EXPECT_THAT(
      error(options),
      HasSubstr("result 0 of micro-batch 0 (buffer " +
                std::to_string(fixed.result) +
                " ('result')) differs between two orders: earliest task "
                "first, and latest task first"));
}

TEST_P(ValueErrors, ProgramsThatAreNotWellFormed) {
  program.machine = "another";
  EXPECT_THAT(error(), HasSubstr("is for machine 'another'"));
}

} // namespace
