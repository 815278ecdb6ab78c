//===- ValueMemory.h - Simulated memories -------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_VALUEMEMORY_H
#define MOZART_LIB_SIM_VALUEMEMORY_H

#include "RangeMap.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <map>
#include <utility>
#include <vector>

namespace mozart {

/// Stands for the program's surroundings, which fill its inputs before the
/// first task and read its outputs after the last.
inline constexpr int32_t kOutside = -1;

/// The bytes of all memories, and for each byte who wrote it last and as what.
class ValueMemory {
public:
  /// Fails with kResourceExhausted when the memories, each as long as its
  /// buffers need, pass `limitBytes`.
  static absl::StatusOr<ValueMemory> create(const Program &program,
                                            const MachineModel &machine,
                                            int64_t limitBytes);

  /// The bytes of a buffer. Fails with kFailedPrecondition on a byte that
  /// nothing has written, or that was last written through another buffer.
  absl::StatusOr<std::vector<uint8_t>> read(int32_t task, int32_t buffer);
  /// `bytes` are as many as the buffer has.
  void write(int32_t task, int32_t buffer, absl::Span<const uint8_t> bytes);

private:
  struct Origin {
    int32_t owner = -1; ///< the buffer that has the bytes; -1: never written
    int32_t task = kOutside;
    int32_t buffer = -1;
  };
  struct Memory {
    std::vector<uint8_t> bytes;
    RangeMap<Origin> origins;
  };

  ValueMemory(const Program &program, const MachineModel &machine)
      : program(&program), machine(&machine) {}
  Memory &memoryOf(int32_t buffer);
  absl::Status badRead(int32_t task, int32_t buffer, ByteRange bytes,
                       const Origin &origin) const;

  const Program *program;
  const MachineModel *machine;
  std::map<std::pair<Place::Kind, int32_t>, Memory> memories;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_VALUEMEMORY_H
