// RUN: mozart-opt %s --verify-roundtrip | FileCheck %s
// RUN: mozart-opt %s --mlir-print-op-generic | mozart-opt | FileCheck %s
// RUN: mozart-opt %s --emit-bytecode | mozart-opt | FileCheck %s

// Every op of the dialect with and without each of its options. Nodes: 0 root, 1 the
// switch, 2 and 3 expert chiplets. Memories: 0 of the root, 1 on the switch.

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#link = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
#dram = #wafer.storage<bytes = 1048576, read_bytes_per_second = 1000, write_bytes_per_second = 1000>

wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @switch <buffer_bytes = 4096, multicast_bytes_per_second = 1, reduce_bytes_per_second = 1>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.memory @root_dram on @root #dram
  wafer.memory @group_dram on @switch #dram
  wafer.link @root -> @switch #link
  wafer.link @switch -> @root #link
  wafer.link @switch -> @c0 #link
  wafer.link @c0 -> @switch #link
  wafer.link @switch -> @c1 #link
  wafer.link @c1 -> @switch #link
}

// CHECK: #[[$PLACEMENT:.+]] = #moe.placement<@pair, [2, 3, 3]>
#placement = #moe.placement<@pair, [2, 3, 3]>

// CHECK-LABEL: chiplet.program @buffers on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 8, micro_batches = 2> preset "none" seed 7
// CHECK-SAME: attributes {note = "kept"} {
chiplet.program @buffers on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 8, micro_batches = 2>
    preset "none" seed 7 attributes {note = "kept"} {
  // CHECK-NEXT: chiplet.alloc "a" : <tensor<f32>, sram 3>
  %a = chiplet.alloc "a" : !chiplet.buffer<tensor<f32>, sram 3>
  // CHECK-NEXT: chiplet.alloc "b" at 4096 : <!moe.routing<8x2 of 3, bf16>, dram 1>
  %b = chiplet.alloc "b" at 4096 : !chiplet.buffer<!moe.routing<8x2 of 3, bf16>, dram 1>
  // CHECK-NEXT: chiplet.alloc "empty" at 9223372036854775807 : <tensor<0x8xf32>, sram 0>
  %c = chiplet.alloc "empty" at 9223372036854775807 : !chiplet.buffer<tensor<0x8xf32>, sram 0>
  // CHECK-NEXT: chiplet.input 0 "x" : <tensor<8x8xf32>, dram 0>
  %x = chiplet.input 0 "x" : !chiplet.buffer<tensor<8x8xf32>, dram 0>
  // CHECK-NEXT: chiplet.input 0 "x" micro_batch 1 at 256 : <tensor<8x8xf32>, dram 0>
  %x1 = chiplet.input 0 "x" micro_batch 1 at 256 : !chiplet.buffer<tensor<8x8xf32>, dram 0>
  // CHECK-NEXT: chiplet.input 2147483647 "w" experts [2, 0] at 0 : <tensor<2x8xi1>, dram 1>
  %w = chiplet.input 2147483647 "w" experts [2, 0] at 0 : !chiplet.buffer<tensor<2x8xi1>, dram 1>
  // CHECK-NEXT: chiplet.view %{{.+}} from_row 6 : <tensor<8x8xf32>, dram 0> -> <tensor<2x8xf32>, dram 0>
  %v = chiplet.view %x from_row 6 : !chiplet.buffer<tensor<8x8xf32>, dram 0> -> !chiplet.buffer<tensor<2x8xf32>, dram 0>
  // CHECK-NEXT: chiplet.view %{{.+}} from_row 0 : <!moe.routing<8x2 of 3, bf16>, dram 1> -> <!moe.routing<8x2 of 3, bf16>, dram 1>
  %u = chiplet.view %b from_row 0 : !chiplet.buffer<!moe.routing<8x2 of 3, bf16>, dram 1> -> !chiplet.buffer<!moe.routing<8x2 of 3, bf16>, dram 1>
  // A view of no rows may sit at the end.
  // CHECK-NEXT: chiplet.view %{{.+}} from_row 8
  %z = chiplet.view %x from_row 8 : !chiplet.buffer<tensor<8x8xf32>, dram 0> -> !chiplet.buffer<tensor<0x8xf32>, dram 0>
  // CHECK-NEXT: chiplet.output %{{.+}} result 3 micro_batch 1 : <tensor<8x8xf32>, dram 0>
  chiplet.output %x1 result 3 micro_batch 1 : !chiplet.buffer<tensor<8x8xf32>, dram 0>
  // CHECK-NEXT: }
}

// CHECK-LABEL: chiplet.program @moves
chiplet.program @moves on @pair <model = "no experts", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %d = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %s = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // CHECK: %[[E0:.+]] = chiplet.load "a" %{{.+}} to %{{.+}} by dma : <tensor<4x8xf32>, dram 0> -> <tensor<4x8xf32>, sram 0>
  %e0 = chiplet.load "a" %d to %s by dma : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // CHECK: %[[E1:.+]] = chiplet.load "b" %{{.+}} to %{{.+}} by channel after %[[E0]] stage 1 :
  %e1 = chiplet.load "b" %d to %s by channel after %e0 stage 1 : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // CHECK: %[[E2:.+]] = chiplet.store "c" %{{.+}} to %{{.+}} by channel after %[[E0]], %[[E1]] : <tensor<4x8xf32>, sram 0> -> <tensor<4x8xf32>, dram 0>
  %e2 = chiplet.store "c" %s to %d by channel after %e0, %e1 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // CHECK: chiplet.store "d" %{{.+}} to %{{.+}} by dma stage 2 :
  %e3 = chiplet.store "d" %s to %d by dma stage 2 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// CHECK-LABEL: chiplet.program @computes
