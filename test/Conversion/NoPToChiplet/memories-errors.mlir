// RUN: mozart-opt %s --convert-nop-to-chiplet --split-input-file --verify-diagnostics

// Not even one token's exchange fits beside the weights: on a chiplet, two slices of
// 8 x 16 in f32 (1024 bytes), two rows that arrive, their counts, two rows that leave (64
// bytes each, as buffers are aligned).

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @toy tree {
  wafer.chiplet @root hosts attention sram_bytes 1088 #compute
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1088 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1088 #compute
  wafer.memory @root_dram on @root <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.memory @group_dram on @switch <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch #wires
  wafer.link @switch -> @root #wires
  wafer.link @switch -> @c0 #wires
  wafer.link @c0 -> @switch #wires
  wafer.link @switch -> @c1 #wires
  wafer.link @c1 -> @switch #wires
}
// expected-error @+1 {{chiplet 'c0' needs 1216 bytes of SRAM for the weights of one block and 4 token slices, and has 1088}}
func.func @small(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 4, f32>, %u: tensor<4x8x16xf32> {moe.param}, %d: tensor<4x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %s = nop.shard %u placed <@toy, [2, 2, 3, 3]> : tensor<4x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@toy, [2, 2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 4, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  %out = nop.local(%rows, %counts, %s) : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>, !nop.distributed<tensor<?x8x16xf32>, [2, 3]>) -> !nop.distributed<tensor<8x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %w: tensor<?x8x16xf32>):
      nop.yield %a : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed <@toy, [2, 2, 3, 3]> : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 4, f32>) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 4, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @toy tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @switch <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.memory @group_dram on @switch <bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  wafer.link @root -> @switch #wires
  wafer.link @switch -> @root #wires
  wafer.link @switch -> @c0 #wires
  wafer.link @c0 -> @switch #wires
  wafer.link @switch -> @c1 #wires
  wafer.link @c1 -> @switch #wires
}
// expected-error @+1 {{needs a DRAM for chiplet 'root'}}
func.func @groups(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 4, f32>, %u: tensor<4x8x16xf32> {moe.param}, %d: tensor<4x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %s = nop.shard %u placed <@toy, [2, 2, 3, 3]> : tensor<4x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@toy, [2, 2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 4, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  %out = nop.local(%rows, %counts, %s) : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>, !nop.distributed<tensor<?x8x16xf32>, [2, 3]>) -> !nop.distributed<tensor<8x8xf32>, [2, 3]> {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %w: tensor<?x8x16xf32>):
      nop.yield %a : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed <@toy, [2, 2, 3, 3]> : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 4, f32>) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 4, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{has 0 machines, expected exactly one; load one with wafer-load-machine}}
module {
  func.func @a(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} { return %x : tensor<4x8xf32> }
}
