//===- ValueCompare.h - Is a result close enough? -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_VALUECOMPARE_H
#define MOZART_SIM_VALUECOMPARE_H

#include "mozart/Sim/KernelEval.h"

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace mozart {

/// Checks |values[i] - reference[i]| <= 4 n eps absoluteTerms[i] for every i:
/// what n additions, each rounded by at most `eps`, may do to a sum whose terms
/// add up to `absoluteTerms[i]` in absolute value. Infinities and NaNs must
/// agree. Fails with kOutOfRange, naming the element that is furthest out in
/// units of its bound, or with kInvalidArgument on different sizes.
absl::Status compareWithBound(absl::Span<const double> values,
                              absl::Span<const double> reference,
                              absl::Span<const double> absoluteTerms, int64_t n,
                              double eps);

/// Checks that two routings choose the same experts in the same slots. Fails
/// with kOutOfRange, naming the first token and slot that differ.
absl::Status compareIds(const Value &routing, const Value &reference);

} // namespace mozart

#endif // MOZART_SIM_VALUECOMPARE_H
