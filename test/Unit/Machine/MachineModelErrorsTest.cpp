//===- MachineModelErrorsTest.cpp - Facts that are no machine -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineModel.h"

#include "Machine/TestMachines.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

using namespace mozart;
using namespace mozart::test;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// A change to a good machine, and what the message must say.
struct BadMachine {
  const char *name;
  std::function<void(MachineFacts &)> damage;
  std::vector<std::string> says;
};

class MachineErrors : public testing::TestWithParam<BadMachine> {};

// Nodes of tree({2, 2}): root 0, switches 1 2, chiplets 3 4 (below 1) 5 6.
// Links: 0 root->s1, 1 back, 2 root->s2, 3 back, 4 s1->c3, 5 back, ...
TEST_P(MachineErrors, AreNamed) {
  MachineFacts facts = tree({2, 2});
  GetParam().damage(facts);
  absl::StatusOr<MachineModel> model = MachineModel::create(facts);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
  for (const std::string &text : GetParam().says)
    EXPECT_NE(std::string(model.status().message()).find(text),
              std::string::npos)
        << "'" << text << "' is not in: " << model.status().message();
}

#define FACT(node, field, value)                                               \
  [](MachineFacts &f) { f.nodes[node].field = value; }
#define LINK(link, field, value)                                               \
  [](MachineFacts &f) { f.links[link].field = value; }
#define MEMORY(memory, field, value)                                           \
  [](MachineFacts &f) { f.memories[memory].field = value; }

