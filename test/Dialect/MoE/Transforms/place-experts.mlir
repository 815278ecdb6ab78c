// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts=algorithm=contiguous --verify-roundtrip | FileCheck %s --check-prefixes=CHECK,CONTIGUOUS
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=random seed=3" > %t.a
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=random seed=3" > %t.b
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=random seed=4" > %t.c
// RUN: cmp %t.a %t.b
// RUN: not cmp %t.a %t.c
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts=profile=%S/Inputs/pairs.jsonl --remarks-filter=moe-place-experts --remark-format=emitRemark 2>%t.remarks | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// Nodes of @toy: 0 root, 1 and 4 switches, 2 and 3 chiplets below 1, 5 and 6 below 4.

// Eight experts in order, two a chiplet.
// CONTIGUOUS: #[[$P:.+]] = #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>

// Inputs/pairs.jsonl, 8 tokens: in layer 0, token t goes to experts t mod 4 and
// t mod 4 + 4; in layer 1 to 2 (t mod 4) and 2 (t mod 4) + 1. Algorithm 1 puts each of
// these pairs on a chiplet, so that a token has one chiplet instead of two in layer 0.
// All chiplets carry the same load.
// PAIRS-DAG: #[[$P0:.+]] = #moe.placement<@toy, [2, 3, 5, 6, 2, 3, 5, 6]>
// PAIRS-DAG: #[[$P1:.+]] = #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>
// REMARK: MoE layer 0 by algorithm1: C_T 1.000 (contiguous 2.000), G_T 1.000 (2.000), load max/mean 1.000 (1.000)
// REMARK-SAME: c_t=1.000, g_t=1.000, load_max_over_mean=1.000
// REMARK: MoE layer 1 by algorithm1: C_T 1.000 (contiguous 1.000), G_T 1.000 (1.000), load max/mean 1.000 (1.000)

// CHECK-LABEL: func.func @forward
func.func @forward(%x: tensor<4x8xf32>, %logits: tensor<4x8xf32>, %w: tensor<8x8x8xf32>) -> tensor<4x8xf32> {
  // CONTIGUOUS: moe.route {{.+}} layer 0 placed #[[$P]]
  // PAIRS: moe.route {{.+}} layer 0 placed #[[$P0]]
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  // CONTIGUOUS: moe.dispatch {{.+}} layer 0 placed #[[$P]]
  // PAIRS: moe.dispatch {{.+}} layer 0 placed #[[$P0]]
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 8, f32>) -> (tensor<8x8xf32>, tensor<8xindex>)
  // CONTIGUOUS: moe.experts {{.+}} layer 0 placed #[[$P]]
  // PAIRS: moe.experts {{.+}} layer 0 placed #[[$P0]]
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<8xindex>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8xf32>
  // CONTIGUOUS: moe.combine {{.+}} layer 0 placed #[[$P]]
  // PAIRS: moe.combine {{.+}} layer 0 placed #[[$P0]]
  %y = moe.combine %h by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 8, f32>) -> tensor<4x8xf32>

  // CONTIGUOUS: moe.route {{.+}} layer 1 placed #[[$P]]
  // PAIRS: moe.route {{.+}} layer 1 placed #[[$P1]]
  // A placement that was there before is replaced.
  %r1 = moe.route %logits <k = 2, score = softmax> layer 1 placed <@toy, [6, 6, 6, 6, 6, 6, 6, 6]> : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  // PAIRS: moe.dispatch {{.+}} layer 1 placed #[[$P1]]
  %rows1, %counts1 = moe.dispatch %y by %r1 layer 1 : (tensor<4x8xf32>, !moe.routing<4x2 of 8, f32>) -> (tensor<8x8xf32>, tensor<8xindex>)
  // PAIRS: moe.combine {{.+}} layer 1 placed #[[$P1]]
  %y1 = moe.combine %rows1 by %r1 layer 1 : (tensor<8x8xf32>, !moe.routing<4x2 of 8, f32>) -> tensor<4x8xf32>
  return %y1 : tensor<4x8xf32>
}
