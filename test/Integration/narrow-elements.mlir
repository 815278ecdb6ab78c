// RUN: mozart-opt %s --convert-moe-to-linalg | %stock_lowering | %stock_runner | FileCheck %s

// f16 and bf16: ops work in f32 and round once. f16 has 11 bits, bf16 has 8.

func.func private @printMemrefF32(tensor<*xf32>)

func.func @main() {
  // Products 1, 1/2048 and 1/2048 add up to 1 + 1/1024, a number of f16. Rounding after each sum would lose
  // both small terms: 1 + 1/2048 is halfway between 1 and 1 + 1/1024, and goes to the even 1.
  // The bias is added before the rounding: 1 + 1/1024 + 1/1024 = 1.00195.
  // CHECK: [1.00098, 1.00195]
  %x = arith.constant dense<[[1.0, 1.0, 1.0]]> : tensor<1x3xf16>
  %w = arith.constant dense<[[1.0, 1.0], [0.00048828125, 0.00048828125], [0.00048828125, 0.00048828125]]> : tensor<3x2xf16>
  %b = arith.constant dense<[0.0, 0.0009765625]> : tensor<2xf16>
  %0 = moe.linear %x, %w bias %b : (tensor<1x3xf16>, tensor<3x2xf16>, tensor<2xf16>) -> tensor<1x2xf16>
  %1 = arith.extf %0 : tensor<1x2xf16> to tensor<1x2xf32>
  %2 = tensor.cast %1 : tensor<1x2xf32> to tensor<*xf32>
  call @printMemrefF32(%2) : (tensor<*xf32>) -> ()

  // A router's logits in f32 keep what f16 could not: 1 + 1/2048 = 1.00049.
  // CHECK: [1.00049]
  %xr = arith.constant dense<[[1.0, 0.00048828125]]> : tensor<1x2xf16>
  %wr = arith.constant dense<[[1.0], [1.0]]> : tensor<2x1xf32>
  %3 = moe.router %xr, %wr : (tensor<1x2xf16>, tensor<2x1xf32>) -> tensor<1x1xf32>
  %4 = tensor.cast %3 : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%4) : (tensor<*xf32>) -> ()

  // The inner value 256 + 1 of a network is no number of bf16, whose steps at 256 are 2: it stays 257 until
  // the down projection has halved it, 128.5, which rounds to the even 128; with a bias of 0.25, to 129.
  // CHECK: [128, 129]
  %xb = arith.constant dense<[[256.0, 1.0]]> : tensor<1x2xbf16>
  %up = arith.constant dense<[[1.0], [1.0]]> : tensor<2x1xbf16>
  %down = arith.constant dense<[[0.5, 0.5]]> : tensor<1x2xbf16>
  %bu = arith.constant dense<[0.0]> : tensor<1xbf16>
  %bd = arith.constant dense<[0.0, 0.25]> : tensor<2xbf16>
  %5 = moe.ffn %xb weights(%up, %down) biases(%bu, %bd) <activation = relu>
      : (tensor<1x2xbf16>, tensor<2x1xbf16>, tensor<1x2xbf16>, tensor<1xbf16>, tensor<2xbf16>) -> tensor<1x2xbf16>
  %6 = arith.extf %5 : tensor<1x2xbf16> to tensor<1x2xf32>
  %7 = tensor.cast %6 : tensor<1x2xf32> to tensor<*xf32>
  call @printMemrefF32(%7) : (tensor<*xf32>) -> ()

  // Gate weights in f32 over rows in bf16: 258 0.5 + 256 0.25 = 129 + 64 = 193.
  // CHECK: [193]
  %ids = arith.constant dense<[[0, 1]]> : tensor<1x2xi32>
  %g = arith.constant dense<[[0.5, 0.25]]> : tensor<1x2xf32>
  %r = moe.pack %ids, %g : (tensor<1x2xi32>, tensor<1x2xf32>) -> !moe.routing<1x2 of 2, f32>
  %rows = arith.constant dense<[[258.0], [256.0]]> : tensor<2x1xbf16>
  %8 = moe.combine %rows by %r layer 0 : (tensor<2x1xbf16>, !moe.routing<1x2 of 2, f32>) -> tensor<1x1xbf16>
  %9 = arith.extf %8 : tensor<1x1xbf16> to tensor<1x1xf32>
  %10 = tensor.cast %9 : tensor<1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%10) : (tensor<*xf32>) -> ()
  return
}
