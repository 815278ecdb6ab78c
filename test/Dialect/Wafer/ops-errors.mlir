// RUN: mozart-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics -o /dev/null

//===----------------------------------------------------------------------===//
// Facts of parts
//===----------------------------------------------------------------------===//
// expected-error @+1 {{'tiles' is 0, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 0, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+1 {{'arrays_per_tile' is -1, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = -1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+1 {{'array_rows' is 0, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 0, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+1 {{'array_columns' is -4, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = -4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+1 {{'clock_hz' is 0, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 0, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+1 {{'tile_sram_bytes_per_second' is -1, expected at least 1}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = -1>} : () -> ()

// -----

// expected-error @+1 {{'kernel_start_ps' is -1, expected at least 0}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, kernel_start_ps = -1>} : () -> ()

// -----

// expected-error @+1 {{'kernel_start_ps' is -1000, expected at least 0}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, kernel_start_ps = -1000>} : () -> ()

// -----

// expected-error @+1 {{'buffer_bytes' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 0>} : () -> ()

// -----

// expected-error @+1 {{'buffer_bytes' is -65536, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = -65536>} : () -> ()

// -----

// expected-error @+1 {{'latency_ps' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 65536, latency_ps = -1>} : () -> ()

// -----

// expected-error @+1 {{'multicast_bytes_per_second' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 65536, multicast_bytes_per_second = -1>} : () -> ()

// -----

// expected-error @+1 {{'reduce_bytes_per_second' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 65536, reduce_bytes_per_second = -1>} : () -> ()

// -----

