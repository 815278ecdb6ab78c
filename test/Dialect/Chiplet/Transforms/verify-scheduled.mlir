// RUN: mozart-opt %mozart_source/test/Phases/one-layer-scheduled.mlir --mozart-verify-scheduled | FileCheck %s

// The pass changes nothing.
// CHECK-LABEL: chiplet.program @forward
// CHECK: chiplet.alloc "x" at 0 :
