//===- Experts.cpp - Each expert on its rows ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

/// Rows [begin, begin + count) of `rows`.
static Value sliceRows(TensorBuilder &b, Value rows, Value begin, Value count) {
  SmallVector<OpFoldResult> offsets = {begin, b.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes = {count, b.sizeOf(rows, 1)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, rows, offsets, sizes, strides);
}

/// Entry `expert` of the leading axis of `stack`.
static Value sliceStack(TensorBuilder &b, Value stack, Value expert) {
  auto type = cast<RankedTensorType>(stack.getType());
  SmallVector<OpFoldResult> sizes = b.sizesOf(stack);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  offsets.front() = expert;
  sizes.front() = b.getIndexAttr(1);
  auto slice = RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType());
  return tensor::ExtractSliceOp::create(b, slice, stack, offsets, sizes,
                                        strides);
}

/// A loop over the experts of `counts`: `body` turns the rows of one, which it
/// gets with the expert's number, into its rows of the result. Rows of no
/// expert are zero.
static Value forEachExpert(
    TensorBuilder &b, Value rows, Value counts, RankedTensorType resultType,
    function_ref<Value(TensorBuilder &, Value rows, Value expert)> body) {
  FloatType compute = b.getComputeType();
  Value zero = b.index(0), one = b.index(1);
  Value experts =
      getValueOrCreateConstantIndexOp(b, b.getLoc(), b.sizeOf(counts, 0));
  OpFoldResult width = b.getIndexAttr(resultType.getDimSize(1));
  Value init = b.zeros({b.sizeOf(rows, 0), width}, resultType.getElementType());
  auto loop = scf::ForOp::create(
      b, zero, experts, one, ValueRange{zero, init},
      [&](OpBuilder &nested, Location loc, Value expert, ValueRange state) {
        TensorBuilder b(loc, nested, compute);
        Value begin = state[0];
        Value count = tensor::ExtractOp::create(b, counts, expert);
        Value made = body(b, sliceRows(b, rows, begin, count), expert);
        SmallVector<OpFoldResult> offsets = {begin, b.getIndexAttr(0)};
        SmallVector<OpFoldResult> sizes = {count, width};
        SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
        Value result = tensor::InsertSliceOp::create(b, made, state[1], offsets,
                                                     sizes, strides);
        scf::YieldOp::create(
            b, ValueRange{arith::AddIOp::create(b, begin, count), result});
      });
  return loop.getResult(1);
}

namespace {
struct LowerExperts : public OpConversionPattern<ExpertsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExpertsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Value result = forEachExpert(
        b, adaptor.getRows(), adaptor.getCounts(), type,
        [&](TensorBuilder &b, Value rows, Value expert) {
          auto own = [&](Value stack) { return sliceStack(b, stack, expert); };
          return buildFfn(b, rows,
                          llvm::map_to_vector(adaptor.getWeights(), own),
                          llvm::map_to_vector(adaptor.getBiases(), own),
                          op.getKind(), type.getElementType());
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerCustomExperts : public OpConversionPattern<CustomExpertsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CustomExpertsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    Block &body = op.getBody().front();
    Operation *yield = body.getTerminator();
    Value made = yield->getOperand(0);
    Value result = forEachExpert(
        b, adaptor.getRows(), adaptor.getCounts(),
        cast<RankedTensorType>(op.getResult().getType()),
        [&](TensorBuilder &b, Value rows, Value expert) {
          SmallVector<Value> arguments = {rows};
          for (Value stack : adaptor.getWeights())
            arguments.push_back(sliceStack(b, stack, expert));
          rewriter.inlineBlockBefore(&body, b.getInsertionBlock(),
                                     b.getInsertionPoint(), arguments);
          return made;
        });
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void mozart::populateExpertPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerCustomExperts, LowerExperts>(converter,
                                                 patterns.getContext());
}
