//===- MemoryUse.cpp - Does a program fit into the memories? --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace mozart;

std::vector<MemoryUse> mozart::memoryUse(const Program &program,
                                         const MachineModel &machine) {
  std::vector<MemoryUse> uses;
  std::vector<int32_t> ofNode(machine.numNodes(), -1);
  for (int32_t i = 0; i < machine.numNodes(); ++i) {
    if (!machine.node(i).isChiplet())
      continue;
    ofNode[i] = static_cast<int32_t>(uses.size());
    uses.push_back({{Place::Kind::Sram, i},
                    absl::StrCat(machine.node(i).name, ".sram"),
                    0,
                    machine.node(i).sramBytes});
  }
  int32_t firstMemory = static_cast<int32_t>(uses.size());
  for (int32_t i = 0; i < machine.numMemories(); ++i)
    uses.push_back({{Place::Kind::Dram, i},
                    machine.memory(i).name,
                    0,
                    machine.memory(i).bytes});
  auto useOf = [&](Place place) -> int64_t & {
    return uses[place.kind == Place::Kind::Sram ? ofNode[place.index]
                                                : firstMemory + place.index]
        .peakBytes;
  };
  for (const Buffer &buffer : program.buffers)
    if (buffer.viewOf < 0 && buffer.offset >= 0)
      useOf(buffer.place) =
          std::max(useOf(buffer.place), buffer.offset + buffer.type.bytes());
  for (const Buffer &buffer : program.buffers) {
    if (buffer.viewOf >= 0 || buffer.offset >= 0)
      continue;
    int64_t &peak = useOf(buffer.place);
    if (__builtin_add_overflow(peak, buffer.type.bytes(), &peak))
      peak = std::numeric_limits<int64_t>::max();
  }
  return uses;
}
