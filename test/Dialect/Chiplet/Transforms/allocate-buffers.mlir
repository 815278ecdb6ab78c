// RUN: mozart-opt %s --chiplet-allocate-buffers --verify-roundtrip | FileCheck %s
// RUN: mozart-opt %s --chiplet-allocate-buffers --mozart-verify-scheduled -o /dev/null
// RUN: mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --pass-pipeline="builtin.module(chiplet.program(chiplet-schedule-overlap,chiplet-allocate-buffers,mozart-verify-scheduled))" -o /dev/null

// An SRAM of 512 bytes, buffers of 128. What loads fill is packed from the bottom, the rest
// from the top; DRAM buffers do not share bytes.

wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 512
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}

// CHECK-LABEL: chiplet.program @p
// CHECK: chiplet.input 1 "w0" at 0 :
// CHECK: chiplet.alloc "w0" at 0 :
// CHECK: chiplet.input 0 "x" at 128 :
// CHECK: chiplet.alloc "x" at 128 :
// CHECK: chiplet.alloc "y" at 384 :
// CHECK: %[[FIRST:.+]] = chiplet.compute "b0"
// The second weight takes the place of the first, and waits for the add that read it.
// CHECK: chiplet.input 2 "w1" at 256 :
// CHECK: chiplet.alloc "w1" at 0 :
// CHECK: chiplet.load "load w1" {{.*}} after %[[FIRST]] :
// CHECK: chiplet.alloc "z" at 256 :
// The add that writes there comes after the first one by the order of the arrays.
// CHECK: chiplet.compute "b1"
// CHECK: chiplet.alloc "z_d" at 384 :
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
