// RUN: mozart-opt %s --convert-moe-to-linalg --split-input-file --verify-diagnostics

func.func @width(%x: tensor<4x?xf32>, %w: tensor<?xf32>) -> tensor<4x?xf32> {
  // expected-error@+1 {{'moe.norm' op cannot be lowered to linalg: operand 0 has type 'tensor<4x?xf32>', of which this lowering needs to know the extent '?'; make it static first}}
  %0 = moe.norm rms %x, %w epsilon 0.0 : (tensor<4x?xf32>, tensor<?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

func.func @width_of_weight(%x: tensor<4x8xf32>, %w: tensor<8x?xf32>) -> tensor<4x?xf32> {
  // expected-error@+1 {{'moe.linear' op cannot be lowered to linalg: operand 1 has type 'tensor<8x?xf32>'}}
  %0 = moe.linear %x, %w : (tensor<4x8xf32>, tensor<8x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

func.func @length(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{'moe.attention' op cannot be lowered to linalg: operand 0 has type 'tensor<?x8xf32>'}}
  %0 = moe.attention %x weights(%w, %w, %w, %w) sequences 1 heads <query = 2, kv = 2, dim = 4, scale = 0.5>
      : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @length_latent(%x: tensor<?x8xf32>, %q: tensor<8x6xf32>, %kva: tensor<8x9xf32>, %n: tensor<5xf32>,
    %kvb: tensor<5x5xf32>, %o: tensor<3x8xf32>) -> tensor<?x8xf32> {
  // expected-error@+1 {{'moe.latent_attention' op cannot be lowered to linalg: operand 0 has type 'tensor<?x8xf32>'}}
  %0 = moe.latent_attention %x weights(%q, %kva, %n, %kvb, %o) sequences 1
      heads <query = 1, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<?x8xf32>, tensor<8x6xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x5xf32>, tensor<3x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

// Ids alone do not say how many experts there are.
func.func @experts(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of ?, f32, local>) -> tensor<4x8xf32> {
  // expected-error@+1 {{'moe.dispatch' op cannot be lowered to linalg: operand 1 has type '!moe.routing<4x2 of ?, f32, local>'}}
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<?xindex>)
  // expected-error@+1 {{'moe.combine' op cannot be lowered to linalg: operand 1 has type '!moe.routing<4x2 of ?, f32, local>'}}
  %y = moe.combine %rows by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @stranger(%r: !moe.routing<4x2 of 3, f32>) {
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' op handles a routing, which this lowering cannot turn into tensors for it; lower it to moe and upstream ops first}}
  %0 = builtin.unrealized_conversion_cast %r : !moe.routing<4x2 of 3, f32> to tensor<4x2xi32>
  return
}

// -----

func.func @select(%c: i1, %r: !moe.routing<4x2 of 3, f32>, %s: !moe.routing<4x2 of 3, f32>) -> !moe.routing<4x2 of 3, f32> {
  // expected-error@+1 {{'arith.select' op handles a routing}}
  %0 = arith.select %c, %r, %s : !moe.routing<4x2 of 3, f32>
  return %0 : !moe.routing<4x2 of 3, f32>
}
