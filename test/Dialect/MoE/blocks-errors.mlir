// RUN: mozart-opt %s --split-input-file --verify-diagnostics

// Relations between the operands of norms, projections, attention and networks.

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'moe.norm' op of kind rms has a bias; only kind layer takes one}}
  %0 = moe.norm rms %x, %w bias %w epsilon 0.0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error@+1 {{'moe.norm' op of kind rms has a bias; only kind layer takes one}}
  %0 = moe.norm rms %x, %w bias %w epsilon 1.0e-5 : (tensor<?x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{'moe.norm' op weight has type 'tensor<4xf32>', expected shape [8]}}
  %0 = moe.norm rms %x, %w epsilon 0.0 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf16>) {
  // expected-error@+1 {{'moe.norm' op weight has element type 'f16', expected 'f32'}}
  %0 = moe.norm layer %x, %w epsilon 0.0 : (tensor<4x8xf32>, tensor<8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<?xf32>) {
  // expected-error@+1 {{'moe.norm' op bias has type 'tensor<?xf32>', expected shape [8]}}
  %0 = moe.norm layer %x, %w bias %b epsilon 0.0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<?xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf64>) {
  // expected-error@+1 {{'moe.norm' op bias has element type 'f64', expected 'f32'}}
  %0 = moe.norm layer %x, %w bias %b epsilon 0.0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'moe.norm' op has epsilon -1.000000e-05, expected a number of at least 0}}
  %0 = moe.norm rms %x, %w epsilon -1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'moe.norm' op has epsilon nan, expected a number of at least 0}}
  %0 = "moe.norm"(%x, %w) <{kind = #moe<norm_kind layer>, epsilon = 0x7FF8000000000000 : f64}> : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'moe.norm' op result has type 'tensor<8x4xf32>', expected shape [4, 8]}}
  %0 = moe.norm rms %x, %w epsilon 0.0 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{'moe.norm' op result has element type 'f16', expected 'f32'}}
  %0 = moe.norm rms %x, %w epsilon 0.0 : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x4xf32>) {
  // expected-error@+1 {{'moe.add' op requires the same type for all operands and results}}
  %0 = "moe.add"(%x, %y) : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'moe.add' op requires the same type for all operands and results}}
  %0 = "moe.add"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) {
  // expected-error@+1 {{'moe.linear' op result has type 'tensor<4x2xf64>', expected the input's element type}}
  %0 = moe.linear %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) {
  // expected-error@+1 {{'moe.linear' op result has type 'tensor<4x2xbf16>', expected the input's element type}}
  %0 = moe.linear %x, %w : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>) {
  // expected-error@+1 {{'moe.linear' op weight has type 'tensor<2x8xf32>', expected shape [8, 2]}}
  %0 = moe.linear %x, %w : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf16>) {
  // expected-error@+1 {{'moe.linear' op weight has element type 'f16', expected 'f32'}}
  %0 = moe.linear %x, %w : (tensor<4x8xf32>, tensor<8x2xf16>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'moe.linear' op bias has type 'tensor<8xf32>', expected shape [2]}}
  %0 = moe.linear %x, %w bias %b : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<8xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xbf16>) {
  // expected-error@+1 {{'moe.linear' op bias has element type 'bf16', expected 'f32'}}
  %0 = moe.linear %x, %w bias %b : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xbf16>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) {
  // expected-error@+1 {{'moe.linear' op result has type 'tensor<8x2xf32>', expected shape [4, 2]}}
  %0 = moe.linear %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x2xf32>) {
  // expected-error@+1 {{'moe.linear' op result has type 'tensor<4x2xf32>', expected shape [?, 2]}}
  %0 = moe.linear %x, %w : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x3xf16>) {
  // expected-error@+1 {{'moe.router' op weight has element type 'f16', expected 'f32'}}
  %0 = moe.router %x, %w : (tensor<4x8xf16>, tensor<8x3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<4x3xf32>) {
  // expected-error@+1 {{'moe.router' op weight has type 'tensor<4x3xf32>', expected shape [8, 3]}}
  %0 = moe.router %x, %w : (tensor<4x8xf16>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'moe.router' op bias has type 'tensor<4xf32>', expected shape [3]}}
  %0 = moe.router %x, %w bias %b : (tensor<4x8xf16>, tensor<8x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x3xf32>, %b: tensor<3xf16>) {
  // expected-error@+1 {{'moe.router' op bias has element type 'f16', expected 'f32'}}
  %0 = moe.router %x, %w bias %b : (tensor<4x8xf16>, tensor<8x3xf32>, tensor<3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %w: tensor<8x3xf32>) {
  // expected-error@+1 {{'moe.router' op result has type 'tensor<3x3xf32>', expected shape [4, 3]}}
  %0 = moe.router %x, %w : (tensor<4x8xf16>, tensor<8x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op has 0 sequences, expected at least 1}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 0
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op has -2 sequences, expected at least 1}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences -2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op has 6 tokens in 4 sequences, expected a multiple}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 4
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op has 6 tokens in 5 sequences, expected a multiple}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 5
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op turns 6 entries of a head of 4, expected at most as many}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5> rope <style = half, theta = 1.0e4, dim = 6>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op turns 8 entries of a head of 4, expected at most as many}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5> rope <style = interleaved, theta = 1.0e4, dim = 8>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op query weight has type 'tensor<8x8xf32>', expected shape [8, 16]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf16>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op query weight has element type 'f16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf16>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x16xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op key weight has type 'tensor<8x16xf32>', expected shape [8, 8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf64>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op key weight has element type 'f64', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<4x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op value weight has type 'tensor<4x8xf32>', expected shape [8, 8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xbf16>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op value weight has element type 'bf16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xbf16>, tensor<16x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<8x16xf32>) {
  // expected-error@+1 {{'moe.attention' op output weight has type 'tensor<8x16xf32>', expected shape [16, 8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf16>) {
  // expected-error@+1 {{'moe.attention' op output weight has element type 'f16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf16>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %b0: tensor<16xf32>) {
  // expected-error@+1 {{'moe.attention' op has 1 biases, expected 3}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) biases(%b0) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %b0: tensor<16xf32>, %b1: tensor<8xf32>, %b2: tensor<8xf32>, %b3: tensor<8xf32>) {
  // expected-error@+1 {{'moe.attention' op has 4 biases, expected 3}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) biases(%b0, %b1, %b2, %b3) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %b0: tensor<8xf32>, %b1: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error@+1 {{'moe.attention' op bias has type 'tensor<8xf32>', expected shape [16]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) biases(%b0, %b1, %b2) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %b0: tensor<16xf32>, %b1: tensor<8xf32>, %b2: tensor<8xf16>) {
  // expected-error@+1 {{'moe.attention' op bias has element type 'f16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) biases(%b0, %b1, %b2) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf16>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %ob: tensor<16xf32>) {
  // expected-error@+1 {{'moe.attention' op output bias has type 'tensor<16xf32>', expected shape [8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) output_bias %ob sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %ob: tensor<8xf16>) {
  // expected-error@+1 {{'moe.attention' op output bias has element type 'f16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) output_bias %ob sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<8xf16>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<4xf32>) {
  // expected-error@+1 {{'moe.attention' op has 1 query and key norms, expected 2}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<4xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<4xf32>, %n1: tensor<4xf32>, %n2: tensor<4xf32>) {
  // expected-error@+1 {{'moe.attention' op has 3 query and key norms, expected 2}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0, %n1, %n2) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<16xf32>, %n1: tensor<4xf32>) {
  // expected-error@+1 {{'moe.attention' op query norm has type 'tensor<16xf32>', expected shape [4]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0, %n1) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<4xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<4xf32>, %n1: tensor<8xf32>) {
  // expected-error@+1 {{'moe.attention' op query norm has type 'tensor<4xf32>', expected shape [16]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0, %n1) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5, qk_norm_per_head = false>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<4xf32>, %n1: tensor<8xf32>) {
  // expected-error@+1 {{'moe.attention' op key norm has type 'tensor<8xf32>', expected shape [4]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0, %n1) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>, %n0: tensor<16xf32>, %n1: tensor<16xf32>) {
  // expected-error@+1 {{'moe.attention' op key norm has type 'tensor<16xf32>', expected shape [8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%n0, %n1) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5, qk_norm_per_head = false>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op result has type 'tensor<6x16xf32>', expected shape [6, 8]}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x16xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %q: tensor<8x16xf32>, %k: tensor<8x8xf32>, %v: tensor<8x8xf32>, %o: tensor<16x8xf32>) {
  // expected-error@+1 {{'moe.attention' op result has element type 'f16', expected 'f32'}}
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 2
      heads <query = 4, kv = 2, dim = 4, scale = 0.5>
      : (tensor<6x8xf32>, tensor<8x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<6x8xf16>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op has 0 sequences, expected at least 1}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 0
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op has 6 tokens in 4 sequences, expected a multiple}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 4
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op turns 6 entries of a head of 4, expected at most as many}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4> rope <style = interleaved, theta = 1.0e4, dim = 6>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x12xf32>, %w1: tensor<8x9xf32>, %w2: tensor<5xf32>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op turns 8 entries of a head of 4, expected at most as many}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4> rope <style = half, theta = 1.0e4, dim = 8>
      : (tensor<6x8xf32>, tensor<8x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x12xf32>, %w1: tensor<8x9xf32>, %w2: tensor<5xf32>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op has 5 weights, expected 7}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op has 7 weights, expected 5}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<6x8xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_a has type 'tensor<6x8xf32>', expected shape [8, 6]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf16>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_a has element type 'f16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf16>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_a norm has type 'tensor<8xf32>', expected shape [6]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<8xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x1xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_a norm has type 'tensor<6x1xf32>', expected shape [6]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x1xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x4xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_b has type 'tensor<6x4xf32>', expected shape [6, 12]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x4xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf64>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query_b has element type 'f64', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf64>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x9xf32>, %w2: tensor<5xf32>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query has type 'tensor<8x6xf32>', expected shape [8, 12]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x12xbf16>, %w1: tensor<8x9xf32>, %w2: tensor<5xf32>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op query has element type 'bf16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x12xbf16>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x5xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_a has type 'tensor<8x5xf32>', expected shape [8, 9]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x5xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x12xf32>, %w1: tensor<8x9xf16>, %w2: tensor<5xf32>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_a has element type 'f16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x12xf32>, tensor<8x9xf16>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<9xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_a norm has type 'tensor<9xf32>', expected shape [5]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<9xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x12xf32>, %w1: tensor<8x9xf32>, %w2: tensor<5xf16>, %w3: tensor<5x10xf32>, %w4: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_a norm has element type 'f16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4) sequences 2
      heads <query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x12xf32>, tensor<8x9xf32>, tensor<5xf16>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x6xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_b has type 'tensor<5x6xf32>', expected shape [5, 10]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf16>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op kv_b has element type 'f16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf16>, tensor<6x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<8x6xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op output has type 'tensor<8x6xf32>', expected shape [6, 8]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<8x6xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf16>) {
  // expected-error@+1 {{'moe.latent_attention' op output has element type 'f16', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf16>) -> tensor<6x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op result has type 'tensor<4x8xf32>', expected shape [6, 8]}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<6x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6xf32>, %w2: tensor<6x12xf32>, %w3: tensor<8x9xf32>, %w4: tensor<5xf32>, %w5: tensor<5x10xf32>, %w6: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.latent_attention' op result has element type 'f64', expected 'f32'}}
  %0 = moe.latent_attention %x weights(%w0, %w1, %w2, %w3, %w4, %w5, %w6) sequences 2
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4>
      : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<6x8xf64>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op has 2 weights, expected 3}}
  %0 = moe.ffn %x weights(%w0, %w1) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op has 3 weights, expected 2}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = relu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<6x8xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op weight has type 'tensor<6x8xf32>', expected shape [8, 6]}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf16>, %w2: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op weight has element type 'f16', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf16>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x4xf32>) {
  // expected-error@+1 {{'moe.ffn' op down weight has type 'tensor<6x4xf32>', expected shape [6, 8]}}
  %0 = moe.ffn %x weights(%w0, %w1) <activation = gelu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf16>) {
  // expected-error@+1 {{'moe.ffn' op down weight has element type 'f16', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = geglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>, %b0: tensor<6xf32>, %b1: tensor<8xf32>) {
  // expected-error@+1 {{'moe.ffn' op has 2 biases, expected 3}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) biases(%b0, %b1) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x8xf32>, %b0: tensor<6xf32>, %b1: tensor<6xf32>, %b2: tensor<8xf32>) {
  // expected-error@+1 {{'moe.ffn' op has 3 biases, expected 2}}
  %0 = moe.ffn %x weights(%w0, %w1) biases(%b0, %b1, %b2) <activation = silu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>, %b0: tensor<6xf32>, %b1: tensor<8xf32>, %b2: tensor<8xf32>) {
  // expected-error@+1 {{'moe.ffn' op bias has type 'tensor<8xf32>', expected shape [6]}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) biases(%b0, %b1, %b2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x8xf32>, %b0: tensor<6xf64>, %b1: tensor<8xf32>) {
  // expected-error@+1 {{'moe.ffn' op bias has element type 'f64', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1) biases(%b0, %b1) <activation = gelu_tanh>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf64>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<6x8xf32>, %b0: tensor<6xf32>, %b1: tensor<6xf32>) {
  // expected-error@+1 {{'moe.ffn' op down bias has type 'tensor<6xf32>', expected shape [8]}}
  %0 = moe.ffn %x weights(%w0, %w1) biases(%b0, %b1) <activation = relu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>, %b0: tensor<6xf32>, %b1: tensor<6xf32>, %b2: tensor<8xf16>) {
  // expected-error@+1 {{'moe.ffn' op down bias has element type 'f16', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) biases(%b0, %b1, %b2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<8xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>, %g: tensor<8x2xf32>) {
  // expected-error@+1 {{'moe.ffn' op output gate has type 'tensor<8x2xf32>', expected shape [8, 1]}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) output_gate %g <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<8x2xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>, %g: tensor<8x1xf16>) {
  // expected-error@+1 {{'moe.ffn' op output gate has element type 'f16', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) output_gate %g <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>, tensor<8x1xf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op result has type 'tensor<4x6xf32>', expected shape [4, 8]}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w0: tensor<8x6xf32>, %w1: tensor<8x6xf32>, %w2: tensor<6x8xf32>) {
  // expected-error@+1 {{'moe.ffn' op result has element type 'bf16', expected 'f32'}}
  %0 = moe.ffn %x weights(%w0, %w1, %w2) <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<4x8xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{expected floating point literal}}
  %0 = moe.norm rms %x, %w epsilon small : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{expected floating point literal}}
  %0 = moe.norm rms %x, %w epsilon "1.0" : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error@+1 {{expected integer value}}
  %0 = moe.attention %x weights(%w, %w, %w, %w) sequences one heads <query = 2, kv = 2, dim = 4, scale = 0.5>
      : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error@+1 {{expected integer value}}
  %0 = moe.attention %x weights(%w, %w, %w, %w) sequences %w heads <query = 2, kv = 2, dim = 4, scale = 0.5>
      : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}
