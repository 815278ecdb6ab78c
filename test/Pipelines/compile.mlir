// RUN: mozart-opt %s --mozart-compile="machine=toy compile-to=model" | FileCheck %s --check-prefix=MODEL
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=baseline compile-to=placed" | FileCheck %s --check-prefix=PLACED
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=baseline compile-to=routed" | FileCheck %s --check-prefixes=ROUTED,PAIRS
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=overlap compile-to=routed" | FileCheck %s --check-prefixes=ROUTED,PAIRS
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=dedup compile-to=routed" | FileCheck %s --check-prefixes=ROUTED,TOKENS
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=baseline compile-to=program" | FileCheck %s --check-prefix=PROGRAM
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=baseline" | FileCheck %s --check-prefix=SERIAL
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=overlap" | FileCheck %s --check-prefix=OVERLAP

// A phase goes on where another stopped, and the seed comes back in the program.
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=dedup seed=7" -o %t.whole.mlir
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=dedup seed=7 compile-to=model" | mozart-opt --mozart-compile="preset=dedup seed=7" -o %t.parts.mlir
// RUN: cmp %t.whole.mlir %t.parts.mlir
// RUN: FileCheck %s --check-prefix=SEED < %t.whole.mlir
// SEED: chiplet.program @forward on @toy {{.*}} preset "dedup" seed 7

// A name may hold what separates options and passes.
// RUN: rm -rf %t.dir && mkdir -p "%t.dir/a \"b} {c,d"
// RUN: mozart-opt %S/Inputs/wide.mlir -o "%t.dir/a \"b} {c,d/wide.mlir"
// RUN: mozart-opt %s --mozart-compile="machine='%t.dir/a \"b} {c,d/wide.mlir' preset=baseline compile-to=placed" | FileCheck %s --check-prefix=NAMED
// NAMED: #moe.placement<@wide, [1, 1, 1, 2, 2, 2]>

// The machine that is named is the one, also beside others: of those that the
// module has, of a path and of a preset, for a model that was placed elsewhere.
// RUN: mozart-opt %s --mozart-compile="machine=toy preset=baseline compile-to=placed" -o %t.toy.mlir
// RUN: mozart-opt %t.toy.mlir --mozart-compile="machine=%S/Inputs/wide.mlir preset=baseline" -o %t.wide.mlir
// RUN: FileCheck %s --check-prefix=OTHER < %t.wide.mlir
// RUN: mozart-opt %t.toy.mlir --wafer-load-machine=machine=%S/Inputs/wide.mlir --mozart-compile="machine=toy preset=baseline" | FileCheck %s --check-prefix=SAME
// OTHER: chiplet.program @forward on @wide
// SAME: chiplet.program @forward on @toy

// SRAM is used from both ends, of as much as there could be use for: this one has
// 2^62 bytes.
// RUN: mozart-translate --execute %t.wide.mlir --compare=%s | FileCheck %s --check-prefix=WIDE
// WIDE: "equal_to_model": true

// MODEL: wafer.machine @toy
// MODEL: moe.route %{{.*}} layer 0 :
// PLACED: moe.route %{{.*}} layer 0 placed #placement
// ROUTED-NOT: moe.dispatch %{{.*}} placed
// PAIRS: nop.scatter
// PAIRS: nop.gather
// TOKENS: nop.multicast {{.*}} via switch
// TOKENS: nop.reduce {{.*}} via switch
// PROGRAM: chiplet.program @forward on @toy {{.*}} preset "baseline" seed 0
// PROGRAM-NOT: {{ stage [0-9]}}
// PROGRAM-NOT: {{ at [0-9]}}
// SERIAL: chiplet.load {{.*}} stage 0 :
// SERIAL: chiplet.dispatch
// OVERLAP-NOT: {{ stage [0-9]}}
// OVERLAP: chiplet.alloc {{.*}} at 0 :
func.func @forward(%x: tensor<4x8xf32>, %router: tensor<8x6xf32> {moe.param},
                   %up: tensor<6x8x16xf32> {moe.param}, %down: tensor<6x16x8xf32> {moe.param}) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "six", sequences = 1, sequence_length = 4, micro_batches = 2>} {
  %logits = moe.router %x, %router : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %r = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  %rows, %counts = moe.dispatch %x by %r layer 0
      : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  %out = moe.experts %rows counts %counts weights(%up, %down) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<6xindex>, tensor<6x8x16xf32>, tensor<6x16x8xf32>) -> tensor<8x8xf32>
  %y = moe.combine %out by %r layer 0 : (tensor<8x8xf32>, !moe.routing<4x2 of 6, f32>) -> tensor<4x8xf32>
  %z = moe.add %x, %y : tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
