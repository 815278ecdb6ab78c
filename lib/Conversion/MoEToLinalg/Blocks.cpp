//===- Blocks.cpp - Norms, projections and feed-forward networks ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

//===----------------------------------------------------------------------===//
// Feed-forward networks
//===----------------------------------------------------------------------===//

/// The inner value of a gated network from gate(x) and up(x).
static Value activateGated(TensorBuilder &b, FfnAttr kind, Value gate,
                           Value up) {
  switch (kind.getActivation()) {
  case Activation::Swiglu:
    return arith::MulFOp::create(b, b.silu(gate), up);
  case Activation::Geglu:
    return arith::MulFOp::create(b, b.gelu(gate), up);
  default:
    break; // clamped_swiglu
  }
  double limit = kind.getLimit().convertToDouble();
  gate = arith::MinimumFOp::create(b, gate, b.real(limit));
  up = arith::MinimumFOp::create(b, up, b.real(limit));
  up = arith::MaximumFOp::create(b, up, b.real(-limit));
  Value scaled =
      arith::MulFOp::create(b, gate, b.real(kind.getAlpha().convertToDouble()));
  Value act = arith::MulFOp::create(b, gate, b.sigmoid(scaled));
  return arith::MulFOp::create(b, act,
                               arith::AddFOp::create(b, up, b.real(1.0)));
}

static Value activate(TensorBuilder &b, FfnAttr kind, Value up) {
  switch (kind.getActivation()) {
  case Activation::Gelu:
    return b.gelu(up);
  case Activation::GeluTanh:
    return b.geluTanh(up);
  case Activation::Silu:
    return b.silu(up);
  default:
    return arith::MaximumFOp::create(b, up, b.real(0.0)); // relu
  }
}

Value mozart::buildFfn(TensorBuilder &b, Value rows, ValueRange weights,
                       ValueRange biases, FfnAttr kind, Type element) {
  Type compute = b.getComputeType();
  auto project = [&](unsigned which) {
    return b.linear(rows, weights[which],
                    biases.empty() ? Value() : biases[which], compute);
  };
  Value inner;
  if (kind.isGated()) {
    Value gate = project(0), up = project(1);
    inner = b.map(b.sizesOf(gate), compute, {{gate, {0, 1}}, {up, {0, 1}}},
                  [&](TensorBuilder &b, ValueRange args) {
                    return activateGated(b, kind, args[0], args[1]);
                  });
  } else {
    Value up = project(0);
    inner = b.map(b.sizesOf(up), compute, {{up, {0, 1}}},
                  [&](TensorBuilder &b, ValueRange args) {
                    return activate(b, kind, args[0]);
                  });
  }
  return b.linear(inner, weights.back(),
                  biases.empty() ? Value() : biases.back(), element);
}

namespace {
struct LowerFfn : public OpConversionPattern<FfnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FfnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    Type element = getFloatElement(op.getResult());
    Value gate = adaptor.getOutputGate();
    Value result = buildFfn(b, adaptor.getInput(), adaptor.getWeights(),
                            adaptor.getBiases(), op.getKind(),
                            gate ? b.getComputeType() : element);
    if (gate) {
      Value logits = b.matmul(adaptor.getInput(), gate);
      Value share = b.map(
          {b.sizeOf(logits, 0)}, b.getComputeType(),
          {{dropUnitColumn(b, logits), {0}}},
          [](TensorBuilder &b, ValueRange args) { return b.sigmoid(args[0]); });
      result =
          b.map(b.sizesOf(result), element, {{result, {0, 1}}, {share, {0}}},
                [](TensorBuilder &b, ValueRange args) -> Value {
                  return arith::MulFOp::create(b, args[0], args[1]);
                });
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// [T,1] as [T].
  static Value dropUnitColumn(TensorBuilder &b, Value column) {
    SmallVector<ReassociationIndices> all = {{0, 1}};
    return tensor::CollapseShapeOp::create(b, column, all);
  }
};

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

struct LowerNorm : public OpConversionPattern<NormOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NormOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    double epsilon = op.getEpsilon().convertToDouble();
    Type element = getFloatElement(op.getResult());
    Value result = op.getKind() == moe::NormKind::Rms
                       ? b.rmsNorm(adaptor.getInput(), adaptor.getWeight(),
                                   epsilon, element)
                       : layerNorm(b, adaptor.getInput(), adaptor.getWeight(),
                                   adaptor.getBias(), epsilon, element);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value layerNorm(TensorBuilder &b, Value rows, Value weight, Value bias,
                         double epsilon, Type element) {
    OpFoldResult tokens = b.sizeOf(rows, 0);
    auto width = static_cast<double>(
        cast<RankedTensorType>(rows.getType()).getDimSize(1));
    Value sums = b.reduce({tokens}, 0.0, {{rows, {0, 1}}}, addTerm);
    Value means =
        b.map({tokens}, b.getComputeType(), {{sums, {0}}},
              [&](TensorBuilder &b, ValueRange args) -> Value {
                return arith::DivFOp::create(b, args[0], b.real(width));
              });
    Value squares = b.reduce({tokens}, 0.0, {{rows, {0, 1}}, {means, {0}}},
                             [](TensorBuilder &b, ValueRange args) -> Value {
                               Value off =
                                   arith::SubFOp::create(b, args[0], args[1]);
                               return addProduct(b, {off, off, args[2]});
                             });
    Value roots = b.map({tokens}, b.getComputeType(), {{squares, {0}}},
                        [&](TensorBuilder &b, ValueRange args) -> Value {
                          return rootOfMean(b, args[0], width, epsilon);
                        });
    SmallVector<Access> inputs = {
        {rows, {0, 1}}, {means, {0}}, {roots, {0}}, {weight, {1}}};
    if (bias)
      inputs.push_back({bias, {1}});
    return b.map(b.sizesOf(rows), element, inputs,
                 [&](TensorBuilder &b, ValueRange args) -> Value {
                   Value off = arith::SubFOp::create(b, args[0], args[1]);
                   Value unit = arith::DivFOp::create(b, off, args[2]);
                   Value scaled = arith::MulFOp::create(b, unit, args[3]);
                   return bias ? arith::AddFOp::create(b, scaled, args[4])
                               : scaled;
                 });
  }
};

//===----------------------------------------------------------------------===//
// Projections and sums
//===----------------------------------------------------------------------===//

struct LowerAdd : public OpConversionPattern<AddOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AddOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TensorBuilder b = getBuilderFor(op, op.getResult(), rewriter);
    rewriter.replaceOp(
        op, b.map(b.sizesOf(adaptor.getLhs()), getFloatElement(op.getResult()),
                  {{adaptor.getLhs(), {0, 1}}, {adaptor.getRhs(), {0, 1}}},
                  [](TensorBuilder &b, ValueRange args) -> Value {
                    return arith::AddFOp::create(b, args[0], args[1]);
                  }));
    return success();
  }
};

/// `moe.linear` and `moe.router`.
template <typename OpT>
struct LowerProjection : public OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value result = op->getResult(0);
    TensorBuilder b = getBuilderFor(op, result, rewriter);
    rewriter.replaceOp(op,
                       b.linear(adaptor.getInput(), adaptor.getWeight(),
                                adaptor.getBias(), getFloatElement(result)));
    return success();
  }
};
} // namespace

void mozart::populateBlockPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<LowerAdd, LowerFfn, LowerNorm, LowerProjection<LinearOp>,
               LowerProjection<RouterOp>>(converter, patterns.getContext());
}
