//===- AttentionKernelsTest.cpp -------------------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The references below write attention out position by position, with rotations
// as complex numbers; they share nothing with the kernels but the meaning.
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "gmock/gmock.h"

#include <cmath>
#include <complex>

using namespace mozart;
using namespace mozart::test;
using testing::HasSubstr;

namespace {

using Row = std::vector<double>;
constexpr ElementType kWide = ElementType::F64;

Row timesMatrix(const Row &x, const Value &w) {
  Row y(w.dim(1), 0.0);
  for (int64_t j = 0; j < w.dim(1); ++j)
    for (size_t i = 0; i < x.size(); ++i)
      y[j] += x[i] * w.row(static_cast<int64_t>(i))[j];
  return y;
}

Row plus(Row a, const Value *b) {
  for (size_t i = 0; b && i < a.size(); ++i)
    a[i] += b->elements[i];
  return a;
}

Row part(const Row &row, int64_t begin, int64_t size) {
  return Row(row.begin() + begin, row.begin() + begin + size);
}

double dot(const Row &a, const Row &b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

Row rmsNorm(const Row &x, const Value &weight, double epsilon) {
  double scale =
      1 / std::sqrt(dot(x, x) / static_cast<double>(x.size()) + epsilon);
  Row y;
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(x[i] * scale * weight.elements[i]);
  return y;
}

Row rotated(Row head, const RopeParams &rope, int64_t position) {
  int64_t pairs = rope.style == RopeStyle::None ? 0 : rope.rotaryDim / 2;
  for (int64_t i = 0; i < pairs; ++i) {
    bool half = rope.style == RopeStyle::Half;
    double &a = head[half ? i : 2 * i], &b = head[half ? i + pairs : 2 * i + 1];
    double angle = static_cast<double>(position) *
                   std::pow(rope.theta, -static_cast<double>(i) /
                                            static_cast<double>(pairs)) /
                   rope.factor;
    std::complex<double> z =
        std::complex<double>(a, b) * std::polar(rope.magnitude, angle);
    a = z.real();
    b = z.imag();
  }
  return head;
}

/// The mix of values[0..] that a query sees.
Row mix(const Row &query, const std::vector<Row> &keys,
        const std::vector<Row> &values, double scale) {
  double total = 0;
  Row out(values[0].size(), 0.0);
  for (size_t j = 0; j < keys.size(); ++j) {
    double weight = std::exp(scale * dot(query, keys[j]));
    total += weight;
    for (size_t d = 0; d < out.size(); ++d)
      out[d] += weight * values[j][d];
  }
  for (double &v : out)
    v /= total;
  return out;
}

struct AttentionInputs {
  Value x, wq, wk, wv, wo, bq, bk, bv, bo, qNorm, kNorm;
};

Row attentionReference(const AttentionParams &p, const AttentionInputs &in) {
  int64_t length = in.x.dim(0) / p.sequences;
  Row all;
  for (int64_t row = 0; row < in.x.dim(0); ++row) {
    int64_t first = row - row % length;
    auto project = [&](int64_t at, const Value &w, const Value &b,
                       const Value *norm, int64_t head, bool rotate) {
      Row x(in.x.row(at), in.x.row(at) + in.x.dim(1));
      Row y = plus(timesMatrix(x, w), p.hasBias ? &b : nullptr);
      if (norm && !p.qkNormPerHead)
        y = rmsNorm(y, *norm, p.qkNormEpsilon);
      y = part(y, head * p.headDim, p.headDim);
      if (norm && p.qkNormPerHead)
        y = rmsNorm(y, *norm, p.qkNormEpsilon);
      return rotate ? rotated(y, p.rope, at - first) : y;
    };
    Row heads;
    for (int64_t h = 0; h < p.heads; ++h) {
      int64_t shared = h * p.kvHeads / p.heads;
      std::vector<Row> keys, values;
      for (int64_t j = first; j < first + length; ++j) {
        if (p.causal && j > row)
          break;
        keys.push_back(project(
            j, in.wk, in.bk, p.hasQkNorm ? &in.kNorm : nullptr, shared, true));
        values.push_back(project(j, in.wv, in.bv, nullptr, shared, false));
      }
      Row query = project(row, in.wq, in.bq, p.hasQkNorm ? &in.qNorm : nullptr,
                          h, true);
      Row out = mix(query, keys, values, p.scale);
      heads.insert(heads.end(), out.begin(), out.end());
    }
    Row y = plus(timesMatrix(heads, in.wo), p.hasOutputBias ? &in.bo : nullptr);
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

struct AttentionCase {
  const char *name;
  AttentionParams params;
};

AttentionCase attentionCase(const char *name,
                            void (*change)(AttentionParams &)) {
  AttentionParams p;
  p.sequences = 2;
  p.heads = 4;
  p.kvHeads = 4;
  p.headDim = 6;
  p.scale = 1 / std::sqrt(6.0);
  change(p);
  return {name, p};
}

const AttentionCase kCases[] = {
    attentionCase("Plain", [](AttentionParams &) {}),
    attentionCase("NotCausal", [](AttentionParams &p) { p.causal = false; }),
    attentionCase("Grouped", [](AttentionParams &p) { p.kvHeads = 2; }),
    attentionCase("OneKvHead", [](AttentionParams &p) { p.kvHeads = 1; }),
    attentionCase(
        "Biases",
        [](AttentionParams &p) { p.hasBias = p.hasOutputBias = true; }),
    attentionCase("OutputBiasOnly",
                  [](AttentionParams &p) { p.hasOutputBias = true; }),
    attentionCase("RopeHalf",
                  [](AttentionParams &p) {
                    p.rope.style = RopeStyle::Half;
                    p.rope.rotaryDim = 6;
                    p.rope.theta = 100;
                  }),
    attentionCase("RopeInterleavedPart",
                  [](AttentionParams &p) {
                    p.rope.style = RopeStyle::Interleaved;
                    p.rope.rotaryDim = 4;
                    p.rope.theta = 100;
                    p.rope.factor = 2;
                    p.rope.magnitude = 1.25;
                  }),
    attentionCase("NormPerHead",
                  [](AttentionParams &p) { p.hasQkNorm = true; }),
    attentionCase("NormOverAllGroupedRopeBias", [](AttentionParams &p) {
      p.hasQkNorm = true;
      p.qkNormPerHead = false;
      p.kvHeads = 2;
      p.hasBias = true;
      p.rope.style = RopeStyle::Half;
      p.rope.rotaryDim = 4;
    })};

class Attention : public testing::TestWithParam<AttentionCase> {};

TEST_P(Attention, AgreesWithTheFormula) {
  const AttentionParams &p = GetParam().params;
  const int64_t rows = 8, hidden = 5;
  int64_t q = p.heads * p.headDim, kv = p.kvHeads * p.headDim;
  for (ElementType type : {kWide, ElementType::F32}) {
    Numbers numbers(17);
    AttentionInputs in;
    in.x = numbers.tensor({rows, hidden}, type);
    in.wq = numbers.tensor({hidden, q}, type);
    in.wk = numbers.tensor({hidden, kv}, type);
    in.wv = numbers.tensor({hidden, kv}, type);
    in.wo = numbers.tensor({q, hidden}, type);
    in.bq = numbers.tensor({q}, type);
    in.bk = numbers.tensor({kv}, type);
    in.bv = numbers.tensor({kv}, type);
    in.bo = numbers.tensor({hidden}, type);
    in.qNorm = numbers.tensor({p.qkNormPerHead ? p.headDim : q}, type);
    in.kNorm = numbers.tensor({p.qkNormPerHead ? p.headDim : kv}, type);
    std::vector<Value> inputs{in.x, in.wq, in.wk, in.wv, in.wo};
    if (p.hasBias)
      inputs.insert(inputs.end(), {in.bq, in.bk, in.bv});
    if (p.hasOutputBias)
      inputs.push_back(in.bo);
    if (p.hasQkNorm)
      inputs.insert(inputs.end(), {in.qNorm, in.kNorm});
    KernelStep attention =
        step(KernelKind::Attention, {tensorType({rows, hidden}, type)});
    attention.attention = p;
    Row found = run(attention, inputs)[0].elements;
    Row expected = attentionReference(p, in);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], type == kWide ? 1e-13 : 2e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Attention, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// Two positions with query and key (1, 0). The second query turns by one
// radian, so that its scores are cos 1 for the first and 1 for itself.
TEST(AttentionByHand, RotatesByPosition) {
  KernelStep attention =
      step(KernelKind::Attention, {tensorType({2, 2}, kWide)});
  AttentionParams &p = attention.attention;
  p.headDim = 2;
  p.rope.style = RopeStyle::Half;
  p.rope.rotaryDim = 2;
  auto t = [](std::vector<double> v) {
    return tensor({2, 2}, std::move(v), kWide);
  };
  Value x = t({1, 10, 1, 20});
  Value first = t({1, 0, 0, 0});  // (a, b) -> (a, 0)
  Value second = t({0, 0, 1, 0}); // (a, b) -> (b, 0)
  Value identity = t({1, 0, 0, 1});
  Row y = run(attention, {x, first, first, second, identity})[0].elements;
  double early = std::exp(std::cos(1.0)), late = std::exp(1.0);
  EXPECT_DOUBLE_EQ(y[0], 10);
  EXPECT_DOUBLE_EQ(y[2], (10 * early + 20 * late) / (early + late));
}

struct LatentCase {
  const char *name;
  int64_t qRank, ropeDim;
  RopeStyle style;
  bool causal;
};

class LatentAttention : public testing::TestWithParam<LatentCase> {};

TEST_P(LatentAttention, AgreesWithTheFormula) {
  const LatentCase &c = GetParam();
  LatentAttentionParams p;
  p.sequences = 2;
  p.heads = 3;
  p.qRank = c.qRank;
  p.kvRank = 4;
  p.nopeDim = 3;
  p.ropeDim = c.ropeDim;
  p.valueDim = 2;
  p.causal = c.causal;
  p.scale = 0.4;
  p.rope.style = c.style;
  p.rope.rotaryDim = c.ropeDim;
  p.rope.theta = 50;
  const int64_t rows = 6, hidden = 5, keySize = p.nopeDim + p.ropeDim;
  Numbers numbers(23);
  auto draw = [&](std::vector<int64_t> shape) {
    return numbers.tensor(std::move(shape), kWide);
  };
  Value x = draw({rows, hidden});
  Value qA = draw({hidden, std::max<int64_t>(p.qRank, 1)});
  Value qNorm = draw({std::max<int64_t>(p.qRank, 1)});
  Value qB = draw({p.qRank ? p.qRank : hidden, p.heads * keySize});
  Value kvA = draw({hidden, p.kvRank + p.ropeDim}), kvNorm = draw({p.kvRank});
  Value kvB = draw({p.kvRank, p.heads * (p.nopeDim + p.valueDim)});
  Value wo = draw({p.heads * p.valueDim, hidden});
  std::vector<Value> inputs{x};
  if (p.qRank)
    inputs.insert(inputs.end(), {qA, qNorm});
  inputs.insert(inputs.end(), {qB, kvA, kvNorm, kvB, wo});
  KernelStep latent =
      step(KernelKind::LatentAttention, {tensorType({rows, hidden}, kWide)});
  latent.latent = p;
  Row found = run(latent, inputs)[0].elements;

  int64_t length = rows / p.sequences;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t first = row - row % length;
    Row heads;
    for (int64_t h = 0; h < p.heads; ++h) {
      auto rowOf = [&](int64_t at) {
        return Row(x.row(at), x.row(at) + hidden);
      };
      std::vector<Row> keys, values;
      for (int64_t j = first; j <= (p.causal ? row : first + length - 1); ++j) {
        Row down = timesMatrix(rowOf(j), kvA);
        Row up = timesMatrix(
            rmsNorm(part(down, 0, p.kvRank), kvNorm, p.normEpsilon), kvB);
        Row key = part(up, h * (p.nopeDim + p.valueDim), p.nopeDim);
        Row turned =
            rotated(part(down, p.kvRank, p.ropeDim), p.rope, j - first);
        key.insert(key.end(), turned.begin(), turned.end());
        keys.push_back(key);
        values.push_back(
            part(up, h * (p.nopeDim + p.valueDim) + p.nopeDim, p.valueDim));
      }
      Row query = rowOf(row);
      if (p.qRank)
        query = rmsNorm(timesMatrix(query, qA), qNorm, p.normEpsilon);
      query = part(timesMatrix(query, qB), h * keySize, keySize);
      Row turned =
          rotated(part(query, p.nopeDim, p.ropeDim), p.rope, row - first);
      std::copy(turned.begin(), turned.end(), query.begin() + p.nopeDim);
      Row out = mix(query, keys, values, p.scale);
      heads.insert(heads.end(), out.begin(), out.end());
    }
    Row expected = timesMatrix(heads, wo);
    for (int64_t i = 0; i < hidden; ++i)
      EXPECT_NEAR(found[row * hidden + i], expected[i], 1e-13)
          << row << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LatentAttention,
    testing::Values(LatentCase{"Compressed", 3, 2, RopeStyle::Interleaved,
                               true},
                    LatentCase{"Direct", 0, 4, RopeStyle::Half, true},
                    LatentCase{"NoRope", 2, 0, RopeStyle::None, false}),
    [](const auto &info) { return info.param.name; });

TEST(AttentionErrors, RotarySizeMustFitTheHead) {
  KernelStep attention = step(KernelKind::Attention, {tensorType({1, 2})});
  attention.attention.headDim = 2;
  attention.attention.rope.style = RopeStyle::Half;
  auto message = [&](int64_t size, double theta) {
    attention.attention.rope.rotaryDim = size;
    attention.attention.rope.theta = theta;
    Value square = tensor({2, 2}, {1, 0, 0, 1});
    return std::string(evaluate(attention, {tensor({1, 2}, {1, 2}), square,
                                            square, square, square})
                           .status()
                           .message());
  };
  EXPECT_EQ(message(2, 100), "");
  for (int64_t size : {0, 1, 4, -2})
    EXPECT_THAT(message(size, 100),
                HasSubstr("expected an even number up to 2"));
  EXPECT_THAT(message(2, 0), HasSubstr("is not positive"));
}

} // namespace
