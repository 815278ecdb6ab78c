// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s

// The program of one-layer-program.mlir, scheduled serially: every task has a stage and
// every buffer an offset.

// Nodes: 0 root, 1 the switch, 2 and 3 expert chiplets. Memories: 0 of the root,
// 1 of both expert chiplets, on the switch.
wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096, multicast_bytes_per_second = 2000000000,
     reduce_bytes_per_second = 2000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @root_dram on @root <bytes = 1073741824,
     read_bytes_per_second = 256000000000, write_bytes_per_second = 256000000000>
  wafer.memory @group_dram on @switch <bytes = 1073741824,
     read_bytes_per_second = 256000000000, write_bytes_per_second = 256000000000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}

// CHECK-LABEL: chiplet.program @forward on @pair
// CHECK: chiplet.alloc "x" at 0
// CHECK: chiplet.load "load x" {{.*}} by channel stage 0
// CHECK: chiplet.compute "route" on 0
// CHECK: chiplet.dispatch "dispatch" tokens via switch from 0
// CHECK: chiplet.combine "combine" tokens via switch to 0
// CHECK: chiplet.output %{{.*}} result 0 micro_batch 0
chiplet.program @forward on @pair <model = "one-layer", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1>
    preset "dedup" seed 0 {
  %x_d = chiplet.input 0 "x" micro_batch 0 at 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %norm_d = chiplet.input 1 "norm" at 128 : !chiplet.buffer<tensor<8xf32>, dram 0>
  %router_d = chiplet.input 2 "router" at 160 : !chiplet.buffer<tensor<8x3xf32>, dram 0>
  %y_d = chiplet.alloc "y" at 256 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %gate2_d = chiplet.input 3 "gate[2]" experts [0] at 0 : !chiplet.buffer<tensor<1x8x16xf32>, dram 1>
  %up2_d = chiplet.input 4 "up[2]" experts [0] at 512 : !chiplet.buffer<tensor<1x8x16xf32>, dram 1>
  %down2_d = chiplet.input 5 "down[2]" experts [0] at 1024 : !chiplet.buffer<tensor<1x16x8xf32>, dram 1>
  %gate3_d = chiplet.input 3 "gate[3]" experts [1, 2] at 1536 : !chiplet.buffer<tensor<2x8x16xf32>, dram 1>
  %up3_d = chiplet.input 4 "up[3]" experts [1, 2] at 2560 : !chiplet.buffer<tensor<2x8x16xf32>, dram 1>
  %down3_d = chiplet.input 5 "down[3]" experts [1, 2] at 3584 : !chiplet.buffer<tensor<2x16x8xf32>, dram 1>
  %x = chiplet.alloc "x" at 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %norm = chiplet.alloc "norm" at 128 : !chiplet.buffer<tensor<8xf32>, sram 0>
  %router = chiplet.alloc "router" at 192 : !chiplet.buffer<tensor<8x3xf32>, sram 0>
  %h = chiplet.alloc "h" at 320 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %logits = chiplet.alloc "logits" at 448 : !chiplet.buffer<tensor<4x3xf32>, sram 0>
  %r = chiplet.alloc "routing" at 512 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %s = chiplet.alloc "sum" at 576 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %y = chiplet.alloc "y" at 704 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %gate2 = chiplet.alloc "gate[2]" at 0 : !chiplet.buffer<tensor<1x8x16xf32>, sram 2>
  %up2 = chiplet.alloc "up[2]" at 512 : !chiplet.buffer<tensor<1x8x16xf32>, sram 2>
  %down2 = chiplet.alloc "down[2]" at 1024 : !chiplet.buffer<tensor<1x16x8xf32>, sram 2>
  %rows2 = chiplet.alloc "rows[2]" at 1536 : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %local2 = chiplet.alloc "local[2]" at 1664 : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %part2 = chiplet.alloc "part[2]" at 1728 : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %gate3 = chiplet.alloc "gate[3]" at 0 : !chiplet.buffer<tensor<2x8x16xf32>, sram 3>
  %up3 = chiplet.alloc "up[3]" at 1024 : !chiplet.buffer<tensor<2x8x16xf32>, sram 3>
  %down3 = chiplet.alloc "down[3]" at 2048 : !chiplet.buffer<tensor<2x16x8xf32>, sram 3>
  %rows3 = chiplet.alloc "rows[3]" at 3072 : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %local3 = chiplet.alloc "local[3]" at 3200 : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  %part3 = chiplet.alloc "part[3]" at 3264 : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %e_x = chiplet.load "load x" %x_d to %x by channel stage 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_norm = chiplet.load "load norm" %norm_d to %norm by channel stage 0 : !chiplet.buffer<tensor<8xf32>, dram 0> -> !chiplet.buffer<tensor<8xf32>, sram 0>
  %e_router = chiplet.load "load router" %router_d to %router by channel stage 0 : !chiplet.buffer<tensor<8x3xf32>, dram 0> -> !chiplet.buffer<tensor<8x3xf32>, sram 0>
  %e_gate2 = chiplet.load "load gate2" %gate2_d to %gate2 by channel stage 0 : !chiplet.buffer<tensor<1x8x16xf32>, dram 1> -> !chiplet.buffer<tensor<1x8x16xf32>, sram 2>
  %e_up2 = chiplet.load "load up2" %up2_d to %up2 by channel stage 0 : !chiplet.buffer<tensor<1x8x16xf32>, dram 1> -> !chiplet.buffer<tensor<1x8x16xf32>, sram 2>
  %e_down2 = chiplet.load "load down2" %down2_d to %down2 by channel stage 0 : !chiplet.buffer<tensor<1x16x8xf32>, dram 1> -> !chiplet.buffer<tensor<1x16x8xf32>, sram 2>
  %e_gate3 = chiplet.load "load gate3" %gate3_d to %gate3 by channel stage 0 : !chiplet.buffer<tensor<2x8x16xf32>, dram 1> -> !chiplet.buffer<tensor<2x8x16xf32>, sram 3>
  %e_up3 = chiplet.load "load up3" %up3_d to %up3 by channel stage 0 : !chiplet.buffer<tensor<2x8x16xf32>, dram 1> -> !chiplet.buffer<tensor<2x8x16xf32>, sram 3>
  %e_down3 = chiplet.load "load down3" %down3_d to %down3 by channel stage 0 : !chiplet.buffer<tensor<2x16x8xf32>, dram 1> -> !chiplet.buffer<tensor<2x16x8xf32>, sram 3>
  %e_route = chiplet.compute "route" on 0 reads(%x, %norm, %router) writes(%h, %r) after %e_x, %e_norm, %e_router stage 1
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<8xf32>, sram 0>, !chiplet.buffer<tensor<8x3xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<8x3xf32>):
      %0 = moe.norm rms %a, %b epsilon 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      %1 = moe.router %0, %c : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
      %2 = moe.route %1 <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
      chiplet.yield %0, %2 : tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>
  }
  %e_dispatch = chiplet.dispatch "dispatch" tokens via switch from 0 layer 0 micro_batch 0 token 0 %h by %r
      writes(%rows2, %local2, %rows3, %local3) placed <@pair, [2, 3, 3]> after %e_route stage 2
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
  %e_ffn2 = chiplet.compute "experts[2]" on 2 reads(%rows2, %local2, %gate2, %up2, %down2) writes(%part2) after %e_dispatch, %e_gate2, %e_up2, %e_down2 stage 3
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<1x8x16xf32>, sram 2>, !chiplet.buffer<tensor<1x8x16xf32>, sram 2>, !chiplet.buffer<tensor<1x16x8xf32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>) {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x2 of 1, f32, local>, %g: tensor<1x8x16xf32>, %u: tensor<1x8x16xf32>, %d: tensor<1x16x8xf32>):
      %0, %1 = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 1, f32, local>) -> (tensor<8x8xf32>, tensor<1xindex>)
      %2 = moe.experts %0 counts %1 weights(%g, %u, %d) <activation = swiglu> layer 0 : (tensor<8x8xf32>, tensor<1xindex>, tensor<1x8x16xf32>, tensor<1x8x16xf32>, tensor<1x16x8xf32>) -> tensor<8x8xf32>
      %3 = moe.combine %2 by %lr layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 1, f32, local>) -> tensor<4x8xf32>
      chiplet.yield %3 : tensor<4x8xf32>
  }
  %e_ffn3 = chiplet.compute "experts[3]" on 3 reads(%rows3, %local3, %gate3, %up3, %down3) writes(%part3) after %e_dispatch, %e_gate3, %e_up3, %e_down3 stage 3
      : (!chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>, !chiplet.buffer<tensor<2x8x16xf32>, sram 3>, !chiplet.buffer<tensor<2x8x16xf32>, sram 3>, !chiplet.buffer<tensor<2x16x8xf32>, sram 3>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 3>) {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x2 of 2, f32, local>, %g: tensor<2x8x16xf32>, %u: tensor<2x8x16xf32>, %d: tensor<2x16x8xf32>):
      %0, %1 = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 2, f32, local>) -> (tensor<8x8xf32>, tensor<2xindex>)
      %2 = moe.experts %0 counts %1 weights(%g, %u, %d) <activation = swiglu> layer 0 : (tensor<8x8xf32>, tensor<2xindex>, tensor<2x8x16xf32>, tensor<2x8x16xf32>, tensor<2x16x8xf32>) -> tensor<8x8xf32>
      %3 = moe.combine %2 by %lr layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 2, f32, local>) -> tensor<4x8xf32>
      chiplet.yield %3 : tensor<4x8xf32>
  }
  %e_combine = chiplet.combine "combine" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%part2, %part3) by %r
      writes %s placed <@pair, [2, 3, 3]> after %e_ffn2, %e_ffn3 stage 4
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_add = chiplet.compute "residual" on 0 reads(%x, %s) writes(%y) after %e_combine stage 5
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
      %0 = moe.add %a, %b : tensor<4x8xf32>
      chiplet.yield %0 : tensor<4x8xf32>
  }
  %e_y = chiplet.store "store y" %y to %y_d by channel after %e_add stage 6 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  chiplet.output %y_d result 0 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}
