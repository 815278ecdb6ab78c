// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-moe-to-nop --verify-roundtrip | FileCheck %s
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-moe-to-nop --convert-moe-to-nop | FileCheck %s

// Nodes of @toy: 0 root, 1 and 4 switches, 2 and 3 chiplets below 1, 5 and 6 below 4.

// Two experts on node 2, one on 5, none on 3 and 6: a token has at most two experts
// on a node, so 4 tokens need 8 rows.
#p0 = #moe.placement<@toy, [5, 2, 2]>
// One expert a node: 4 rows are enough for k = 2.
#p1 = #moe.placement<@toy, [2, 3, 6]>

#p2 = #moe.placement<@toy, [2, [3, 5], 5]>

// CHECK-DAG: #[[$P2:.+]] = #moe.placement<@toy, [2, [3, 5], 5]>
// CHECK-DAG: #[[$P0:.+]] = #moe.placement<@toy, [5, 2, 2]>
// CHECK-DAG: #[[$P1:.+]] = #moe.placement<@toy, [2, 3, 6]>

// CHECK-LABEL: func.func @layer(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf16>, %[[R:.+]]: !moe.routing<4x2 of 3, f32>, %[[UP:[^:]+]]: tensor<3x8x16xf16>, %[[DOWN:[^:]+]]: tensor<3x16x8xf16>, %[[B0:[^:]+]]: tensor<3x16xf16>, %[[B1:[^:]+]]: tensor<3x8xf16>
func.func @layer(%x: tensor<4x8xf16>, %r: !moe.routing<4x2 of 3, f32>, %up: tensor<3x8x16xf16>,
                 %down: tensor<3x16x8xf16>, %b0: tensor<3x16xf16>, %b1: tensor<3x8xf16>) -> tensor<4x8xf16> {
  // CHECK: %[[ROWS:.+]], %[[COUNTS:.+]] = nop.scatter %[[X]] by %[[R]] from 0 layer 7 placed #[[$P0]]
  // CHECK-SAME: -> (!nop.distributed<tensor<8x8xf16>, [2, 5]>, !nop.distributed<tensor<?xindex>, [2, 5]>)
  // CHECK: %[[U:.+]] = nop.shard %[[UP]] placed #[[$P0]] : tensor<3x8x16xf16> -> <tensor<?x8x16xf16>, [2, 5]>
  // CHECK: %[[D:.+]] = nop.shard %[[DOWN]]
  // CHECK: %[[C0:.+]] = nop.shard %[[B0]]
  // CHECK: %[[C1:.+]] = nop.shard %[[B1]] placed #[[$P0]] : tensor<3x8xf16> -> <tensor<?x8xf16>, [2, 5]>
  // CHECK: %[[OUT:.+]] = nop.local(%[[ROWS]], %[[COUNTS]], %[[U]], %[[D]], %[[C0]], %[[C1]])
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8x8xf16>, %[[N:.+]]: tensor<?xindex>, %[[LU:.+]]: tensor<?x8x16xf16>, %[[LD:.+]]: tensor<?x16x8xf16>, %[[L0:.+]]: tensor<?x16xf16>, %[[L1:.+]]: tensor<?x8xf16>):
  // CHECK-NEXT: %[[E:.+]] = moe.experts %[[A]] counts %[[N]] weights(%[[LU]], %[[LD]]) biases(%[[L0]], %[[L1]]) <activation = relu> layer 7 :
  // CHECK-SAME: -> tensor<8x8xf16>
  // CHECK-NEXT: nop.yield %[[E]] : tensor<8x8xf16>
  // CHECK: %[[BACK:.+]] = nop.gather %[[OUT]] by %[[R]] to 0 layer 7 placed #[[$P0]]
  // CHECK: %[[Y:.+]] = moe.combine %[[BACK]] by %[[R]] layer 7 :
  // CHECK: return %[[Y]]
  %rows, %counts = moe.dispatch %x by %r layer 7 placed #p0 : (tensor<4x8xf16>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf16>, tensor<3xindex>)
  %out = moe.experts %rows counts %counts weights(%up, %down) biases(%b0, %b1) <activation = relu> layer 7 placed #p0
      : (tensor<8x8xf16>, tensor<3xindex>, tensor<3x8x16xf16>, tensor<3x16x8xf16>, tensor<3x16xf16>, tensor<3x8xf16>) -> tensor<8x8xf16>
  %y = moe.combine %out by %r layer 7 placed #p0 : (tensor<8x8xf16>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// An expert with replicas has its weights on each of its nodes; node 5 has two experts.
