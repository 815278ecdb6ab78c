//===- ProgramProtoTest.cpp - Programs as protobuf messages ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramProto.h"

#include "ProtoEnums.h"

#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/ProgramChecks.h"

#include "Sim/RandomPrograms.h"

#include "absl/strings/ascii.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

using namespace mozart;
using namespace mozart::test;
using google::protobuf::util::MessageDifferencer;

namespace {

Program roundTrip(const Program &program) {
  pb::Program message;
  EXPECT_TRUE(message.ParseFromString(toProto(program).SerializeAsString()));
  absl::StatusOr<Program> back = fromProto(message);
  EXPECT_TRUE(back.ok()) << back.status();
  return back.ok() ? *std::move(back) : Program();
}

TEST(ProgramProto, RandomProgramsRunTheSame) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomCase c(seed);
    Program back = roundTrip(c.program);
    EXPECT_TRUE(MessageDifferencer::Equals(toProto(c.program), toProto(back)));
    absl::StatusOr<SimulationResult> a =
        simulate(c.program, c.machine, c.routing.bound.get());
    absl::StatusOr<SimulationResult> b =
        simulate(back, c.machine, c.routing.bound.get());
    ASSERT_TRUE(a.ok() && b.ok());
    for (size_t i = 0; i < a->tasks.size(); ++i)
      EXPECT_EQ(a->tasks[i].endPs, b->tasks[i].endPs);
    for (size_t i = 0; i < a->memories.size(); ++i)
      EXPECT_EQ(a->memories[i].peakBytes, b->memories[i].peakBytes);
  }
}

