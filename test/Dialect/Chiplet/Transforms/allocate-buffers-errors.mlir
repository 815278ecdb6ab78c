// RUN: mozart-opt %s --chiplet-allocate-buffers --split-input-file --verify-diagnostics

// Three buffers of 128 bytes at once do not fit into 320.

wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 320
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}
chiplet.program @p on @m <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %w0_d = chiplet.input 1 "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w0 = chiplet.load "load w0" %w0_d to %w0 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x_d = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_x = chiplet.load "load x" %x_d to %x by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+4 {{'b0' needs a buffer of 128 bytes in the SRAM of chiplet 'root', which holds 256 of its 320 bytes already; cut exchanges into more slices, or load less ahead of time}}
  // expected-note @-6 {{'w0' holds 128 bytes at offset 0}}
  // expected-note @-4 {{'x' holds 128 bytes at offset 128}}
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_y = chiplet.compute "b0" on 0 reads(%x, %w0) writes(%y) after %e_x, %e_w0 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %w1_d = chiplet.input 2 "w1" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w1 = chiplet.load "load w1" %w1_d to %w1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %z = chiplet.alloc "z" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_z = chiplet.compute "b1" on 0 reads(%y, %w1) writes(%z) after %e_y, %e_w1 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %z_d = chiplet.alloc "z_d" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %e_s = chiplet.store "store" %z to %z_d by channel after %e_z : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  chiplet.output %z_d result 0 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

// Three inputs and a result of 128 bytes in a memory of 500.

wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 512
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 500, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}
// expected-error @+1 {{needs 512 bytes of memory 'dram', which has 500; declare it elastic to go on all the same}}
chiplet.program @p on @m <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %w0_d = chiplet.input 1 "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w0 = chiplet.load "load w0" %w0_d to %w0 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x_d = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_x = chiplet.load "load x" %x_d to %x by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_y = chiplet.compute "b0" on 0 reads(%x, %w0) writes(%y) after %e_x, %e_w0 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %w1_d = chiplet.input 2 "w1" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w1 = chiplet.load "load w1" %w1_d to %w1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %z = chiplet.alloc "z" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_z = chiplet.compute "b1" on 0 reads(%y, %w1) writes(%z) after %e_y, %e_w1 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %z_d = chiplet.alloc "z_d" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %e_s = chiplet.store "store" %z to %z_d by channel after %e_z : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  chiplet.output %z_d result 0 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

// An elastic one may hold more.

wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 512
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 500, read_bytes_per_second = 1000, write_bytes_per_second = 1000, elastic = true>
}
chiplet.program @p on @m <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %w0_d = chiplet.input 1 "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w0 = chiplet.load "load w0" %w0_d to %w0 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x_d = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_x = chiplet.load "load x" %x_d to %x by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_y = chiplet.compute "b0" on 0 reads(%x, %w0) writes(%y) after %e_x, %e_w0 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %w1_d = chiplet.input 2 "w1" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w1 = chiplet.load "load w1" %w1_d to %w1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %z = chiplet.alloc "z" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_z = chiplet.compute "b1" on 0 reads(%y, %w1) writes(%z) after %e_y, %e_w1 : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
    ^bb0(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>):
      %r = moe.add %p, %q : tensor<4x8xf32>
      chiplet.yield %r : tensor<4x8xf32>
  }
  %z_d = chiplet.alloc "z_d" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %e_s = chiplet.store "store" %z to %z_d by channel after %e_z : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  chiplet.output %z_d result 0 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}
