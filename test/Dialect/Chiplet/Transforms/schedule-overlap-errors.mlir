// RUN: split-file %s %t
// RUN: not mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --chiplet-schedule-overlap="profile=%t/other.jsonl" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --chiplet-schedule-overlap="profile=%t/none.npy" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --chiplet-schedule-overlap="profile=%t/empty.jsonl" 2>&1 | FileCheck %s --check-prefix=EMPTY

// A profile of another model, one that is not there, one without tokens.
// OTHER: error: {{.*}}k
// NONE: error: cannot read '{{.*}}none.npy'
// EMPTY: error: {{.*}}empty.jsonl

//--- other.jsonl
{"type":"meta","top_k":1,"num_experts":3}
{"type":"route","req_id":"a","token_idx":0,"layer":0,"topk_ids":[1]}
//--- empty.jsonl
{"type":"meta","top_k":2,"num_experts":3}
