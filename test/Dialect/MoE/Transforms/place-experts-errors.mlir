// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts=profile=%S/Inputs/pairs.jsonl --split-input-file --verify-diagnostics

// Errors of options, and of a module as a whole:
// RUN: split-file %s %t
// RUN: not mozart-opt %t/model.mlir --moe-place-experts 2>&1 | FileCheck %s --check-prefix=NO-MACHINE
// NO-MACHINE: error: has 0 machines to place experts on, expected one; load it with wafer-load-machine
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --wafer-load-machine=machine=mozart-olmoe --moe-place-experts 2>&1 | FileCheck %s --check-prefix=TWO-MACHINES
// TWO-MACHINES: error: has 2 machines to place experts on, expected one; choose with the option machine
// TWO-MACHINES-DAG: note: machine 'toy'
// TWO-MACHINES-DAG: note: machine 'mozart-olmoe'
// RUN: mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --wafer-load-machine=machine=mozart-olmoe --moe-place-experts="machine=@toy algorithm=contiguous" | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=machine=@big 2>&1 | FileCheck %s --check-prefix=UNKNOWN-MACHINE
// UNKNOWN-MACHINE: error: 'big' is not a machine of this module, not a path (with a '/' or ending in .mlir), and not one of the presets {{.*}}'toy'
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=algorithm=best 2>&1 | FileCheck %s --check-prefix=UNKNOWN-ALGORITHM
// UNKNOWN-ALGORITHM: error: no placement algorithm 'best'; there are contiguous, random, algorithm1
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts 2>&1 | FileCheck %s --check-prefix=NO-PROFILE
// NO-PROFILE: error: has no routing: no trace is named and the module has no moe.profile
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=profile=%t/none.npy 2>&1 | FileCheck %s --check-prefix=NO-FILE
// NO-FILE: error: {{.*}}none.npy
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="algorithm=contiguous profile=%S/Inputs/pairs.jsonl" -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=LAYERS
// LAYERS: error: the routing profile is not of this model: routing trace has 2 layers
// RUN: not ls %t/out.mlir

// RUN: echo '{"physical_to_logical_map": [[0, 1, 2, 3, 4, 5, 6, 5]]}' > %t/missing.json
// RUN: echo '{"physical_to_logical_map": [[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 6, 7]]}' > %t/two-layers.json
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=placement=%t/none.json 2>&1 | FileCheck %s --check-prefix=NO-PLACEMENT
// NO-PLACEMENT: error: {{.*}}none.json
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=placement=%t/missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing.json{{.*}} expert 7
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts=placement=%t/two-layers.json 2>&1 | FileCheck %s --check-prefix=TWO-LAYERS
// TWO-LAYERS: error: placements in '{{.*}}two-layers.json' are of 2 layers, the model has 1; expected as many, or one that serves every layer
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="algorithm=random placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: is placed by the file '{{.*}}missing.json', expected no option '{{algorithm|load-cap|group-weight|group-load-cap|chiplet-weight|receive-weight|starts|kicks|budget|slots|chiplet-bytes|max-replicas|keep|max-moves}}' beside it
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="load-cap=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="group-weight=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH

// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="starts=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="kicks=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="budget=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="slots=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="chiplet-bytes=20 expert-bytes=10 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="max-replicas=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="keep=x placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="max-moves=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH

// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="group-load-cap=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="chiplet-weight=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="receive-weight=2 placement=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search threads=0" 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: 0 threads; expected at least 1
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search group-load-cap=0.5" 2>&1 | FileCheck %s --check-prefix=GROUP-CAP
// GROUP-CAP: error: cannot place layer 0: a load cap of 0.5 for switch groups; expected at least 1
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search receive-weight=-1" 2>&1 | FileCheck %s --check-prefix=RECEIVE
// RECEIVE: error: cannot place layer 0: a weight of -1 for the busiest chiplet
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search chiplet-weight=-1" 2>&1 | FileCheck %s --check-prefix=CHIPLET-WEIGHT
// CHIPLET-WEIGHT: error: cannot place layer 0: a weight of -1 for chiplets
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search receive-weight=1 slots=3" 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: cannot place layer 0: replicas and old placements go by C_T, a weight of groups and a load cap

