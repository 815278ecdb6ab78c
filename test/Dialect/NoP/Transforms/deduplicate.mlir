// RUN: mozart-opt %s --nop-deduplicate --verify-roundtrip --remarks-filter=nop-deduplicate --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: mozart-opt %s --nop-deduplicate --nop-deduplicate | FileCheck %s

// REMARK: deduplicate.mlir:[[#]]:{{.+}} [Passed] Deduplicate {{.+}}MoE layer 3: a row for each chiplet of a token instead of one for each of its k = 2 experts

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#switching = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000, reduce_bytes_per_second = 2000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @switch #switching
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @switch #wires
  wafer.link @switch -> @root #wires
  wafer.link @switch -> @c0 #wires
  wafer.link @c0 -> @switch #wires
  wafer.link @switch -> @c1 #wires
  wafer.link @c1 -> @switch #wires
}

#placement = #moe.placement<@pair, [2, 3, 3]>
!routing = !moe.routing<4x2 of 3, f32>
!rows = !nop.distributed<tensor<8x8xf32>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!up = !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
!down = !nop.distributed<tensor<?x16x8xf32>, [2, 3]>

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[R:.+]]: !moe.routing<4x2 of 3, f32>, %[[U:[^:]+]]: !nop.distributed<tensor<?x8x16xf32>, [2, 3]>, %[[D:[^:]+]]: !nop.distributed<tensor<?x16x8xf32>, [2, 3]>
func.func @layer(%x: tensor<4x8xf32>, %r: !routing, %u: !up, %d: !down) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[ROWS:.+]], %[[LOCAL:.+]] = nop.multicast %[[X]] by %[[R]] from 0 via root layer 3 placed
  // CHECK-SAME: -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  // CHECK-NEXT: %[[SUMS:.+]] = nop.local(%[[U]], %[[LOCAL]], %[[ROWS]], %[[D]])
  // CHECK-SAME: -> !nop.distributed<tensor<4x8xf32>, [2, 3]>
  // CHECK-NEXT: ^bb0(%[[LU:.+]]: tensor<?x8x16xf32>, %[[LR:.+]]: !moe.routing<4x2 of ?, f32, local>, %[[A:.+]]: tensor<4x8xf32>, %[[LD:.+]]: tensor<?x16x8xf32>):
  // CHECK-NEXT: %[[B:.+]], %[[N:.+]] = moe.dispatch %[[A]] by %[[LR]] layer 3 : {{.+}} -> (tensor<8x8xf32>, tensor<?xindex>)
  // CHECK-NEXT: %[[C:.+]] = moe.experts %[[B]] counts %[[N]] weights(%[[LU]], %[[LD]]) <activation = relu> layer 3
  // CHECK-NEXT: %[[P:.+]] = moe.combine %[[C]] by %[[LR]] layer 3
  // CHECK-NEXT: nop.yield %[[P]] : tensor<4x8xf32>
  // CHECK: %[[Y:.+]] = nop.reduce %[[SUMS]] by %[[R]] to 0 via root layer 3 placed
  // CHECK-NEXT: return %[[Y]]
  %rows, %counts = nop.scatter %x by %r from 0 layer 3 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  // The order of inputs does not matter.
  %out = nop.local(%u, %counts, %rows, %d) : (!up, !counts, !rows, !down) -> !rows {
    ^bb0(%lu: tensor<?x8x16xf32>, %n: tensor<?xindex>, %a: tensor<8x8xf32>, %ld: tensor<?x16x8xf32>):
      %c = moe.experts %a counts %n weights(%lu, %ld) <activation = relu> layer 3
          : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x16xf32>, tensor<?x16x8xf32>) -> tensor<8x8xf32>
      nop.yield %c : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 3 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 3 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// One expert a node of three: 4 rows are enough for pairs, but 12 are needed once a
// token's k = 3 slots are on the node. The second experts change the width.
// CHECK-LABEL: func.func @narrow(
func.func @narrow(%x: tensor<4x8xf32>, %r: !moe.routing<4x3 of 4, f32>, %w: tensor<4x8x2xf32>) -> tensor<4x2xf32> {
  // CHECK: nop.local
  // CHECK: %[[B:.+]], %[[N:.+]] = moe.dispatch %{{.+}} by %[[LR:.+]] layer 0 {{.+}} -> (tensor<12x8xf32>, tensor<?xindex>)
  // CHECK-NEXT: %[[C:.+]] = moe.custom_experts "project" %[[B]] counts %[[N]] weights(%{{.+}}) layer 0 : (tensor<12x8xf32>, {{.+}} -> tensor<12x2xf32> {
  // CHECK: moe.combine %[[C]] by %[[LR]] layer 0 : (tensor<12x2xf32>, !moe.routing<4x3 of ?, f32, local>) -> tensor<4x2xf32>
  // CHECK: nop.reduce {{.+}} -> tensor<4x2xf32>
  %w2 = nop.shard %w placed <@pair, [2, 3, 2, 3]> : tensor<4x8x2xf32> -> !nop.distributed<tensor<?x8x2xf32>, [2, 3]>
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 2, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x3 of 4, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !counts)
  %out = nop.local(%rows, %counts, %w2) : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !counts, !nop.distributed<tensor<?x8x2xf32>, [2, 3]>)
      -> !nop.distributed<tensor<8x2xf32>, [2, 3]> {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %lw: tensor<?x8x2xf32>):
      %c = moe.custom_experts "project" %a counts %n weights(%lw) layer 0 : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x2xf32>) -> tensor<8x2xf32> {
        ^bb0(%b: tensor<?x8xf32>, %v: tensor<8x2xf32>):
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0.0 : f32
          %m = tensor.dim %b, %c0 : tensor<?x8xf32>
          %e = tensor.empty(%m) : tensor<?x2xf32>
          %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
          %g = linalg.matmul ins(%b, %v : tensor<?x8xf32>, tensor<8x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
          moe.yield %g : tensor<?x2xf32>
      }
      nop.yield %c : tensor<8x2xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed <@pair, [2, 3, 2, 3]> : (!nop.distributed<tensor<8x2xf32>, [2, 3]>, !moe.routing<4x3 of 4, f32>) -> tensor<12x2xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<12x2xf32>, !moe.routing<4x3 of 4, f32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
