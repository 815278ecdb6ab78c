//===- MoEInterfaces.td - What passes ask of model ops -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_IR_MOEINTERFACES_TD
#define MOZART_DIALECT_MOE_IR_MOEINTERFACES_TD

include "mlir/IR/OpBase.td"

def MoELayerOpInterface : OpInterface<"MoELayerOpInterface"> {
  let cppNamespace = "::mozart::moe";
  let description = "An op that belongs to an MoE layer.";
  let methods = [
    InterfaceMethod<"Ordinal of the layer among the model's MoE layers.",
      "uint64_t", "getLayer">,
    InterfaceMethod<"Where the layer's experts are; null before placement.",
      "::mozart::moe::PlacementAttr", "getPlacementAttr">,
    InterfaceMethod<"Places the layer.", "void", "setPlacementAttr",
      (ins "::mozart::moe::PlacementAttr":$placement)>,
    InterfaceMethod<"Number of experts of the layer.", "int64_t", "getNumExperts">];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mozart::moe";
  let description = [{
    An op that a chiplet can execute as one step of a compute task. Operands and
    results of the step are those of the op, in order.
  }];
  let methods = [
    InterfaceMethod<"The op's meaning as plain data (inputs and result types unset).",
      "::mozart::KernelStep", "getKernel">];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::mozart::moe";
  let description = "An op whose arithmetic can be counted.";
  let methods = [
    InterfaceMethod<[{
      Floating-point operations (a multiply and an add are two) when `rows` rows of
      its first operand hold data. Saturates at INT64_MAX.
    }], "int64_t", "getFlops", (ins "int64_t":$rows)>];
}

def ExpertBodyInterface : OpInterface<"ExpertBodyInterface"> {
  let cppNamespace = "::mozart::moe";
  let description = [{
    An op that applies experts to rows: operands `rows` [R,H] in expert order and
    `counts` [E], then weights stacked over experts; result [R,H].
  }];
  let methods = [
    InterfaceMethod<"Rows in expert order.", "::mlir::Value", "getRows">,
    InterfaceMethod<"Number of rows of each expert.", "::mlir::Value", "getCounts">,
    InterfaceMethod<"Weights, stacked over experts.", "::mlir::OperandRange",
      "getStackedWeights">];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mozart::moe";
  let description = "An op that knows what its backward needs.";
  let methods = [
    InterfaceMethod<"Values of the forward pass that backward reads.",
      "::llvm::SmallVector<::mlir::Value>", "getSavedForBackward">];
}

#endif // MOZART_DIALECT_MOE_IR_MOEINTERFACES_TD
