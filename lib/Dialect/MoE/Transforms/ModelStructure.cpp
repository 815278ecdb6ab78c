//===- ModelStructure.cpp - What every unrouted model promises ------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelStructure.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

namespace {

/// Checks the dataflow of one layer.
class LayerVerifier {
public:
  LayerVerifier(const Layer &layer, ModelAttr model)
      : layer(layer), model(model), first(layer.ops.front()),
        ordinal(first.getLayer()) {}

  LogicalResult run() {
    if (failed(only(route)) || failed(only(dispatch)) || failed(only(combine)))
      return failure();
    return success(succeeded(checkRouting()) && succeeded(checkChain()));
  }

private:
  const Layer &layer;
  ModelAttr model;
  MoELayerOpInterface first;
  int64_t ordinal;
  RouteOp route;
  DispatchOp dispatch;
  CombineOp combine;

  /// Finds the one op of a kind.
  template <typename OpTy> LogicalResult only(OpTy &found) {
    for (MoELayerOpInterface op : layer.ops) {
      auto typed = dyn_cast<OpTy>(op.getOperation());
      if (!typed)
        continue;
      if (found) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "is the second in MoE layer " << ordinal
                                  << ", expected one";
        diag.attachNote(found.getLoc()) << "the first is here";
        return failure();
      }
      found = typed;
    }
    if (!found)
      return first->emitOpError()
             << "is in MoE layer " << ordinal << ", which has no '"
             << OpTy::getOperationName() << "', expected one";
    return success();
  }

  LogicalResult checkRouting() {
    if (layer.tokens != model.getTokens())
      return route.emitOpError()
             << "routes " << layer.tokens
             << " tokens, but 'moe.model' says that a micro-batch has "
             << model.getTokens() << " (" << model.getSequences() << " times "
             << model.getSequenceLength() << ")";
    for (MoELayerOpInterface op : layer.ops)
      if (TypedValue<RoutingType> routing = getRouting(op);
          routing && routing != route.getRouting()) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "of MoE layer " << ordinal
                                  << " is by another routing than the layer's";
        diag.attachNote(route.getLoc()) << "the layer is routed here";
        return failure();
      }
    return success();
  }

  /// From the combine back to the dispatch, past all experts.
  LogicalResult checkChain() {
    DenseSet<Operation *> passed;
    Value rows = combine.getRows();
    while (rows != dispatch.getRows()) {
      auto experts = rows.getDefiningOp<ExpertBodyInterface>();
      auto member =
          dyn_cast_or_null<MoELayerOpInterface>(experts.getOperation());
      if (!member || static_cast<int64_t>(member.getLayer()) != ordinal) {
        InFlightDiagnostic diag = combine.emitOpError()
                                  << "of MoE layer " << ordinal
                                  << " combines rows that do not come from the "
                                     "layer's dispatch through its experts";
        diag.attachNote(rows.getLoc()) << "these rows are of another origin";
        return failure();
      }
      if (experts.getCounts() != dispatch.getCounts())
        return experts->emitOpError()
               << "of MoE layer " << ordinal
               << " counts its rows by another value than the counts of the "
                  "layer's dispatch";
      passed.insert(experts);
      rows = experts.getRows();
    }
    if (passed.empty())
      return combine.emitOpError()
             << "of MoE layer " << ordinal
             << " combines rows that no experts have worked on";
    for (MoELayerOpInterface op : layer.ops)
      if (isa<ExpertBodyInterface>(op.getOperation()) && !passed.contains(op))
        return op->emitOpError() << "of MoE layer " << ordinal
                                 << " is not on the way from the layer's "
                                    "dispatch to its combine";
    return success();
  }
};
} // namespace

/// No op of a later phase.
static LogicalResult verifyPhase(FunctionOpInterface function) {
  WalkResult walk = function->walk([](Operation *op) -> WalkResult {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect != "nop" && dialect != "chiplet")
      return WalkResult::advance();
    op->emitOpError() << "is of dialect '" << dialect
                      << "', which a model has only after its experts are "
                         "placed and routed";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<SmallVector<Layer>> moe::verifyModelStructure(ModuleOp module) {
  FailureOr<FunctionOpInterface> function = getModelFunction(module);
  if (failed(function) || failed(verifyPhase(*function)))
    return failure();
  FailureOr<SmallVector<Layer>> layers = getLayers(*function);
  if (failed(layers))
    return failure();
  for (const Layer &layer : *layers)
    if (failed(LayerVerifier(layer, getModel(*function)).run()))
      return failure();
  return layers;
}
