// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s
// RUN: mozart-opt %s --mlir-print-op-generic | mozart-opt | FileCheck %s
// RUN: mozart-opt %s --emit-bytecode | mozart-opt | FileCheck %s

// Every op of the dialect, on a tree of two levels: nodes 0 root, 1 and 4
// switches, 2, 3 and 5 expert chiplets. Node 2 holds two of the four experts.

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#link = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>

wafer.machine @tree tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 <buffer_bytes = 4096, multicast_bytes_per_second = 1, reduce_bytes_per_second = 1>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.switch @s1 <buffer_bytes = 4096, multicast_bytes_per_second = 1, reduce_bytes_per_second = 1>
  wafer.chiplet @c2 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #link
  wafer.link @s0 -> @root #link
  wafer.link @s0 -> @c0 #link
  wafer.link @c0 -> @s0 #link
  wafer.link @s0 -> @c1 #link
  wafer.link @c1 -> @s0 #link
  wafer.link @root -> @s1 #link
  wafer.link @s1 -> @root #link
  wafer.link @s1 -> @c2 #link
  wafer.link @c2 -> @s1 #link
}

// CHECK-DAG: #[[$ONE:.+]] = #moe.placement<@tree, [2, 3, 5, 2]>
// CHECK-DAG: #[[$TWICE:.+]] = #moe.placement<@tree, [2, [3, 5]]>
// CHECK-DAG: #[[$ALONE:.+]] = #moe.placement<@tree, [5]>
// CHECK-DAG: #[[$BOTH:.+]] = #moe.placement<@tree, {{\[}}[2, 5], 5]>
#placement = #moe.placement<@tree, [2, 3, 5, 2]>
#both = #moe.placement<@tree, [[2, 5], 5]>
#twice = #moe.placement<@tree, [2, [3, 5]]>

// CHECK-LABEL: func.func private @types
// CHECK-SAME: (!nop.distributed<tensor<f32>, [0]>, !nop.distributed<tensor<?x8xbf16>, [2, 5]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3, 5]>)
func.func private @types(!nop.distributed<tensor<f32>, [0]>, !nop.distributed<tensor<?x8xbf16>, [2, 5]>,
                         !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3, 5]>)

// CHECK-LABEL: func.func @pairs
// Two of a token's three slots can fall on one node, so that a node gets at most 8 rows.
func.func @pairs(%x: tensor<4x8xf32>, %r: !moe.routing<4x3 of 4, f32>) -> tensor<12x8xf32> {
  // CHECK: %[[ROWS:.+]], %[[COUNTS:.+]] = nop.scatter %{{.+}} by %{{.+}} from 0 layer 7 placed #[[$ONE]] : (tensor<4x8xf32>, !moe.routing<4x3 of 4, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>, !nop.distributed<tensor<?xindex>, [2, 3, 5]>)
  %rows, %counts = nop.scatter %x by %r from 0 layer 7 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x3 of 4, f32>)
      -> (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>, !nop.distributed<tensor<?xindex>, [2, 3, 5]>)
  // CHECK: %[[OUT:.+]] = nop.local(%[[ROWS]]) : (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>) -> !nop.distributed<tensor<8x8xf32>, [2, 3, 5]> {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8x8xf32>):
  // CHECK-NEXT: nop.yield %[[A]] : tensor<8x8xf32>
  %out = nop.local(%rows) : (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>) -> !nop.distributed<tensor<8x8xf32>, [2, 3, 5]> {
  ^bb0(%a: tensor<8x8xf32>):
    nop.yield %a : tensor<8x8xf32>
  }
  // CHECK: nop.gather %[[OUT]] by %{{.+}} to 0 layer 7 placed #[[$ONE]] : (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>, !moe.routing<4x3 of 4, f32>) -> tensor<12x8xf32>
  %y = nop.gather %out by %r to 0 layer 7 placed #placement
      : (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>, !moe.routing<4x3 of 4, f32>) -> tensor<12x8xf32>
  return %y : tensor<12x8xf32>
}

