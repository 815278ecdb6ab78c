// RUN: split-file %s %t
// RUN: mozart-opt %t/room.mlir --chiplet-schedule-overlap --verify-roundtrip | FileCheck %s --check-prefix=ROOM
// RUN: mozart-opt %t/tight.mlir --chiplet-schedule-overlap --remarks-filter=chiplet.* --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=TIGHT
// RUN: mozart-opt %t/room.mlir --pass-pipeline="builtin.module(chiplet.program(chiplet-schedule-overlap,chiplet-allocate-buffers,mozart-verify-scheduled))" -o /dev/null

// Two blocks. Where there is room for the weights of both, those of the second are
// loaded before the first computes; there are no stages.
// ROOM-LABEL: chiplet.program @p
// ROOM: chiplet.load "load w0"
// ROOM: chiplet.load "load w1"
// ROOM: chiplet.load "load x"
// ROOM: chiplet.compute "b0"
// ROOM: chiplet.compute "b1"
// ROOM-NOT: stage

// Where there is not, they stay, and a remark says what was missing: 128 bytes each of x, y
// and the first weight, and 128 of the second, in 98 % of 448.
// TIGHT: remark: [Missed] LoadAhead {{.*}}HaveBytes=392, NeedBytes=512{{.*}}root
// TIGHT: chiplet.compute "b0"
// TIGHT: chiplet.load "load w1"

//--- room.mlir
wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 1024
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}
chiplet.program @p on @m <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %w0_d = chiplet.input 1 "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w0 = chiplet.load "load w0" %w0_d to %w0 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x_d = chiplet.input 0 "x" micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
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

//--- tight.mlir
wafer.machine @m tree {
  wafer.chiplet @root hosts any sram_bytes 448
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.memory @dram on @root <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}
chiplet.program @p on @m <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %w0_d = chiplet.input 1 "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e_w0 = chiplet.load "load w0" %w0_d to %w0 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %x_d = chiplet.input 0 "x" micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
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

