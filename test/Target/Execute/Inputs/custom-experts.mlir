// Experts that are no named FFN: x W, squared element by element.
func.func @forward(%x: tensor<8x4xf32>, %router: tensor<4x5xf32> {moe.param}, %w: tensor<5x4x4xf32> {moe.param}) -> tensor<8x4xf32>
    attributes {moe.model = #moe.model<name = "custom", sequences = 2, sequence_length = 4, micro_batches = 2>} {
  %logits = moe.router %x, %router : (tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<8x5xf32>) -> !moe.routing<8x2 of 5, f32>
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<8x4xf32>, !moe.routing<8x2 of 5, f32>) -> (tensor<16x4xf32>, tensor<5xindex>)
  %out = moe.custom_experts "squared" %rows counts %counts weights(%w) layer 0
      : (tensor<16x4xf32>, tensor<5xindex>, tensor<5x4x4xf32>) -> tensor<16x4xf32> {
    ^bb0(%a: tensor<?x4xf32>, %m: tensor<4x4xf32>):
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %n = tensor.dim %a, %c0 : tensor<?x4xf32>
      %empty = tensor.empty(%n) : tensor<?x4xf32>
      %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
      %p = linalg.matmul ins(%a, %m : tensor<?x4xf32>, tensor<4x4xf32>) outs(%filled : tensor<?x4xf32>) -> tensor<?x4xf32>
      %s = arith.mulf %p, %p : tensor<?x4xf32>
      moe.yield %s : tensor<?x4xf32>
  }
  %y = moe.combine %out by %r layer 0 : (tensor<16x4xf32>, !moe.routing<8x2 of 5, f32>) -> tensor<8x4xf32>
  %z = moe.add %x, %y : tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
