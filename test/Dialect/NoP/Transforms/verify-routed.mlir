// RUN: mozart-opt %S/../../../Phases/one-layer-routed.mlir --mozart-verify-routed -o /dev/null

// Every way to lower a placed layer, with any of the passes left out.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-moe-to-nop --mozart-verify-routed --nop-deduplicate --mozart-verify-routed --nop-multicast-in-switch --mozart-verify-routed --nop-reduce-in-switch --mozart-verify-routed -o /dev/null

// So with replicas.
// RUN: sed 's/\[2, 3, 3\]/[2, [2, 3], 3]/' %S/../../../Phases/one-layer-placed.mlir | mozart-opt --convert-moe-to-nop --mozart-verify-routed --nop-deduplicate --mozart-verify-routed --nop-multicast-in-switch --nop-reduce-in-switch --mozart-verify-routed -o /dev/null

// What cannot be followed is a warning where that is asked for.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-moe-to-nop -o %t.mlir
// RUN: sed 's/nop.yield \(%[^ ]*\) : \(.*\)/%odd = arith.negf \1 : \2\n nop.yield %odd : \2/' %t.mlir > %t.odd.mlir
// RUN: not mozart-opt %t.odd.mlir --mozart-verify-routed -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNDECIDED
// UNDECIDED: error: undecided: what this does to rows or weights of MoE layer 0
// RUN: mozart-opt %t.odd.mlir --mozart-verify-routed=allow-undecided -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING: warning: undecided: what this does to rows or weights of MoE layer 0
// WARNING: warning: undecided: what this does to rows or weights of MoE layer 1

#p0 = #moe.placement<@toy, [5, 2, 2]>
#p1 = #moe.placement<@toy, [2, 3, 6]>

func.func @forward(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "two-layers", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed #p0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed #p0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed #p0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed #p0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %r1 = moe.route %logits <k = 3, score = softmax> layer 1 placed #p1 : (tensor<4x3xf32>) -> !moe.routing<4x3 of 3, f32>
  %a1, %n1 = moe.dispatch %y0 by %r1 layer 1 placed #p1 : (tensor<4x8xf32>, !moe.routing<4x3 of 3, f32>) -> (tensor<12x8xf32>, tensor<3xindex>)
  %b1 = moe.experts %a1 counts %n1 weights(%w, %w) <activation = gelu> layer 1 placed #p1
      : (tensor<12x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<12x8xf32>
  %c1 = moe.experts %b1 counts %n1 weights(%w, %w) <activation = relu> layer 1 placed #p1
      : (tensor<12x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<12x8xf32>
  %y1 = moe.combine %c1 by %r1 layer 1 placed #p1 : (tensor<12x8xf32>, !moe.routing<4x3 of 3, f32>) -> tensor<4x8xf32>
  return %y1 : tensor<4x8xf32>
}
