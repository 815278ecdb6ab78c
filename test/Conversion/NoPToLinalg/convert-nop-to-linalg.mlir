// RUN: mozart-opt %s --convert-nop-to-linalg --canonicalize --cse --verify-roundtrip | FileCheck %s

// That the loops move the right rows is for the tests that run them; here: what becomes
// of types, bodies and orders.

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#switching = #wafer.switching<buffer_bytes = 4096, multicast_bytes_per_second = 2000000000, reduce_bytes_per_second = 2000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
// Nodes: 0 root; 1 a chiplet of its own; 2 and 3 switches; 4 and 5 chiplets below switch 3,
// 6 one below switch 2.
wafer.machine @tree tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.switch @s0 #switching
  wafer.switch @s1 #switching
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c2 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c3 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @c0 #wires
  wafer.link @c0 -> @root #wires
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @root -> @s1 #wires
  wafer.link @s1 -> @root #wires
  wafer.link @s1 -> @c1 #wires
  wafer.link @c1 -> @s1 #wires
  wafer.link @s1 -> @c2 #wires
  wafer.link @c2 -> @s1 #wires
  wafer.link @s0 -> @c3 #wires
  wafer.link @c3 -> @s0 #wires
}

!routing = !moe.routing<4x2 of 5, f32>
!tokens = !nop.distributed<tensor<4x8xf32>, [1, 4, 5, 6]>
!local = !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [1, 4, 5, 6]>
#placement = #moe.placement<@tree, [4, 1, 4, 5, 6]>

// Experts 0, 2 and 3 of 5 on node 4: one slice of one, one of two neighbours.
// CHECK-LABEL: func.func @shard(
// CHECK-SAME: %[[W:.+]]: tensor<5x8x2xf32>
func.func @shard(%w: tensor<5x8x2xf32>, %x: tensor<4x8xf32>, %r: !routing) -> tensor<8x2xf32> {
  // CHECK: %[[W1:.+]] = tensor.extract_slice %[[W]][1, 0, 0] [1, 8, 2]
  // CHECK: %[[EMPTY:.+]] = tensor.empty() : tensor<3x8x2xf32>
  // CHECK: %[[A:.+]] = tensor.extract_slice %[[W]][0, 0, 0] [1, 8, 2]
  // CHECK: %[[B:.+]] = tensor.insert_slice %[[A]] into %[[EMPTY]][0, 0, 0] [1, 8, 2]
  // CHECK: %[[C:.+]] = tensor.extract_slice %[[W]][2, 0, 0] [2, 8, 2]
  // CHECK: %[[W4:.+]] = tensor.insert_slice %[[C]] into %[[B]][1, 0, 0] [2, 8, 2]
  // CHECK: %[[W6:.+]] = tensor.extract_slice %[[W]][4, 0, 0] [1, 8, 2]
  %s = nop.shard %w placed <@tree, [4, 1, 4, 4, 6]> : tensor<5x8x2xf32> -> !nop.distributed<tensor<?x8x2xf32>, [1, 4, 6]>
  // CHECK: %[[R4:.+]]:3 = scf.for {{.+}} -> (tensor<8x8xf32>, tensor<3xindex>, index)
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@tree, [4, 1, 4, 4, 6]>
      : (tensor<4x8xf32>, !routing) -> (!nop.distributed<tensor<8x8xf32>, [1, 4, 6]>, !nop.distributed<tensor<?xindex>, [1, 4, 6]>)
  %out = nop.local(%rows, %counts, %s) : (!nop.distributed<tensor<8x8xf32>, [1, 4, 6]>, !nop.distributed<tensor<?xindex>, [1, 4, 6]>, !nop.distributed<tensor<?x8x2xf32>, [1, 4, 6]>)
      -> !nop.distributed<tensor<8x2xf32>, [1, 4, 6]> {
    ^bb0(%a: tensor<8x8xf32>, %n: tensor<?xindex>, %lw: tensor<?x8x2xf32>):
      // The body of an expert counts rows, not experts, with its '?'.
      // CHECK: moe.custom_experts "project" {{.+}} weights(%[[W1]]) layer 0 : (tensor<8x8xf32>, tensor<1xindex>, tensor<1x8x2xf32>) -> tensor<8x2xf32> {
      // CHECK-NEXT: ^bb0(%{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<8x2xf32>):
      // CHECK: moe.custom_experts "project" %[[R4]]#0 counts %[[R4]]#1 weights(%[[W4]]) layer 0 : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x2xf32>) -> tensor<8x2xf32> {
      // CHECK: moe.custom_experts "project" {{.+}} weights(%[[W6]])
      %c = moe.custom_experts "project" %a counts %n weights(%lw) layer 0 : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x2xf32>) -> tensor<8x2xf32> {
        ^bb0(%b: tensor<?x8xf32>, %v: tensor<8x2xf32>):
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0.0 : f32
          %m = tensor.dim %b, %c0 : tensor<?x8xf32>
          %e = tensor.empty(%m) : tensor<?x2xf32>
          %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
          %g = linalg.matmul ins(%b, %v : tensor<?x8xf32>, tensor<8x2xf32>) outs(%f : tensor<?x2xf32>) -> tensor<?x2xf32>
          moe.yield %g : tensor<?x2xf32>
      }
      nop.yield %c : tensor<8x2xf32>
  }
  %back = nop.gather %out by %r to 0 layer 0 placed <@tree, [4, 1, 4, 4, 6]> : (!nop.distributed<tensor<8x2xf32>, [1, 4, 6]>, !routing) -> tensor<8x2xf32>
  return %back : tensor<8x2xf32>
}

