//===- SyntheticRouter.cpp - Routing like that of real models -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fixed point. Normals have 16 fraction bits, rows of W 15, hidden states 9,
// logits 24. A normal is a sum of twelve uniforms less six, thus within 6; a
// component of a hidden state is within 6 (0.71 + 0.45 + 0.55) < 10.3. By
// Cauchy-Schwarz |W x| < 10.3 sqrt(64) = 82.4 and the bias is within 24, so
// that every partial sum of a logit is below 128 = 2^31 / 2^24: 32 bits never
// overflow.
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/SyntheticRouter.h"

#include "mozart/Support/SplitMix64.h"

#include "absl/strings/str_format.h"

#include <algorithm>

using namespace mozart;

static constexpr int64_t kNumTypes = 8000;
static constexpr int64_t kNumTopics = 24;
static constexpr int64_t kTopicRun = 256;
/// How much likelier a type is in the one topic where it is at home.
static constexpr uint64_t kHomeBoost = 4;
// Square roots of 0.5, 0.2 and 0.3 with 16 fraction bits.
static constexpr int64_t kTypeScale = 46341;
static constexpr int64_t kTopicScale = 29309;
static constexpr int64_t kNoiseScale = 35895;
/// Rows are padded with zeros so that vector loops need no remainder.
static constexpr int64_t kLanes = 8;

namespace {
/// What a stream of random numbers is for.
enum Purpose : uint64_t {
  TypeVector,
  TopicVector,
  TypeHome,
  Weights,
  Bias,
  // Each draw has its own of these; see purposeOf.
  TopicOfRun,
  TypeOfToken,
  Noise,
  NumPurposes
};
} // namespace

static uint64_t purposeOf(Purpose purpose, Draw draw) {
  uint64_t value = purpose;
  return draw == Draw::Evaluation ? value + NumPurposes : value;
}

/// A number of mean 0 and variance 1 with 16 fraction bits: twelve uniforms of
/// 16 bits, added four at a time.
static int32_t drawNormal(SplitMix64 &random) {
  constexpr uint64_t kLow = 0x0000ffff0000ffff;
  uint64_t sums = 0;
  for (int i = 0; i < 3; ++i) {
    uint64_t bits = random.next();
    sums += (bits & kLow) + ((bits >> 16) & kLow);
  }
  uint64_t sum = (sums & 0xffffffff) + (sums >> 32);
  return static_cast<int32_t>(sum) - 6 * 0xffff;
}

static std::vector<int32_t> drawNormals(SplitMix64 random, int64_t count) {
  std::vector<int32_t> normals(count);
  for (int32_t &value : normals)
    value = drawNormal(random);
  return normals;
}

/// The largest integer whose square is at most `value`.
static uint64_t integerRoot(uint64_t value) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t(1) << 31; bit != 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= value)
      root += bit;
  return root;
}

/// 2^40 / rank^1.05, for a rank below 2^16.
static uint64_t zipfWeight(uint64_t rank) {
  // The 20th root of rank, with 32 fraction bits, bit by bit; it is below 2.
  auto square = [](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> 32);
  };
  uint64_t root = 0;
  for (uint64_t bit = uint64_t(1) << 32; bit != 0; bit >>= 1) {
    uint64_t candidate = root + bit;
    uint64_t power4 =
        square(square(candidate, candidate), square(candidate, candidate));
    uint64_t power16 = square(square(power4, power4), square(power4, power4));
    if (square(power16, power4) <= rank << 32)
      root = candidate;
  }
  uint64_t product = rank * root; // below 2^49
  unsigned __int128 scaled = static_cast<unsigned __int128>(1) << 72;
  return static_cast<uint64_t>(scaled / product);
}

namespace {
/// What all tokens and both draws share.
class TokenSource {
public:
  explicit TokenSource(const SyntheticRouter &router);

  /// The hidden state of a token before noise, scaled by 2^32.
  void hiddenState(Draw draw, int64_t token, std::vector<int64_t> &state) const;

private:
  const SyntheticRouter &router;
  std::vector<int32_t> typeVectors;  // [type][dimension]
  std::vector<int32_t> topicVectors; // [topic][dimension]
  /// Running sums of the weights of types in a topic, [topic][type].
  std::vector<uint64_t> cumulative;
};

/// The router of one layer.
struct LayerWeights {
  LayerWeights(const SyntheticRouter &router, int64_t layer);

