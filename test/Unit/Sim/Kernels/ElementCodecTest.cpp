//===- ElementCodecTest.cpp -----------------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ElementCodec.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mozart;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Format {
  const char *name;
  uint16_t (*encode)(double);
  double (*decode)(uint16_t);
  uint16_t infinity;
  int fractionBits, bias;
};
const Format kFormats[] = {{"f16", encodeF16, decodeF16, 0x7c00, 10, 15},
                           {"bf16", encodeBF16, decodeBF16, 0x7f80, 7, 127}};

/// What the bits mean, by the definition of the format.
double meaning(const Format &format, uint16_t bits) {
  int exponent = (bits & 0x7fff) >> format.fractionBits;
  double fraction = (bits & ((1 << format.fractionBits) - 1)) /
                    static_cast<double>(1 << format.fractionBits);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 0)
    return sign * fraction * std::exp2(1 - format.bias);
  return sign * (1 + fraction) * std::exp2(exponent - format.bias);
}

class SmallFloats : public testing::TestWithParam<Format> {};

TEST_P(SmallFloats, EveryFiniteValueDecodesByDefinitionAndComesBack) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) >= format.infinity)
      continue;
    double value = format.decode(static_cast<uint16_t>(bits));
    ASSERT_EQ(value, meaning(format, static_cast<uint16_t>(bits))) << bits;
    ASSERT_EQ(format.encode(value), bits);
  }
}

// Between neighbours a < b: everything below the middle goes to a, everything
// above to b, the middle itself to the one whose last bit is zero.
TEST_P(SmallFloats, EveryGapRoundsToNearestAndTiesToEven) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits + 1 < format.infinity; ++bits) {
    auto low = static_cast<uint16_t>(bits),
         high = static_cast<uint16_t>(bits + 1);
    double a = meaning(format, low), b = meaning(format, high);
    double middle = a + (b - a) / 2;
    uint16_t even = low & 1 ? high : low;
    ASSERT_EQ(format.encode(middle), even) << bits;
    ASSERT_EQ(format.encode(std::nextafter(middle, 0)), low) << bits;
    ASSERT_EQ(format.encode(std::nextafter(middle, kInfinity)), high) << bits;
    ASSERT_EQ(format.encode(-middle), even | 0x8000) << bits;
    ASSERT_EQ(format.encode(std::nextafter(-middle, 0)), low | 0x8000) << bits;
  }
}

TEST_P(SmallFloats, TooLargeIsInfinite) {
  const Format &format = GetParam();
  uint16_t largest = format.infinity - 1;
  double a = meaning(format, largest);
  double next = 2 * a - meaning(format, largest - 1); // one step further
  double middle = a + (next - a) / 2;
  EXPECT_EQ(format.encode(std::nextafter(middle, 0)), largest);
  EXPECT_EQ(format.encode(middle), format.infinity); // the largest is odd
  EXPECT_EQ(format.encode(1e300), format.infinity);
  EXPECT_EQ(format.encode(-kInfinity), format.infinity | 0x8000);
  EXPECT_EQ(format.decode(format.infinity), kInfinity);
  EXPECT_EQ(format.decode(format.infinity | 0x8000), -kInfinity);
}

TEST_P(SmallFloats, ZeroKeepsItsSignAndNaNStaysNaN) {
  const Format &format = GetParam();
  EXPECT_EQ(format.encode(0.0), 0);
  EXPECT_EQ(format.encode(-0.0), 0x8000);
  EXPECT_TRUE(std::signbit(format.decode(0x8000)));
  EXPECT_EQ(format.encode(5e-324), 0);
  for (uint32_t bits = format.infinity + 1; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(format.decode(static_cast<uint16_t>(bits))));
    ASSERT_TRUE(
        std::isnan(format.decode(static_cast<uint16_t>(bits | 0x8000))));
  }
  EXPECT_TRUE(std::isnan(
      format.decode(format.encode(std::numeric_limits<double>::quiet_NaN()))));
}

INSTANTIATE_TEST_SUITE_P(Formats, SmallFloats, testing::ValuesIn(kFormats),
                         [](const auto &info) { return info.param.name; });

// 1 + 2^-11 + 2^-30 lies just above the middle of two f16 numbers; through f32
// it would first become the middle, and then round down.
TEST(ElementCodec, RoundsOnceNotThroughF32) {
  double value = 1 + std::exp2(-11) + std::exp2(-30);
  EXPECT_EQ(static_cast<float>(value), 1 + std::exp2(-11));
  EXPECT_EQ(roundTo(ElementType::F16, value), 1 + std::exp2(-10));
}

TEST(ElementCodec, BF16IsTheUpperHalfOfF32) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    auto bits = static_cast<uint32_t>(random());
    bits &= 0xffff0000u;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeBF16(value), bits >> 16);
  }
}

TEST(ElementCodec, EveryTypeComesBackFromMemory) {
  struct Case {
    ElementType type;
    double value;
  } cases[] = {{ElementType::F16, -0.333251953125},
               {ElementType::BF16, 3.140625},
               {ElementType::F32, 0x1.fffffep127},
               {ElementType::F64, 0.1},
               {ElementType::I1, 1},
               {ElementType::I32, -2147483648.0},
               {ElementType::Index, 4503599627370497.0}};
  for (const Case &c : cases) {
    std::vector<uint8_t> bytes(elementBytes(c.type) + 1, 0xaa);
    ASSERT_TRUE(isRepresentable(c.type, c.value));
    encodeElement(c.type, c.value, bytes.data());
    EXPECT_EQ(decodeElement(c.type, bytes.data()), c.value);
    EXPECT_EQ(bytes.back(), 0xaa) << "wrote past its end";
  }
}

TEST(ElementCodec, IntegersHoldOnlyWhatFits) {
  EXPECT_FALSE(isRepresentable(ElementType::I1, 2));
  EXPECT_FALSE(isRepresentable(ElementType::I1, 0.5));
  EXPECT_FALSE(isRepresentable(ElementType::I32, 2147483648.0));
  EXPECT_TRUE(isRepresentable(ElementType::I32, 2147483647.0));
  EXPECT_FALSE(isRepresentable(ElementType::Index, std::exp2(60)));
  EXPECT_FALSE(isRepresentable(ElementType::Index, NAN));
  EXPECT_FALSE(isRepresentable(ElementType::I32, kInfinity));
}

TEST(ElementCodec, RoundingUnitIsHalfAStepAboveOne) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F32, ElementType::F64}) {
    double unit = roundingUnit(type);
    EXPECT_EQ(roundTo(type, 1 + unit), 1) << "a tie, to even";
    EXPECT_EQ(roundTo(type, 1 + 2 * unit), 1 + 2 * unit);
  }
}

} // namespace
