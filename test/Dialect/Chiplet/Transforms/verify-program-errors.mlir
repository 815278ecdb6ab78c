// The one layer with one mistake at a time.
// RUN: rm -rf %t && mkdir %t

// RUN: sed -e 's/experts \[1, 2\]/experts [2, 1]/' %mozart_source/test/Phases/one-layer-program.mlir > %t/weights.mlir
// RUN: not mozart-opt %t/weights.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: error: {{.*}}computes with weights 'gate[3]' of other experts than task

// RUN: sed -e 's/micro_batch 0 token 0 %%h/micro_batch 0 token 2 %%h/' %mozart_source/test/Phases/one-layer-program.mlir > %t/tokens.mlir
// RUN: not mozart-opt %t/tokens.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOKENS
// TOKENS: error: {{.*}}token

// RUN: sed -e 's/moe_layers = 1/moe_layers = 2/' %mozart_source/test/Phases/one-layer-program.mlir > %t/layers.mlir
// RUN: not mozart-opt %t/layers.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAYERS
// LAYERS: error: {{.*}}MoE layer 1, micro-batch 0: no tokens are dispatched, expected 4

// RUN: sed -e 's/micro_batches = 1>/micro_batches = 2>/' %mozart_source/test/Phases/one-layer-program.mlir > %t/batches.mlir
// RUN: not mozart-opt %t/batches.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=BATCHES
// BATCHES: error: {{.*}}MoE layer 0, micro-batch 1: no tokens are dispatched

// RUN: sed -e 's/tokens = 4, micro/tokens = 8, micro/' %mozart_source/test/Phases/one-layer-program.mlir > %t/half.mlir
// RUN: not mozart-opt %t/half.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: error: {{.*}}dispatches end at token 4, expected 8

// RUN: sed -e 's/writes %%s placed <@pair, .2, 3, 3.>/writes %%s placed <@pair, [3, 2, 2]>/' %mozart_source/test/Phases/one-layer-program.mlir > %t/swapped.mlir
// RUN: not mozart-opt %t/swapped.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: error: {{.*}}in another place than task 10 ('dispatch') sent it, expected peer 0

// RUN: sed -e '/chiplet.output/d' %mozart_source/test/Phases/one-layer-program.mlir > %t/silent.mlir
// RUN: not mozart-opt %t/silent.mlir --mozart-verify-program -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: error: {{.*}}the program has no output
