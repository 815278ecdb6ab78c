// RUN: mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --mozart-verify-program -o /dev/null
// RUN: mozart-opt %mozart_source/test/Phases/one-layer-scheduled.mlir --mozart-verify-program -o /dev/null
// RUN: mozart-opt %mozart_source/test/Phases/one-layer-program.mlir --mozart-verify-program | FileCheck %s

// The pass changes nothing.
// CHECK-LABEL: chiplet.program @forward
// CHECK: chiplet.alloc "x" :
