//===- ElementCodec.h - Elements as bytes and as numbers ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is worked with as a double, which holds each value of every
// element type exactly (of `index`, those up to 2^53 in size).
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_ELEMENTCODEC_H
#define MOZART_SIM_ELEMENTCODEC_H

#include "mozart/Sim/Kernels.h"

namespace mozart {

bool isFloat(ElementType type);

/// Bits of IEEE binary16, or of bfloat16, that are nearest to `value`; of two
/// equally near, the one whose last bit is zero. One rounding: values do not
/// pass through f32. Too large becomes infinity; a NaN becomes the quiet NaN
/// of its sign.
uint16_t encodeF16(double value);
uint16_t encodeBF16(double value);
double decodeF16(uint16_t bits);
double decodeBF16(uint16_t bits);

/// The value of `type` nearest to `value`, ties to even. Integer types are
/// returned as they are (see `isRepresentable`).
double roundTo(ElementType type, double value);

/// Half the distance from 1 to the next larger value of a floating type: the
/// largest relative error of one rounding. Zero for integers.
double roundingUnit(ElementType type);

/// Whether an integer type can hold `value`; always true for floating types.
bool isRepresentable(ElementType type, double value);

/// Reads or writes `elementBytes(type)` bytes, in the host's byte order.
/// `value` must be representable.
double decodeElement(ElementType type, const uint8_t *bytes);
void encodeElement(ElementType type, double value, uint8_t *bytes);

} // namespace mozart

#endif // MOZART_SIM_ELEMENTCODEC_H
