//===- MoETypes.td - The routing type -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_MOE_IR_MOETYPES_TD
#define MOZART_DIALECT_MOE_IR_MOETYPES_TD

include "mozart/Dialect/MoE/IR/MoEDialect.td"

def MoE_RoutingType : TypeDef<MoE_Dialect, "Routing"> {
  let mnemonic = "routing";
  let summary = "Which k of E experts each of T tokens goes to, with what weights";
  let description = [{
    ```mlir
    !moe.routing<4x2 of 3, f32>          // 4 tokens, 2 slots, 3 experts
    !moe.routing<4x2 of 2, f32, local>   // ids that only a chiplet understands
    ```
    Each slot holds an expert id and a gate weight of the given type. A slot may be
    padding: its id is -1, its weight zero, and it is skipped everywhere. The
    experts of one token are distinct. Ids of a `local` routing count the experts of
    one chiplet, so a local and a global routing never mix. Inside `nop.local` the
    number of experts is `?`, the node's own.
  }];
  let parameters = (ins "int64_t":$tokens, "int64_t":$k, "int64_t":$experts,
                        "::mlir::FloatType":$gateType, "bool":$local);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // MOZART_DIALECT_MOE_IR_MOETYPES_TD
