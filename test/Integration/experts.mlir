// RUN: mozart-opt %s --convert-moe-to-linalg | %stock_lowering | %stock_runner | FileCheck %s

// Tokens on their way to experts and back, worked by hand. Four tokens, two slots, four experts; expert 2 has no
// token, token 2 is padding and token 1 has one expert only.
//
//   slots of token 0: expert 3 (weight 0.5), expert 0 (0.25);  of token 1: none, expert 3 (2)
//   slots of token 2: none, none;                              of token 3: expert 0 (1), expert 1 (4)

func.func private @printMemrefF64(tensor<*xf64>)
func.func private @printMemrefInd(tensor<*xindex>)

func.func @routing() -> !moe.routing<4x2 of 4, f64> {
  %ids = arith.constant dense<[[3, 0], [-1, 3], [-1, -1], [0, 1]]> : tensor<4x2xi32>
  %weights = arith.constant dense<[[0.5, 0.25], [0.0, 2.0], [0.0, 0.0], [1.0, 4.0]]> : tensor<4x2xf64>
  %r = moe.pack %ids, %weights : (tensor<4x2xi32>, tensor<4x2xf64>) -> !moe.routing<4x2 of 4, f64>
  return %r : !moe.routing<4x2 of 4, f64>
}

func.func @print8(%x: tensor<8x2xf64>) {
  %0 = tensor.cast %x : tensor<8x2xf64> to tensor<*xf64>
  call @printMemrefF64(%0) : (tensor<*xf64>) -> ()
  return
}

func.func @print4(%x: tensor<4x2xf64>) {
  %0 = tensor.cast %x : tensor<4x2xf64> to tensor<*xf64>
  call @printMemrefF64(%0) : (tensor<*xf64>) -> ()
  return
}

func.func @printCounts(%x: tensor<4xindex>) {
  %0 = tensor.cast %x : tensor<4xindex> to tensor<*xindex>
  call @printMemrefInd(%0) : (tensor<*xindex>) -> ()
  return
}

