//===- ChipletOps.td - Ops of the program dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_CHIPLET_IR_CHIPLETOPS_TD
#define MOZART_DIALECT_CHIPLET_IR_CHIPLETOPS_TD

include "mozart/Dialect/Chiplet/IR/ChipletInterfaces.td"
include "mozart/Dialect/Chiplet/IR/ChipletTypes.td"
include "mozart/Dialect/MoE/IR/MoEAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Chiplet_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chiplet_Dialect, mnemonic, traits>;

def Chiplet_ProgramOp : Chiplet_Op<"program",
    [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A program for a machine";
  let description = [{
    Straight-line: buffers, tasks, outputs. `preset` and `seed` say how it was compiled and
    come back in reports. Its memories and nodes are those of `machine`; its layers,
    experts, tokens and micro-batches stay within `workload`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$machine,
    Chiplet_WorkloadAttr:$workload, StrAttr:$preset, I64Attr:$seed);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` $machine $workload `preset` $preset `seed` custom<Count>($seed)
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

/// A part of a program.
class Chiplet_PartOp<string mnemonic, list<Trait> traits = []>
    : Chiplet_Op<mnemonic, !listconcat(traits, [HasParent<"ProgramOp">])> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Chiplet_AllocOp : Chiplet_PartOp<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A buffer that tasks fill";
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$offset);
  let results = (outs Chiplet_BufferType:$buffer);
  let assemblyFormat = [{
    $name (`at` custom<Count>($offset)^)? attr-dict `:` type($buffer)
  }];
}

def Chiplet_InputOp : Chiplet_PartOp<"input", [MemoryEffects<[MemAlloc]>]> {
  let summary = "A DRAM buffer that holds an argument of the model at the start";
  let description = [{
    Argument `argument` of the model function: of one micro-batch, where given, and of
    `experts` (slices of the leading axis, in that order), where given.
  }];
  let arguments = (ins I64Attr:$argument, StrAttr:$name, OptionalAttr<I64Attr>:$micro_batch,
    OptionalAttr<DenseI64ArrayAttr>:$experts, OptionalAttr<I64Attr>:$offset);
  let results = (outs Chiplet_BufferType:$buffer);
  let assemblyFormat = [{
    custom<Count>($argument) $name (`micro_batch` custom<Count>($micro_batch)^)?
    (`experts` $experts^)? (`at` custom<Count>($offset)^)? attr-dict `:` type($buffer)
  }];
}

def Chiplet_ViewOp : Chiplet_PartOp<"view", [Pure]> {
  let summary = "Some rows of a buffer";
  let arguments = (ins Chiplet_BufferType:$source, I64Attr:$row);
  let results = (outs Chiplet_BufferType:$view);
  let assemblyFormat = [{
    $source `from_row` custom<Count>($row) attr-dict `:` type($source) `->` type($view)
  }];
}

def Chiplet_OutputOp : Chiplet_PartOp<"output"> {
  let summary = "Names a buffer that holds a result of the model at the end";
  let arguments = (ins Chiplet_BufferType:$buffer, I64Attr:$result, I64Attr:$micro_batch);
  let assemblyFormat = [{
    $buffer `result` custom<Count>($result) `micro_batch` custom<Count>($micro_batch)
    attr-dict `:` type($buffer)
  }];
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

class Chiplet_TaskOp<string mnemonic, list<Trait> traits = []>
    : Chiplet_PartOp<mnemonic, !listconcat(traits, [
        MemoryEffects<[MemRead, MemWrite]>,
        DeclareOpInterfaceMethods<TaskOpInterface, ["getEngines", "getReads", "getWrites"]>])>;

class Chiplet_MoveOp<string mnemonic> : Chiplet_TaskOp<mnemonic> {
  let arguments = (ins StrAttr:$name, Chiplet_BufferType:$source, Chiplet_BufferType:$target,
    Chiplet_MoverAttr:$mover, Variadic<Chiplet_Event>:$waits,
    OptionalAttr<I64Attr>:$stage);
  let results = (outs Chiplet_Event:$event);
  let assemblyFormat = [{
    $name $source `to` $target `by` `` $mover (`after` $waits^)?
    (`stage` custom<Count>($stage)^)? attr-dict `:` type($source) `->` type($target)
  }];
}

def Chiplet_LoadOp : Chiplet_MoveOp<"load"> {
  let summary = "Copies a buffer from a DRAM into the SRAM of a chiplet";
  let description = [{
    Its engine is the chiplet's DMA engine (`dma`), or the memory's controller (`channel`),
    which serves one load after another.
  }];
}

def Chiplet_StoreOp : Chiplet_MoveOp<"store"> {
  let summary = "Copies a buffer from the SRAM of a chiplet into a DRAM";
}

def Chiplet_ComputeOp : Chiplet_TaskOp<"compute",
    [AttrSizedOperandSegments, IsolatedFromAbove,
     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Computes on the arrays of a chiplet";
  let description = [{
    All buffers are in the SRAM of `node`. The region's arguments are what the buffers in `reads`
    hold; what it yields is written to `writes`, in order. It contains ops that are kernels
    (`moe.KernelOpInterface`).
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$node,
    Variadic<Chiplet_BufferType>:$reads, Variadic<Chiplet_BufferType>:$writes,
    Variadic<Chiplet_Event>:$waits, OptionalAttr<I64Attr>:$stage);
  let results = (outs Chiplet_Event:$event);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `on` custom<Count>($node) `reads` `(` $reads `)` `writes` `(` $writes `)`
    (`after` $waits^)? (`stage` custom<Count>($stage)^)? attr-dict `:`
    functional-type($reads, $writes) $body
  }];
  let hasRegionVerifier = 1;
}

def Chiplet_YieldOp : Chiplet_Op<"yield", [Pure, Terminator, ReturnLike,
                                           HasParent<"ComputeOp">]> {
  let summary = "What a compute task writes";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

class Chiplet_ExchangeOp<string mnemonic>
    : Chiplet_TaskOp<mnemonic, [AttrSizedOperandSegments]> {
  let results = (outs Chiplet_Event:$event);
}

def Chiplet_DispatchOp : Chiplet_ExchangeOp<"dispatch"> {
  let summary = "Sends tokens to the chiplets of their experts";
  let description = [{
    From `node`, which holds `input` [T,H] and `routing`, to every node of `placement`, in
    ascending order. Form `pairs` writes rows and counts of each (see `nop.scatter`), form
    `tokens` rows and local routing (see `nop.multicast`): `writes` holds two buffers a node.
    Where an expert is on several nodes, row r of `routing` chooses among them (see
    `#moe.placement`) as token `token_begin` + r of its micro-batch.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$node, Chiplet_FormAttr:$form,
    Chiplet_ViaAttr:$via, I64Attr:$layer, I64Attr:$micro_batch, I64Attr:$token_begin,
    MoE_PlacementAttr:$placement, Chiplet_BufferType:$input, Chiplet_BufferType:$routing,
    Variadic<Chiplet_BufferType>:$writes,
    Variadic<Chiplet_Event>:$waits, OptionalAttr<I64Attr>:$stage);
  let assemblyFormat = [{
    $name `` $form `via` `` $via `from` custom<Count>($node) `layer` custom<Count>($layer)
    `micro_batch` custom<Count>($micro_batch) `token` custom<Count>($token_begin)
    $input `by` $routing `writes` `(` $writes `)` `placed` $placement
    (`after` $waits^)? (`stage` custom<Count>($stage)^)? attr-dict `:`
    `(` type($input) `,` type($routing) `)` `->` `(` type($writes) `)`
  }];
}

