//===- KernelCost.h - How long a compute task takes ---------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels on the arrays of a chiplet, as a roofline. docs/simulation.md has the
// formulas.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_KERNELCOST_H
#define MOZART_COST_KERNELCOST_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Cost/SystolicArrays.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace mozart {

/// What a kernel asks of a chiplet: matrix products and moved rows.
struct KernelWork {
  /// Multiply-adds of its matrix products, and the same times the bytes of an
  /// element of the streamed operand (the kernel's first).
  __int128 multiplyAdds = 0;
  __int128 multiplyAddBytes = 0;
  /// Bytes that it reads and writes apart from matrix products.
  __int128 movedBytes = 0;
  /// Floating-point operations that run at the arrays' peak whatever the SRAM
  /// does (of registered kernels, which state their own bytes).
  __int128 plainFlops = 0;
  /// Its matrix products one by one, which count as `multiplyAdds` too.
  std::vector<MatrixProduct> products;

  /// Adds the work of `times` kernels like `other`, but for its list of
  /// products: the sum's time is the roofline's, whatever the dataflow. Sums of
  /// what a program can hold do not overflow; products are the caller's to
  /// bound.
  void add(const KernelWork &other, __int128 times = 1) {
    multiplyAdds += other.multiplyAdds * times;
    multiplyAddBytes += other.multiplyAddBytes * times;
    movedBytes += other.movedBytes * times;
    plainFlops += other.plainFlops * times;
  }
};

/// Work of one step on operands of types `inputs`, which have passed
/// `verifyStep`. `counts` are those of its
/// routed operand (the routing of dispatch and combine, the counts of experts;
/// of a registered kernel, of its first routed operand or null); kernels that
/// are not routed ignore it. Fails with kInvalidArgument where counts are
/// needed and missing or do not fit, with kOutOfRange on overflow.
absl::StatusOr<KernelWork> kernelWork(const KernelStep &step,
                                      absl::Span<const ValueType> inputs,
                                      const RoutedCounts *counts);

/// Time of `work` on a chiplet, exact and rounded up once. Fails with
/// kOutOfRange if it passes 2^63 picoseconds.
absl::StatusOr<int64_t> workPs(const KernelWork &work, const NodeFacts &node);

/// Bytes that `work` reads from and writes to the SRAM of a chiplet: what its
/// matrix products stream, by the shape of a tile (docs/simulation.md, "What a
/// kernel takes"), rounded up once, and what it moves beside them. -1 if they
/// do not fit in 127 bits.
__int128 sramBytes(const KernelWork &work, const NodeFacts &node);

/// `workPs` of `kernelWork`.
absl::StatusOr<int64_t> kernelPs(const KernelStep &step,
                                 absl::Span<const ValueType> inputs,
                                 const NodeFacts &node,
                                 const RoutedCounts *counts);

/// Operand types of one step of a compute task and the slice of the routing
/// that counts its rows: that of the operand that says so (see `kernelWork`),
/// which values inherit from step to step. -1: none.
struct StepOperands {
  std::vector<ValueType> types;
  int32_t slice = -1;
};
std::vector<StepOperands> stepOperands(const Program &program,
                                       const Task &task);

/// Work of each step of a compute task, in order. Errors name the task and
/// step.
absl::StatusOr<std::vector<KernelWork>>
taskWork(const Program &program, int32_t task, RoutingCounter &counter);

/// Duration of a compute task whose steps are `work`: the chiplet's kernel
/// start, once, and the sum of its steps.
absl::StatusOr<int64_t> taskPs(const Program &program, int32_t task,
                               const MachineModel &machine,
                               absl::Span<const KernelWork> work);

/// The same of its `taskWork`.
absl::StatusOr<int64_t> taskPs(const Program &program, int32_t task,
                               const MachineModel &machine,
                               RoutingCounter &counter);

/// Matrix products a second (in flops) that a chiplet sustains on elements of
/// `elementBytes` bytes: the lower of its arrays' peak and of what its SRAM
/// can feed, rounded down.
int64_t rooflineFlopsPerSecond(const NodeFacts &node, int64_t elementBytes);

} // namespace mozart

#endif // MOZART_COST_KERNELCOST_H
