// RUN: mozart-opt %s --convert-moe-to-linalg | %stock_lowering | %stock_runner | FileCheck %s

// Norms, projections and feed-forward networks on numbers worked by hand.

func.func private @printMemrefF64(tensor<*xf64>)

func.func @print(%x: tensor<2x2xf64>) {
  %0 = tensor.cast %x : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%0) : (tensor<*xf64>) -> ()
  return
}

func.func @norms() {
  // Mean squares: (1 + 49) / 2 = 25 and (25 + 25) / 2 = 25, so both roots are 5:
  //   1/5 5 = 1, 7/5 10 = 14; -5/5 5 = -5, 5/5 10 = 10.
  // CHECK:      [1, 14]
  // CHECK-NEXT: [-5, 10]
  %x = arith.constant dense<[[1.0, 7.0], [-5.0, 5.0]]> : tensor<2x2xf64>
  %w = arith.constant dense<[5.0, 10.0]> : tensor<2xf64>
  %0 = moe.norm rms %x, %w epsilon 0.0 : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%0) : (tensor<2x2xf64>) -> ()

  // With epsilon 11 the roots are sqrt(25 + 11) = 6: 1/6 5 = 0.833333, 7/6 10 = 11.6667; -5/6 5, 5/6 10.
  // CHECK:      [0.833333, 11.6667]
  // CHECK-NEXT: [-4.16667, 8.33333]
  %1 = moe.norm rms %x, %w epsilon 11.0 : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%1) : (tensor<2x2xf64>) -> ()

  // Means 4 and 0, variances 9 and 25; with epsilon 0 the roots are 3 and 5:
  //   -3/3 5 + 1 = -4, 3/3 10 + 2 = 12; -5/5 5 + 1 = -4, 5/5 10 + 2 = 12.
  // CHECK:      [-4, 12]
  // CHECK-NEXT: [-4, 12]
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %2 = moe.norm layer %x, %w bias %b epsilon 0.0 : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%2) : (tensor<2x2xf64>) -> ()

  // With epsilon 16 the roots are 5 and sqrt(41): -3/5 5 + 1 = -2, 3/5 10 + 2 = 8;
  // -5/6.40312 5 + 1 = -2.90434, 5/6.40312 10 + 2 = 9.80869.
  // CHECK:      [-2, 8]
  // CHECK-NEXT: [-2.90434, 9.80869]
  %3 = moe.norm layer %x, %w bias %b epsilon 16.0 : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%3) : (tensor<2x2xf64>) -> ()
  return
}

func.func @sums() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %w = arith.constant dense<[[1.0, 10.0], [100.0, 1000.0]]> : tensor<2x2xf64>
  %b = arith.constant dense<[0.5, 0.25]> : tensor<2xf64>
  // 1 + 200 + 0.5, 10 + 2000 + 0.25; 3 + 400 + 0.5, 30 + 4000 + 0.25
  // CHECK:      [201.5, 2010.25]
  // CHECK-NEXT: [403.5, 4030.25]
  %0 = moe.linear %x, %w bias %b : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%0) : (tensor<2x2xf64>) -> ()
  // CHECK:      [202.5, 2012.25]
  // CHECK-NEXT: [406.5, 4034.25]
  %1 = moe.add %x, %0 : tensor<2x2xf64>
  call @print(%1) : (tensor<2x2xf64>) -> ()
  // CHECK:      [201, 2010]
  // CHECK-NEXT: [403, 4030]
  %2 = moe.router %x, %w : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%2) : (tensor<2x2xf64>) -> ()
  return
}

