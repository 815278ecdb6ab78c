// The machine of the Mozart paper (NeurIPS 2025, arXiv 2603.07006) for DeepSeek-MoE-16B:
// one attention chiplet, four switches, four expert chiplets under each.
//
// Stated in the paper: the tree; 16 arrays a tile at 1 GHz; 2.265 MB of SRAM and
// 32 GB/s a tile; 0.125 GB/s a wire; HBM2 stacks of 8192 MB and 256 GB/s, one for
// each switch group (shared through the switch) and two for the attention
// chiplet; switches that add on the way up; FP16; the total area,
// 11,230 mm2 for this machine.
//
// Derived:
//   tiles       71, from the ranges the paper gives (36 to 100 tiles, 256 to 576
//               elements an array), 20 x 20 arrays and the published areas in the
//               ratio 14,175 : 10,200 : 11,230 = 89 : 64 : 71.
//   sram_bytes  71 x 2,265,000.
//   A row of f16 that meets 16 arrays of 20 x 20 joined along K costs 2 x 320 bytes
//   read and 2 x 20 written for 2 x 320 x 20 operations, so a tile with 32 GB/s
//   sustains 602 GFLOP/s and this chiplet 42.8 TFLOP/s.
//
// Chosen, because the paper does not say:
//   wires       168 to a chiplet and 63 to the root in each direction. The
//               189 and 71 that fit Qwen3-30B-A3B, times the square root of the
//               ratio of the areas, 11,230 / 14,175: an edge grows as the root
//               of an area.
//   arrays      20 x 20, in the middle of the stated range; joined along K, which
//               is what brings the SRAM roofline down to the fitted rate.
//   forwarding  store and forward: every fit of the published latencies needs the
//               time of a weight load to be DRAM time plus link time.
//   buffer      32 MiB: holds the weights of one expert of every model here, so
//               that storing a message never splits it.
//   multicast and reduction
//               91,875,000,000 bytes/s, the sum of the switch's links in one direction, so
//               that the links bind and never the switch. Without reduction
//               the published gain of de-duplication is missed by 23 %.
//   latencies   4 ns a switch (four stages at 1 GHz), 5 ns a link, 84 ns a DRAM
//               access (an HBM2 stack under full load in a cycle-accurate
//               simulation). Together they are below 0.1 % of a step.
//   efficiency  92 % of a stack's peak, what sequential reads sustain in the same
//               simulation; refresh explains the rest.
//   overheads   none for a message and none for a kernel start.
//   dataflow    weight stationary, as inference chips with such arrays are. The SRAM
//               binds all but the smallest products, so that it hardly matters.
//   queueing    output (the ideal switch, the default): the paper says nothing of
//               its switches.
//   turnaround  15 ns lost after every 64 KiB of a stack while it is both read and
//               written: 64 accesses of 64 bytes on each of its 16 pseudo-channels.
//   area        HBM2 stacks of 92 mm2, switches of 64 mm2, and what is left of the
//               published total in equal parts for the 17 compute chiplets,
//               613.1 mm2 each (their footprint: logic over SRAM).
//   static power
//               50 mW/mm2 of chiplets and switches and 1 W a stack: 540 W of the
//               3.19 kW that the paper states in total. (A known 28 nm inference
//               chip idles at 28 W on at most 331 mm2, 85 mW/mm2.)
//
// Energy. The paper has no result and no fact. Of the constants below only reads of
// DRAM were measured: 1.96 pJ/bit = 15,680 fJ/byte in the core of an HBM2 stack
// under sequential reads, in a cycle-accurate simulation with datasheet currents;
// its I/O is not in that figure. The others are chosen from published ranges for
// about this process:
//   dram writes 15,680 fJ/byte, as reads.
//   links       8,000 fJ/byte (1 pJ/bit; links on interposers: 0.3 to 2).
//   switch      1,600 fJ/byte that passes (0.2 pJ/bit; buffer and crossbar), and on
//               top 200 for a byte that is added and 100 for one that is copied.
//   sram        4,000 fJ/byte (0.5 pJ/bit), between 32 KB and 1 MB arrays (2.5 and
//               12.5 pJ/byte at 45 nm, scaled).
//   arrays      500 fJ/flop: an FP16 multiply-add takes 1.5 pJ at 45 nm, about 0.9
//               at 28 nm, and the rest is registers and control.
//
// The memories are elastic: the weights fit, but the optimiser's states do not.
// The two stacks of the attention chiplet are interleaved, hence one memory of
// twice the size and rate.

#compute = #wafer.compute<tiles = 71, arrays_per_tile = 16, array_rows = 20,
  array_columns = 20, accumulation = k, clock_hz = 1000000000,
  tile_sram_bytes_per_second = 32000000000, dataflow = weight_stationary,
  femtojoules_per_flop = 500,
  sram_femtojoules_per_byte = 4000>
