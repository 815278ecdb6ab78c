// RUN: mozart-opt %s --wafer-load-machine=machine=toy --convert-nop-to-chiplet --split-input-file --verify-diagnostics

// expected-error @+1 {{a buffer of 'tensor<1152921504606846976x8xf32>' has more bytes than fit in 63 bits}}
func.func @tokens(%x: tensor<1152921504606846976x8xf32>) -> tensor<1152921504606846976x8xf32>
    attributes {moe.model = #moe.model<name = "tokens", sequences = 1, sequence_length = 1152921504606846976, micro_batches = 1>} {
  %z = moe.add %x, %x : tensor<1152921504606846976x8xf32>
  return %z : tensor<1152921504606846976x8xf32>
}

// -----

// Each of the two has 2^62 bytes.
func.func @sum(%x: tensor<72057594037927936x8xf64>) -> tensor<72057594037927936x8xf64>
    attributes {moe.model = #moe.model<name = "sum", sequences = 1, sequence_length = 72057594037927936, micro_batches = 1>} {
  // expected-error @+1 {{needs more bytes, with the values before it, than fit in 63 bits; expected a smaller model}}
  %z = moe.add %x, %x : tensor<72057594037927936x8xf64>
  return %z : tensor<72057594037927936x8xf64>
}

// -----

// expected-error @+1 {{has values of 128 bytes in each of 1099511627776000000 micro-batches, more than 2^61 in all; expected a smaller model}}
func.func @micro_batches(%x: tensor<1x16xf32>) -> tensor<1x16xf32>
    attributes {moe.model = #moe.model<name = "batches", sequences = 1, sequence_length = 1, micro_batches = 1099511627776000000>} {
  %z = moe.add %x, %x : tensor<1x16xf32>
  return %z : tensor<1x16xf32>
}

// -----

// expected-error @+1 {{would become a program of 1 tasks (with 1 token slices) for each of 4000001 micro-batches, more than the 4000000 that are supported}}
func.func @tasks(%x: tensor<1x16xf32>) -> tensor<1x16xf32>
    attributes {moe.model = #moe.model<name = "tasks", sequences = 1, sequence_length = 1, micro_batches = 4000001>} {
  %z = moe.add %x, %x : tensor<1x16xf32>
  return %z : tensor<1x16xf32>
}

// -----

// expected-error @+1 {{a buffer holds 'tensor<?x8xf32>', expected a tensor or routing of known size}}
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<?x8xf32>
    attributes {moe.model = #moe.model<name = "dynamic", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %z = moe.add %x, %x : tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// expected-error @+1 {{a buffer holds elements of type 'f8E4M3FN', expected f16, bf16, f32, f64, i1, i32 or index}}
func.func @narrow(%x: tensor<4x8xf8E4M3FN>) -> tensor<4x8xf8E4M3FN>
    attributes {moe.model = #moe.model<name = "narrow", sequences = 1, sequence_length = 4, micro_batches = 1>} {
  %z = moe.add %x, %x : tensor<4x8xf8E4M3FN>
  return %z : tensor<4x8xf8E4M3FN>
}

// -----

// expected-error @+1 {{is only declared, expected a function with a body}}
func.func private @declared(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {moe.model = #moe.model<name = "declared", sequences = 1, sequence_length = 4, micro_batches = 1>}