// Replicas and moves:
// RUN: echo '{"physical_to_logical_map": [[0, 1, 2, 3, 4, 5, 6, 7]]}' > %t/good.json
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search slots=1" 2>&1 | FileCheck %s --check-prefix=FEW-SLOTS
// FEW-SLOTS: error: cannot place layer 0: 1 slots on each of 4 chiplets for 8 experts; expected 2
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search slots=3 max-replicas=5" 2>&1 | FileCheck %s --check-prefix=MANY-REPLICAS
// MANY-REPLICAS: error: cannot place layer 0: 5 replicas; 3 slots on each of 4 chiplets hold 4 beside the 8 experts
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search max-replicas=1" 2>&1 | FileCheck %s --check-prefix=NO-SLOTS
// NO-SLOTS: error: cannot place layer 0: 1 replicas are asked for, and no slots for them
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl slots=3" 2>&1 | FileCheck %s --check-prefix=NO-REPLICAS
// NO-REPLICAS: error: cannot place layer 0: placement algorithm 'algorithm1' makes no replicas
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search chiplet-bytes=5" 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: is placed with chiplet-bytes=5, expected expert-bytes of no more and no slots beside it, found expert-bytes=0 and slots=0
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search chiplet-bytes=5 expert-bytes=1 slots=3" 2>&1 | FileCheck %s --check-prefix=BYTES-AND-SLOTS
// BYTES-AND-SLOTS: error: is placed with chiplet-bytes=5, {{.*}} found expert-bytes=1 and slots=3
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search expert-bytes=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE-BYTES
// NEGATIVE-BYTES: error: is placed with expert-bytes=-1 and chiplet-bytes=0, expected at least 1
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search max-moves=1" 2>&1 | FileCheck %s --check-prefix=NO-KEEP
// NO-KEEP: error: cannot place layer 0: at most 1 moves are asked for, and no placement to move from
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search keep=%t/none.json" 2>&1 | FileCheck %s --check-prefix=KEEP-FILE
// KEEP-FILE: error: {{.*}}none.json
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search keep=%t/missing.json" 2>&1 | FileCheck %s --check-prefix=KEEP-MISSING
// KEEP-MISSING: error: {{.*}}missing.json{{.*}} expert 7
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=search keep=%t/two-layers.json" 2>&1 | FileCheck %s --check-prefix=KEEP-LAYERS
// KEEP-LAYERS: error: placements in '{{.*}}two-layers.json' are of 2 layers, the model has 1
// RUN: not mozart-opt %t/model.mlir --wafer-load-machine=machine=toy --moe-place-experts="profile=%S/Inputs/hot.jsonl algorithm=load keep=%t/good.json" 2>&1 | FileCheck %s --check-prefix=KEEP-UNSEARCHED
// KEEP-UNSEARCHED: error: cannot place layer 0: placement algorithm 'load' does not search and cannot keep to an old placement

// The trace has two layers, the model one.
// expected-error @+2 {{the routing profile is not of this model: routing trace has 2 layers, the model has 1 MoE layers}}
//--- model.mlir
func.func @forward(%logits: tensor<4x8xf32>) {
  %0 = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  return
}
//--- rest.mlir

// -----

// expected-error @+1 {{the routing profile is not of this model: routing trace has k = 2}}
func.func @other_k(%logits: tensor<4x8xf32>) {
  %0 = moe.route %logits <k = 3, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x3 of 8, f32>
  %1 = moe.route %logits <k = 3, score = softmax> layer 1 : (tensor<4x8xf32>) -> !moe.routing<4x3 of 8, f32>
  return
}

// -----

func.func @gap(%logits: tensor<4x8xf32>) {
  %0 = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  // expected-error @+1 {{'moe.route' op is in MoE layer 2, but no op is in layer 1; expected layers to be counted from 0}}
  %1 = moe.route %logits <k = 2, score = softmax> layer 2 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  return
}

// -----

func.func @unequal_layers(%a: tensor<4x8xf32>, %b: tensor<4x6xf32>) {
  %0 = moe.route %a <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  // expected-error @+1 {{'moe.route' op is in MoE layer 1 with k = 2 of 6 experts, but layer 0 has k = 2 of 8; expected the same in all layers, as in a routing trace}}
  %1 = moe.route %b <k = 2, score = softmax> layer 1 : (tensor<4x6xf32>) -> !moe.routing<4x2 of 6, f32>
  return
}

// -----

func.func @unequal_ops(%a: tensor<4x8xf32>, %x: tensor<4x8xf32>, %r: !moe.routing<4x2 of 6, f32>) {
  // expected-note @+1 {{the layer begins here}}
  %0 = moe.route %a <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  // expected-error @+1 {{'moe.dispatch' op of MoE layer 0 has 6 experts, expected 8 as other ops of the layer}}
  %rows, %counts = moe.dispatch %x by %r layer 0 : (tensor<4x8xf32>, !moe.routing<4x2 of 6, f32>) -> (tensor<8x8xf32>, tensor<6xindex>)
  return
}

// -----

func.func @no_routing(%rows: tensor<8x8xf32>, %counts: tensor<8xindex>, %w: tensor<8x8x8xf32>) {
  // expected-error @+1 {{'moe.experts' op is in MoE layer 0, which has no routing}}
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<8xindex>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @routed(%w: tensor<?x8x8xf32>, %rows: tensor<8x8xf32>, %counts: tensor<?xindex>) {
  // expected-error @+1 {{'moe.experts' op has an open number of experts, so that the model is routed already; expected one before convert-moe-to-nop}}
  %h = moe.experts %rows counts %counts weights(%w, %w) <activation = gelu> layer 0
      : (tensor<8x8xf32>, tensor<?xindex>, tensor<?x8x8xf32>, tensor<?x8x8xf32>) -> tensor<8x8xf32>
  return
}
