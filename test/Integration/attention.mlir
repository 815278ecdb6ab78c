// RUN: mozart-opt %s --convert-moe-to-linalg | %stock_lowering | %stock_runner | FileCheck %s

// Attention on numbers worked by hand.

func.func private @printMemrefF64(tensor<*xf64>)

// One head of size 1: query x, key x ln 2, value 6 x.
func.func @causal() {
  %x = arith.constant dense<[[1.0], [2.0], [2.0], [1.0]]> : tensor<4x1xf64>
  %one = arith.constant dense<1.0> : tensor<1x1xf64>
  %ln2 = arith.constant dense<0.6931471805599453> : tensor<1x1xf64>
  %six = arith.constant dense<6.0> : tensor<1x1xf64>
  // Sequence (1, 2), causal. Token 0 sees itself: 6. Token 1: powers 2^(2 1) = 4 and 2^(2 2) = 16 of values
  // 6 and 12: 6 4/20 + 12 16/20 = 10.8.
  // Sequence (2, 1). Token 0: 12. Token 1: 2^2 = 4 and 2^1 = 2 of 12 and 6: 12 4/6 + 6 2/6 = 10.
  // CHECK:      [6]
  // CHECK-NEXT: [10.8]
  // CHECK-NEXT: [12]
  // CHECK-NEXT: [10]
  %0 = moe.attention %x weights(%one, %ln2, %six, %one) sequences 2 heads <query = 1, kv = 1, dim = 1, scale = 1.0>
      : (tensor<4x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<4x1xf64>
  %1 = tensor.cast %0 : tensor<4x1xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()

  // All see all of their sequence. Token 0 of (1, 2): 2^1 = 2 and 2^2 = 4: 6 2/6 + 12 4/6 = 10.
  // Token 0 of (2, 1): 2^4 = 16 and 2^2 = 4: 12 16/20 + 6 4/20 = 10.8.
  // CHECK:      [10]
  // CHECK-NEXT: [10.8]
  // CHECK-NEXT: [10.8]
  // CHECK-NEXT: [10]
  %2 = moe.attention %x weights(%one, %ln2, %six, %one) sequences 2 heads <query = 1, kv = 1, dim = 1, scale = 1.0, causal = false>
      : (tensor<4x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<4x1xf64>
  %3 = tensor.cast %2 : tensor<4x1xf64> to tensor<*xf64>
  call @printMemrefF64(%3) : (tensor<*xf64>) -> ()
  return
}

// Four query heads of size 1 with queries 1, 2, -1, 0 times x; two key-value heads: heads 0 and 1 use keys
// x ln 2 and values 3 x, heads 2 and 3 use keys x ln 2 + ln 2 and values 30 x + 1. The output adds the heads,
// weighed 1, 10, 100, 1000, and 0.5.
func.func @grouped() {
  %x = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %q = arith.constant dense<[[1.0, 2.0, -1.0, 0.0]]> : tensor<1x4xf64>
  %k = arith.constant dense<[[0.6931471805599453, 0.6931471805599453]]> : tensor<1x2xf64>
  %v = arith.constant dense<[[3.0, 30.0]]> : tensor<1x2xf64>
  %o = arith.constant dense<[[1.0], [10.0], [100.0], [1000.0]]> : tensor<4x1xf64>
  %bq = arith.constant dense<0.0> : tensor<4xf64>
  %bk = arith.constant dense<[0.0, 0.6931471805599453]> : tensor<2xf64>
  %bv = arith.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %bo = arith.constant dense<[0.5]> : tensor<1xf64>
  // Token 0 sees values 3 and 31: 3 + 30 + 3100 + 31000 + 0.5 = 34133.5.
  // Token 1, queries 2, 4, -2, 0, the scale is 1/2; values 3, 6 and 31, 61:
  //   head 0: 2^1, 2^2: (3 2 + 6 4) / 6 = 5           head 1: 2^2, 2^4: (3 4 + 6 16) / 20 = 5.4
  //   head 2: 2^-2, 2^-3: (31 2 + 61) / 3 = 41        head 3: 1, 1: (31 + 61) / 2 = 46
  //   5 + 54 + 4100 + 46000 + 0.5 = 50159.5
  // CHECK:      [34133.5]
  // CHECK-NEXT: [50159.5]
  %0 = moe.attention %x weights(%q, %k, %v, %o) biases(%bq, %bk, %bv) output_bias %bo sequences 1
      heads <query = 4, kv = 2, dim = 1, scale = 0.5>
      : (tensor<2x1xf64>, tensor<1x4xf64>, tensor<1x2xf64>, tensor<1x2xf64>, tensor<4x1xf64>, tensor<4xf64>, tensor<2xf64>, tensor<2xf64>, tensor<1xf64>) -> tensor<2x1xf64>
  %1 = tensor.cast %0 : tensor<2x1xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()
  return
}

// One head of size 4, of which the first 2 entries turn. With theta^0 / (2 / pi) a position turns a pair by a
// right angle. All x are 1; queries are (1, 0, 1, 0) and keys (ln 3, 0, ln 5, 0), values the token's number.
func.func @rotated() {
  %x = arith.constant dense<[[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]> : tensor<3x2xf64>
  %q = arith.constant dense<[[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %k = arith.constant dense<[[1.0986122886681098, 0.0, 1.6094379124341003, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %v = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %o = arith.constant dense<[[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf64>
  // The still entries give every score ln 5, which the softmax forgets. The first two give ln 3 times the
  // cosine of the distance: 1, 0, -1 at distances 0, 1, 2. So powers 3, 1, 1/3:
  //   token 1: (0 1 + 1 3) / 4 = 0.75; token 2: (0 1/3 + 1 1 + 2 3) / (13/3) = 21/13 = 1.61538
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0.75, 0]
  // CHECK-NEXT: [1.61538, 0]
  %0 = moe.attention %x weights(%q, %k, %v, %o) sequences 1 heads <query = 1, kv = 1, dim = 4, scale = 1.0>
      rope <style = half, theta = 10000.0, dim = 2, factor = 0.6366197723675814>
      : (tensor<3x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
  %1 = tensor.cast %0 : tensor<3x2xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()

  // Now all 4 entries turn: interleaved, entries (0, 1) by a right angle and (2, 3) by theta^(-1/2) of it.
  // With theta = 1/4 that is two right angles: the second pair gives ln 5 times 1, -1, 1. Powers at distances
  // 0, 1, 2: 15, 1/5, 5/3.
  //   token 1: (0 1/5 + 15) / 15.2 = 0.986842; token 2: (0 5/3 + 1/5 + 2 15) / (5/3 + 1/5 + 15) = 1.79051
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0.986842, 0]
  // CHECK-NEXT: [1.79051, 0]
  %2 = moe.attention %x weights(%q, %k, %v, %o) sequences 1 heads <query = 1, kv = 1, dim = 4, scale = 1.0>
      rope <style = interleaved, theta = 0.25, dim = 4, factor = 0.6366197723675814>
      : (tensor<3x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
  %3 = tensor.cast %2 : tensor<3x2xf64> to tensor<*xf64>
  call @printMemrefF64(%3) : (tensor<*xf64>) -> ()

  // In style half, entries (0, 2) turn by a right angle and (1, 3), which are zero, by two: the pair (1, 1) of
  // a query meets (ln 3, ln 5). Query at i, key at j, d = i - j: cos d (ln 3 + ln 5) + sin d (ln 5 - ln 3), up to
  // the sign of the second part: turning both by d = 1 gives (1, 1) -> (-1, 1), and -ln 3 + ln 5.
  // Powers at distances 0, 1, 2: 15, 5/3, 1/15; magnitude sqrt(1/2) on both sides halves the scores:
  //   sqrt(15) = 3.87298, sqrt(5/3) = 1.29099, 0.258199
  //   token 1: 3.87298 / 5.16398 = 0.75; token 2: (1.29099 + 2 3.87298) / 5.42218 = 1.66667
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0.75, 0]
  // CHECK-NEXT: [1.66667, 0]
  %4 = moe.attention %x weights(%q, %k, %v, %o) sequences 1 heads <query = 1, kv = 1, dim = 4, scale = 1.0>
      rope <style = half, theta = 0.25, dim = 4, factor = 0.6366197723675814, magnitude = 0.7071067811865476>
      : (tensor<3x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
  %5 = tensor.cast %4 : tensor<3x2xf64> to tensor<*xf64>
  call @printMemrefF64(%5) : (tensor<*xf64>) -> ()
  return
}

// Two heads of size 2 with norms. Queries (1, 7, 3, 3), keys (7, 1, 3, 3), values the token's number in entry 0
// of each head.
func.func @normed() {
  %x = arith.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf64>
  %q = arith.constant dense<[[1.0, 7.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf64>
  %k = arith.constant dense<[[7.0, 1.0, 3.0, 3.0], [0.0, 0.0, -6.0, -6.0]]> : tensor<2x4xf64>
  %v = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]]> : tensor<2x4xf64>
  %o = arith.constant dense<[[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]> : tensor<4x2xf64>
  %wq = arith.constant dense<[1.0, 1.0]> : tensor<2xf64>
  %wk = arith.constant dense<[0.6931471805599453, 0.6931471805599453]> : tensor<2xf64>
  // Per head: queries (1, 7)/5 and (1, 1). Keys of token 0: ln 2 (7, 1)/5 and ln 2 (1, 1); of token 1: the same,
  // and (-3, -3) -> ln 2 (-1, -1). Scores of token 1: head 0 equal; head 1: 2 ln 2 and -2 ln 2, powers 4 and 1/4.
  //   0.5 and (1/4) / (17/4) = 1/17 = 0.0588235
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0.5, 0.0588235]
  %0 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%wq, %wk) sequences 1
      heads <query = 2, kv = 2, dim = 2, scale = 1.0, qk_norm_epsilon = 0.0>
      : (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<4x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %1 = tensor.cast %0 : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()

  // All heads at once: mean squares (50 + 18)/4 = 17, plus epsilon 19 = 36, of queries and of both keys. Query
  // (1, 7, 3, 3)/6 against ln 2 (7, 1, 3, 3)/6 and ln 2 (7, 1, -3, -3)/6. Head 1, scale 2: 2 18/36 ln 2 = ln 2
  // and -ln 2: powers 2 and 1/2: 0.5 / 2.5 = 0.2.
  // CHECK:      [0, 0]
  // CHECK-NEXT: [0.5, 0.2]
  %wq4 = arith.constant dense<1.0> : tensor<4xf64>
  %wk4 = arith.constant dense<0.6931471805599453> : tensor<4xf64>
  %2 = moe.attention %x weights(%q, %k, %v, %o) qk_norms(%wq4, %wk4) sequences 1
      heads <query = 2, kv = 2, dim = 2, scale = 2.0, qk_norm_per_head = false, qk_norm_epsilon = 19.0>
      : (tensor<2x2xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<2x4xf64>, tensor<4x2xf64>, tensor<4xf64>, tensor<4xf64>) -> tensor<2x2xf64>
  %3 = tensor.cast %2 : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%3) : (tensor<*xf64>) -> ()
  return
}

// Latent attention with one plain and two rotary entries, a latent of one entry, and values of one entry, for two
// heads. x = (1, t) for token t. The latent is its own norm's weight: x0 / |x0| 3 = 3.
func.func @latent() {
  %x = arith.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf64>
  // Queries: head 0 (1, 0, 0), head 1 (0, 1, 0).
  %q = arith.constant dense<[[1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<2x6xf64>
  // Latent x0 - 3 t; the shared rotary key is (ln 3, 0).
  %kva = arith.constant dense<[[1.0, 1.0986122886681098, 0.0], [-3.0, 0.0, 0.0]]> : tensor<2x3xf64>
  %norm = arith.constant dense<[3.0]> : tensor<1xf64>
  // Plain key and value of head 0: latent ln 2 / 3, latent; of head 1: 0, 10 latent.
  %kvb = arith.constant dense<[[0.23104906018664842, 1.0, 0.0, 10.0]]> : tensor<1x4xf64>
  %o = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  // Latents: 1/1 3 = 3 and -2/2 3 = -3. Token 0: (3, 30). Token 1:
  //   head 0: scores ln 2 and -ln 2, the rotary part of its query is 0: (3 2 + -3 1/2) / 2.5 = 1.8
  //   head 1: the rotary part at distances 1 and 0, a right angle a position: ln 3 times 0 and 1:
  //     (30 1 + -30 3) / 4 = -15
  // CHECK:      [3, 30]
  // CHECK-NEXT: [1.8, -15]
  %0 = moe.latent_attention %x weights(%q, %kva, %norm, %kvb, %o) sequences 1
      heads <query = 2, kv_rank = 1, nope = 1, rope = 2, value = 1, scale = 1.0, norm_epsilon = 0.0>
      rope <style = interleaved, theta = 10000.0, dim = 2, factor = 0.6366197723675814>
      : (tensor<2x2xf64>, tensor<2x6xf64>, tensor<2x3xf64>, tensor<1xf64>, tensor<1x4xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = tensor.cast %0 : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%1) : (tensor<*xf64>) -> ()

  // Compressed queries: the latent of a query is x0 = 1, whose norm, times 2, doubles all scores.
  //   head 0: powers 4 and 1/4: (3 4 - 3/4) / 4.25 = 2.64706; head 1: 1 and 9: (30 - 270) / 10 = -24
  // CHECK:      [3, 30]
  // CHECK-NEXT: [2.64706, -24]
  %qa = arith.constant dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %qn = arith.constant dense<[2.0]> : tensor<1xf64>
  %qb = arith.constant dense<[[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]]> : tensor<1x6xf64>
  %2 = moe.latent_attention %x weights(%qa, %qn, %qb, %kva, %norm, %kvb, %o) sequences 1
      heads <query = 2, query_rank = 1, kv_rank = 1, nope = 1, rope = 2, value = 1, scale = 1.0, norm_epsilon = 0.0>
      rope <style = interleaved, theta = 10000.0, dim = 2, factor = 0.6366197723675814>
      : (tensor<2x2xf64>, tensor<2x1xf64>, tensor<1xf64>, tensor<1x6xf64>, tensor<2x3xf64>, tensor<1xf64>, tensor<1x4xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %3 = tensor.cast %2 : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%3) : (tensor<*xf64>) -> ()
  return
}

func.func @main() {
  call @causal() : () -> ()
  call @grouped() : () -> ()
  call @rotated() : () -> ()
  call @normed() : () -> ()
  call @latent() : () -> ()
  return
}