// CHECK-LABEL: func.func @tokens
func.func @tokens(%x: tensor<4x8xf32>, %r: !moe.routing<4x3 of 4, f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: nop.multicast %{{.+}} by %{{.+}} from 0 via root layer 0 placed #[[$ONE]]
  %rows, %local = nop.multicast %x by %r from 0 via root layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x3 of 4, f32>)
      -> (!nop.distributed<tensor<4x8xf32>, [2, 3, 5]>, !nop.distributed<!moe.routing<4x3 of ?, f32, local>, [2, 3, 5]>)
  // CHECK: nop.multicast %{{.+}} by %{{.+}} from 0 via switch layer 0 placed #[[$ONE]]
  %rows2, %local2 = nop.multicast %x by %r from 0 via switch layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x3 of 4, f32>)
      -> (!nop.distributed<tensor<4x8xf32>, [2, 3, 5]>, !nop.distributed<!moe.routing<4x3 of ?, f32, local>, [2, 3, 5]>)
  // CHECK: nop.reduce %{{.+}} by %{{.+}} to 0 via root layer 0 placed #[[$ONE]] : (!nop.distributed<tensor<4x8xf32>, [2, 3, 5]>, !moe.routing<4x3 of 4, f32>) -> tensor<4x8xf32>
  %y = nop.reduce %rows by %r to 0 via root layer 0 placed #placement
      : (!nop.distributed<tensor<4x8xf32>, [2, 3, 5]>, !moe.routing<4x3 of 4, f32>) -> tensor<4x8xf32>
  // CHECK: nop.reduce %{{.+}} by %{{.+}} to 0 via switch layer 0 placed #[[$ONE]]
  %z = nop.reduce %rows2 by %r to 0 via switch layer 0 placed #placement
      : (!nop.distributed<tensor<4x8xf32>, [2, 3, 5]>, !moe.routing<4x3 of 4, f32>) -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @shards
func.func @shards(%w: tensor<4x8x16xbf16>, %b: tensor<2xf32>, %c: tensor<1x8xf32>)
    -> !nop.distributed<tensor<?xf32>, [2, 3, 5]> {
  // CHECK: nop.shard %{{.+}} placed #[[$ONE]] : tensor<4x8x16xbf16> -> <tensor<?x8x16xbf16>, [2, 3, 5]>
  %0 = nop.shard %w placed #placement : tensor<4x8x16xbf16> -> !nop.distributed<tensor<?x8x16xbf16>, [2, 3, 5]>
  // An expert with replicas is on several nodes.
  // CHECK: nop.shard %{{.+}} placed #[[$TWICE]] : tensor<2xf32> -> <tensor<?xf32>, [2, 3, 5]>
  %1 = nop.shard %b placed #twice : tensor<2xf32> -> !nop.distributed<tensor<?xf32>, [2, 3, 5]>
  // CHECK: nop.shard %{{.+}} placed #[[$ALONE]] : tensor<1x8xf32> -> <tensor<?x8xf32>, [5]>
  %2 = nop.shard %c placed <@tree, [5]> : tensor<1x8xf32> -> !nop.distributed<tensor<?x8xf32>, [5]>
  return %1 : !nop.distributed<tensor<?xf32>, [2, 3, 5]>
}

// Exchanges of experts with replicas: node 5 has both, so that a token may have two
// rows there.
// CHECK-LABEL: func.func @replicas
func.func @replicas(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 2, f32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  // CHECK: nop.scatter %{{.+}} by %{{.+}} from 0 layer 0 placed #[[$BOTH]]
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #both
      : (tensor<4x8xf32>, !moe.routing<4x2 of 2, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 5]>, !nop.distributed<tensor<?xindex>, [2, 5]>)
  // CHECK: nop.gather %{{.+}} by %{{.+}} to 0 layer 0 placed #[[$BOTH]]
  %y = nop.gather %rows by %r to 0 layer 0 placed #both
      : (!nop.distributed<tensor<8x8xf32>, [2, 5]>, !moe.routing<4x2 of 2, f32>) -> tensor<8x8xf32>
  // CHECK: nop.multicast %{{.+}} by %{{.+}} from 0 via switch layer 0 placed #[[$BOTH]]
  %rows2, %local = nop.multicast %x by %r from 0 via switch layer 0 placed #both
      : (tensor<4x8xf32>, !moe.routing<4x2 of 2, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 5]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 5]>)
  // CHECK: nop.reduce %{{.+}} by %{{.+}} to 0 via switch layer 0 placed #[[$BOTH]]
  %z = nop.reduce %rows2 by %r to 0 via switch layer 0 placed #both
      : (!nop.distributed<tensor<4x8xf32>, [2, 5]>, !moe.routing<4x2 of 2, f32>) -> tensor<4x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @several_results
func.func @several_results(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %b: !nop.distributed<tensor<?xf32>, [2, 3]>)
    -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  // CHECK: %{{.+}}:2 = nop.local(%{{.+}}, %{{.+}}) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xf32>, [2, 3]>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xf32>, [2, 3]>)
  %0:2 = nop.local(%a, %b) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xf32>, [2, 3]>)
      -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xf32>, [2, 3]>) {
  ^bb0(%c: tensor<4x8xf32>, %d: tensor<?xf32>):
    %e = moe.add %c, %c : tensor<4x8xf32>
    // CHECK: nop.yield %{{.+}}, %{{.+}} : tensor<4x8xf32>, tensor<?xf32>
    nop.yield %e, %d : tensor<4x8xf32>, tensor<?xf32>
  }
  return %0#0 : !nop.distributed<tensor<4x8xf32>, [2, 3]>
}

// CHECK-LABEL: func.func @nothing_kept
func.func @nothing_kept(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>) {
  // CHECK: nop.local(%{{.+}}) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> () {
  nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> () {
  ^bb0(%c: tensor<4x8xf32>):
  }
  return
}
