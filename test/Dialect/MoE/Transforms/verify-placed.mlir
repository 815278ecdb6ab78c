// RUN: mozart-opt %S/../../../Phases/one-layer-placed.mlir --mozart-verify-placed -o /dev/null

// An expert may have replicas.
// RUN: sed 's/\[2, 3, 3\]/[2, [2, 3], 3]/' %S/../../../Phases/one-layer-placed.mlir | mozart-opt --mozart-verify-placed -o /dev/null

// What is placed on a machine of the module, by whatever algorithm, is placed.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts=algorithm=random --mozart-verify-placed -o /dev/null

func.func @forward(%x: tensor<4x8xf32>, %logits: tensor<4x5xf32>, %w: tensor<5x8x8xf32>) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x5xf32>) -> !moe.routing<4x2 of 5, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 5, f32>) -> (tensor<8x8xf32>, tensor<5xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<5xindex>, tensor<5x8x8xf32>, tensor<5x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 5, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
