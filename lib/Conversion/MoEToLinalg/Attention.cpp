//===- Attention.cpp - Multi-head attention and rotary embeddings ---------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

static int64_t sizeAt(Value tensor, unsigned axis) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(axis);
}

static Value expand(TensorBuilder &b, Value tensor, ArrayRef<int64_t> shape,
                    ArrayRef<ReassociationIndices> axes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::ExpandShapeOp::create(b, type.clone(shape), tensor, axes);
}

Value mozart::splitHeads(TensorBuilder &b, Value rows, int64_t sequences,
                         int64_t heads) {
  return expand(
      b, rows,
      {sequences, sizeAt(rows, 0) / sequences, heads, sizeAt(rows, 1) / heads},
      {{0, 1}, {2, 3}});
}

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

namespace {
/// What happens to each entry of a head: it becomes
///   magnitude (x cos(p frequency) + partner sin(p frequency))
/// at position p. Entries that stay have frequency 0 and magnitude 1, and are
/// their own partners; the sign of the sine is in the frequency.
struct Turn {
  SmallVector<double> frequencies, magnitudes;
  SmallVector<int64_t> partners;
};
} // namespace

static Turn getTurn(RopeAttr attr, int64_t dim, int64_t offset) {
  RopeParams rope = getRopeParams(attr);
  Turn turn{SmallVector<double>(dim, 0.0), SmallVector<double>(dim, 1.0),
            llvm::to_vector(llvm::seq<int64_t>(0, dim))};
  bool half = rope.style == mozart::RopeStyle::Half;
  for (auto [i, frequency] : llvm::enumerate(ropeFrequencies(rope))) {
    auto pair = static_cast<int64_t>(i);
    int64_t first = offset + (half ? pair : 2 * pair);
    int64_t second = half ? first + rope.rotaryDim / 2 : first + 1;
    turn.frequencies[first] = -frequency;
    turn.frequencies[second] = frequency;
    turn.magnitudes[first] = turn.magnitudes[second] = rope.magnitude;
    turn.partners[first] = second;
    turn.partners[second] = first;
  }
  return turn;
}

/// [length, frequencies] of magnitude f(position frequency). Angles are taken
/// in f64, whatever the model computes in: they grow with the position.
template <typename FunctionOp>
static Value buildTable(TensorBuilder &b, int64_t length, Value frequencies,
                        Value magnitudes) {
  TensorBuilder wide(b.getLoc(), b, b.getF64Type());
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(length),
                                     b.sizeOf(frequencies, 0)};
  return wide.map(
      sizes, b.getComputeType(), {{frequencies, {1}}, {magnitudes, {1}}},
      [](TensorBuilder &b, ValueRange args) -> Value {
        Value position = arith::IndexCastOp::create(
            b, b.getI64Type(), linalg::IndexOp::create(b, 0));
        Value angle = arith::MulFOp::create(
            b, arith::SIToFPOp::create(b, b.getF64Type(), position), args[0]);
        return arith::MulFOp::create(b, args[1], FunctionOp::create(b, angle));
      });
}

Rotation::Rotation(TensorBuilder &b, RopeAttr rope, int64_t length, int64_t dim,
                   int64_t offset) {
  Turn turn = getTurn(rope, dim, offset);
  auto reals = RankedTensorType::get({dim}, b.getF64Type());
  auto indices = RankedTensorType::get({dim}, b.getIndexType());
  Value frequencies = arith::ConstantOp::create(
      b, DenseElementsAttr::get(reals, ArrayRef<double>(turn.frequencies)));
  Value magnitudes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(reals, ArrayRef<double>(turn.magnitudes)));
  partners = arith::ConstantOp::create(
      b, DenseElementsAttr::get(indices, ArrayRef<int64_t>(turn.partners)));
  cosines = buildTable<math::CosOp>(b, length, frequencies, magnitudes);
  sines = buildTable<math::SinOp>(b, length, frequencies, magnitudes);
}

Value Rotation::apply(TensorBuilder &b, Value heads) const {
  return b.map(
      b.sizesOf(heads), b.getComputeType(),
      {{heads, {0, 1, 2, 3}},
       {cosines, {1, 3}},
       {sines, {1, 3}},
       {partners, {3}}},
      [&](TensorBuilder &b, ValueRange args) -> Value {
        SmallVector<Value> position;
        for (int64_t axis : {0, 1, 2})
          position.push_back(linalg::IndexOp::create(b, axis));
        position.push_back(args[3]);
        Value partner = tensor::ExtractOp::create(b, heads, position);
        return addProduct(
            b, {partner, args[2], arith::MulFOp::create(b, args[0], args[1])});
      });
}