chiplet.program @computes on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  // CHECK: %[[E0:.+]] = chiplet.compute "nothing" on 2 reads() writes() : () -> () {
  // CHECK-NEXT: }
  %e0 = chiplet.compute "nothing" on 2 reads() writes() : () -> () {
  }
  // CHECK: %[[E1:.+]] = chiplet.compute "copy" on 2 reads(%{{.+}}) writes(%{{.+}}) after %[[E0]] : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) -> !chiplet.buffer<tensor<4x8xf32>, sram 2> {
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<4x8xf32>):
  // CHECK-NEXT: chiplet.yield %[[A]] : tensor<4x8xf32>
  %e1 = chiplet.compute "copy" on 2 reads(%x) writes(%y) after %e0
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
  // CHECK: chiplet.compute "add" on 2 reads(%{{.+}}, %{{.+}}) writes(%{{.+}}, %{{.+}}) after %[[E0]], %[[E1]] stage 3
  %e2 = chiplet.compute "add" on 2 reads(%x, %y) writes(%y, %x) after %e0, %e1 stage 3
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 2>)
      -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 2>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %c = moe.add %a, %b : tensor<4x8xf32>
    chiplet.yield %c, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// CHECK-LABEL: chiplet.program @exchanges
chiplet.program @exchanges on @pair <model = "m", moe_layers = 3, experts = 3, k = 2, tokens = 8, micro_batches = 2> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // A chiplet's buffers may have room for fewer rows than the worst case.
  %rows2 = chiplet.alloc "rows" : !chiplet.buffer<tensor<3x8xf32>, sram 2>
  %counts2 = chiplet.alloc "counts" : !chiplet.buffer<tensor<1xindex>, sram 2>
  %local2 = chiplet.alloc "local" : !chiplet.buffer<!moe.routing<3x2 of 1, f32, local>, sram 2>
  %rows3 = chiplet.alloc "rows" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %counts3 = chiplet.alloc "counts" : !chiplet.buffer<tensor<2xindex>, sram 3>
  %local3 = chiplet.alloc "local" : !chiplet.buffer<!moe.routing<8x2 of 2, f32, local>, sram 3>
  %pairs = chiplet.alloc "pairs" : !chiplet.buffer<tensor<8x8xf32>, sram 0>
  // CHECK: %[[E0:.+]] = chiplet.dispatch "pairs out" pairs via root from 0 layer 2 micro_batch 1 token 4 %{{.+}} by %{{.+}} writes(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) placed #[[$PLACEMENT]] : (<tensor<4x8xf32>, sram 0>, <!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<1xindex>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<2xindex>, sram 3>)
  %e0 = chiplet.dispatch "pairs out" pairs via root from 0 layer 2 micro_batch 1 token 4 %x by %r
      writes(%rows2, %counts2, %rows3, %counts3) placed #placement
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>)
      -> (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<1xindex>, sram 2>,
          !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<2xindex>, sram 3>)
  // CHECK: %[[E1:.+]] = chiplet.combine "pairs back" pairs via root to 0 layer 2 micro_batch 1 token 4 (%{{.+}}, %{{.+}}) by %{{.+}} writes %{{.+}} placed #[[$PLACEMENT]] after %[[E0]] : (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>) by <!moe.routing<4x2 of 3, f32>, sram 0> -> <tensor<8x8xf32>, sram 0>
  %e1 = chiplet.combine "pairs back" pairs via root to 0 layer 2 micro_batch 1 token 4 (%rows2, %rows3) by %r
      writes %pairs placed #placement after %e0
      : (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>)
      by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<8x8xf32>, sram 0>
  // CHECK: %[[E2:.+]] = chiplet.dispatch "tokens out" tokens via root from 0 layer 0 micro_batch 0 token 0 {{.*}} after %[[E1]] stage 0 :
  %e2 = chiplet.dispatch "tokens out" tokens via root from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%rows2, %local2, %rows3, %local3) placed #placement after %e1 stage 0
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>)
      -> (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<3x2 of 1, f32, local>, sram 2>,
          !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<8x2 of 2, f32, local>, sram 3>)
  // CHECK: chiplet.dispatch "copied" tokens via switch from 0 {{.*}} placed #[[$PLACEMENT]] :
  %e3 = chiplet.dispatch "copied" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%rows2, %local2, %rows3, %local3) placed #placement
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>)
      -> (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<3x2 of 1, f32, local>, sram 2>,
          !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<8x2 of 2, f32, local>, sram 3>)
  // CHECK: chiplet.combine "summed" tokens via switch to 0 {{.*}} after %[[E2]], %{{.+}} stage 9 :
  %e4 = chiplet.combine "summed" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%rows2, %rows3) by %r
      writes %x placed #placement after %e2, %e3 stage 9
      : (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>)
      by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // CHECK: chiplet.combine "added" tokens via root to 0
  %e5 = chiplet.combine "added" tokens via root to 0 layer 0 micro_batch 0 token 0 (%rows2, %rows3) by %r
      writes %x placed #placement
      : (!chiplet.buffer<tensor<3x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>)
      by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}
