//===- SystolicArraysTest.cpp - Cycles of a matrix product ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/SystolicArrays.h"

#include "mozart/Cost/KernelCost.h"

#include "Machine/TestMachines.h"
#include "Sim/TestPrograms.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace mozart;
using namespace mozart::test;

namespace {

ComputeFacts arrays(Dataflow dataflow, int64_t rows, int64_t columns,
                    int64_t tiles = 1, int64_t perTile = 1,
                    Accumulation accumulation = Accumulation::K) {
  ComputeFacts c;
  c.tiles = tiles;
  c.arraysPerTile = perTile;
  c.arrayRows = rows;
  c.arrayColumns = columns;
  c.accumulation = accumulation;
  c.clockHz = 1000000000;
  c.tileSramBytesPerSecond = 1000000000;
  c.dataflow = dataflow;
  return c;
}

int64_t cycles(int64_t m, int64_t k, int64_t n, const ComputeFacts &c,
               int64_t count = 1) {
  return static_cast<int64_t>(arrayCycles({m, k, n, count}, c));
}

/// What SCALE-Sim v3 gives for one 128 x 128 array.
TEST(SystolicArrays, PublishedWeightStationary) {
  ComputeFacts c = arrays(Dataflow::WeightStationary, 128, 128);
  EXPECT_EQ(cycles(64, 1024, 2048, c), 57087);
  EXPECT_EQ(cycles(512, 1024, 2048, c), 114431);
}

TEST(SystolicArrays, PublishedOutputStationary) {
  ComputeFacts c = arrays(Dataflow::OutputStationary, 128, 128);
  EXPECT_EQ(cycles(64, 2048, 1024, c), 18415);
  EXPECT_EQ(cycles(64, 1024, 2048, c), 20447);
  EXPECT_EQ(cycles(512, 2048, 1024, c), 73663);
}

TEST(SystolicArrays, StreamingHasNone) {
  EXPECT_EQ(cycles(64, 64, 64, arrays(Dataflow::Streaming, 8, 8)), 0);
}

TEST(SystolicArrays, EmptyProducts) {
  for (Dataflow d : {Dataflow::WeightStationary, Dataflow::OutputStationary}) {
    ComputeFacts c = arrays(d, 8, 8);
    EXPECT_EQ(cycles(0, 8, 8, c), 0);
    EXPECT_EQ(cycles(8, 0, 8, c), 0);
    EXPECT_EQ(cycles(8, 8, 0, c), 0);
    EXPECT_EQ(cycles(8, 8, 8, c, 0), 0);
  }
}

TEST(SystolicArrays, BlocksAreSpreadOverTiles) {
  // 4 x 2 blocks of 8 x 8, 100 rows: 2 x 8 + 8 + 100 - 2 = 122 cycles each.
  for (auto [tiles, rounds] : {std::pair(1, 8), {2, 4}, {3, 3}, {8, 1}})
    EXPECT_EQ(
        cycles(100, 32, 16, arrays(Dataflow::WeightStationary, 8, 8, tiles)),
        rounds * 122 - 1);
  // 16 tiles: two for each block, with half of the rows.
  EXPECT_EQ(cycles(100, 32, 16, arrays(Dataflow::WeightStationary, 8, 8, 16)),
            72 - 1);
  // Several products fill what one leaves idle.
  EXPECT_EQ(cycles(100, 8, 8, arrays(Dataflow::WeightStationary, 8, 8, 8), 8),
            122 - 1);
  // 13 x 2 blocks of outputs on 4 tiles: 7 rounds of 8 + 8 + 32 - 2.
  EXPECT_EQ(cycles(100, 32, 16, arrays(Dataflow::OutputStationary, 8, 8, 4)),
            7 * 46 - 1);
}

TEST(SystolicArrays, ArraysAreJoined) {
  // Four arrays: 32 x 8 along K, 8 x 32 along N.
  EXPECT_EQ(cycles(10, 32, 32, arrays(Dataflow::WeightStationary, 8, 8, 1, 4)),
            4 * (64 + 8 + 10 - 2) - 1);
  EXPECT_EQ(
      cycles(10, 32, 32,
             arrays(Dataflow::WeightStationary, 8, 8, 1, 4, Accumulation::N)),
      4 * (16 + 32 + 10 - 2) - 1);
  EXPECT_EQ(cycles(10, 32, 32, arrays(Dataflow::OutputStationary, 8, 8, 1, 4)),
            2 * 4 * (8 + 8 + 8 - 2) - 1);
  EXPECT_EQ(
      cycles(10, 32, 32,
             arrays(Dataflow::OutputStationary, 8, 8, 1, 4, Accumulation::N)),
      2 * (8 + 32 + 32 - 2) - 1);
}

TEST(SystolicArrays, CausalTrianglesSkipBlocks) {
  using Triangle = MatrixProduct::Triangle;
  ComputeFacts ws = arrays(Dataflow::WeightStationary, 8, 8);
  // Four column blocks that start at rows 0, 8, 16, 24 of 32: 20 on average.
  MatrixProduct scores{32, 8, 32, 1, Triangle::Result};
  EXPECT_EQ(arrayCycles(scores, ws), 4 * (16 + 8 + 20 - 2) - 1);
  MatrixProduct values{32, 32, 8, 1, Triangle::Left};
  EXPECT_EQ(arrayCycles(values, ws), 4 * (16 + 8 + 20 - 2) - 1);
  ComputeFacts os = arrays(Dataflow::OutputStationary, 8, 8);
  // 10 of 16 blocks of scores; inner axes of 8, 16, 24, 32: 20 on average.
  EXPECT_EQ(arrayCycles(scores, os), 10 * (8 + 8 + 8 - 2) - 1);
  EXPECT_EQ(arrayCycles(values, os), 4 * (8 + 8 + 20 - 2) - 1);
}

/// Never faster than the arrays' peak, so that bounds by flops stay true; and
/// more tiles never slower.
TEST(SystolicArrays, NeverAbovePeak) {
  std::mt19937_64 random(3);
  auto pick = [&](int64_t most) {
    return 1 + static_cast<int64_t>(random() % most);
  };
  for (int round = 0; round < 3000; ++round) {
    ComputeFacts c = arrays(random() % 2 ? Dataflow::WeightStationary
                                         : Dataflow::OutputStationary,
                            pick(20), pick(20), pick(9), pick(4),
                            random() % 2 ? Accumulation::K : Accumulation::N);
    MatrixProduct p{pick(300), pick(300), pick(300), pick(5)};
    __int128 took = arrayCycles(p, c);
    EXPECT_GE((took + 1) * c.tiles * c.arraysPerTile * c.arrayRows *
                  c.arrayColumns,
              __int128(p.rows) * p.inner * p.columns * p.count);
    ComputeFacts more = c;
    more.tiles *= 2;
    EXPECT_LE(arrayCycles(p, more), took);
  }
}

TEST(SystolicArrays, TooLargeIsNegative) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  for (Dataflow d : {Dataflow::WeightStationary, Dataflow::OutputStationary})
    EXPECT_LT(arrayCycles({most, most, most, most}, arrays(d, 1, 1)), 0);
}

TEST(SystolicArrays, KernelsPayForThem) {
  NodeFacts node = chiplet("c", true, true); // 2 tiles of 4 arrays of 8 x 8
  node.compute.tileSramBytesPerSecond = int64_t(1) << 50;
  KernelStep linear;
  linear.kind = KernelKind::Linear;
  linear.resultTypes = {tensor({16, 8})};
  std::vector<ValueType> inputs = {tensor({16, 32}), tensor({32, 8})};
  EXPECT_EQ(*kernelPs(linear, inputs, node, nullptr), 8000);
  node.compute.dataflow = Dataflow::WeightStationary;
  // One block of 32 x 8; each tile takes eight rows: 64 + 8 + 8 - 2 - 1 cycles.
  EXPECT_EQ(*kernelPs(linear, inputs, node, nullptr), 77000);
  // Where the SRAM is slower than that, nothing changes.
  node.compute.tileSramBytesPerSecond = 1000000000; // 1280 bytes at 2 GB/s
  EXPECT_EQ(*kernelPs(linear, inputs, node, nullptr), 640000);
}

} // namespace