  std::vector<int16_t> rows; // [expert][padded dimension], 15 fraction bits
  std::vector<int32_t> bias; // [expert], 24 fraction bits
};
} // namespace

TokenSource::TokenSource(const SyntheticRouter &router) : router(router) {
  typeVectors = drawNormals(SplitMix64(router.seed, TypeVector, 0),
                            kNumTypes * router.dimension);
  topicVectors = drawNormals(SplitMix64(router.seed, TopicVector, 0),
                             kNumTopics * router.dimension);
  std::vector<uint64_t> weights(kNumTypes), home(kNumTypes);
  SplitMix64 random(router.seed, TypeHome, 0);
  for (int64_t type = 0; type < kNumTypes; ++type) {
    weights[type] = zipfWeight(type + 1);
    home[type] = random.below(kNumTopics);
  }
  cumulative.reserve(kNumTopics * kNumTypes);
  for (uint64_t topic = 0; topic < kNumTopics; ++topic) {
    uint64_t sum = 0;
    for (int64_t type = 0; type < kNumTypes; ++type)
      cumulative.push_back(sum += weights[type] *
                                  (home[type] == topic ? kHomeBoost : 1));
  }
}

void TokenSource::hiddenState(Draw draw, int64_t token,
                              std::vector<int64_t> &state) const {
  SplitMix64 topicRandom(router.seed, purposeOf(TopicOfRun, draw),
                         token / kTopicRun);
  SplitMix64 typeRandom(router.seed, purposeOf(TypeOfToken, draw), token);
  int64_t topic = static_cast<int64_t>(topicRandom.below(kNumTopics));
  auto first = cumulative.begin() + topic * kNumTypes;
  auto last = first + kNumTypes;
  int64_t type =
      std::upper_bound(first, last, typeRandom.below(*(last - 1))) - first;
  for (int64_t i = 0; i < router.dimension; ++i)
    state[i] = kTypeScale * typeVectors[type * router.dimension + i] +
               kTopicScale * topicVectors[topic * router.dimension + i];
}

static int64_t paddedDimension(const SyntheticRouter &router) {
  return (router.dimension + kLanes - 1) / kLanes * kLanes;
}

LayerWeights::LayerWeights(const SyntheticRouter &router, int64_t layer) {
  int64_t padded = paddedDimension(router);
  rows.assign(router.experts * padded, 0);
  SplitMix64 random(router.seed, Weights, layer);
  std::vector<int32_t> row(router.dimension);
  for (int64_t expert = 0; expert < router.experts; ++expert) {
    uint64_t squares = 0;
    for (int32_t &value : row) {
      value = drawNormal(random);
      squares += static_cast<uint64_t>(int64_t(value) * value);
    }
    int64_t length = std::max<int64_t>(integerRoot(squares), 1);
    for (int64_t i = 0; i < router.dimension; ++i)
      rows[expert * padded + i] = static_cast<int16_t>(
          std::clamp<int64_t>(int64_t(row[i]) * 32768 / length, -32767, 32767));
  }
  // From 16 fraction bits to 24, and from thousandths.
  for (int32_t normal :
       drawNormals(SplitMix64(router.seed, Bias, layer), router.experts))
    bias.push_back(static_cast<int32_t>(int64_t(normal) * 256 *
                                        router.biasSpreadPermille / 1000));
}

/// logits = W x + b. The length of a row is a constant, so that a compiler
/// turns the inner loop into a few vector operations.
template <int64_t kPadded>
static void computeLogits(const LayerWeights &weights, const int16_t *state,
                          std::vector<int32_t> &logits) {
  const int16_t *row = weights.rows.data();
  for (size_t expert = 0; expert < logits.size(); ++expert, row += kPadded) {
    int32_t sum = 0;
    for (int64_t i = 0; i < kPadded; ++i)
      sum += int32_t(row[i]) * int32_t(state[i]);
    logits[expert] = sum + weights.bias[expert];
  }
}

