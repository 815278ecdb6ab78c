//===- KernelCostTest.cpp - How long a compute task takes -----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/KernelCost.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mozart;
using namespace mozart::test;

namespace {

/// 2 tiles of 4 arrays of 8 x 8 at 1 GHz: 1.024 TFLOP/s. 64 GB/s of SRAM. Along
/// K, a tile takes 32 elements in and yields 8: 40 elements for 512 flops.
NodeFacts node() { return chiplet("c", true, true); }

KernelStep step(KernelKind kind, std::vector<ValueType> results = {}) {
  KernelStep s;
  s.kind = kind;
  s.resultTypes = std::move(results);
  return s;
}

int64_t ps(const KernelStep &s, std::vector<ValueType> inputs,
           const NodeFacts &where = node(),
           const RoutedCounts *counts = nullptr) {
  absl::StatusOr<int64_t> result = kernelPs(s, inputs, where, counts);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : -1;
}

int64_t linearPs(int64_t m, int64_t k, int64_t n,
                 const NodeFacts &where = node(),
                 ElementType element = ElementType::F16) {
  return ps(step(KernelKind::Linear, {tensor({m, n}, element)}),
            {tensor({m, k}, element), tensor({k, n}, element)}, where);
}

TEST(KernelCost, MatmulFedBySram) {
  // 4096 multiply-adds x 2 bytes x 40 / (32 x 8) = 1280 bytes at 64 GB/s: 20
  // ns. (Flops alone: 8192 at 1.024 TFLOP/s, 8 ns.)
  EXPECT_EQ(linearPs(16, 32, 8), 20000);
  // Four bytes an element: twice that.
  EXPECT_EQ(linearPs(16, 32, 8, node(), ElementType::F32), 40000);
}

TEST(KernelCost, MatmulBoundByItsArrays) {
  NodeFacts fast = node();
  fast.compute.tileSramBytesPerSecond = 1000000000000;
  EXPECT_EQ(linearPs(16, 32, 8, fast), 8000);
}

TEST(KernelCost, AccumulationAxis) {
  NodeFacts n = node();
  n.compute.arrayRows = 4; // K: 16 in, 8 out; N: 4 in, 32 out
  n.compute.accumulation = Accumulation::K;
  // 4096 x 2 x 24 / 128 = 1536 bytes: 24 ns.
  EXPECT_EQ(linearPs(16, 32, 8, n), 24000);
  n.compute.accumulation = Accumulation::N;
  // 4096 x 2 x 36 / 128 = 2304 bytes: 36 ns.
  EXPECT_EQ(linearPs(16, 32, 8, n), 36000);
}

TEST(KernelCost, RoundsUpOnce) {
  // One multiply-add: 0.3125 bytes at 64 GB/s = 4.88 ps.
  EXPECT_EQ(linearPs(1, 1, 1), 5);
  // 1000 of them in one step: 4882.8 ps, not 5000.
  EXPECT_EQ(linearPs(10, 10, 10), 4883);
  EXPECT_EQ(linearPs(0, 10, 10), 0);
}

TEST(KernelCost, RooflineOfThePapersMachine) {
  // 89 tiles of 16 arrays of 20 x 20 along K, 32 GB/s a tile, fp16:
  // 2 x 320 x 20 flops for 2 x 340 bytes, 89 x 32 GB/s.
  NodeFacts n = node();
  n.compute = {89, 16, 20, 20, Accumulation::K, 1000000000, 32000000000, 0};
  double expected = 2.0 * 320 * 20 / (2 * 340) * 89 * 32e9;
  EXPECT_NEAR(expected, 53.6e12, 0.05e12);
  EXPECT_NEAR(static_cast<double>(rooflineFlopsPerSecond(n, 2)), expected, 1.0);
  // The same through a kernel: 2048 x 2048 x 2048.
  double seconds = 2.0 * 2048 * 2048 * 2048 / expected;
  EXPECT_NEAR(static_cast<double>(linearPs(2048, 2048, 2048, n)),
              seconds * 1e12, 1.0);
  // With SRAM to spare, the peak: 2 x 89 x 16 x 400 x 1 GHz.
  n.compute.tileSramBytesPerSecond = 32000000000000;
  EXPECT_EQ(rooflineFlopsPerSecond(n, 2), 1139200000000000);
}

TEST(KernelCost, ElementWiseKernelsMoveBytes) {
  // Norm: x and y of 64 bytes, weight of 16: 144 bytes at 64 GB/s = 2250 ps.
  EXPECT_EQ(ps(step(KernelKind::Norm, {tensor({4, 8})}),
               {tensor({4, 8}), tensor({8})}),
            2250);
  // Add: three times 64 bytes.
  EXPECT_EQ(ps(step(KernelKind::Add, {tensor({4, 8})}),
               {tensor({4, 8}), tensor({4, 8})}),
            3000);
  // Route: 4 x 8 f32 logits, 4 x 2 ids and f16 weights: 128 + 48 bytes.
  EXPECT_EQ(ps(step(KernelKind::Route, {routingType(4, 2, 8)}),
               {tensor({4, 8}, ElementType::F32)}),
            2750);
}

/// Time of so many multiply-adds of fp16 on node().
int64_t productsPs(double multiplyAdds) {
  return static_cast<int64_t>(std::ceil(multiplyAdds * 0.3125 / 64e9 * 1e12));
}

TEST(KernelCost, Attention) {
  KernelStep s = step(KernelKind::Attention, {tensor({6, 8})});
  s.attention.sequences = 2; // of 3 tokens
  s.attention.heads = 4;
  s.attention.kvHeads = 2;
  s.attention.headDim = 3;
  std::vector<ValueType> in = {tensor({6, 8}), tensor({8, 12}), tensor({8, 6}),
                               tensor({8, 6}), tensor({12, 8})};
  // Projections 6 x 8 x (12 + 6 + 6) + 6 x 12 x 8; causal pairs 1 + 2 + 3 for
  // each of 2 x 4 heads, 3 for the score and 3 for the value.
  double projections = 6 * 8 * 24 + 6 * 12 * 8;
  EXPECT_EQ(ps(s, in), productsPs(projections + 6 * 8 * 6));
  s.attention.causal = false; // 3 x 3 pairs
  EXPECT_EQ(ps(s, in), productsPs(projections + 9 * 8 * 6));
}

TEST(KernelCost, LatentAttention) {
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
  double projections = 4 * (8 * 3 + 3 * 12 + 8 * 7 + 5 * 20 + 12 * 8);
  EXPECT_EQ(ps(s, in), productsPs(projections + 10 * 2 * (6 + 6)));
  s.latent.qRank = 0;
  in = {tensor({4, 8}), tensor({8, 12}), tensor({8, 7}),
        tensor({5}),    tensor({5, 20}), tensor({12, 8})};
  projections = 4 * (8 * 12 + 8 * 7 + 5 * 20 + 12 * 8);
  EXPECT_EQ(ps(s, in), productsPs(projections + 10 * 2 * (6 + 6)));
}

TEST(KernelCost, FfnWithAndWithoutGates) {
  KernelStep s = step(KernelKind::Ffn, {tensor({5, 8})});
  EXPECT_EQ(
      ps(s, {tensor({5, 8}), tensor({8, 4}), tensor({8, 4}), tensor({4, 8})}),
      productsPs(5 * 8 * 4 * 3));
  s.ffn.hasOutputGate = true;
  EXPECT_EQ(ps(s, {tensor({5, 8}), tensor({8, 4}), tensor({8, 4}),
                   tensor({4, 8}), tensor({8, 1})}),
            productsPs(5 * 8 * 4 * 3 + 5 * 8));
  s.ffn.activation = ActivationKind::Relu;
  s.ffn.hasOutputGate = false;
  EXPECT_EQ(ps(s, {tensor({5, 8}), tensor({8, 4}), tensor({4, 8})}),
            productsPs(5 * 8 * 4 * 2));
}

TEST(KernelCost, RoutedKernelsCountRealRows) {
  RoutedCounts counts;
  counts.tokens = 3;
  counts.pairs = 4;
  counts.pairsOfExpert = {4, 0};
  ValueType rows = tensor({16, 8});
  ValueType numbers = tensor({2}, ElementType::Index);
  KernelStep s = step(KernelKind::Experts, {rows});
  EXPECT_EQ(ps(s,
               {rows, numbers, tensor({2, 8, 4}), tensor({2, 8, 4}),
                tensor({2, 4, 8})},
               node(), &counts),
            productsPs(4 * 8 * 4 * 3));
  // Four rows of 16 bytes in and out: 128 bytes.
  EXPECT_EQ(ps(step(KernelKind::Dispatch, {rows, numbers}),
               {tensor({8, 8}), routingType(8, 2, 2, true)}, node(), &counts),
            2000);
  // Four rows in, three out: 112 bytes.
  EXPECT_EQ(ps(step(KernelKind::Combine, {tensor({8, 8})}),
               {rows, routingType(8, 2, 2, true)}, node(), &counts),
            1750);
  RoutedCounts none;
  none.pairsOfExpert = {0, 0};
  EXPECT_EQ(ps(s,
               {rows, numbers, tensor({2, 8, 4}), tensor({2, 8, 4}),
                tensor({2, 4, 8})},
               node(), &none),
            0);
}

TEST(KernelCost, RegisteredKernelsStateTheirCost) {
  KernelStep s = step(KernelKind::Custom, {tensor({4, 8})});
  s.custom.name = "mine";
  s.custom.flopsPerRow = 1024000;
  s.custom.bytesPerRow = 64;
  // 4 rows: flops 4 us, bytes 4 ns: the larger.
  EXPECT_EQ(ps(s, {tensor({4, 8})}), 4000000);
  s.custom.bytesPerRow = 640000;
  EXPECT_EQ(ps(s, {tensor({4, 8})}), 40000000);
  RoutedCounts counts;
  counts.pairs = 2;
  EXPECT_EQ(ps(s, {tensor({4, 8})}, node(), &counts), 20000000);
}

TEST(KernelCost, AgreesWithFloatingPointOnRandomShapes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    auto pick = [&](int64_t most) {
      return static_cast<int64_t>(random() % most) + 1;
    };
    NodeFacts n = node();
    n.compute = {pick(100),
                 pick(16),
                 pick(64),
                 pick(64),
                 random() % 2 ? Accumulation::K : Accumulation::N,
                 pick(2000000000),
                 pick(200000000000),
                 0};
    int64_t m = pick(8192), k = pick(8192), cols = pick(8192);
    const ComputeFacts &c = n.compute;
    double in = c.arrayRows, out = c.arrayColumns;
    (c.accumulation == Accumulation::K ? in : out) *= c.arraysPerTile;
    double products = static_cast<double>(m) * k * cols;
    double onArrays =
        products / (static_cast<double>(c.tiles) * c.arraysPerTile *
                    c.arrayRows * c.arrayColumns * c.clockHz);
    double onSram = products * 2 * (in + out) / (in * out) /
                    (static_cast<double>(c.tiles) * c.tileSramBytesPerSecond);
    double expected = std::max(onArrays, onSram) * 1e12;
    EXPECT_NEAR(static_cast<double>(linearPs(m, k, cols, n)), expected,
                expected * 1e-12 + 1.0);
  }
}

