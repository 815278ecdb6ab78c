//===- KernelTestSupport.h - Steps and tensors for tests ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_KERNELS_KERNELTESTSUPPORT_H
#define MOZART_TEST_UNIT_SIM_KERNELS_KERNELTESTSUPPORT_H

#include "mozart/Sim/ElementCodec.h"
#include "mozart/Sim/KernelEval.h"
#include "mozart/Sim/ValueCompare.h"

#include "gtest/gtest.h"

#include <random>
#include <utility>
#include <vector>

namespace mozart::test {

inline ValueType tensorType(std::vector<int64_t> shape,
                            ElementType element = ElementType::F32) {
  ValueType type;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

inline ValueType routingType(int64_t tokens, int64_t slots, int64_t experts,
                             ElementType gates = ElementType::F32) {
  ValueType type;
  type.kind = ValueType::Kind::Routing;
  type.element = gates;
  type.shape = {tokens, slots};
  type.experts = experts;
  return type;
}

inline Value tensor(std::vector<int64_t> shape, std::vector<double> elements,
                    ElementType element = ElementType::F32) {
  absl::StatusOr<Value> value =
      makeTensor(element, std::move(shape), std::move(elements));
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : Value();
}

inline Value routing(int64_t experts, int64_t slots, std::vector<int32_t> ids,
                     std::vector<double> gates,
                     ElementType element = ElementType::F32) {
  Value value;
  value.type = routingType(static_cast<int64_t>(ids.size()) / slots, slots,
                           experts, element);
  value.ids = std::move(ids);
  value.elements = std::move(gates);
  return value;
}

/// Numbers in [-1, 1), the same on every system.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : engine(seed) {}
  double next() {
    return static_cast<double>(static_cast<int64_t>(engine() >> 11)) * 0x1p-52 -
           1.0;
  }
  /// Below `limit`.
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(limit));
  }
  Value tensor(std::vector<int64_t> shape,
               ElementType element = ElementType::F32) {
    std::vector<double> elements(tensorType(shape).elements());
    for (double &value : elements)
      value = next();
    return test::tensor(std::move(shape), std::move(elements), element);
  }

private:
  std::mt19937_64 engine;
};

inline KernelStep step(KernelKind kind, std::vector<ValueType> results) {
  KernelStep step;
  step.kind = kind;
  step.resultTypes = std::move(results);
  return step;
}

inline absl::StatusOr<std::vector<Value>>
evaluate(const KernelStep &step, const std::vector<Value> &inputs,
         const KernelRegistry *registry = nullptr) {
  std::vector<const Value *> pointers;
  for (const Value &input : inputs)
    pointers.push_back(&input);
  return evaluateKernel(step, pointers, registry);
}

/// Runs a step that must succeed.
inline std::vector<Value> run(const KernelStep &step,
                              const std::vector<Value> &inputs) {
  absl::StatusOr<std::vector<Value>> results = evaluate(step, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *std::move(results)
                      : std::vector<Value>(step.resultTypes.size());
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_KERNELS_KERNELTESTSUPPORT_H
