// RUN: mozart-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s

// Every fact that differs from its default is printed, every other is not.
// CHECK-DAG: #[[$K:.+]] = #wafer.compute<tiles = 2, arrays_per_tile = 16, array_rows = 20, array_columns = 16, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
// CHECK-DAG: #[[$N:.+]] = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, accumulation = n, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, kernel_start_ps = 7>
// CHECK-DAG: #[[$STORING:.+]] = #wafer.switching<forwarding = store_and_forward, buffer_bytes = 1024, latency_ps = 4000, multicast_bytes_per_second = 5, reduce_bytes_per_second = 6>
// CHECK-DAG: #[[$CUTTING:.+]] = #wafer.switching<buffer_bytes = 1>
// CHECK-DAG: #[[$DRAM:.+]] = #wafer.storage<bytes = 1024, read_bytes_per_second = 256000000000, write_bytes_per_second = 128000000000, efficiency_ppm = 920000, latency_ps = 84000, elastic = true>
// CHECK-DAG: #[[$PLAIN:.+]] = #wafer.storage<bytes = 1, read_bytes_per_second = 1, write_bytes_per_second = 1>
// CHECK-DAG: #[[$DOWN:.+]] = #wafer.wires<wires = 71, wire_bytes_per_second = 125000000, latency_ps = 5000, message_overhead_ps = 9>
// CHECK-DAG: #[[$UP:.+]] = #wafer.wires<wires = 1, wire_bytes_per_second = 1>

#k = #wafer.compute<tiles = 2, arrays_per_tile = 16, array_rows = 20, array_columns = 16, accumulation = k, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000, kernel_start_ps = 0>
#down = #wafer.wires<wires = 71, wire_bytes_per_second = 125000000, latency_ps = 5000, message_overhead_ps = 9>
#up = #wafer.wires<wires = 1, wire_bytes_per_second = 1, latency_ps = 0, message_overhead_ps = 0>

// CHECK-LABEL: wafer.machine @deep tree {
wafer.machine @deep tree {
  // CHECK-NEXT: wafer.chiplet @root hosts attention sram_bytes 1048576 #[[$K]]
  wafer.chiplet @root hosts attention sram_bytes 1048576 #k
  // CHECK-NEXT: wafer.switch @s0 #[[$STORING]]
  wafer.switch @s0 <forwarding = store_and_forward, buffer_bytes = 1024, latency_ps = 4000, multicast_bytes_per_second = 5, reduce_bytes_per_second = 6>
  // CHECK-NEXT: wafer.switch @s1 #[[$CUTTING]]
  wafer.switch @s1 <buffer_bytes = 1>
  // CHECK-NEXT: wafer.chiplet @c0 hosts experts sram_bytes 1 #[[$N]]
  wafer.chiplet @c0 hosts experts sram_bytes 1 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, accumulation = n, clock_hz = 1000000000, tile_sram_bytes_per_second = 1, kernel_start_ps = 7>
  // CHECK-NEXT: wafer.chiplet @c1 hosts any sram_bytes 1 #[[$K]]
  wafer.chiplet @c1 hosts any sram_bytes 1 #k
  // CHECK-NEXT: wafer.memory @dram on @s0 #[[$DRAM]]
  wafer.memory @dram on @s0 <bytes = 1024, read_bytes_per_second = 256000000000, write_bytes_per_second = 128000000000, efficiency_ppm = 920000, latency_ps = 84000, elastic = true>
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

// A machine may carry attributes of others. A mesh may have cycles.
// CHECK-LABEL: wafer.machine @square mesh attributes {test.note = "kept"} {
wafer.machine @square mesh attributes {test.note = "kept"} {
  wafer.chiplet @a hosts any sram_bytes 1 #k
  wafer.chiplet @b hosts any sram_bytes 1 #k
  wafer.chiplet @c hosts any sram_bytes 1 #k
  wafer.link @a -> @b #up
  wafer.link @b -> @a #up
  wafer.link @b -> @c #up
  wafer.link @c -> @b #up
  wafer.link @c -> @a #up
  wafer.link @a -> @c #up
}
