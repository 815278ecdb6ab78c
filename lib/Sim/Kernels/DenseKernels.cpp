//===- DenseKernels.cpp - Norm, add, linear, FFN --------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include <algorithm>
#include <cmath>

using namespace mozart;

static void layerNormalize(const Arithmetic &math, double *row,
                           const double *weight, int64_t size, double epsilon) {
  double count = static_cast<double>(size), sum = 0, squares = 0;
  for (int64_t i = 0; i < size; ++i)
    sum = math.add(sum, row[i]);
  double mean = math.div(sum, count);
  for (int64_t i = 0; i < size; ++i) {
    row[i] = math.add(row[i], -mean);
    squares = math.fma(squares, row[i], row[i]);
  }
  double root =
      math.sqrt(math.add(math.div(squares, count), math.round(epsilon)));
  for (int64_t i = 0; i < size; ++i)
    row[i] = math.mul(math.div(row[i], root), weight[i]);
}

Results mozart::evalNorm(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const Value &x = *inputs[0];
  const double *weight = inputs[1]->elements.data();
  int64_t size = x.dim(1);
  double epsilon = step.norm.epsilon;
  Value result = zeroResult(step);
  result.elements = x.elements;
  for (int64_t i = 0; i < x.dim(0); ++i) {
    double *row = result.row(i);
    if (step.norm.kind == NormKind::Layer)
      layerNormalize(math, row, weight, size, epsilon);
    else
      rmsNormalize(math, row, weight, size, epsilon);
    for (int64_t j = 0; inputs.size() > 2 && j < size; ++j)
      row[j] = math.add(row[j], inputs[2]->elements[j]);
  }
  return std::vector<Value>{std::move(result)};
}

Results mozart::evalAdd(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  Value result = zeroResult(step);
  for (size_t i = 0; i < result.elements.size(); ++i)
    result.elements[i] =
        math.add(inputs[0]->elements[i], inputs[1]->elements[i]);
  return std::vector<Value>{std::move(result)};
}

Results mozart::evalLinear(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const Value &x = *inputs[0], &weight = *inputs[1];
  Value result = zeroResult(step);
  result.elements = multiply(
      math, x.elements.data(), x.dim(0), x.dim(1), weight.elements.data(),
      weight.dim(1), inputs.size() > 2 ? inputs[2]->elements.data() : nullptr);
  return std::vector<Value>{std::move(result)};
}

bool mozart::isGated(ActivationKind kind) {
  return kind == ActivationKind::Swiglu || kind == ActivationKind::Geglu ||
         kind == ActivationKind::ClampedSwiglu;
}

static double gelu(double x) {
  return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
}

static double geluTanh(double x) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  double inner = std::sqrt(kTwoOverPi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

static double activate(const Arithmetic &math, ActivationKind kind, double up) {
  switch (kind) {
  case ActivationKind::Gelu:
    return math.round(gelu(up));
  case ActivationKind::GeluTanh:
    return math.round(geluTanh(up));
  case ActivationKind::Relu:
    return up > 0 ? up : 0.0;
  case ActivationKind::Silu:
  default:
    return math.mul(up, math.sigmoid(up));
  }
}

static double activateGated(const Arithmetic &math, const FfnParams &params,
                            double gate, double up) {
  switch (params.activation) {
  case ActivationKind::Geglu:
    return math.mul(math.round(gelu(gate)), up);
  case ActivationKind::ClampedSwiglu: {
    double limit = math.round(params.clampLimit);
    gate = std::min(gate, limit);
    up = std::min(std::max(up, -limit), limit);
    double alpha = math.round(params.clampAlpha);
    double glu = math.mul(gate, math.sigmoid(math.mul(alpha, gate)));
    return math.mul(glu, math.add(up, 1.0));
  }
  case ActivationKind::Swiglu:
  default:
    return math.mul(math.mul(gate, math.sigmoid(gate)), up);
  }
}

std::vector<double> mozart::applyFfn(const Arithmetic &math,
                                     const FfnParams &params,
                                     const FfnWeights &weights,
                                     const double *rows, int64_t numRows) {
  std::vector<double> up = multiply(math, rows, numRows, weights.hidden,
                                    weights.up, weights.inner, weights.upBias);
  if (isGated(params.activation)) {
    std::vector<double> gate =
        multiply(math, rows, numRows, weights.hidden, weights.gate,
                 weights.inner, weights.gateBias);
    for (size_t i = 0; i < up.size(); ++i)
      up[i] = activateGated(math, params, gate[i], up[i]);
  } else {
    for (double &value : up)
      value = activate(math, params.activation, value);
  }
  return multiply(math, up.data(), numRows, weights.inner, weights.down,
                  weights.hidden, weights.downBias);
}

FfnWeights mozart::readFfnWeights(const FfnParams &params, Inputs operands,
                                  int64_t index, int64_t stacked) {
  size_t next = 0;
  auto take = [&] {
    const std::vector<double> &all = operands[next++]->elements;
    return all.data() + index * (static_cast<int64_t>(all.size()) / stacked);
  };
  bool gated = isGated(params.activation);
  const ValueType &up = operands[gated ? 1 : 0]->type;
  FfnWeights weights;
  weights.hidden = up.shape[up.shape.size() - 2];
  weights.inner = up.shape.back();
  if (gated)
    weights.gate = take();
  weights.up = take();
  weights.down = take();
  if (!params.hasBias)
    return weights;
  if (gated)
    weights.gateBias = take();
  weights.upBias = take();
  weights.downBias = take();
  return weights;
}

Results mozart::evalFfn(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const Value &x = *inputs[0];
  FfnWeights weights = readFfnWeights(step.ffn, inputs.subspan(1), 0, 1);
  Value result = zeroResult(step);
  result.elements =
      applyFfn(math, step.ffn, weights, x.elements.data(), x.dim(0));
  if (!step.ffn.hasOutputGate)
    return std::vector<Value>{std::move(result)};
  std::vector<double> logits =
      multiply(math, x.elements.data(), x.dim(0), x.dim(1),
               inputs.back()->elements.data(), 1, nullptr);
  for (int64_t i = 0; i < x.dim(0); ++i)
    for (int64_t j = 0; j < x.dim(1); ++j)
      result.row(i)[j] = math.mul(result.row(i)[j], math.sigmoid(logits[i]));
  return std::vector<Value>{std::move(result)};
}
