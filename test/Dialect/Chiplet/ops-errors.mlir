// RUN: mozart-opt %s --split-input-file --verify-diagnostics -o /dev/null

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

// expected-error @+1 {{has 0 tokens in each of 1 micro-batches, expected at least 1 of both}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 0, micro_batches = 1> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has 4 tokens in each of -2 micro-batches, expected at least 1 of both}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = -2> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has more tokens in a step than fit in 63 bits}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 9223372036854775807, micro_batches = 2> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has more tokens in a step than fit in 63 bits}}
chiplet.program @p on @pair <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4294967296, micro_batches = 2147483648> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has 0 MoE layers with k = 2 of 3 experts, expected at least one layer and 1 <= k <= experts (or zero of all three)}}
chiplet.program @p on @pair <model = "m", moe_layers = 0, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has 1 MoE layers with k = 4 of 3 experts, expected at least one layer and 1 <= k <= experts}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 4, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has 1 MoE layers with k = 0 of 3 experts, expected at least one layer and 1 <= k <= experts}}
chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 0, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

// expected-error @+1 {{has -1 MoE layers with k = 1 of 1 experts, expected at least one layer and 1 <= k <= experts}}
chiplet.program @p on @pair <model = "m", moe_layers = -1, experts = 1, k = 1, tokens = 4, micro_batches = 1> preset "none" seed 0 {
}

// -----

//===----------------------------------------------------------------------===//
// Buffer type
//===----------------------------------------------------------------------===//

// expected-error @+1 {{a buffer holds 'tensor<?x8xf32>', expected a tensor or routing of known size}}
func.func private @f(!chiplet.buffer<tensor<?x8xf32>, sram 0>)

// -----

// expected-error @+1 {{a buffer holds 'tensor<*xf32>', expected a tensor or routing of known size}}
func.func private @f(!chiplet.buffer<tensor<*xf32>, sram 0>)

// -----

// expected-error @+1 {{a buffer holds 'memref<4xf32>', expected a tensor or routing of known size}}
func.func private @f(!chiplet.buffer<memref<4xf32>, sram 0>)

// -----

// expected-error @+1 {{a buffer holds '!moe.routing<?x2 of 3, f32>', expected a tensor or routing of known size}}
func.func private @f(!chiplet.buffer<!moe.routing<?x2 of 3, f32>, sram 0>)

// -----

// expected-error @+1 {{a buffer holds '!moe.routing<4x2 of ?, f32, local>', expected a tensor or routing of known size}}
func.func private @f(!chiplet.buffer<!moe.routing<4x2 of ?, f32, local>, sram 0>)

// -----

// expected-error @+1 {{a buffer is in memory -1, expected an index of at least 0}}
func.func private @f(!chiplet.buffer<tensor<4x8xf32>, sram -1>)

// -----

// expected-error @+1 {{a buffer is in memory -2, expected an index of at least 0}}
func.func private @f(!chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram -2>)

// -----

// expected-error @+1 {{a buffer holds elements of type 'i7', expected f16, bf16, f32, f64, i1, i32 or index}}
func.func private @f(!chiplet.buffer<tensor<4xi7>, sram 0>)

// -----

// expected-error @+1 {{a buffer holds elements of type 'tf32', expected f16, bf16, f32, f64, i1, i32 or index}}
func.func private @f(!chiplet.buffer<!moe.routing<4x2 of 3, tf32>, sram 0>)

// -----

// expected-error @+1 {{a buffer of 'tensor<1152921504606846976xf16>' has more bytes than fit in 63 bits}}
func.func private @f(!chiplet.buffer<tensor<1152921504606846976xf16>, sram 0>)

// -----

// expected-error @+1 {{a buffer of 'tensor<4294967296x4294967296xf32>' has more bytes than fit in 63 bits}}
func.func private @f(!chiplet.buffer<tensor<4294967296x4294967296xf32>, sram 0>)

// -----

// expected-error @+1 {{a buffer of '!moe.routing<9223372036854775807x2 of 3, f32>' has more bytes than fit in 63 bits}}
func.func private @f(!chiplet.buffer<!moe.routing<9223372036854775807x2 of 3, f32>, sram 0>)

// -----

// expected-error @+1 {{a buffer of '!moe.routing<1x9223372036854775807 of 3, f32, local>' has more bytes than fit in 63 bits}}
func.func private @f(!chiplet.buffer<!moe.routing<1x9223372036854775807 of 3, f32, local>, sram 0>)

// -----

//===----------------------------------------------------------------------===//
// Parts of a program outside of one
//===----------------------------------------------------------------------===//

func.func @f() {
  // expected-error @+1 {{'chiplet.alloc' op expects parent op 'chiplet.program'}}
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'chiplet.input' op expects parent op 'chiplet.program'}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  return
}

