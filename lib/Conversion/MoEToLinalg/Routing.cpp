//===- Routing.cpp - Choosing experts, and carrying rows to them ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

static Value compare(TensorBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}

static Value constantI32(TensorBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

static Value castToIndex(TensorBuilder &b, Value integer) {
  return arith::IndexCastOp::create(b, b.getIndexType(), integer);
}

static Value castToI32(TensorBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI32Type(), index);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Whether candidate j, of score `other`, comes before candidate i, of `own`.
static Value comesBefore(TensorBuilder &b, Value other, Value own, Value j,
                         Value i) {
  Value higher =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, other, own);
  Value equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, other, own);
  Value lower = compare(b, arith::CmpIPredicate::ult, j, i);
  return arith::OrIOp::create(b, higher,
                              arith::AndIOp::create(b, equal, lower));
}

/// For each entry of the last axis of `scores`, how many others come before it
/// in descending order; of equal ones, the lowest index comes first. With
/// `allowed` (i1, of the same shape), entries that are not come last. i32.
static Value buildRanks(TensorBuilder &b, Value scores, Value allowed = {}) {
  auto rank =
      static_cast<unsigned>(cast<RankedTensorType>(scores.getType()).getRank());
  Access own(scores, {}), other(scores, {});
  own.axes = llvm::to_vector_of<unsigned, 5>(llvm::seq<unsigned>(0, rank));
  other.axes = own.axes;
  other.axes.back() = rank;
  SmallVector<Access> inputs = {own, other};
  if (allowed) {
    inputs.push_back(own);
    inputs.push_back(other);
    inputs[2].tensor = inputs[3].tensor = allowed;
  }
  return b.accumulate(
      b.zeros(b.sizesOf(scores), b.getI32Type()), inputs,
      [&](TensorBuilder &b, ValueRange args) -> Value {
        Value before =
            comesBefore(b, args[1], args[0], linalg::IndexOp::create(b, rank),
                        linalg::IndexOp::create(b, rank - 1));
        if (allowed) {
          // An entry that is not allowed is behind all that are.
          before = arith::SelectOp::create(
              b, args[2], arith::AndIOp::create(b, args[3], before), args[3]);
        }
        Value one = arith::ExtUIOp::create(b, b.getI32Type(), before);
        return arith::AddIOp::create(b, args.back(), one);
      });
}

/// A score for each group from its experts' [T,G,P]: [T,G].
static Value buildGroupScores(TensorBuilder &b, Value choice,
                              moe::GroupScore kind) {
  SmallVector<OpFoldResult> sizes = b.sizesOf(choice);
  sizes.pop_back();
  if (kind == moe::GroupScore::Max)
    return b.reduce(sizes, -std::numeric_limits<double>::infinity(),
                    {{choice, {0, 1, 2}}},
                    [](TensorBuilder &b, ValueRange args) -> Value {
                      return arith::MaximumFOp::create(b, args[0], args[1]);
                    });
  Value ranks = buildRanks(b, choice);
  return b.reduce(sizes, 0.0, {{choice, {0, 1, 2}}, {ranks, {0, 1, 2}}},
                  [](TensorBuilder &b, ValueRange args) -> Value {
                    Value isTop = compare(b, arith::CmpIPredicate::slt, args[1],
                                          constantI32(b, 2));
                    Value sum = arith::AddFOp::create(b, args[2], args[0]);
                    return arith::SelectOp::create(b, isTop, sum, args[2]);
                  });
}

/// Whether the group of each expert is one of the kept: i1 [T,E].
static Value buildAllowed(TensorBuilder &b, Value choice, GateAttr gate) {
  auto type = cast<RankedTensorType>(choice.getType());
  int64_t groups = gate.getGroups(), perGroup = type.getDimSize(1) / groups;
  SmallVector<ReassociationIndices> axes = {{0}, {1, 2}};
  SmallVector<OpFoldResult> sizes = {
      b.sizeOf(choice, 0), b.getIndexAttr(groups), b.getIndexAttr(perGroup)};
  Value grouped = tensor::ExpandShapeOp::create(
      b, type.clone({type.getDimSize(0), groups, perGroup}), choice, axes,
      sizes);
  Value ranks =
      buildRanks(b, buildGroupScores(b, grouped, gate.getGroupScore()));
  Value allowed = b.map(sizes, b.getI1Type(), {{ranks, {0, 1}}},
                        [&](TensorBuilder &b, ValueRange args) -> Value {
                          return compare(b, arith::CmpIPredicate::slt, args[0],
                                         constantI32(b, gate.getKeptGroups()));
                        });
  return tensor::CollapseShapeOp::create(b, allowed, axes);
}

