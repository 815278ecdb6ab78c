// RUN: mozart-opt %s --nop-multicast-in-switch --verify-roundtrip --remarks-filter=nop-multicast-in-switch --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: mozart-opt %s --nop-multicast-in-switch --nop-multicast-in-switch | FileCheck %s

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#able = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000>
#unable = #wafer.switching<buffer_bytes = 4096, reduce_bytes_per_second = 2000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>

// Nodes: 0 root; 1 and 2 switches; 3, 4, 5 chiplets below switch 1, where 5 is the way
// to 7; 6 a chiplet below switch 2.
wafer.machine @tree tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 #able
  wafer.switch @s1 #unable
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c2 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c3 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c4 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c5 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @root -> @s1 #wires
  wafer.link @s1 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
  wafer.link @s0 -> @c1 #wires
  wafer.link @c1 -> @s0 #wires
  wafer.link @s0 -> @c2 #wires
  wafer.link @c2 -> @s0 #wires
  wafer.link @s1 -> @c3 #wires
  wafer.link @c3 -> @s1 #wires
  wafer.link @c2 -> @c4 #wires
  wafer.link @c4 -> @c2 #wires
  wafer.link @s1 -> @c5 #wires
  wafer.link @c5 -> @s1 #wires
}

!routing = !moe.routing<4x2 of 3, f32>

// CHECK-LABEL: func.func @shared_switch
func.func @shared_switch(%x: tensor<4x8xf32>, %r: !routing) -> !nop.distributed<tensor<4x8xf32>, [3, 4]> {
  // CHECK: nop.multicast {{.+}} via switch layer 2
  // expected-remark @+1 {{MoE layer 2: copying at the switches}}
  %y, %l = nop.multicast %x by %r from 0 via root layer 2 placed <@tree, [3, 4, 4]>
      : (tensor<4x8xf32>, !routing) -> (!nop.distributed<tensor<4x8xf32>, [3, 4]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [3, 4]>)
  return %y : !nop.distributed<tensor<4x8xf32>, [3, 4]>
}

// CHECK-LABEL: func.func @passed_through
// Switch 2 cannot copy, and need not: it only passes rows on.
func.func @passed_through(%x: tensor<4x8xf32>, %r: !routing) -> !nop.distributed<tensor<4x8xf32>, [3, 4, 6]> {
  // CHECK: nop.multicast {{.+}} via switch layer 2
  // expected-remark @+1 {{MoE layer 2: copying at the switches}}
  %y, %l = nop.multicast %x by %r from 0 via root layer 2 placed <@tree, [3, 4, 6]>
      : (tensor<4x8xf32>, !routing) -> (!nop.distributed<tensor<4x8xf32>, [3, 4, 6]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [3, 4, 6]>)
  return %y : !nop.distributed<tensor<4x8xf32>, [3, 4, 6]>
}

// CHECK-LABEL: func.func @already
func.func @already(%x: tensor<4x8xf32>, %r: !routing) -> !nop.distributed<tensor<4x8xf32>, [3, 4]> {
  // CHECK: nop.multicast {{.+}} via switch layer 2
  %y, %l = nop.multicast %x by %r from 0 via switch layer 2 placed <@tree, [3, 4, 4]>
      : (tensor<4x8xf32>, !routing) -> (!nop.distributed<tensor<4x8xf32>, [3, 4]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [3, 4]>)
  return %y : !nop.distributed<tensor<4x8xf32>, [3, 4]>
}
