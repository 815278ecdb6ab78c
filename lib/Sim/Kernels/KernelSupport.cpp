//===- KernelSupport.cpp - What the kernels share -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

using namespace mozart;

double Arithmetic::exp(double value) const { return round(std::exp(value)); }
double Arithmetic::sqrt(double value) const { return round(std::sqrt(value)); }
double Arithmetic::sigmoid(double value) const {
  return round(1.0 / (1.0 + std::exp(-value)));
}

Arithmetic mozart::arithmeticOf(const KernelStep &step, Inputs inputs) {
  bool wide = false;
  for (const Value *input : inputs)
    wide |= input->type.element == ElementType::F64;
  for (const ValueType &type : step.resultTypes)
    wide |= type.element == ElementType::F64;
  return Arithmetic(wide);
}

absl::Status mozart::kernelError(const KernelStep &step,
                                 absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("kernel '", kernelName(step.kind), "': ", message));
}

Value mozart::zeroResult(const KernelStep &step, size_t index) {
  Value value;
  value.type = step.resultTypes[index];
  value.elements.assign(value.type.elements(), 0.0);
  if (value.isRouting())
    value.ids.assign(value.type.elements(), kPaddingId);
  return value;
}

absl::Status mozart::checkIds(const KernelStep &step, const Value &routing) {
  int64_t slots = routing.dim(1);
  for (size_t i = 0; i < routing.ids.size(); ++i) {
    int32_t id = routing.ids[i];
    if (id != kPaddingId && (id < 0 || id >= routing.type.experts))
      return kernelError(step,
                         absl::StrCat("token ", i / slots, ", slot ", i % slots,
                                      " has expert ", id, "; expected one of ",
                                      routing.type.experts, " experts, or ",
                                      kPaddingId, " for an empty slot"));
  }
  return absl::OkStatus();
}

std::vector<double> mozart::multiply(const Arithmetic &math, const double *rows,
                                     int64_t numRows, int64_t inner,
                                     const double *weights, int64_t columns,
                                     const double *bias) {
  std::vector<double> product(numRows * columns, 0.0);
  for (int64_t row = 0; row < numRows; ++row) {
    double *out = product.data() + row * columns;
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t column = 0; column < columns; ++column)
        out[column] = math.fma(out[column], rows[row * inner + i],
                               weights[i * columns + column]);
    for (int64_t column = 0; bias && column < columns; ++column)
      out[column] = math.add(out[column], bias[column]);
  }
  return product;
}

void mozart::rmsNormalize(const Arithmetic &math, double *row,
                          const double *weight, int64_t size, double epsilon) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum = math.fma(sum, row[i], row[i]);
  double mean = math.div(sum, static_cast<double>(size));
  double root = math.sqrt(math.add(mean, math.round(epsilon)));
  for (int64_t i = 0; i < size; ++i)
    row[i] = math.mul(math.div(row[i], root), weight[i]);
}

void mozart::softmax(const Arithmetic &math, double *values, int64_t count) {
  if (count == 0)
    return;
  double highest = *std::max_element(values, values + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = math.exp(math.add(values[i], -highest));
    sum = math.add(sum, values[i]);
  }
  for (int64_t i = 0; i < count; ++i)
    values[i] = math.div(values[i], sum);
}

Rotation::Rotation(const RopeParams &rope) : rope(rope) {
  if (rope.style != RopeStyle::None)
    frequencies = ropeFrequencies(rope);
}

void Rotation::apply(const Arithmetic &math, double *head,
                     int64_t position) const {
  for (size_t i = 0; i < frequencies.size(); ++i) {
    bool half = rope.style == RopeStyle::Half;
    double &a = head[half ? i : 2 * i];
    double &b = head[half ? i + frequencies.size() : 2 * i + 1];
    double angle = static_cast<double>(position) * frequencies[i];
    double cosine = math.round(std::cos(angle) * rope.magnitude);
    double sine = math.round(std::sin(angle) * rope.magnitude);
    double turned = math.fma(math.mul(a, cosine), -b, sine);
    b = math.fma(math.mul(b, cosine), a, sine);
    a = turned;
  }
}
