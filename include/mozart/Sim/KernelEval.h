//===- KernelEval.h - Kernels on real numbers ---------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each kernel computes, to the bit.
//
// Arithmetic. A kernel with an f64 operand or result works in f64; every other
// one works in f32: each product, quotient, function value and sum is rounded
// to f32, except that a product which is added to a sum at once is not rounded
// on its own (a fused multiply-add). Results are rounded once more, to their
// element type, with ties to even. Nothing in between is rounded to f16 or
// bf16: what a kernel hands from one of its stages to the next stays in f32.
//
// Order of addition. A sum over an axis starts at zero and takes its terms in
// ascending index: the inner axis of a matrix product, entries of a row in a
// norm, experts or positions in a softmax, positions in attention, slots of a
// token in a combine. A bias is added to the finished product. So a sum of n
// terms is within n u sum|terms| of the exact one, u = `roundingUnit`.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_KERNELEVAL_H
#define MOZART_SIM_KERNELEVAL_H

#include "mozart/Sim/Kernels.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mozart {

/// The id of an empty slot of a routing.
inline constexpr int32_t kPaddingId = -1;

/// A tensor, row-major, or a routing.
struct Value {
  ValueType type;
  std::vector<double> elements; ///< of a routing: its gate weights [T, k]
  std::vector<int32_t> ids;     ///< of a routing: [T, k]

  /// Size of axis `axis`; 0 where there is no such axis.
  int64_t dim(size_t axis) const {
    return axis < type.shape.size() ? type.shape[axis] : 0;
  }
  bool isRouting() const { return type.kind == ValueType::Kind::Routing; }
  /// The first element of row `row` of a matrix.
  const double *row(int64_t row) const {
    return elements.data() + row * type.shape.back();
  }
  double *row(int64_t row) { return elements.data() + row * type.shape.back(); }
  const int32_t *slots(int64_t token) const {
    return ids.data() + token * type.shape.back();
  }
  int32_t *slots(int64_t token) {
    return ids.data() + token * type.shape.back();
  }
};

/// A value of `type` that is all zero; of a routing, all padding. Fails with
/// kInvalidArgument on a negative size or one that passes 2^63 bytes.
absl::StatusOr<Value> makeValue(const ValueType &type);

/// A tensor of given elements, rounded to `element`. Fails with
/// kInvalidArgument when the number of elements is not that of `shape`, or an
/// integer type cannot hold one.
absl::StatusOr<Value> makeTensor(ElementType element,
                                 std::vector<int64_t> shape,
                                 std::vector<double> elements);

/// The value in memory form, and back. `bytes` holds `type.bytes()` bytes.
std::vector<uint8_t> encodeValue(const Value &value);
absl::StatusOr<Value> decodeValue(const ValueType &type,
                                  absl::Span<const uint8_t> bytes);

/// Computes the rows of a custom kernel's results from the rows of its
/// operands. `results` come with their types, all zero; the caller rounds them.
using CustomKernel = std::function<absl::Status(
    const CustomParams &params, absl::Span<const Value *const> inputs,
    absl::Span<Value> results)>;

/// Custom kernels by name.
class KernelRegistry {
public:
  /// Fails with kAlreadyExists on a name that is taken.
  absl::Status add(std::string name, CustomKernel kernel);
  /// Null where no kernel has this name.
  const CustomKernel *find(absl::string_view name) const;
  /// All names, in order.
  std::vector<std::string> names() const;

private:
  std::map<std::string, CustomKernel, std::less<>> kernels;
};

/// Runs one step. Fails where `verifyStep` does; with kNotFound on a custom
/// kernel that nobody registered; and with kInvalidArgument, naming the place,
/// on data that has no meaning: a NaN among logits, a count below zero or past
/// the rows, an expert id that does not exist, more pairs than rows.
absl::StatusOr<std::vector<Value>>
evaluateKernel(const KernelStep &step, absl::Span<const Value *const> inputs,
               const KernelRegistry *registry = nullptr);

/// The pairs (token, slot) of a routing in the order of dispatched rows:
/// by (expert, token, slot), padding left out.
struct RoutedPair {
  int32_t expert;
  int64_t token, slot;
};
std::vector<RoutedPair> sortedPairs(const Value &routing);

} // namespace mozart

#endif // MOZART_SIM_KERNELEVAL_H
