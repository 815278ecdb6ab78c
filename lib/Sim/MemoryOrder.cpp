//===- MemoryOrder.cpp - Is every byte's use ordered? ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/MemoryOrder.h"

#include "RangeMap.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace mozart;

int32_t mozart::ownerOf(const Program &program, int32_t buffer) {
  int32_t parent = program.buffers[buffer].viewOf;
  return parent == -1 ? buffer : parent;
}

std::vector<ByteRange> mozart::rangesOf(const Program &program,
                                        int32_t buffer) {
  const Buffer &b = program.buffers[buffer];
  const Buffer &owner = program.buffers[ownerOf(program, buffer)];
  int64_t begin = owner.offset;
  if (b.viewOf == -1)
    return {{begin, begin + b.type.bytes()}};
  // `each` bytes per element, all elements of the owner at `begin`.
  auto rows = [&](int64_t each) {
    int64_t rowBytes = each;
    for (size_t axis = 1; axis < b.type.shape.size(); ++axis)
      rowBytes *= b.type.shape[axis];
    int64_t first = begin + b.rowBegin * rowBytes;
    begin += owner.type.rows() * rowBytes;
    return ByteRange{first, first + b.type.rows() * rowBytes};
  };
  std::vector<ByteRange> ranges;
  if (b.type.kind == ValueType::Kind::Routing)
    ranges.push_back(rows(elementBytes(ElementType::I32)));
  ranges.push_back(rows(elementBytes(b.type.element)));
  return ranges;
}

std::string mozart::describePlace(const MachineModel &machine, Place place) {
  return place.kind == Place::Kind::Sram
             ? absl::StrCat("the SRAM of '", machine.node(place.index).name,
                            "'")
             : absl::StrCat("memory '", machine.memory(place.index).name, "'");
}

std::string mozart::describeTask(const Program &program, int32_t task) {
  return absl::StrCat("task ", task, " ('", program.tasks[task].name, "')");
}

std::string mozart::describeBuffer(const Program &program, int32_t buffer) {
  return absl::StrCat("buffer ", buffer, " ('", program.buffers[buffer].name,
                      "')");
}

/// Whether anything reads or writes a buffer, or a view of it.
static std::vector<bool> findUsed(const Program &program) {
  std::vector<bool> used(program.buffers.size(), false);
  auto mark = [&](int32_t buffer) { used[ownerOf(program, buffer)] = true; };
  for (const Input &input : program.inputs)
    mark(input.buffer);
  for (const Output &output : program.outputs)
    mark(output.buffer);
  for (const Task &task : program.tasks) {
    std::for_each(task.reads.begin(), task.reads.end(), mark);
    std::for_each(task.writes.begin(), task.writes.end(), mark);
  }
  return used;
}

absl::Status mozart::verifyAllocation(const Program &program,
                                      const MachineModel &machine) {
  std::vector<bool> used = findUsed(program);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer &b = program.buffers[i];
    if (!used[i])
      continue;
    std::string what =
        absl::StrCat("program '", program.name, "', ",
                     describeBuffer(program, static_cast<int32_t>(i)), ": ");
    if (b.offset < 0)
      return absl::FailedPreconditionError(absl::StrCat(
          what, "has no offset in ", describePlace(machine, b.place),
          "; allocate the program's buffers first"));
    if (b.place.kind == Place::Kind::Dram &&
        machine.memory(b.place.index).elastic)
      continue;
    int64_t capacity = b.place.kind == Place::Kind::Sram
                           ? machine.node(b.place.index).sramBytes
                           : machine.memory(b.place.index).bytes;
    if (b.offset + b.type.bytes() > capacity)
      return absl::FailedPreconditionError(
          absl::StrCat(what, "ends at byte ", b.offset + b.type.bytes(), " of ",
                       describePlace(machine, b.place),
                       "; expected at most its ", capacity, " bytes"));
  }
  return absl::OkStatus();
}

namespace {

/// A use of a byte by a task through a buffer.
struct Access {
  int32_t task = -1;
  int32_t buffer = -1;
};

/// What matters of a byte's past: who wrote it last, and who read it since.
struct History {
  Access writer;
  std::vector<Access> readers;
};

/// Walks the tasks in one possible order. Each access need only be compared
/// with the last write and the reads since: with older ones it is ordered
/// through these, as far as they are.
class MemoryOrderChecker {
public:
  MemoryOrderChecker(const Program &program, const MachineModel &machine,
                     const TaskOrder &order)
      : program(program), machine(machine), order(order) {}

