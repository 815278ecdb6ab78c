//===- WaferAttrs.td - Facts of chiplets, switches, memories, links -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_WAFER_IR_WAFERATTRS_TD
#define MOZART_DIALECT_WAFER_IR_WAFERATTRS_TD

include "mozart/Dialect/Wafer/IR/WaferDialect.td"

class Wafer_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mozart::wafer";
}

def Wafer_TopologyEnum : Wafer_Enum<"Topology", "how the network is joined", [
  I32EnumAttrCase<"Tree", 0, "tree">, I32EnumAttrCase<"Mesh", 1, "mesh">]>;
def Wafer_TopologyAttr : EnumAttr<Wafer_Dialect, Wafer_TopologyEnum, "topology">;

def Wafer_HostsEnum : Wafer_Enum<"Hosts", "work that a chiplet may do", [
  I32EnumAttrCase<"Attention", 0, "attention">,
  I32EnumAttrCase<"Experts", 1, "experts">,
  I32EnumAttrCase<"Any", 2, "any">]>;

def Wafer_HostsAttr : EnumAttr<Wafer_Dialect, Wafer_HostsEnum, "hosts">;

def Wafer_ForwardingEnum : Wafer_Enum<"Forwarding",
  "when a switch passes a message on", [
  I32EnumAttrCase<"CutThrough", 0, "cut_through">,
  I32EnumAttrCase<"StoreAndForward", 1, "store_and_forward">]>;

def Wafer_AccumulationEnum : Wafer_Enum<"Accumulation",
  "the matrix axis along which the arrays of a tile are joined", [
  I32EnumAttrCase<"K", 0, "k">, I32EnumAttrCase<"N", 1, "n">]>;

def Wafer_DataflowEnum : Wafer_Enum<"Dataflow",
  "how a matrix product runs on the arrays", [
  I32EnumAttrCase<"Streaming", 0, "streaming">,
  I32EnumAttrCase<"WeightStationary", 1, "weight_stationary">,
  I32EnumAttrCase<"OutputStationary", 2, "output_stationary">]>;

def Wafer_QueueingEnum : Wafer_Enum<"Queueing",
  "where a switch keeps what waits for an output", [
  I32EnumAttrCase<"Output", 0, "output">, I32EnumAttrCase<"Input", 1, "input">]>;

/// An enum with a default.
class Wafer_DefaultEnum<EnumInfo info, string value> : EnumParameter<info> {
  let defaultValue = value;
}

