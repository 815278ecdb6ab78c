//===- OrderTest.cpp - Orders of tasks and of bytes -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoeCase.h"

#include "Sim/TestPrograms.h"
#include "ValueRun.h"

#include "mozart/Sim/MemoryOrder.h"
#include "mozart/Sim/Mutation.h"
#include "mozart/Sim/TaskOrder.h"

#include "gmock/gmock.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct T {
  std::vector<int32_t> waits;
  std::vector<Engine> engines;
  int64_t stage = -1;
};

Program tasks(std::vector<T> list) {
  Program program;
  for (T &t : list) {
    Task task;
    task.waits = std::move(t.waits);
    task.engines = std::move(t.engines);
    task.stage = t.stage;
    program.tasks.push_back(std::move(task));
  }
  return program;
}

const Engine kA{EngineKind::Compute, 0}, kB{EngineKind::Dma, 0};

TaskOrder orderOf(const Program &program) {
  absl::StatusOr<TaskOrder> order = TaskOrder::create(program);
  EXPECT_TRUE(order.ok()) << order.status();
  return *std::move(order);
}

TEST(TaskOrder, FollowsWaitsEnginesAndStages) {
  TaskOrder order = orderOf(tasks({{{}, {kA}},     // 0
                                   {{}, {kB}},     // 1
                                   {{0}, {}},      // 2
                                   {{}, {kA, kB}}, // 3: after 0 and 1
                                   {{2}, {}, 1},   // 4
                                   {{}, {}, 2},    // 5: after 4 and 2, 0
                                   {{}, {}}}));    // 6
  EXPECT_TRUE(order.before(0, 2));
  EXPECT_TRUE(order.before(0, 3));
  EXPECT_TRUE(order.before(1, 3));
  EXPECT_TRUE(order.before(4, 5));
  EXPECT_TRUE(order.before(0, 5));
  EXPECT_FALSE(order.ordered(0, 1));
  EXPECT_FALSE(order.ordered(2, 3));
  EXPECT_FALSE(order.ordered(1, 5));
  EXPECT_FALSE(order.before(5, 0));
  for (int32_t task = 0; task < 7; ++task) {
    EXPECT_FALSE(order.before(task, task));
    EXPECT_FALSE(order.ordered(6, task));
  }
}

TEST(TaskOrder, ALaterTaskOfALowerStageComesFirst) {
  TaskOrder order = orderOf(tasks({{{}, {kA}, 1}, {{}, {kB}, 0}}));
  EXPECT_TRUE(order.before(1, 0));
  EXPECT_THAT(order.linearize(OrderChoice::Earliest), ElementsAre(1, 0));
}

TEST(TaskOrder, NamesATaskThatCanNeverStart) {
  Program program = tasks({{{}, {kA}, 1}, {{}, {kA}, 0}});
  absl::Status status = TaskOrder::create(program).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("can never start"));
}

TEST(TaskOrder, KnowsWhichWaitsOthersImply) {
  TaskOrder order = orderOf(tasks({{{}, {kA}},
                                   {{0}, {kA}},  // by the engine
                                   {{0, 1}, {}}, // 0 by 1
                                   {{2, 2}, {}}, // each by the other
                                   {{}, {}, 0},
                                   {{4, 3}, {}, 1}})); // 4 by the stage
  EXPECT_TRUE(order.isImplied(1, 0));
  EXPECT_TRUE(order.isImplied(2, 0));
  EXPECT_FALSE(order.isImplied(2, 1));
  EXPECT_TRUE(order.isImplied(3, 0));
  EXPECT_TRUE(order.isImplied(3, 1));
  EXPECT_TRUE(order.isImplied(5, 0));
  EXPECT_FALSE(order.isImplied(5, 1));
}

