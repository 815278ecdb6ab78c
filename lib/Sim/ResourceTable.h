//===- ResourceTable.h - What flows cross, and how much of it -----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_RESOURCETABLE_H
#define MOZART_LIB_SIM_RESOURCETABLE_H

#include "FlowNetwork.h"

#include "mozart/Sim/EventEngine.h"

#include "absl/status/statusor.h"

#include <map>

namespace mozart {

/// Numbers the resources of a machine that flows cross, and adds up what went
/// over them. Engines are added up beside them.
class ResourceTable {
public:
  explicit ResourceTable(const MachineModel &machine);

  /// Bytes per second of each resource. Of a memory: its read rate; writes
  /// weigh as much more as they are slower.
  std::vector<int64_t> rates() const;

  /// The same while a memory is both read and written: it serves batches of
  /// `turnaround_bytes` of each in turn and loses `turnaround_ps` at each turn.
  /// Equal to `rates` where nothing turns.
  std::vector<int64_t> mixedRates() const;

  FlowUse link(int32_t link, int64_t bytes) const;
  FlowUse read(int32_t memory, int64_t bytes) const;
  FlowUse write(int32_t memory, int64_t bytes) const;
  FlowUse sram(int32_t node, int64_t bytes) const;
  /// -1 as resource: the node has no such part.
  FlowUse multicast(int32_t node, int64_t bytes) const;
  FlowUse reduce(int32_t node, int64_t bytes) const;

  /// Counts the bytes of a flow that has ended.
  void count(absl::Span<const FlowUse> uses);
  /// Counts the time that a task occupied an engine.
  void count(const Engine &engine, int64_t busyPs);

  /// Fails with kOutOfRange if a sum does not fit in 63 bits. The first entries
  /// have the indices of flow resources.
  absl::StatusOr<std::vector<ResourceUse>> uses() const;

private:
  struct Entry {
    ResourceKind kind;
    int32_t index;
    int64_t rate; ///< of memories: of reads
    __int128 bytes = 0, writtenBytes = 0;
  };

  const MachineModel &machine;
  std::vector<Entry> entries;
  int32_t firstMemory = 0;
  std::vector<int32_t> sramOf, multicastOf, reduceOf; // by node
  std::map<Engine, __int128> engines;

  void add(ResourceKind kind, int32_t index, int64_t rate);
  std::string name(ResourceKind kind, int32_t index) const;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_RESOURCETABLE_H
