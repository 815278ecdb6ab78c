//===- ValueCompare.cpp - Is a result close enough? -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ValueCompare.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cmath>
#include <limits>

using namespace mozart;

/// How many bounds `value` is away from `expected`.
static double excess(double value, double expected, double bound) {
  if (value == expected || (std::isnan(value) && std::isnan(expected)))
    return 0;
  double distance = std::fabs(value - expected);
  // Also for NaN and infinite distances, which no bound allows.
  if (!(distance <= bound) || std::isinf(distance))
    return bound > 0 && std::isfinite(distance)
               ? distance / bound
               : std::numeric_limits<double>::infinity();
  return distance / bound;
}

absl::Status mozart::compareWithBound(absl::Span<const double> values,
                                      absl::Span<const double> reference,
                                      absl::Span<const double> absoluteTerms,
                                      int64_t n, double eps) {
  if (values.size() != reference.size() ||
      values.size() != absoluteTerms.size())
    return absl::InvalidArgumentError(
        absl::StrCat("cannot compare ", values.size(), " values with ",
                     reference.size(), " reference values and ",
                     absoluteTerms.size(), " sums of terms; expected as many"));
  size_t worst = 0;
  double worstExcess = -1;
  auto boundOf = [&](size_t i) {
    return 4.0 * static_cast<double>(n) * eps * absoluteTerms[i];
  };
  for (size_t i = 0; i < values.size(); ++i) {
    double now = excess(values[i], reference[i], boundOf(i));
    if (now > worstExcess) {
      worst = i;
      worstExcess = now;
    }
  }
  if (worstExcess <= 1)
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "element %d is %.17g; expected %.17g within %.3g (4 x %d x %.3g x %.3g)",
      worst, values[worst], reference[worst], boundOf(worst), n, eps,
      absoluteTerms[worst]));
}

absl::Status mozart::compareIds(const Value &routing, const Value &reference) {
  if (!routing.isRouting() || !reference.isRouting() ||
      routing.type.shape != reference.type.shape ||
      routing.ids.size() != reference.ids.size())
    return absl::InvalidArgumentError(
        absl::StrCat("cannot compare the ids of ", describeType(routing.type),
                     " with those of ", describeType(reference.type)));
  int64_t slots = routing.dim(1);
  for (size_t i = 0; i < routing.ids.size(); ++i)
    if (routing.ids[i] != reference.ids[i])
      return absl::OutOfRangeError(absl::StrCat(
          "token ", i / slots, ", slot ", i % slots, " chose expert ",
          routing.ids[i], "; expected ", reference.ids[i]));
  return absl::OkStatus();
}