TEST(TaskOrder, LinearizesAsAsked) {
  TaskOrder order = orderOf(tasks({{}, {}, {{0}, {}}, {{1}, {}}}));
  EXPECT_THAT(order.linearize(OrderChoice::Earliest), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.linearize(OrderChoice::Latest), ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(order.linearize(OrderChoice::Random, 5),
            order.linearize(OrderChoice::Random, 5));
  std::set<std::vector<int32_t>> seen;
  for (uint64_t seed = 0; seed < 100; ++seed)
    seen.insert(order.linearize(OrderChoice::Random, seed));
  EXPECT_EQ(seen.size(), 6u) << "all orders of two chains of two";
}

// Against reachability by searching the graph.
TEST(TaskOrder, AgreesWithSearchOnRandomGraphs) {
  Draw draw(4);
  for (int round = 0; round < 60; ++round) {
    const int32_t n = 14;
    std::vector<T> list;
    for (int32_t i = 0; i < n; ++i) {
      T t;
      for (int32_t w = 0; w < i; ++w)
        if (draw.oneIn(8))
          t.waits.push_back(w);
      for (int32_t e = 0; e < 3; ++e)
        if (draw.oneIn(4))
          t.engines.push_back({EngineKind::Compute, e});
      if (draw.oneIn(3))
        t.stage = i / 5;
      list.push_back(std::move(t));
    }
    Program program = tasks(list);
    bool reach[n][n] = {};
    for (int32_t b = 0; b < n; ++b)
      for (int32_t a = 0; a < b; ++a) {
        const Task &x = program.tasks[a], &y = program.tasks[b];
        reach[a][b] =
            std::count(y.waits.begin(), y.waits.end(), a) > 0 ||
            (x.stage >= 0 && x.stage < y.stage) ||
            std::any_of(x.engines.begin(), x.engines.end(), [&](Engine e) {
              return std::count(y.engines.begin(), y.engines.end(), e) > 0;
            });
      }
    for (int32_t m = 0; m < n; ++m)
      for (int32_t a = 0; a < n; ++a)
        for (int32_t b = 0; b < n; ++b)
          reach[a][b] |= reach[a][m] && reach[m][b];
    TaskOrder order = orderOf(program);
    for (int32_t a = 0; a < n; ++a)
      for (int32_t b = 0; b < n; ++b)
        ASSERT_EQ(order.before(a, b), reach[a][b]) << a << " " << b;
    std::vector<int32_t> line = order.linearize(OrderChoice::Random, round);
    ASSERT_EQ(line.size(), static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < i; ++j)
        ASSERT_FALSE(order.before(line[i], line[j]));
  }
}

class MemoryOrder : public testing::Test {
protected:
  MemoryOrder() : machine(treeMachine({2})), b(machine) {}

  /// A task that touches buffers, on engines of its own.
  int32_t touch(std::vector<int32_t> reads, std::vector<int32_t> writes,
                std::vector<int32_t> waits = {}) {
    Task task;
    task.name = absl::StrCat("t", b.program.tasks.size());
    task.node = 0;
    task.reads = std::move(reads);
    task.writes = std::move(writes);
    task.results.assign(task.writes.size(), 0);
    task.waits = std::move(waits);
    return b.task(task);
  }
  int32_t view(int32_t of, int64_t begin, int64_t rows) {
    Buffer v = b.program.buffers[of];
    v.viewOf = of;
    v.offset = -1;
    v.rowBegin = begin;
    v.type.shape[0] = rows;
    b.program.buffers.push_back(v);
    return static_cast<int32_t>(b.program.buffers.size()) - 1;
  }
  std::string error() {
    return std::string(
        verifyMemoryOrder(b.program, machine, orderOf(b.program)).message());
  }

  MachineModel machine;
  ProgramBuilder b;
};

TEST_F(MemoryOrder, ReadsAndWritesMustBeOrdered) {
  int32_t x = b.buffer("x", sram(0), tensor({2, 3}));
  touch({}, {x});
  touch({x}, {}, {0});
  touch({x}, {}, {0});
  EXPECT_EQ(error(), "") << "two reads need no order";
  touch({}, {x}, {1});
  EXPECT_EQ(
      error(),
      "program 'p': task 2 ('t2') reads them as buffer 0 ('x') and task 3 "
      "('t3') writes them as buffer 0 ('x'), bytes [0, 12) of the SRAM of "
      "'root', but no wait, engine or stage orders the two; expected task "
      "3 ('t3') to wait for task 2 ('t2')");
  b.program.tasks[3].waits = {1, 2};
  EXPECT_EQ(error(), "");
  touch({}, {x});
  EXPECT_THAT(error(), HasSubstr("task 3 ('t3') writes them"));
}

TEST_F(MemoryOrder, EnginesAndStagesOrderToo) {
  int32_t x = b.buffer("x", sram(0), tensor({2, 3}));
  touch({}, {x});
  touch({x}, {});
  EXPECT_NE(error(), "");
  b.program.tasks[0].engines = b.program.tasks[1].engines = {kA};
  EXPECT_EQ(error(), "");
  b.program.tasks[0].engines.clear();
  b.program.tasks[0].stage = 0;
  b.program.tasks[1].stage = 1;
  EXPECT_EQ(error(), "");
}

TEST_F(MemoryOrder, OnlyBytesThatAreSharedCount) {
  int32_t x = b.buffer("x", sram(0), tensor({4, 3}));
  int32_t top = view(x, 0, 2), bottom = view(x, 2, 2), middle = view(x, 1, 2);
  touch({}, {top});
  touch({}, {bottom});
  EXPECT_EQ(error(), "");
  touch({middle}, {}, {0});
  EXPECT_THAT(error(), HasSubstr("bytes [12, 18) of the SRAM of 'root'"));
  b.program.tasks[2].waits = {0, 1};
  EXPECT_EQ(error(), "");
}

TEST_F(MemoryOrder, AViewOfARoutingHasIdsAndGates) {
  // 4 tokens x 2 slots: ids at 0, gates (f16) at 32.
  int32_t r = b.buffer("r", sram(0), routingType(4, 2, 3));
  int32_t tail = view(r, 3, 1), head = view(r, 0, 3);
  std::vector<ByteRange> ranges = rangesOf(b.program, tail);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].begin, 24);
  EXPECT_EQ(ranges[0].end, 32);
  EXPECT_EQ(ranges[1].begin, 44);
  EXPECT_EQ(ranges[1].end, 48);
  touch({}, {tail});
  touch({}, {head});
  EXPECT_EQ(error(), "");
  touch({r}, {}, {0});
  EXPECT_THAT(error(), HasSubstr("bytes [0, 24) of"));
}

