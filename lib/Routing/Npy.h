//===- Npy.h - NumPy's array file format --------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_ROUTING_NPY_H
#define MOZART_LIB_ROUTING_NPY_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

/// A C-order, little-endian integer array inside a file's bytes.
struct NpyArray {
  std::vector<int64_t> shape;
  int bytesPerElement = 0; // 1, 2, 4 or 8
  bool isSigned = false;
  /// Exactly the elements; points into the parsed bytes.
  absl::string_view data;

  int64_t numElements() const {
    return static_cast<int64_t>(data.size()) / bytesPerElement;
  }
  /// The element's bits, zero-extended.
  uint64_t bits(int64_t index) const;
};

/// Fails with kInvalidArgument on bad magic, an unknown version, a header that
/// is not NumPy's, Fortran order, a type that is not a little-endian integer,
/// a shape whose size overflows, and data shorter or longer than the shape.
absl::StatusOr<NpyArray> parseNpy(absl::string_view contents);

/// The header of a version 1.0 file; the elements follow it. `descr` is
/// NumPy's type string, such as "<u2".
std::string printNpyHeader(absl::string_view descr,
                           absl::Span<const int64_t> shape);

} // namespace mozart

#endif // MOZART_LIB_ROUTING_NPY_H