/// [T,k] of what `pick` says of the expert of rank s, for each slot s; `init`
/// where there is none. `pick` gets the values of `inputs` at [token, expert].
static Value pickByRank(TensorBuilder &b, Value ranks, Value init,
                        ArrayRef<Value> inputs, TensorBuilder::Body pick) {
  SmallVector<Access> accesses = {{ranks, {0, 2}}};
  for (Value input : inputs)
    accesses.push_back({input, {0, 2}});
  return b.accumulate(
      init, accesses, [&](TensorBuilder &b, ValueRange args) -> Value {
        Value slot = castToI32(b, linalg::IndexOp::create(b, 1));
        Value here = compare(b, arith::CmpIPredicate::eq, args[0], slot);
        Value picked = pick(b, args.drop_front().drop_back());
        return arith::SelectOp::create(b, here, picked, args.back());
      });
}

static Value buildScores(TensorBuilder &b, Value logits, Score score) {
  if (score == Score::Softmax)
    return b.softmax(logits);
  return b.map(
      b.sizesOf(logits), b.getComputeType(), {{logits, {0, 1}}},
      [](TensorBuilder &b, ValueRange args) { return b.sigmoid(args[0]); });
}

/// Gate weights [T,k] from the scores of the chosen experts.
static Value buildWeights(TensorBuilder &b, Value chosen, Value padding,
                          GateAttr gate, Type element) {
  SmallVector<Access> inputs = {{chosen, {0, 1}}};
  if (gate.getRenormalize())
    inputs.push_back(
        {b.reduce({b.sizeOf(chosen, 0)}, 0.0, {{chosen, {0, 1}}}, addTerm),
         {0}});
  if (padding)
    inputs.push_back({padding, {0}});
  return b.map(b.sizesOf(chosen), element, inputs,
               [&](TensorBuilder &b, ValueRange args) -> Value {
                 Value weight = args[0];
                 if (gate.getRenormalize()) {
                   Value epsilon =
                       b.real(gate.getRenormalizeEpsilon().convertToDouble());
                   weight = arith::DivFOp::create(
                       b, weight, arith::AddFOp::create(b, args[1], epsilon));
                 }
                 weight = arith::MulFOp::create(
                     b, weight, b.real(gate.getScale().convertToDouble()));
                 if (!padding)
                   return weight;
                 return arith::SelectOp::create(b, args.back(), b.real(0.0),
                                                weight);
               });
}

namespace {
struct LowerRoute : public OpConversionPattern<RouteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RouteOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value logits = adaptor.getLogits().front();
    FloatType element = getFloatElement(logits);
    TensorBuilder b(op.getLoc(), rewriter, mozart::getComputeType(element));
    GateAttr gate = op.getGate();
    Value bias =
        op.getSelectionBias() ? adaptor.getSelectionBias().front() : Value();
    Value padding = op.getPadding() ? adaptor.getPadding().front() : Value();

    bool before = gate.getOrder() == moe::ScoreOrder::BeforeSelection;
    Value scores = before ? buildScores(b, logits, gate.getScore())
                          : b.castElements(logits, b.getComputeType());
    Value choice = bias ? addBias(b, scores, bias) : scores;
    Value ranks = buildRanks(
        b, choice,
        gate.getGroups() > 1 ? buildAllowed(b, choice, gate) : Value());
    SmallVector<OpFoldResult> slots = {b.sizeOf(logits, 0),
                                       b.getIndexAttr(gate.getK())};
    Value ids = pickByRank(b, ranks, b.filled(slots, constantI32(b, -1)), {},
                           [](TensorBuilder &b, ValueRange) {
                             return castToI32(b, linalg::IndexOp::create(b, 2));
                           });
    Value chosen =
        pickByRank(b, ranks, b.zeros(slots, b.getComputeType()), {scores},
                   [](TensorBuilder &, ValueRange args) { return args[0]; });
    if (!before)
      chosen = buildScores(b, chosen, gate.getScore());
    Value weights = buildWeights(b, chosen, padding, gate, element);
    if (padding)
      ids = dropPadding(b, ids, padding);
    rewriter.replaceOpWithMultiple(op, {{ids, weights}});
    return success();
  }

