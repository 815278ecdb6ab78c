//===- TensorBuilder.h - Loop nests over tensors, tersely ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_CONVERSION_MOETOLINALG_TENSORBUILDER_H
#define MOZART_LIB_CONVERSION_MOETOLINALG_TENSORBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mozart {

/// A tensor in a loop nest: its axis i is walked by loop `axes[i]`.
struct Access {
  Access(mlir::Value tensor, std::initializer_list<unsigned> axes)
      : tensor(tensor), axes(axes) {}
  mlir::Value tensor;
  llvm::SmallVector<unsigned, 5> axes;
};

/// The type that an op works in whose results have elements of type `element`:
/// f32 where those are narrower, else their own.
mlir::FloatType getComputeType(mlir::FloatType element);

/// Builds linalg ops whose floating-point work is done in one type. Floating
/// elements that a body reads arrive in that type, and what it yields is
/// rounded to the elements of the result.
class TensorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  TensorBuilder(mlir::Location loc, mlir::OpBuilder &builder,
                mlir::FloatType computeType)
      : ImplicitLocOpBuilder(loc, builder), computeType(computeType) {}

  using Sizes = llvm::ArrayRef<mlir::OpFoldResult>;
  /// Scalars in, scalar out; the builder inserts into the body.
  using Body =
      llvm::function_ref<mlir::Value(TensorBuilder &, mlir::ValueRange)>;

  mlir::FloatType getComputeType() const { return computeType; }

  /// A scalar of the compute type; an index.
  mlir::Value real(double value);
  mlir::Value index(int64_t value);
  mlir::Value castReal(mlir::Value scalar, mlir::Type type);

  mlir::SmallVector<mlir::OpFoldResult> sizesOf(mlir::Value tensor);
  mlir::OpFoldResult sizeOf(mlir::Value tensor, unsigned axis);
  mlir::Value empty(Sizes sizes, mlir::Type element);
  mlir::Value zeros(Sizes sizes, mlir::Type element);
  mlir::Value filled(Sizes sizes, mlir::Value scalar);

  /// Loops 0, 1, ... run over the axes of `init`, which each point replaces by
  /// what `body` makes of the inputs and of it; any further loops reduce.
  mlir::Value accumulate(mlir::Value init, llvm::ArrayRef<Access> inputs,
                         Body body);
  /// `accumulate` from a new tensor of the compute type that is all `initial`.
  mlir::Value reduce(Sizes sizes, double initial, llvm::ArrayRef<Access> inputs,
                     Body body);
  /// A new tensor, each element of which is made from the inputs.
  mlir::Value map(Sizes sizes, mlir::Type element,
                  llvm::ArrayRef<Access> inputs, Body body);

  /// The tensor with elements of type `element`.
  mlir::Value castElements(mlir::Value tensor, mlir::Type element);
  /// [T,H] times [H,N], in the compute type.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);
  /// matmul(input, weight) + bias, with elements of type `element`; `bias` may
  /// be null.
  mlir::Value linear(mlir::Value input, mlir::Value weight, mlir::Value bias,
                     mlir::Type element);
  /// Rows divided by their root mean square and multiplied by `weight`, over
  /// the last axis of a tensor of rank 2 or more.
  mlir::Value rmsNorm(mlir::Value rows, mlir::Value weight, double epsilon,
                      mlir::Type element);
  /// Softmax over the last axis, in the compute type.
  mlir::Value softmax(mlir::Value tensor);

  // Scalars of the compute type.
  mlir::Value sigmoid(mlir::Value x);
  mlir::Value silu(mlir::Value x);
  mlir::Value gelu(mlir::Value x);
  mlir::Value geluTanh(mlir::Value x);

private:
  mlir::Value nest(mlir::Value init, llvm::ArrayRef<Access> inputs,
                   bool readsInit, Body body);
  mlir::FloatType computeType;
};

/// A sum in an accumulating body: args[0] + args[1].
mlir::Value addTerm(TensorBuilder &b, mlir::ValueRange args);
/// args[0] * args[1] + args[2].
mlir::Value addProduct(TensorBuilder &b, mlir::ValueRange args);
/// sqrt(sum / count + epsilon), of a scalar.
mlir::Value rootOfMean(TensorBuilder &b, mlir::Value sum, double count,
                       double epsilon);

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_MOETOLINALG_TENSORBUILDER_H
