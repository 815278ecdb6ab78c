//===- ElementCodec.cpp - Elements as bytes and as numbers ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ElementCodec.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mozart;

bool mozart::isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ||
         type == ElementType::F32 || type == ElementType::F64;
}

namespace {
/// A 16-bit binary floating format with a sign bit in front.
struct SmallFloat {
  int fractionBits; ///< stored bits of the significand
  int minExponent;  ///< of the smallest normal number
  int maxExponent;  ///< of the largest finite number

  uint16_t infinity() const {
    return static_cast<uint16_t>((maxExponent - minExponent + 2)
                                 << fractionBits);
  }
};
} // namespace

static constexpr SmallFloat kF16{10, -14, 15};
static constexpr SmallFloat kBF16{7, -126, 127};

static uint16_t encodeSmall(const SmallFloat &format, double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | format.infinity() | (1u << (format.fractionBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | format.infinity();
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), format.minExponent);
  if (exponent > format.maxExponent)
    return sign | format.infinity();
  // In units of the last place: exact, as it only moves the binary point.
  double scaled = std::ldexp(magnitude, format.fractionBits - exponent);
  double floor = std::floor(scaled), rest = scaled - floor;
  auto units = static_cast<uint32_t>(floor);
  if (rest > 0.5 || (rest == 0.5 && (units & 1)))
    ++units;
  // `units` has its leading one at `fractionBits` (or below, for subnormals),
  // where adding it to the exponent field counts that field up by one. A carry
  // out of the significand lands in the exponent, up to infinity.
  uint32_t field = static_cast<uint32_t>(exponent - format.minExponent)
                   << format.fractionBits;
  return static_cast<uint16_t>(sign | (field + units));
}

static double decodeSmall(const SmallFloat &format, uint16_t bits) {
  uint32_t magnitude = bits & 0x7fffu;
  uint32_t fraction = magnitude & ((1u << format.fractionBits) - 1);
  int field = static_cast<int>(magnitude >> format.fractionBits);
  double value;
  if (magnitude >= format.infinity())
    value = fraction ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (field == 0)
    value = std::ldexp(fraction, format.minExponent - format.fractionBits);
  else
    value = std::ldexp(fraction + (1u << format.fractionBits),
                       field - 1 + format.minExponent - format.fractionBits);
  return bits & 0x8000u ? std::copysign(value, -1.0)
                        : std::copysign(value, 1.0);
}

uint16_t mozart::encodeF16(double value) { return encodeSmall(kF16, value); }
uint16_t mozart::encodeBF16(double value) { return encodeSmall(kBF16, value); }
double mozart::decodeF16(uint16_t bits) { return decodeSmall(kF16, bits); }
double mozart::decodeBF16(uint16_t bits) { return decodeSmall(kBF16, bits); }

double mozart::roundTo(ElementType type, double value) {
  switch (type) {
  case ElementType::F16:
    return decodeF16(encodeF16(value));
  case ElementType::BF16:
    return decodeBF16(encodeBF16(value));
  case ElementType::F32:
    return static_cast<double>(static_cast<float>(value));
  case ElementType::F64:
  case ElementType::I1:
  case ElementType::I32:
  case ElementType::Index:
    return value;
  }
  return value;
}

double mozart::roundingUnit(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return std::ldexp(1.0, -11);
  case ElementType::BF16:
    return std::ldexp(1.0, -8);
  case ElementType::F32:
    return std::ldexp(1.0, -24);
  case ElementType::F64:
    return std::ldexp(1.0, -53);
  case ElementType::I1:
  case ElementType::I32:
  case ElementType::Index:
    return 0.0;
  }
  return 0.0;
}

bool mozart::isRepresentable(ElementType type, double value) {
  if (isFloat(type))
    return true;
  if (!(std::floor(value) == value))
    return false;
  if (type == ElementType::I1)
    return value == 0 || value == 1;
  double limit =
      type == ElementType::I32 ? std::ldexp(1.0, 31) : std::ldexp(1.0, 53);
  return value >= -limit && value < limit;
}

template <typename T> static double loadAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

template <typename T> static void storeAs(T value, uint8_t *bytes) {
  std::memcpy(bytes, &value, sizeof(T));
}

double mozart::decodeElement(ElementType type, const uint8_t *bytes) {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16: {
    uint16_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    return type == ElementType::F16 ? decodeF16(bits) : decodeBF16(bits);
  }
  case ElementType::F32:
    return loadAs<float>(bytes);
  case ElementType::F64:
    return loadAs<double>(bytes);
  case ElementType::I1:
    return loadAs<uint8_t>(bytes);
  case ElementType::I32:
    return loadAs<int32_t>(bytes);
  case ElementType::Index:
    return loadAs<int64_t>(bytes);
  }
  return 0;
}

void mozart::encodeElement(ElementType type, double value, uint8_t *bytes) {
  switch (type) {
  case ElementType::F16:
    return storeAs(encodeF16(value), bytes);
  case ElementType::BF16:
    return storeAs(encodeBF16(value), bytes);
  case ElementType::F32:
    return storeAs(static_cast<float>(value), bytes);
  case ElementType::F64:
    return storeAs(value, bytes);
  case ElementType::I1:
    return storeAs(static_cast<uint8_t>(value), bytes);
  case ElementType::I32:
    return storeAs(static_cast<int32_t>(value), bytes);
  case ElementType::Index:
    return storeAs(static_cast<int64_t>(value), bytes);
  }
}
