// RUN: sed s,PROFILE,%S/Inputs/pairs.jsonl, %s > %t.mlir
// RUN: mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts | FileCheck %s

// The profile of the module is a file; only the first counts. A random placement needs
// no profile, but is explained by one.
// RUN: mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts=algorithm=random --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: MoE layer 0 by random: C_T

// Each token goes to a pair that is always chosen: searched for, it is on one chiplet.
// RUN: mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search load-cap=1.5 group-weight=0.5" --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: MoE layer 0 by search: C_T 1.000
// SEARCH: MoE layer 1 by search: C_T 1.000

// What only a search goes by:
// RUN: not mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts="load-cap=1.5" 2>&1 | FileCheck %s --check-prefix=NO-SEARCH
// NO-SEARCH: error: placement algorithm 'algorithm1' goes by no load cap
// RUN: not mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search load-cap=0.5" 2>&1 | FileCheck %s --check-prefix=LOW-CAP
// LOW-CAP: error: cannot place layer 0: a load cap of 0.5; expected at least 1

// Or placed by a file: one layer stands for all.
// RUN: echo '{"physical_to_logical_map": [[0, 4, 1, 5, 2, 6, 3, 7]]}' > %t.json
// RUN: mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts=placement=%t.json --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: MoE layer 0 by file: C_T 1.000
// FILE: MoE layer 1 by file: C_T 2.000
// FILE: #moe.placement<@toy, [2, 3, 5, 6, 2, 3, 5, 6]>

// A trace that is named wins: this one is of another model.
// RUN: not mozart-opt %t.mlir --wafer-load-machine=machine=toy --moe-place-experts=profile=%S/Inputs/one.jsonl 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: error: {{.*}}one.jsonl': the trace is over 4 experts, expected 8

moe.profile @first file "PROFILE"
moe.profile @second embedded "olmoe-1b-7b"

// CHECK: #moe.placement<@toy, [2, 3, 5, 6, 2, 3, 5, 6]>
// CHECK: #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>
func.func @forward(%logits: tensor<4x8xf32>) {
  %0 = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  %1 = moe.route %logits <k = 2, score = softmax> layer 1 : (tensor<4x8xf32>) -> !moe.routing<4x2 of 8, f32>
  return
}