def Wafer_ComputeAttr : Wafer_Attr<"Compute", "compute"> {
  let summary = "The systolic arrays of a chiplet and the SRAM ports that feed them";
  let description = [{
    The peak is 2 tiles arrays_per_tile array_rows array_columns clock_hz flops a
    second; the SRAM roofline follows from `tile_sram_bytes_per_second` and the
    operands that the arrays of a tile share (`accumulation`). A kernel costs
    `kernel_start_ps` before its first operation.

    `dataflow` says how a matrix product runs: `streaming` is the roofline alone;
    `weight_stationary` and `output_stationary` are systolic and also pay for
    filling and draining the arrays and for blocks that a matrix does not fill.
    Energies count a flop (a multiply-add is two) and a byte read from or written
    to the SRAM; 0 says that the fact is not known.
  }];
  let parameters = (ins
    "int64_t":$tiles, "int64_t":$arrays_per_tile, "int64_t":$array_rows,
    "int64_t":$array_columns,
    Wafer_DefaultEnum<Wafer_AccumulationEnum, "Accumulation::K">:$accumulation,
    "int64_t":$clock_hz, "int64_t":$tile_sram_bytes_per_second,
    DefaultValuedParameter<"int64_t", "0">:$kernel_start_ps,
    Wafer_DefaultEnum<Wafer_DataflowEnum, "Dataflow::Streaming">:$dataflow,
    DefaultValuedParameter<"int64_t", "0">:$femtojoules_per_flop,
    DefaultValuedParameter<"int64_t", "0">:$sram_femtojoules_per_byte);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Wafer_SwitchingAttr : Wafer_Attr<"Switching", "switching"> {
  let summary = "What a switch can do";
  let description = [{
    `multicast_bytes_per_second` and `reduce_bytes_per_second` are the rates at
    which it copies to several links and adds from several links; 0 says that it
    cannot. `latency_ps` passes between the arrival of a message's head and its
    departure.

    `queueing = output` is the ideal switch: nothing waits for another output's
    sake. With `input` each input has `virtual_channels` queues of
    `virtual_channel_flits` flits whose head blocks what is behind it, and
    `efficiency_ppm` states what share of its links' rates passes when many inputs
    ask for many outputs, in millionths: networks without queues go by that
    number, those with queues by the queues. A flit's head takes `pipeline_cycles`
    through the switch; in one cycle the allocator makes `allocator_iterations`
    rounds and the switch passes `speedup` flits of an input.

    Energies count a byte that passes, and on top of that a byte that is added
    (as it arrives) or copied (as it leaves); 0 says that the fact is not known.
  }];
  let parameters = (ins
    Wafer_DefaultEnum<Wafer_ForwardingEnum, "Forwarding::CutThrough">:$forwarding,
    "int64_t":$buffer_bytes,
    DefaultValuedParameter<"int64_t", "0">:$latency_ps,
    DefaultValuedParameter<"int64_t", "0">:$multicast_bytes_per_second,
    DefaultValuedParameter<"int64_t", "0">:$reduce_bytes_per_second,
    Wafer_DefaultEnum<Wafer_QueueingEnum, "Queueing::Output">:$queueing,
    DefaultValuedParameter<"int64_t", "1000000">:$efficiency_ppm,
    DefaultValuedParameter<"int64_t", "4">:$virtual_channels,
    DefaultValuedParameter<"int64_t", "32">:$virtual_channel_flits,
    DefaultValuedParameter<"int64_t", "32">:$flit_bytes,
    DefaultValuedParameter<"int64_t", "1">:$pipeline_cycles,
    DefaultValuedParameter<"int64_t", "1">:$allocator_iterations,
    DefaultValuedParameter<"int64_t", "1">:$speedup,
    DefaultValuedParameter<"int64_t", "0">:$femtojoules_per_byte,
    DefaultValuedParameter<"int64_t", "0">:$reduce_femtojoules_per_byte,
    DefaultValuedParameter<"int64_t", "0">:$multicast_femtojoules_per_byte);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Wafer_StorageAttr : Wafer_Attr<"Storage", "storage"> {
  let summary = "Size and rates of a memory";
  let description = [{
    Sustained rates are the given peak rates times `efficiency_ppm` millionths.
    An `elastic` memory that holds more than `bytes` is reported, not refused.
    While it is asked for reads and writes at once it serves each for
    `turnaround_bytes` before it turns to the other, which costs `turnaround_ps`.
    Energies count a byte read and a byte written; 0 says that the fact is not
    known.
  }];
  let parameters = (ins
    "int64_t":$bytes, "int64_t":$read_bytes_per_second,
    "int64_t":$write_bytes_per_second,
    DefaultValuedParameter<"int64_t", "1000000">:$efficiency_ppm,
    DefaultValuedParameter<"int64_t", "0">:$latency_ps,
    DefaultValuedParameter<"int64_t", "0">:$turnaround_ps,
    DefaultValuedParameter<"int64_t", "0">:$turnaround_bytes,
    DefaultValuedParameter<"int64_t", "0">:$read_femtojoules_per_byte,
    DefaultValuedParameter<"int64_t", "0">:$write_femtojoules_per_byte,
    DefaultValuedParameter<"bool", "false">:$elastic);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Wafer_WiresAttr : Wafer_Attr<"Wires", "wires"> {
  let summary = "One direction of a link";
  let description = [{
    `wires` times `wire_bytes_per_second` bytes a second. Every message, also an
    empty one, costs `message_overhead_ps`; its head needs `latency_ps`. A byte
    that crosses it costs `femtojoules_per_byte`; 0 says that the fact is not
    known.
  }];
  let parameters = (ins
    "int64_t":$wires, "int64_t":$wire_bytes_per_second,
    DefaultValuedParameter<"int64_t", "0">:$latency_ps,
    DefaultValuedParameter<"int64_t", "0">:$message_overhead_ps,
    DefaultValuedParameter<"int64_t", "0">:$femtojoules_per_byte);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Wafer_SiliconAttr : Wafer_Attr<"Silicon", "silicon"> {
  let summary = "Area and idle power of a chiplet, a switch or a memory";
  let description = [{
    `static_microwatts` is drawn as long as the machine is on, whatever it does;
    `area_square_micrometers` is what the part takes of the wafer. 0 says that
    the fact is not known.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$static_microwatts,
    DefaultValuedParameter<"int64_t", "0">:$area_square_micrometers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // MOZART_DIALECT_WAFER_IR_WAFERATTRS_TD
