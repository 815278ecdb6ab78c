//===- SystolicArrays.h - Cycles of a matrix product --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What filling and draining systolic arrays costs, and blocks that a matrix
// does not fill: the closed forms that SCALE-Sim v3 was measured to follow,
// spread over the tiles of a chiplet. docs/simulation.md, "Systolic arrays".
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_SYSTOLICARRAYS_H
#define MOZART_COST_SYSTOLICARRAYS_H

#include "mozart/Machine/MachineFacts.h"

#include <cstdint>

namespace mozart {

/// `count` products of rows x inner by inner x columns that need not follow
/// each other.
struct MatrixProduct {
  /// Where a causal mask leaves a triangle of a square: nowhere, in the result
  /// (rows x columns, scores) or in the left operand (rows x inner, values).
  enum class Triangle { None, Result, Left };

  int64_t rows = 0, inner = 0, columns = 0, count = 1;
  Triangle triangle = Triangle::None;
};

/// Cycles that a chiplet's arrays take for `product` in a systolic dataflow; 0
/// for `Streaming`, and where there is nothing to compute. -1 if they do not
/// fit in 127 bits.
__int128 arrayCycles(const MatrixProduct &product, const ComputeFacts &compute);

} // namespace mozart

#endif // MOZART_COST_SYSTOLICARRAYS_H
