//===- Types.cpp - Sizes of element and value types -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Kernels.h"

#include <limits>

using namespace mozart;

int64_t mozart::elementBytes(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return 1;
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::F32:
  case ElementType::I32:
    return 4;
  case ElementType::F64:
  case ElementType::Index:
    return 8;
  }
  return 0; // not an enumerator
}

int64_t ValueType::elements() const {
  // A zero anywhere makes the product zero, also where other dimensions alone
  // would overflow.
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  int64_t total = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(total, size, &total))
      return std::numeric_limits<int64_t>::max();
  return total;
}

int64_t ValueType::bytes() const {
  int64_t each = elementBytes(element);
  if (kind == Kind::Routing)
    each += elementBytes(ElementType::I32);
  int64_t total = 0;
  if (__builtin_mul_overflow(elements(), each, &total))
    return std::numeric_limits<int64_t>::max();
  return total;
}