TEST(ProgramProto, EveryParameterOfEveryKernel) {
  Program p;
  p.tasks.resize(1);
  Task &task = p.tasks[0];
  task.steps.resize(6);
  KernelStep &norm = task.steps[0], &attention = task.steps[1],
             &latent = task.steps[2], &route = task.steps[3],
             &ffn = task.steps[4], &custom = task.steps[5];
  norm.kind = KernelKind::Norm;
  norm.norm = {NormKind::Layer, 0.5};
  RopeParams rope;
  rope.style = RopeStyle::Interleaved;
  rope.theta = 1.5;
  rope.rotaryDim = 2;
  rope.factor = 3.5;
  rope.yarnOriginalLength = 4;
  rope.yarnBetaFast = 5.5;
  rope.yarnBetaSlow = 6.5;
  rope.magnitude = 7.5;
  attention.kind = KernelKind::Attention;
  attention.attention = {11,   12,   13,    14,  false, true,
                         true, true, false, 1.5, 2.5,   rope};
  latent.kind = KernelKind::LatentAttention;
  latent.latent = {21, 22, 23, 24, 25, 26, 27, false, 1.25, 2.25, rope};
  route.kind = KernelKind::Route;
  route.route = {31,
                 ScoreKind::Sigmoid,
                 ScoreOrder::AfterSelection,
                 true,
                 1.75,
                 2.75,
                 true,
                 true,
                 32,
                 33,
                 GroupScore::TopTwoSum};
  ffn.kind = KernelKind::Ffn;
  ffn.ffn = {ActivationKind::GeluTanh, true, true, 1.125, 2.125};
  custom.kind = KernelKind::Custom;
  custom.custom = {"mine", 41, 42};
  custom.inputs = {5, 6};
  custom.resultTypes = {routingType(7, 8, 9, true, ElementType::BF16)};

  // Nothing that a message can say is left at its default but what is false.
  pb::Program message = toProto(p);
  auto countsFields = [](const google::protobuf::Message &m, int unset) {
    std::vector<const google::protobuf::FieldDescriptor *> fields;
    m.GetReflection()->ListFields(m, &fields);
    EXPECT_EQ(static_cast<int>(fields.size()),
              m.GetDescriptor()->field_count() - unset)
        << m.ShortDebugString();
  };
  const pb::Task &t = message.tasks(0);
  countsFields(t.steps(0).norm(), 0);
  countsFields(t.steps(1).attention(), 2); // causal, norm per head
  countsFields(t.steps(1).attention().rope(), 0);
  countsFields(t.steps(2).latent_attention(), 1); // causal
  countsFields(t.steps(3).route(), 0);
  countsFields(t.steps(4).ffn(), 0);
  countsFields(t.steps(5).custom(), 0);

  Program back = roundTrip(p);
  EXPECT_TRUE(MessageDifferencer::Equals(message, toProto(back)));
  const std::vector<KernelStep> &s = back.tasks[0].steps;
  EXPECT_EQ(s[0].norm.kind, NormKind::Layer);
  EXPECT_EQ(s[1].attention.kvHeads, 13);
  EXPECT_EQ(s[1].attention.headDim, 14);
  EXPECT_FALSE(s[1].attention.causal);
  EXPECT_EQ(s[1].attention.scale, 2.5);
  EXPECT_EQ(s[1].attention.rope.style, RopeStyle::Interleaved);
  EXPECT_EQ(s[1].attention.rope.yarnBetaSlow, 6.5);
  EXPECT_EQ(s[2].latent.qRank, 23);
  EXPECT_EQ(s[2].latent.valueDim, 27);
  EXPECT_EQ(s[2].latent.normEpsilon, 1.25);
  EXPECT_EQ(s[3].route.score, ScoreKind::Sigmoid);
  EXPECT_EQ(s[3].route.order, ScoreOrder::AfterSelection);
  EXPECT_EQ(s[3].route.keptGroups, 33);
  EXPECT_EQ(s[3].route.groupScore, GroupScore::TopTwoSum);
  EXPECT_EQ(s[4].ffn.activation, ActivationKind::GeluTanh);
  EXPECT_EQ(s[4].ffn.clampAlpha, 2.125);
  EXPECT_EQ(s[5].custom.name, "mine");
  EXPECT_EQ(s[5].custom.bytesPerRow, 42);
  EXPECT_EQ(s[5].inputs, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(describeType(s[5].resultTypes[0]),
            "local routing<7x8 of 9 x bf16>");
}

/// Enumerators correspond by position; here by name.
TEST(ProgramProto, EnumeratorsCorrespond) {
  for (int i = 0; i < pb::KernelStep::Kind_MAX; ++i) {
    KernelKind kind = static_cast<KernelKind>(i);
    EXPECT_EQ(
        pb::KernelStep::Kind_Name(enumToProto<pb::KernelStep::Kind>(kind)),
        absl::AsciiStrToUpper(kernelName(kind)));
  }
  for (int i = 0; i < pb::Task::Kind_MAX; ++i) {
    TaskKind kind = static_cast<TaskKind>(i);
    EXPECT_EQ(pb::Task::Kind_Name(enumToProto<pb::Task::Kind>(kind)),
              absl::AsciiStrToUpper(taskKindName(kind)));
  }
  for (int i = 0; i < pb::ElementType_MAX; ++i) {
    ElementType type = static_cast<ElementType>(i);
    EXPECT_EQ(describeType(tensor({}, type)),
              "tensor<" +
                  absl::AsciiStrToLower(pb::ElementType_Name(
                      enumToProto<pb::ElementType>(type))) +
                  ">");
  }
#define EXPECT_SAME(Enum, Enumerator, Proto, Name)                             \
  EXPECT_EQ(enumToProto<pb::Proto>(Enum::Enumerator), pb::Name)
  EXPECT_SAME(EngineKind, Compute, Engine::Kind, Engine::COMPUTE);
  EXPECT_SAME(EngineKind, Dma, Engine::Kind, Engine::DMA);
  EXPECT_SAME(EngineKind, Channel, Engine::Kind, Engine::CHANNEL);
  EXPECT_SAME(EngineKind, Send, Engine::Kind, Engine::SEND);
  EXPECT_SAME(EngineKind, Receive, Engine::Kind, Engine::RECEIVE);
  EXPECT_SAME(ExchangeForm, Pairs, Exchange::Form, Exchange::PAIRS);
  EXPECT_SAME(ExchangeForm, Tokens, Exchange::Form, Exchange::TOKENS);
  EXPECT_SAME(ExchangeVia, Root, Exchange::Via, Exchange::ROOT);
  EXPECT_SAME(ExchangeVia, Switch, Exchange::Via, Exchange::SWITCH);
  EXPECT_SAME(NormKind, Rms, NormParams::Kind, NormParams::RMS);
  EXPECT_SAME(NormKind, Layer, NormParams::Kind, NormParams::LAYER);
  EXPECT_SAME(RopeStyle, None, RopeParams::Style, RopeParams::NONE);
  EXPECT_SAME(RopeStyle, Half, RopeParams::Style, RopeParams::HALF);
  EXPECT_SAME(RopeStyle, Interleaved, RopeParams::Style,
              RopeParams::INTERLEAVED);
  EXPECT_SAME(ScoreKind, Softmax, RouteParams::Score, RouteParams::SOFTMAX);
  EXPECT_SAME(ScoreKind, Sigmoid, RouteParams::Score, RouteParams::SIGMOID);
  EXPECT_SAME(ScoreOrder, BeforeSelection, RouteParams::Order,
              RouteParams::BEFORE_SELECTION);
  EXPECT_SAME(ScoreOrder, AfterSelection, RouteParams::Order,
              RouteParams::AFTER_SELECTION);
  EXPECT_SAME(GroupScore, Max, RouteParams::GroupScore, RouteParams::MAX);
  EXPECT_SAME(GroupScore, TopTwoSum, RouteParams::GroupScore,
              RouteParams::TOP_TWO_SUM);
  EXPECT_SAME(ActivationKind, Swiglu, FfnParams::Activation, FfnParams::SWIGLU);
  EXPECT_SAME(ActivationKind, Geglu, FfnParams::Activation, FfnParams::GEGLU);
  EXPECT_SAME(ActivationKind, ClampedSwiglu, FfnParams::Activation,
              FfnParams::CLAMPED_SWIGLU);
  EXPECT_SAME(ActivationKind, Gelu, FfnParams::Activation, FfnParams::GELU);
  EXPECT_SAME(ActivationKind, GeluTanh, FfnParams::Activation,
              FfnParams::GELU_TANH);
  EXPECT_SAME(ActivationKind, Relu, FfnParams::Activation, FfnParams::RELU);
  EXPECT_SAME(ActivationKind, Silu, FfnParams::Activation, FfnParams::SILU);
}

TEST(ProgramProto, AbsentMeansNone) {
  Program p;
  p.buffers.resize(2);
  p.buffers[0].place = p.buffers[1].place = sram(0);
  p.buffers[1].offset = p.buffers[1].viewOf = p.buffers[1].slice = 0;
  p.inputs = {{0, 0, -1, {}}, {0, 0, 0, {}}};
  p.tasks.resize(2);
  p.tasks[1].stage = 0;
  Program back = roundTrip(p);
  EXPECT_EQ(back.buffers[0].offset, -1);
  EXPECT_EQ(back.buffers[0].viewOf, -1);
  EXPECT_EQ(back.buffers[0].slice, -1);
  EXPECT_EQ(back.buffers[1].offset, 0);
  EXPECT_EQ(back.buffers[1].viewOf, 0);
  EXPECT_EQ(back.buffers[1].slice, 0);
  EXPECT_EQ(back.inputs[0].microBatch, -1);
  EXPECT_EQ(back.inputs[1].microBatch, 0);
  EXPECT_EQ(back.tasks[0].stage, -1);
  EXPECT_EQ(back.tasks[1].stage, 0);
}

TEST(ProgramProto, WhatProgramsCannotSayIsNamed) {
  MachineModel machine = *MachineModel::create(tree({2, 2}));
  MoeShape shape;
  shape.placement = {{0}, {1}, {2}, {3}};
  const pb::Program good = toProto(moeProgram(machine, shape));
  auto task = [&](pb::Program &p, pb::Task::Kind kind) -> pb::Task & {
    for (pb::Task &t : *p.mutable_tasks())
      if (t.kind() == kind)
        return t;
    std::abort();
  };
  auto expect = [&](auto damage, const char *text) {
    pb::Program bad = good;
    damage(bad);
    absl::Status status = fromProto(bad).status();
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << status;
  };
  expect([](pb::Program &p) { p.mutable_buffers(0)->clear_place(); },
         "buffer 0 ('router.0'): has no place");
  expect(
      [](pb::Program &p) {
        p.mutable_buffers(0)->mutable_type()->clear_element();
      },
      "buffer 0 ('router.0'): element is 0");
  expect([&](pb::Program &p) { p.mutable_tasks(1)->clear_kind(); },
         "task 1 ('load.router'): kind is 0");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::DISPATCH).mutable_engines(0)->clear_kind();
      },
      "kind of an engine is 0");
  expect([&](pb::Program &p) { task(p, pb::Task::DISPATCH).clear_exchange(); },
         "('dispatch'): has no exchange");
  expect([&](pb::Program &p) { task(p, pb::Task::LOAD).mutable_exchange(); },
         "has an exchange");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMBINE).mutable_exchange()->clear_form();
      },
      "('combine'): form is 0");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMBINE).mutable_exchange()->clear_via();
      },
      "via is 0");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMPUTE).mutable_steps(1)->clear_kind();
      },
      "step 1: kind is 0");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMPUTE).mutable_steps(1)->clear_route();
      },
      "step 1: kernel 'route' has no parameters");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMPUTE).mutable_steps(1)->mutable_norm();
      },
      "those of another kernel");
  expect(
      [&](pb::Program &p) {
        task(p, pb::Task::COMPUTE)
            .mutable_steps(1)
            ->mutable_route()
            ->clear_score();
      },
      "score is 0");
}

} // namespace
