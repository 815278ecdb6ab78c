// RUN: mozart-opt %s --mozart-verify-routed --split-input-file --verify-diagnostics

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

// Nothing is wrong here; the cases below each change one thing.
func.func @good(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @dispatch_on_the_root(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  // expected-error @+1 {{'moe.dispatch' op is on the root; expected it in a nop.local, between exchanges}}
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !routing) -> (tensor<4x8xf32>, tensor<2xindex>)
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @combine_on_the_root(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  // expected-error @+1 {{'moe.combine' op is on the root; expected rows of nop.gather, or nop.reduce instead}}
  %y = moe.combine %x by %r layer 0 : (tensor<4x8xf32>, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @never_sent(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>, %z: !tokens) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op routes MoE layer 0, whose rows are never sent out (nop.scatter or nop.multicast)}}
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %y = nop.reduce %z by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @never_back(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op routes MoE layer 0, whose rows are never brought back (nop.gather or nop.reduce)}}
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @sent_twice(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  // expected-note @+1 {{the first is here}}
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // expected-error @+1 {{'nop.multicast' op is the second that sends rows of MoE layer 0, expected one}}
  %u, %ul = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @back_twice(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-note @+1 {{the first is here}}
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // expected-error @+1 {{'nop.reduce' op is the second that brings back rows of MoE layer 0, expected one}}
  %z = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @other_routing(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>, %q: !routing) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-note @+1 {{the layer is routed here}}
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.reduce' op of MoE layer 0 is by another routing than the layer's}}
  %y = nop.reduce %o by %q to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @other_placement(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  // expected-note @+1 {{they are sent out here}}
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.reduce' op of MoE layer 0 has another placement than the op that sends the rows out}}
  %y = nop.reduce %o by %r to 0 via root layer 0 placed <@pair, [3, 2]> : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @routed_elsewhere(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed <@pair, [3, 2]> : tensor<2x8x8xf32> -> !shard
  // expected-error @+1 {{'nop.multicast' op has placement #moe.placement<@pair, [3, 2]>, but MoE layer 0 is routed to #moe.placement<@pair, [2, 3]>}}
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed <@pair, [3, 2]> : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed <@pair, [3, 2]> : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

// Each node would have the weights of the other's expert.
func.func @other_weights(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  // expected-note @+1 {{the weights are placed here}}
  %s = nop.shard %w placed <@pair, [3, 2]> : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      // expected-error @+1 {{'moe.experts' op has weights placed #moe.placement<@pair, [3, 2]>, but its rows went to experts placed #moe.placement<@pair, [2, 3]>}}
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

// Of one type, but in another order: by expert, not by token.
func.func @pairs_for_sums(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tc = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !counts)
  %o = nop.local(%t, %tc, %s) : (!tokens, !counts, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %n: tensor<?xindex>, %v: tensor<?x8x8xf32>):
      %d = moe.experts %a counts %n weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.reduce' op brings back one row a (token, expert), not yet added, expected one sum a token}}
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

// Gate weights would count twice.
func.func @sums_for_pairs(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.gather' op brings back one sum a token, expected one row a (token, expert), worked on by experts}}
  %g = nop.gather %o by %r to 0 layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  %y = moe.combine %g by %r layer 0 : (tensor<4x8xf32>, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @echo(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tc = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !counts)
  // expected-error @+1 {{'nop.gather' op brings back rows that no experts have worked on, expected one row a (token, expert), worked on by experts}}
  %g = nop.gather %t by %r to 0 layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  %y = moe.combine %g by %r layer 0 : (tensor<4x8xf32>, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @as_they_came(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  // expected-error @+1 {{'nop.reduce' op brings back one row a token, not yet copied for its experts, expected one sum a token}}
  %y = nop.reduce %t by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @no_experts(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      // expected-error @+1 {{'moe.combine' op adds rows that no experts have worked on, expected rows of experts}}
      %d = moe.combine %b by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @copied_twice(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      // expected-error @+1 {{'moe.dispatch' op has rows that no experts have worked on as its input, expected one row a token, as it came}}
      %b2, %m2 = moe.dispatch %b by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b2 counts %m2 weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @crossed(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  // expected-note @+1 {{they are sent out here}}
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  %r1 = moe.route %logits <k = 1, score = softmax> layer 1 placed #placement : (tensor<4x2xf32>) -> !routing
  %u, %ul = nop.multicast %x by %r1 from 0 via root layer 1 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %p = nop.local(%u, %ul, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 1 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 1 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 1 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.reduce' op of MoE layer 1 brings back rows of layer 0}}
  %z = nop.reduce %o by %r1 to 0 via root layer 1 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @two_exchanges(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  // expected-note @+1 {{one is here}}
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %r1 = moe.route %logits <k = 1, score = softmax> layer 1 placed #placement : (tensor<4x2xf32>) -> !routing
  // expected-note @+1 {{the other is here}}
  %u, %ul = nop.multicast %x by %r1 from 0 via root layer 1 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %ul, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      // expected-error @+1 {{'moe.dispatch' op takes values of two exchanges for one}}
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  %z = nop.reduce %u by %r1 to 0 via root layer 1 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @local_layer(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      // expected-error @+1 {{'moe.experts' op is in MoE layer 3, but its rows are of layer 0}}
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 3 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @not_combined(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tc = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !counts)
  %o = nop.local(%t, %tc, %s) : (!tokens, !counts, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %n: tensor<?xindex>, %v: tensor<?x8x8xf32>):
      %d = moe.experts %a counts %n weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  // expected-error @+1 {{'nop.gather' op brings back rows of MoE layer 0, which nothing combines}}
  %g = nop.gather %o by %r to 0 layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @combined_as_another(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tc = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !counts)
  %o = nop.local(%t, %tc, %s) : (!tokens, !counts, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %n: tensor<?xindex>, %v: tensor<?x8x8xf32>):
      %d = moe.experts %a counts %n weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %g = nop.gather %o by %r to 0 layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // expected-error @+1 {{'moe.combine' op combines rows of MoE layer 0 as if they were of another layer or routing}}
  %y = moe.combine %g by %r layer 1 : (tensor<4x8xf32>, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @gathered_for_another(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tc = nop.scatter %x by %r from 0 layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !counts)
  %o = nop.local(%t, %tc, %s) : (!tokens, !counts, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %n: tensor<?xindex>, %v: tensor<?x8x8xf32>):
      %d = moe.experts %a counts %n weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %g = nop.gather %o by %r to 0 layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // expected-error @+1 {{undecided: what this does to gathered rows of MoE layer 0}}
  %h = arith.negf %g : tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @through_another_op(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      // expected-error @+1 {{undecided: what this does to rows or weights of MoE layer 0}}
      %e = arith.negf %c : tensor<4x8xf32>
      %d = moe.combine %e by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @unknown_weights(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  // expected-error @+3 {{undecided: what this does to rows or weights of MoE layer 0}}
  %q = nop.local(%s) : (!shard) -> !shard {
    ^bb0(%v: tensor<?x8x8xf32>):
      %u = arith.negf %v : tensor<?x8x8xf32>
      nop.yield %u : tensor<?x8x8xf32>
  }
  %o = nop.local(%t, %tl, %q) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @gap(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op is of MoE layer 1, but there is no layer 0; expected layers to be counted from 0}}
  %r = moe.route %logits <k = 1, score = softmax> layer 1 placed #placement : (tensor<4x2xf32>) -> !routing
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @no_route(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // expected-error @+1 {{'nop.multicast' op is of MoE layer 1, which has no moe.route}}
  %u, %ul = nop.multicast %x by %r from 0 via root layer 1 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @two_routes(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-note @+1 {{the first is here}}
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  // expected-error @+1 {{'moe.route' op is the second of MoE layer 0, expected one}}
  %q = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  return
}

// -----

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

#placement = #moe.placement<@pair, [2, 3]>
!routing = !moe.routing<4x1 of 2, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [2, 3]>
!local = !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>
!counts = !nop.distributed<tensor<?xindex>, [2, 3]>
!shard = !nop.distributed<tensor<?x8x8xf32>, [2, 3]>

func.func @tokens(%x: tensor<4x8xf32>, %logits: tensor<4x2xf32>, %w: tensor<2x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 3, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op routes 4 tokens, but 'moe.model' says that a micro-batch has 12}}
  %r = moe.route %logits <k = 1, score = softmax> layer 0 placed #placement : (tensor<4x2xf32>) -> !routing
  %s = nop.shard %w placed #placement : tensor<2x8x8xf32> -> !shard
  %t, %tl = nop.multicast %x by %r from 0 via root layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %o = nop.local(%t, %tl, %s) : (!tokens, !local, !shard) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x1 of ?, f32, local>, %v: tensor<?x8x8xf32>):
      %b, %m = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> (tensor<4x8xf32>, tensor<?xindex>)
      %c = moe.experts %b counts %m weights(%v, %v) <activation = gelu> layer 0 : (tensor<4x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<4x8xf32>
      %d = moe.combine %c by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x1 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %d : tensor<4x8xf32>
  }
  %y = nop.reduce %o by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return
}
