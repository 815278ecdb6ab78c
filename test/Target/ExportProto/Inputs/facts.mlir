// A machine in which every fact has a value of its own.
#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
  clock_hz = 1000000000, tile_sram_bytes_per_second = 1>
#wires = #wafer.wires<wires = 71, wire_bytes_per_second = 125000000, latency_ps = 5000,
  message_overhead_ps = 9, femtojoules_per_byte = 4000>
wafer.machine @facts tree packet_bytes 512 {
  wafer.chiplet @root hosts attention sram_bytes 1048576
    <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4,
     clock_hz = 1000000000, tile_sram_bytes_per_second = 1, kernel_start_ps = 7,
     dataflow = weight_stationary, femtojoules_per_flop = 500,
     sram_femtojoules_per_byte = 900>
    silicon <static_microwatts = 1000, area_square_micrometers = 2000>
  wafer.switch @s0
    <forwarding = store_and_forward, buffer_bytes = 1024, latency_ps = 4000,
     multicast_bytes_per_second = 5, reduce_bytes_per_second = 6,
     queueing = input, efficiency_ppm = 670000, virtual_channels = 2,
     virtual_channel_flits = 16, flit_bytes = 64, pipeline_cycles = 4,
     allocator_iterations = 3, speedup = 5, femtojoules_per_byte = 800,
     reduce_femtojoules_per_byte = 50, multicast_femtojoules_per_byte = 60>
    silicon <static_microwatts = 1001, area_square_micrometers = 2001>
  wafer.chiplet @c0 hosts experts sram_bytes 1 #compute
  wafer.memory @dram on @s0
    <bytes = 1024, read_bytes_per_second = 256000000000,
     write_bytes_per_second = 128000000000, efficiency_ppm = 920000,
     latency_ps = 84000, turnaround_ps = 15000, turnaround_bytes = 4096,
     read_femtojoules_per_byte = 15680, write_femtojoules_per_byte = 16000,
     elastic = true>
    silicon <static_microwatts = 1002, area_square_micrometers = 2002>
  wafer.link @root -> @s0 #wires
  wafer.link @s0 -> @root #wires
  wafer.link @s0 -> @c0 #wires
  wafer.link @c0 -> @s0 #wires
}
