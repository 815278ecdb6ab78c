//===- LatentAttention.cpp - Multi-head latent attention ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

/// Entries [offset, offset + size) of the last axis.
static Value sliceLast(TensorBuilder &b, Value tensor, int64_t offset,
                       int64_t size) {
  SmallVector<OpFoldResult> sizes = b.sizesOf(tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  offsets.back() = b.getIndexAttr(offset);
  sizes.back() = b.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(b, tensor, offsets, sizes, strides);
}

/// Keys [S,L,N,nope + rope]: the first `nope` entries of each head of `own`,
/// then the entries of `shared` [S,L,1,rope].
static Value joinKeys(TensorBuilder &b, Value own, Value shared,
                      LatentHeadsAttr heads) {
  Value keys = b.empty({b.sizeOf(own, 0), b.sizeOf(own, 1), b.sizeOf(own, 2),
                        b.getIndexAttr(heads.getNope() + heads.getRope())},
                       b.getComputeType());
  SmallVector<OpFoldResult> sizes = b.sizesOf(keys);
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  sizes.back() = b.getIndexAttr(heads.getNope());
  keys = tensor::InsertSliceOp::create(b, sliceLast(b, own, 0, heads.getNope()),
                                       keys, offsets, sizes, strides);
  sizes.back() = b.getIndexAttr(heads.getRope());
  offsets.back() = b.getIndexAttr(heads.getNope());
  SmallVector<ReassociationIndices> dropHead = {{0}, {1}, {2, 3}};
  Value one = tensor::CollapseShapeOp::create(b, shared, dropHead);
  Value spread =
      b.map(sizes, b.getComputeType(), {{one, {0, 1, 3}}},
            [](TensorBuilder &, ValueRange args) { return args[0]; });
  return tensor::InsertSliceOp::create(b, spread, keys, offsets, sizes,
                                       strides);
}

namespace {
struct LowerLatentAttention : public OpConversionPattern<LatentAttentionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LatentAttentionOp op, OpAdaptor in,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    LatentHeadsAttr heads = op.getHeads();
    Value input = in.getInput();
    ValueRange weights = in.getWeights();
    Value queries = buildQueries(b, op, input, weights);
    weights = weights.take_back(4); // kv_a, its norm, kv_b, output

    auto sequences = static_cast<int64_t>(op.getSequences());
    int64_t rank = heads.getKvRank();
    Value compressed = b.matmul(input, weights[0]);
    Value latent =
        b.rmsNorm(sliceLast(b, compressed, 0, rank), weights[1],
                  heads.getNormEpsilon().convertToDouble(), b.getComputeType());
    Value own = splitHeads(b, b.matmul(latent, weights[2]), sequences,
                           heads.getQuery());
    Value shared = splitHeads(
        b, sliceLast(b, compressed, rank, heads.getRope()), sequences, 1);
    Value keys = joinKeys(b, own, shared, heads);
    Value values = sliceLast(b, own, heads.getNope(), heads.getValue());
    if (op.getRopeAttr()) {
      auto type = cast<RankedTensorType>(queries.getType());
      Rotation rotation(b, op.getRopeAttr(), type.getDimSize(1),
                        type.getDimSize(3), heads.getNope());
      queries = rotation.apply(b, queries);
      keys = rotation.apply(b, keys);
    }
    Value mixed =
        buildAttend(b, queries, keys, values,
                    heads.getScale().convertToDouble(), heads.getCausal());
    rewriter.replaceOp(op, b.linear(mixed, weights[3], Value(),
                                    getFloatElement(op.getResult())));
    return success();
  }

private:
  /// Queries [S,L,N,nope + rope] before rotation.
  static Value buildQueries(TensorBuilder &b, LatentAttentionOp op, Value input,
                            ValueRange weights) {
    LatentHeadsAttr heads = op.getHeads();
    Value rows;
    if (heads.getQueryRank()) {
      Value latent = b.rmsNorm(b.matmul(input, weights[0]), weights[1],
                               heads.getNormEpsilon().convertToDouble(),
                               b.getComputeType());
      rows = b.matmul(latent, weights[2]);
    } else {
      rows = b.matmul(input, weights[0]);
    }
    return splitHeads(b, rows, static_cast<int64_t>(op.getSequences()),
                      heads.getQuery());
  }
};
} // namespace

void mozart::populateLatentAttentionPatterns(const TypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<LowerLatentAttention>(converter, patterns.getContext());
}
