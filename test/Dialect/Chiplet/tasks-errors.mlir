// RUN: mozart-opt %s --split-input-file --verify-diagnostics -o /dev/null

//===----------------------------------------------------------------------===//
// chiplet.compute
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has stage -1, expected at least 0}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0) stage -1
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has stage -2, expected at least 0}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0) stage -2
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{read is a '!chiplet.buffer<tensor<4x8xf32>, sram 2>', expected one in the SRAM of node 0}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{read is a '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected one in the SRAM of node 0}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, dram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{write is a '!chiplet.buffer<tensor<4x8xf32>, sram 0>', expected one in the SRAM of node 2}}
  %e = chiplet.compute "c" on 2 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, dram 2>
  // expected-error @+1 {{write is a '!chiplet.buffer<tensor<4x8xf32>, dram 2>', expected one in the SRAM of node 2}}
  %e = chiplet.compute "c" on 2 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, dram 2>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has a body with 0 arguments, expected one for each of 1 reads}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes()
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> () {
  ^bb0:
    chiplet.yield
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has a body with 2 arguments, expected one for each of 1 reads}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{read holds 'tensor<4x8xf32>', expected 'tensor<8x4xf32>'}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<8x4xf32>):
    chiplet.yield %a : tensor<8x4xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{read holds '!moe.routing<4x2 of 3, f32>', expected '!moe.routing<4x2 of 3, f32, local>'}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: !moe.routing<4x2 of 3, f32, local>):
    chiplet.yield %a : !moe.routing<4x2 of 3, f32, local>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{yields 0 values, expected one for each of 1 writes}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{yields 2 values, expected one for each of 1 writes}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a, %a : tensor<4x8xf32>, tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf16>, sram 0>
  // expected-error @+1 {{write holds 'tensor<4x8xf16>', expected 'tensor<4x8xf32>'}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf16>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{write holds '!moe.routing<4x2 of 3, f32>', expected 'tensor<4x8xf32>'}}
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @+1 {{'arith.addf' op is in a compute task but is not a kernel}}
    %b = arith.addf %a, %a : tensor<4x8xf32>
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %r0 = chiplet.alloc "r0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %e = chiplet.compute "c" on 0 reads(%r0) writes(%w0)
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 0>) {
  ^bb0(%a: tensor<4x8xf32>):
    // expected-error @+1 {{'tensor.empty' op is in a compute task but is not a kernel}}
    %b = tensor.empty() : tensor<4x8xf32>
    chiplet.yield %a : tensor<4x8xf32>
  }
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+1 {{'chiplet.compute' op expects a non-empty block}}
  "chiplet.compute"() <{name = "c", node = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0:
  }) : () -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  // expected-error @+2 {{'chiplet.compute' op expects regions to end with 'chiplet.yield', found 'llvm.unreachable'}}
  // expected-note @+1 {{in custom textual format, the absence of terminator implies 'chiplet.yield'}}
  "chiplet.compute"() <{name = "c", node = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "llvm.unreachable"() : () -> ()
  }) : () -> !chiplet.event
}

// -----

