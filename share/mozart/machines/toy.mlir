// A small machine for examples and tests: one attention chiplet, two switches and
// two expert chiplets under each. Its numbers are chosen to be worked with by hand:
// a link moves one byte a nanosecond, a memory two, a chiplet does 2,048 operations
// a nanosecond at most, and nothing has a latency or an overhead. Memories are not
// elastic, so that a model which does not fit is an error.

#compute = #wafer.compute<tiles = 4, arrays_per_tile = 1, array_rows = 16,
  array_columns = 16, accumulation = k, clock_hz = 1000000000,
  tile_sram_bytes_per_second = 16000000000>
#switching = #wafer.switching<forwarding = cut_through, buffer_bytes = 65536,
  multicast_bytes_per_second = 4000000000, reduce_bytes_per_second = 4000000000>
#dram = #wafer.storage<bytes = 1073741824, read_bytes_per_second = 2000000000,
  write_bytes_per_second = 2000000000>
#link = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>

wafer.machine @toy tree {
  wafer.chiplet @root hosts attention sram_bytes 1048576 #compute
  wafer.memory @dram_root on @root #dram

  wafer.switch @s0 #switching
  wafer.memory @dram0 on @s0 #dram
  wafer.link @root -> @s0 #link
  wafer.link @s0 -> @root #link
  wafer.chiplet @c0 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 1048576 #compute
  wafer.link @s0 -> @c0 #link
  wafer.link @c0 -> @s0 #link
  wafer.link @s0 -> @c1 #link
  wafer.link @c1 -> @s0 #link

  wafer.switch @s1 #switching
  wafer.memory @dram1 on @s1 #dram
  wafer.link @root -> @s1 #link
  wafer.link @s1 -> @root #link
  wafer.chiplet @c2 hosts experts sram_bytes 1048576 #compute
  wafer.chiplet @c3 hosts experts sram_bytes 1048576 #compute
  wafer.link @s1 -> @c2 #link
  wafer.link @c2 -> @s1 #link
  wafer.link @s1 -> @c3 #link
  wafer.link @c3 -> @s1 #link
}