//===----------------------------------------------------------------------===//
// Scores and values
//===----------------------------------------------------------------------===//

/// Scores [S,KV,G,L,L] times `scale`; -infinity where a token may not look.
static Value buildScores(TensorBuilder &b, Value queries, Value keys,
                         double scale, bool causal) {
  OpFoldResult length = b.sizeOf(queries, 1);
  SmallVector<OpFoldResult> sizes = {b.sizeOf(queries, 0), b.sizeOf(queries, 2),
                                     b.sizeOf(queries, 3), length, length};
  Value products =
      b.reduce(sizes, 0.0, {{queries, {0, 3, 1, 2, 5}}, {keys, {0, 4, 1, 5}}},
               addProduct);
  return b.map(sizes, b.getComputeType(), {{products, {0, 1, 2, 3, 4}}},
               [&](TensorBuilder &b, ValueRange args) -> Value {
                 Value score = arith::MulFOp::create(b, args[0], b.real(scale));
                 if (!causal)
                   return score;
                 Value seen =
                     arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                           linalg::IndexOp::create(b, 4),
                                           linalg::IndexOp::create(b, 3));
                 Value never = b.real(-std::numeric_limits<double>::infinity());
                 return arith::SelectOp::create(b, seen, score, never);
               });
}

Value mozart::buildAttend(TensorBuilder &b, Value queries, Value keys,
                          Value values, double scale, bool causal) {
  int64_t kv = sizeAt(keys, 2), group = sizeAt(queries, 2) / kv;
  queries = expand(
      b, queries,
      {sizeAt(queries, 0), sizeAt(queries, 1), kv, group, sizeAt(queries, 3)},
      {{0}, {1}, {2, 3}, {4}});
  Value shares = b.softmax(buildScores(b, queries, keys, scale, causal));
  SmallVector<OpFoldResult> sizes = b.sizesOf(queries);
  sizes.back() = b.sizeOf(values, 3);
  Value mixed =
      b.reduce(sizes, 0.0, {{shares, {0, 2, 3, 1, 5}}, {values, {0, 5, 2, 4}}},
               addProduct);
  SmallVector<ReassociationIndices> rows = {{0, 1}, {2, 3, 4}};
  return tensor::CollapseShapeOp::create(b, mixed, rows);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
struct LowerAttention : public OpConversionPattern<AttentionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AttentionOp op, OpAdaptor in,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    HeadsAttr heads = op.getHeads();
    auto sequences = static_cast<int64_t>(op.getSequences());
    auto bias = [&](unsigned which) {
      return in.getBiases().empty() ? Value() : in.getBiases()[which];
    };
    auto norm = [&](unsigned which) {
      return in.getQkNorms().empty() ? Value() : in.getQkNorms()[which];
    };
    Type compute = b.getComputeType();
    Value queries =
        normedHeads(b, b.linear(in.getInput(), in.getQuery(), bias(0), compute),
                    norm(0), sequences, heads.getQuery(), heads);
    Value keys =
        normedHeads(b, b.linear(in.getInput(), in.getKey(), bias(1), compute),
                    norm(1), sequences, heads.getKv(), heads);
    Value values =
        splitHeads(b, b.linear(in.getInput(), in.getValue(), bias(2), compute),
                   sequences, heads.getKv());
    if (op.getRopeAttr()) {
      Rotation rotation(b, op.getRopeAttr(), sizeAt(queries, 1), heads.getDim(),
                        /*offset=*/0);
      queries = rotation.apply(b, queries);
      keys = rotation.apply(b, keys);
    }
    Value mixed =
        buildAttend(b, queries, keys, values,
                    heads.getScale().convertToDouble(), heads.getCausal());
    rewriter.replaceOp(op, b.linear(mixed, in.getOutput(), in.getOutputBias(),
                                    getFloatElement(op.getResult())));
    return success();
  }

private:
  /// Projected rows as heads, with the norm if there is one.
  static Value normedHeads(TensorBuilder &b, Value rows, Value weight,
                           int64_t sequences, int64_t count, HeadsAttr heads) {
    double epsilon = heads.getQkNormEpsilon().convertToDouble();
    bool perHead = heads.getQkNormPerHead();
    if (weight && !perHead)
      rows = b.rmsNorm(rows, weight, epsilon, b.getComputeType());
    Value split = splitHeads(b, rows, sequences, count);
    if (weight && perHead)
      split = b.rmsNorm(split, weight, epsilon, b.getComputeType());
    return split;
  }
};
} // namespace

void mozart::populateAttentionPatterns(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<LowerAttention>(converter, patterns.getContext());
}
