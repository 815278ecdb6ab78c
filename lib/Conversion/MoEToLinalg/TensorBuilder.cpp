//===- TensorBuilder.cpp - Loop nests over tensors, tersely ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mozart;

FloatType mozart::getComputeType(FloatType element) {
  return element.getWidth() < 32 ? Float32Type::get(element.getContext())
                                 : element;
}

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value TensorBuilder::real(double value) {
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(computeType.getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return arith::ConstantFloatOp::create(*this, computeType, rounded);
}

Value TensorBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TensorBuilder::castReal(Value scalar, Type type) {
  auto from = cast<FloatType>(scalar.getType()), to = cast<FloatType>(type);
  if (from == to)
    return scalar;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(*this, to, scalar);
  return arith::TruncFOp::create(*this, to, scalar);
}

Value TensorBuilder::sigmoid(Value x) {
  Value one = real(1.0);
  Value exp = math::ExpOp::create(*this, arith::NegFOp::create(*this, x));
  return arith::DivFOp::create(*this, one,
                               arith::AddFOp::create(*this, one, exp));
}

Value TensorBuilder::silu(Value x) {
  return arith::MulFOp::create(*this, x, sigmoid(x));
}

/// x / 2 (1 + inner): the common frame of both forms of gelu.
static Value geluFrame(TensorBuilder &b, Value x, Value inner) {
  Value half = arith::MulFOp::create(b, x, b.real(0.5));
  return arith::MulFOp::create(b, half,
                               arith::AddFOp::create(b, b.real(1.0), inner));
}

Value TensorBuilder::gelu(Value x) {
  Value scaled = arith::MulFOp::create(*this, x, real(std::sqrt(0.5)));
  return geluFrame(*this, x, math::ErfOp::create(*this, scaled));
}

Value TensorBuilder::geluTanh(Value x) {
  Value square = arith::MulFOp::create(*this, x, x);
  Value cube = arith::MulFOp::create(*this, square, x);
  Value sum = arith::AddFOp::create(
      *this, x, arith::MulFOp::create(*this, cube, real(0.044715)));
  Value scaled = arith::MulFOp::create(
      *this, sum, real(std::sqrt(2.0 / 3.14159265358979323846)));
  return geluFrame(*this, x, math::TanhOp::create(*this, scaled));
}

Value mozart::addTerm(TensorBuilder &b, ValueRange args) {
  return arith::AddFOp::create(b, args[1], args[0]);
}

Value mozart::addProduct(TensorBuilder &b, ValueRange args) {
  Value product = arith::MulFOp::create(b, args[0], args[1]);
  return arith::AddFOp::create(b, args[2], product);
}

Value mozart::rootOfMean(TensorBuilder &b, Value sum, double count,
                         double epsilon) {
  Value mean = arith::DivFOp::create(b, sum, b.real(count));
  return math::SqrtOp::create(b,
                              arith::AddFOp::create(b, mean, b.real(epsilon)));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> TensorBuilder::sizesOf(Value tensor) {
  return tensor::getMixedSizes(*this, getLoc(), tensor);
}

OpFoldResult TensorBuilder::sizeOf(Value tensor, unsigned axis) {
  return tensor::getMixedSize(*this, getLoc(), tensor, axis);
}

Value TensorBuilder::empty(Sizes sizes, Type element) {
  return tensor::EmptyOp::create(*this, sizes, element);
}

Value TensorBuilder::filled(Sizes sizes, Value scalar) {
  Value tensor = empty(sizes, scalar.getType());
  return linalg::FillOp::create(*this, scalar, tensor).getResult(0);
}

Value TensorBuilder::zeros(Sizes sizes, Type element) {
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(element));
  return filled(sizes, zero);
}

Value TensorBuilder::nest(Value init, ArrayRef<Access> inputs, bool readsInit,
                          Body body) {
  unsigned rank = typeOf(init).getRank(), loops = rank;
  for (const Access &input : inputs)
    for (unsigned axis : input.axes)
      loops = std::max(loops, axis + 1);
  SmallVector<AffineMap> maps;
  SmallVector<Value> tensors;
  for (const Access &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(
        AffineMap::getMultiDimMapWithTargets(loops, input.axes, getContext()));
  }
  maps.push_back(getMultiDimIdentityMap(loops).getMajorSubMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  Type element = typeOf(init).getElementType();
  auto buildBody = [&](OpBuilder &nested, Location loc, ValueRange args) {
    TensorBuilder b(loc, nested, computeType);
    SmallVector<Value> scalars;
    for (Value arg : readsInit ? args : args.drop_back())
      scalars.push_back(
          isa<FloatType>(arg.getType()) ? b.castReal(arg, computeType) : arg);
    Value result = body(b, scalars);
    if (isa<FloatType>(element))
      result = b.castReal(result, element);
    linalg::YieldOp::create(b, result);
  };
  return linalg::GenericOp::create(*this, init.getType(), tensors, init, maps,
                                   iterators, buildBody)
      .getResult(0);
}

Value TensorBuilder::accumulate(Value init, ArrayRef<Access> inputs,
                                Body body) {
  return nest(init, inputs, /*readsInit=*/true, body);
}

Value TensorBuilder::reduce(Sizes sizes, double initial,
                            ArrayRef<Access> inputs, Body body) {
  return accumulate(filled(sizes, real(initial)), inputs, body);
}

Value TensorBuilder::map(Sizes sizes, Type element, ArrayRef<Access> inputs,
                         Body body) {
  return nest(empty(sizes, element), inputs, /*readsInit=*/false, body);
}

/// All axes of a tensor, each walked by the loop of the same number.
static Access inOrder(Value tensor) {
  Access access(tensor, {});
  access.axes = llvm::to_vector_of<unsigned, 5>(
      llvm::seq<int64_t>(0, typeOf(tensor).getRank()));
  return access;
}

Value TensorBuilder::castElements(Value tensor, Type element) {
  if (typeOf(tensor).getElementType() == element)
    return tensor;
  return map(sizesOf(tensor), element, {inOrder(tensor)},
             [](TensorBuilder &, ValueRange args) { return args[0]; });
}

Value TensorBuilder::matmul(Value lhs, Value rhs) {
  Value init = zeros({sizeOf(lhs, 0), sizeOf(rhs, 1)}, computeType);
  return linalg::MatmulOp::create(*this, init.getType(), ValueRange{lhs, rhs},
                                  ValueRange{init})
      .getResult(0);
}

Value TensorBuilder::linear(Value input, Value weight, Value bias,
                            Type element) {
  Value product = matmul(input, weight);
  if (!bias)
    return castElements(product, element);
  return map(sizesOf(product), element, {{product, {0, 1}}, {bias, {1}}},
             [](TensorBuilder &b, ValueRange args) -> Value {
               return arith::AddFOp::create(b, args[0], args[1]);
             });
}

Value TensorBuilder::rmsNorm(Value rows, Value weight, double epsilon,
                             Type element) {
  SmallVector<OpFoldResult> sizes = sizesOf(rows);
  unsigned last = sizes.size() - 1;
  auto width = static_cast<double>(typeOf(rows).getShape().back());
  Value squares = reduce(Sizes(sizes).drop_back(), 0.0, {inOrder(rows)},
                         [](TensorBuilder &b, ValueRange args) -> Value {
                           return addProduct(b, {args[0], args[0], args[1]});
                         });
  Value roots = map(Sizes(sizes).drop_back(), computeType, {inOrder(squares)},
                    [&](TensorBuilder &b, ValueRange args) -> Value {
                      return rootOfMean(b, args[0], width, epsilon);
                    });
  return map(sizes, element, {inOrder(rows), inOrder(roots), {weight, {last}}},
             [](TensorBuilder &b, ValueRange args) -> Value {
               Value scaled = arith::DivFOp::create(b, args[0], args[1]);
               return arith::MulFOp::create(b, scaled, args[2]);
             });
}

Value TensorBuilder::softmax(Value tensor) {
  SmallVector<OpFoldResult> sizes = sizesOf(tensor);
  Sizes outer = Sizes(sizes).drop_back();
  Value highest =
      reduce(outer, -std::numeric_limits<double>::infinity(), {inOrder(tensor)},
             [](TensorBuilder &b, ValueRange args) -> Value {
               return arith::MaximumFOp::create(b, args[0], args[1]);
             });
  Value powers = map(sizes, computeType, {inOrder(tensor), inOrder(highest)},
                     [](TensorBuilder &b, ValueRange args) -> Value {
                       return math::ExpOp::create(
                           b, arith::SubFOp::create(b, args[0], args[1]));
                     });
  Value sums = reduce(outer, 0.0, {inOrder(powers)}, addTerm);
  return map(sizes, computeType, {inOrder(powers), inOrder(sums)},
             [](TensorBuilder &b, ValueRange args) -> Value {
               return arith::DivFOp::create(b, args[0], args[1]);
             });
}
