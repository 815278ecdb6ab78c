// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-moe-to-nop --split-input-file --verify-diagnostics

func.func @unplaced(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'moe.dispatch' op of MoE layer 0 is not placed; place the experts with moe-place-experts}}
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = moe.combine %rows by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @half_placed(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 5]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %rows, %counts = moe.dispatch %x by %r layer 0 placed <@toy, [2, 3, 5]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 is not placed}}
  %y = moe.combine %rows by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @differing(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>) -> tensor<4x8xf32> {
  // expected-note @+1 {{placement #moe.placement<@toy, [2, 3, 5]>}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 placed <@toy, [2, 3, 5]> : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  // expected-error @+1 {{'moe.dispatch' op of MoE layer 0 has placement #moe.placement<@toy, [2, 3, 6]>, expected that of the other ops of the layer}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed <@toy, [2, 3, 6]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = moe.combine %rows by %r layer 0 placed <@toy, [2, 3, 6]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @no_machine(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'moe.dispatch' op names machine 'big', but no wafer.machine of that name is in the module; load one with wafer-load-machine}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed <@big, [2, 3, 5]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = moe.combine %rows by %r layer 0 placed <@big, [2, 3, 5]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @on_a_switch(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'moe.dispatch' op places experts on node 4 ('s1') of machine 'toy', which does not host experts}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed <@toy, [2, 3, 4]> : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = moe.combine %rows by %r layer 0 placed <@toy, [2, 3, 4]> : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @other_use(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-note @+1 {{the rows of this dispatch are what is to be exchanged}}
  %rows, %counts = moe.dispatch %x by %r layer 2 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'arith.addf' op uses rows of MoE layer 2, but on chiplets only experts (moe.experts, moe.custom_experts) and moe.combine can}}
  %double = arith.addf %rows, %rows : tensor<8x8xf32>
  %y = moe.combine %double by %r layer 2 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @counts_leave(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<3xindex> {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'func.return' op uses the counts of MoE layer 0, which are on the chiplets; only experts can}}
  return %counts : tensor<3xindex>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @other_counts(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %n: tensor<3xindex>, %w: tensor<3x8x8xf32>) -> tensor<4x8xf32> {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.experts' op counts its rows by another value than the counts of their dispatch}}
  %h = moe.experts %rows counts %n weights(%w, %w) <activation = gelu> layer 0 placed #p
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %h by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @other_routing(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %s: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.combine' op combines by another routing than the rows were dispatched by}}
  %y = moe.combine %rows by %s layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @other_layer(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.combine' op is in MoE layer 1, but its rows are of layer 0}}
  %y = moe.combine %rows by %r layer 1 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @fork(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %w: tensor<3x8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0 placed #p
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'moe.combine' op combines rows that also go through 'moe.experts', expected combines only after the last experts}}
  %y = moe.combine %rows by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.combine %h by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @second_experts(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %w: tensor<3x8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.experts' op is the second op that computes on the same rows of MoE layer 0, expected experts one after another}}
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0 placed #p
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-note @+1 {{the first is here}}
  %g = moe.experts %rows counts %counts weights(%w, %w) <activation = relu> layer 0 placed #p
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %g by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %z = moe.combine %h by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @rows_from_nowhere(%rows: tensor<8x8xf32>, %r: !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'moe.combine' op has rows that do not come from a moe.dispatch by a global routing, so that where they are is unknown}}
  %y = moe.combine %rows by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

#p = #moe.placement<@toy, [2, 3, 5]>
func.func @other_block(%x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 3, f32>, %c: i1) -> tensor<4x8xf32> {
  // expected-note @+1 {{the rows of this dispatch}}
  %rows, %counts = moe.dispatch %x by %r layer 0 placed #p : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %y = scf.if %c -> tensor<4x8xf32> {
    // expected-error @+1 {{'moe.combine' op uses rows of MoE layer 0 in another block, expected the block of their dispatch}}
    %z = moe.combine %rows by %r layer 0 placed #p : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
    scf.yield %z : tensor<4x8xf32>
  } else {
    scf.yield %x : tensor<4x8xf32>
  }
  return %y : tensor<4x8xf32>
}
