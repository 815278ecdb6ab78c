// RUN: mozart-opt %s --split-input-file --verify-diagnostics -o /dev/null

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{'arith.constant' op is not part of a program; expected buffers, tasks and outputs of the chiplet dialect}}
  %0 = arith.constant 1 : index
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{'tensor.empty' op is not part of a program; expected buffers, tasks and outputs of the chiplet dialect}}
  %0 = tensor.empty() : tensor<4x8xf32>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{operand #0 does not dominate this use}}
  %0 = chiplet.load "l" %a to %b by dma : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-note @+1 {{operand defined here}}
  %a = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %b = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

// expected-error @+1 {{'chiplet.program' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
"chiplet.program"() <{sym_name = "p", machine = @pair, workload = #chiplet.workload<model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1>, preset = "none", seed = 0 : i64}> ({
}) : () -> ()

// -----

// expected-error @+1 {{'chiplet.program' op region should have no arguments}}
"chiplet.program"() <{sym_name = "p", machine = @pair, workload = #chiplet.workload<model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1>, preset = "none", seed = 0 : i64}> ({
^bb0(%a: !chiplet.buffer<tensor<4x8xf32>, sram 0>):
}) : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Against the workload
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has layer 1, but the workload has 1 MoE layers}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 1 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has layer 2, but the workload has 1 MoE layers}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 2 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has micro-batch 1, but the workload has 1 micro-batches}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 1 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has micro-batch 9, but the workload has 1 micro-batches}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 9 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 3, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{is routed by '!moe.routing<4x2 of 3, f32>', but the workload has k = 3 of 3 experts}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 4, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{is routed by '!moe.routing<4x2 of 3, f32>', but the workload has k = 2 of 4 experts}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has layer 0, but the workload has 0 MoE layers}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{takes 4 tokens from token 1 on, but a micro-batch has 4}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 1 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{takes 4 tokens from token 9223372036854775807 on, but a micro-batch has 4}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 9223372036854775807 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 3, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{takes 4 tokens from token 0 on, but a micro-batch has 3}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert 3, but the workload has 3 experts}}
  %0 = chiplet.input 0 "x" experts [0, 3] : !chiplet.buffer<tensor<2x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert 0, but the workload has 0 experts}}
  %0 = chiplet.input 0 "x" experts [0] : !chiplet.buffer<tensor<1x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has micro-batch 1, but the workload has 1 micro-batches}}
  %0 = chiplet.input 0 "x" micro_batch 1 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has micro-batch 4, but the workload has 1 micro-batches}}
  %0 = chiplet.input 0 "x" micro_batch 4 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has micro-batch 1, but the workload has 1 micro-batches}}
  chiplet.output %0 result 0 micro_batch 1 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has micro-batch 9223372036854775807, but the workload has 1 micro-batches}}
  chiplet.output %0 result 0 micro_batch 9223372036854775807 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

//===----------------------------------------------------------------------===//
// Against the machine
//===----------------------------------------------------------------------===//

// expected-error @+1 {{names machine 'pair', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

func.func private @pair()
// expected-error @+1 {{names machine 'pair', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<4x8xf32>, sram 4>', but machine 'pair' has 4 nodes}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 4>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 3000000000>', but machine 'pair' has 4 nodes}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 3000000000>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<4x8xf32>, dram 1>', but machine 'pair' has 1 memories}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, dram 1>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<4x8xf32>, dram 4294967296>', but machine 'pair' has 1 memories}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 4294967296>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<4x8xf32>, sram 1>', but node 1 of machine 'pair' is a switch}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 1>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 1>', but node 1 of machine 'pair' is a switch}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 1>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{is placed on machine 'other', but the program is for 'pair'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@other, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{is placed on machine 'toy', but the program is for 'pair'}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@toy, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has its root on node 2 ('c0') of machine 'pair', which does not host attention}}
  %e = chiplet.dispatch "d" tokens via switch from 2 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 3>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  // expected-error @+1 {{has its root on node 3 ('c1') of machine 'pair', which does not host attention}}
  %e = chiplet.combine "c" tokens via switch to 3 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 3> -> !chiplet.buffer<tensor<4x8xf32>, sram 3>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 0>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{places experts on node 0 ('root') of machine 'pair', which does not host experts}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [0, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{places experts on node 0 ('root') of machine 'pair', which does not host experts}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [0, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is on node -1, but machine 'pair' has 4 nodes}}
  %e = chiplet.compute "c" on -1 reads() writes() : () -> () {
  }
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is on node 4294967296, but machine 'pair' has 4 nodes}}
  %e = chiplet.compute "c" on 4294967296 reads() writes() : () -> () {
  }
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is on node 1 ('switch') of machine 'pair', which is a switch}}
  %e = chiplet.compute "c" on 1 reads() writes() : () -> () {
  }
}

// -----

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c1 hosts experts sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
module {
  // expected-error @+1 {{names machine 'pair', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  }
}
