//===- AttentionKernels.cpp - Attention and latent attention --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include "absl/strings/str_cat.h"

#include <utility>

using namespace mozart;

/// A head's worth of numbers in each of several rows.
namespace {
struct Heads {
  const double *data;
  int64_t stride; ///< from one row to the next
  int64_t size;   ///< numbers of one head

  const double *at(int64_t row, int64_t head) const {
    return data + row * stride + head * size;
  }
};
} // namespace

/// Softmax attention of one head over one sequence. Writes `values.size`
/// numbers per position to `out`, rows `outStride` apart.
static void attend(const Arithmetic &math, const Heads &queries,
                   int64_t queryHead, const Heads &keys, const Heads &values,
                   int64_t keyHead, int64_t firstRow, int64_t length,
                   bool causal, double scale, double *out, int64_t outStride) {
  for (int64_t i = 0; i < length; ++i) {
    int64_t seen = causal ? i + 1 : length;
    std::vector<double> weights(seen);
    const double *query = queries.at(firstRow + i, queryHead);
    for (int64_t j = 0; j < seen; ++j) {
      const double *key = keys.at(firstRow + j, keyHead);
      double sum = 0;
      for (int64_t d = 0; d < queries.size; ++d)
        sum = math.fma(sum, query[d], key[d]);
      weights[j] = math.mul(sum, math.round(scale));
    }
    softmax(math, weights.data(), seen);
    double *row = out + (firstRow + i) * outStride + queryHead * values.size;
    for (int64_t j = 0; j < seen; ++j)
      for (int64_t d = 0; d < values.size; ++d)
        row[d] =
            math.fma(row[d], weights[j], values.at(firstRow + j, keyHead)[d]);
  }
}

static absl::Status checkRope(const KernelStep &step, const RopeParams &rope,
                              int64_t dim) {
  if (rope.style == RopeStyle::None)
    return absl::OkStatus();
  if (rope.rotaryDim <= 0 || rope.rotaryDim % 2 != 0 || rope.rotaryDim > dim)
    return kernelError(step,
                       absl::StrCat("the rotary size is ", rope.rotaryDim,
                                    "; expected an even number up to ", dim));
  if (!(rope.theta > 0 && rope.factor > 0))
    return kernelError(step, "theta or factor of the rotary embedding is not "
                             "positive");
  return absl::OkStatus();
}

/// Norms queries or keys, over each head or over all heads at once.
static void normHeads(const Arithmetic &math, std::vector<double> &rows,
                      const Value &weight, double epsilon) {
  int64_t size = weight.dim(0);
  for (size_t begin = 0; begin < rows.size(); begin += size)
    rmsNormalize(math, rows.data() + begin, weight.elements.data(), size,
                 epsilon);
}

static void rotateHeads(const Arithmetic &math, const Rotation &rotation,
                        std::vector<double> &rows, int64_t numRows,
                        int64_t heads, int64_t size, int64_t offset,
                        int64_t length) {
  for (int64_t row = 0; row < numRows; ++row)
    for (int64_t head = 0; head < heads; ++head)
      rotation.apply(math, rows.data() + (row * heads + head) * size + offset,
                     row % length);
}

Results mozart::evalAttention(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const AttentionParams &p = step.attention;
  if (absl::Status status = checkRope(step, p.rope, p.headDim); !status.ok())
    return status;
  const Value &x = *inputs[0];
  size_t next = 5;
  auto optional = [&](bool present) {
    return present ? inputs[next++]->elements.data() : nullptr;
  };
  const double *bq = optional(p.hasBias), *bk = optional(p.hasBias);
  const double *bv = optional(p.hasBias), *bo = optional(p.hasOutputBias);

  int64_t rows = x.dim(0), hidden = x.dim(1);
  int64_t queryDim = p.heads * p.headDim, keyDim = p.kvHeads * p.headDim;
  auto project = [&](size_t operand, const double *bias) {
    return multiply(math, x.elements.data(), rows, hidden,
                    inputs[operand]->elements.data(), inputs[operand]->dim(1),
                    bias);
  };
  std::vector<double> q = project(1, bq), k = project(2, bk),
                      v = project(3, bv);
  if (p.hasQkNorm) {
    normHeads(math, q, *inputs[next], p.qkNormEpsilon);
    normHeads(math, k, *inputs[next + 1], p.qkNormEpsilon);
  }
  int64_t length = rows / p.sequences;
  Rotation rotation(p.rope);
  rotateHeads(math, rotation, q, rows, p.heads, p.headDim, 0, length);
  rotateHeads(math, rotation, k, rows, p.kvHeads, p.headDim, 0, length);

  std::vector<double> mixed(rows * queryDim, 0.0);
  Heads queries{q.data(), queryDim, p.headDim};
  Heads keys{k.data(), keyDim, p.headDim}, values{v.data(), keyDim, p.headDim};
  for (int64_t sequence = 0; sequence < p.sequences; ++sequence)
    for (int64_t head = 0; head < p.heads; ++head)
      attend(math, queries, head, keys, values, head / (p.heads / p.kvHeads),
             sequence * length, length, p.causal, p.scale, mixed.data(),
             queryDim);
  Value result = zeroResult(step);
  result.elements = multiply(math, mixed.data(), rows, queryDim,
                             inputs[4]->elements.data(), hidden, bo);
  return std::vector<Value>{std::move(result)};
}