private:
  static Value addBias(TensorBuilder &b, Value scores, Value bias) {
    return b.map(b.sizesOf(scores), b.getComputeType(),
                 {{scores, {0, 1}}, {bias, {1}}},
                 [](TensorBuilder &b, ValueRange args) -> Value {
                   return arith::AddFOp::create(b, args[0], args[1]);
                 });
  }

  static Value dropPadding(TensorBuilder &b, Value ids, Value padding) {
    return b.map(b.sizesOf(ids), b.getI32Type(),
                 {{ids, {0, 1}}, {padding, {0}}},
                 [](TensorBuilder &b, ValueRange args) -> Value {
                   return arith::SelectOp::create(b, args[1],
                                                  constantI32(b, -1), args[0]);
                 });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Order of rows
//===----------------------------------------------------------------------===//

namespace {
/// Where the rows of experts begin, for slots sorted by (expert, token, slot).
/// Slots without an expert are sorted last, as if they had expert E.
struct RowOrder {
  Value counts; ///< [E]: slots of each expert
  Value starts; ///< [E + 1]: of each expert; the last is the sum of the counts
};
} // namespace

static RowOrder buildRowOrder(TensorBuilder &b, Value ids, int64_t experts) {
  RowOrder order;
  order.counts = b.accumulate(
      b.zeros({b.getIndexAttr(experts)}, b.getIndexType()), {{ids, {1, 2}}},
      [](TensorBuilder &b, ValueRange args) -> Value {
        Value expert = castToI32(b, linalg::IndexOp::create(b, 0));
        Value here = compare(b, arith::CmpIPredicate::eq, args[0], expert);
        Value one = arith::IndexCastUIOp::create(b, b.getIndexType(), here);
        return arith::AddIOp::create(b, args[1], one);
      });
  order.starts = b.accumulate(
      b.zeros({b.getIndexAttr(experts + 1)}, b.getIndexType()),
      {{order.counts, {1}}}, [](TensorBuilder &b, ValueRange args) -> Value {
        Value before =
            compare(b, arith::CmpIPredicate::ult, linalg::IndexOp::create(b, 1),
                    linalg::IndexOp::create(b, 0));
        Value sum = arith::AddIOp::create(b, args[1], args[0]);
        return arith::SelectOp::create(b, before, sum, args[1]);
      });
  return order;
}

static Value isExpert(TensorBuilder &b, Value id, int64_t experts) {
  return compare(b, arith::CmpIPredicate::ult, castToIndex(b, id),
                 b.index(experts));
}

/// Visits the slots in order and lets `record` update `init` with the row
/// [row] of slot [token, slot].
static Value visitSlots(TensorBuilder &b, Value ids, const RowOrder &order,
                        int64_t experts, Value init,
                        function_ref<Value(TensorBuilder &, Value state,
                                           Value token, Value slot, Value row)>
                            record) {
  Value zero = b.index(0), one = b.index(1);
  SmallVector<Value> ends;
  for (OpFoldResult size : b.sizesOf(ids))
    ends.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  FloatType compute = b.getComputeType();
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), {zero, zero}, ends, {one, one}, {order.starts, init},
      [&](OpBuilder &nested, Location loc, ValueRange at,
          ValueRange state) -> scf::ValueVector {
        TensorBuilder b(loc, nested, compute);
        Value id = tensor::ExtractOp::create(b, ids, at);
        Value bucket = arith::SelectOp::create(
            b, isExpert(b, id, experts), castToIndex(b, id), b.index(experts));
        Value row = tensor::ExtractOp::create(b, state[0], bucket);
        Value next = tensor::InsertOp::create(
            b, arith::AddIOp::create(b, row, b.index(1)), state[0], bucket);
        return {next, record(b, state[1], at[0], at[1], row)};
      });
  return nest.results[1];
}

