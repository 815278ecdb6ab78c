//===- ChipletTypes.td - Buffers and events -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_IR_CHIPLETTYPES_TD
#define MOZART_DIALECT_CHIPLET_IR_CHIPLETTYPES_TD

include "mozart/Dialect/Chiplet/IR/ChipletDialect.td"

class Chiplet_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mozart::chiplet";
}

def Chiplet_MemoryKindEnum : Chiplet_Enum<"MemoryKind", "which kind of memory", [
  I32EnumAttrCase<"Sram", 0, "sram">, I32EnumAttrCase<"Dram", 1, "dram">]>;
def Chiplet_MoverEnum : Chiplet_Enum<"Mover", "the engine that moves a buffer", [
  I32EnumAttrCase<"Dma", 0, "dma">, I32EnumAttrCase<"Channel", 1, "channel">]>;
def Chiplet_MoverAttr : EnumAttr<Chiplet_Dialect, Chiplet_MoverEnum, "mover">;
def Chiplet_FormEnum : Chiplet_Enum<"Form", "what travels in an exchange", [
  I32EnumAttrCase<"Pairs", 0, "pairs">, I32EnumAttrCase<"Tokens", 1, "tokens">]>;
def Chiplet_FormAttr : EnumAttr<Chiplet_Dialect, Chiplet_FormEnum, "form">;
def Chiplet_ViaEnum : Chiplet_Enum<"Via", "where copies are made or sums formed", [
  I32EnumAttrCase<"Root", 0, "root">, I32EnumAttrCase<"Switch", 1, "switch">]>;
def Chiplet_ViaAttr : EnumAttr<Chiplet_Dialect, Chiplet_ViaEnum, "via">;

def Chiplet_WorkloadAttr : AttrDef<Chiplet_Dialect, "Workload"> {
  let mnemonic = "workload";
  let summary = "The model that a program runs, as far as its routing goes";
  let description = [{
    MoE layers, experts and slots of the model (all zero for a model without experts),
    tokens of a micro-batch, and micro-batches. A routing trace must fit them.
  }];
  let parameters = (ins StringRefParameter<>:$model, "int64_t":$moe_layers,
    "int64_t":$experts, "int64_t":$k, "int64_t":$tokens, "int64_t":$micro_batches);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Chiplet_BufferType : TypeDef<Chiplet_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Bytes of one memory that hold a tensor or a routing";
  let description = [{
    ```mlir
    !chiplet.buffer<tensor<4x8xf32>, sram 3>       // in the SRAM of node 3
    !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>   // in memory 0
    ```
    Nodes and memories are counted in the declared order of the machine.
  }];
  let parameters = (ins "::mlir::Type":$contents, EnumParameter<Chiplet_MemoryKindEnum>:$memory,
                        "int64_t":$index);
  let assemblyFormat = "`<` $contents `,` $memory $index `>`";
  let genVerifyDecl = 1;
}

def Chiplet_EventType : TypeDef<Chiplet_Dialect, "Event"> {
  let mnemonic = "event";
  let summary = "The end of a task";
}
def Chiplet_Event : Type<CPred<"::llvm::isa<::mozart::chiplet::EventType>($_self)">,
    "event", "::mozart::chiplet::EventType">,
    BuildableType<"::mozart::chiplet::EventType::get($_builder.getContext())">;

#endif // MOZART_DIALECT_CHIPLET_IR_CHIPLETTYPES_TD
