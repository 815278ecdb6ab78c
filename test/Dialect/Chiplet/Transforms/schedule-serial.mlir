// RUN: mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --chiplet-schedule-serial --verify-roundtrip | FileCheck %s

// A stage is a run of tasks of one kind; loads of both memories are one stage, so are the
// experts of both chiplets. Nothing else changes.

// CHECK-LABEL: chiplet.program @forward
// CHECK-NOT: {{ at [0-9]}}
// CHECK-COUNT-9: chiplet.load {{.*}} stage 0 :
// CHECK: chiplet.compute "route" on 0 {{.*}} stage 1 :
// CHECK: chiplet.dispatch {{.*}} stage 2 :
// CHECK: chiplet.compute "experts[2]" {{.*}} stage 3 :
// CHECK: chiplet.compute "experts[3]" {{.*}} stage 3 :
// CHECK: chiplet.combine {{.*}} stage 4 :
// CHECK: chiplet.compute "residual" {{.*}} stage 5 :
// CHECK: chiplet.store {{.*}} stage 6 :