namespace {
struct LowerDispatch : public OpConversionPattern<DispatchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DispatchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput().front();
    Value ids = adaptor.getRouting().front();
    TensorBuilder b = getBuilderFor(op, op.getRows(), rewriter);
    int64_t experts = op.getRouting().getType().getExperts();
    RowOrder order = buildRowOrder(b, ids, experts);
    OpFoldResult numRows = countSlots(b, ids);
    Value tokens =
        visitSlots(b, ids, order, experts, b.zeros({numRows}, b.getIndexType()),
                   [](TensorBuilder &b, Value tokens, Value token, Value,
                      Value row) -> Value {
                     return tensor::InsertOp::create(b, token, tokens, row);
                   });
    Value rows = copyRows(b, input, tokens, numRows, order, experts);
    rewriter.replaceOp(op, {rows, order.counts});
    return success();
  }

private:
  static OpFoldResult countSlots(TensorBuilder &b, Value ids) {
    auto type = cast<RankedTensorType>(ids.getType());
    if (type.hasStaticShape())
      return b.getIndexAttr(type.getNumElements());
    Value tokens = tensor::DimOp::create(b, ids, 0);
    return Value(arith::MulIOp::create(b, tokens, b.index(type.getDimSize(1))));
  }

  /// Row r is the input's row tokens[r], or zero past the rows of experts.
  static Value copyRows(TensorBuilder &b, Value input, Value tokens,
                        OpFoldResult numRows, const RowOrder &order,
                        int64_t experts) {
    FloatType element = getFloatElement(input);
    Value total = tensor::ExtractOp::create(b, order.starts, b.index(experts));
    return b.map(
        {numRows, b.sizeOf(input, 1)}, element, {{tokens, {0}}},
        [&](TensorBuilder &b, ValueRange args) -> Value {
          Value holds = compare(b, arith::CmpIPredicate::ult,
                                linalg::IndexOp::create(b, 0), total);
          Value copy = tensor::ExtractOp::create(
              b, input, ValueRange{args[0], linalg::IndexOp::create(b, 1)});
          Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
          return arith::SelectOp::create(b, holds, copy, zero);
        });
  }
};

struct LowerCombine : public OpConversionPattern<CombineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value rows = adaptor.getRows().front();
    Value ids = adaptor.getRouting()[0], weights = adaptor.getRouting()[1];
    FloatType element = getFloatElement(op.getResult());
    TensorBuilder b(op.getLoc(), rewriter, computeType(element, weights));
    int64_t experts = op.getRouting().getType().getExperts();
    RowOrder order = buildRowOrder(b, ids, experts);
    Value rowOf = visitSlots(b, ids, order, experts,
                             b.zeros(b.sizesOf(ids), b.getIndexType()),
                             [](TensorBuilder &b, Value rowOf, Value token,
                                Value slot, Value row) -> Value {
                               return tensor::InsertOp::create(
                                   b, row, rowOf, ValueRange{token, slot});
                             });
    Value sums = b.reduce(
        {b.sizeOf(ids, 0), b.sizeOf(rows, 1)}, 0.0,
        {{ids, {0, 2}}, {weights, {0, 2}}, {rowOf, {0, 2}}},
        [&](TensorBuilder &b, ValueRange args) -> Value {
          Value row = tensor::ExtractOp::create(
              b, rows, ValueRange{args[2], linalg::IndexOp::create(b, 1)});
          Value sum = addProduct(
              b, {args[1], b.castReal(row, b.getComputeType()), args[3]});
          return arith::SelectOp::create(b, isExpert(b, args[0], experts), sum,
                                         args[3]);
        });
    rewriter.replaceOp(op, b.castElements(sums, element));
    return success();
  }

private:
  /// Gate weights may be wider than rows: then products are, too.
  static FloatType computeType(FloatType element, Value weights) {
    FloatType own = mozart::getComputeType(element);
    FloatType gate = mozart::getComputeType(getFloatElement(weights));
    return gate.getWidth() > own.getWidth() ? gate : own;
  }
};

//===----------------------------------------------------------------------===//
// Routings as tensors
//===----------------------------------------------------------------------===//

struct LowerUnpack : public OpConversionPattern<UnpackOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnpackOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getRouting());
    return success();
  }
};

struct LowerPack : public OpConversionPattern<PackOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op,
                                   {{adaptor.getIds(), adaptor.getWeights()}});
    return success();
  }
};
} // namespace

void mozart::populateRoutingPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerCombine, LowerDispatch, LowerPack, LowerRoute, LowerUnpack>(
      converter, patterns.getContext());
}
