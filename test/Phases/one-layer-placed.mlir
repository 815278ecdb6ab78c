// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s

// The layer of one-layer-model.mlir, placed: expert 0 on node 2, experts 1 and 2
// on node 3.

// Nodes: 0 root, 1 the switch, 2 and 3 expert chiplets. Memories: 0 of the root,
// 1 of both expert chiplets, on the switch.
wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096, multicast_bytes_per_second = 2000000000,
     reduce_bytes_per_second = 2000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @root_dram on @root <bytes = 1073741824,
     read_bytes_per_second = 256000000000, write_bytes_per_second = 256000000000>
  wafer.memory @group_dram on @switch <bytes = 1073741824,
     read_bytes_per_second = 256000000000, write_bytes_per_second = 256000000000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}

// CHECK: #[[$P:.+]] = #moe.placement<@pair, [2, 3, 3]>
#placement = #moe.placement<@pair, [2, 3, 3]>

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<4x8xf32>, %norm: tensor<8xf32> {moe.param},
                   %router: tensor<8x3xf32> {moe.param},
                   %gate: tensor<3x8x16xf32> {moe.param}, %up: tensor<3x8x16xf32> {moe.param},
                   %down: tensor<3x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "one-layer", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %h = moe.norm rms %x, %norm epsilon 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %logits = moe.router %h, %router : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  // CHECK: moe.route {{.*}} placed #[[$P]]
  %r = moe.route %logits <k = 2, score = softmax> layer 0 placed #placement : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %rows, %counts = moe.dispatch %h by %r layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // CHECK: moe.experts {{.*}} placed #[[$P]]
  %out = moe.experts %rows counts %counts weights(%gate, %up, %down) <activation = swiglu> layer 0 placed #placement
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x16xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %out by %r layer 0 placed #placement : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