#switching = #wafer.switching<forwarding = store_and_forward, buffer_bytes = 33554432,
  latency_ps = 4000, multicast_bytes_per_second = 91875000000,
  reduce_bytes_per_second = 91875000000,
  femtojoules_per_byte = 1600, reduce_femtojoules_per_byte = 200,
  multicast_femtojoules_per_byte = 100>
#stack = #wafer.storage<bytes = 8589934592, read_bytes_per_second = 256000000000,
  write_bytes_per_second = 256000000000, efficiency_ppm = 920000,
  latency_ps = 84000, turnaround_ps = 15000, turnaround_bytes = 65536,
  read_femtojoules_per_byte = 15680, write_femtojoules_per_byte = 15680,
  elastic = true>
#two_stacks = #wafer.storage<bytes = 17179869184,
  read_bytes_per_second = 512000000000, write_bytes_per_second = 512000000000,
  efficiency_ppm = 920000, latency_ps = 84000, turnaround_ps = 15000,
  turnaround_bytes = 131072, read_femtojoules_per_byte = 15680,
  write_femtojoules_per_byte = 15680, elastic = true>
#trunk = #wafer.wires<wires = 63, wire_bytes_per_second = 125000000,
  latency_ps = 5000, femtojoules_per_byte = 8000>
#leaf = #wafer.wires<wires = 168, wire_bytes_per_second = 125000000,
  latency_ps = 5000, femtojoules_per_byte = 8000>
#root_die = #wafer.silicon<static_microwatts = 30652942,
  area_square_micrometers = 613058832>
#expert_die = #wafer.silicon<static_microwatts = 30652941,
  area_square_micrometers = 613058823>
#switch_die = #wafer.silicon<static_microwatts = 3200000,
  area_square_micrometers = 64000000>
#stack_die = #wafer.silicon<static_microwatts = 1000000,
  area_square_micrometers = 92000000>
#two_stack_dies = #wafer.silicon<static_microwatts = 2000000,
  area_square_micrometers = 184000000>

wafer.machine @"mozart-deepseek-moe-16b" tree {
  wafer.chiplet @root hosts attention sram_bytes 160815000 #compute silicon #root_die
  wafer.memory @dram_root on @root #two_stacks silicon #two_stack_dies

  wafer.switch @s0 #switching silicon #switch_die
  wafer.memory @dram0 on @s0 #stack silicon #stack_die
  wafer.link @root -> @s0 #trunk
  wafer.link @s0 -> @root #trunk
  wafer.chiplet @c0 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c1 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c2 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c3 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.link @s0 -> @c0 #leaf
  wafer.link @c0 -> @s0 #leaf
  wafer.link @s0 -> @c1 #leaf
  wafer.link @c1 -> @s0 #leaf
  wafer.link @s0 -> @c2 #leaf
  wafer.link @c2 -> @s0 #leaf
  wafer.link @s0 -> @c3 #leaf
  wafer.link @c3 -> @s0 #leaf

  wafer.switch @s1 #switching silicon #switch_die
  wafer.memory @dram1 on @s1 #stack silicon #stack_die
  wafer.link @root -> @s1 #trunk
  wafer.link @s1 -> @root #trunk
  wafer.chiplet @c4 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c5 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c6 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c7 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.link @s1 -> @c4 #leaf
  wafer.link @c4 -> @s1 #leaf
  wafer.link @s1 -> @c5 #leaf
  wafer.link @c5 -> @s1 #leaf
  wafer.link @s1 -> @c6 #leaf
  wafer.link @c6 -> @s1 #leaf
  wafer.link @s1 -> @c7 #leaf
  wafer.link @c7 -> @s1 #leaf

  wafer.switch @s2 #switching silicon #switch_die
  wafer.memory @dram2 on @s2 #stack silicon #stack_die
  wafer.link @root -> @s2 #trunk
  wafer.link @s2 -> @root #trunk
  wafer.chiplet @c8 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c9 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c10 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c11 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.link @s2 -> @c8 #leaf
  wafer.link @c8 -> @s2 #leaf
  wafer.link @s2 -> @c9 #leaf
  wafer.link @c9 -> @s2 #leaf
  wafer.link @s2 -> @c10 #leaf
  wafer.link @c10 -> @s2 #leaf
  wafer.link @s2 -> @c11 #leaf
  wafer.link @c11 -> @s2 #leaf

  wafer.switch @s3 #switching silicon #switch_die
  wafer.memory @dram3 on @s3 #stack silicon #stack_die
  wafer.link @root -> @s3 #trunk
  wafer.link @s3 -> @root #trunk
  wafer.chiplet @c12 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c13 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c14 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.chiplet @c15 hosts experts sram_bytes 160815000 #compute silicon #expert_die
  wafer.link @s3 -> @c12 #leaf
  wafer.link @c12 -> @s3 #leaf
  wafer.link @s3 -> @c13 #leaf
  wafer.link @c13 -> @s3 #leaf
  wafer.link @s3 -> @c14 #leaf
  wafer.link @c14 -> @s3 #leaf
  wafer.link @s3 -> @c15 #leaf
  wafer.link @c15 -> @s3 #leaf
}