TEST_F(MemoryOrder, AnotherBufferOnTheSameBytes) {
  int32_t x = b.buffer("x", sram(0), tensor({2, 2}));
  int32_t y = b.buffer("y", sram(0), tensor({2, 2}));
  b.program.buffers[y].offset = 6;
  touch({}, {x});
  touch({}, {y});
  EXPECT_THAT(error(), HasSubstr("writes them as buffer 0 ('x') and task 1 "
                                 "('t1') writes them as buffer 1 ('y'), bytes "
                                 "[6, 8)"));
  b.program.buffers[y].place = sram(1);
  EXPECT_EQ(error(), "") << "another memory";
}

TEST_F(MemoryOrder, ATaskMayReplaceATermOfItsSumAndNothingElse) {
  int32_t x = b.buffer("x", sram(0), tensor({2, 2}));
  int32_t y = b.buffer("y", sram(0), tensor({2, 2}));
  int32_t z = b.buffer("z", sram(0), tensor({2, 2}));
  b.program.buffers[z].offset = b.program.buffers[x].offset;
  KernelStep add;
  add.kind = KernelKind::Add;
  add.inputs = {0, 1};
  add.resultTypes = {tensor({2, 2})};
  b.compute("sum", 0, {x, y}, {z}, {add});
  EXPECT_EQ(error(), "");
  Task &task = b.program.tasks[0];
  task.writes = {x};
  EXPECT_EQ(error(), "") << "also through the same buffer";
  task.writes = {z};
  b.program.buffers[z].offset += 4;
  EXPECT_THAT(error(),
              HasSubstr("expected other bytes, as it does both at once"));
  b.program.buffers[z].offset -= 4;
  KernelStep norm = add;
  norm.kind = KernelKind::Linear;
  task.steps = {norm};
  EXPECT_THAT(error(), HasSubstr("('sum'): reads them as buffer 0 ('x') and "
                                 "writes them as buffer 2 ('z')"));
  // The term is needed again after the sum.
  task.steps = {add, norm};
  task.results = {2};
  EXPECT_THAT(error(), HasSubstr("does both at once"));
  task.steps = {norm, add};
  task.results = {3};
  EXPECT_EQ(error(), "") << "all other uses come first";
}

TEST_F(MemoryOrder, ATaskWritesEachByteOnce) {
  int32_t x = b.buffer("x", sram(0), tensor({2, 2}));
  touch({}, {x, view(x, 1, 1)});
  EXPECT_THAT(error(),
              HasSubstr("expected other bytes, as it does both at once"));
}

/// All that must come before `task`, then it, then all else.
std::vector<int32_t> asSoonAsPossible(const TaskOrder &order, int32_t task) {
  std::vector<int32_t> line, rest;
  for (int32_t other : order.linearize(OrderChoice::Earliest))
    (other == task || order.before(other, task) ? line : rest).push_back(other);
  line.insert(line.end(), rest.begin(), rest.end());
  return line;
}

// The check of bytes says that a program without some wait is wrong. Running it
// with the waiting task too early shows that it is.
TEST(MemoryOrderAndNumbers, AgreeOnMissingWaits) {
  int shown = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    MoeCase c = randomCase(seed);
    SCOPED_TRACE(describeCase(c));
    MachineModel machine = treeMachine(c.fanout);
    BuiltCase built = buildCase(c, machine);
    auto inputs = prepareInputs(built.program, machine, built.arguments);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    auto right =
        runInOrder(built.program, machine, *inputs,
                   orderOf(built.program).linearize(OrderChoice::Earliest), {});
    ASSERT_TRUE(right.ok()) << right.status();
    auto mutations = waitMutations(built.program);
    ASSERT_TRUE(mutations.ok()) << mutations.status();
    for (const Mutation &mutation : *mutations) {
      Program wrong = mutate(built.program, mutation);
      TaskOrder order = orderOf(wrong);
      EXPECT_FALSE(verifyMemoryOrder(wrong, machine, order).ok());
      auto result = runInOrder(wrong, machine, *inputs,
                               asSoonAsPossible(order, mutation.task), {});
      bool same = result.ok();
      for (size_t i = 0; same && i < right->results.size(); ++i)
        same = result->results[i].value.elements ==
               right->results[i].value.elements;
      EXPECT_FALSE(same) << mutation.description;
      ++shown;
    }
  }
  EXPECT_GT(shown, 500);
}

} // namespace
