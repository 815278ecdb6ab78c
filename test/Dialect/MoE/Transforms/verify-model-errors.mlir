// RUN: mozart-opt %s --mozart-verify-model --split-input-file --verify-diagnostics

// expected-error @+1 {{has no function with 'moe.model', expected one}}
module {
  func.func @unmarked() {
    return
  }
}

// -----

// expected-note @+1 {{the first is here}}
func.func @first(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {

  return
}

// expected-error @+1 {{is the second function with 'moe.model', expected one}}
func.func @second(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {

  return
}

// -----

func.func @two_routes(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-note @+1 {{the first is here}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  // expected-error @+1 {{'moe.route' op is the second in MoE layer 0, expected one}}
  %s = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  return
}

// -----

func.func @no_combine(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op is in MoE layer 0, which has no 'moe.combine', expected one}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @no_dispatch(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>, %rows: tensor<8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op is in MoE layer 0, which has no 'moe.dispatch', expected one}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %y = moe.combine %rows by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @tokens(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 2, sequence_length = 3, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op routes 4 tokens, but 'moe.model' says that a micro-batch has 6 (2 times 3)}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @other_routing(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>, %s: !moe.routing<4x2 of 3, f32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-note @+1 {{the layer is routed here}}
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  // expected-error @+1 {{'moe.dispatch' op of MoE layer 0 is by another routing than the layer's}}
  %a, %n = moe.dispatch %x by %s layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

// expected-note @+1 {{these rows are of another origin}}
func.func @other_rows(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>, %z: tensor<8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 combines rows that do not come from the layer's dispatch through its experts}}
  %y = moe.combine %z by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rows_of_another_layer(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-note @+1 {{these rows are of another origin}}
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 combines rows that do not come from the layer's dispatch through its experts}}
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  %r1 = moe.route %logits <k = 2, score = softmax> layer 1 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  return
}

// -----

func.func @other_op(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-note @+1 {{these rows are of another origin}}
  %b = arith.negf %a : tensor<8x8xf32>
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 combines rows that do not come from the layer's dispatch through its experts}}
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @other_counts(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>, %m: tensor<3xindex>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.experts' op of MoE layer 0 counts its rows by another value than the counts of the layer's dispatch}}
  %b = moe.experts %a counts %m weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @no_experts(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  // expected-error @+1 {{'moe.combine' op of MoE layer 0 combines rows that no experts have worked on}}
  %y = moe.combine %a by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @aside(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{'moe.experts' op of MoE layer 0 is not on the way from the layer's dispatch to its combine}}
  %c = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gap(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'moe.route' op is in MoE layer 1, but no op is in layer 0; expected layers to be counted from 0}}
  %r = moe.route %logits <k = 2, score = softmax> layer 1 : (tensor<4x3xf32>) -> !moe.routing<4x2 of 3, f32>
  %a, %n = moe.dispatch %x by %r layer 1 : (tensor<4x8xf32>, !moe.routing<4x2 of 3, f32>) -> (tensor<8x8xf32>, tensor<3xindex>)
  %b = moe.experts %a counts %n weights(%w, %w) <activation = gelu> layer 1
      : (tensor<8x8xf32>, tensor<3xindex>, tensor<3x8x8xf32>, tensor<3x8x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %b by %r layer 1 : (tensor<8x8xf32>, !moe.routing<4x2 of 3, f32>) -> tensor<4x8xf32>
  return
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
#wires = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.switch @s0 <buffer_bytes = 4096>
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
  wafer.link @s0 -> @c1 #wires
  wafer.link @c1 -> @s0 #wires
}

func.func @routed(%x: tensor<4x8xf32>, %logits: tensor<4x3xf32>, %w: tensor<3x8x8xf32>) attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  // expected-error @+1 {{'nop.shard' op is of dialect 'nop', which a model has only after its experts are placed and routed}}
  %s = nop.shard %w placed <@m, [2, 3, 3]> : tensor<3x8x8xf32> -> !nop.distributed<tensor<?x8x8xf32>, [2, 3]>
  return
}