using LogitsFunction = void (*)(const LayerWeights &, const int16_t *,
                                std::vector<int32_t> &);

static LogitsFunction logitsFunction(int64_t padded) {
  static_assert(SyntheticRouter::kMaxDimension == 64 && kLanes == 8);
  static constexpr LogitsFunction kFunctions[] = {
      computeLogits<8>,  computeLogits<16>, computeLogits<24>,
      computeLogits<32>, computeLogits<40>, computeLogits<48>,
      computeLogits<56>, computeLogits<64>};
  return kFunctions[padded / kLanes - 1];
}

/// Writes the ids of the k highest logits in descending order; of equal ones
/// the lower id comes first. `best` is scratch space.
static void selectTop(absl::Span<const int32_t> logits, int64_t k,
                      std::vector<int64_t> &best, int32_t *ids) {
  // One number that orders by logit, then by id.
  best.assign(k, INT64_MIN);
  int64_t lowest = INT64_MIN;
  for (size_t id = 0; id < logits.size(); ++id) {
    int64_t key = logits[id] * (int64_t(1) << 32) + (UINT32_MAX - id);
    if (key <= lowest)
      continue;
    int64_t slot = k - 1;
    for (; slot > 0 && key > best[slot - 1]; --slot)
      best[slot] = best[slot - 1];
    best[slot] = key;
    lowest = best[k - 1];
  }
  for (int64_t slot = 0; slot < k; ++slot)
    ids[slot] = static_cast<int32_t>(
        UINT32_MAX - static_cast<uint32_t>(best[slot] & UINT32_MAX));
}

static absl::Status checkRouter(const SyntheticRouter &router, int64_t tokens) {
  auto check = [](const char *what, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high)
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrFormat("synthetic router: %s is %d, expected %d to %d", what,
                        value, low, high));
  };
  // Limits that keep the sizes far from overflow.
  absl::Status status = check("experts", router.experts, 1, 1 << 16);
  if (status.ok())
    status = check("k", router.k, 1, router.experts);
  if (status.ok())
    status = check("layers", router.layers, 1, 1 << 12);
  if (status.ok())
    status =
        check("dimension", router.dimension, 1, SyntheticRouter::kMaxDimension);
  if (status.ok())
    status = check("bias spread in thousandths", router.biasSpreadPermille, 0,
                   SyntheticRouter::kMaxBiasSpreadPermille);
  if (status.ok())
    status = check("tokens", tokens, 1,
                   (int64_t(1) << 31) / (router.layers * router.k));
  return status;
}

absl::StatusOr<Trace> mozart::drawTrace(const SyntheticRouter &router,
                                        Draw draw, int64_t tokens) {
  absl::Status status = checkRouter(router, tokens);
  if (!status.ok())
    return status;
  TokenSource source(router);
  std::vector<LayerWeights> layers;
  for (int64_t layer = 0; layer < router.layers; ++layer)
    layers.emplace_back(router, layer);

  int64_t padded = paddedDimension(router);
  LogitsFunction logitsOf = logitsFunction(padded);
  std::vector<int64_t> base(router.dimension);
  std::vector<int16_t> state(padded, 0);
  std::vector<int32_t> logits(router.experts);
  std::vector<int64_t> best;
  std::vector<int32_t> ids(tokens * router.layers * router.k);
  int32_t *out = ids.data();
  for (int64_t token = 0; token < tokens; ++token) {
    source.hiddenState(draw, token, base);
    SplitMix64 noise(router.seed, purposeOf(Noise, draw), token);
    for (const LayerWeights &weights : layers) {
      // Products have 32 fraction bits, the state has 9.
      for (int64_t i = 0; i < router.dimension; ++i)
        state[i] = static_cast<int16_t>(
            (base[i] + kNoiseScale * drawNormal(noise)) / (1 << 23));
      logitsOf(weights, state.data(), logits);
      selectTop(logits, router.k, best, out);
      out += router.k;
    }
  }
  return Trace::create(tokens, router.layers, router.k, router.experts,
                       std::move(ids));
}
