// Weights are the same for all micro-batches, whoever uses them.
// RUN: split-file %s %t

// Two layers share their weights, but not their placement: each loads what it needs.
// RUN: mozart-opt %t/shared.mlir --mozart-compile="machine=toy preset=baseline algorithm=random seed=2" -o %t/shared.out.mlir
// RUN: FileCheck %s --check-prefix=SHARED < %t/shared.out.mlir
// RUN: mozart-translate --execute %t/shared.out.mlir --compare=%t/shared.mlir | FileCheck %s --check-prefix=EQUAL

// A result is the experts' weights, and another the router's.
// RUN: mozart-opt %t/results.mlir --mozart-compile="machine=toy preset=dedup algorithm=contiguous" -o %t/results.out.mlir
// RUN: FileCheck %s --check-prefix=RESULTS < %t/results.out.mlir
// RUN: mozart-translate --execute %t/results.out.mlir --compare=%t/results.mlir | FileCheck %s --check-prefix=EQUAL
// EQUAL: "equal_to_model": true

// The chiplet has expert 1 in layer 0, expert 0 in layer 1.
// A weight without a name is called by its number.
// SHARED: chiplet.input 2 "experts.up[c1]" experts [1]
// SHARED: chiplet.input 3 "arg3[c1]" experts [1]
// SHARED: chiplet.input 2 "experts.up[c1]" experts [0]

// RESULTS-COUNT-1: chiplet.input 2 "arg2" at
// RESULTS-COUNT-1: chiplet.input 3 "arg3" at
// RESULTS-NOT: chiplet.input 2 "arg2" at
// RESULTS-NOT: chiplet.input {{[123]}} {{.*}} micro_batch

//--- shared.mlir
func.func @forward(%x: tensor<4x8xf32>, %router: tensor<8x4xf32> {moe.param},
                   %up: tensor<4x8x16xf32> {moe.param = "experts.up"}, %down: tensor<4x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "shared", sequences = 1, sequence_length = 4, micro_batches = 2>} {
  %logits0 = moe.router %x, %router : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %r0 = moe.route %logits0 <k = 2, score = softmax> layer 0 : (tensor<4x4xf32>) -> !moe.routing<4x2 of 4, f32>
  %rows0, %counts0 = moe.dispatch %x by %r0 layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 4, f32>) -> (tensor<8x8xf32>, tensor<4xindex>)
  %out0 = moe.experts %rows0 counts %counts0 weights(%up, %down) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<4xindex>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %out0 by %r0 layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 4, f32>) -> tensor<4x8xf32>
  %z0 = moe.add %x, %y0 : tensor<4x8xf32>
  %logits1 = moe.router %z0, %router : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %r1 = moe.route %logits1 <k = 2, score = softmax> layer 1 : (tensor<4x4xf32>) -> !moe.routing<4x2 of 4, f32>
  %rows1, %counts1 = moe.dispatch %z0 by %r1 layer 1
      : (tensor<4x8xf32>, !moe.routing<4x2 of 4, f32>) -> (tensor<8x8xf32>, tensor<4xindex>)
  %out1 = moe.experts %rows1 counts %counts1 weights(%up, %down) <activation = gelu> layer 1
      : (tensor<8x8xf32>, tensor<4xindex>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<8x8xf32>
  %y1 = moe.combine %out1 by %r1 layer 1 : (tensor<8x8xf32>, !moe.routing<4x2 of 4, f32>) -> tensor<4x8xf32>
  %z1 = moe.add %z0, %y1 : tensor<4x8xf32>
  return %z1 : tensor<4x8xf32>
}

//--- results.mlir
func.func @forward(%x: tensor<4x8xf32>, %router: tensor<8x4xf32> {moe.param},
                   %up: tensor<4x8x16xf32> {moe.param}, %down: tensor<4x16x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<8x4xf32>)
    attributes {moe.model = #moe.model<name = "results", sequences = 1, sequence_length = 4, micro_batches = 2>} {
  %logits = moe.router %x, %router : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x4xf32>) -> !moe.routing<4x2 of 4, f32>
  %rows, %counts = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 4, f32>) -> (tensor<8x8xf32>, tensor<4xindex>)
  %out = moe.experts %rows counts %counts weights(%up, %down) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<4xindex>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %out by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 4, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z, %up, %down, %router : tensor<4x8xf32>, tensor<4x8x16xf32>, tensor<4x16x8xf32>, tensor<8x4xf32>
}
