//===- KernelCost.cpp - How long a compute task takes ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Cost/KernelCost.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>

using namespace mozart;

using int128 = __int128;

static constexpr int64_t kPsPerSecond = 1000000000000;

namespace {

/// Sums products and notices when they pass 127 bits.
class WorkBuilder {
public:
  WorkBuilder(const KernelStep &step, absl::Span<const ValueType> inputs,
              const RoutedCounts *counts)
      : step(step), inputs(inputs), counts(counts) {}

  absl::StatusOr<KernelWork> run() {
    switch (step.kind) {
    case KernelKind::Norm:
    case KernelKind::Add:
    case KernelKind::Route:
      everyOperand();
      break;
    case KernelKind::Linear:
    case KernelKind::Router:
      matmul(inputs[0].rows(), inputs[1].shape[0], inputs[1].shape[1]);
      break;
    case KernelKind::Attention:
      attention();
      break;
    case KernelKind::LatentAttention:
      latentAttention();
      break;
    case KernelKind::Dispatch:
      if (needCounts(1, inputs[1].experts)) // one row read, one written a pair
        rows(inputs[0].shape[1], {counts->pairs, counts->pairs});
      break;
    case KernelKind::Combine:
      if (needCounts(1, inputs[1].experts))
        rows(inputs[0].shape[1], {counts->pairs, counts->tokens});
      break;
    case KernelKind::Experts:
      if (needCounts(1, inputs[1].rows()))
        for (int64_t n : counts->pairsOfExpert)
          ffn(n, 2);
      break;
    case KernelKind::Ffn:
      ffn(inputs[0].rows(), 1);
      if (step.ffn.hasOutputGate)
        matmul(inputs[0].rows(), inputs[0].shape[1], 1);
      break;
    case KernelKind::Custom:
      custom();
      break;
    }
    if (!error.ok())
      return error;
    if (overflow)
      return absl::OutOfRangeError(
          absl::StrCat("kernel '", kernelName(step.kind),
                       "': its work does not fit in 127 bits"));
    return work;
  }

private:
  const KernelStep &step;
  absl::Span<const ValueType> inputs;
  const RoutedCounts *counts;
  KernelWork work;
  bool overflow = false;
  absl::Status error;

  void add(int128 &total, std::initializer_list<int64_t> factors) {
    int128 product = 1;
    for (int64_t factor : factors)
      overflow |= __builtin_mul_overflow(product, int128(factor), &product);
    overflow |= __builtin_add_overflow(total, product, &total);
  }

  /// [m, k] x [k, n]; the left operand streams.
  void matmul(int64_t m, int64_t k, int64_t n) {
    work.products.push_back({m, k, n});
    add(work.multiplyAdds, {m, k, n});
    add(work.multiplyAddBytes, {m, k, n, elementBytes(inputs[0].element)});
  }

  void move(int64_t bytes) { add(work.movedBytes, {bytes}); }

  /// Reads all operands, writes all results.
  void everyOperand() {
    for (const ValueType &type : inputs)
      move(type.bytes());
    for (const ValueType &type : step.resultTypes)
      move(type.bytes());
  }

  void rows(int64_t hidden, std::initializer_list<int64_t> moved) {
    for (int64_t n : moved)
      add(work.movedBytes, {n, hidden, elementBytes(inputs[0].element)});
  }

  bool needCounts(size_t operand, int64_t experts) {
    if (counts == nullptr) {
      error = absl::InvalidArgumentError(absl::StrCat(
          "kernel '", kernelName(step.kind), "': operand ", operand,
          " names no slice of the routing, so its rows cannot be counted; "
          "expected the buffer that it comes from to have one"));
      return false;
    }
    if (static_cast<int64_t>(counts->pairsOfExpert.size()) != experts) {
      error = absl::InvalidArgumentError(absl::StrCat(
          "kernel '", kernelName(step.kind), "': operand ", operand, " is of ",
          experts, " experts, but its slice of the routing names ",
          counts->pairsOfExpert.size()));
      return false;
    }
    return true;
  }

  /// Up (and gate) and down of `n` rows; weights start at operand `first`
  /// (after the counts, of experts) and end in [.., H, F].
  void ffn(int64_t n, size_t first) {
    const std::vector<int64_t> &up = inputs[first].shape;
    int64_t hidden = up[up.size() - 2], inner = up[up.size() - 1];
    bool gated = step.ffn.activation == ActivationKind::Swiglu ||
                 step.ffn.activation == ActivationKind::Geglu ||
                 step.ffn.activation == ActivationKind::ClampedSwiglu;
    for (int i = 0; i < (gated ? 2 : 1); ++i)
      matmul(n, hidden, inner);
    matmul(n, inner, hidden);
  }

