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
#include <utility>

using namespace mozart;

static MemoryUse emptyUse(Place place, std::string name, int64_t capacity) {
  MemoryUse use;
  use.place = place;
  use.name = std::move(name);
  use.capacityBytes = capacity;
  return use;
}

static void addSaturated(int64_t &total, int64_t bytes) {
  if (__builtin_add_overflow(total, bytes, &total))
    total = std::numeric_limits<int64_t>::max();
}

std::vector<MemoryUse> mozart::memoryUse(const Program &program,
                                         const MachineModel &machine) {
  std::vector<MemoryUse> uses;
  std::vector<size_t> ofNode(machine.numNodes(), 0);
  for (int32_t i = 0; i < machine.numNodes(); ++i) {
    if (!machine.node(i).isChiplet())
      continue;
    ofNode[i] = uses.size();
    uses.push_back(emptyUse({Place::Kind::Sram, i},
                            absl::StrCat(machine.node(i).name, ".sram"),
                            machine.node(i).sramBytes));
  }
  size_t firstMemory = uses.size();
  for (int32_t i = 0; i < machine.numMemories(); ++i)
    uses.push_back(emptyUse({Place::Kind::Dram, i}, machine.memory(i).name,
                            machine.memory(i).bytes));

  std::vector<std::vector<std::pair<int64_t, int64_t>>> ranges(uses.size());
  std::vector<int64_t> without(uses.size(), 0);
  for (const Buffer &buffer : program.buffers) {
    if (buffer.viewOf >= 0)
      continue;
    size_t use = buffer.place.kind == Place::Kind::Sram
                     ? ofNode[buffer.place.index]
                     : firstMemory + buffer.place.index;
    int64_t bytes = buffer.type.bytes();
    if (buffer.offset < 0)
      addSaturated(without[use], bytes);
    else if (bytes > 0)
      ranges[use].emplace_back(buffer.offset, buffer.offset + bytes);
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    MemoryUse &use = uses[i];
    std::sort(ranges[i].begin(), ranges[i].end());
    for (auto [begin, end] : ranges[i]) {
      use.peakBytes +=
          std::max<int64_t>(0, end - std::max(begin, use.endBytes));
      use.endBytes = std::max(use.endBytes, end);
    }
    addSaturated(use.peakBytes, without[i]);
    addSaturated(use.endBytes, without[i]);
  }
  return uses;
}
