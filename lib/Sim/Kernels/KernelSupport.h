//===- KernelSupport.h - What the kernels share -------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_KERNELS_KERNELSUPPORT_H
#define MOZART_LIB_SIM_KERNELS_KERNELSUPPORT_H

#include "mozart/Sim/KernelEval.h"

#include <vector>

namespace mozart {

using Inputs = absl::Span<const Value *const>;
using Results = absl::StatusOr<std::vector<Value>>;

/// The arithmetic of a kernel: f64, or f32 held in doubles. Functions take and
/// give values of that type. (A double result rounded to f32 is the f32 result
/// of one addition, multiplication, division or square root.)
class Arithmetic {
public:
  explicit Arithmetic(bool wide) : wide(wide) {}
  double round(double value) const {
    return wide ? value : static_cast<double>(static_cast<float>(value));
  }
  double add(double a, double b) const { return round(a + b); }
  double mul(double a, double b) const { return round(a * b); }
  double div(double a, double b) const { return round(a / b); }
  /// sum + a * b, in f32 with one rounding of the sum.
  double fma(double sum, double a, double b) const {
    return round(sum + a * b);
  }
  double exp(double value) const;
  double sqrt(double value) const;
  double sigmoid(double value) const;

private:
  bool wide;
};

/// f64 where any operand or result is, f32 otherwise.
Arithmetic arithmeticOf(const KernelStep &step, Inputs inputs);

/// The result of a step of one tensor result, all zero.
Value zeroResult(const KernelStep &step, size_t index = 0);

/// Fails on an id that is neither padding nor an expert.
absl::Status checkIds(const KernelStep &step, const Value &routing);

/// "kernel 'route': ..."
absl::Status kernelError(const KernelStep &step, absl::string_view message);

/// Rows [rows, inner] times [inner, columns], row-major; `bias` may be null.
/// Sums in ascending inner index.
std::vector<double> multiply(const Arithmetic &math, const double *rows,
                             int64_t numRows, int64_t inner,
                             const double *weights, int64_t columns,
                             const double *bias);

/// x / sqrt(mean(x^2) + epsilon) * weight over `size` entries, in place.
void rmsNormalize(const Arithmetic &math, double *row, const double *weight,
                  int64_t size, double epsilon);

/// Turns `count` numbers into exp(x - max) / sum, in place.
void softmax(const Arithmetic &math, double *values, int64_t count);

/// Turns the first rotaryDim entries of a head that stands at `position`.
class Rotation {
public:
  explicit Rotation(const RopeParams &rope);
  void apply(const Arithmetic &math, double *head, int64_t position) const;

private:
  RopeParams rope;
  std::vector<double> frequencies;
};

/// Weights of one FFN, each pointing into its operand.
struct FfnWeights {
  int64_t hidden = 0, inner = 0;
  const double *gate = nullptr, *up = nullptr, *down = nullptr;
  const double *gateBias = nullptr, *upBias = nullptr, *downBias = nullptr;
};
bool isGated(ActivationKind kind);
/// Number `index` of the `stacked` FFNs in operands (gate,) up, down(, biases).
FfnWeights readFfnWeights(const FfnParams &params, Inputs operands,
                          int64_t index, int64_t stacked);
/// One FFN on `numRows` rows of H; returns as many.
std::vector<double> applyFfn(const Arithmetic &math, const FfnParams &params,
                             const FfnWeights &weights, const double *rows,
                             int64_t numRows);

// One function per kernel kind, for operands that `verifyStep` accepts.
Results evalNorm(const KernelStep &step, Inputs inputs);
Results evalAdd(const KernelStep &step, Inputs inputs);
Results evalLinear(const KernelStep &step, Inputs inputs);
Results evalAttention(const KernelStep &step, Inputs inputs);
Results evalLatentAttention(const KernelStep &step, Inputs inputs);
Results evalRoute(const KernelStep &step, Inputs inputs);
Results evalDispatch(const KernelStep &step, Inputs inputs);
Results evalExperts(const KernelStep &step, Inputs inputs);
Results evalCombine(const KernelStep &step, Inputs inputs);
Results evalFfn(const KernelStep &step, Inputs inputs);

} // namespace mozart

#endif // MOZART_LIB_SIM_KERNELS_KERNELSUPPORT_H
