// RUN: mozart-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s

// Every fact that differs from its default is printed, every other is not.
// CHECK-DAG: #[[$K:.+]] = #wafer.compute<tiles = 2, arrays_per_tile = 16, array_rows = 20, array_columns = 16, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// CHECK-DAG: #[[$N:.+]] = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, accumulation = n, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, kernel_start_ps = 7, dataflow = weight_stationary, femtojoules_per_flop = 500, sram_femtojoules_per_byte = 900>
// CHECK-DAG: #[[$OUT:.+]] = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, dataflow = output_stationary>
// CHECK-DAG: #[[$STORING:.+]] = #wafer.switching<forwarding = store_and_forward, buffer_bytes = 1024, latency_ps = 4000, multicast_bytes_per_second = 5, reduce_bytes_per_second = 6, queueing = input, efficiency_ppm = 670000, virtual_channels = 2, virtual_channel_flits = 16, flit_bytes = 64, pipeline_cycles = 4, allocator_iterations = 3, speedup = 5, femtojoules_per_byte = 800, reduce_femtojoules_per_byte = 50, multicast_femtojoules_per_byte = 60>
// CHECK-DAG: #[[$CUTTING:.+]] = #wafer.switching<buffer_bytes = 1>
// CHECK-DAG: #[[$DRAM:.+]] = #wafer.storage<bytes = 1024, read_bytes_per_second = 256000000000, write_bytes_per_second = 128000000000, efficiency_ppm = 920000, latency_ps = 84000, turnaround_ps = 15000, turnaround_bytes = 4096, read_femtojoules_per_byte = 15680, write_femtojoules_per_byte = 16000, elastic = true>
// CHECK-DAG: #[[$PLAIN:.+]] = #wafer.storage<bytes = 1, read_bytes_per_second = 1, write_bytes_per_second = 1>
// CHECK-DAG: #[[$DOWN:.+]] = #wafer.wires<wires = 71, wire_bytes_per_second = 125000000, latency_ps = 5000, message_overhead_ps = 9, femtojoules_per_byte = 4000>
// CHECK-DAG: #[[$UP:.+]] = #wafer.wires<wires = 1, wire_bytes_per_second = 1>
// CHECK-DAG: #[[$DIE:.+]] = #wafer.silicon<static_microwatts = 1000, area_square_micrometers = 2000>
// CHECK-DAG: #[[$AREA:.+]] = #wafer.silicon<area_square_micrometers = 3>

#k = #wafer.compute<tiles = 2, arrays_per_tile = 16, array_rows = 20, array_columns = 16, accumulation = k, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, kernel_start_ps = 0, dataflow = streaming, femtojoules_per_flop = 0, sram_femtojoules_per_byte = 0>
#down = #wafer.wires<wires = 71, wire_bytes_per_second = 125000000, latency_ps = 5000, message_overhead_ps = 9, femtojoules_per_byte = 4000>
#up = #wafer.wires<wires = 1, wire_bytes_per_second = 1, latency_ps = 0, message_overhead_ps = 0, femtojoules_per_byte = 0>

// CHECK-LABEL: wafer.machine @deep tree packet_bytes 512 {
wafer.machine @deep tree packet_bytes 512 {
  // CHECK-NEXT: wafer.chiplet @root hosts attention sram_bytes 1048576 #[[$K]] silicon #[[$DIE]]
  wafer.chiplet @root hosts attention sram_bytes 1048576 #k silicon <static_microwatts = 1000, area_square_micrometers = 2000>
  // CHECK-NEXT: wafer.switch @s0 #[[$STORING]] silicon #[[$AREA]]
  wafer.switch @s0 <forwarding = store_and_forward, buffer_bytes = 1024, latency_ps = 4000, multicast_bytes_per_second = 5, reduce_bytes_per_second = 6, queueing = input, efficiency_ppm = 670000, virtual_channels = 2, virtual_channel_flits = 16, flit_bytes = 64, pipeline_cycles = 4, allocator_iterations = 3, speedup = 5, femtojoules_per_byte = 800, reduce_femtojoules_per_byte = 50, multicast_femtojoules_per_byte = 60> silicon <area_square_micrometers = 3>
  // CHECK-NEXT: wafer.switch @s1 #[[$CUTTING]]
  wafer.switch @s1 <buffer_bytes = 1>
  // CHECK-NEXT: wafer.chiplet @c0 hosts experts sram_bytes 1 #[[$N]]
  wafer.chiplet @c0 hosts experts sram_bytes 1 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, accumulation = n, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, kernel_start_ps = 7, dataflow = weight_stationary, femtojoules_per_flop = 500, sram_femtojoules_per_byte = 900>
  // CHECK-NEXT: wafer.chiplet @c1 hosts any sram_bytes 1 #[[$K]]
  wafer.chiplet @c1 hosts any sram_bytes 1 #k
  // CHECK-NEXT: wafer.memory @dram on @s0 #[[$DRAM]] silicon #[[$AREA]]
  wafer.memory @dram on @s0 <bytes = 1024, read_bytes_per_second = 256000000000, write_bytes_per_second = 128000000000, efficiency_ppm = 920000, latency_ps = 84000, turnaround_ps = 15000, turnaround_bytes = 4096, read_femtojoules_per_byte = 15680, write_femtojoules_per_byte = 16000, elastic = true> silicon <static_microwatts = 0, area_square_micrometers = 3>
  // CHECK-NEXT: wafer.memory @"flash 0" on @c1 #[[$PLAIN]]
  wafer.memory @"flash 0" on @c1 <bytes = 1, read_bytes_per_second = 1, write_bytes_per_second = 1>
  // CHECK-NEXT: wafer.link @root -> @s0 #[[$DOWN]]
  wafer.link @root -> @s0 #down
  // CHECK-NEXT: wafer.link @s0 -> @root #[[$UP]]
  wafer.link @s0 -> @root #up
  wafer.link @s0 -> @s1 #down
  wafer.link @s1 -> @s0 #up
  wafer.link @s1 -> @c0 #down
  wafer.link @c0 -> @s1 #up
  wafer.link @s0 -> @c1 #down
  wafer.link @c1 -> @s0 #up
}

// A machine may carry attributes of others. A mesh may have cycles. Packets of
// the usual size are not printed.
// CHECK-LABEL: wafer.machine @square mesh attributes {test.note = "kept"} {
wafer.machine @square mesh packet_bytes 4096 attributes {test.note = "kept"} {
  // CHECK-NEXT: wafer.chiplet @a hosts any sram_bytes 1 #[[$OUT]]
  wafer.chiplet @a hosts any sram_bytes 1 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, dataflow = output_stationary>
  wafer.chiplet @b hosts any sram_bytes 1 #k
  wafer.chiplet @c hosts any sram_bytes 1 #k
  wafer.link @a -> @b #up
  wafer.link @b -> @a #up
  wafer.link @b -> @c #up
  wafer.link @c -> @b #up
  wafer.link @c -> @a #up
  wafer.link @a -> @c #up
}
