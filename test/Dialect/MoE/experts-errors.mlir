// RUN: mozart-opt %s --split-input-file --verify-diagnostics

// Relations between the operands of experts, and of their bodies.

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has 2 weights, expected 3}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has 3 weights, expected 2}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = gelu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has weight 'tensor<8x6xf32>', expected one stacked over experts (rank 3)}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has weight 'tensor<6x8xf32>', expected one stacked over experts (rank 3)}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) <activation = relu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<2x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op weight has type 'tensor<2x8x6xf32>', expected shape [3, 8, 6]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<2x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf16>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op weight has element type 'f16', expected 'f32'}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf16>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<?xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op weight has type 'tensor<3x8x6xf32>', expected shape [?, 8, 6]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<?xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x4xf32>) {
  // expected-error@+1 {{'moe.experts' op down weight has type 'tensor<3x6x4xf32>', expected shape [3, 6, 8]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) <activation = silu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x4xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf64>) {
  // expected-error@+1 {{'moe.experts' op down weight has element type 'f64', expected 'f32'}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) <activation = silu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf64>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>, %b0: tensor<3x6xf32>) {
  // expected-error@+1 {{'moe.experts' op has 1 biases, expected 3}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) biases(%b0) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x6xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>, %b0: tensor<3x6xf32>, %b1: tensor<3x6xf32>, %b2: tensor<3x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has 3 biases, expected 2}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) biases(%b0, %b1, %b2) <activation = relu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x6xf32>, tensor<3x6xf32>, tensor<3x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>, %b0: tensor<3x8xf32>, %b1: tensor<3x8xf32>) {
  // expected-error@+1 {{'moe.experts' op bias has type 'tensor<3x8xf32>', expected shape [3, 6]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) biases(%b0, %b1) <activation = relu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>, %b0: tensor<3x6xf32>, %b1: tensor<3x6xf16>, %b2: tensor<3x8xf32>) {
  // expected-error@+1 {{'moe.experts' op bias has element type 'f16', expected 'f32'}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) biases(%b0, %b1, %b2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x6xf32>, tensor<3x6xf16>, tensor<3x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>, %b0: tensor<3x6xf32>, %b1: tensor<3x6xf32>) {
  // expected-error@+1 {{'moe.experts' op down bias has type 'tensor<3x6xf32>', expected shape [3, 8]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) biases(%b0, %b1) <activation = relu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>, %b0: tensor<3x6xf32>, %b1: tensor<3x8x1xf32>) {
  // expected-error@+1 {{'moe.experts' op down bias has type 'tensor<3x8x1xf32>', expected shape [3, 8]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) biases(%b0, %b1) <activation = relu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>, tensor<3x6xf32>, tensor<3x8x1xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op result has type 'tensor<9x6xf32>', expected shape [9, 8]}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x6xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op result has element type 'f16', expected 'f32'}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf16>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op is in MoE layer -1, expected at least 0}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer -1
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op is in MoE layer -4, expected at least 0}}
  %0 = moe.experts %x counts %c weights(%w0, %w1) <activation = relu> layer -4
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has a placement of 4 experts, expected 3}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0 placed <@m, [0, 1, 2, 3]>
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x6xf32>, %w1: tensor<3x8x6xf32>, %w2: tensor<3x6x8xf32>) {
  // expected-error@+1 {{'moe.experts' op has a placement of 1 experts, expected 3}}
  %0 = moe.experts %x counts %c weights(%w0, %w1, %w2) <activation = swiglu> layer 0 placed <@m, [[0, 1, 2]]>
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x6xf32>, tensor<3x8x6xf32>, tensor<3x6x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has no name, by which its kernel is registered}}
  %0 = moe.custom_experts "" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has no name, by which its kernel is registered}}
  %0 = moe.custom_experts "" %x counts %c weights(%w0) layer 3
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body with 1 arguments, expected the rows and 1 weights}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body with 3 arguments, expected the rows and 1 weights}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>, %a2: f32):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body whose rows are 'tensor<9x8xf32>', expected 'tensor<?x8xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<9x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body whose rows are 'tensor<?x8xf16>', expected 'tensor<?x8xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf16>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has weight 'tensor<8x2xf32>', expected a leading axis of 3 experts}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<f32>) {
  // expected-error@+1 {{'moe.custom_experts' op has weight 'tensor<f32>', expected a leading axis of 3 experts}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<f32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<?xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has weight 'tensor<3x8x2xf32>', expected a leading axis of ? experts}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<?xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body whose weight 0 is 'tensor<3x8x2xf32>', expected 'tensor<8x2xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<3x8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>, %w1: tensor<3xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body whose weight 1 is 'tensor<f16>', expected 'tensor<f32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0, %w1) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>, tensor<3xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>, %a2: tensor<f16>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body that does not yield one 'tensor<?x2xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      moe.yield %a0 : tensor<?x8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body that does not yield one 'tensor<?x2xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      moe.yield
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a body that does not yield one 'tensor<?x2xf32>'}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y, %y : tensor<?x2xf32>, tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op yields 'tensor<8x2xf32>' from rows 'tensor<9x8xf32>', expected as many rows}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<8x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op yields 'tensor<9x2xf32>' from rows 'tensor<?x8xf32>', expected as many rows}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0
      : (tensor<?x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op is in MoE layer -1, expected at least 0}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer -1
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op is in MoE layer -5, expected at least 0}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer -5
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a placement of 2 experts, expected 3}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0 placed <@m, [0, 1]>
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<9x8xf32>, %c: tensor<3xindex>, %w0: tensor<3x8x2xf32>) {
  // expected-error@+1 {{'moe.custom_experts' op has a placement of 5 experts, expected 3}}
  %0 = moe.custom_experts "e" %x counts %c weights(%w0) layer 0 placed <@m, [0, 1, 2, 3, 4]>
      : (tensor<9x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<9x2xf32> {
    ^bb0(%a0: tensor<?x8xf32>, %a1: tensor<8x2xf32>):
      %n = arith.constant 1 : index
      %y = tensor.empty(%n) : tensor<?x2xf32>
      moe.yield %y : tensor<?x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'moe.yield' op expects parent op 'moe.custom_experts'}}
  moe.yield %x : tensor<4x8xf32>
}

// -----

func.func @f() {
  // expected-error@+1 {{'moe.yield' op expects parent op 'moe.custom_experts'}}
  moe.yield
}
