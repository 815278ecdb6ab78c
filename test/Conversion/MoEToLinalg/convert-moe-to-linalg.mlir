// RUN: mozart-opt %s --convert-moe-to-linalg --split-input-file | FileCheck %s

// What each op computes is tested by running it (test/Integration and the unit tests of the oracle); here
// is what it is made of, and how routings cross functions and regions.

// CHECK-LABEL: func.func @rms
func.func @rms(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: arith.mulf %[[X:.+]], %[[X]] : f32
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK: math.sqrt
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
  %0 = moe.norm rms %x, %w epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Narrow elements are widened where they are read and rounded once, where the result is made.
// CHECK-LABEL: func.func @narrow_linear
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf16>, %[[W:.+]]: tensor<8x2xf16>, %{{.*}}: tensor<2xf16>)
func.func @narrow_linear(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>, %b: tensor<2xf16>) -> tensor<4x2xf16> {
  // CHECK: %[[P:.+]] = linalg.matmul ins(%[[X]], %[[W]] : tensor<4x8xf16>, tensor<8x2xf16>) outs(%{{.*}} : tensor<4x2xf32>)
  // CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : tensor<4x2xf32>, tensor<2xf16>) outs(%{{.*}} : tensor<4x2xf16>)
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[S:.+]] = arith.addf %{{.*}} : f32
  // CHECK: arith.truncf %[[S]] : f32 to f16
  %0 = moe.linear %x, %w bias %b : (tensor<4x8xf16>, tensor<8x2xf16>, tensor<2xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// -----

// A router works in the type of its logits, whatever its input.
// CHECK-LABEL: func.func @router
func.func @router(%x: tensor<4x8xbf16>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[L:.+]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<8x3xf32>) outs(%{{.*}} : tensor<4x3xf32>)
  // CHECK-NEXT: return %[[L]]
  %0 = moe.router %x, %w : (tensor<4x8xbf16>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Queries [S,L,KV,G,D] meet keys [S,L,KV,D]; a causal mask is -infinity before the softmax.
// CHECK-LABEL: func.func @attention
func.func @attention(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %kv: tensor<8x8xf32>, %o: tensor<16x8xf32>) -> tensor<6x8xf32> {
  // CHECK-COUNT-3: linalg.matmul
  // CHECK-DAG: arith.constant dense<[-1.000000e+00, -1.000000e-02, 1.000000e+00, 1.000000e-02]> : tensor<4xf64>
  // CHECK-DAG: arith.constant dense<[2, 3, 0, 1]> : tensor<4xindex>
  // CHECK: math.cos %{{.*}} : f64
  // CHECK: math.sin %{{.*}} : f64
  // CHECK: tensor.expand_shape {{.*}} output_shape [2, 3, 2, 2, 4]
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: math.exp
  // CHECK: tensor.collapse_shape {{.*}} : tensor<2x3x2x2x4xf32> into tensor<6x16xf32>
  // CHECK: linalg.matmul
  %0 = moe.attention %x weights(%q, %kv, %kv, %o) sequences 2 heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      rope <style = half, theta = 10000.0, dim = 4>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

// CHECK-LABEL: func.func @latent
func.func @latent(%x: tensor<4x8xf32>, %q: tensor<8x12xf32>, %kva: tensor<8x9xf32>, %n: tensor<5xf32>,
    %kvb: tensor<5x10xf32>, %o: tensor<6x8xf32>) -> tensor<4x8xf32> {
  // CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 5] [1, 1] : tensor<4x9xf32> to tensor<4x5xf32>
  // CHECK: tensor.extract_slice %{{.*}}[0, 5] [4, 4] [1, 1] : tensor<4x9xf32> to tensor<4x4xf32>
  // CHECK: tensor.extract_slice %{{.*}} to tensor<1x4x2x3xf32>
  // The plain entries of a head do not turn.
  // CHECK: arith.constant dense<[0.000000e+00, 0.000000e+00, -1.000000e+00, 1.000000e+00, -1.000000e-02, 1.000000e-02]>
  // CHECK: arith.constant dense<[0, 1, 3, 2, 5, 4]> : tensor<6xindex>
  %0 = moe.latent_attention %x weights(%q, %kva, %n, %kvb, %o) sequences 1
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      rope <style = interleaved, theta = 10000.0, dim = 4>
      : (tensor<4x8xf32>, tensor<8x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @route
// CHECK-SAME: -> (tensor<4x2xi32>, tensor<4x2xf32>)
func.func @route(%l: tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32> {
  // CHECK: math.exp
  // An expert's rank counts those that come before it: higher, or equal and of lower id.
  // CHECK: arith.cmpf ogt
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpi ult
  // CHECK: arith.ori
  // CHECK: %[[IDS:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2xi32>)
  // CHECK: %[[W:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2xf32>)
  // CHECK: return %[[IDS]], %{{.*}} : tensor<4x2xi32>, tensor<4x2xf32>
  %r = moe.route %l <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  return %r : !moe.routing<4x2 of 3, f32>
}

// -----

// A placement changes no number.
// CHECK-LABEL: func.func @dispatch
// CHECK-SAME: (%[[X:.+]]: tensor<4x8xf32>, %[[IDS:.+]]: tensor<4x2xi32>, %{{.*}}: tensor<4x2xf32>)
func.func @dispatch(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>) {
  // CHECK: %[[COUNTS:.+]] = linalg.generic {{.*}} ins(%[[IDS]] : tensor<4x2xi32>) outs(%{{.*}} : tensor<3xindex>)
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xindex>)
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[ROWS:.+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x8xf32>)
  // CHECK: tensor.extract %[[X]]
  // CHECK: return %[[ROWS]], %[[COUNTS]]
  // CHECK-NOT: placement
  %rows, %counts = moe.dispatch %x by %r layer 0 placed <@toy, [1, 2, 1]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  return %rows, %counts : tensor<8x8xf32>, tensor<3xindex>
}

// -----

// One loop, whatever the number of experts; it may be dynamic.
// CHECK-LABEL: func.func @experts
// CHECK-SAME: (%[[ROWS:.+]]: tensor<?x8xf32>, %[[COUNTS:.+]]: tensor<?xindex>, %[[UP:.+]]: tensor<?x8x16xf32>
func.func @experts(%rows: tensor<?x8xf32>, %counts: tensor<?xindex>, %up: tensor<?x8x16xf32>, %down: tensor<?x16x8xf32>)
    -> tensor<?x8xf32> {
  // CHECK: %[[E:.+]] = tensor.dim %[[COUNTS]]
  // CHECK: scf.for %[[I:.+]] = %{{.*}} to %[[E]] step %{{.*}} iter_args(%[[BEGIN:.+]] = %{{.*}}, %[[OUT:.+]] = %{{.*}})
  // CHECK:   %[[N:.+]] = tensor.extract %[[COUNTS]][%[[I]]]
  // CHECK:   tensor.extract_slice %[[ROWS]][%[[BEGIN]], 0] [%[[N]], 8] [1, 1]
  // CHECK:   tensor.extract_slice %[[UP]][%[[I]], 0, 0] [1, 8, 16] [1, 1, 1] : tensor<?x8x16xf32> to tensor<8x16xf32>
  // CHECK:   arith.maximumf
  // CHECK:   tensor.insert_slice %{{.*}} into %[[OUT]][%[[BEGIN]], 0] [%[[N]], 8] [1, 1]
  // CHECK:   arith.addi %[[BEGIN]], %[[N]]
  %0 = moe.experts %rows counts %counts weights(%up, %down) <activation = relu> layer 0
      : (tensor<?x8xf32>, tensor<?xindex>, tensor<?x8x16xf32>, tensor<?x16x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// The body is inlined into the loop, with the expert's rows and slices; ops of the dialect in it are lowered.
// CHECK-LABEL: func.func @custom
func.func @custom(%rows: tensor<8x4xf32>, %counts: tensor<3xindex>, %s: tensor<3x4x2xf32>) -> tensor<8x2xf32> {
  // CHECK: scf.for
  // CHECK: %[[ROWS:.+]] = tensor.extract_slice %arg0
  // CHECK: %[[W:.+]] = tensor.extract_slice %arg2
  // CHECK: %[[Y:.+]] = linalg.matmul ins(%[[ROWS]], %[[W]] : tensor<?x4xf32>, tensor<4x2xf32>)
  // CHECK: tensor.insert_slice %[[Y]]
  %0 = moe.custom_experts "project" %rows counts %counts weights(%s) layer 0
      : (tensor<8x4xf32>, tensor<3xindex>, tensor<3x4x2xf32>) -> tensor<8x2xf32> {
    ^bb0(%a: tensor<?x4xf32>, %w: tensor<4x2xf32>):
      %y = moe.linear %a, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return %0 : tensor<8x2xf32>
}

// -----

// A weight of a slot without expert is skipped, not multiplied: the row may hold anything.
// CHECK-LABEL: func.func @combine
func.func @combine(%rows: tensor<8x4xf16>, %r: !moe.routing<4x2 of 3, f32, local>) -> tensor<4x4xf16> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
  // CHECK: %[[ROW:.+]] = tensor.extract %arg0
  // CHECK: arith.extf %[[ROW]] : f16 to f32
  // CHECK: %[[IS:.+]] = arith.cmpi ult
  // CHECK: arith.select %[[IS]]
  // CHECK: arith.truncf
  %0 = moe.combine %rows by %r layer 0 : (tensor<8x4xf16>, !moe.routing<4x2 of 3, f32, local>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// -----

// Pack and unpack say nothing once a routing is tensors.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[IDS:.+]]: tensor<4x2xi32>, %[[W:.+]]: tensor<4x2xf32>)
func.func @pack(%ids: tensor<4x2xi32>, %w: tensor<4x2xf32>) -> (tensor<4x2xi32>, tensor<4x2xf32>) {
  %r = moe.pack %ids, %w : (tensor<4x2xi32>, tensor<4x2xf32>) -> !moe.routing<4x2 of 3, f32>
  %i, %v = moe.unpack %r : (!moe.routing<4x2 of 3, f32>) -> (tensor<4x2xi32>, tensor<4x2xf32>)
  // CHECK-NEXT: return %[[IDS]], %[[W]]
  return %i, %v : tensor<4x2xi32>, tensor<4x2xf32>
}

// -----

// Attributes of other arguments stay with them; those of models go.
// CHECK-NOT: moe.profile
moe.profile @profile embedded "olmoe-1b-7b"

// CHECK: func.func private @external(tensor<4x2xi32>, tensor<4x2xf32>, f32) -> (f32, tensor<4x2xi32>, tensor<4x2xf32>)
func.func private @external(!moe.routing<4x2 of 3, f32>, f32) -> (f32, !moe.routing<4x2 of 3, f32>)

// CHECK: func.func @signature(%{{.*}}: tensor<4x2xi32> {test.routing}, %{{.*}}: tensor<4x2xf32>, %[[X:.+]]: f32 {test.x})
// CHECK-SAME: -> (f32 {test.y}, tensor<4x2xi32> {test.r}, tensor<4x2xf32>) {
func.func @signature(%r: !moe.routing<4x2 of 3, f32> {test.routing}, %x: f32 {moe.param, test.x})
    -> (f32 {test.y}, !moe.routing<4x2 of 3, f32> {test.r})
    attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // CHECK: %[[C:.+]]:3 = call @external(%{{.*}}, %{{.*}}, %[[X]])
  %y, %s = call @external(%r, %x) : (!moe.routing<4x2 of 3, f32>, f32) -> (f32, !moe.routing<4x2 of 3, f32>)
  // CHECK: return %[[C]]#0, %[[C]]#1, %[[C]]#2
  return %y, %s : f32, !moe.routing<4x2 of 3, f32>
}

// -----

// CHECK-LABEL: func.func @regions
func.func @regions(%c: i1, %r: !moe.routing<4x2 of 3, f32>, %s: !moe.routing<4x2 of 3, f32>) -> !moe.routing<4x2 of 3, f32> {
  // CHECK: scf.if %{{.*}} -> (tensor<4x2xi32>, tensor<4x2xf32>)
  %0 = scf.if %c -> !moe.routing<4x2 of 3, f32> {
    scf.yield %r : !moe.routing<4x2 of 3, f32>
  } else {
    scf.yield %s : !moe.routing<4x2 of 3, f32>
  }
  // CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}}, %{{.*}} : tensor<4x2xi32>, tensor<4x2xf32>), ^bb1(
  cf.cond_br %c, ^bb1(%0 : !moe.routing<4x2 of 3, f32>), ^bb1(%r : !moe.routing<4x2 of 3, f32>)
// CHECK: ^bb1(%{{.*}}: tensor<4x2xi32>, %{{.*}}: tensor<4x2xf32>):
^bb1(%1: !moe.routing<4x2 of 3, f32>):
  return %1 : !moe.routing<4x2 of 3, f32>
}

// -----

// The number of tokens may be open.
// CHECK-LABEL: func.func @tokens
func.func @tokens(%x: tensor<?x4xf32>, %l: tensor<?x4xf32>, %p: tensor<?xi1>) -> tensor<?x4xf32> {
  %r = moe.route %l padding %p <k = 2, score = sigmoid, groups = 2, kept_groups = 1> layer 0
      : (tensor<?x4xf32>, tensor<?xi1>) -> !moe.routing<?x2 of 4, f32>
  // CHECK: %[[SLOTS:.+]] = arith.muli %{{.*}}, %{{.*}} : index
  // CHECK: tensor.empty(%[[SLOTS]]) : tensor<?xindex>
  // CHECK: tensor.empty(%[[SLOTS]]) : tensor<?x4xf32>
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<?x4xf32>, !moe.routing<?x2 of 4, f32>) -> (tensor<?x4xf32>, tensor<4xindex>)
  %y = moe.combine %rows by %r layer 0 : (tensor<?x4xf32>, !moe.routing<?x2 of 4, f32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
