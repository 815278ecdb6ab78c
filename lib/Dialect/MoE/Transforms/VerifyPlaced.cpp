//===- VerifyPlaced.cpp - What phase 'placed' promises --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelStructure.h"

#include "mozart/Dialect/MoE/Transforms/Passes.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"

namespace mozart::moe {
#define GEN_PASS_DEF_VERIFYPLACED
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mozart::moe

using namespace mlir;
using namespace mozart;
using namespace mozart::moe;

/// Ops of a layer have one placement.
static LogicalResult verifyPlacement(const Layer &layer) {
  MoELayerOpInterface first = layer.ops.front();
  PlacementAttr placement = first.getPlacementAttr();
  for (MoELayerOpInterface op : layer.ops) {
    if (!op.getPlacementAttr())
      return op->emitOpError()
             << "of MoE layer " << op.getLayer() << " is not placed";
    if (op.getPlacementAttr() == placement)
      continue;
    InFlightDiagnostic diag =
        op->emitOpError() << "of MoE layer " << op.getLayer()
                          << " has placement " << op.getPlacementAttr()
                          << ", expected that of the other ops of the layer";
    diag.attachNote(first.getLoc()) << "placement " << placement;
    return failure();
  }
  return success();
}

/// All placements are on chiplets of one machine.
static LogicalResult verifyMachine(ArrayRef<Layer> layers) {
  FlatSymbolRefAttr symbol;
  int64_t root = -1;
  for (const Layer &layer : layers) {
    MoELayerOpInterface first = layer.ops.front();
    PlacementAttr placement = first.getPlacementAttr();
    if (!symbol) {
      symbol = placement.getMachine();
      wafer::MachineOp machine = wafer::lookupMachine(first, symbol);
      if (!machine)
        return failure();
      root = wafer::getMachineModel(machine).root();
    }
    if (placement.getMachine() != symbol)
      return first->emitOpError()
             << "of MoE layer " << first.getLayer() << " is placed on machine "
             << placement.getMachine() << ", but layer 0 on " << symbol
             << "; expected one machine";
    if (failed(nop::verifyPlacementOnMachine(first, placement, root)))
      return failure();
  }
  return success();
}

namespace {
struct VerifyPlaced : public moe::impl::VerifyPlacedBase<VerifyPlaced> {
  void runOnOperation() override {
    FailureOr<SmallVector<Layer>> layers = verifyModelStructure(getOperation());
    if (failed(layers))
      return signalPassFailure();
    for (const Layer &layer : *layers)
      if (failed(verifyPlacement(layer)))
        return signalPassFailure();
    if (failed(verifyMachine(*layers)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