// CHECK-LABEL: func.func @replicas(
func.func @replicas(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %w: tensor<3x8x8xf32>) -> tensor<4x8xf32> {
  // CHECK: nop.scatter {{.+}} placed #[[$P2]]
  // CHECK-SAME: -> (!nop.distributed<tensor<8x8xf32>, [2, 3, 5]>, !nop.distributed<tensor<?xindex>, [2, 3, 5]>)
  // CHECK: nop.shard {{.+}} placed #[[$P2]] : tensor<3x8x8xf32> -> <tensor<?x8x8xf32>, [2, 3, 5]>
  // CHECK: nop.gather {{.+}} placed #[[$P2]]
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p2 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %out = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0 placed #p2
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %out by %r layer 0 placed #p2 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Experts one after another share one nop.local, and a weight that they share one
// shard. Rows may change their width on the way.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.+]]: tensor<4x8xf32>, %[[R:.+]]: !moe.routing<4x2 of 3, f32>, %[[W:[^:]+]]: tensor<3x8x8xf32>, %[[V:[^:]+]]: tensor<3x8x2xf32>
func.func @chain(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %w: tensor<3x8x8xf32>,
                 %v: tensor<3x8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK: nop.scatter
  // CHECK-SAME: -> (!nop.distributed<tensor<4x8xf32>, [2, 3, 6]>
  // CHECK: %[[SW:.+]] = nop.shard %[[W]]
  // CHECK-NEXT: %[[SV:.+]] = nop.shard %[[V]]
  // CHECK-NEXT: %[[OUT:.+]] = nop.local(%{{.+}}, %{{.+}}, %[[SW]], %[[SV]])
  // CHECK-SAME: -> !nop.distributed<tensor<4x2xf32>, [2, 3, 6]>
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<4x8xf32>, %[[N:.+]]: tensor<?xindex>, %[[LW:.+]]: tensor<?x8x8xf32>, %[[LV:.+]]: tensor<?x8x2xf32>):
  // CHECK-NEXT: %[[E:.+]] = moe.experts %[[A]] counts %[[N]] weights(%[[LW]], %[[LW]]) <activation = gelu> layer 0
  // CHECK-NEXT: %[[F:.+]] = moe.custom_experts "project" %[[E]] counts %[[N]] weights(%[[LV]]) layer 0 :
  // CHECK-SAME: -> tensor<4x2xf32> {
  // CHECK-NEXT: ^bb0(%{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<8x2xf32>):
  // CHECK: nop.yield %[[F]]
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p1 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0 placed #p1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %out = moe.custom_experts "project" %h counts %counts weights(%v) layer 0 placed #p1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<8x2xf32> {
    ^bb0(%a: tensor<?x8xf32>, %b: tensor<8x2xf32>):
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x8xf32>
      %e = tensor.empty(%n) : tensor<?x2xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
      %m = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
      moe.yield %m : tensor<?x2xf32>
  }
  // CHECK: %[[G0:.+]] = nop.gather %[[OUT]]
  // CHECK-SAME: -> tensor<8x2xf32>
  // CHECK-NEXT: %[[Y0:.+]] = moe.combine %[[G0]]
  // CHECK: %[[G1:.+]] = nop.gather %[[OUT]]
  // CHECK-NEXT: %[[Y1:.+]] = moe.combine %[[G1]]
  // CHECK: return %[[Y0]], %[[Y1]]
  %y0 = moe.combine %out by %r layer 0 placed #p1 : (tensor<8x2xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x2xf32>
  %y1 = moe.combine %out by %r layer 0 placed #p1 : (tensor<8x2xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x2xf32>
  return %y0, %y1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// Rows that no experts work on travel nevertheless: what is combined is what arrived.
// CHECK-LABEL: func.func @echo(
func.func @echo(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>) -> tensor<4x8xf32> {
  // CHECK: moe.route {{.+}} layer 1 placed #[[$P0]]
  // CHECK: %[[ROWS:.+]], %{{.+}} = nop.scatter
  // CHECK-NEXT: nop.gather %[[ROWS]]
  // CHECK-NEXT: moe.combine
  %r = moe.route %logits <k = 2, score = softmax> layer 1 placed #p0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %rows, %counts = moe.dispatch %x by %r layer 1 placed #p0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = moe.combine %rows by %r layer 1 placed #p0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: return
func.func @unused(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %w: tensor<3x8x8xf32>) {
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0 placed #p0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  return
}
