//===- WidenElements.cpp - A model in double precision --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/WidenElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

static llvm::APFloat widen(llvm::APFloat value) {
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

static AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> Type {
    return Float64Type::get(type.getContext());
  });
  replacer.addReplacement([](FloatAttr attr) -> Attribute {
    return FloatAttr::get(Float64Type::get(attr.getContext()),
                          widen(attr.getValue()));
  });
  replacer.addReplacement([](DenseFPElementsAttr attr) -> Attribute {
    return attr.mapValues(
        Float64Type::get(attr.getContext()),
        llvm::function_ref<llvm::APInt(const llvm::APFloat &)>(
            [](const llvm::APFloat &value) {
              return widen(value).bitcastToAPInt();
            }));
  });
  return replacer;
}

static LogicalResult checkConstants(Operation *op) {
  for (NamedAttribute attr : op->getAttrs()) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attr.getValue());
    if (resource && isa<FloatType>(resource.getElementType()))
      return op->emitOpError()
             << "holds its elements in a resource, which cannot be widened to "
                "f64; expected dense<...>";
  }
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> mozart::widenElements(ModuleOp module) {
  if (module
          ->walk([](Operation *op) {
            return failed(checkConstants(op)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
          })
          .wasInterrupted())
    return failure();
  OwningOpRef<ModuleOp> wide = module.clone();
  makeReplacer().recursivelyReplaceElementsIn(*wide, /*replaceAttrs=*/true,
                                              /*replaceLocs=*/false,
                                              /*replaceTypes=*/true);
  wide->walk([](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
  if (failed(verify(*wide)))
    return failure();
  return wide;
}
