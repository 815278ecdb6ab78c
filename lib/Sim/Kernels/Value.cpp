//===- Value.cpp - Tensors and routings as numbers ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ElementCodec.h"
#include "mozart/Sim/KernelEval.h"
#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace mozart;

/// Why `type` cannot be held, or OK.
static absl::Status checkSize(const ValueType &type) {
  bool negative = std::any_of(type.shape.begin(), type.shape.end(),
                              [](int64_t size) { return size < 0; });
  if (negative || type.bytes() == std::numeric_limits<int64_t>::max())
    return absl::InvalidArgumentError(
        absl::StrCat(describeType(type),
                     " has a negative size or passes 2^63 bytes; expected a "
                     "size that memory can hold"));
  return absl::OkStatus();
}

absl::StatusOr<Value> mozart::makeValue(const ValueType &type) {
  if (absl::Status status = checkSize(type); !status.ok())
    return status;
  Value value;
  value.type = type;
  if (value.isRouting()) {
    if (type.shape.size() != 2 || !isFloat(type.element) || type.experts < 0)
      return absl::InvalidArgumentError(absl::StrCat(
          describeType(type),
          " is no routing; expected a shape of tokens and slots, a floating "
          "element type and at least zero experts"));
    value.ids.assign(type.elements(), kPaddingId);
  }
  value.elements.assign(type.elements(), 0.0);
  return value;
}

absl::StatusOr<Value> mozart::makeTensor(ElementType element,
                                         std::vector<int64_t> shape,
                                         std::vector<double> elements) {
  ValueType type;
  type.element = element;
  type.shape = std::move(shape);
  if (absl::Status status = checkSize(type); !status.ok())
    return status;
  if (type.elements() != static_cast<int64_t>(elements.size()))
    return absl::InvalidArgumentError(
        absl::StrCat(describeType(type), " was given ", elements.size(),
                     " elements; expected as many as its shape holds"));
  Value value;
  value.type = std::move(type);
  value.elements = std::move(elements);
  for (double &number : value.elements) {
    if (!isRepresentable(element, number))
      return absl::InvalidArgumentError(absl::StrCat(
          number, " is not an element of ", describeType(value.type)));
    number = roundTo(element, number);
  }
  return value;
}

std::vector<uint8_t> mozart::encodeValue(const Value &value) {
  int64_t each = elementBytes(value.type.element);
  std::vector<uint8_t> bytes(value.ids.size() * 4 +
                             value.elements.size() * each);
  uint8_t *out = bytes.data();
  for (int32_t id : value.ids) {
    encodeElement(ElementType::I32, id, out);
    out += 4;
  }
  for (double element : value.elements) {
    encodeElement(value.type.element, element, out);
    out += each;
  }
  return bytes;
}

absl::StatusOr<Value> mozart::decodeValue(const ValueType &type,
                                          absl::Span<const uint8_t> bytes) {
  absl::StatusOr<Value> value = makeValue(type);
  if (!value.ok())
    return value;
  int64_t each = elementBytes(type.element);
  size_t expected = value->ids.size() * 4 + value->elements.size() * each;
  if (bytes.size() != expected)
    return absl::InvalidArgumentError(
        absl::StrCat(describeType(type), " was given ", bytes.size(),
                     " bytes; expected ", expected));
  const uint8_t *in = bytes.data();
  for (int32_t &id : value->ids) {
    id = static_cast<int32_t>(decodeElement(ElementType::I32, in));
    in += 4;
  }
  for (double &element : value->elements) {
    element = decodeElement(type.element, in);
    in += each;
  }
  return value;
}

std::vector<RoutedPair> mozart::sortedPairs(const Value &routing) {
  std::vector<RoutedPair> pairs;
  int64_t tokens = routing.dim(0), slots = routing.dim(1);
  for (int64_t token = 0; token < tokens; ++token)
    for (int64_t slot = 0; slot < slots; ++slot)
      if (int32_t expert = routing.slots(token)[slot]; expert != kPaddingId)
        pairs.push_back({expert, token, slot});
  std::sort(pairs.begin(), pairs.end(),
            [](const RoutedPair &a, const RoutedPair &b) {
              return std::tie(a.expert, a.token, a.slot) <
                     std::tie(b.expert, b.token, b.slot);
            });
  return pairs;
}
