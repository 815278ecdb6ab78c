// RUN: mozart-opt %s --split-input-file --verify-diagnostics -o /dev/null
//===----------------------------------------------------------------------===//
// Distributed type
//===----------------------------------------------------------------------===//

// expected-error @+1 {{a node holds '!moe.routing<4x2 of 3, f32>', expected a local routing}}
func.func private @f(!nop.distributed<!moe.routing<4x2 of 3, f32>, [2, 3]>)

// -----

// expected-error @+1 {{a node holds '!moe.routing<1x1 of 1, bf16>', expected a local routing}}
func.func private @f(!nop.distributed<!moe.routing<1x1 of 1, bf16>, [0]>)

// -----

// expected-error @+1 {{a node holds '!moe.routing<?x2 of ?, f32, local>', expected a known number of tokens}}
func.func private @f(!nop.distributed<!moe.routing<?x2 of ?, f32, local>, [2, 3]>)

// -----

// expected-error @+1 {{a node holds '!moe.routing<?x1 of 2, f32, local>', expected a known number of tokens}}
func.func private @f(!nop.distributed<!moe.routing<?x1 of 2, f32, local>, [2, 3]>)

// -----

// expected-error @+1 {{a node holds 'f32', expected a ranked tensor or a local routing}}
func.func private @f(!nop.distributed<f32, [2, 3]>)

// -----

// expected-error @+1 {{a node holds 'tensor<*xf32>', expected a ranked tensor or a local routing}}
func.func private @f(!nop.distributed<tensor<*xf32>, [2, 3]>)

// -----

// expected-error @+1 {{is on no node, expected at least one}}
func.func private @f(!nop.distributed<tensor<4x8xf32>, []>)

// -----

// expected-error @+1 {{is on no node, expected at least one}}
func.func private @f(!nop.distributed<!moe.routing<4x2 of ?, f32, local>, []>)

// -----

// expected-error @+1 {{lists node -1 at position 0, expected distinct indices in ascending order}}
func.func private @f(!nop.distributed<tensor<4x8xf32>, [-1, 2]>)

// -----

// expected-error @+1 {{lists node 2 at position 1, expected distinct indices in ascending order}}
func.func private @f(!nop.distributed<tensor<4x8xf32>, [3, 2]>)

// -----

// expected-error @+1 {{lists node 3 at position 2, expected distinct indices in ascending order}}
func.func private @f(!nop.distributed<tensor<4x8xf32>, [2, 3, 3]>)

// -----

//===----------------------------------------------------------------------===//
// nop.shard
//===----------------------------------------------------------------------===//

func.func @f(%w: tensor<4x8x16xf32>) {
  // expected-error @+1 {{has input 'tensor<4x8x16xf32>', expected a leading axis of 3 experts as in the placement}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<4x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<f32>) {
  // expected-error @+1 {{has input 'tensor<f32>', expected a leading axis of 3 experts as in the placement}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<f32> -> !nop.distributed<tensor<?xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<?x8xf32>) {
  // expected-error @+1 {{has input 'tensor<?x8xf32>', expected a leading axis of 3 experts as in the placement}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<?x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<3x?x16xf32>) {
  // expected-error @+1 {{has input 'tensor<3x?x16xf32>', expected known extents; '?' of a distributed value counts experts}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x?x16xf32> -> !nop.distributed<tensor<?x?x16xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<3x8x?xf32>) {
  // expected-error @+1 {{has input 'tensor<3x8x?xf32>', expected known extents; '?' of a distributed value counts experts}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x?xf32> -> !nop.distributed<tensor<?x8x?xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{result is '!nop.distributed<tensor<?x8x16xf32>, [2, 3, 4]>', expected '!nop.distributed<tensor<?x8x16xf32>, [2, 3]>'}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3, 4]>
  return
}

// -----

func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{result is '!nop.distributed<tensor<2x8x16xf32>, [2, 3]>', expected '!nop.distributed<tensor<?x8x16xf32>, [2, 3]>'}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<2x8x16xf32>, [2, 3]>
  return
}

// -----

func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{result is '!nop.distributed<tensor<?x8x16xf16>, [2, 3]>', expected '!nop.distributed<tensor<?x8x16xf32>, [2, 3]>'}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf16>, [2, 3]>
  return
}

// -----