  absl::Status run() {
    for (int32_t task : order.linearize(OrderChoice::Earliest)) {
      for (int32_t buffer : program.tasks[task].reads)
        access({task, buffer}, /*write=*/false);
      for (size_t i = 0; i < program.tasks[task].writes.size(); ++i)
        access({task, program.tasks[task].writes[i]}, /*write=*/true, i);
      if (!error.ok())
        return error;
    }
    return absl::OkStatus();
  }

private:
  const Program &program;
  const MachineModel &machine;
  const TaskOrder &order;
  std::map<std::pair<Place::Kind, int32_t>, RangeMap<History>> memories;
  absl::Status error;

  void access(Access now, bool write, size_t result = 0) {
    Place place = program.buffers[now.buffer].place;
    RangeMap<History> &memory = memories[{place.kind, place.index}];
    for (ByteRange range : rangesOf(program, now.buffer)) {
      if (!write) {
        memory.forEach(range, [&](ByteRange bytes, History &history) {
          history.readers.push_back(now);
          return compare(history.writer, "writes", now, "reads", bytes);
        });
        continue;
      }
      memory.forEach(range, [&](ByteRange bytes, History &history) {
        for (Access reader : history.readers)
          if (!(reader.task == now.task && isInPlace(now, result, reader)) &&
              !compare(reader, "reads", now, "writes", bytes))
            return false;
        return compare(history.writer, "writes", now, "writes", bytes);
      });
      memory.assign(range, {now, {}});
    }
  }

  /// Checks that `first`, which comes first in the list, happens before `now`.
  bool compare(Access first, const char *firstDoes, Access now,
               const char *nowDoes, ByteRange bytes) {
    if (!error.ok())
      return false;
    if (first.task == -1 || order.before(first.task, now.task))
      return true;
    std::string where =
        absl::StrCat("bytes [", bytes.begin, ", ", bytes.end, ") of ",
                     describePlace(machine, program.buffers[now.buffer].place));
    std::string one = absl::StrCat(firstDoes, " them as ",
                                   describeBuffer(program, first.buffer));
    std::string two =
        absl::StrCat(nowDoes, " them as ", describeBuffer(program, now.buffer));
    if (first.task == now.task)
      error = absl::FailedPreconditionError(absl::StrCat(
          "program '", program.name, "', ", describeTask(program, now.task),
          ": ", one, " and ", two, ", ", where,
          "; expected other bytes, as it does both at once"));
    else
      error = absl::FailedPreconditionError(absl::StrCat(
          "program '", program.name, "': ", describeTask(program, first.task),
          " ", one, " and ", describeTask(program, now.task), " ", two, ", ",
          where, ", but no wait, engine or stage orders the two; expected ",
          describeTask(program, now.task), " to wait for ",
          describeTask(program, first.task)));
    return false;
  }

  /// Whether result `result` of a compute task replaces a term of the `Add`
  /// that makes it, as that term is read for the last time.
  bool isInPlace(Access now, size_t result, Access reader) const {
    const Task &task = program.tasks[now.task];
    if (task.kind != TaskKind::Compute || !sameBytes(now.buffer, reader.buffer))
      return false;
    int32_t value = task.results[result];
    auto next = static_cast<int32_t>(task.reads.size());
    bool replaced = false;
    for (const KernelStep &step : task.steps) {
      bool makes = value >= next &&
                   value < next + static_cast<int32_t>(step.resultTypes.size());
      next += static_cast<int32_t>(step.resultTypes.size());
      bool uses = std::any_of(
          step.inputs.begin(), step.inputs.end(), [&](int32_t input) {
            return input < static_cast<int32_t>(task.reads.size()) &&
                   sameBytes(task.reads[input], now.buffer);
          });
      if (replaced && uses)
        return false;
      replaced |= makes && uses && step.kind == KernelKind::Add;
    }
    return replaced;
  }

  bool sameBytes(int32_t a, int32_t b) const {
    std::vector<ByteRange> first = rangesOf(program, a),
                           second = rangesOf(program, b);
    return program.buffers[a].place == program.buffers[b].place &&
           std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [](ByteRange x, ByteRange y) {
                        return x.begin == y.begin && x.end == y.end;
                      });
  }
};

} // namespace

absl::Status mozart::verifyMemoryOrder(const Program &program,
                                       const MachineModel &machine,
                                       const TaskOrder &order) {
  return MemoryOrderChecker(program, machine, order).run();
}