//===----------------------------------------------------------------------===//
// Both exchanges
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<1xindex>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<tensor<2xindex>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has form pairs via switch, expected via root (a switch can only copy or add tokens)}}
  %e = chiplet.dispatch "d" pairs via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<1xindex>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<2xindex>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<1xindex>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<tensor<2xindex>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has form pairs via switch, expected via root (a switch can only copy or add tokens)}}
  %e = chiplet.dispatch "d" pairs via switch from 0 layer 1 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<1xindex>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<2xindex>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<tensor<4x2xi32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op is routed by 'tensor<4x2xi32>', expected a global routing}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x2xi32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32, local>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32, local>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has a placement of 2 experts, expected 3}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op routing is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>', expected one in the SRAM of node 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op routing is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>', expected one in the SRAM of node 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has layer -1, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer -1 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has layer -9223372036854775807, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer -9223372036854775807 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has micro-batch -1, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch -1 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has micro-batch -9223372036854775807, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch -9223372036854775807 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has token -1, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token -1 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has token -9223372036854775807, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token -9223372036854775807 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has stage -1, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]> stage -1
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{'chiplet.dispatch' op has stage -9223372036854775807, expected at least 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]> stage -9223372036854775807
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<8x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has form pairs via switch, expected via root (a switch can only copy or add tokens)}}
  %e = chiplet.combine "c" pairs via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<8x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<8x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has form pairs via switch, expected via root (a switch can only copy or add tokens)}}
  %e = chiplet.combine "c" pairs via switch to 0 layer 1 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<8x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<tensor<4x2xi32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op is routed by 'tensor<4x2xi32>', expected a global routing}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<tensor<4x2xi32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32, local>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op is routed by '!moe.routing<4x2 of 3, f32, local>', expected a global routing}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32, local>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has a placement of 2 experts, expected 3}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op routing is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2>', expected one in the SRAM of node 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 2> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op routing is a '!chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0>', expected one in the SRAM of node 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, dram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has layer -1, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer -1 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has layer -9223372036854775807, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer -9223372036854775807 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has micro-batch -1, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch -1 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has micro-batch -9223372036854775807, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch -9223372036854775807 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has token -1, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token -1 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has token -9223372036854775807, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token -9223372036854775807 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has stage -1, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]> stage -1
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{'chiplet.combine' op has stage -9223372036854775807, expected at least 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]> stage -9223372036854775807
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.dispatch
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{has 0 values as its input, expected 1}}
  %e = "chiplet.dispatch"(%0, %1) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 0, 0, 2, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{has 2 values as its input, expected 1}}
  %e = "chiplet.dispatch"(%0, %1) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 2, 0, 0, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{has 0 values as its routing, expected 1}}
  %e = "chiplet.dispatch"(%0, %1) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %2 = chiplet.alloc "b2" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{has 2 values as its routing, expected 1}}
  %e = "chiplet.dispatch"(%0, %1, %2) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 1, 2, 0, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<5x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{sends 'tensor<5x8xf32>' by '!moe.routing<4x2 of 3, f32>', expected as many rows as tokens}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<5x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{sends 'tensor<4xf32>' by '!moe.routing<4x2 of 3, f32>', expected as many rows as tokens}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{sends '!moe.routing<4x2 of 3, f32>' by '!moe.routing<4x2 of 3, f32>', expected as many rows as tokens}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{input is a '!chiplet.buffer<tensor<4x8xf32>, sram 2>', expected one in the SRAM of node 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{input is a '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected one in the SRAM of node 0}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, dram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  // expected-error @+1 {{writes 2 buffers, expected two for each of 2 nodes}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  %w4 = chiplet.alloc "w4" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  // expected-error @+1 {{writes 5 buffers, expected two for each of 2 nodes}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3, %w4) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>, !chiplet.buffer<tensor<4x8xf32>, sram 2>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{rows is a '!chiplet.buffer<tensor<4x8xf32>, sram 3>', expected one in the SRAM of node 2}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{rows is a '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected one in the SRAM of node 3}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, dram 0>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x16xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has rows of 'tensor<4x16xf32>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x16xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xbf16>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has rows of 'tensor<4x8xbf16>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xbf16>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has rows of 'tensor<8xf32>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{has rows of '!moe.routing<4x2 of 1, f32, local>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 0>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{table is a '!chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 0>', expected one in the SRAM of node 2}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, dram 0>
  // expected-error @+1 {{table is a '!chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, dram 0>', expected one in the SRAM of node 3}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, dram 0>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{table holds '!moe.routing<4x2 of 2, f32, local>', expected '!moe.routing<4x2 of 1, f32, local>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<3x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>
  // expected-error @+1 {{table holds '!moe.routing<4x2 of 2, f32, local>', expected '!moe.routing<3x2 of 2, f32, local>'}}
  %e = chiplet.dispatch "d" tokens via switch from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<3x8xf32>, sram 3>, !chiplet.buffer<!moe.routing<4x2 of 2, f32, local>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<tensor<2xindex>, sram 3>
  // expected-error @+1 {{table holds '!moe.routing<4x2 of 1, f32, local>', expected 'tensor<1xindex>'}}
  %e = chiplet.dispatch "d" pairs via root from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 1, f32, local>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<2xindex>, sram 3>)
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %w0 = chiplet.alloc "w0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %w1 = chiplet.alloc "w1" : !chiplet.buffer<tensor<1xindex>, sram 2>
  %w2 = chiplet.alloc "w2" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %w3 = chiplet.alloc "w3" : !chiplet.buffer<tensor<3xindex>, sram 3>
  // expected-error @+1 {{table holds 'tensor<3xindex>', expected 'tensor<2xindex>'}}
  %e = chiplet.dispatch "d" pairs via root from 0 layer 0 micro_batch 0 token 0 %x by %r
      writes(%w0, %w1, %w2, %w3) placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<1xindex>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>, !chiplet.buffer<tensor<3xindex>, sram 3>)
}

