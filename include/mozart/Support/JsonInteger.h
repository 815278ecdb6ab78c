//===- JsonInteger.h - Checked integers of JSON values ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_JSONINTEGER_H
#define MOZART_SUPPORT_JSONINTEGER_H

#include <cstdint>
#include <nlohmann/json.hpp>

namespace mozart {

/// Reads an integer that fits 64 signed bits; false for every other value
/// (`get` would convert a fraction, and wrap what is too large).
inline bool readJsonInteger(const nlohmann::json &value, int64_t &result) {
  if (!value.is_number_integer())
    return false;
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)
    return false;
  result = value.get<int64_t>();
  return true;
}

} // namespace mozart

#endif // MOZART_SUPPORT_JSONINTEGER_H
