// RUN: mozart-opt %s --convert-moe-to-linalg | %stock_lowering | %stock_runner | FileCheck %s

// Choices and weights of experts, worked by hand. Logits are logarithms, so that powers are whole numbers.

func.func private @printMemrefF64(tensor<*xf64>)
func.func private @printMemrefI32(tensor<*xi32>)

func.func @print(%r: !moe.routing<3x2 of 4, f64>) {
  %ids, %weights = moe.unpack %r : (!moe.routing<3x2 of 4, f64>) -> (tensor<3x2xi32>, tensor<3x2xf64>)
  %0 = tensor.cast %ids : tensor<3x2xi32> to tensor<*xi32>
  call @printMemrefI32(%0) : (tensor<*xi32>) -> ()
  %1 = tensor.cast %weights : tensor<3x2xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()
  return
}

// Powers of the logits: (1, 2, 5, 2), (3, 3, 3, 3), (1, 2, 1, 6).
func.func @softmax(%l: tensor<3x4xf64>) {
  // Of 10, 12 and 10. Token 0: expert 2, then 1 before 3, which is equal. Token 1: all equal, so 0 and 1.
  // CHECK:      [2, 1]
  // CHECK-NEXT: [0, 1]
  // CHECK-NEXT: [3, 1]
  // CHECK:      [0.5, 0.2]
  // CHECK-NEXT: [0.25, 0.25]
  // CHECK-NEXT: [0.6, 0.2]
  %0 = moe.route %l <k = 2, score = softmax> layer 0 : (tensor<3x4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%0) : (!moe.routing<3x2 of 4, f64>) -> ()

  // Renormalised with epsilon 0.3 and scaled by 10: 5 / 1, 2 / 1; 2.5 / 0.8 twice; 6 / 1.1, 2 / 1.1
  // CHECK:      [2, 1]
  // CHECK-NEXT: [0, 1]
  // CHECK-NEXT: [3, 1]
  // CHECK:      [5, 2]
  // CHECK-NEXT: [3.125, 3.125]
  // CHECK-NEXT: [5.45455, 1.81818]
  %1 = moe.route %l <k = 2, score = softmax, renormalize = true, renormalize_epsilon = 0.3, scale = 10.0> layer 0
      : (tensor<3x4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%1) : (!moe.routing<3x2 of 4, f64>) -> ()

  // Scores after the selection: 5 / 7, 2 / 7; 1 / 2 twice; 6 / 8, 2 / 8
  // CHECK:      [2, 1]
  // CHECK-NEXT: [0, 1]
  // CHECK-NEXT: [3, 1]
  // CHECK:      [0.714286, 0.285714]
  // CHECK-NEXT: [0.5, 0.5]
  // CHECK-NEXT: [0.75, 0.25]
  %2 = moe.route %l <k = 2, score = softmax, order = after_selection> layer 0 : (tensor<3x4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%2) : (!moe.routing<3x2 of 4, f64>) -> ()
  return
}

// A power p has the sigmoid p / (1 + p): (1/2, 2/3, 5/6, 2/3), (3/4, ...), (1/2, 2/3, 1/2, 6/7).
func.func @sigmoid(%l: tensor<3x4xf64>) {
  // The bias adds (0.35, 0, -1, 0.05): choices (0.85, 0.667, -0.167, 0.717), (1.1, 0.75, -0.25, 0.8),
  // (0.85, 0.667, -0.5, 0.907). It is not in the weights.
  // CHECK:      [0, 3]
  // CHECK-NEXT: [0, 3]
  // CHECK-NEXT: [3, 0]
  // CHECK:      [0.5, 0.666667]
  // CHECK-NEXT: [0.75, 0.75]
  // CHECK-NEXT: [0.857143, 0.5]
  %b = arith.constant dense<[0.35, 0.0, -1.0, 0.05]> : tensor<4xf64>
  %0 = moe.route %l selection_bias %b <k = 2, score = sigmoid> layer 0 : (tensor<3x4xf64>, tensor<4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%0) : (!moe.routing<3x2 of 4, f64>) -> ()

  // After the selection the bias counts in logits: ln 1 + 0.35, ln 2, ln 5 - 1 = 0.609, ln 2 + 0.05;
  // ln 3 + ...; 0.35, 0.693, -1, ln 6 + 0.05. Token 1 is padding: no experts, no weights.
  // CHECK:      [3, 1]
  // CHECK-NEXT: [-1, -1]
  // CHECK-NEXT: [3, 1]
  // CHECK:      [0.666667, 0.666667]
  // CHECK-NEXT: [0, 0]
  // CHECK-NEXT: [0.857143, 0.666667]
  %pad = arith.constant dense<[false, true, false]> : tensor<3xi1>
  %1 = moe.route %l selection_bias %b padding %pad <k = 2, score = sigmoid, order = after_selection> layer 0
      : (tensor<3x4xf64>, tensor<4xf64>, tensor<3xi1>) -> !moe.routing<3x2 of 4, f64>
  call @print(%1) : (!moe.routing<3x2 of 4, f64>) -> ()
  return
}

