// RUN: mozart-opt %s --split-input-file --verify-diagnostics

// Relations between the operands of routings and of what travels by them.

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields the local routing '!moe.routing<4x2 of 6, f32, local>', expected a global one}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32, local>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields the local routing '!moe.routing<4x2 of ?, f32, local>', expected a global one}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of ?, f32, local>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields '!moe.routing<5x2 of 6, f32>' from logits 'tensor<4x6xf32>', expected the same tokens and experts}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<5x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields '!moe.routing<4x2 of 7, f32>' from logits 'tensor<4x6xf32>', expected the same tokens and experts}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 7, f32>
  return
}

// -----

func.func @f(%l: tensor<4x?xf32>) {
  // expected-error@+1 {{'moe.route' op yields '!moe.routing<4x2 of 6, f32>' from logits 'tensor<4x?xf32>', expected the same tokens and experts}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x?xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields '!moe.routing<4x3 of 6, f32>', expected k = 2 as in its gate}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x3 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields '!moe.routing<4x2 of 6, f32>', expected k = 1 as in its gate}}
  %0 = moe.route %l <k = 1, score = sigmoid> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op yields weights of type 'f16', expected the logits' 'f32'}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f16>
  return
}

// -----

func.func @f(%l: tensor<4x6xf64>) {
  // expected-error@+1 {{'moe.route' op yields weights of type 'f32', expected the logits' 'f64'}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0
      : (tensor<4x6xf64>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'moe.route' op selection bias has type 'tensor<4xf32>', expected shape [6]}}
  %0 = moe.route %l selection_bias %b <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>, tensor<4xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>, %b: tensor<6xf16>) {
  // expected-error@+1 {{'moe.route' op selection bias has element type 'f16', expected 'f32'}}
  %0 = moe.route %l selection_bias %b <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>, tensor<6xf16>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>, %p: tensor<6xi1>) {
  // expected-error@+1 {{'moe.route' op padding has type 'tensor<6xi1>', expected shape [4]}}
  %0 = moe.route %l padding %p <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>, tensor<6xi1>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>, %p: tensor<?xi1>) {
  // expected-error@+1 {{'moe.route' op padding has type 'tensor<?xi1>', expected shape [4]}}
  %0 = moe.route %l padding %p <k = 2, score = softmax> layer 0
      : (tensor<4x6xf32>, tensor<?xi1>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op has 6 experts in 4 groups, expected a multiple}}
  %0 = moe.route %l <k = 2, score = softmax, groups = 4, kept_groups = 2> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op has 6 experts in 12 groups, expected a multiple}}
  %0 = moe.route %l <k = 2, score = softmax, groups = 12, kept_groups = 2> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op chooses 2 of 1 experts in the kept groups, expected at most as many}}
  %0 = moe.route %l <k = 2, score = softmax, groups = 6, kept_groups = 1> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op chooses 4 of 3 experts in the kept groups, expected at most as many}}
  %0 = moe.route %l <k = 4, score = softmax, groups = 2, kept_groups = 1> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x4 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op ranks groups by their top two, but a group has 1 expert}}
  %0 = moe.route %l <k = 2, score = sigmoid, groups = 6, kept_groups = 2, group_score = top_two_sum> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x4xf32>) {
  // expected-error@+1 {{'moe.route' op ranks groups by their top two, but a group has 1 expert}}
  %0 = moe.route %l <k = 2, score = softmax, groups = 4, kept_groups = 4, group_score = top_two_sum> layer 0
      : (tensor<4x4xf32>) -> !moe.routing<4x2 of 4, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op limits groups, which needs scores before the selection}}
  %0 = moe.route %l <k = 2, score = softmax, order = after_selection, groups = 2> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op limits groups, which needs scores before the selection}}
  %0 = moe.route %l <k = 2, score = sigmoid, order = after_selection, groups = 3, kept_groups = 3> layer 0
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op is in MoE layer -1, expected at least 0}}
  %0 = moe.route %l <k = 2, score = softmax> layer -1
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op is in MoE layer -7, expected at least 0}}
  %0 = moe.route %l <k = 2, score = sigmoid> layer -7
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op has a placement of 2 experts, expected 6}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0 placed <@m, [0, 1]>
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%l: tensor<4x6xf32>) {
  // expected-error@+1 {{'moe.route' op has a placement of 7 experts, expected 6}}
  %0 = moe.route %l <k = 2, score = softmax> layer 0 placed <@m, [0, 1, 0, 1, 0, 1, [0, 1]]>
      : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4611686018427387904x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op routes 4611686018427387904 tokens to 2 experts each, which does not fit in 63 bits}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4611686018427387904x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<9223372036854775807x3 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op routes 9223372036854775807 tokens to 3 experts each, which does not fit in 63 bits}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<9223372036854775807x3 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<3x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op has input 'tensor<3x8xf32>' for routing '!moe.routing<4x2 of 6, f32>', expected as many rows as tokens}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<3x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op has input 'tensor<?x8xf32>' for routing '!moe.routing<4x2 of 6, f32>', expected as many rows as tokens}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<?x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op rows has type 'tensor<4x8xf32>', expected shape [8, 8]}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<4x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %r: !moe.routing<?x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op rows has type 'tensor<8x8xf32>', expected shape [?, 8]}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<?x8xf32>, !moe.routing<?x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op rows has element type 'f16', expected 'f32'}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf16>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op counts has type 'tensor<8xindex>', expected shape [6]}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<8xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of ?, f32, local>) {
  // expected-error@+1 {{'moe.dispatch' op counts has type 'tensor<6xindex>', expected shape [?]}}
  %0, %1 = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op is in MoE layer -1, expected at least 0}}
  %0, %1 = moe.dispatch %x by %r layer -1
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f16>) {
  // expected-error@+1 {{'moe.dispatch' op is in MoE layer -2, expected at least 0}}
  %0, %1 = moe.dispatch %x by %r layer -2
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f16>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.dispatch' op has a placement of 1 experts, expected 6}}
  %0, %1 = moe.dispatch %x by %r layer 0 placed <@m, [0]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of ?, f32, local>) {
  // expected-error@+1 {{'moe.dispatch' op has a placement of 6 experts, expected ?}}
  %0, %1 = moe.dispatch %x by %r layer 0 placed <@m, [0, 0, 0, 1, 1, 1]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<?xindex>)
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4611686018427387904x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op routes 4611686018427387904 tokens to 2 experts each, which does not fit in 63 bits}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<8x8xf32>, !moe.routing<4611686018427387904x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<9223372036854775807x6 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op routes 9223372036854775807 tokens to 6 experts each, which does not fit in 63 bits}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<8x8xf32>, !moe.routing<9223372036854775807x6 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op rows has type 'tensor<4x8xf32>', expected shape [8, 8]}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op rows has type 'tensor<?x8xf32>', expected shape [8, 8]}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<?x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op result has type 'tensor<8x8xf32>', expected shape [4, 8]}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op result has element type 'f16', expected 'f32'}}
  %0 = moe.combine %x by %r layer 0
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf16>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op is in MoE layer -1, expected at least 0}}
  %0 = moe.combine %x by %r layer -1
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op is in MoE layer -9, expected at least 0}}
  %0 = moe.combine %x by %r layer -9
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op has a placement of 3 experts, expected 6}}
  %0 = moe.combine %x by %r layer 0 placed <@m, [0, 1, 2]>
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.combine' op has a placement of 7 experts, expected 6}}
  %0 = moe.combine %x by %r layer 0 placed <@m, [0, 1, 2, 0, 1, 2, 0]>
      : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%i: tensor<2x4xi32>, %w: tensor<4x2xf32>) {
  // expected-error@+1 {{'moe.pack' op ids has type 'tensor<2x4xi32>', expected shape [4, 2]}}
  %0 = moe.pack %i, %w : (tensor<2x4xi32>, tensor<4x2xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi32>, %w: tensor<4x2xf32>) {
  // expected-error@+1 {{'moe.pack' op ids has type 'tensor<4x2xi32>', expected shape [?, 2]}}
  %0 = moe.pack %i, %w : (tensor<4x2xi32>, tensor<4x2xf32>) -> !moe.routing<?x2 of 6, f32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi32>, %w: tensor<4x3xf32>) {
  // expected-error@+1 {{'moe.pack' op weights has type 'tensor<4x3xf32>', expected shape [4, 2]}}
  %0 = moe.pack %i, %w : (tensor<4x2xi32>, tensor<4x3xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi32>, %w: tensor<?x2xf32>) {
  // expected-error@+1 {{'moe.pack' op weights has type 'tensor<?x2xf32>', expected shape [4, 2]}}
  %0 = moe.pack %i, %w : (tensor<4x2xi32>, tensor<?x2xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi32>, %w: tensor<4x2xf16>) {
  // expected-error@+1 {{'moe.pack' op has weights 'tensor<4x2xf16>', expected elements of 'f32'}}
  %0 = moe.pack %i, %w : (tensor<4x2xi32>, tensor<4x2xf16>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @f(%i: tensor<4x2xi32>, %w: tensor<4x2xf32>) {
  // expected-error@+1 {{'moe.pack' op has weights 'tensor<4x2xf32>', expected elements of 'bf16'}}
  %0 = moe.pack %i, %w : (tensor<4x2xi32>, tensor<4x2xf32>) -> !moe.routing<4x2 of 6, bf16, local>
  return
}

// -----

func.func @f(%r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.unpack' op ids has type 'tensor<2x4xi32>', expected shape [4, 2]}}
  %0, %1 = moe.unpack %r : (!moe.routing<4x2 of 6, f32>) -> (tensor<2x4xi32>, tensor<4x2xf32>)
  return
}

// -----

func.func @f(%r: !moe.routing<?x2 of 6, f32>) {
  // expected-error@+1 {{'moe.unpack' op ids has type 'tensor<4x2xi32>', expected shape [?, 2]}}
  %0, %1 = moe.unpack %r : (!moe.routing<?x2 of 6, f32>) -> (tensor<4x2xi32>, tensor<4x2xf32>)
  return
}

// -----

func.func @f(%r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.unpack' op weights has type 'tensor<4x3xf32>', expected shape [4, 2]}}
  %0, %1 = moe.unpack %r : (!moe.routing<4x2 of 6, f32>) -> (tensor<4x2xi32>, tensor<4x3xf32>)
  return
}

// -----

func.func @f(%r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.unpack' op weights has type 'tensor<?x2xf32>', expected shape [4, 2]}}
  %0, %1 = moe.unpack %r : (!moe.routing<4x2 of 6, f32>) -> (tensor<4x2xi32>, tensor<?x2xf32>)
  return
}

// -----

func.func @f(%r: !moe.routing<4x2 of 6, f32>) {
  // expected-error@+1 {{'moe.unpack' op has weights 'tensor<4x2xf16>', expected elements of 'f32'}}
  %0, %1 = moe.unpack %r : (!moe.routing<4x2 of 6, f32>) -> (tensor<4x2xi32>, tensor<4x2xf16>)
  return
}

// -----

func.func @f(%r: !moe.routing<4x2 of 6, bf16, local>) {
  // expected-error@+1 {{'moe.unpack' op has weights 'tensor<4x2xf32>', expected elements of 'bf16'}}
  %0, %1 = moe.unpack %r : (!moe.routing<4x2 of 6, bf16, local>) -> (tensor<4x2xi32>, tensor<4x2xf32>)
  return
}

// -----

// expected-error@+1 {{'moe.profile' op has an empty source, expected a name or a path}}
moe.profile @p embedded ""

// -----

// expected-error@+1 {{'moe.profile' op has an empty source, expected a name or a path}}
moe.profile @p file ""
