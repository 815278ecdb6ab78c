// RUN: mozart-opt %s --split-input-file --convert-nop-to-chiplet="preset=test seed=7" --verify-roundtrip | FileCheck %s
// RUN: mozart-opt %s --split-input-file --convert-nop-to-chiplet="slices=2" | FileCheck %s --check-prefix=SLICES

// Tokens, experts that do not divide by chiplets, and two micro-batches.

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#dram = #wafer.storage<bytes = 1073741824, read_bytes_per_second = 256000000000, write_bytes_per_second = 256000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
// Nodes: 0 root, 1 the switch, 2 and 3 expert chiplets. Memories: 0 of the root, 1 of both.
wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @switch <buffer_bytes = 4096, multicast_bytes_per_second = 1, reduce_bytes_per_second = 1>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.memory @root_dram on @root #dram
  wafer.memory @group_dram on @switch #dram
  wafer.link @root -> @switch #wires
  wafer.link @switch -> @root #wires
  wafer.link @switch -> @c0 #wires
  wafer.link @c0 -> @switch #wires
  wafer.link @switch -> @c1 #wires
  wafer.link @c1 -> @switch #wires
}
#placement = #moe.placement<@pair, [2, 3, 3]>

// CHECK-LABEL: chiplet.program @tokens on @pair <model = "one-layer", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 2> preset "test" seed 7
// Weights come first, each chiplet's own experts.
// CHECK: chiplet.load {{.*}} by channel : <tensor<8xf32>, dram 0> -> <tensor<8xf32>, sram 0>
// CHECK: chiplet.input 3 "arg3[c0]" experts [0] : <tensor<1x8x16xf32>, dram 1>
// CHECK: %[[UP:.+]] = chiplet.load "load b0.arg3[c0]"
// CHECK: %[[DOWN:.+]] = chiplet.load "load b0.arg4[c0]"
// CHECK: chiplet.input 3 "arg3[c1]" experts [1, 2] : <tensor<2x8x16xf32>, dram 1>
// Then each micro-batch, waiting for data alone.
// CHECK: chiplet.input 0 "arg0.m0" micro_batch 0
// CHECK: %[[NORM:.+]] = chiplet.compute "b0.m0.norm" on 0
// CHECK: %[[ROUTE:.+]] = chiplet.compute "b0.m0.route" on 0
// CHECK: %[[SENT:.+]] = chiplet.dispatch "b0.m0.dispatch" tokens via switch from 0 layer 0 micro_batch 0 token 0
// CHECK-SAME: after %[[NORM]], %[[ROUTE]] :
// CHECK: chiplet.compute "b0.m0.experts[c0]" on 2 {{.*}} after %[[SENT]], %[[UP]], %[[DOWN]] :
// CHECK: moe.experts {{.*}} (tensor<8x8xf32>, tensor<1xindex>, tensor<1x8x16xf32>, tensor<1x16x8xf32>)
// CHECK: chiplet.compute "b0.m0.experts[c1]" on 3
// CHECK: moe.experts {{.*}} (tensor<8x8xf32>, tensor<2xindex>, tensor<2x8x16xf32>, tensor<2x16x8xf32>)
// CHECK: chiplet.combine "b0.m0.combine" tokens via switch to 0
// CHECK: chiplet.output %{{.*}} result 0 micro_batch 0
// The second micro-batch finds the weights there.
// CHECK-NOT: chiplet.input 3
// CHECK: chiplet.dispatch "b0.m1.dispatch" {{.*}} micro_batch 1 token 0
// CHECK: chiplet.output %{{.*}} result 0 micro_batch 1

// SLICES-LABEL: chiplet.program @tokens
// SLICES: chiplet.view %{{.*}} from_row 0 : <!moe.routing<4x2 of 3, f32>, sram 0> -> <!moe.routing<2x2 of 3, f32>, sram 0>
// SLICES: chiplet.alloc "b0.m0.rows.s0[c0]" : <tensor<2x8xf32>, sram 2>
// SLICES: chiplet.dispatch "b0.m0.dispatch.s0" {{.*}} token 0
// SLICES: chiplet.view %{{.*}} from_row 2
// SLICES: chiplet.dispatch "b0.m0.dispatch.s1" {{.*}} token 2
// SLICES: moe.dispatch {{.*}} (tensor<2x8xf32>, !moe.routing<2x2 of 1, f32, local>) -> (tensor<4x8xf32>, tensor<1xindex>)
// SLICES: chiplet.compute "b0.m0.add"

func.func @tokens(%x: tensor<4x8xf32>, %norm: tensor<8xf32> {moe.param}, %router: tensor<8x3xf32> {moe.param},
                  %up: tensor<3x8x16xf32> {moe.param}, %down: tensor<3x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "one-layer", sequences = 1, sequence_length = 4, micro_batches = 2>} {
  %h = moe.norm rms %x, %norm epsilon 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %logits = moe.router %h, %router : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = moe.route %logits <k = 2, score = softmax> layer 0 placed #placement : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %u = nop.shard %up placed #placement : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %d = nop.shard %down placed #placement : tensor<3x16x8xf32> -> !nop.distributed<tensor<?x16x8xf32>, [2, 3]>
  %rows, %local = nop.multicast %h by %r from 0 via switch layer 0 placed #placement
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>)
      -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  %partial = nop.local(%rows, %local, %u, %d)
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>,
         !nop.distributed<tensor<?x8x16xf32>, [2, 3]>, !nop.distributed<tensor<?x16x8xf32>, [2, 3]>)
      -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x2 of ?, f32, local>, %lu: tensor<?x8x16xf32>, %ld: tensor<?x16x8xf32>):
      %b, %n = moe.dispatch %a by %lr layer 0
          : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %n weights(%lu, %ld) <activation = relu> layer 0
          : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x16xf32>, tensor<?x16x8xf32>) -> tensor<8x8xf32>
      %p = moe.combine %c by %lr layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %p : tensor<4x8xf32>
  }
  %y = nop.reduce %partial by %r to 0 via switch layer 0 placed #placement
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
