// A model whose hottest expert is on three chiplets: compiled with and without tokens
// that are sent once, executed, simulated, and counted by hand.
// RUN: split-file %s %t

// RUN: mozart-opt %t/model.mlir --mozart-compile="machine=toy preset=baseline placement=%t/placement.json" -o %t/baseline.mlir
// RUN: FileCheck %s --check-prefix=PROGRAM < %t/baseline.mlir
// RUN: mozart-translate --execute %t/baseline.mlir --compare=%t/model.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: mozart-translate --simulate %t/baseline.mlir --routing=%t/trace.jsonl | FileCheck %s --check-prefix=REPORT
// RUN: mozart-opt %t/model.mlir --mozart-compile="machine=toy preset=layout placement=%t/placement.json" -o %t/layout.mlir
// RUN: mozart-translate --execute %t/layout.mlir --compare=%t/model.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: mozart-translate --simulate %t/layout.mlir --routing=%t/trace.jsonl | FileCheck %s --check-prefix=REPORT

// With token slices, of which each has its own first token, nothing changes but time.
// RUN: mozart-opt %t/model.mlir --mozart-compile="machine=toy preset=layout placement=%t/placement.json slices=2" -o %t/slices.mlir
// RUN: mozart-translate --execute %t/slices.mlir --compare=%t/model.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: mozart-translate --simulate %t/slices.mlir --routing=%t/trace.jsonl | FileCheck %s --check-prefix=REPORT

// The weights of expert 0 are loaded on each of its chiplets.
// PROGRAM: #moe.placement<@toy, {{\[}}[2, 3, 5], 2, 3, 5, 6, 6]>
// PROGRAM: chiplet.input {{[0-9]+}} "arg2[c0]" experts [0, 1]
// PROGRAM: chiplet.input {{[0-9]+}} "arg2[c1]" experts [0, 2]
// PROGRAM: chiplet.input {{[0-9]+}} "arg2[c2]" experts [0, 3]
// PROGRAM: chiplet.input {{[0-9]+}} "arg2[c3]" experts [4, 5]

// EQUAL: "equal_to_model": true

// By row of the trace (chiplets c0 c1 c2 c3, groups {c0, c1} {c2, c3}):
//   {0, 1} c0 c0   {0, 4} c1 c3   {0, 5} c2 c3   {0, 2} c1 c1
//   {0, 4} c0 c3   {1, 3} c0 c2   {0, 3} c2 c2   {0, 5} c0 c3
// 13 chiplets and 12 groups for 8 tokens; 5 3 4 4 pairs, 4 2 3 4 tokens.
// REPORT: "c_t": 1.625,
// REPORT-NEXT: "g_t": 1.5,
// REPORT-NEXT: "load_max_over_mean": 1.25,
// REPORT-NEXT: "receive_max_over_mean": 1.230769

// Whoever places knows as much.
// RUN: mozart-opt %t/model.mlir --moe-place-experts="machine=toy placement=%t/placement.json profile=%t/trace.jsonl" --remarks-filter=moe-place-experts --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: MoE layer 0 by file: C_T 1.625 ({{.*}}), G_T 1.500 ({{.*}}), load max/mean 1.250

//--- placement.json
{"physical_to_logical_map": [[0, 1, 2, 0, 0, 3, 5, 4]]}

//--- trace.jsonl
{"type": "meta", "top_k": 2, "num_experts": 6}
{"type": "route", "req_id": "a", "token_idx": 0, "layer": 0, "topk_ids": [0, 1]}
{"type": "route", "req_id": "a", "token_idx": 1, "layer": 0, "topk_ids": [4, 0]}
{"type": "route", "req_id": "a", "token_idx": 2, "layer": 0, "topk_ids": [0, 5]}
{"type": "route", "req_id": "a", "token_idx": 3, "layer": 0, "topk_ids": [0, 2]}
{"type": "route", "req_id": "a", "token_idx": 4, "layer": 0, "topk_ids": [0, 4]}
{"type": "route", "req_id": "a", "token_idx": 5, "layer": 0, "topk_ids": [3, 1]}
{"type": "route", "req_id": "a", "token_idx": 6, "layer": 0, "topk_ids": [3, 0]}
{"type": "route", "req_id": "a", "token_idx": 7, "layer": 0, "topk_ids": [0, 5]}

//--- model.mlir
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
