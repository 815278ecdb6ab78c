//===- MoEToLinalg.cpp - Models as linalg ---------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Conversion/MoEToLinalg/MoEToLinalg.h"

#include "Patterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mozart {
#define GEN_PASS_DEF_CONVERTMOETOLINALG
#include "mozart/Conversion/Passes.h.inc"
} // namespace mozart

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

//===----------------------------------------------------------------------===//
// What can be lowered
//===----------------------------------------------------------------------===//

/// Extents that a lowering can leave open: the number of tokens or rows, and of
/// experts. Both are leading axes; all others are widths.
static bool mayLeaveOpen(Operation *op, Type type) {
  if (auto routing = dyn_cast<RoutingType>(type))
    return !ShapedType::isDynamic(routing.getExperts()) ||
           !isa<DispatchOp, CombineOp>(op);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return true;
  if (isa<AttentionOp, LatentAttentionOp>(op))
    return false;
  return llvm::none_of(tensor.getShape().drop_front(), ShapedType::isDynamic);
}

static LogicalResult checkExtents(Operation *op) {
  auto check = [&](StringRef what, TypeRange types) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types))
      if (!mayLeaveOpen(op, type))
        return op->emitOpError()
               << "cannot be lowered to linalg: " << what << " " << index
               << " has type " << type
               << ", of which this lowering needs to know the extent '?'; make "
                  "it static first";
    return success();
  };
  return success(succeeded(check("operand", op->getOperandTypes())) &&
                 succeeded(check("result", op->getResultTypes())));
}

/// Ops of other dialects through which a routing may pass.
static bool carriesRoutings(Operation *op) {
  return isa<func::CallOp, func::ReturnOp>(op) ||
         isa_and_nonnull<scf::SCFDialect, cf::ControlFlowDialect>(
             op->getDialect());
}

LogicalResult mozart::checkConvertibleToLinalg(Operation *root) {
  bool failed = false;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<MoEDialect>(op->getDialect())) {
      failed |= mlir::failed(checkExtents(op));
      return;
    }
    bool meetsRouting =
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RoutingType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RoutingType>);
    if (!meetsRouting || carriesRoutings(op))
      return;
    op->emitOpError() << "handles a routing, which this lowering cannot turn "
                         "into tensors for it; lower it to moe and upstream "
                         "ops first";
    failed = true;
  });
  return failure(failed);
}

//===----------------------------------------------------------------------===//
// Types, functions, profiles
//===----------------------------------------------------------------------===//

void mozart::populateRoutingTypeConversion(TypeConverter &converter) {
  converter.addConversion(
      [](RoutingType routing,
         SmallVectorImpl<Type> &parts) -> std::optional<LogicalResult> {
        int64_t shape[] = {routing.getTokens(), routing.getK()};
        parts.push_back(RankedTensorType::get(
            shape, IntegerType::get(routing.getContext(), 32)));
        parts.push_back(RankedTensorType::get(shape, routing.getGateType()));
        return success();
      });
}

namespace {
/// A routing among the arguments or results makes two of them; the attributes
/// of the others move along. (Those of a routing itself go to its ids.)
struct LowerFunction : public OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &converter = *getTypeConverter();
    FunctionType type = op.getFunctionType();
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    SmallVector<Type> results;
    SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
    if (failed(converter.convertSignatureArgs(type.getInputs(), signature)) ||
        failed(convertAll(type.getInputs(), op.getArgAttrsAttr(),
                          argumentAttrs)) ||
        failed(convertAll(type.getResults(), op.getResAttrsAttr(), resultAttrs,
                          &results)))
      return failure();
    if (!op.isExternal() && failed(rewriter.convertRegionTypes(
                                &op.getBody(), converter, &signature)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setType(FunctionType::get(getContext(), signature.getConvertedTypes(),
                                   results));
      if (op.getArgAttrsAttr())
        op.setAllArgAttrs(argumentAttrs);
      if (op.getResAttrsAttr())
        op.setAllResultAttrs(resultAttrs);
    });
    return success();
  }

private:
  LogicalResult convertAll(TypeRange types, ArrayAttr attrs,
                           SmallVectorImpl<DictionaryAttr> &newAttrs,
                           SmallVectorImpl<Type> *newTypes = nullptr) const {
    for (auto [index, type] : llvm::enumerate(types)) {
      SmallVector<Type> parts;
      if (failed(getTypeConverter()->convertType(type, parts)))
        return failure();
      auto none = DictionaryAttr::get(getContext());
      SmallVector<DictionaryAttr> partAttrs(parts.size(), none);
      if (attrs && !partAttrs.empty())
        partAttrs.front() = cast<DictionaryAttr>(attrs[index]);
      llvm::append_range(newAttrs, partAttrs);
      if (newTypes)
        llvm::append_range(*newTypes, parts);
    }
    return success();
  }
};

struct DropProfile : public OpConversionPattern<ProfileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ProfileOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mozart::populateMoEToLinalgPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  populateAttentionPatterns(converter, patterns);
  populateBlockPatterns(converter, patterns);
  populateExpertPatterns(converter, patterns);
  populateLatentAttentionPatterns(converter, patterns);
  populateRoutingPatterns(converter, patterns);
  patterns.add<DropProfile>(converter, patterns.getContext());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void dropModelAttributes(ModuleOp module) {
  StringRef model = "moe.model", param = "moe.param";
  module.walk([&](FunctionOpInterface function) {
    function->removeDiscardableAttr(model);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, param);
  });
}

namespace {
struct ConvertMoEToLinalg
    : public mozart::impl::ConvertMoEToLinalgBase<ConvertMoEToLinalg> {
  void runOnOperation() override {
    if (failed(checkConvertibleToLinalg(getOperation())))
      return signalPassFailure();
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    populateRoutingTypeConversion(converter);

    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalDialect<MoEDialect>();
    target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                           math::MathDialect, tensor::TensorDialect>();
    populateMoEToLinalgPatterns(converter, patterns);
    patterns.add<LowerFunction>(converter, &getContext());
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    cf::populateCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return converter.isSignatureLegal(op.getFunctionType()) &&
             converter.isLegal(&op.getBody());
    });
    target.addDynamicallyLegalOp<func::CallOp, func::ReturnOp>(
        [&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return signalPassFailure();
    dropModelAttributes(getOperation());
  }
};
} // namespace
