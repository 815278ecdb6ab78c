// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s

// The layer of one-layer-placed.mlir, routed: one row a token and chiplet goes out,
// copied at the switch, and one partial sum comes back, added at the switch. The
// unicast form of the same layer is @pairs.

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

#placement = #moe.placement<@pair, [2, 3, 3]>

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<4x8xf32>, %norm: tensor<8xf32> {moe.param},
                   %router: tensor<8x3xf32> {moe.param},
                   %gate: tensor<3x8x16xf32> {moe.param}, %up: tensor<3x8x16xf32> {moe.param},
                   %down: tensor<3x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "one-layer", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %h = moe.norm rms %x, %norm epsilon 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %logits = moe.router %h, %router : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = moe.route %logits <k = 2, score = softmax> layer 0 placed #placement : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  // CHECK: nop.shard %{{.*}} placed #{{.*}} : tensor<3x8x16xf32> -> <tensor<?x8x16xf32>, [2, 3]>
  %g = nop.shard %gate placed #placement : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %u = nop.shard %up placed #placement : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %d = nop.shard %down placed #placement : tensor<3x16x8xf32> -> !nop.distributed<tensor<?x16x8xf32>, [2, 3]>
  // CHECK: nop.multicast %{{.*}} by %{{.*}} from 0 via switch layer 0
  %rows, %local = nop.multicast %h by %r from 0 via switch layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>)
      -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  // CHECK: nop.local
  %partial = nop.local(%rows, %local, %g, %u, %d)
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>,
         !nop.distributed<tensor<?x8x16xf32>, [2, 3]>, !nop.distributed<tensor<?x8x16xf32>, [2, 3]>,
         !nop.distributed<tensor<?x16x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x2 of ?, f32, local>, %lg: tensor<?x8x16xf32>, %lu: tensor<?x8x16xf32>, %ld: tensor<?x16x8xf32>):
      %b, %n = moe.dispatch %a by %lr layer 0
          : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %n weights(%lg, %lu, %ld) <activation = swiglu> layer 0
          : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x16xf32>, tensor<?x8x16xf32>, tensor<?x16x8xf32>) -> tensor<8x8xf32>
      %p = moe.combine %c by %lr layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %p : tensor<4x8xf32>
  }
  // CHECK: nop.reduce %{{.*}} by %{{.*}} to 0 via switch layer 0
  %y = nop.reduce %partial by %r to 0 via switch layer 0 placed #placement
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pairs
func.func @pairs(%h: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>,
                 %up: tensor<3x8x16xf32>, %down: tensor<3x16x8xf32>) -> tensor<4x8xf32> {
  %u = nop.shard %up placed #placement : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %d = nop.shard %down placed #placement : tensor<3x16x8xf32> -> !nop.distributed<tensor<?x16x8xf32>, [2, 3]>
  // CHECK: nop.scatter %{{.*}} by %{{.*}} from 0 layer 0
  %rows, %counts = nop.scatter %h by %r from 0 layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>)
      -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  %out = nop.local(%rows, %counts, %u, %d)
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>,
         !nop.distributed<tensor<?x8x16xf32>, [2, 3]>, !nop.distributed<tensor<?x16x8xf32>, [2, 3]>)
      -> !nop.distributed<tensor<8x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %lu: tensor<?x8x16xf32>, %ld: tensor<?x16x8xf32>):
      %c = moe.experts %a counts %n weights(%lu, %ld) <activation = relu> layer 0
          : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x16xf32>, tensor<?x16x8xf32>) -> tensor<8x8xf32>
      nop.yield %c : tensor<8x8xf32>
  }
  // CHECK: nop.gather %{{.*}} by %{{.*}} to 0 layer 0
  %back = nop.gather %out by %r to 0 layer 0 placed #placement
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
