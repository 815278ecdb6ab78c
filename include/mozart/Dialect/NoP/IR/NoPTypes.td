//===- NoPTypes.td - Values on several nodes -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_NOP_IR_NOPTYPES_TD
#define MOZART_DIALECT_NOP_IR_NOPTYPES_TD

include "mozart/Dialect/NoP/IR/NoPDialect.td"

def NoP_ViaEnum : I32EnumAttr<"Via", "where copies are made or sums formed", [
    I32EnumAttrCase<"Root", 0, "root">, I32EnumAttrCase<"Switch", 1, "switch">]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mozart::nop";
}
def NoP_ViaAttr : EnumAttr<NoP_Dialect, NoP_ViaEnum, "via">;

def NoP_DistributedType : TypeDef<NoP_Dialect, "Distributed"> {
  let mnemonic = "distributed";
  let summary = "One value on each of several nodes";
  let description = [{
    ```mlir
    !nop.distributed<tensor<4x8xf32>, [2, 3]>
    ```
    A tensor or a local routing on each node of the list (indices in the declared order
    of the machine, ascending). A dynamic extent is the node's number of experts.
  }];
  let parameters = (ins "::mlir::Type":$local,
                        ArrayRefParameter<"int64_t">:$nodes);
  let assemblyFormat = "`<` $local `,` custom<Nodes>($nodes) `>`";
  let genVerifyDecl = 1;
}

#endif // MOZART_DIALECT_NOP_IR_NOPTYPES_TD
