//===- WaferOps.td - Ops of the machine dialect -*- tablegen -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_DIALECT_WAFER_IR_WAFEROPS_TD
#define MOZART_DIALECT_WAFER_IR_WAFEROPS_TD

include "mozart/Dialect/Wafer/IR/WaferAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Wafer_MachineOp : Wafer_Op<"machine",
    [Symbol, SymbolTable, IsolatedFromAbove, NoTerminator,
     SingleBlock, NoRegionArguments]> {
  let summary = "A machine";
  let description = [{
    Holds the chiplets, switches, memories and links of one machine. The verifier
    requires unique names, links that come in pairs of both directions, a
    connected network (without a cycle where the topology is `tree`), at least one
    chiplet that hosts attention and one that hosts experts, positive sizes and
    rates, and no product that leaves 63 bits. Loads and stores travel in packets
    of `packet_bytes` bytes, 4096 where it is not said (the packets of an exchange
    are rows).

    ```mlir
    wafer.machine @pair tree {
      wafer.chiplet @root hosts attention sram_bytes 1048576
        <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
         clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
      wafer.chiplet @c0 hosts experts sram_bytes 1048576
        <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
         clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
      wafer.memory @dram on @root
        <bytes = 1073741824, read_bytes_per_second = 256000000000,
         write_bytes_per_second = 256000000000>
      wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
      wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Wafer_TopologyAttr:$topology,
                       DefaultValuedAttr<I64Attr, "4096">:$packet_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `` $topology (`packet_bytes` custom<Count>($packet_bytes)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Wafer_PartOp<string mnemonic, list<Trait> traits = []>
    : Wafer_Op<mnemonic, !listconcat(traits, [HasParent<"MachineOp">])>;

def Wafer_ChipletOp : Wafer_PartOp<"chiplet", [Symbol]> {
  let summary = "A compute chiplet with its SRAM";
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Wafer_HostsAttr:$hosts,
                       I64Attr:$sram_bytes, Wafer_ComputeAttr:$compute,
                       OptionalAttr<Wafer_SiliconAttr>:$silicon);
  let assemblyFormat = [{
    $sym_name `hosts` `` $hosts `sram_bytes` custom<Count>($sram_bytes) $compute
    (`silicon` $silicon^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Wafer_SwitchOp : Wafer_PartOp<"switch", [Symbol]> {
  let summary = "A switch of the network";
  let arguments = (ins SymbolNameAttr:$sym_name, Wafer_SwitchingAttr:$switching,
                       OptionalAttr<Wafer_SiliconAttr>:$silicon);
  let assemblyFormat =
    "$sym_name $switching (`silicon` $silicon^)? attr-dict";
}

def Wafer_MemoryOp : Wafer_PartOp<"memory", [Symbol]> {
  let summary = "A memory and the chiplet or switch that it hangs on";
  let description = [{
    The traffic of a memory on a switch crosses the links to the chiplets that it
    serves. A chiplet is served by the first memory on itself, else by the first
    on the nearest node towards the root.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$node,
                       Wafer_StorageAttr:$storage,
                       OptionalAttr<Wafer_SiliconAttr>:$silicon);
  let assemblyFormat =
    "$sym_name `on` $node $storage (`silicon` $silicon^)? attr-dict";
}

def Wafer_LinkOp : Wafer_PartOp<"link"> {
  let summary = "One direction of a connection between two nodes";
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$target,
                       Wafer_WiresAttr:$wires);
  let assemblyFormat = "$source `->` $target $wires attr-dict";
}

#endif // MOZART_DIALECT_WAFER_IR_WAFEROPS_TD
