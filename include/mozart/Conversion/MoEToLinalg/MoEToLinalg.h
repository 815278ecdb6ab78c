//===- MoEToLinalg.h - Models as linalg ---------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_CONVERSION_MOETOLINALG_MOETOLINALG_H
#define MOZART_CONVERSION_MOETOLINALG_MOETOLINALG_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mozart {

#define GEN_PASS_DECL_CONVERTMOETOLINALG
#include "mozart/Conversion/Passes.h.inc"

/// Teaches `converter` that a routing of T tokens, k slots and gate type f is
/// two tensors, tensor<Txkxi32> and tensor<Txkxf>. Other types stay.
void populateRoutingTypeConversion(mlir::TypeConverter &converter);

/// Patterns for every op of the `moe` dialect. Ops must have passed
/// `checkConvertibleToLinalg`.
void populateMoEToLinalgPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Fails, with a diagnostic at each op, where an op in `root` has a dynamic
/// extent that its lowering needs, or a routing meets an op of another dialect
/// that does not know routings.
mlir::LogicalResult checkConvertibleToLinalg(mlir::Operation *root);

} // namespace mozart

#endif // MOZART_CONVERSION_MOETOLINALG_MOETOLINALG_H
