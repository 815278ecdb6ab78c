// RUN: mozart-opt %s --convert-nop-to-linalg --split-input-file --verify-diagnostics

// expected-error @+1 {{block argument 0 has type '!nop.distributed<tensor<4x8xf32>, [2, 3]>', but what each node holds is known only for results of nop ops; shard or scatter it in the function}}
func.func @argument(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>) {
  return
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
  wafer.link @s0 -> @c1 #wires
  wafer.link @c1 -> @s0 #wires
}

func.func @leaves(%w: tensor<3x8xf32>) -> !nop.distributed<tensor<?x8xf32>, [2, 3]> {
  %s = nop.shard %w placed <@m, [2, 3, 3]> : tensor<3x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
  // expected-error @+1 {{'func.return' uses or makes a distributed value, which only nop ops can}}
  return %s : !nop.distributed<tensor<?x8xf32>, [2, 3]>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
  wafer.link @s0 -> @c1 #wires
  wafer.link @c1 -> @s0 #wires
}

func.func @two_placements(%v: tensor<3x8xf32>, %w: tensor<3x8xf32>) {
  %s = nop.shard %v placed <@m, [2, 3, 3]> : tensor<3x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
  %t = nop.shard %w placed <@m, [2, 2, 3]> : tensor<3x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
  // expected-error @+1 {{'nop.local' op has inputs of different placements, so that its nodes have no single number of experts}}
  %n = nop.local(%s, %t) : (!nop.distributed<tensor<?x8xf32>, [2, 3]>, !nop.distributed<tensor<?x8xf32>, [2, 3]>) -> !nop.distributed<tensor<?x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>):
      %c = arith.addf %a, %b : tensor<?x8xf32>
      nop.yield %c : tensor<?x8xf32>
  }
  return
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
  wafer.link @s0 -> @c1 #wires
  wafer.link @c1 -> @s0 #wires
}

func.func @misfit(%v: tensor<3x8xf32>) {
  %s = nop.shard %v placed <@m, [2, 3, 3]> : tensor<3x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
  // expected-error @+1 {{'nop.local' op has a body that does not fit a node with 1 experts}}
  %n = nop.local(%s) : (!nop.distributed<tensor<?x8xf32>, [2, 3]>) -> !nop.distributed<tensor<?x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<?x8xf32>):
      %two = arith.constant 2 : index
      // expected-error @+1 {{'tensor.empty' op incorrect number of dynamic sizes, has 1, expected 0}}
      %c = tensor.empty(%two) : tensor<?x8xf32>
      nop.yield %c : tensor<?x8xf32>
  }
  return
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#switching = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000, reduce_bytes_per_second = 2000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
// Nodes: 0 root; 1 a chiplet of its own; 2 and 3 switches; 4 and 5 chiplets below switch 3,
// 6 one below switch 2.
wafer.machine @tree tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.switch @s0 #switching
  wafer.switch @s1 #switching
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c2 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c3 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @c0 #wires
  wafer.link @c0 -> @root #wires
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @root -> @s1 #wires
  wafer.link @s1 -> @root #wires
  wafer.link @s1 -> @c1 #wires
  wafer.link @c1 -> @s1 #wires
  wafer.link @s1 -> @c2 #wires
  wafer.link @c2 -> @s1 #wires
  wafer.link @s0 -> @c3 #wires
  wafer.link @c3 -> @s0 #wires
}

func.func @placed_otherwise(%x: tensor<4x8xf32>, %r: !moe.routing<4x1 of 3, f32>) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@tree, [1, 4, 4]>
      : (tensor<4x8xf32>, !moe.routing<4x1 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [1, 4]>, !nop.distributed<tensor<?xindex>, [1, 4]>)
  // expected-error @+1 {{'nop.gather' op has placement #moe.placement<@tree, [1, 1, 4]>, but its input is of another placement}}
  %back = nop.gather %rows by %r to 0 layer 0 placed <@tree, [1, 1, 4]>
      : (!nop.distributed<tensor<4x8xf32>, [1, 4]>, !moe.routing<4x1 of 3, f32>) -> tensor<4x8xf32>
  return %back : tensor<4x8xf32>
}
