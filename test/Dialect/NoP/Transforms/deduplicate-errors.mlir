// RUN: mozart-opt %s --nop-deduplicate --remarks-filter-missed=nop-deduplicate --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// What is not an exchange of pairs as a whole stays as it is, with a remark at the op
// that stands in the way.

// CHECK-NOT: nop.multicast
// CHECK-NOT: nop.reduce

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#switching = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000, reduce_bytes_per_second = 2000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @switch #switching
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @switch #wires
  wafer.link @switch -> @root #wires
  wafer.link @switch -> @c0 #wires
  wafer.link @c0 -> @switch #wires
  wafer.link @switch -> @c1 #wires
  wafer.link @c1 -> @switch #wires
}

#placement = #moe.placement<@pair, [2, 3, 3]>
!routing = !moe.routing<4x2 of 3, f32>
!rows = !nop.distributed<tensor<8x8xf32>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!up = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @no_local(%x: tensor<4x8xf32>, %r: !routing) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  // expected-remark @+1 {{'nop.gather' uses what the scatter sends; expected nop.local}}
  %back = nop.gather %rows by %r to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @unused(%x: tensor<4x8xf32>, %r: !routing) {
  // expected-remark @+1 {{'nop.scatter' sends rows that nothing uses}}
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  return
}

func.func @two_locals(%x: tensor<4x8xf32>, %r: !routing) -> (!counts, !rows) {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  // expected-remark @+1 {{'nop.local' is the second that uses what the scatter sends; expected one}}
  %n = nop.local(%counts) : (!counts) -> !counts {
    ^bb0(%a: tensor<?xindex>):
      nop.yield %a : tensor<?xindex>
  }
  %m = nop.local(%rows) : (!rows) -> !rows {
    ^bb0(%a: tensor<8x8xf32>):
      nop.yield %a : tensor<8x8xf32>
  }
  return %n, %m : !counts, !rows
}

func.func @rows_alone(%x: tensor<4x8xf32>, %r: !routing) -> !rows {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  // expected-remark @+1 {{'nop.local' does not take rows and counts of the scatter once each}}
  %m = nop.local(%rows) : (!rows) -> !rows {
    ^bb0(%a: tensor<8x8xf32>):
      nop.yield %a : tensor<8x8xf32>
  }
  return %m : !rows
}

func.func @other_op(%x: tensor<4x8xf32>, %r: !routing) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      // expected-remark @+1 {{'arith.negf' is in the nop.local; expected experts only}}
      %b = arith.negf %a : tensor<8x8xf32>
      nop.yield %b : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @other_rows(%x: tensor<4x8xf32>, %r: !routing, %u: !up, %o: !rows) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts, %u, %o) : (!rows, !counts, !up, !rows) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %w: tensor<?x8x8xf32>, %b: tensor<8x8xf32>):
      // expected-remark @+1 {{'moe.experts' does not compute on the rows of the scatter}}
      %c = moe.experts %b counts %n weights(%w, %w) <activation = relu> layer 0
          : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<8x8xf32>
      nop.yield %c : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @yields_a_weight(%x: tensor<4x8xf32>, %r: !routing, %u: !up) -> !up {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts, %u) : (!rows, !counts, !up) -> !up {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %w: tensor<?x8x8xf32>):
      // expected-remark @+1 {{'nop.yield' yields what is not rows of the scatter}}
      nop.yield %w : tensor<?x8x8xf32>
  }
  return %out : !up
}

func.func @stays_out_there(%x: tensor<4x8xf32>, %r: !routing) -> !rows {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      nop.yield %a : tensor<8x8xf32>
  }
  // expected-remark @+1 {{'func.return' uses rows of experts; expected nop.gather}}
  return %out : !rows
}

func.func @gathered_by_another(%x: tensor<4x8xf32>, %r: !routing, %s: !routing) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      nop.yield %a : tensor<8x8xf32>
  }
  // expected-remark @+1 {{'nop.gather' is by another routing than the scatter}}
  %back = nop.gather %out by %s to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @placed_otherwise(%x: tensor<4x8xf32>, %r: !routing) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      nop.yield %a : tensor<8x8xf32>
  }
  // expected-remark @+1 {{'nop.gather' is of another placement or root than the scatter}}
  %back = nop.gather %out by %r to 0 layer 0 placed <@pair, [3, 2, 2]> : (!rows, !routing) -> tensor<8x8xf32>
  %y = moe.combine %back by %r layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @not_combined(%x: tensor<4x8xf32>, %r: !routing) -> tensor<8x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      nop.yield %a : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  // expected-remark @+1 {{'func.return' uses gathered rows; expected moe.combine}}
  return %back : tensor<8x8xf32>
}

func.func @combined_by_another(%x: tensor<4x8xf32>, %r: !routing, %s: !routing) -> tensor<4x8xf32> {
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!rows, !counts)
  %out = nop.local(%rows, %counts) : (!rows, !counts) -> !rows {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>):
      nop.yield %a : tensor<8x8xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed #placement : (!rows, !routing) -> tensor<8x8xf32>
  // expected-remark @+1 {{'moe.combine' is by another routing than the scatter}}
  %y = moe.combine %back by %s layer 0 : (tensor<8x8xf32>, !routing) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
