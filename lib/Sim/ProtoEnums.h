//===- ProtoEnums.h - Enumerators of structs and of messages ------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerations of program.proto list those of the C++ structs in the same
// order, after one that stands for nothing. A test holds every name against the
// other.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_PROTOENUMS_H
#define MOZART_LIB_SIM_PROTOENUMS_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace mozart {

template <typename ProtoEnum, typename Enum> ProtoEnum enumToProto(Enum value) {
  return static_cast<ProtoEnum>(static_cast<int>(value) + 1);
}

/// False if `value` is not a named one; `last` is the greatest.
template <typename Enum> bool enumFromProto(int value, int last, Enum &result) {
  if (value < 1 || value > last)
    return false;
  result = static_cast<Enum>(value - 1);
  return true;
}

inline absl::Status unknownEnum(const char *field, int value) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; expected one of its named values"));
}

template <typename Repeated, typename Values>
void appendAll(Repeated &repeated, const Values &values) {
  repeated.Add(values.begin(), values.end());
}

} // namespace mozart

#endif // MOZART_LIB_SIM_PROTOENUMS_H
