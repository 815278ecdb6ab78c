// While one micro-batch goes through a block, two wait: 2 x 2048 bytes. The rows that
// come back to the root, 4096 bytes, are what slices make less of. In SRAM there is
// room for all that waits (and 6272 bytes of weights and values) and a quarter of the
// rows, or, 512 bytes less, an eighth:
// then it is better to let activations wait in the DRAM, and to have one slice.
// RUN: mozart-opt %s --mozart-compile="machine=small preset=baseline algorithm=contiguous compile-to=program" | FileCheck %s --check-prefix=STAY
// RUN: sed -e 's/sram_bytes 11392/sram_bytes 10880/' %s | mozart-opt --mozart-compile="machine=small preset=baseline algorithm=contiguous compile-to=program" | FileCheck %s --check-prefix=SPILL
// STAY-NOT: .spill"
// STAY: chiplet.dispatch "b0.m0.dispatch.s3"
// STAY-NOT: .spill"
// SPILL: chiplet.dispatch "b0.m0.dispatch"
// SPILL: chiplet.store "b0.m0.spill"

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 16,
  array_columns = 16, clock_hz = 1000000000, tile_sram_bytes_per_second = 16000000000>
#link = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @small tree {
  wafer.chiplet @root hosts attention sram_bytes 11392 #compute
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 2000000000,
    write_bytes_per_second = 2000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @c0 #link
  wafer.link @c0 -> @root #link
}

func.func @forward(%x: tensor<64x8xf32>, %router: tensor<8x4xf32> {moe.param},
                   %up: tensor<4x8x16xf32> {moe.param}, %down: tensor<4x16x8xf32> {moe.param}) -> tensor<64x8xf32>
    attributes {moe.model = #moe.model<name = "two", sequences = 1, sequence_length = 64, micro_batches = 3>} {
  %logits0 = moe.router %x, %router : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
  %r0 = moe.route %logits0 <k = 2, score = softmax> layer 0 : (tensor<64x4xf32>) -> !moe.routing<64x2 of 4, f32>
  %rows0, %counts0 = moe.dispatch %x by %r0 layer 0
      : (tensor<64x8xf32>, !moe.routing<64x2 of 4, f32>) -> (tensor<128x8xf32>, tensor<4xindex>)
  %out0 = moe.experts %rows0 counts %counts0 weights(%up, %down) <activation = gelu> layer 0
      : (tensor<128x8xf32>, tensor<4xindex>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<128x8xf32>
  %y0 = moe.combine %out0 by %r0 layer 0 : (tensor<128x8xf32>, !moe.routing<64x2 of 4, f32>) -> tensor<64x8xf32>
  %z0 = moe.add %x, %y0 : tensor<64x8xf32>
  %logits1 = moe.router %z0, %router : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
  %r1 = moe.route %logits1 <k = 2, score = softmax> layer 1 : (tensor<64x4xf32>) -> !moe.routing<64x2 of 4, f32>
  %rows1, %counts1 = moe.dispatch %z0 by %r1 layer 1
      : (tensor<64x8xf32>, !moe.routing<64x2 of 4, f32>) -> (tensor<128x8xf32>, tensor<4xindex>)
  %out1 = moe.experts %rows1 counts %counts1 weights(%up, %down) <activation = gelu> layer 1
      : (tensor<128x8xf32>, tensor<4xindex>, tensor<4x8x16xf32>, tensor<4x16x8xf32>) -> tensor<128x8xf32>
  %y1 = moe.combine %out1 by %r1 layer 1 : (tensor<128x8xf32>, !moe.routing<64x2 of 4, f32>) -> tensor<64x8xf32>
  %z1 = moe.add %z0, %y1 : tensor<64x8xf32>
  return %z1 : tensor<64x8xf32>
}