  /// (query, key) pairs of one head of one sequence. Causal: position i looks
  /// at i + 1 keys.
  static int128 attendedPairs(int64_t length, bool causal) {
    return causal ? int128(length) * (length + 1) / 2 : int128(length) * length;
  }

  /// Scores and value products: `heads` heads a sequence.
  void scores(int64_t sequences, int64_t heads, bool causal, int64_t keySize,
              int64_t valueSize) {
    int64_t length = inputs[0].rows() / sequences;
    int128 pairs = attendedPairs(length, causal);
    if (pairs > std::numeric_limits<int64_t>::max()) {
      overflow = true;
      return;
    }
    MatrixProduct each;
    if (__builtin_mul_overflow(sequences, heads, &each.count)) {
      overflow = true;
      return;
    }
    using Triangle = MatrixProduct::Triangle;
    each.rows = each.columns = length;
    each.inner = keySize;
    each.triangle = causal ? Triangle::Result : Triangle::None;
    work.products.push_back(each);
    each.inner = length;
    each.columns = valueSize;
    each.triangle = causal ? Triangle::Left : Triangle::None;
    work.products.push_back(each);
    for (int64_t size : {keySize, valueSize}) {
      add(work.multiplyAdds,
          {static_cast<int64_t>(pairs), sequences, heads, size});
      add(work.multiplyAddBytes, {static_cast<int64_t>(pairs), sequences, heads,
                                  size, elementBytes(inputs[0].element)});
    }
  }

  void attention() {
    const AttentionParams &p = step.attention;
    const int64_t tokens = inputs[0].rows();
    for (size_t weight : {1, 2, 3, 4})
      matmul(tokens, inputs[weight].shape[0], inputs[weight].shape[1]);
    scores(p.sequences, p.heads, p.causal, p.headDim, p.headDim);
  }

  void latentAttention() {
    const LatentAttentionParams &p = step.latent;
    const int64_t tokens = inputs[0].rows();
    for (size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].shape.size() == 2) // the others are norms
        matmul(tokens, inputs[i].shape[0], inputs[i].shape[1]);
    scores(p.sequences, p.heads, p.causal, p.nopeDim + p.ropeDim, p.valueDim);
  }

  void custom() {
    int64_t n = counts != nullptr ? counts->pairs : inputs[0].rows();
    add(work.plainFlops, {n, step.custom.flopsPerRow});
    add(work.movedBytes, {n, step.custom.bytesPerRow});
  }
};

/// The shape of one tile's product: rows of the matrix that it holds, columns
/// that it yields.
struct TileShape {
  int64_t inputs, outputs;
};

} // namespace

static TileShape tileShape(const ComputeFacts &c) {
  if (c.accumulation == Accumulation::K)
    return {c.arrayRows * c.arraysPerTile, c.arrayColumns};
  return {c.arrayRows, c.arrayColumns * c.arraysPerTile};
}

static int64_t peakFlops(const ComputeFacts &c) {
  return 2 * c.tiles * c.arraysPerTile * c.arrayRows * c.arrayColumns *
         c.clockHz;
}

static absl::Status tooLong() {
  return absl::OutOfRangeError(
      "a kernel's time does not fit in 63 bits of picoseconds");
}

/// Divides both by what they share.
static void cancel(int128 &a, int128 &b) {
  int128 x = a, y = b;
  while (y != 0) {
    int128 rest = x % y;
    x = y;
    y = rest;
  }
  a /= x;
  b /= x;
}

/// a x b x c into `out`; false on overflow.
static bool multiply(int128 a, int128 b, int128 c, int128 &out) {
  return !__builtin_mul_overflow(a, b, &out) &&
         !__builtin_mul_overflow(out, c, &out);
}

absl::StatusOr<KernelWork>
mozart::kernelWork(const KernelStep &step, absl::Span<const ValueType> inputs,
                   const RoutedCounts *counts) {
  return WorkBuilder(step, inputs, counts).run();
}

