// RUN: mozart-opt %s --split-input-file --verify-diagnostics

// What attributes and types say, each on its own.

// expected-error@+1 {{'sequences' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.model<name = "m", sequences = 0, sequence_length = 1, micro_batches = 1>}

// -----

// expected-error@+1 {{'sequence_length' is -4, expected at least 1}}
func.func private @f() attributes {a = #moe.model<name = "m", sequences = 1, sequence_length = -4, micro_batches = 1>}

// -----

// expected-error@+1 {{'micro_batches' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.model<name = "m", sequences = 1, sequence_length = 1, micro_batches = 0>}

// -----

// expected-error@+1 {{the product up to 'sequence_length' (4294967296) does not fit in 63 bits}}
func.func private @f() attributes {a = #moe.model<name = "m", sequences = 4294967296, sequence_length = 4294967296, micro_batches = 1>}

// -----

// expected-error@+1 {{the product up to 'micro_batches' (2) does not fit in 63 bits}}
func.func private @f() attributes {a = #moe.model<name = "m", sequences = 2147483648, sequence_length = 2147483648, micro_batches = 2>}

// -----

// expected-error@+1 {{'moe.tokens' is not an attribute that an op can carry; expected 'moe.model' on a function}}
func.func private @f() attributes {moe.tokens = 4}

// -----

// expected-error@+1 {{'moe.param' is not an attribute that an op can carry; expected 'moe.model' on a function}}
module attributes {moe.param} {}

// -----

// expected-error@+1 {{'moe.model' is on a builtin.module, expected a function}}
module attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 1, micro_batches = 1>} {}

// -----

func.func @f() {
  // expected-error@+1 {{'moe.model' is on a arith.constant, expected a function}}
  %0 = arith.constant {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 1, micro_batches = 1>} 0 : i32
  return
}

// -----

// expected-error@+1 {{'moe.model' is "m", expected a #moe.model attribute}}
func.func private @f() attributes {moe.model = "m"}

// -----

// expected-error@+1 {{'moe.model' is unit, expected a #moe.model attribute}}
func.func private @f() attributes {moe.model}

// -----

// expected-error@+1 {{argument 1 carries 'moe.param' = 1 : i64, expected 'moe.param', alone or with the weight's name as a string}}
func.func private @f(f32, f32 {moe.param = 1})

// -----

// expected-error@+1 {{argument 0 carries 'moe.model' = #moe.model<name = "m", sequences = 1, sequence_length = 1, micro_batches = 1>, expected 'moe.param', alone or with the weight's name as a string}}
func.func private @f(f32 {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 1, micro_batches = 1>})

// -----

// expected-error@+1 {{result 0 carries 'moe.param', but no attribute of this dialect belongs on a result}}
func.func private @f() -> (f32 {moe.param})

// -----

// expected-error@+1 {{result 1 carries 'moe.x', but no attribute of this dialect belongs on a result}}
func.func private @f() -> (f32, f32 {moe.x})

// -----

// expected-error@+1 {{a routing has the form <tokens x k of experts, type>, found 1 dimensions}}
func.func private @f(!moe.routing<4 of 3, f32>)

// -----

// expected-error@+1 {{a routing has the form <tokens x k of experts, type>, found 3 dimensions}}
func.func private @f(!moe.routing<4x2x1 of 3, f32>)

// -----

// expected-error@+1 {{k is 0, expected at least 1}}
func.func private @f(!moe.routing<4x0 of 3, f32>)

// -----

// expected-error@+1 {{k is 0, expected at least 1}}
func.func private @f(!moe.routing<0x0 of 0, f32>)

// -----

// expected-error@+1 {{k is '?', expected a number}}
func.func private @f(!moe.routing<4x? of 3, f32>)

// -----

// expected-error@+1 {{k is '?', expected a number}}
func.func private @f(!moe.routing<?x? of ?, f32, local>)

// -----

// expected-error@+1 {{only a local routing may leave its number of experts open, found '?' in a global one}}
func.func private @f(!moe.routing<4x2 of ?, f32>)

// -----

// expected-error@+1 {{only a local routing may leave its number of experts open, found '?' in a global one}}
func.func private @f(!moe.routing<?x1 of ?, f16>)

// -----

// expected-error@+1 {{a routing to -3 experts, expected at least 1}}
func.func private @f(!moe.routing<4x2 of -3, f32, local>)

// -----

// expected-error@+1 {{a routing to -1 experts, expected at least 1}}
func.func private @f(!moe.routing<4x1 of -1, f32>)

// -----

// expected-error@+1 {{k is 4 of 3 experts, expected at most as many as there are}}
func.func private @f(!moe.routing<4x4 of 3, f32>)

// -----

// expected-error@+1 {{a routing to 0 experts, expected at least 1}}
func.func private @f(!moe.routing<4x1 of 0, f32>)

// -----

// expected-error@+1 {{k is 9 of 8 experts, expected at most as many as there are}}
func.func private @f(!moe.routing<?x9 of 8, f32>)

// -----

// expected-error@+1 {{invalid kind of type specified}}
func.func private @f(!moe.routing<4x2 of 3, i32>)

// -----

// expected-error@+1 {{invalid kind of type specified}}
func.func private @f(!moe.routing<4x2 of 3, index>)

// -----

// expected-error@+1 {{expected 'local'}}
func.func private @f(!moe.routing<4x2 of 3, f32, global>)

// -----

// expected-error@+1 {{expected ','}}
func.func private @f(!moe.routing<4x2 of 3>)

// -----

// expected-error@+1 {{expected 'of'}}
func.func private @f(!moe.routing<4x2, f32>)

// -----

// expected-error@+1 {{expected integer value}}
func.func private @f(!moe.routing<4x2 of many, f32>)

// -----

// expected-error@+1 {{'dim' is 5, expected an even number of at least 2}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 5>}

// -----

// expected-error@+1 {{'dim' is 0, expected an even number of at least 2}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 0>}

// -----

// expected-error@+1 {{'dim' is -2, expected an even number of at least 2}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = -2>}

// -----

// expected-error@+1 {{'yarn_original_length' is -1, expected at least 0}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_original_length = -1>}

// -----

// expected-error@+1 {{'yarn_original_length' is -4096, expected at least 0}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_original_length = -4096>}

// -----

// expected-error@+1 {{'theta' is -1.000000e+04, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = -1.0e4, dim = 4>}

// -----

// expected-error@+1 {{'theta' is 0.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 0.0, dim = 4>}

// -----

// expected-error@+1 {{'factor' is 0.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, factor = 0.0>}

// -----

// expected-error@+1 {{'factor' is -2.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, factor = -2.0>}

// -----

// expected-error@+1 {{'yarn_beta_fast' is -1.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_beta_fast = -1.0>}

// -----

// expected-error@+1 {{'yarn_beta_slow' is 0.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_beta_slow = 0.0>}

// -----

// expected-error@+1 {{'magnitude' is 0.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, magnitude = 0.0>}

// -----

// expected-error@+1 {{'magnitude' is -1.000000e+00, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, magnitude = -1.0>}

// -----

// expected-error@+1 {{'theta' is 1.000000e+00, expected more than 1 with 'yarn_original_length'}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0, dim = 4, yarn_original_length = 64>}

// -----

// expected-error@+1 {{'theta' is 5.000000e-01, expected more than 1 with 'yarn_original_length'}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 0.5, dim = 4, yarn_original_length = 64>}

// -----

// expected-error@+1 {{'yarn_beta_fast' is 1.000000e+00, expected at least 'yarn_beta_slow' (2.000000e+00)}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_original_length = 64, yarn_beta_fast = 1.0, yarn_beta_slow = 2.0>}

// -----

// expected-error@+1 {{'yarn_beta_fast' is 3.200000e+01, expected at least 'yarn_beta_slow' (6.400000e+01)}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_original_length = 64, yarn_beta_slow = 64.0>}

// -----

// expected-error@+2 {{failed to parse}}
// expected-error@+1 {{expected ::mozart::moe::RopeStyle to be one of: half, interleaved}}
func.func private @f() attributes {a = #moe.rope<style = quarter, theta = 1.0e4, dim = 4>}

// -----

// expected-error@+1 {{'query' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.heads<query = 0, kv = 2, dim = 4, scale = 0.5>}

// -----

// expected-error@+1 {{'kv' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 0, dim = 4, scale = 0.5>}

// -----

// expected-error@+1 {{'dim' is -1, expected at least 1}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = -1, scale = 0.5>}

// -----

// expected-error@+1 {{the product up to 'kv' (4294967296) does not fit in 63 bits}}
func.func private @f() attributes {a = #moe.heads<query = 4294967296, kv = 4294967296, dim = 4, scale = 0.5>}

// -----

// expected-error@+1 {{the product up to 'dim' (9223372036854775807) does not fit in 63 bits}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 9223372036854775807, scale = 0.5>}

// -----

// expected-error@+1 {{'query' is 3 heads, expected a multiple of 'kv' (2)}}
func.func private @f() attributes {a = #moe.heads<query = 3, kv = 2, dim = 4, scale = 0.5>}

// -----

// expected-error@+1 {{'query' is 2 heads, expected a multiple of 'kv' (4)}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 4, dim = 4, scale = 0.5>}

// -----

// expected-error@+1 {{'qk_norm_epsilon' is -1.000000e+00, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 4, scale = 0.5, qk_norm_epsilon = -1.0>}

// -----

// expected-error@+1 {{'qk_norm_epsilon' is -1.000000e-06, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 4, scale = 0.5, qk_norm_epsilon = -1.0e-6>}

// -----

// expected-error@+1 {{'query' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.latent_heads<query = 0, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'kv_rank' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 0, nope = 2, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'nope' is -1, expected at least 1}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = -1, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'rope' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 0, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'value' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 0, scale = 0.5>}

// -----

// expected-error@+1 {{'query_rank' is -1, expected at least 0}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, query_rank = -1, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'query_rank' is -6, expected at least 0}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, query_rank = -6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'norm_epsilon' is -1.000000e+00, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5, norm_epsilon = -1.0>}

// -----

// expected-error@+1 {{'norm_epsilon' is -1.000000e-06, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5, norm_epsilon = -1.0e-6>}

// -----

// expected-error@+1 {{heads of 9223372036854775807 + 4 entries, times 2, do not fit in 63 bits}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 9223372036854775807, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{heads of 2 + 4611686018427387904 entries, times 2, do not fit in 63 bits}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 4611686018427387904, scale = 0.5>}

// -----

// expected-error@+1 {{heads of 9223372036854775807 + 4 entries, times 2, do not fit in 63 bits}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 9223372036854775807, nope = 2, rope = 4, value = 3, scale = 0.5>}

// -----

// expected-error@+1 {{'scale' is INF, expected a finite number}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 4, scale = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'scale' is nan, expected a finite number}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 4, scale = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'qk_norm_epsilon' is INF, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.heads<query = 2, kv = 2, dim = 4, scale = 0.5, qk_norm_epsilon = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'norm_epsilon' is nan, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.5, norm_epsilon = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'scale' is INF, expected a finite number}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'scale' is nan, expected a finite number}}
func.func private @f() attributes {a = #moe.latent_heads<query = 2, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'theta' is INF, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 0x7FF0000000000000, dim = 4>}

// -----

// expected-error@+1 {{'factor' is nan, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, factor = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'yarn_beta_fast' is INF, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_beta_fast = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'yarn_beta_slow' is nan, expected a positive number}}
func.func private @f() attributes {a = #moe.rope<style = half, theta = 1.0e4, dim = 4, yarn_beta_slow = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'k' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.gate<k = 0, score = softmax>}

// -----

// expected-error@+1 {{'k' is -1, expected at least 1}}
func.func private @f() attributes {a = #moe.gate<k = -1, score = softmax>}

// -----

// expected-error@+1 {{'groups' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, groups = 0>}

// -----

// expected-error@+1 {{'kept_groups' is 0, expected at least 1}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, groups = 2, kept_groups = 0>}

// -----

// expected-error@+1 {{'renormalize_epsilon' is -1.000000e+00, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, renormalize_epsilon = -1.0>}

// -----

// expected-error@+1 {{'renormalize_epsilon' is -1.000000e-20, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, renormalize_epsilon = -1.0e-20>}

// -----

// expected-error@+1 {{'kept_groups' is 2, expected at most 'groups' (1)}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, kept_groups = 2>}

// -----

// expected-error@+1 {{'kept_groups' is 5, expected at most 'groups' (4)}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, groups = 4, kept_groups = 5>}

// -----

// expected-error@+1 {{'scale' is INF, expected a finite number}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, scale = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'scale' is nan, expected a finite number}}
func.func private @f() attributes {a = #moe.gate<k = 2, score = softmax, scale = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'alpha' is INF, expected a finite number}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, alpha = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'alpha' is nan, expected a finite number}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, alpha = 0x7FF8000000000000>}

// -----

// expected-error@+1 {{'limit' is INF, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, limit = 0x7FF0000000000000>}

// -----

// expected-error@+1 {{'limit' is -1.000000e+00, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, limit = -1.0>}

// -----

// expected-error@+1 {{'limit' is -7.000000e+00, expected a number of at least 0}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, limit = -7.0>}

// -----

// expected-error@+3 {{failed to parse MoE_FfnAttr parameter}}
// expected-note@+2 {{add a trailing dot to make the literal a float}}
// expected-error@+1 {{unexpected decimal integer literal for a floating point value}}
func.func private @f() attributes {a = #moe.ffn<activation = clamped_swiglu, limit = 7>}

// -----

// expected-error@+1 {{a placement needs at least one expert}}
func.func private @f() attributes {a = #moe.placement<@m, []>}

// -----

// expected-error@+1 {{a placement needs at least one expert}}
func.func private @f() attributes {a = #moe.placement<@other, []>}

// -----

// expected-error@+1 {{expert 1 is on no node, expected at least one}}
func.func private @f() attributes {a = #moe.placement<@m, [1, []]>}

// -----

// expected-error@+1 {{expert 0 is on no node, expected at least one}}
func.func private @f() attributes {a = #moe.placement<@m, [[], 1]>}

// -----

// expected-error@+1 {{expert 1 is on node -1, expected a node index of at least 0}}
func.func private @f() attributes {a = #moe.placement<@m, [0, -1]>}

// -----

// expected-error@+1 {{expert 0 is on node -2, expected a node index of at least 0}}
func.func private @f() attributes {a = #moe.placement<@m, [[-2, 1]]>}

// -----

// expected-error@+1 {{expert 0 is on node 1 after node 1, expected distinct nodes in ascending order}}
func.func private @f() attributes {a = #moe.placement<@m, [[1, 1]]>}

// -----

// expected-error@+1 {{expert 1 is on node 4 after node 5, expected distinct nodes in ascending order}}
func.func private @f() attributes {a = #moe.placement<@m, [3, [2, 5, 4]]>}

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @f() attributes {a = #moe.placement<"m", [1]>}

// -----

// expected-error@+1 {{invalid kind of attribute specified}}
func.func private @f() attributes {a = #moe.placement<@m::@n, [1]>}

// -----

// expected-error@+1 {{expected '['}}
func.func private @f() attributes {a = #moe.placement<@m, [one]>}

// -----

// expected-error@+1 {{expected '['}}
func.func private @f() attributes {a = #moe.placement<@m, [0, "1"]>}

// -----

// expected-error@+1 {{expected integer value}}
func.func private @f() attributes {a = #moe.placement<@m, [0, [1, two]]>}

// -----

// expected-error@+1 {{expected integer value}}
func.func private @f() attributes {a = #moe.placement<@m, [[1.5]]>}

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f() attributes {a = #moe.placement<@m, [9223372036854775808]>}

// -----

// expected-error@+1 {{integer value too large}}
func.func private @f() attributes {a = #moe.placement<@m, [0, 18446744073709551616]>}

// -----

// expected-error@+1 {{expected ','}}
func.func private @f() attributes {a = #moe.placement<@m [1]>}

// -----

// expected-error@+1 {{expected '>'}}
func.func private @f() attributes {a = #moe.placement<@m, [1], 2>}