//===----------------------------------------------------------------------===//
// All exchanges
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32, local>) {
  // expected-error @+1 {{'nop.scatter' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing of a known number of tokens}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32, local>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<?x2 of 3, f32>) {
  // expected-error @+1 {{'nop.scatter' op is routed by '!moe.routing<?x2 of 3, f32>', expected a global routing of a known number of tokens}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<?x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.scatter' op has a placement of 4 experts, expected 3}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3, 2]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.scatter' op has a placement of 2 experts, expected 3}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.scatter' op is in MoE layer -1, expected at least 0}}
  %0, %1 = nop.scatter %x by %r from 0 layer -1 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.scatter' op is in MoE layer -16, expected at least 0}}
  %0, %1 = nop.scatter %x by %r from 0 layer -16 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32, local>) {
  // expected-error @+1 {{'nop.multicast' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing of a known number of tokens}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32, local>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<?x2 of 3, f32>) {
  // expected-error @+1 {{'nop.multicast' op is routed by '!moe.routing<?x2 of 3, f32>', expected a global routing of a known number of tokens}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<?x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.multicast' op has a placement of 4 experts, expected 3}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3, 2]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.multicast' op has a placement of 2 experts, expected 3}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.multicast' op is in MoE layer -1, expected at least 0}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer -1 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.multicast' op is in MoE layer -16, expected at least 0}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer -16 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32, local>) {
  // expected-error @+1 {{'nop.gather' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing of a known number of tokens}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32, local>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<?x2 of 3, f32>) {
  // expected-error @+1 {{'nop.gather' op is routed by '!moe.routing<?x2 of 3, f32>', expected a global routing of a known number of tokens}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<?x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.gather' op has a placement of 4 experts, expected 3}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3, 2]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.gather' op has a placement of 2 experts, expected 3}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.gather' op is in MoE layer -1, expected at least 0}}
  %0 = nop.gather %x by %r to 0 layer -1 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.gather' op is in MoE layer -16, expected at least 0}}
  %0 = nop.gather %x by %r to 0 layer -16 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32, local>) {
  // expected-error @+1 {{'nop.reduce' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing of a known number of tokens}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32, local>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<?x2 of 3, f32>) {
  // expected-error @+1 {{'nop.reduce' op is routed by '!moe.routing<?x2 of 3, f32>', expected a global routing of a known number of tokens}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<?x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.reduce' op has a placement of 4 experts, expected 3}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3, 2]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.reduce' op has a placement of 2 experts, expected 3}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.reduce' op is in MoE layer -1, expected at least 0}}
  %0 = nop.reduce %x by %r to 0 via root layer -1 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{'nop.reduce' op is in MoE layer -16, expected at least 0}}
  %0 = nop.reduce %x by %r to 0 via root layer -16 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// nop.scatter
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<5x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is 'tensor<5x8xf32>', expected 4 rows of a known width}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<5x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is 'tensor<?x8xf32>', expected 4 rows of a known width}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<?x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x?xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is 'tensor<4x?xf32>', expected 4 rows of a known width}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x?xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x?xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<9223372036854775807x8xf32>, %r: !moe.routing<9223372036854775807x2 of 3, f32>) {
  // expected-error @+1 {{has more rows than fit in 63 bits}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<9223372036854775807x8xf32>, !moe.routing<9223372036854775807x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4611686018427387904x1xbf16>, %r: !moe.routing<4611686018427387904x2 of 3, f32>) {
  // expected-error @+1 {{has more rows than fit in 63 bits}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4611686018427387904x1xbf16>, !moe.routing<4611686018427387904x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<4x8xf32>, [2, 3]>', expected '!nop.distributed<tensor<8x8xf32>, [2, 3]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<8x8xf32>, [2]>', expected '!nop.distributed<tensor<8x8xf32>, [2, 3]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<8x8xf16>, [2, 3]>', expected '!nop.distributed<tensor<8x8xf32>, [2, 3]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf16>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<8x8xf32>, [2, 3, 4]>', expected '!nop.distributed<tensor<4x8xf32>, [2, 3, 4]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 4]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3, 4]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{counts is '!nop.distributed<tensor<3xindex>, [2, 3]>', expected '!nop.distributed<tensor<?xindex>, [2, 3]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<3xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{counts is '!nop.distributed<tensor<?xi32>, [2, 3]>', expected '!nop.distributed<tensor<?xindex>, [2, 3]>'}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xi32>, [2, 3]>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// nop.multicast
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<3x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is 'tensor<3x8xf32>', expected 4 rows of a known width}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<3x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x?xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is 'tensor<4x?xf32>', expected 4 rows of a known width}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x?xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x?xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<8x8xf32>, [2, 3]>', expected '!nop.distributed<tensor<4x8xf32>, [2, 3]>'}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{rows is '!nop.distributed<tensor<4x8xf32>, [0, 2, 3]>', expected '!nop.distributed<tensor<4x8xf32>, [2, 3]>'}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [0, 2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{local routing is '!nop.distributed<!moe.routing<4x2 of 2, f32, local>, [2, 3]>', expected '!nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>'}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of 2, f32, local>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{local routing is '!nop.distributed<tensor<?xindex>, [2, 3]>', expected '!nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>'}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{local routing is '!nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>', expected}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x1 of ?, f32, local>, [2, 3]>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// nop.gather
//===----------------------------------------------------------------------===//

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<9223372036854775807x2 of 3, f32>) {
  // expected-error @+1 {{has more rows than fit in 63 bits}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<9223372036854775807x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4611686018427387904x2 of 3, f32>) {
  // expected-error @+1 {{has more rows than fit in 63 bits}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 4]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4611686018427387904x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{result is 'tensor<4x8xf32>', expected 8 rows of a known width}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x?xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{result is 'tensor<8x?xf32>', expected 8 rows of a known width}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x?xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x?xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is '!nop.distributed<tensor<4x8xf32>, [2, 3]>', expected '!nop.distributed<tensor<8x8xf32>, [2, 3]>'}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2, 4]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is '!nop.distributed<tensor<8x8xf32>, [2, 4]>', expected '!nop.distributed<tensor<8x8xf32>, [2, 3]>'}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<8x8xf32>, [2, 4]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// nop.reduce
//===----------------------------------------------------------------------===//

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{result is 'tensor<8x8xf32>', expected 4 rows of a known width}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x?xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{result is 'tensor<4x?xf32>', expected 4 rows of a known width}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x?xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x16xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is '!nop.distributed<tensor<4x16xf32>, [2, 3]>', expected '!nop.distributed<tensor<4x8xf32>, [2, 3]>'}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x16xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{input is '!nop.distributed<tensor<4x8xf32>, [3]>', expected '!nop.distributed<tensor<4x8xf32>, [2, 3]>'}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// nop.local
//===----------------------------------------------------------------------===//

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has no inputs, expected at least one}}
  nop.local() : () -> () {
  ^bb0:
    nop.yield
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has no inputs, expected at least one}}
  %0 = nop.local() : () -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a body with 0 arguments, expected one for each of 1 inputs}}
  nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> () {
  ^bb0:
    nop.yield
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a body with 2 arguments, expected one for each of 1 inputs}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>, %d: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has inputs on different nodes: '!nop.distributed<tensor<4x8xf32>, [2]>' and '!nop.distributed<tensor<4x8xf32>, [2, 3]>'}}
  %0 = nop.local(%a, %c) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<4x8xf32>, [2]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>, %d: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has inputs on different nodes: '!nop.distributed<tensor<4x8xf32>, [2, 3]>' and '!nop.distributed<tensor<4x8xf32>, [2]>'}}
  %0 = nop.local(%c, %a) : (!nop.distributed<tensor<4x8xf32>, [2]>, !nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>, %d: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a body argument of type 'tensor<8x8xf32>' for an input of type '!nop.distributed<tensor<4x8xf32>, [2, 3]>', expected 'tensor<4x8xf32>'}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<8x8xf32>):
    nop.yield %b : tensor<8x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a body argument of type '!nop.distributed<tensor<4x8xf32>, [2, 3]>' for an input}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: !nop.distributed<tensor<4x8xf32>, [2, 3]>):
    nop.yield %b : !nop.distributed<tensor<4x8xf32>, [2, 3]>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{yields 0 values, expected 1}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>):
    nop.yield
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{yields 2 values, expected 1}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>):
    nop.yield %b, %b : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a result of type '!nop.distributed<tensor<8x8xf32>, [2, 3]>' for a yielded 'tensor<4x8xf32>', expected the same contents on the nodes of its inputs}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<8x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x8xf32>, [2]>) {
  // expected-error @+1 {{has a result of type '!nop.distributed<tensor<4x8xf32>, [3]>' for a yielded 'tensor<4x8xf32>', expected the same contents on the nodes of its inputs}}
  %0 = nop.local(%a) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [3]> {
  ^bb0(%b: tensor<4x8xf32>):
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<3x8xf32>, [2, 3]>) {
  %0 = nop.local(%a, %c) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<3x8xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>, %d: tensor<3x8xf32>):
    // expected-error @+1 {{'nop.shard' op is inside nop.local, expected it outside: a node alone exchanges nothing}}
    %1 = nop.shard %d placed <@pair, [2, 3, 3]> : tensor<3x8xf32> -> !nop.distributed<tensor<?x8xf32>, [2, 3]>
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %c: !nop.distributed<tensor<4x3xf32>, [2, 3]>) {
  %0 = nop.local(%a, %c) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<tensor<4x3xf32>, [2, 3]>) -> !nop.distributed<tensor<4x8xf32>, [2, 3]> {
  ^bb0(%b: tensor<4x8xf32>, %d: tensor<4x3xf32>):
    %r = moe.route %d <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
    // expected-error @+1 {{'nop.multicast' op is inside nop.local, expected it outside: a node alone exchanges nothing}}
    %1, %2 = nop.multicast %b by %r from 0 via root layer 0 placed <@pair, [2, 3, 3]>
        : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
    nop.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>) {
  // expected-error @+1 {{'nop.local' op expects a non-empty block}}
  "nop.local"(%a) ({
  ^bb0:
  }) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> ()
  return
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>) {
  // expected-error @+2 {{'nop.local' op expects regions to end with 'nop.yield', found 'llvm.unreachable'}}
  // expected-note @+1 {{in custom textual format, the absence of terminator implies 'nop.yield'}}
  "nop.local"(%a) ({
  ^bb0(%b: tensor<4x8xf32>):
    "llvm.unreachable"() : () -> ()
  }) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'nop.yield' op expects parent op 'nop.local'}}
  nop.yield
}