namespace {
/// Operands of latent attention by name; `qA` and `qNorm` may be missing.
struct LatentOperands {
  LatentOperands(const LatentAttentionParams &p, Inputs inputs) : x(inputs[0]) {
    size_t next = 1;
    if (p.qRank > 0) {
      qA = inputs[next++];
      qNorm = inputs[next++];
    }
    qB = inputs[next++];
    kvA = inputs[next++];
    kvNorm = inputs[next++];
    kvB = inputs[next++];
    wo = inputs[next++];
  }
  const Value *x, *qA = nullptr, *qNorm = nullptr;
  const Value *qB, *kvA, *kvNorm, *kvB, *wo;
};
} // namespace

/// Keys [rows, heads, nope + rope] and values [rows, heads, value] from the
/// compressed row: each head's own part, then the part that all heads share.
static void expandKeysAndValues(const Arithmetic &math,
                                const LatentAttentionParams &p,
                                const LatentOperands &in, int64_t length,
                                std::vector<double> &keys,
                                std::vector<double> &values) {
  int64_t rows = in.x->dim(0), hidden = in.x->dim(1);
  std::vector<double> compressed =
      multiply(math, in.x->elements.data(), rows, hidden,
               in.kvA->elements.data(), p.kvRank + p.ropeDim, nullptr);
  Rotation rotation(p.rope);
  for (int64_t row = 0; row < rows; ++row) {
    double *latent = compressed.data() + row * (p.kvRank + p.ropeDim);
    double *shared = latent + p.kvRank;
    rmsNormalize(math, latent, in.kvNorm->elements.data(), p.kvRank,
                 p.normEpsilon);
    rotation.apply(math, shared, row % length);
    std::vector<double> own =
        multiply(math, latent, 1, p.kvRank, in.kvB->elements.data(),
                 in.kvB->dim(1), nullptr);
    for (int64_t head = 0; head < p.heads; ++head) {
      auto part = own.begin() + head * (p.nopeDim + p.valueDim);
      keys.insert(keys.end(), part, part + p.nopeDim);
      keys.insert(keys.end(), shared, shared + p.ropeDim);
      values.insert(values.end(), part + p.nopeDim,
                    part + p.nopeDim + p.valueDim);
    }
  }
}

static std::vector<double> latentQueries(const Arithmetic &math,
                                         const LatentAttentionParams &p,
                                         const LatentOperands &in,
                                         int64_t length) {
  int64_t rows = in.x->dim(0), inner = in.x->dim(1);
  const double *source = in.x->elements.data();
  std::vector<double> compressed;
  if (in.qA) {
    compressed = multiply(math, source, rows, inner, in.qA->elements.data(),
                          p.qRank, nullptr);
    normHeads(math, compressed, *in.qNorm, p.normEpsilon);
    source = compressed.data();
    inner = p.qRank;
  }
  std::vector<double> queries =
      multiply(math, source, rows, inner, in.qB->elements.data(), in.qB->dim(1),
               nullptr);
  rotateHeads(math, Rotation(p.rope), queries, rows, p.heads,
              p.nopeDim + p.ropeDim, p.nopeDim, length);
  return queries;
}

Results mozart::evalLatentAttention(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const LatentAttentionParams &p = step.latent;
  if (absl::Status status = checkRope(step, p.rope, p.ropeDim); !status.ok())
    return status;
  LatentOperands in(p, inputs);
  int64_t rows = in.x->dim(0), length = rows / p.sequences;
  std::vector<double> queries = latentQueries(math, p, in, length);
  std::vector<double> keys, values;
  expandKeysAndValues(math, p, in, length, keys, values);

  int64_t keySize = p.nopeDim + p.ropeDim, outSize = p.heads * p.valueDim;
  std::vector<double> mixed(rows * outSize, 0.0);
  Heads queryHeads{queries.data(), p.heads * keySize, keySize};
  Heads keyHeads{keys.data(), p.heads * keySize, keySize};
  Heads valueHeads{values.data(), outSize, p.valueDim};
  for (int64_t sequence = 0; sequence < p.sequences; ++sequence)
    for (int64_t head = 0; head < p.heads; ++head)
      attend(math, queryHeads, head, keyHeads, valueHeads, head,
             sequence * length, length, p.causal, p.scale, mixed.data(),
             outSize);
  Value result = zeroResult(step);
  result.elements = multiply(math, mixed.data(), rows, outSize,
                             in.wo->elements.data(), in.x->dim(1), nullptr);
  return std::vector<Value>{std::move(result)};
}
