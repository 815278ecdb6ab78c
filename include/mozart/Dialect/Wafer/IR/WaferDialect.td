//===- WaferDialect.td - The machine dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_WAFER_IR_WAFERDIALECT_TD
#define MOZART_DIALECT_WAFER_IR_WAFERDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Wafer_Dialect : Dialect {
  let name = "wafer";
  let cppNamespace = "::mozart::wafer";
  let summary = "A machine: chiplets, switches, memories and links";
  let description = [{
    A `wafer.machine` is a symbol that holds the facts of one machine. All facts
    are integers with their unit in the name. Later dialects name nodes
    (chiplets and switches together) and memories by their index in the declared
    order, since a pass may drop a symbol that only a type mentions.

    Nothing here is an estimate: fixed costs and efficiencies are facts of the
    machine, so that no pass and no simulator holds a constant of its own.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Wafer_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Wafer_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Wafer_Op<string mnemonic, list<Trait> traits = []>
    : Op<Wafer_Dialect, mnemonic, traits>;

#endif // MOZART_DIALECT_WAFER_IR_WAFERDIALECT_TD