// -----

func.func @f(%a: !nop.distributed<tensor<4x8xf32>, [2, 3]>) {
  // expected-error @+1 {{'nop.local' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  "nop.local"(%a) ({
  }) : (!nop.distributed<tensor<4x8xf32>, [2, 3]>) -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// The machine of a placement
//===----------------------------------------------------------------------===//

func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{names machine 'pair', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  %0, %1 = nop.scatter %x by %r from 0 layer 0 placed <@pair, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2, 3]>, !nop.distributed<tensor<?xindex>, [2, 3]>)
  return
}

// -----

func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{names machine 'pair', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{names machine 'f', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  %0, %1 = nop.multicast %x by %r from 0 via switch layer 0 placed <@f, [2, 3, 3]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2, 3]>)
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{has its root on node 3, but machine 'pair' has nodes 0 to 2}}
  %0, %1 = nop.multicast %x by %r from 3 via switch layer 0 placed <@pair, [2, 2, 2]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<4x8xf32>, [2]>, !nop.distributed<!moe.routing<4x2 of ?, f32, local>, [2]>)
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [2]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{has its root on node -1, but machine 'pair' has nodes 0 to 2}}
  %0 = nop.gather %x by %r to -1 layer 0 placed <@pair, [2, 2, 2]>
      : (!nop.distributed<tensor<8x8xf32>, [2]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{has its root on node 1 ('switch') of machine 'pair', which does not host attention}}
  %0, %1 = nop.scatter %x by %r from 1 layer 0 placed <@pair, [2, 2, 2]>
      : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (!nop.distributed<tensor<8x8xf32>, [2]>, !nop.distributed<tensor<?xindex>, [2]>)
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{has its root on node 2 ('c0') of machine 'pair', which does not host attention}}
  %0 = nop.reduce %x by %r to 2 via root layer 0 placed <@pair, [2, 2, 2]>
      : (!nop.distributed<tensor<4x8xf32>, [2]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: !nop.distributed<tensor<4x8xf32>, [2, 3]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{places experts on node 3, but machine 'pair' has nodes 0 to 2}}
  %0 = nop.reduce %x by %r to 0 via root layer 0 placed <@pair, [2, 3, 3]>
      : (!nop.distributed<tensor<4x8xf32>, [2, 3]>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{places experts on node 3, but machine 'pair' has nodes 0 to 2}}
  %0 = nop.shard %w placed <@pair, [2, 3, 3]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [2, 3]>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%w: tensor<3x8x16xf32>) {
  // expected-error @+1 {{places experts on node 0 ('root') of machine 'pair', which does not host experts}}
  %0 = nop.shard %w placed <@pair, [0, 2, 2]> : tensor<3x8x16xf32> -> !nop.distributed<tensor<?x8x16xf32>, [0, 2]>
  return
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
  wafer.link @root -> @switch <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @switch -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @switch <wires = 8, wire_bytes_per_second = 125000000>
}
func.func @f(%x: !nop.distributed<tensor<8x8xf32>, [1, 2]>, %r: !moe.routing<4x2 of 3, f32>) {
  // expected-error @+1 {{places experts on node 1 ('switch') of machine 'pair', which does not host experts}}
  %0 = nop.gather %x by %r to 0 layer 0 placed <@pair, [2, 1, 1]>
      : (!nop.distributed<tensor<8x8xf32>, [1, 2]>, !moe.routing<4x2 of 3, f32>) -> tensor<8x8xf32>
  return
}
