//===- MemoryOrder.h - Is every byte's use ordered? ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where buffers are, and whether tasks that touch the same bytes are ordered
// whatever the durations are. Works on programs that `verifyProgram` accepts.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_MEMORYORDER_H
#define MOZART_SIM_MEMORYORDER_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"
#include "mozart/Sim/TaskOrder.h"

#include "absl/status/status.h"

#include <string>
#include <vector>

namespace mozart {

/// Bytes [begin, end) of a memory.
struct ByteRange {
  int64_t begin = 0, end = 0;
};

/// The buffer that has the bytes: `buffer`, or the one that it is a view of.
int32_t ownerOf(const Program &program, int32_t buffer);

/// Where a buffer's elements are, in the order of its memory form: one range,
/// or two (ids, gate weights) for a view of a routing. Needs an allocated
/// buffer.
std::vector<ByteRange> rangesOf(const Program &program, int32_t buffer);

/// "the SRAM of 'c3'", "memory 'dram0'".
std::string describePlace(const MachineModel &machine, Place place);
/// "task 3 ('load.w')", "buffer 5 ('w')".
std::string describeTask(const Program &program, int32_t task);
std::string describeBuffer(const Program &program, int32_t buffer);

/// Checks that every buffer that is used has an offset and lies within its
/// SRAM, or within its memory where that is not elastic. Fails with
/// kFailedPrecondition, naming buffer, place, need and capacity.
absl::Status verifyAllocation(const Program &program,
                              const MachineModel &machine);

/// Checks every byte: of two tasks that touch it, of which one writes it, one
/// happens before the other; and no task writes a byte that it also reads or
/// writes otherwise, except in place: where a compute task stores an `Add` in
/// exactly the bytes of one of its terms and nothing needs that term later.
/// Fails with kFailedPrecondition, naming tasks, buffers, bytes and place.
absl::Status verifyMemoryOrder(const Program &program,
                               const MachineModel &machine,
                               const TaskOrder &order);

} // namespace mozart

#endif // MOZART_SIM_MEMORYORDER_H
