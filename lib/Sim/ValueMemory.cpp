//===- ValueMemory.cpp - Simulated memories -------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueMemory.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

absl::StatusOr<ValueMemory> ValueMemory::create(const Program &program,
                                                const MachineModel &machine,
                                                int64_t limitBytes) {
  std::map<std::pair<Place::Kind, int32_t>, int64_t> ends;
  for (const Buffer &buffer : program.buffers)
    if (buffer.viewOf == -1 && buffer.offset >= 0) {
      int64_t &end = ends[{buffer.place.kind, buffer.place.index}];
      end = std::max(end, buffer.offset + buffer.type.bytes());
    }
  int64_t total = 0;
  for (const auto &[place, end] : ends)
    if (__builtin_add_overflow(total, end, &total) || total > limitBytes)
      return absl::ResourceExhaustedError(absl::StrCat(
          "program '", program.name, "' needs more than ", limitBytes,
          " bytes of simulated memory, ", end, " of them for ",
          describePlace(machine, {place.first, place.second}),
          "; execute a smaller model, or raise the limit"));
  ValueMemory memory(program, machine);
  for (const auto &[place, end] : ends)
    memory.memories[place].bytes.resize(end);
  return memory;
}

ValueMemory::Memory &ValueMemory::memoryOf(int32_t buffer) {
  Place place = program->buffers[buffer].place;
  return memories[{place.kind, place.index}];
}

absl::Status ValueMemory::badRead(int32_t task, int32_t buffer, ByteRange bytes,
                                  const Origin &origin) const {
  std::string who = task == kOutside ? "the end of the program"
                                     : describeTask(*program, task);
  std::string what =
      absl::StrCat("program '", program->name, "': ", who, " reads ",
                   describeBuffer(*program, buffer), ", but bytes [",
                   bytes.begin, ", ", bytes.end, ") of ",
                   describePlace(*machine, program->buffers[buffer].place));
  if (origin.owner == -1)
    return absl::FailedPreconditionError(absl::StrCat(
        what, ", which are part of it, were never written; expected a task or "
              "an input to fill them first"));
  std::string writer = origin.task == kOutside
                           ? "an input of the program"
                           : describeTask(*program, origin.task);
  return absl::FailedPreconditionError(
      absl::StrCat(what, ", which are part of it, were overwritten by ", writer,
                   " as ", describeBuffer(*program, origin.buffer),
                   "; expected other bytes, or a write after this read"));
}

absl::StatusOr<std::vector<uint8_t>> ValueMemory::read(int32_t task,
                                                       int32_t buffer) {
  Memory &memory = memoryOf(buffer);
  int32_t owner = ownerOf(*program, buffer);
  std::vector<uint8_t> result;
  absl::Status status;
  for (ByteRange range : rangesOf(*program, buffer)) {
    bool good = memory.origins.forEach(range, [&](ByteRange bytes, Origin &o) {
      if (o.owner != owner)
        status = badRead(task, buffer, bytes, o);
      return status.ok();
    });
    if (!good)
      return status;
    result.insert(result.end(), memory.bytes.begin() + range.begin,
                  memory.bytes.begin() + range.end);
  }
  return result;
}

void ValueMemory::write(int32_t task, int32_t buffer,
                        absl::Span<const uint8_t> bytes) {
  Memory &memory = memoryOf(buffer);
  Origin origin{ownerOf(*program, buffer), task, buffer};
  const uint8_t *from = bytes.data();
  for (ByteRange range : rangesOf(*program, buffer)) {
    memory.origins.assign(range, origin);
    std::copy_n(from, range.end - range.begin,
                memory.bytes.begin() + range.begin);
    from += range.end - range.begin;
  }
}