def Chiplet_CombineOp : Chiplet_ExchangeOp<"combine"> {
  let summary = "Brings results of experts back from their chiplets";
  let description = [{
    From every node of `placement`, in ascending order, to `node`, which holds `routing`. Form
    `pairs` writes rows [T k, H] (see `nop.gather`), form `tokens` sums [T,H] (see
    `nop.reduce`). Replicas are chosen among as by `chiplet.dispatch`.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$node, Chiplet_FormAttr:$form,
    Chiplet_ViaAttr:$via, I64Attr:$layer, I64Attr:$micro_batch, I64Attr:$token_begin,
    MoE_PlacementAttr:$placement, Variadic<Chiplet_BufferType>:$inputs,
    Chiplet_BufferType:$routing, Chiplet_BufferType:$output,
    Variadic<Chiplet_Event>:$waits, OptionalAttr<I64Attr>:$stage);
  let assemblyFormat = [{
    $name `` $form `via` `` $via `to` custom<Count>($node) `layer` custom<Count>($layer)
    `micro_batch` custom<Count>($micro_batch) `token` custom<Count>($token_begin)
    ` ` `(` $inputs `)` `by` $routing `writes` $output `placed` $placement
    (`after` $waits^)? (`stage` custom<Count>($stage)^)? attr-dict `:`
    `(` type($inputs) `)` `by` type($routing) `->` type($output)
  }];
}

#endif // MOZART_DIALECT_CHIPLET_IR_CHIPLETOPS_TD
