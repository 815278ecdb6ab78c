wafer.machine @pair tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 1024 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.link @root -> @c0 <wires = 8, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 8, wire_bytes_per_second = 125000000>
}
wafer.machine @other tree {
  wafer.chiplet @root hosts attention sram_bytes 1024 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.chiplet @c0 hosts experts sram_bytes 1024 <tiles = 1, arrays_per_tile = 1, array_rows = 4, array_columns = 4, clock_hz = 1000000000, tile_sram_bytes_per_second = 32000000000>
  wafer.link @root -> @c0 <wires = 9, wire_bytes_per_second = 125000000>
  wafer.link @c0 -> @root <wires = 9, wire_bytes_per_second = 125000000>
}
