//===- AtomicFile.h - Output files, whole or not at all -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_ATOMICFILE_H
#define MOZART_SUPPORT_ATOMICFILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>

namespace mozart {

/// Writes `contents` to `path` through a temporary file beside it, so that a
/// failure leaves no partial file. "-" is standard output. Errors name the
/// path and the system's reason.
absl::Status writeFile(const std::string &path, absl::string_view contents);

/// Reads a whole file. Errors name the path and the system's reason.
absl::StatusOr<std::string> readFile(const std::string &path);

} // namespace mozart

#endif // MOZART_SUPPORT_ATOMICFILE_H
