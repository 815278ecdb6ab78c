//===- SystolicArrays.cpp - Cycles of a matrix product --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/SystolicArrays.h"

#include <algorithm>

using namespace mozart;

using int128 = __int128;

static int128 divideUp(int128 a, int128 b) { return (a + b - 1) / b; }

/// 0 + 1 + .. + (n - 1).
static int128 sumBelow(int128 n) { return n * (n - 1) / 2; }

/// rounds x cycles - 1, or -1 if it does not fit.
static int128 total(int128 rounds, int128 cycles) {
  int128 result = 0;
  return __builtin_mul_overflow(rounds, cycles, &result) ? -1 : result - 1;
}

/// Blocks of inner x columns stay in the tiles while rows stream past them:
/// 2 x block rows + block columns + rows - 2 cycles a block.
static int128 weightStationary(const MatrixProduct &p, const ComputeFacts &c) {
  const bool alongK = c.accumulation == Accumulation::K;
  const int128 blockRows = int128(c.arrayRows) * (alongK ? c.arraysPerTile : 1);
  const int128 blockColumns =
      int128(c.arrayColumns) * (alongK ? 1 : c.arraysPerTile);
  int128 blocks = 0;
  if (__builtin_mul_overflow(divideUp(p.inner, blockRows) *
                                 divideUp(p.columns, blockColumns),
                             int128(p.count), &blocks))
    return -1;
  // Below a diagonal, block b of a side starts at row b x block.
  int128 rows = p.rows;
  if (p.triangle != MatrixProduct::Triangle::None) {
    int128 block = p.triangle == MatrixProduct::Triangle::Result ? blockColumns
                                                                 : blockRows;
    int128 n = divideUp(p.rows, block);
    rows = divideUp(n * p.rows - block * sumBelow(n), n);
  }
  // Where there are fewer blocks than tiles, several take a part of the rows
  // each.
  int128 best = -1;
  for (int128 parts = 1; parts <= c.tiles && parts <= rows; parts *= 2) {
    int128 work = 0;
    if (__builtin_mul_overflow(blocks, parts, &work))
      break;
    int128 cycles =
        total(divideUp(work, c.tiles),
              2 * blockRows + blockColumns + divideUp(rows, parts) - 2);
    if (cycles >= 0 && (best < 0 || cycles < best))
      best = cycles;
    if (work >= c.tiles)
      break;
  }
  return best;
}

/// Blocks of rows x columns stay in the tiles while the inner axis streams past
/// them: block rows + block columns + inner - 2 cycles a block. Arrays joined
/// along K take a part of the inner axis each.
static int128 outputStationary(const MatrixProduct &p, const ComputeFacts &c) {
  const bool alongK = c.accumulation == Accumulation::K;
  const int128 blockRows = c.arrayRows;
  const int128 blockColumns =
      int128(c.arrayColumns) * (alongK ? 1 : c.arraysPerTile);
  int128 rowBlocks = divideUp(p.rows, blockRows);
  int128 perProduct = rowBlocks * divideUp(p.columns, blockColumns);
  int128 inner = p.inner;
  if (p.triangle == MatrixProduct::Triangle::Result) {
    int128 n = divideUp(p.columns, blockColumns);
    perProduct = divideUp(n * p.rows - blockColumns * sumBelow(n), blockRows);
  } else if (p.triangle == MatrixProduct::Triangle::Left) {
    inner = divideUp(blockRows * sumBelow(rowBlocks) + p.inner, rowBlocks);
  }
  int128 blocks = 0;
  if (__builtin_mul_overflow(perProduct, int128(p.count), &blocks))
    return -1;
  return total(divideUp(blocks, c.tiles),
               blockRows + blockColumns +
                   divideUp(inner, alongK ? c.arraysPerTile : 1) - 2);
}

__int128 mozart::arrayCycles(const MatrixProduct &product,
                             const ComputeFacts &compute) {
  if (product.rows == 0 || product.inner == 0 || product.columns == 0 ||
      product.count == 0)
    return 0;
  switch (compute.dataflow) {
  case Dataflow::Streaming:
    return 0;
  case Dataflow::WeightStationary:
    return weightStationary(product, compute);
  case Dataflow::OutputStationary:
    return outputStationary(product, compute);
  }
  return 0;
}
