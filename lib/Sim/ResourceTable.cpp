//===- ResourceTable.cpp - What flows cross, and how much of it -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResourceTable.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace mozart;

const char *mozart::resourceKindName(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::Link:
    return "link";
  case ResourceKind::Dram:
    return "dram";
  case ResourceKind::Sram:
    return "sram";
  case ResourceKind::Multicast:
    return "multicast";
  case ResourceKind::Reduce:
    return "reduce";
  case ResourceKind::Compute:
    return "compute";
  case ResourceKind::Dma:
    return "dma";
  case ResourceKind::Send:
    return "send";
  case ResourceKind::Receive:
    return "receive";
  case ResourceKind::Channel:
    return "channel";
  }
  return "unknown";
}

ResourceTable::ResourceTable(const MachineModel &machine) : machine(machine) {
  for (int32_t i = 0; i < machine.numLinks(); ++i)
    add(ResourceKind::Link, i, machine.linkBytesPerSecond(i));
  firstMemory = static_cast<int32_t>(entries.size());
  for (int32_t i = 0; i < machine.numMemories(); ++i)
    add(ResourceKind::Dram, i, machine.readBytesPerSecond(i));
  auto parts = [&](ResourceKind kind, auto rateOf) {
    std::vector<int32_t> of(machine.numNodes(), -1);
    for (int32_t i = 0; i < machine.numNodes(); ++i) {
      int64_t rate = rateOf(i);
      if (rate <= 0)
        continue;
      of[i] = static_cast<int32_t>(entries.size());
      add(kind, i, rate);
    }
    return of;
  };
  sramOf = parts(ResourceKind::Sram, [&](int32_t i) {
    return machine.node(i).isChiplet() ? machine.sramBytesPerSecond(i) : 0;
  });
  multicastOf = parts(ResourceKind::Multicast, [&](int32_t i) {
    return machine.node(i).multicastBytesPerSecond;
  });
  reduceOf = parts(ResourceKind::Reduce, [&](int32_t i) {
    return machine.node(i).reduceBytesPerSecond;
  });
}

void ResourceTable::add(ResourceKind kind, int32_t index, int64_t rate) {
  Entry entry;
  entry.kind = kind;
  entry.index = index;
  entry.rate = rate;
  entries.push_back(entry);
}

std::vector<int64_t> ResourceTable::rates() const {
  std::vector<int64_t> result;
  result.reserve(entries.size());
  for (const Entry &entry : entries)
    result.push_back(entry.rate);
  return result;
}

/// A batch is read and one is written in `servingPs` of `servingPs` + two
/// turns. (MachineModel has checked that both fit.)
std::vector<int64_t> ResourceTable::mixedRates() const {
  constexpr __int128 kPsPerSecond = 1000000000000;
  std::vector<int64_t> result = rates();
  for (int32_t i = 0; i < machine.numMemories(); ++i) {
    const MemoryFacts &memory = machine.memory(i);
    if (memory.turnaroundPs == 0)
      continue;
    __int128 batch = memory.turnaroundBytes * kPsPerSecond;
    __int128 servingPs = batch / machine.readBytesPerSecond(i) +
                         batch / machine.writeBytesPerSecond(i);
    int64_t &rate = result[firstMemory + i];
    rate = std::max<int64_t>(
        1,
        static_cast<int64_t>(rate * servingPs /
                             (servingPs + 2 * __int128(memory.turnaroundPs))));
  }
  return result;
}

static FlowUse use(int32_t resource, int64_t bytes) {
  FlowUse result;
  result.resource = resource;
  result.bytes = bytes;
  return result;
}

FlowUse ResourceTable::link(int32_t link, int64_t bytes) const {
  return use(link, bytes);
}

FlowUse ResourceTable::read(int32_t memory, int64_t bytes) const {
  return use(firstMemory + memory, bytes);
}

FlowUse ResourceTable::write(int32_t memory, int64_t bytes) const {
  FlowUse result = use(firstMemory + memory, bytes);
  result.weightNumerator = machine.readBytesPerSecond(memory);
  result.weightDenominator = machine.writeBytesPerSecond(memory);
  result.isWrite = true;
  return result;
}