func.func @main() {
  %x = arith.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]]> : tensor<4x2xf64>
  %r = call @routing() : () -> !moe.routing<4x2 of 4, f64>

  // Expert 0: tokens 0 and 3. Expert 1: token 3. Expert 3: tokens 0 and 1. The rest is zero.
  // CHECK:      [1, 10]
  // CHECK-NEXT: [4, 40]
  // CHECK-NEXT: [4, 40]
  // CHECK-NEXT: [1, 10]
  // CHECK-NEXT: [2, 20]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK:      [2, 1, 0, 2]
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<4x2xf64>, !moe.routing<4x2 of 4, f64>) -> (tensor<8x2xf64>, tensor<4xindex>)
  call @print8(%rows) : (tensor<8x2xf64>) -> ()
  call @printCounts(%counts) : (tensor<4xindex>) -> ()

  // Expert e: relu(row up + bias) down + bias, with up the identity times e + 1, down ones, biases (0, -40) and
  // (0, 0) but for expert 1, (0.5, 0).
  //   expert 0: (1, 10) -> relu(1, -30) -> (1, 1);   (4, 40) -> (4, 0) -> (4, 4)
  //   expert 1: (4, 40) -> (8, 40) -> (48.5, 48)
  //   expert 3: (1, 10) -> (4, 0) -> (4, 4);         (2, 20) -> (8, 40) -> (48, 48)
  // CHECK:      [1, 1]
  // CHECK-NEXT: [4, 4]
  // CHECK-NEXT: [48.5, 48]
  // CHECK-NEXT: [4, 4]
  // CHECK-NEXT: [48, 48]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  %up = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [0.0, 3.0]], [[4.0, 0.0], [0.0, 4.0]]]> : tensor<4x2x2xf64>
  %down = arith.constant dense<1.0> : tensor<4x2x2xf64>
  %bu = arith.constant dense<[[0.0, -40.0], [0.0, -40.0], [0.0, -40.0], [0.0, -40.0]]> : tensor<4x2xf64>
  %bd = arith.constant dense<[[0.0, 0.0], [0.5, 0.0], [7.0, 7.0], [0.0, 0.0]]> : tensor<4x2xf64>
  %e = moe.experts %rows counts %counts weights(%up, %down) biases(%bu, %bd) <activation = relu> layer 0
      : (tensor<8x2xf64>, tensor<4xindex>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<8x2xf64>
  call @print8(%e) : (tensor<8x2xf64>) -> ()

  // Token 0: 0.5 (4, 4) + 0.25 (1, 1) = 2.25. Token 1: 2 (48, 48) = 96. Token 2: none.
  // Token 3: 1 (4, 4) + 4 (48.5, 48) = (198, 196).
  // CHECK:      [2.25, 2.25]
  // CHECK-NEXT: [96, 96]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [198, 196]
  %y = moe.combine %e by %r layer 0 : (tensor<8x2xf64>, !moe.routing<4x2 of 4, f64>) -> tensor<4x2xf64>
  call @print4(%y) : (tensor<4x2xf64>) -> ()

  // A slot without expert is skipped, whatever lies in the rows past those of experts.
  // CHECK:      [2.25, 2.25]
  // CHECK-NEXT: [96, 96]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [198, 196]
  %nan = arith.constant dense<0x7FF8000000000000> : tensor<3x2xf64>
  %dirty = tensor.insert_slice %nan into %e[5, 0] [3, 2] [1, 1] : tensor<3x2xf64> into tensor<8x2xf64>
  %z = moe.combine %dirty by %r layer 0 : (tensor<8x2xf64>, !moe.routing<4x2 of 4, f64>) -> tensor<4x2xf64>
  call @print4(%z) : (tensor<4x2xf64>) -> ()

  // Bodies of one's own: each row times its expert's factor (2, 3, 5, 7), plus the number of its expert's rows.
  //   expert 0: (1, 10) 2 + 2 = (4, 22), (4, 40) 2 + 2 = (10, 82); expert 1: (4, 40) 3 + 1 = (13, 121)
  //   expert 3: (1, 10) 7 + 2 = (9, 72), (2, 20) 7 + 2 = (16, 142)
  // CHECK:      [4, 22]
  // CHECK-NEXT: [10, 82]
  // CHECK-NEXT: [13, 121]
  // CHECK-NEXT: [9, 72]
  // CHECK-NEXT: [16, 142]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  %factors = arith.constant dense<[2.0, 3.0, 5.0, 7.0]> : tensor<4xf64>
  %c = moe.custom_experts "scale" %rows counts %counts weights(%factors) layer 0
      : (tensor<8x2xf64>, tensor<4xindex>, tensor<4xf64>) -> tensor<8x2xf64> {
    ^bb0(%own: tensor<?x2xf64>, %factor: tensor<f64>):
      %zero = arith.constant 0 : index
      %n = tensor.dim %own, %zero : tensor<?x2xf64>
      %i = arith.index_cast %n : index to i64
      %count = arith.sitofp %i : i64 to f64
      %empty = tensor.empty(%n) : tensor<?x2xf64>
      %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%own, %factor : tensor<?x2xf64>, tensor<f64>) outs(%empty : tensor<?x2xf64>) {
        ^bb0(%a: f64, %f: f64, %o: f64):
          %p = arith.mulf %a, %f : f64
          %q = arith.addf %p, %count : f64
          linalg.yield %q : f64
      } -> tensor<?x2xf64>
      moe.yield %s : tensor<?x2xf64>
  }
  call @print8(%c) : (tensor<8x2xf64>) -> ()

  // No expert has a token: nothing is computed, and nothing is wrong.
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0, 0]
  %none = arith.constant dense<-1> : tensor<4x2xi32>
  %nothing = arith.constant dense<0.0> : tensor<4x2xf64>
  %q = moe.pack %none, %nothing : (tensor<4x2xi32>, tensor<4x2xf64>) -> !moe.routing<4x2 of 4, f64>
  %rows0, %counts0 = moe.dispatch %x by %q layer 0 : (tensor<4x2xf64>, !moe.routing<4x2 of 4, f64>) -> (tensor<8x2xf64>, tensor<4xindex>)
  %e0 = moe.experts %rows0 counts %counts0 weights(%up, %down) biases(%bu, %bd) <activation = relu> layer 0
      : (tensor<8x2xf64>, tensor<4xindex>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<8x2xf64>
  %y0 = moe.combine %e0 by %q layer 0 : (tensor<8x2xf64>, !moe.routing<4x2 of 4, f64>) -> tensor<4x2xf64>
  call @print4(%y0) : (tensor<4x2xf64>) -> ()
  return
}