// Of experts on several nodes, some row decides: first come tokens of experts on one
// node, then the two others in order, token by token; rows of a node are those of its
// pairs.
// CHECK-LABEL: func.func @replicas(
func.func @replicas(%x: tensor<4x8xf32>, %r: !routing) -> tensor<8x8xf32> {
  // CHECK-DAG: %[[SOLE:.+]] = arith.constant dense<[-1, 1, 4, -1, 4]> : tensor<5xi32>
  // CHECK-DAG: %[[EXPERTS:.+]] = arith.constant dense<[0, 3]> : tensor<2xi32>
  // CHECK-DAG: %[[NODES:.+]] = arith.constant dense<{{\[}}[1, 4, 6], [4, 6, -1]]> : tensor<2x3xi32>
  // CHECK: %[[FIRST:.+]] = scf.for {{.+}} -> (tensor<4x2xi32>)
  // CHECK: tensor.extract %[[SOLE]]
  // CHECK: %[[HOMES:.+]] = scf.for %[[TOKEN:[^ ]+]] = {{.+}} iter_args(%{{.+}} = %[[FIRST]]) -> (tensor<4x2xi32>)
  // CHECK: tensor.extract %[[EXPERTS]]
  // CHECK: tensor.extract %[[NODES]]
  // CHECK: arith.remui %[[TOKEN]],
  // CHECK: scf.for {{.+}} -> (tensor<8x8xf32>, tensor<2xindex>, index)
  // CHECK: tensor.extract %[[HOMES]]
  %rows, %counts = nop.scatter %x by %r from 0 layer 0 placed <@tree, [[1, 4, 6], 1, 4, [4, 6], 4]>
      : (tensor<4x8xf32>, !routing) -> (!nop.distributed<tensor<8x8xf32>, [1, 4, 6]>, !nop.distributed<tensor<?xindex>, [1, 4, 6]>)
  %back = nop.gather %rows by %r to 0 layer 0 placed <@tree, [[1, 4, 6], 1, 4, [4, 6], 4]>
      : (!nop.distributed<tensor<8x8xf32>, [1, 4, 6]>, !routing) -> tensor<8x8xf32>
  return %back : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @tokens(
func.func @tokens(%x: tensor<4x8xf32>, %r: !routing) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // Row, ids and weights of each token, and how many there are: of node 1 with one
  // expert, of node 4 with two.
  // CHECK: %[[M1:[0-9]+]]:4 = scf.for {{.+}} -> (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x2xf32>, index)
  // CHECK: %[[L1:.+]] = moe.pack %[[M1]]#1, %[[M1]]#2 : (tensor<4x2xi32>, tensor<4x2xf32>) -> !moe.routing<4x2 of 1, f32, local>
  // CHECK: %[[M4:[0-9]+]]:4 = scf.for {{.+}} -> (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x2xf32>, index)
  // CHECK: %[[L4:.+]] = moe.pack %[[M4]]#1, %[[M4]]#2 : (tensor<4x2xi32>, tensor<4x2xf32>) -> !moe.routing<4x2 of 2, f32, local>
  // CHECK: moe.pack {{.+}} of 1, f32, local>
  // CHECK: moe.pack {{.+}} of 1, f32, local>
  // CHECK: moe.dispatch %[[M1]]#0 by %[[L1]] layer 0 : {{.+}} -> (tensor<8x8xf32>, tensor<1xindex>)
  // CHECK: moe.dispatch %[[M4]]#0 by %[[L4]] layer 0 : {{.+}} -> (tensor<8x8xf32>, tensor<2xindex>)
  %rows, %local = nop.multicast %x by %r from 0 via switch layer 0 placed #placement : (tensor<4x8xf32>, !routing) -> (!tokens, !local)
  %out = nop.local(%rows, %local) : (!tokens, !local) -> !tokens {
    ^bb0(%a: tensor<4x8xf32>, %lr: !moe.routing<4x2 of ?, f32, local>):
      %b, %n = moe.dispatch %a by %lr layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> (tensor<8x8xf32>, tensor<?xindex>)
      %c = moe.combine %b by %lr layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of ?, f32, local>) -> tensor<4x8xf32>
      nop.yield %c : tensor<4x8xf32>
  }
  // In ascending order of nodes: ((1 + 4) + 5) + 6.
  // CHECK: %[[T1:[0-9]+]]:2 = scf.for {{.+}} -> (tensor<4x8xf32>, index)
  // CHECK: %[[T4:[0-9]+]]:2 = scf.for {{.+}} -> (tensor<4x8xf32>, index)
  // CHECK: %[[T5:[0-9]+]]:2 = scf.for {{.+}} -> (tensor<4x8xf32>, index)
  // CHECK: %[[T6:[0-9]+]]:2 = scf.for {{.+}} -> (tensor<4x8xf32>, index)
  // CHECK: %[[A:.+]] = linalg.add ins(%[[T1]]#0, %[[T4]]#0
  // CHECK: %[[B:.+]] = linalg.add ins(%[[A]], %[[T5]]#0
  // CHECK: %[[ROOT:.+]] = linalg.add ins(%[[B]], %[[T6]]#0
  %y = nop.reduce %out by %r to 0 via root layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  // Along the tree, children in declared order: (1 + 6) + (4 + 5). The loops are the
  // same as above.
  // CHECK: %[[C:.+]] = linalg.add ins(%[[T1]]#0, %[[T6]]#0
  // CHECK: %[[D:.+]] = linalg.add ins(%[[T4]]#0, %[[T5]]#0
  // CHECK: %[[TREE:.+]] = linalg.add ins(%[[C]], %[[D]]
  // CHECK: return %[[ROOT]], %[[TREE]]
  %z = nop.reduce %out by %r to 0 via switch layer 0 placed #placement : (!tokens, !routing) -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}
