//===- Layers.h - The MoE layers of a function --------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_TRANSFORMS_LAYERS_H
#define MOZART_DIALECT_MOE_TRANSFORMS_LAYERS_H

#include "mozart/Dialect/MoE/IR/MoE.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mozart::moe {

/// The ops that say they belong to one MoE layer, in the order of the function.
struct Layer {
  llvm::SmallVector<MoELayerOpInterface> ops;
  int64_t tokens = 0, k = 0, experts = 0;
};

/// The routing that an op makes or goes by; null for experts.
mlir::TypedValue<RoutingType> getRouting(MoELayerOpInterface op);

/// The layers of a function that is not routed yet, by ordinal. Reports and
/// fails where an ordinal below the highest has no op, a layer has no routing,
/// ops of a layer disagree on its experts or routings on tokens and slots, or
/// an op is on a chiplet already (its number of experts is open).
mlir::FailureOr<llvm::SmallVector<Layer>>
getLayers(mlir::FunctionOpInterface function);

/// The one function of `module` with `moe.model`. Reports at the module, or at
/// the second one, and fails where there are none or several.
mlir::FailureOr<mlir::FunctionOpInterface>
getModelFunction(mlir::ModuleOp module);

/// What `moe.model` says of a function that carries it.
ModelAttr getModel(mlir::FunctionOpInterface function);

} // namespace mozart::moe

#endif // MOZART_DIALECT_MOE_TRANSFORMS_LAYERS_H
