// RUN: mozart-opt %s --wafer-load-machine=machine=toy --mozart-verify-placed --split-input-file --verify-diagnostics

func.func @unplaced(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.experts' op of MoE layer 0 is not placed}}
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @differing(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-note @+1 {{placement #moe.placement<@toy, [2, 3, 3]>}}
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@toy, [2, 3, 3]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 has placement #moe.placement<@toy, [2, 2, 3]>, expected that of the other ops of the layer}}
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@toy, [2, 2, 3]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_machine(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op names machine 'big', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@big, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@big, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@big, [2, 3, 3]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@big, [2, 3, 3]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @two_machines(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@toy, [2, 3, 3]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'moe.route' op of MoE layer 1 is placed on machine @big, but layer 0 on @toy; expected one machine}}
  %r1 = moe.route %logits <k = 2, score = softmax> layer 1 placed <@big, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a1, %n1 = moe.dispatch %x by %r1 layer 1 placed <@big, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b1 = moe.experts %a1 counts %n1 weights(%w, %w) <activation = gelu> layer 1 placed <@big, [2, 3, 3]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y1 = moe.combine %b1 by %r1 layer 1 placed <@big, [2, 3, 3]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @on_the_root(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op places experts on node 0 ('root') of machine 'toy', which does not host experts}}
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 0]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 0]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@toy, [2, 3, 0]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@toy, [2, 3, 0]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_such_node(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op places experts on node 7, but machine 'toy' has nodes 0 to 6}}
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 7]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 7]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@toy, [2, 3, 7]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y0 = moe.combine %b0 by %r0 layer 0 placed <@toy, [2, 3, 7]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_model(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op is in MoE layer 0, which has no 'moe.combine', expected one}}
  %r0 = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a0, %n0 = moe.dispatch %x by %r0 layer 0 placed <@toy, [2, 3, 3]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b0 = moe.experts %a0 counts %n0 weights(%w, %w) <activation = gelu> layer 0 placed <@toy, [2, 3, 3]>
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  return
}