// -----

func.func @f(%b: !chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  // expected-error @+1 {{'chiplet.view' op expects parent op 'chiplet.program'}}
  %0 = chiplet.view %b from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  return
}

// -----

func.func @f(%b: !chiplet.buffer<tensor<4x8xf32>, dram 0>) {
  // expected-error @+1 {{'chiplet.output' op expects parent op 'chiplet.program'}}
  chiplet.output %b result 0 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  return
}

// -----

func.func @f(%b: !chiplet.buffer<tensor<4x8xf32>, dram 0>, %c: !chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  // expected-error @+1 {{'chiplet.load' op expects parent op 'chiplet.program'}}
  %0 = chiplet.load "l" %b to %c by dma : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
  return
}

// -----

func.func @f(%b: !chiplet.buffer<tensor<4x8xf32>, sram 0>, %c: !chiplet.buffer<tensor<4x8xf32>, dram 0>) {
  // expected-error @+1 {{'chiplet.store' op expects parent op 'chiplet.program'}}
  %0 = chiplet.store "l" %b to %c by dma : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'chiplet.compute' op expects parent op 'chiplet.program'}}
  %0 = chiplet.compute "c" on 0 reads() writes() : () -> () {
  }
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'chiplet.yield' op expects parent op 'chiplet.compute'}}
  chiplet.yield
  return
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.alloc
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset -1, expected at least 0}}
  %0 = chiplet.alloc "x" at -1 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset -4096, expected at least 0}}
  %0 = chiplet.alloc "x" at -4096 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset 9223372036854775807, with which it ends past 63 bits}}
  %0 = chiplet.alloc "x" at 9223372036854775807 : !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset 9223372036854775744, with which it ends past 63 bits}}
  %0 = chiplet.alloc "x" at 9223372036854775744 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.input
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<4x8xf32>, sram 0>', expected a buffer in a DRAM}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{is a '!chiplet.buffer<tensor<f32>, sram 3>', expected a buffer in a DRAM}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<tensor<f32>, sram 3>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{holds '!moe.routing<4x2 of 3, f32>', expected a tensor}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{holds '!moe.routing<1x1 of 1, f16, local>', expected a tensor}}
  %0 = chiplet.input 0 "x" : !chiplet.buffer<!moe.routing<1x1 of 1, f16, local>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{holds 'tensor<4x8xf32>', expected a leading axis of 3 experts}}
  %0 = chiplet.input 0 "x" experts [0, 1, 2] : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{holds 'tensor<f32>', expected a leading axis of 1 experts}}
  %0 = chiplet.input 0 "x" experts [0] : !chiplet.buffer<tensor<f32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert -1, expected one from 0 to 2147483647}}
  %0 = chiplet.input 0 "x" experts [0, -1] : !chiplet.buffer<tensor<2x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert 2147483648, expected one from 0 to 2147483647}}
  %0 = chiplet.input 0 "x" experts [2147483648] : !chiplet.buffer<tensor<1x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert 1 twice}}
  %0 = chiplet.input 0 "x" experts [1, 1] : !chiplet.buffer<tensor<2x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{names expert 2 twice}}
  %0 = chiplet.input 0 "x" experts [2, 1, 2] : !chiplet.buffer<tensor<3x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has argument -1, expected one from 0 to 2147483647}}
  %0 = chiplet.input -1 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has argument 4294967296, expected one from 0 to 2147483647}}
  %0 = chiplet.input 4294967296 "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has micro-batch -1, expected at least 0}}
  %0 = chiplet.input 0 "x" micro_batch -1 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has micro-batch -4, expected at least 0}}
  %0 = chiplet.input 7 "x" micro_batch -4 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset -1, expected at least 0}}
  %0 = chiplet.input 0 "x" at -1 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{has offset 9223372036854775807, with which it ends past 63 bits}}
  %0 = chiplet.input 0 "x" at 9223372036854775807 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.view
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.view %0 from_row 1 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, sram 0>
  // expected-error @+1 {{is a view of a view; expected a view of the buffer}}
  %2 = chiplet.view %1 from_row 0 : !chiplet.buffer<tensor<2x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %1 = chiplet.view %0 from_row 2 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<!moe.routing<2x2 of 3, f32>, sram 0>
  // expected-error @+1 {{is a view of a view; expected a view of the buffer}}
  %2 = chiplet.view %1 from_row 1 : !chiplet.buffer<!moe.routing<2x2 of 3, f32>, sram 0> -> !chiplet.buffer<!moe.routing<1x2 of 3, f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows '!chiplet.buffer<tensor<4x8xf32>, sram 0>' as '!chiplet.buffer<tensor<2x8xf32>, sram 1>', expected the same memory}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, sram 1>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows '!chiplet.buffer<tensor<4x8xf32>, sram 0>' as '!chiplet.buffer<tensor<2x8xf32>, dram 0>', expected the same memory}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<f32>, sram 0>
  // expected-error @+1 {{shows rows of 'tensor<f32>', which has none; expected rank 1 or more}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<f32>, sram 0> -> !chiplet.buffer<tensor<f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<i32>, dram 0>
  // expected-error @+1 {{shows rows of 'tensor<i32>', which has none; expected rank 1 or more}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<i32>, dram 0> -> !chiplet.buffer<tensor<1xi32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 'tensor<4x8xf32>' as 'tensor<4x4xf32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x4xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 'tensor<4x8xf32>' as 'tensor<2x8xf16>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf16>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 'tensor<4x8xf32>' as 'tensor<f32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4xf32>, sram 0>
  // expected-error @+1 {{shows 'tensor<4xf32>' as 'tensor<4x1xf32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4xf32>, sram 0> -> !chiplet.buffer<tensor<4x1xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{shows '!moe.routing<4x2 of 3, f32>' as '!moe.routing<2x1 of 3, f32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<!moe.routing<2x1 of 3, f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{shows '!moe.routing<4x2 of 3, f32>' as 'tensor<2x2xf32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<2x2xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 'tensor<4x8xf32>' as '!moe.routing<4x2 of 3, f32>', expected a difference in rows alone}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 2 rows from row 3 on, but the buffer has 4}}
  %1 = chiplet.view %0 from_row 3 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 2 rows from row -1 on, but the buffer has 4}}
  %1 = chiplet.view %0 from_row -1 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<2x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{shows 5 rows from row 0 on, but the buffer has 4}}
  %1 = chiplet.view %0 from_row 0 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<5x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{shows 1 rows from row 9223372036854775807 on, but the buffer has 4}}
  %1 = chiplet.view %0 from_row 9223372036854775807 : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<!moe.routing<1x2 of 3, f32>, sram 0>
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.output
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has result -1, expected one from 0 to 2147483647}}
  chiplet.output %0 result -1 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has result 2147483648, expected one from 0 to 2147483647}}
  chiplet.output %0 result 2147483648 micro_batch 0 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has micro-batch -1, expected at least 0}}
  chiplet.output %0 result 0 micro_batch -1 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has micro-batch -7, expected at least 0}}
  chiplet.output %0 result 3 micro_batch -7 : !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.load and chiplet.store
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, sram 0>' to '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected from dram to sram}}
  %2 = chiplet.load "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, dram 0>' to '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected from dram to sram}}
  %2 = chiplet.load "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<8x4xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<8x4xf32>, dram 0>' to '!chiplet.buffer<tensor<4x8xf32>, sram 0>', expected the same contents}}
  %2 = chiplet.load "m" %0 to %1 by channel : !chiplet.buffer<tensor<8x4xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf16>, sram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, dram 0>' to '!chiplet.buffer<tensor<4x8xf16>, sram 0>', expected the same contents}}
  %2 = chiplet.load "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf16>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has stage -1, expected at least 0}}
  %2 = chiplet.load "m" %0 to %1 by channel stage -1 : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has stage -9, expected at least 0}}
  %2 = chiplet.load "m" %0 to %1 by channel stage -9 : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, dram 0>' to '!chiplet.buffer<tensor<4x8xf32>, sram 0>', expected from sram to dram}}
  %2 = chiplet.store "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, sram 0>' to '!chiplet.buffer<tensor<4x8xf32>, sram 0>', expected from sram to dram}}
  %2 = chiplet.store "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<8x4xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<8x4xf32>, sram 0>' to '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected the same contents}}
  %2 = chiplet.store "m" %0 to %1 by channel : !chiplet.buffer<tensor<8x4xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf16>, dram 0>
  // expected-error @+1 {{moves '!chiplet.buffer<tensor<4x8xf32>, sram 0>' to '!chiplet.buffer<tensor<4x8xf16>, dram 0>', expected the same contents}}
  %2 = chiplet.store "m" %0 to %1 by channel : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf16>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has stage -1, expected at least 0}}
  %2 = chiplet.store "m" %0 to %1 by channel stage -1 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{has stage -9, expected at least 0}}
  %2 = chiplet.store "m" %0 to %1 by channel stage -9 : !chiplet.buffer<tensor<4x8xf32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "a" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{'chiplet.load' op expected 2 or more operands, but found 1}}
  %1 = "chiplet.load"(%0) <{name = "m", mover = #chiplet<mover dma>}> : (!chiplet.buffer<tensor<4x8xf32>, dram 0>) -> !chiplet.event
}
