//===- Energy.cpp - What a program's run takes in joules ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Energy.h"

#include "mozart/Cost/KernelCost.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

namespace {

/// A sum of femtojoules, and whether any fact spoke of it.
struct Sum {
  __int128 femtojoules = 0;
  bool known = false;
};

class EnergyCounter {
public:
  EnergyCounter(const Program &program, const MachineModel &machine,
                RoutingCounter &counter, const SimulationResult &result)
      : program(program), machine(machine), counter(counter), result(result) {}

  absl::StatusOr<std::vector<EnergyPart>> run() {
    for (const ResourceUse &use : result.resources)
      add(use);
    if (absl::Status status = addKernels(); !status.ok())
      return status;
    addStatic();
    if (overflow)
      return absl::OutOfRangeError(
          absl::StrCat("program '", program.name,
                       "': its energy does not fit in 127 bits of femtojoules; "
                       "the machine's energies are too large"));
    std::vector<EnergyPart> parts;
    for (auto [name, sum] :
         {std::pair("dram_read", &dramRead),
          std::pair("dram_write", &dramWrite), std::pair("links", &links),
          std::pair("switches", &switches), std::pair("multicast", &multicast),
          std::pair("reduce", &reduce), std::pair("sram", &sram),
          std::pair("compute", &compute)})
      if (sum->known)
        parts.push_back({name, static_cast<double>(sum->femtojoules) / 1e15});
    if (idle.known) // attojoules
      parts.push_back({"static", static_cast<double>(idle.femtojoules) / 1e18});
    return parts;
  }

private:
  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  const SimulationResult &result;
  bool overflow = false;
  Sum dramRead, dramWrite, links, switches, multicast, reduce, sram, compute,
      idle;

  void add(Sum &sum, int64_t unit, __int128 count) {
    if (unit == 0)
      return;
    sum.known = true;
    __int128 energy = 0;
    overflow |=
        __builtin_mul_overflow(count, __int128(unit), &energy) ||
        __builtin_add_overflow(sum.femtojoules, energy, &sum.femtojoules);
  }

  /// Bytes that enter a switch, over a link or from a memory that hangs on it.
  void enter(int32_t node, int64_t bytes) {
    if (!machine.node(node).isChiplet())
      add(switches, machine.node(node).femtojoulesPerByte, bytes);
  }

  void add(const ResourceUse &use) {
    switch (use.kind) {
    case ResourceKind::Link:
      add(links, machine.link(use.index).femtojoulesPerByte, use.bytes);
      return enter(machine.link(use.index).target, use.bytes);
    case ResourceKind::Dram: {
      const MemoryFacts &memory = machine.memory(use.index);
      int64_t readBytes = use.bytes - use.writtenBytes;
      add(dramRead, memory.readFemtojoulesPerByte, readBytes);
      add(dramWrite, memory.writeFemtojoulesPerByte, use.writtenBytes);
      return enter(memory.node, readBytes);
    }
    case ResourceKind::Sram:
      return add(sram, machine.node(use.index).sramFemtojoulesPerByte,
                 use.bytes);
    case ResourceKind::Multicast:
      return add(multicast, machine.node(use.index).multicastFemtojoulesPerByte,
                 use.bytes);
    case ResourceKind::Reduce:
      return add(reduce, machine.node(use.index).reduceFemtojoulesPerByte,
                 use.bytes);
    default:
      return; // engines cost what they move
    }
  }

  absl::Status addKernels() {
    for (size_t i = 0; i < program.tasks.size(); ++i) {
      const Task &task = program.tasks[i];
      if (task.kind != TaskKind::Compute)
        continue;
      absl::StatusOr<std::vector<KernelWork>> steps =
          taskWork(program, static_cast<int32_t>(i), counter);
      if (!steps.ok())
        return steps.status();
      KernelWork work;
      for (const KernelWork &step : *steps)
        work.add(step);
      const NodeFacts &node = machine.node(task.node);
      __int128 flops = 0;
      overflow |=
          __builtin_mul_overflow(work.multiplyAdds, __int128(2), &flops) ||
          __builtin_add_overflow(flops, work.plainFlops, &flops);
      add(compute, node.compute.femtojoulesPerFlop, flops);
      __int128 bytes = sramBytes(work, node);
      overflow |= bytes < 0;
      add(sram, node.sramFemtojoulesPerByte, bytes);
    }
    return absl::OkStatus();
  }

  /// Microwatts times picoseconds are attojoules.
  void addStatic() {
    for (const NodeFacts &node : machine.facts().nodes)
      add(idle, node.staticMicrowatts, result.latencyPs);
    for (const MemoryFacts &memory : machine.facts().memories)
      add(idle, memory.staticMicrowatts, result.latencyPs);
  }
};

} // namespace

absl::StatusOr<std::vector<EnergyPart>>
mozart::programEnergy(const Program &program, const MachineModel &machine,
                      RoutingCounter &counter, const SimulationResult &result) {
  return EnergyCounter(program, machine, counter, result).run();
}

std::vector<AreaPart> mozart::machineArea(const MachineModel &machine) {
  __int128 chiplets = 0, switches = 0, memories = 0; // square micrometers
  for (const NodeFacts &node : machine.facts().nodes)
    (node.isChiplet() ? chiplets : switches) += node.areaSquareMicrometers;
  for (const MemoryFacts &memory : machine.facts().memories)
    memories += memory.areaSquareMicrometers;
  std::vector<AreaPart> parts;
  for (auto [name, area] :
       {std::pair("chiplets", chiplets), std::pair("switches", switches),
        std::pair("memories", memories)})
    if (area > 0)
      parts.push_back({name, static_cast<double>(area) / 1e6});
  return parts;
}