TEST(KernelCost, NeverAWrongNumberOnOverflow) {
  int64_t huge = int64_t(1) << 31;
  absl::StatusOr<int64_t> result =
      kernelPs(step(KernelKind::Linear),
               {tensor({huge, huge}), tensor({huge, huge})}, node(), nullptr);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
  result = kernelPs(
      step(KernelKind::Linear),
      {tensor({huge << 20, huge << 20}), tensor({huge << 20, huge << 20})},
      node(), nullptr);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
}

TEST(KernelCost, MissingOrWrongCountsAreNamed) {
  std::vector<ValueType> in = {tensor({8, 8}), routingType(8, 2, 2, true)};
  KernelStep s = step(KernelKind::Dispatch);
  EXPECT_NE(std::string(kernelPs(s, in, node(), nullptr).status().message())
                .find("operand 1 names no slice"),
            std::string::npos);
  RoutedCounts counts;
  counts.pairsOfExpert = {1, 2, 3};
  EXPECT_NE(std::string(kernelPs(s, in, node(), &counts).status().message())
                .find("of 2 experts, but its slice of the routing names 3"),
            std::string::npos);
}

//===--- Tasks ---===//

TEST(TaskCost, StartsOnceAndInheritsSlices) {
  MachineFacts facts = tree({1, 2});
  facts.nodes[2].compute.kernelStartPs = 1000;
  absl::StatusOr<MachineModel> machine = MachineModel::create(facts);
  ASSERT_TRUE(machine.ok());
  MoeShape shape;
  shape.form = ExchangeForm::Tokens;
  shape.placement = {{1, 0}, {2, 3}};
  Program program = moeProgram(*machine, shape);
  // Of chiplet 0 (experts 1, 0): token 0 both, token 1 none, token 2 expert 1,
  // token 3 only padding.
  TestRouting routing =
      bindIds(program, 1, {0, 1, 2, 3, 1, 3, Trace::kPadding, Trace::kPadding});
  RoutingCounter counter(program, routing.bound.get());
  ASSERT_EQ(counter.check(), absl::OkStatus());
  int32_t task = -1;
  for (size_t i = 0; i < program.tasks.size() && task < 0; ++i)
    if (program.tasks[i].name == "experts")
      task = static_cast<int32_t>(i);
  const RoutedCounts &counts =
      counter.counts(program.buffers[program.tasks[task].reads[0]].slice);
  EXPECT_EQ(counts.tokens, 2);
  EXPECT_EQ(counts.pairs, 3);
  EXPECT_EQ(counts.pairsOfExpert, (std::vector<int64_t>{2, 1}));
  // Dispatch 3 + 3 rows of 16 bytes, 1500 ps; experts 3 x 8 x 4 x 3
  // multiply-adds, 1406.25 ps; combine 3 + 2 rows, 1250 ps.
  absl::StatusOr<int64_t> total = taskPs(program, task, *machine, counter);
  ASSERT_TRUE(total.ok()) << total.status();
  EXPECT_EQ(*total, 1000 + 1500 + 1407 + 1250);

  for (Buffer &buffer : program.buffers)
    buffer.slice = -1;
  total = taskPs(program, task, *machine, counter);
  EXPECT_NE(std::string(total.status().message()).find("('experts'), step 0"),
            std::string::npos)
      << total.status();
}

TEST(TaskCost, RoutingMustFitTheProgram) {
  MachineModel machine = *MachineModel::create(tree({1, 2}));
  MoeShape shape;
  shape.placement = {{1, 0}, {2, 3}};
  Program program = moeProgram(machine, shape);
  EXPECT_FALSE(RoutingCounter(program, nullptr).check().ok());
  TestRouting routing = randomRouting(program, 1);
  program.microBatches = 2;
  EXPECT_FALSE(RoutingCounter(program, routing.bound.get()).check().ok());
  program.moeLayers = 0;
  EXPECT_TRUE(RoutingCounter(program, nullptr).check().ok());
}

} // namespace
