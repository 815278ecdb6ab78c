//===- AsciiText.h - Names as protobuf and JSON strings -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_ASCIITEXT_H
#define MOZART_LIB_SIM_ASCIITEXT_H

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

#include <algorithm>
#include <string>

namespace mozart {

/// Protobuf and JSON strings must be UTF-8; names of other origin need not be.
/// Returns `name` itself where it is ASCII, else with C escapes.
inline std::string asciiText(const std::string &name) {
  bool isAscii = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isascii(static_cast<unsigned char>(c));
  });
  return isAscii ? name : absl::CHexEscape(name);
}

} // namespace mozart

#endif // MOZART_LIB_SIM_ASCIITEXT_H
