//===- MoEDialect.td - The model dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_IR_MOEDIALECT_TD
#define MOZART_DIALECT_MOE_IR_MOEDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def MoE_Dialect : Dialect {
  let name = "moe";
  let cppNamespace = "::mozart::moe";
  let summary = "Mixture-of-experts models: tensors, value semantics, no hardware";
  let description = [{
    A model is a function over the tokens of one micro-batch, with its layers
    unrolled. Everything that changes a number is an attribute. Routing is a value
    of its own type, and rows of tokens on their way to experts are ordinary
    tensors in a fixed order: by expert, then token, then slot.

    The function carries `moe.model`; arguments that are weights carry `moe.param`,
    alone or with the weight's name (`moe.param = "layers.0.mlp.gate"`), which
    programs and reports go on to use.
    Ops of an MoE layer carry the layer's ordinal among the MoE layers, counted
    from 0, and, once placed, a `#moe.placement`.
  }];
  let discardableAttrs = (ins "::mozart::moe::ModelAttr":$model,
                              "::mlir::Attribute":$param);
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class MoE_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MoE_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class MoE_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mozart::moe";
}

class MoE_Op<string mnemonic, list<Trait> traits = []>
    : Op<MoE_Dialect, mnemonic, traits>;

#endif // MOZART_DIALECT_MOE_IR_MOEDIALECT_TD