FlowUse ResourceTable::sram(int32_t node, int64_t bytes) const {
  return use(sramOf[node], bytes);
}

FlowUse ResourceTable::multicast(int32_t node, int64_t bytes) const {
  return use(multicastOf[node], bytes);
}

FlowUse ResourceTable::reduce(int32_t node, int64_t bytes) const {
  return use(reduceOf[node], bytes);
}

void ResourceTable::count(absl::Span<const FlowUse> uses) {
  for (const FlowUse &use : uses) {
    Entry &entry = entries[use.resource];
    (use.isWrite ? entry.writtenBytes : entry.bytes) += use.bytes;
  }
}

void ResourceTable::count(const Engine &engine, int64_t busyPs) {
  engines[engine] += busyPs;
}

std::string ResourceTable::name(ResourceKind kind, int32_t index) const {
  switch (kind) {
  case ResourceKind::Link:
    return absl::StrCat(machine.node(machine.link(index).source).name, "->",
                        machine.node(machine.link(index).target).name);
  case ResourceKind::Dram:
    return machine.memory(index).name;
  case ResourceKind::Channel:
    return absl::StrCat(machine.memory(index).name, ".channel");
  default:
    return absl::StrCat(machine.node(index).name, ".", resourceKindName(kind));
  }
}

static ResourceKind resourceKind(EngineKind kind) {
  switch (kind) {
  case EngineKind::Compute:
    return ResourceKind::Compute;
  case EngineKind::Dma:
    return ResourceKind::Dma;
  case EngineKind::Channel:
    return ResourceKind::Channel;
  case EngineKind::Send:
    return ResourceKind::Send;
  case EngineKind::Receive:
    return ResourceKind::Receive;
  }
  return ResourceKind::Compute;
}

static constexpr __int128 kMost = std::numeric_limits<int64_t>::max();

/// readBytes / readRate + writtenBytes / writeRate in picoseconds, rounded up
/// once. Whole and rest apart, so that no product passes 2^127; sums of bytes
/// that pass 2^63 are an error whatever their time is.
static __int128 busyTime(__int128 readBytes, int64_t readRate,
                         __int128 writtenBytes, int64_t writeRate) {
  constexpr int64_t kPsPerSecond = 1000000000000;
  __int128 read = std::min(readBytes, kMost) * kPsPerSecond;
  __int128 written = std::min(writtenBytes, kMost) * kPsPerSecond;
  __int128 rest = read % readRate * writeRate + written % writeRate * readRate;
  __int128 unit = static_cast<__int128>(readRate) * writeRate;
  return read / readRate + written / writeRate + rest / unit +
         (rest % unit != 0);
}

absl::StatusOr<std::vector<ResourceUse>> ResourceTable::uses() const {
  std::vector<ResourceUse> result;
  auto append = [&](ResourceKind kind, int32_t index, __int128 bytes,
                    __int128 busyPs) {
    ResourceUse use;
    use.name = name(kind, index);
    use.kind = kind;
    use.index = index;
    use.bytes = static_cast<int64_t>(bytes);
    use.busyPs = static_cast<int64_t>(busyPs);
    result.push_back(std::move(use));
    return bytes <= kMost && busyPs <= kMost;
  };
  bool fits = true;
  for (const Entry &entry : entries) {
    __int128 busyPs = busyTime(
        entry.bytes, entry.rate, entry.writtenBytes,
        entry.writtenBytes > 0 ? machine.writeBytesPerSecond(entry.index) : 1);
    fits &= append(entry.kind, entry.index, entry.bytes + entry.writtenBytes,
                   busyPs);
    result.back().writtenBytes = static_cast<int64_t>(entry.writtenBytes);
  }
  std::map<std::pair<ResourceKind, int32_t>, __int128> busy;
  for (const auto &[engine, busyPs] : engines)
    busy[{resourceKind(engine.kind), engine.index}] = busyPs;
  for (const auto &[key, busyPs] : busy)
    fits &= append(key.first, key.second, 0, busyPs);
  if (!fits)
    return absl::OutOfRangeError(
        "the bytes or the time of a resource do not fit in 63 bits");
  return result;
}
