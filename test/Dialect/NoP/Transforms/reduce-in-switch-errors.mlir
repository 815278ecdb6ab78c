// RUN: mozart-opt %s --nop-reduce-in-switch --remarks-filter-missed=nop-reduce-in-switch --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// What switches cannot do stays at the root, with a remark that says who could not.

// CHECK-NOT: via switch

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#able = #wafer.switching<buffer_bytes = 4096, reduce_bytes_per_second = 2000000000>
#unable = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000>
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

func.func @unable(%x: !nop.distributed<tensor<4x8xf32>, [3, 6, 8]>, %r: !routing) -> tensor<4x8xf32> {
  // expected-remark @+1 {{stays at the root: switch 's1' cannot add (reduce_bytes_per_second is 0)}}
  %y = nop.reduce %x by %r to 0 via root layer 2 placed <@tree, [6, 8, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [3, 6, 8]>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @chiplet_on_the_way(%x: !nop.distributed<tensor<4x8xf32>, [5, 7]>, %r: !routing) -> tensor<4x8xf32> {
  // expected-remark @+1 {{stays at the root: chiplet 'c2' would have to add, but only switches can}}
  %y = nop.reduce %x by %r to 0 via root layer 2 placed <@tree, [5, 7, 7]>
      : (!nop.distributed<tensor<4x8xf32>, [5, 7]>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @nothing_shared(%x: !nop.distributed<tensor<4x8xf32>, [3, 6]>, %r: !routing) -> tensor<4x8xf32> {
  // expected-remark @+1 {{stays at the root: no two paths between the root and the chiplets share a link}}
  %y = nop.reduce %x by %r to 0 via root layer 2 placed <@tree, [3, 6, 6]>
      : (!nop.distributed<tensor<4x8xf32>, [3, 6]>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