const BadMachine kBadMachines[] = {
    {"NoName", [](MachineFacts &f) { f.name = ""; }, {"empty name"}},
    {"NoNodeName", FACT(3, name, ""), {"'tree'", "node 3", "empty name"}},
    {"NoMemoryName", MEMORY(1, name, ""), {"memory 1", "empty name"}},
    {"SameName", FACT(4, name, "c3"), {"'c3'", "node 3", "node 4"}},
    {"SameNameAsMemory", MEMORY(2, name, "s1"), {"'s1'", "node 1", "memory 2"}},
    {"TooManyNodes",
     [](MachineFacts &f) {
       f.nodes.resize(MachineModel::kMaxNodes + 1, f.nodes.back());
     },
     {"2049 nodes", "at most 2048"}},
    {"NoPackets",
     [](MachineFacts &f) { f.packetBytes = 0; },
     {"machine 'tree': packet_bytes is 0", "positive"}},

    {"NoSram", FACT(3, sramBytes, 0), {"chiplet 'c3'", "sram_bytes is 0"}},
    {"NoTiles", FACT(3, compute.tiles, 0), {"'c3'", "tiles is 0"}},
    {"NoArrays", FACT(3, compute.arraysPerTile, -1), {"arrays_per_tile is -1"}},
    {"NoRows", FACT(3, compute.arrayRows, 0), {"array_rows is 0"}},
    {"NoColumns", FACT(3, compute.arrayColumns, 0), {"array_columns is 0"}},
    {"NoClock",
     FACT(0, compute.clockHz, 0),
     {"chiplet 'root'", "clock_hz is 0"}},
    {"NoSramRate",
     FACT(3, compute.tileSramBytesPerSecond, 0),
     {"tile_sram_bytes_per_second is 0"}},
    {"NegativeStart",
     FACT(3, compute.kernelStartPs, -5),
     {"'c3'", "kernel_start_ps is -5", "zero or more"}},
    {"NegativeFlopEnergy",
     FACT(3, compute.femtojoulesPerFlop, -1),
     {"'c3'", "femtojoules_per_flop is -1"}},
    {"NegativeSramEnergy",
     FACT(3, sramFemtojoulesPerByte, -1),
     {"'c3'", "sram_femtojoules_per_byte is -1"}},
    {"NegativeChipletPower",
     FACT(3, staticMicrowatts, -1),
     {"chiplet 'c3'", "static_microwatts is -1"}},
    {"NegativeChipletArea",
     FACT(3, areaSquareMicrometers, -1),
     {"chiplet 'c3'", "area_square_micrometers is -1"}},
    {"ChipletLatency", FACT(3, latencyPs, 1), {"'c3'", "latency_ps is 1"}},
    {"ChipletBuffer", FACT(3, bufferBytes, 1), {"'c3'", "buffer_bytes is 1"}},
    {"ChipletMulticast",
     FACT(3, multicastBytesPerSecond, 1),
     {"'c3'", "multicast_bytes_per_second is 1"}},
    {"ChipletReduce",
     FACT(3, reduceBytesPerSecond, 1),
     {"'c3'", "reduce_bytes_per_second is 1"}},
    {"ChipletStores",
     FACT(3, forwarding, Forwarding::StoreAndForward),
     {"'c3'", "stores and forwards"}},
    {"ChipletQueues",
     FACT(3, queueing, Queueing::Input),
     {"'c3'", "queues at its inputs", "only switches"}},
    {"ChipletEfficiency",
     FACT(3, efficiencyPpm, 500000),
     {"'c3'", "efficiency_ppm is 500000", "only switches"}},
    {"ChipletChannels",
     FACT(3, virtualChannels, 5),
     {"'c3'", "virtual_channels is 5"}},
    {"ChipletChannelFlits",
     FACT(3, virtualChannelFlits, 5),
     {"'c3'", "virtual_channel_flits is 5"}},
    {"ChipletFlits", FACT(3, flitBytes, 5), {"'c3'", "flit_bytes is 5"}},
    {"ChipletPipeline",
     FACT(3, pipelineCycles, 5),
     {"'c3'", "pipeline_cycles is 5"}},
    {"ChipletAllocator",
     FACT(3, allocatorIterations, 5),
     {"'c3'", "allocator_iterations is 5"}},
    {"ChipletSpeedup", FACT(3, speedup, 5), {"'c3'", "speedup is 5"}},
    {"ChipletPassingEnergy",
     FACT(3, femtojoulesPerByte, 5),
     {"'c3'", "femtojoules_per_byte is 5", "only switches"}},
    {"ChipletReduceEnergy",
     FACT(3, reduceFemtojoulesPerByte, 5),
     {"'c3'", "reduce_femtojoules_per_byte is 5"}},
    {"ChipletMulticastEnergy",
     FACT(3, multicastFemtojoulesPerByte, 5),
     {"'c3'", "multicast_femtojoules_per_byte is 5"}},
    {"FlopsOverflow",
     FACT(3, compute.clockHz, kMost / 1000),
     {"'c3'", "peak flops per second", "2^63"}},
    {"SramRateOverflow",
     FACT(3, compute.tileSramBytesPerSecond, kMost),
     {"'c3'", "SRAM bytes per second", "2^63"}},

    {"SwitchHostsAttention",
     FACT(1, hostsAttention, true),
     {"switch 's1'", "hosts attention"}},
    {"SwitchHostsExperts",
     FACT(1, hostsExperts, true),
     {"'s1'", "hosts experts"}},
    {"NegativeBuffer",
     FACT(1, bufferBytes, -1),
     {"'s1'", "buffer_bytes is -1"}},
    {"StoreWithoutBuffer",
     [](MachineFacts &f) {
       f.nodes[2].forwarding = Forwarding::StoreAndForward;
       f.nodes[2].bufferBytes = 0;
     },
     {"'s2'", "buffer_bytes is 0", "stores messages"}},
    {"NegativeSwitchLatency",
     FACT(1, latencyPs, -7),
     {"'s1'", "latency_ps is -7"}},
    {"NegativeMulticast",
     FACT(1, multicastBytesPerSecond, -1),
     {"'s1'", "multicast_bytes_per_second is -1"}},
    {"NegativeReduce",
     FACT(1, reduceBytesPerSecond, -1),
     {"'s1'", "reduce_bytes_per_second is -1"}},
    {"NoSwitchEfficiency",
     [](MachineFacts &f) {
       f.nodes[1].queueing = Queueing::Input;
       f.nodes[1].efficiencyPpm = 0;
     },
     {"'s1'", "efficiency_ppm is 0", "1 to 1000000"}},
    {"TooEfficientSwitch",
     [](MachineFacts &f) {
       f.nodes[1].queueing = Queueing::Input;
       f.nodes[1].efficiencyPpm = 1000001;
     },
     {"'s1'", "efficiency_ppm is 1000001", "rates of its links"}},
    {"OutputQueuesLoseNothing",
     FACT(1, efficiencyPpm, 700000),
     {"'s1'", "efficiency_ppm is 700000 with output queues", "input queues"}},
    {"NoChannels",
     FACT(1, virtualChannels, 0),
     {"'s1'", "virtual_channels is 0"}},
    {"NoChannelFlits",
     FACT(1, virtualChannelFlits, -1),
     {"'s1'", "virtual_channel_flits is -1"}},
    {"NoFlit", FACT(1, flitBytes, 0), {"'s1'", "flit_bytes is 0"}},
    {"NoPipeline",
     FACT(1, pipelineCycles, 0),
     {"'s1'", "pipeline_cycles is 0"}},
    {"NoAllocator",
     FACT(1, allocatorIterations, 0),
     {"'s1'", "allocator_iterations is 0"}},
    {"NoSpeedup", FACT(1, speedup, 0), {"'s1'", "speedup is 0"}},
    {"QueueOverflow",
     FACT(1, flitBytes, kMost / 64),
     {"'s1'", "bytes of the queues of an input", "2^63"}},
    {"NegativePassingEnergy",
     FACT(1, femtojoulesPerByte, -1),
     {"switch 's1'", "femtojoules_per_byte is -1"}},
    {"NegativeReduceEnergy",
     FACT(1, reduceFemtojoulesPerByte, -1),
     {"'s1'", "reduce_femtojoules_per_byte is -1"}},
    {"NegativeMulticastEnergy",
     FACT(1, multicastFemtojoulesPerByte, -1),
     {"'s1'", "multicast_femtojoules_per_byte is -1"}},
    {"NegativeSwitchPower",
     FACT(1, staticMicrowatts, -1),
     {"'s1'", "static_microwatts is -1"}},
    {"NegativeSwitchArea",
     FACT(1, areaSquareMicrometers, -1),
     {"'s1'", "area_square_micrometers is -1"}},

    {"MemoryNowhere",
     MEMORY(1, node, 7),
     {"memory 'dram1'", "node 7", "[0, 7)"}},
    {"MemoryUnattached", MEMORY(1, node, -1), {"'dram1'", "node -1"}},
    {"EmptyMemory", MEMORY(0, bytes, 0), {"'dram_root'", "bytes is 0"}},
    {"NoReadRate",
     MEMORY(0, readBytesPerSecond, 0),
     {"read_bytes_per_second is 0"}},
    {"NoWriteRate",
     MEMORY(0, writeBytesPerSecond, -2),
     {"write_bytes_per_second is -2"}},
    {"NoEfficiency", MEMORY(0, efficiencyPpm, 0), {"efficiency_ppm is 0"}},
    {"TooEfficient",
     MEMORY(0, efficiencyPpm, 1000001),
     {"'dram_root'", "efficiency_ppm is 1000001", "1 to 1000000", "the peak"}},
    {"SustainedReadBelowOne",
     [](MachineFacts &f) {
       f.memories[0].readBytesPerSecond = 9;
       f.memories[0].efficiencyPpm = 100000;
     },
     {"'dram_root'", "sustained read rate"}},
    {"SustainedWriteBelowOne",
     [](MachineFacts &f) {
       f.memories[0].writeBytesPerSecond = 9;
       f.memories[0].efficiencyPpm = 100000;
     },
     {"'dram_root'", "sustained write rate"}},
    {"NegativeMemoryLatency",
     MEMORY(0, latencyPs, -1),
     {"'dram_root'", "latency_ps"}},
    {"NegativeTurnaround",
     MEMORY(0, turnaroundPs, -1),
     {"'dram_root'", "turnaround_ps is -1"}},
    {"NegativeTurnaroundBytes",
     MEMORY(0, turnaroundBytes, -1),
     {"'dram_root'", "turnaround_bytes is -1"}},
    {"TurnsWithoutBytes",
     MEMORY(0, turnaroundPs, 7000),
     {"'dram_root'", "turnaround_bytes is 0 though turnaround_ps is 7000"}},
    {"TurnsTakeTooLong",
     [](MachineFacts &f) {
       f.memories[0].turnaroundPs = 1;
       f.memories[0].turnaroundBytes = kMost;
     },
     {"'dram_root'", "turnaround_bytes 9223372036854775807", "2^63"}},
    {"NegativeReadEnergy",
     MEMORY(0, readFemtojoulesPerByte, -1),
     {"'dram_root'", "read_femtojoules_per_byte is -1"}},
    {"NegativeWriteEnergy",
     MEMORY(0, writeFemtojoulesPerByte, -1),
     {"'dram_root'", "write_femtojoules_per_byte is -1"}},
    {"NegativeMemoryPower",
     MEMORY(0, staticMicrowatts, -1),
     {"'dram_root'", "static_microwatts is -1"}},
    {"NegativeMemoryArea",
     MEMORY(0, areaSquareMicrometers, -1),
     {"'dram_root'", "area_square_micrometers is -1"}},

    {"LinkFromNowhere", LINK(4, source, -1), {"link 4", "starts at node -1"}},
    {"LinkToNowhere",
     LINK(4, target, 99),
     {"link 4", "ends at node 99", "[0, 7)"}},
    {"LinkToItself", LINK(4, target, 1), {"link 4", "to itself"}},
    {"NoWires", LINK(4, wires, 0), {"link 4 ('s1' -> 'c3')", "wires is 0"}},
    {"NoWireRate",
     LINK(4, wireBytesPerSecond, 0),
     {"'s1' -> 'c3'", "wire_bytes_per_second is 0"}},
    {"NegativeLinkLatency",
     LINK(4, latencyPs, -1),
     {"link 4", "latency_ps is -1"}},
    {"NegativeOverhead",
     LINK(4, messageOverheadPs, -1),
     {"link 4", "message_overhead_ps is -1"}},
    {"NegativeLinkEnergy",
     LINK(4, femtojoulesPerByte, -1),
     {"link 4", "femtojoules_per_byte is -1"}},
    {"LinkRateOverflow",
     LINK(4, wireBytesPerSecond, kMost),
     {"link 4", "bytes per second", "2^63"}},
    {"LinkTwice",
     [](MachineFacts &f) { f.links.push_back(f.links[4]); },
     {"link 12 ('s1' -> 'c3')", "same nodes as link 4"}},
    {"LinkOneWay",
     [](MachineFacts &f) { f.links.erase(f.links.begin() + 5); },
     {"link 4 ('s1' -> 'c3')", "no link back from 'c3' to 's1'"}},
    {"Cycle",
     [](MachineFacts &f) { join(f, 3, 5); },
     {"link 12 ('c3' -> 'c5')", "closes a cycle", "mesh"}},
    {"CycleDeclaredDownwards",
     [](MachineFacts &f) { join(f, 5, 3); },
     {"link 13 ('c3' -> 'c5')", "closes a cycle"}},
    {"NotConnected",
     [](MachineFacts &f) { f.nodes.push_back(chiplet("lost", false, true)); },
     {"chiplet 'lost'", "root", "connected"}},
    {"NoAttention", FACT(0, hostsAttention, false), {"hosts attention"}},
    {"NoExperts",
     [](MachineFacts &f) {
       for (NodeFacts &node : f.nodes)
         node.hostsExperts = false;
     },
     {"hosts experts"}},
};

INSTANTIATE_TEST_SUITE_P(All, MachineErrors, testing::ValuesIn(kBadMachines),
                         [](const testing::TestParamInfo<BadMachine> &info) {
                           return std::string(info.param.name);
                         });

TEST(MachineErrors, NothingAtAllIsAnError) {
  EXPECT_FALSE(MachineModel::create(MachineFacts()).ok());
  MachineFacts facts;
  facts.name = "empty";
  EXPECT_FALSE(MachineModel::create(facts).ok());
}

} // namespace