/// A product's time is the larger of two ratios whose relation depends only on
/// the element size, so sums of both kinds are compared once: an exact maximum
/// as long as a step's products stream elements of one size, as kernels do.
absl::StatusOr<int64_t> mozart::workPs(const KernelWork &work,
                                       const NodeFacts &node) {
  const ComputeFacts &c = node.compute;
  const TileShape tile = tileShape(c);
  const int128 flopsRate = peakFlops(c);

  // Products: flops / flopsRate, or bytes / sramRate where bytes =
  // multiply-adds x element bytes x (inputs + outputs) / (inputs x outputs).
  // Factors that cancel are taken out, so that large arrays and rates fit.
  int128 perimeter = int128(tile.inputs) + tile.outputs;
  int128 area = int128(tile.inputs) * tile.outputs;
  int128 sramRate = int128(c.tiles) * c.tileSramBytesPerSecond;
  int128 second = kPsPerSecond;
  cancel(perimeter, area);
  cancel(second, sramRate);
  // Systolic cycles count as the flops that the arrays could do meanwhile.
  int128 cycles = 0;
  for (const MatrixProduct &product : work.products) {
    int128 here = arrayCycles(product, c);
    if (here < 0 || __builtin_add_overflow(cycles, here, &cycles))
      return tooLong();
  }
  int128 filled, flops, productBytes, moved, sramScale;
  if (!multiply(cycles, flopsRate / c.clockHz, kPsPerSecond, filled) ||
      !multiply(work.multiplyAdds, 2, kPsPerSecond, flops) ||
      !multiply(work.multiplyAddBytes, perimeter, second, productBytes) ||
      !multiply(area, sramRate, 1, sramScale) ||
      sramScale > std::numeric_limits<int64_t>::max() ||
      !multiply(work.movedBytes, area, second, moved))
    return tooLong();
  int128 plain;
  if (!multiply(work.plainFlops, kPsPerSecond, 1, plain))
    return tooLong();

  // Compare flops / flopsRate with productBytes / sramScale by whole and rest,
  // since the cross product may not fit.
  flops = std::max(flops, filled);
  auto exceeds = [&](int128 a, int128 aRate, int128 b, int128 bRate) {
    if (a / aRate != b / bRate)
      return a / aRate > b / bRate;
    return (a % aRate) * bRate > (b % bRate) * aRate; // below 2^126
  };
  int128 onArrays = 0, onSram = 0;
  if (exceeds(flops, flopsRate, productBytes, sramScale))
    onArrays = flops;
  else
    onSram = productBytes;
  // A registered kernel overlaps its own bytes and flops.
  if (exceeds(plain, flopsRate, moved, sramScale))
    onArrays += plain;
  else if (__builtin_add_overflow(onSram, moved, &onSram))
    return tooLong();

  int128 whole = onArrays / flopsRate + onSram / sramScale;
  int128 rest = (onArrays % flopsRate) * sramScale +
                (onSram % sramScale) * flopsRate; // of flopsRate x sramScale
  int128 unit = flopsRate * sramScale;
  if (rest > 0)
    whole += rest > unit ? 2 : 1;
  if (whole > std::numeric_limits<int64_t>::max())
    return tooLong();
  return static_cast<int64_t>(whole);
}

__int128 mozart::sramBytes(const KernelWork &work, const NodeFacts &node) {
  const TileShape tile = tileShape(node.compute);
  int128 perimeter = int128(tile.inputs) + tile.outputs;
  int128 area = int128(tile.inputs) * tile.outputs;
  cancel(perimeter, area);
  int128 bytes = 0;
  if (!multiply(work.multiplyAddBytes, perimeter, 1, bytes))
    return -1;
  bytes = bytes / area + (bytes % area != 0);
  return __builtin_add_overflow(bytes, work.movedBytes, &bytes) ? -1 : bytes;
}

absl::StatusOr<int64_t> mozart::kernelPs(const KernelStep &step,
                                         absl::Span<const ValueType> inputs,
                                         const NodeFacts &node,
                                         const RoutedCounts *counts) {
  absl::StatusOr<KernelWork> work = kernelWork(step, inputs, counts);
  if (!work.ok())
    return work.status();
  return workPs(*work, node);
}

namespace {

/// Walks the values of a compute task and their slices of the routing.
class TaskValues {
public:
  TaskValues(const Program &program, const Task &task) {
    for (int32_t read : task.reads) {
      types.push_back(program.buffers[read].type);
      slices.push_back(program.buffers[read].slice);
    }
    for (const KernelStep &step : task.steps)
      for (const ValueType &type : step.resultTypes) {
        types.push_back(type);
        slices.push_back(-1);
      }
    // A value that is stored is what its buffer says that it is.
    for (size_t i = 0; i < task.results.size(); ++i)
      if (slices[task.results[i]] < 0)
        slices[task.results[i]] = program.buffers[task.writes[i]].slice;
  }

