// Inputs/hot.jsonl: 14 tokens go to expert 0 and, two each, to one of the other seven. On
// four chiplets the mean load is 7 pairs, and one holds all 14 of expert 0 and 2 beside.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl slots=4 load-cap=1.2" --verify-roundtrip --remarks-filter=moe-place-experts --remark-format=emitRemark 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// REMARK: MoE layer 0 by search: C_T {{.*}}, load max/mean 1.{{[01]}}{{.*}} (2.286), receive max/mean {{.*}}receive_max_over_mean=
// REMARK: MoE layer 0: with 4 experts a chiplet no C_T is below 1.000
// REMARK: MoE layer 0 has {{[0-9]+}} replicas, by chiplets' ordinals: expert 0 on 0 1 2 3

// By bytes the same:
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl chiplet-bytes=49 expert-bytes=10 load-cap=1.2" | FileCheck %s
// And by load alone:
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=load profile=%S/Inputs/hot.jsonl slots=3" | FileCheck %s

// Without replicas there is the bound, and how many replicas would do.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl" --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: MoE layer 0: with 2 experts a chiplet no C_T is below 1.000, and without replicas no load max/mean is below 2.286
// RUN: not mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl load-cap=1.2" 2>&1 | FileCheck %s --check-prefix=CAP
// CAP: error: cannot place layer 0: no placement {{.*}}there is none below 2.28{{.*}} replicas meet it, at 1.{{[01]}}{{.*}}(expert 0 on

// One expert may move: it trades places with none, so that two must.
// RUN: echo "Expert,Node 0,0 1,0 2,1 3,1 4,2 5,2 6,3 7,3" | tr " " "\n" > %t.csv
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl keep=%t.csv max-moves=1 expert-bytes=10" --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: MoE layer 0: 0 experts move from the placement to keep, 0 bytes
// KEEP: #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>

// The table is a placement as well.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts=placement=%t.csv | FileCheck %s --check-prefix=TABLE
// TABLE: #moe.placement<@toy, [2, 2, 3, 3, 5, 5, 6, 6]>

// What the placer remarks is passed on.
// RUN: mozart-opt %s --wafer-load-machine=machine=toy --moe-place-experts="algorithm=search profile=%S/Inputs/hot.jsonl budget=0 kicks=1 starts=2" --remarks-filter=moe-place-experts --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: layer 0: the budget of 0

// CHECK: #moe.placement<@toy, {{\[\[2, 3, 5, 6\]}}
func.func @forward(%logits: tensor<14x8xf32>) {
  %0 = moe.route %logits <k = 2, score = softmax> layer 0 : (tensor<14x8xf32>) -> !moe.routing<14x2 of 8, f32>
  return
}