// expected-error @+1 {{'bytes' is 0, expected at least 1}}
"test.fact"() {a = #wafer.storage<bytes = 0, read_bytes_per_second = 1000, write_bytes_per_second = 1000>} : () -> ()

// -----

// expected-error @+1 {{'read_bytes_per_second' is -1, expected at least 1}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = -1, write_bytes_per_second = 1000>} : () -> ()

// -----

// expected-error @+1 {{'write_bytes_per_second' is 0, expected at least 1}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 0>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 0, expected at least 1}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, efficiency_ppm = 0>} : () -> ()

// -----

// expected-error @+1 {{'latency_ps' is -1, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, latency_ps = -1>} : () -> ()

// -----

// expected-error @+1 {{'latency_ps' is -84000, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, latency_ps = -84000>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 1000001, expected at most 1000000}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, efficiency_ppm = 1000001>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 92000000, expected at most 1000000}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, efficiency_ppm = 92000000>} : () -> ()

// -----

// expected-error @+1 {{'wires' is 0, expected at least 1}}
"test.fact"() {a = #wafer.wires<wires = 0, wire_bytes_per_second = 125000000>} : () -> ()

// -----

// expected-error @+1 {{'wire_bytes_per_second' is -125000000, expected at least 1}}
"test.fact"() {a = #wafer.wires<wires = 8, wire_bytes_per_second = -125000000>} : () -> ()

// -----

// expected-error @+1 {{'latency_ps' is -5, expected at least 0}}
"test.fact"() {a = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000, latency_ps = -5>} : () -> ()

// -----

// expected-error @+1 {{'message_overhead_ps' is -5, expected at least 0}}
"test.fact"() {a = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000, message_overhead_ps = -5>} : () -> ()

// -----

// expected-error @+2 {{to be one of: cut_through, store_and_forward}}
// expected-error @+1 {{failed to parse Wafer_SwitchingAttr parameter 'forwarding'}}
"test.fact"() {a = #wafer.switching<forwarding = wormhole, buffer_bytes = 1>} : () -> ()

// -----

// expected-error @+1 {{'femtojoules_per_flop' is -1, expected at least 0}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, femtojoules_per_flop = -1>} : () -> ()

// -----

// expected-error @+1 {{'sram_femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, sram_femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'reduce_femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, reduce_femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'multicast_femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, multicast_femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'virtual_channels' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, virtual_channels = 0>} : () -> ()

// -----

// expected-error @+1 {{'virtual_channel_flits' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, virtual_channel_flits = 0>} : () -> ()

// -----

// expected-error @+1 {{'flit_bytes' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, flit_bytes = 0>} : () -> ()

// -----

// expected-error @+1 {{'pipeline_cycles' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, pipeline_cycles = 0>} : () -> ()

// -----

// expected-error @+1 {{'allocator_iterations' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, allocator_iterations = 0>} : () -> ()

// -----

// expected-error @+1 {{'speedup' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, speedup = 0>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 0, expected at least 1}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, queueing = input, efficiency_ppm = 0>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 1000001, expected at most 1000000}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, queueing = input, efficiency_ppm = 1000001>} : () -> ()

// -----

// expected-error @+1 {{'efficiency_ppm' is 670000 with output queues, which lose nothing; expected 1000000, or 'queueing = input'}}
"test.fact"() {a = #wafer.switching<buffer_bytes = 1, efficiency_ppm = 670000>} : () -> ()

// -----

// expected-error @+1 {{'turnaround_ps' is -1, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, turnaround_ps = -1>} : () -> ()

// -----

// expected-error @+1 {{'turnaround_bytes' is -1, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, turnaround_bytes = -1>} : () -> ()

// -----

// expected-error @+1 {{'read_femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, read_femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'write_femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, write_femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'turnaround_bytes' is 0 though 'turnaround_ps' is 15000; expected how many bytes are served between turns}}
"test.fact"() {a = #wafer.storage<bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000, turnaround_ps = 15000>} : () -> ()

// -----

// expected-error @+1 {{'femtojoules_per_byte' is -1, expected at least 0}}
"test.fact"() {a = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000, femtojoules_per_byte = -1>} : () -> ()

// -----

// expected-error @+1 {{'static_microwatts' is -1, expected at least 0}}
"test.fact"() {a = #wafer.silicon<static_microwatts = -1>} : () -> ()

// -----

// expected-error @+1 {{'area_square_micrometers' is -1, expected at least 0}}
"test.fact"() {a = #wafer.silicon<area_square_micrometers = -1>} : () -> ()

// -----

// expected-error @+2 {{to be one of: streaming, weight_stationary, output_stationary}}
// expected-error @+1 {{failed to parse Wafer_ComputeAttr parameter 'dataflow'}}
"test.fact"() {a = #wafer.compute<dataflow = systolic, tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>} : () -> ()

// -----

// expected-error @+2 {{to be one of: output, input}}
// expected-error @+1 {{failed to parse Wafer_SwitchingAttr parameter 'queueing'}}
"test.fact"() {a = #wafer.switching<queueing = none, buffer_bytes = 1>} : () -> ()

// -----

//===----------------------------------------------------------------------===//
// Parts and the machine as a whole
//===----------------------------------------------------------------------===//

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{'packet_bytes' is 0, expected at least 1}}
wafer.machine @m tree packet_bytes 0 {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  // expected-error @+1 {{'sram_bytes' is 0, expected at least 1}}
  wafer.chiplet @root hosts attention sram_bytes 0 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  // expected-error @+1 {{'sram_bytes' is -1, expected at least 1}}
  wafer.chiplet @root hosts attention sram_bytes -1 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{is not part of a machine; expected wafer.chiplet, wafer.switch, wafer.memory or wafer.link}}
  "test.part"() : () -> ()
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{is not part of a machine; expected wafer.chiplet, wafer.switch, wafer.memory or wafer.link}}
  %0 = arith.constant 1 : i32
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{expects parent op 'wafer.machine'}}
wafer.chiplet @root hosts attention sram_bytes 1024 #compute

// -----

// expected-error @+1 {{expects parent op 'wafer.machine'}}
wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{node 'nowhere' is not declared in machine 'm'; expected a chiplet or switch of it}}
  wafer.memory @dram on @nowhere <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-note @+1 {{declared here}}
  wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  // expected-error @+1 {{node 'dram' is a wafer.memory, expected a chiplet or a switch}}
  wafer.memory @dram1 on @dram <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{source 'c0' is not declared in machine 'm'; expected a chiplet or switch of it}}
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-note @+1 {{declared here}}
  wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  // expected-error @+1 {{source 'dram' is a wafer.memory, expected a chiplet or a switch}}
  wafer.link @dram -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{target 'c0' is not declared in machine 'm'; expected a chiplet or switch of it}}
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-note @+1 {{declared here}}
  wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
  // expected-error @+1 {{target 'dram' is a wafer.memory, expected a chiplet or a switch}}
  wafer.link @root -> @dram <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-note @+1 {{see existing symbol definition here}}
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  // expected-error @+1 {{redefinition of symbol named 'c0'}}
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
wafer.machine @m tree {
  // expected-note @+1 {{see existing symbol definition here}}
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  // expected-error @+1 {{redefinition of symbol named 'root'}}
  wafer.memory @root on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}

// -----

// expected-error @+1 {{chiplet 'root': peak flops per second (flops 2 x tiles 4611686018427387904 x arrays_per_tile 1 x array_rows 4 x array_columns 4 x clock_hz 1000000000) does not fit in 63 bits}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 4611686018427387904, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
}

// -----

// expected-error @+1 {{chiplet 'root': peak flops per second (flops 2 x tiles 1 x arrays_per_tile 1 x array_rows 2305843009213693952 x array_columns 4 x clock_hz 1000000000) does not fit in 63 bits}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 1, arrays_per_tile = 1, array_rows = 2305843009213693952, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{switch 's0': bytes of the queues of an input (virtual_channels 4 x virtual_channel_flits 4611686018427387904 x flit_bytes 32) does not fit}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.switch @s0 <buffer_bytes = 1, virtual_channel_flits = 4611686018427387904>
}

// -----

// expected-error @+1 {{chiplet 'root': SRAM bytes per second (tiles 4 x tile_sram_bytes_per_second 4611686018427387904) does not fit}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 4, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 4611686018427387904>
}

// -----

// expected-error @+1 {{chiplet 'root': SRAM bytes per second (tiles 3 x tile_sram_bytes_per_second 9223372036854775807) does not fit}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 3, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 9223372036854775807>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{memory 'dram': its sustained read rate (1000 bytes/s at 999 ppm) is below one byte per second}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 2000, efficiency_ppm = 999>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{memory 'dram': its sustained write rate (1000 bytes/s at 999 ppm) is below one byte per second}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.memory @dram on @root <bytes = 1024, read_bytes_per_second = 2000, write_bytes_per_second = 1000, efficiency_ppm = 999>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 0 ('root' -> 'c0'): bytes per second (wires 3 x wire_bytes_per_second 4611686018427387904) does not fit}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 3, wire_bytes_per_second = 4611686018427387904>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 0 ('root' -> 'c0'): bytes per second (wires 9223372036854775807 x wire_bytes_per_second 2) does not fit}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 9223372036854775807, wire_bytes_per_second = 2>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{('root' -> 'root'): joins a node to itself; expected two nodes}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @root -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{('c0' -> 'c0'): joins a node to itself; expected two nodes}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 2 ('root' -> 'c0'): joins the same nodes as link 0; expected one link for each direction}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 2 ('c0' -> 'root'): joins the same nodes as link 1; expected one link for each direction}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 0 ('root' -> 'c0'): has no link back from 'c0' to 'root'; expected both directions}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{link 0 ('c0' -> 'root'): has no link back from 'root' to 'c0'; expected both directions}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{('c0' -> 'c1'): closes a cycle; expected a tree (or declare the machine a mesh)}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @root -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{('s0' -> 'c1'): closes a cycle; expected a tree}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.switch @s0 <buffer_bytes = 1024>
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @s0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @s0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @s0 -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @s0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @s0 -> @c1 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c1 -> @s0 <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{chiplet 'c1': no links lead to it from the root chiplet 'root'; expected a connected network}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{switch 's0': no links lead to it from the root chiplet 'root'; expected a connected network}}
wafer.machine @m mesh {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.switch @s0 <buffer_bytes = 1024>
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{no chiplet hosts attention; expected at least one}}
wafer.machine @m tree {
  wafer.chiplet @root hosts experts sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts experts sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

// expected-error @+1 {{no chiplet hosts attention; expected at least one}}
wafer.machine @m tree {
  wafer.switch @s0 <buffer_bytes = 1024>
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{no chiplet hosts experts; expected at least one}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{no chiplet hosts experts; expected at least one}}
wafer.machine @m mesh {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @c0 hosts attention sram_bytes 1024 #compute
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}

// -----

// expected-error @+1 {{a machine has an empty name}}
wafer.machine @"" tree {
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{node 1 has an empty name; expected a name of its own}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.chiplet @"" hosts experts sram_bytes 1024 #compute
}

// -----

#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// expected-error @+1 {{memory 0 has an empty name; expected a name of its own}}
wafer.machine @m tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 #compute
  wafer.memory @"" on @root <bytes = 1024, read_bytes_per_second = 1000, write_bytes_per_second = 1000>
}
