//===- NoPDialect.td - The network dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_NOP_IR_NOPDIALECT_TD
#define MOZART_DIALECT_NOP_IR_NOPDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def NoP_Dialect : Dialect {
  let name = "nop";
  let cppNamespace = "::mozart::nop";
  let summary = "Communication on the tree of chiplets";
  let description = [{
    Values that live on several nodes have type `!nop.distributed`; ordinary values
    live on the root. Tokens leave the root by `nop.scatter` (one row for each of a
    token's experts) or `nop.multicast` (one row for each chiplet of a token), are
    worked on by `nop.local`, and come back by `nop.gather` (one row an expert) or
    `nop.reduce` (one partial sum a chiplet). Where copies are made and sums formed,
    at the root or at the switches on the way, is `via`. Where the placement has an
    expert on several nodes, an exchange takes each of its tokens to one of them, by
    the rule of `#moe.placement`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mozart::moe::MoEDialect"];
}

#endif // MOZART_DIALECT_NOP_IR_NOPDIALECT_TD
