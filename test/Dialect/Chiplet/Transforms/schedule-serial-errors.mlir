// RUN: mozart-opt %s --chiplet-schedule-serial --split-input-file --verify-diagnostics

// The pass itself refuses nothing: what is no program for its machine is refused before.

// expected-error @+1 {{names machine 'nowhere', but no wafer.machine of that name is in the module}}
chiplet.program @p on @nowhere <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
}

// -----

// expected-error @+1 {{names machine 'elsewhere', but no wafer.machine of that name is in the module}}
chiplet.program @p on @elsewhere <model = "m", moe_layers = 0, experts = 0, k = 0, tokens = 4, micro_batches = 1> preset "x" seed 0 {
  %0 = chiplet.alloc "x" : !chiplet.buffer<tensor<4x8xf32>, sram 0>
}