// -----

//===----------------------------------------------------------------------===//
// chiplet.combine
//===----------------------------------------------------------------------===//

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has 0 values as its routing, expected 1}}
  %e = "chiplet.combine"(%0, %1) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %2 = chiplet.alloc "b2" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has 2 values as its routing, expected 1}}
  %e = "chiplet.combine"(%0, %1, %2) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 0, 2, 1, 0>}>
      : (!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{has 0 values as its output, expected 1}}
  %e = "chiplet.combine"(%0, %1) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %0 = chiplet.alloc "b0" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %1 = chiplet.alloc "b1" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  %2 = chiplet.alloc "b2" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has 2 values as its output, expected 1}}
  %e = "chiplet.combine"(%0, %1, %2) <{form = #chiplet<form tokens>, layer = 0 : i64, micro_batch = 0 : i64, name = "d", node = 0 : i64, placement = #moe.placement<@pair, [2, 3, 3]>, token_begin = 0 : i64, via = #chiplet<via root>, operandSegmentSizes = array<i32: 0, 1, 2, 0>}>
      : (!chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>, !chiplet.buffer<tensor<4x8xf32>, sram 0>) -> !chiplet.event
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  // expected-error @+1 {{output is a '!chiplet.buffer<tensor<4x8xf32>, sram 3>', expected one in the SRAM of node 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 3>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  // expected-error @+1 {{output is a '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected one in the SRAM of node 0}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, dram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<8x8xf32>, sram 0>
  // expected-error @+1 {{writes 'tensor<8x8xf32>', expected 4 rows}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<8x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<8x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{writes 'tensor<4x8xf32>', expected 8 rows}}
  %e = chiplet.combine "c" pairs via root to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<8x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4xf32>, sram 0>
  // expected-error @+1 {{writes 'tensor<4xf32>', expected 4 rows}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  // expected-error @+1 {{writes '!moe.routing<4x2 of 3, f32>', expected 4 rows}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{reads 1 buffers, expected one for each of 2 nodes}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %x2 = chiplet.alloc "x2" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{reads 3 buffers, expected one for each of 2 nodes}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1, %x2) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{rows is a '!chiplet.buffer<tensor<4x8xf32>, sram 3>', expected one in the SRAM of node 2}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 3>, !chiplet.buffer<tensor<4x8xf32>, sram 2>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, dram 0>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{rows is a '!chiplet.buffer<tensor<4x8xf32>, dram 0>', expected one in the SRAM of node 3}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, dram 0>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x16xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has rows of 'tensor<4x16xf32>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x16xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<4x8xf32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf16>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has rows of 'tensor<4x8xf16>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<4x8xf32>, sram 2>, !chiplet.buffer<tensor<4x8xf16>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}

// -----

chiplet.program @p on @pair <model = "m", moe_layers = 1, experts = 3, k = 2, tokens = 4, micro_batches = 1> preset "none" seed 0 {
  %x0 = chiplet.alloc "x0" : !chiplet.buffer<tensor<f32>, sram 2>
  %x1 = chiplet.alloc "x1" : !chiplet.buffer<tensor<4x8xf32>, sram 3>
  %r = chiplet.alloc "r" : !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0>
  %y = chiplet.alloc "y" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
  // expected-error @+1 {{has rows of 'tensor<f32>', expected a width and type as of 'tensor<4x8xf32>'}}
  %e = chiplet.combine "c" tokens via switch to 0 layer 0 micro_batch 0 token 0 (%x0, %x1) by %r
      writes %y placed <@pair, [2, 3, 3]>
      : (!chiplet.buffer<tensor<f32>, sram 2>, !chiplet.buffer<tensor<4x8xf32>, sram 3>) by !chiplet.buffer<!moe.routing<4x2 of 3, f32>, sram 0> -> !chiplet.buffer<tensor<4x8xf32>, sram 0>
}
