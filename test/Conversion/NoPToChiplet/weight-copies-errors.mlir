// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-nop-to-chiplet=weight-copies=0 --verify-diagnostics
// RUN: sed -e 's/of 0 blocks/of 9223372036854775807 blocks/' %s > %t.mlir
// RUN: mozart-opt %t.mlir --wafer-load-machine=machine=toy --convert-nop-to-chiplet=weight-copies=9223372036854775807 --verify-diagnostics

// expected-error @+1 {{asks for room for the weights of 0 blocks at once, expected 1 or 2}}
func.func @forward(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "m", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %0 = moe.add %x, %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
