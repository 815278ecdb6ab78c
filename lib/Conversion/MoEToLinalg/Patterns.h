//===- Patterns.h - What the lowerings of model ops share ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_CONVERSION_MOETOLINALG_PATTERNS_H
#define MOZART_LIB_CONVERSION_MOETOLINALG_PATTERNS_H

#include "TensorBuilder.h"

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mozart {

void populateBlockPatterns(const mlir::TypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
void populateAttentionPatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateLatentAttentionPatterns(const mlir::TypeConverter &converter,
                                     mlir::RewritePatternSet &patterns);
void populateRoutingPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateExpertPatterns(const mlir::TypeConverter &converter,
                            mlir::RewritePatternSet &patterns);

/// The element type of a tensor of floats.
inline mlir::FloatType getFloatElement(mlir::Value tensor) {
  return mlir::cast<mlir::FloatType>(
      mlir::cast<mlir::RankedTensorType>(tensor.getType()).getElementType());
}

/// A builder before `op` that works in the compute type of `result`'s elements.
inline TensorBuilder getBuilderFor(mlir::Operation *op, mlir::Value result,
                                   mlir::OpBuilder &builder) {
  return TensorBuilder(op->getLoc(), builder,
                       getComputeType(getFloatElement(result)));
}

/// The network `kind` on rows [R,H], with elements of type `element`. Weights
/// and biases (or none) are those of one `moe.ffn`, of any element type.
mlir::Value buildFfn(TensorBuilder &b, mlir::Value rows,
                     mlir::ValueRange weights, mlir::ValueRange biases,
                     moe::FfnAttr kind, mlir::Type element);

/// Projected rows [T, heads dim] as [sequences, T / sequences, heads, dim].
mlir::Value splitHeads(TensorBuilder &b, mlir::Value rows, int64_t sequences,
                       int64_t heads);

/// Turns the entries [offset, offset + rope dim) of each head by its position.
/// One is made for all tensors of an op that have these sizes.
class Rotation {
public:
  Rotation(TensorBuilder &b, moe::RopeAttr rope, int64_t length, int64_t dim,
           int64_t offset);
  /// `heads` is [sequences, length, any number, dim], of the compute type.
  mlir::Value apply(TensorBuilder &b, mlir::Value heads) const;

private:
  mlir::Value cosines, sines; ///< [length, dim] each
  mlir::Value partners;       ///< [dim]: the entry that turns with each
};

/// Softmax attention of each sequence with itself: queries [S,L,N,D], keys
/// [S,L,KV,D], values [S,L,KV,V], all of the compute type; query head h uses
/// key-value head h / (N / KV). Returns rows [S L, N V].
mlir::Value buildAttend(TensorBuilder &b, mlir::Value queries, mlir::Value keys,
                        mlir::Value values, double scale, bool causal);

} // namespace mozart

#endif // MOZART_LIB_CONVERSION_MOETOLINALG_PATTERNS_H