// Each network multiplies by the identity, acts, and multiplies by diag(1, 10).
func.func @networks() {
  %ln3 = arith.constant dense<[[1.0986122886681098, 0.0], [1.0, -1.0]]> : tensor<2x2xf64>
  %id = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %twist = arith.constant dense<[[0.0, 4.0], [4.0, 0.0]]> : tensor<2x2xf64>
  %down = arith.constant dense<[[1.0, 0.0], [0.0, 10.0]]> : tensor<2x2xf64>

  // silu(ln 3) = ln 3 / (1 + 1/3) = 0.823959, silu(0) = 0; silu(1) = 1 / (1 + 1/e) = 0.731059,
  // silu(-1) = -1 / (1 + e) = -0.268941
  // CHECK:      [0.823959, 0]
  // CHECK-NEXT: [0.731059, -2.68941]
  %0 = moe.ffn %ln3 weights(%id, %down) <activation = silu> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%0) : (tensor<2x2xf64>) -> ()
  // CHECK:      [1.09861, 0]
  // CHECK-NEXT: [1, 0]
  %1 = moe.ffn %ln3 weights(%id, %down) <activation = relu> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%1) : (tensor<2x2xf64>) -> ()
  // x Phi(x), with Phi(ln 3) = 0.864028, Phi(1) = 0.841345: 0.949226, 0; 0.841345, -0.158655
  // CHECK:      [0.94923{{[0-9]*}}, 0]
  // CHECK-NEXT: [0.841345, -1.58655]
  %2 = moe.ffn %ln3 weights(%id, %down) <activation = gelu> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%2) : (tensor<2x2xf64>) -> ()
  // x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2: at 1, tanh(0.833730) = 0.682384
  // CHECK-NEXT: [{{.*}}, 0]
  // CHECK-NEXT: [0.841192, -1.58808]
  %3 = moe.ffn %ln3 weights(%id, %down) <activation = gelu_tanh> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%3) : (tensor<2x2xf64>) -> ()

  // up(x) = 4 (x1, x0): silu(gate) up = 0.823959 0, 0 4 ln 3; 0.731059 (-4), 10 (-0.268941) 4
  // CHECK:      [0, 0]
  // CHECK-NEXT: [-2.92423, -10.7577]
  %4 = moe.ffn %ln3 weights(%id, %twist, %down) <activation = swiglu> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%4) : (tensor<2x2xf64>) -> ()
  // gelu(gate) up: 0.841345 (-4), 10 (-0.158655) 4
  // CHECK:      [0, 0]
  // CHECK-NEXT: [-3.36538, -6.34621]
  %5 = moe.ffn %ln3 weights(%id, %twist, %down) <activation = geglu> : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  call @print(%5) : (tensor<2x2xf64>) -> ()
  return
}

func.func @clamped() {
  // Gate: x plus its biases = (5, -2; 2, 0). Up: 6 (-3) + 10 = -8, -3 (-4) - 4 = 8; 3 (-3) + 10 = 1,
  // -1 (-4) - 4 = 0. The limit is 2: of gate from above, of up on both sides. With alpha = ln 3 / 2,
  // sigmoid(2 alpha) = 3/4 and sigmoid(-2 alpha) = 1/4:
  //   2 3/4 (-2 + 1) = -1.5, -2 1/4 (2 + 1) = -1.5; 2 3/4 (1 + 1) = 3, 0
  // down is the identity, and its biases add (0.5, 0.25).
  // CHECK:      [-1, -1.25]
  // CHECK-NEXT: [3.5, 0.25]
  %x = arith.constant dense<[[6.0, -3.0], [3.0, -1.0]]> : tensor<2x2xf64>
  %id = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %up = arith.constant dense<[[-3.0, 0.0], [0.0, -4.0]]> : tensor<2x2xf64>
  %bg = arith.constant dense<[-1.0, 1.0]> : tensor<2xf64>
  %bu = arith.constant dense<[10.0, -4.0]> : tensor<2xf64>
  %bd = arith.constant dense<[0.5, 0.25]> : tensor<2xf64>
  %0 = moe.ffn %x weights(%id, %up, %id) biases(%bg, %bu, %bd) <activation = clamped_swiglu, limit = 2.0, alpha = 0.5493061443340549>
    : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  call @print(%0) : (tensor<2x2xf64>) -> ()

  // relu(x) = (6, 0; 3, 0), times sigmoid(x gate): sigmoid(6/2 - 3) = 1/2, sigmoid(3/2 - 1) = 0.622459
  // CHECK:      [3, 0]
  // CHECK-NEXT: [1.86738, 0]
  %g = arith.constant dense<[[0.5], [1.0]]> : tensor<2x1xf64>
  %1 = moe.ffn shared %x weights(%id, %id) output_gate %g <activation = relu>
    : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x2xf64>
  call @print(%1) : (tensor<2x2xf64>) -> ()
  return
}

func.func @main() {
  call @norms() : () -> ()
  call @sums() : () -> ()
  call @networks() : () -> ()
  call @clamped() : () -> ()
  return
}
