// A root and two expert chiplets with more SRAM than anyone has.
#compute = #wafer.compute<tiles = 1, arrays_per_tile = 1, array_rows = 16,
  array_columns = 16, clock_hz = 1000000000, tile_sram_bytes_per_second = 16000000000>
#link = #wafer.wires<wires = 8, wire_bytes_per_second = 125000000>

wafer.machine @wide tree {
  wafer.chiplet @root hosts attention sram_bytes 4611686018427387904 #compute
  wafer.memory @dram on @root <bytes = 1073741824, read_bytes_per_second = 2000000000,
    write_bytes_per_second = 2000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 4611686018427387904 #compute
  wafer.chiplet @c1 hosts experts sram_bytes 4611686018427387904 #compute
  wafer.link @root -> @c0 #link
  wafer.link @c0 -> @root #link
  wafer.link @root -> @c1 #link
  wafer.link @c1 -> @root #link
}
