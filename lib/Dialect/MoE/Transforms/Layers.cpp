//===- Layers.cpp - The MoE layers of a function --------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/Transforms/Layers.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

TypedValue<RoutingType> moe::getRouting(MoELayerOpInterface op) {
  return llvm::TypeSwitch<Operation *, TypedValue<RoutingType>>(op)
      .Case<RouteOp, DispatchOp, CombineOp>(
          [](auto typed) { return typed.getRouting(); })
      .Default([](Operation *) { return nullptr; });
}

/// Takes what `op` says of its layer, which must be what others said.
static LogicalResult agree(Layer &layer, MoELayerOpInterface op) {
  auto check = [&](int64_t &known, int64_t found,
                   StringRef what) -> LogicalResult {
    if (known != 0 && known != found) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "of MoE layer " << op.getLayer() << " has "
                                << found << " " << what << ", expected "
                                << known << " as other ops of the layer";
      diag.attachNote(layer.ops.front().getLoc()) << "the layer begins here";
      return failure();
    }
    known = found;
    return success();
  };
  if (ShapedType::isDynamic(op.getNumExperts()))
    return op->emitOpError()
           << "has an open number of experts, so that the model is routed "
              "already; expected one before convert-moe-to-nop";
  if (failed(check(layer.experts, op.getNumExperts(), "experts")))
    return failure();
  TypedValue<RoutingType> routing = getRouting(op);
  if (!routing)
    return success();
  if (ShapedType::isDynamic(routing.getType().getTokens()))
    return op->emitOpError() << "has routing " << routing.getType()
                             << ", expected a known number of tokens";
  return success(
      succeeded(check(layer.tokens, routing.getType().getTokens(), "tokens")) &&
      succeeded(check(layer.k, routing.getType().getK(), "slots a token")));
}

FailureOr<SmallVector<Layer>> moe::getLayers(FunctionOpInterface function) {
  std::map<uint64_t, Layer> layers;
  WalkResult walk = function->walk([&](MoELayerOpInterface op) -> WalkResult {
    Layer &layer = layers[op.getLayer()];
    if (failed(agree(layer, op)))
      return WalkResult::interrupt();
    layer.ops.push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  SmallVector<Layer> result;
  for (auto &[ordinal, layer] : layers) {
    MoELayerOpInterface first = layer.ops.front();
    if (ordinal != result.size())
      return first->emitOpError()
             << "is in MoE layer " << ordinal << ", but no op is in layer "
             << result.size() << "; expected layers to be counted from 0";
    if (layer.tokens == 0)
      return first->emitOpError()
             << "is in MoE layer " << ordinal << ", which has no routing";
    result.push_back(std::move(layer));
  }
  return result;
}

ModelAttr moe::getModel(FunctionOpInterface function) {
  return function->getAttrOfType<ModelAttr>(
      MoEDialect::ModelAttrHelper::getNameStr());
}

FailureOr<FunctionOpInterface> moe::getModelFunction(ModuleOp module) {
  FunctionOpInterface found;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!getModel(function))
      continue;
    if (found) {
      InFlightDiagnostic diag =
          function.emitError()
          << "is the second function with 'moe.model', expected one";
      diag.attachNote(found.getLoc()) << "the first is here";
      return failure();
    }
    found = function;
  }
  if (found)
    return found;
  InFlightDiagnostic diag = module.emitError()
                            << "has no function with 'moe.model', expected one";
  for (Operation &op : module.getOps())
    if (op.getName().getStringRef() == "chiplet.program")
      diag.attachNote(op.getLoc())
          << "this program has been compiled already; start from its model";
  return failure();
}
