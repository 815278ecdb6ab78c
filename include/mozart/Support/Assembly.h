//===- Assembly.h - What the dialects' assembly and verifiers share -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_ASSEMBLY_H
#define MOZART_SUPPORT_ASSEMBLY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpImplementation.h"

namespace mozart {

/// `custom<Count>`: an i64 attribute without its type.
inline mlir::ParseResult parseCount(mlir::OpAsmParser &parser,
                                    mlir::IntegerAttr &count) {
  int64_t value;
  if (parser.parseInteger(value))
    return mlir::failure();
  count = parser.getBuilder().getI64IntegerAttr(value);
  return mlir::success();
}

inline void printCount(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::IntegerAttr count) {
  printer << count.getInt();
}

/// A number with the name that users know it by.
struct NamedCount {
  llvm::StringRef name;
  int64_t value;
};

/// Reports the first of `counts` that is below `least`.
inline mlir::LogicalResult
requireAtLeast(int64_t least, llvm::ArrayRef<NamedCount> counts,
               llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
  for (const NamedCount &count : counts)
    if (count.value < least)
      return emitError() << "'" << count.name << "' is " << count.value
                         << ", expected at least " << least;
  return mlir::success();
}

} // namespace mozart

#endif // MOZART_SUPPORT_ASSEMBLY_H