  /// The value whose slice counts a step's rows, or -1.
  int32_t routedValue(const KernelStep &step) const {
    switch (step.kind) {
    case KernelKind::Dispatch:
    case KernelKind::Combine:
    case KernelKind::Experts:
      return step.inputs[1];
    case KernelKind::Custom:
      for (int32_t value : step.inputs)
        if (slices[value] >= 0)
          return value;
      return -1;
    default:
      return -1;
    }
  }

  int32_t routedSlice(const KernelStep &step) const {
    int32_t value = routedValue(step);
    return value < 0 ? -1 : slices[value];
  }

  /// Results of routed kernels are rows of the same slice.
  void inherit(const KernelStep &step, size_t firstResult) {
    int32_t slice = routedSlice(step);
    for (size_t i = 0; i < step.resultTypes.size(); ++i)
      if (slices[firstResult + i] < 0)
        slices[firstResult + i] = slice;
  }

  std::vector<ValueType> inputs(const KernelStep &step) const {
    std::vector<ValueType> result;
    result.reserve(step.inputs.size());
    for (int32_t value : step.inputs)
      result.push_back(types[value]);
    return result;
  }

private:
  std::vector<ValueType> types;
  std::vector<int32_t> slices;
};

} // namespace

std::vector<StepOperands> mozart::stepOperands(const Program &program,
                                               const Task &task) {
  TaskValues values(program, task);
  std::vector<StepOperands> all;
  size_t next = task.reads.size();
  for (const KernelStep &step : task.steps) {
    all.push_back({values.inputs(step), values.routedSlice(step)});
    values.inherit(step, next);
    next += step.resultTypes.size();
  }
  return all;
}

absl::StatusOr<std::vector<KernelWork>>
mozart::taskWork(const Program &program, int32_t index,
                 RoutingCounter &counter) {
  const Task &task = program.tasks[index];
  std::vector<StepOperands> operands = stepOperands(program, task);
  std::vector<KernelWork> all;
  for (size_t i = 0; i < task.steps.size(); ++i) {
    int32_t slice = operands[i].slice;
    absl::StatusOr<KernelWork> work =
        kernelWork(task.steps[i], operands[i].types,
                   slice < 0 ? nullptr : &counter.counts(slice));
    if (!work.ok())
      return absl::Status(work.status().code(),
                          absl::StrCat("program '", program.name, "', task ",
                                       index, " ('", task.name, "'), step ", i,
                                       ": ", work.status().message()));
    all.push_back(*work);
  }
  return all;
}

absl::StatusOr<int64_t> mozart::taskPs(const Program &program, int32_t index,
                                       const MachineModel &machine,
                                       RoutingCounter &counter) {
  absl::StatusOr<std::vector<KernelWork>> work =
      taskWork(program, index, counter);
  if (!work.ok())
    return work.status();
  return taskPs(program, index, machine, *work);
}

absl::StatusOr<int64_t> mozart::taskPs(const Program &program, int32_t index,
                                       const MachineModel &machine,
                                       absl::Span<const KernelWork> work) {
  const Task &task = program.tasks[index];
  const NodeFacts &node = machine.node(task.node);
  int64_t total = node.compute.kernelStartPs;
  for (const KernelWork &step : work) {
    absl::StatusOr<int64_t> ps = workPs(step, node);
    if (!ps.ok() || __builtin_add_overflow(total, *ps, &total))
      return absl::OutOfRangeError(absl::StrCat(
          "program '", program.name, "', task ", index, " ('", task.name,
          "'): its time does not fit in 63 bits of picoseconds"));
  }
  return total;
}

int64_t mozart::rooflineFlopsPerSecond(const NodeFacts &node,
                                       int64_t elementBytes) {
  const ComputeFacts &c = node.compute;
  const TileShape tile = tileShape(c);
  // Fed: 2 x inputs x outputs flops take elementBytes x (inputs + outputs)
  // bytes. Whole and rest of the SRAM rate apart, so that products fit.
  int128 flops = int128(2) * tile.inputs * tile.outputs;
  int128 bytes = int128(elementBytes) * (tile.inputs + tile.outputs);
  int128 rate = int128(c.tiles) * c.tileSramBytesPerSecond;
  int128 fed = rate / bytes * flops + rate % bytes * flops / bytes;
  return static_cast<int64_t>(std::min(fed, int128(peakFlops(c))));
}
