// RUN: mozart-opt %s --mozart-verify-model -o /dev/null
// RUN: mozart-opt %S/../../../Phases/one-layer-model.mlir --mozart-verify-model -o /dev/null
// RUN: mozart-opt %S/../../../Phases/one-layer-placed.mlir --mozart-verify-model -o /dev/null
// RUN: mozart-opt %mozart_source/share/mozart/models/olmoe-1b-7b.mlir --mozart-verify-model -o /dev/null
// RUN: mozart-opt %mozart_source/share/mozart/models/deepseek-moe-16b.mlir --mozart-verify-model -o /dev/null

// Two layers, the second with experts one after another, in a function that is not the
// module's first; other functions may hold what they like.

func.func private @helper(%rows: tensor<8x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  %y = moe.combine %rows by %r layer 5 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @forward(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "two-layers", sequences = 2, sequence_length = 2, micro_batches = 3>} {
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %r1 = moe.route %logits <k = 2, score = softmax> layer 1 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a1, %n1 = moe.dispatch %y0 by %r1 layer 1 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b1 = moe.experts %a1 counts %n1 weights(%w, %w) <activation = gelu> layer 1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %c1 = moe.experts %b1 counts %n1 weights(%w, %w) <activation = relu> layer 1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y1 = moe.combine %c1 by %r1 layer 1 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y1 : tensor<4x8xf32>
}
