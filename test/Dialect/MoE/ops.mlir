// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s

// CHECK-DAG: #[[$PLACEMENT:.+]] = #moe.placement<@toy, [1, 2, [1, 2]]>
// CHECK-DAG: #[[$HEADS:.+]] = #moe.heads<query = 2, kv = 1, dim = 4, scale = 5.000000e-01>
// CHECK-DAG: #[[$LATENT:.+]] = #moe.latent_heads<query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 4.000000e-01>
// CHECK-DAG: #[[$YARN:.+]] = #moe.rope<style = interleaved, theta = 1.000000e+04, dim = 4, factor = 4.000000e+01, yarn_original_length = 4096>
// CHECK-DAG: #[[$ROPE:.+]] = #moe.rope<style = half, theta = 1.000000e+04, dim = 4>
#rope = #moe.rope<style = half, theta = 10000.0, dim = 4>

#yarn = #moe.rope<style = interleaved, theta = 10000.0, dim = 4, factor = 40.0, yarn_original_length = 4096>

moe.profile @profile embedded "olmoe-1b-7b"

// CHECK-LABEL: func.func @layer
// CHECK-SAME: moe.param
// CHECK-SAME: moe.model = #moe.model<name = "tiny", sequences = 2, sequence_length = 2, micro_batches = 1>
func.func @layer(%x: tensor<4x8xf32>, %n: tensor<8xf32> {moe.param},
    %q: tensor<8x8xf32> {moe.param}, %kv: tensor<8x4xf32> {moe.param}, %hn: tensor<4xf32> {moe.param},
    %w: tensor<8x3xf32> {moe.param}, %b: tensor<3xf32> {moe.param}, %pad: tensor<4xi1>,
    %up: tensor<3x8x16xf32> {moe.param}, %down: tensor<3x16x8xf32> {moe.param},
    %fu: tensor<8x16xf32> {moe.param}, %fd: tensor<16x8xf32> {moe.param}, %fg: tensor<8x1xf32> {moe.param})
    -> tensor<4x8xf32> attributes {moe.model = #moe.model<name = "tiny", sequences = 2, sequence_length = 2, micro_batches = 1>} {
  // CHECK: moe.norm rms %{{.*}}, %{{.*}} epsilon 1.000000e-05 :
  %0 = moe.norm rms %x, %n epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: moe.attention %{{.*}} weights(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) qk_norms(%{{.*}}, %{{.*}}) sequences 2 heads #[[$HEADS]] rope #[[$ROPE]]
  %1 = moe.attention %0 weights(%q, %kv, %kv, %q) qk_norms(%hn, %hn) sequences 2
      heads <query = 2, kv = 1, dim = 4, scale = 0.5> rope #rope
      : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  %2 = moe.add %x, %1 : tensor<4x8xf32>
  %3 = moe.router %2, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  // CHECK: moe.route %{{.*}} selection_bias %{{.*}} padding %{{.*}} <k = 2, score = sigmoid, renormalize = true, scale = 2.500000e+00> layer 0 placed #[[$PLACEMENT]]
  %r = moe.route %3 selection_bias %b padding %pad <k = 2, score = sigmoid, renormalize = true, scale = 2.5> layer 0
      placed <@toy, [1, 2, [1, 2]]>
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<4xi1>) -> !moe.routing<4x2 of 3, f32>
  %rows, %counts = moe.dispatch %2 by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // CHECK: moe.experts %{{.*}} counts %{{.*}} weights(%{{.*}}, %{{.*}}) <activation = relu> layer 0
  %e = moe.experts %rows counts %counts weights(%up, %down) <activation = relu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<8x8xf32>
  // CHECK: moe.custom_experts "twice"
  %c = moe.custom_experts "twice" %e counts %counts weights() layer 0
      : (tensor<8x8xf32>, tensor<3xindex>) -> tensor<8x8xf32> {
    ^bb0(%a: tensor<?x8xf32>):
      %s = arith.addf %a, %a : tensor<?x8xf32>
      moe.yield %s : tensor<?x8xf32>
  }
  %y = moe.combine %c by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  // CHECK: moe.ffn shared %{{.*}} weights(%{{.*}}, %{{.*}}, %{{.*}}) output_gate %{{.*}} <activation = swiglu>
  %s = moe.ffn shared %2 weights(%fu, %fu, %fd) output_gate %fg <activation = swiglu>
      : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x1xf32>) -> tensor<4x8xf32>
  %z = moe.add %y, %s : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @latent
func.func @latent(%x: tensor<4x8xf32>, %qa: tensor<8x6xf32>, %qn: tensor<6xf32>, %qb: tensor<6x12xf32>,
    %kva: tensor<8x9xf32>, %kvn: tensor<5xf32>, %kvb: tensor<5x10xf32>, %o: tensor<6x8xf32>) -> tensor<4x8xf32> {
  // CHECK: moe.latent_attention {{.*}} heads #[[$LATENT]] rope #[[$YARN]]
  %0 = moe.latent_attention %x weights(%qa, %qn, %qb, %kva, %kvn, %kvb, %o) sequences 1
      heads <query = 2, query_rank = 6, kv_rank = 5, nope = 2, rope = 4, value = 3, scale = 0.4> rope #yarn
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>, tensor<6x12xf32>, tensor<8x9xf32>, tensor<5xf32>, tensor<5x10xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