// Groups of experts (0, 1) and (2, 3), one of which is kept.
func.func @groups(%l: tensor<3x4xf64>) {
  // By the best: 2 against 5; 3 against 3, the lower wins; 2 against 6.
  // CHECK:      [2, 3]
  // CHECK-NEXT: [0, 1]
  // CHECK-NEXT: [3, 2]
  // CHECK:      [0.5, 0.2]
  // CHECK-NEXT: [0.25, 0.25]
  // CHECK-NEXT: [0.6, 0.1]
  %0 = moe.route %l <k = 2, score = softmax, groups = 2, kept_groups = 1> layer 0 : (tensor<3x4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%0) : (!moe.routing<3x2 of 4, f64>) -> ()

  // By the sum of both with a bias (0.65, 0, -0.1, 0), of softmax scores in tenths and twelfths:
  //   token 0: 0.1 + 0.2 + 0.65 against 0.5 + 0.2 - 0.1; token 1: 0.5 + 0.65 against 0.5 - 0.1;
  //   token 2: 0.1 + 0.2 + 0.65 against 0.1 + 0.6 - 0.1. Choices 0.75 and 0.2, 0.9 and 0.25, 0.75 and 0.2.
  // CHECK:      [0, 1]
  // CHECK-NEXT: [0, 1]
  // CHECK-NEXT: [0, 1]
  // CHECK:      [0.1, 0.2]
  // CHECK-NEXT: [0.25, 0.25]
  // CHECK-NEXT: [0.1, 0.2]
  %b = arith.constant dense<[0.65, 0.0, -0.1, 0.0]> : tensor<4xf64>
  %1 = moe.route %l selection_bias %b <k = 2, score = softmax, groups = 2, kept_groups = 1, group_score = top_two_sum> layer 0
      : (tensor<3x4xf64>, tensor<4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%1) : (!moe.routing<3x2 of 4, f64>) -> ()

  // An expert of a kept group is chosen even where its choice is far below those of the others: with one group
  // of two kept and all of it needed, token 0 takes expert 0 with its bias of -9 beside expert 1's 9.2.
  // CHECK:      [1, 0]
  // CHECK:      [0.2, 0.1]
  %c = arith.constant dense<[-9.0, 9.0, 0.0, 0.0]> : tensor<4xf64>
  %2 = moe.route %l selection_bias %c <k = 2, score = softmax, groups = 2, kept_groups = 1> layer 0
      : (tensor<3x4xf64>, tensor<4xf64>) -> !moe.routing<3x2 of 4, f64>
  call @print(%2) : (!moe.routing<3x2 of 4, f64>) -> ()
  return
}

func.func @main() {
  %l = arith.constant dense<[[0.0, 0.6931471805599453, 1.6094379124341003, 0.6931471805599453],
                             [1.0986122886681098, 1.0986122886681098, 1.0986122886681098, 1.0986122886681098],
                             [0.0, 0.6931471805599453, 0.0, 1.791759469228055]]> : tensor<3x4xf64>
  call @softmax(%l) : (tensor<3x4xf64>) -> ()
  call @sigmoid(%l) : (tensor<3x4xf64>) -> ()
  call @groups(%l) : (tensor<3x4xf64>) -> ()
  return
}
