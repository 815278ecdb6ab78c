//===- MemoryUse.cpp - Does a program fit into the memories? --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/EventEngine.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

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

/// The buffers of a place, largest first: "'x' (4096 bytes at offset 0), ...".
static std::string largestBuffers(const Program &program, Place place) {
  constexpr size_t kMost = 8;
  std::vector<const Buffer *> here;
  for (const Buffer &buffer : program.buffers)
    if (buffer.viewOf < 0 && buffer.place == place && buffer.type.bytes() > 0)
      here.push_back(&buffer);
  std::sort(here.begin(), here.end(), [](const Buffer *a, const Buffer *b) {
    int64_t bytes = a->type.bytes(), other = b->type.bytes();
    return bytes != other ? bytes > other : a < b; // in the program's order
  });
  size_t left = here.size() - std::min(here.size(), kMost);
  here.resize(here.size() - left);
  std::string text =
      absl::StrJoin(here, ", ", [](std::string *out, const Buffer *buffer) {
        absl::StrAppend(
            out, "'", buffer->name, "' (", buffer->type.bytes(), " bytes ",
            buffer->offset < 0 ? std::string("not allocated yet")
                               : absl::StrCat("at offset ", buffer->offset),
            ")");
      });
  if (left > 0)
    absl::StrAppend(&text, " and ", left, " more");
  return text;
}

absl::Status mozart::checkMemories(const std::vector<MemoryUse> &memories,
                                   const Program &program,
                                   const MachineModel &machine,
                                   std::vector<std::string> &warnings) {
  for (const MemoryUse &use : memories) {
    if (use.endBytes <= use.capacityBytes)
      continue;
    bool isSram = use.place.kind == Place::Kind::Sram;
    std::string message = absl::StrCat(
        isSram ? "the SRAM of chiplet '" : "memory '",
        isSram ? machine.node(use.place.index).name : use.name, "': needs ",
        use.endBytes, " bytes, has ", use.capacityBytes);
    if (isSram || !machine.memory(use.place.index).elastic)
      return absl::ResourceExhaustedError(absl::StrCat(
          message,
          "; allocation is static, so at any time. Its largest buffers: ",
          largestBuffers(program, use.place),
          "; schedule fewer bytes at a time, or choose a machine with more"));
    warnings.push_back(absl::StrCat(message, " (it is declared elastic)"));
  }
  return absl::OkStatus();
}
