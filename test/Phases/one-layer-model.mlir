// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s

// One MoE layer, 4 tokens, 3 experts, as a model: no machine, no placement.

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<4x8xf32>, %norm: tensor<8xf32> {moe.param},
                   %router: tensor<8x3xf32> {moe.param},
                   %gate: tensor<3x8x16xf32> {moe.param}, %up: tensor<3x8x16xf32> {moe.param},
                   %down: tensor<3x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "one-layer", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %h = moe.norm rms %x, %norm epsilon 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %logits = moe.router %h, %router : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  // CHECK: moe.route
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  // CHECK: moe.dispatch
  %rows, %counts = moe.dispatch %h by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // CHECK: moe.experts
  %out = moe.experts %rows counts %counts weights(%gate, %up, %down) <activation = swiglu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x16xf32>, tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<8x8xf32>
  // CHECK: moe.combine
  %y = moe.combine %out by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
