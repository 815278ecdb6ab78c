//===- RouteKernel.cpp - Choosing and weighing experts --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

/// The `count` best of `candidates` by `score`, best first; of equal ones, the
/// lowest index.
static std::vector<int32_t> best(std::vector<int32_t> candidates,
                                 const std::vector<double> &score,
                                 int64_t count) {
  std::sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  });
  candidates.resize(count);
  return candidates;
}

static std::vector<int32_t> iota(int64_t count) {
  std::vector<int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Experts of the groups that are kept, ascending.
static std::vector<int32_t> eligible(const Arithmetic &math,
                                     const RouteParams &params,
                                     const std::vector<double> &choice) {
  auto experts = static_cast<int64_t>(choice.size());
  if (params.groups == 1)
    return iota(experts);
  int64_t size = experts / params.groups;
  std::vector<double> groupScore;
  for (int64_t group = 0; group < params.groups; ++group) {
    std::vector<double> members(choice.begin() + group * size,
                                choice.begin() + (group + 1) * size);
    std::sort(members.rbegin(), members.rend());
    groupScore.push_back(params.groupScore == GroupScore::Max
                             ? members[0]
                             : math.add(members[0], members[1]));
  }
  std::vector<int32_t> kept =
      best(iota(params.groups), groupScore, params.keptGroups);
  std::sort(kept.begin(), kept.end());
  std::vector<int32_t> experts32;
  for (int32_t group : kept)
    for (int64_t i = 0; i < size; ++i)
      experts32.push_back(static_cast<int32_t>(group * size + i));
  return experts32;
}

static void score(const Arithmetic &math, ScoreKind kind,
                  std::vector<double> &values) {
  if (kind == ScoreKind::Softmax)
    return softmax(math, values.data(), static_cast<int64_t>(values.size()));
  for (double &value : values)
    value = math.sigmoid(value);
}

static absl::Status checkLogits(const KernelStep &step, const double *logits,
                                int64_t experts, int64_t token) {
  bool anyFinite = false;
  for (int64_t expert = 0; expert < experts; ++expert) {
    double logit = logits[expert];
    if (std::isnan(logit) || (std::isinf(logit) && logit > 0))
      return kernelError(step,
                         absl::StrCat("the logit of token ", token,
                                      " for expert ", expert, " is ", logit,
                                      "; expected a number below infinity"));
    anyFinite |= std::isfinite(logit);
  }
  if (anyFinite)
    return absl::OkStatus();
  return kernelError(step,
                     absl::StrCat("token ", token, " has no finite logit"));
}

/// Fills the slots of one token.
static absl::Status routeToken(const KernelStep &step, const Arithmetic &math,
                               const double *logits, const Value *bias,
                               int64_t token, Value &routing) {
  const RouteParams &params = step.route;
  int64_t experts = routing.type.experts;
  if (absl::Status status = checkLogits(step, logits, experts, token);
      !status.ok())
    return status;
  std::vector<double> scores(logits, logits + experts);
  if (params.order == ScoreOrder::BeforeSelection)
    score(math, params.score, scores);
  std::vector<double> choice = scores;
  for (int64_t expert = 0; bias && expert < experts; ++expert)
    choice[expert] = math.add(choice[expert], bias->elements[expert]);

  std::vector<int32_t> chosen =
      best(eligible(math, params, choice), choice, params.k);
  std::vector<double> weights;
  for (int32_t expert : chosen)
    weights.push_back(scores[expert]);
  if (params.order == ScoreOrder::AfterSelection)
    score(math, params.score, weights);
  if (params.renormalize) {
    double sum = 0;
    for (double weight : weights)
      sum = math.add(sum, weight);
    sum = math.add(sum, math.round(params.renormalizeEpsilon));
    if (!(sum > 0))
      return kernelError(step, absl::StrCat("the scores of token ", token,
                                            " add up to ", sum,
                                            ", so that its weights cannot be "
                                            "renormalised"));
    for (double &weight : weights)
      weight = math.div(weight, sum);
  }
  for (int64_t slot = 0; slot < params.k; ++slot) {
    routing.slots(token)[slot] = chosen[slot];
    routing.row(token)[slot] =
        math.mul(weights[slot], math.round(params.scale));
  }
  return absl::OkStatus();
}

Results mozart::evalRoute(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const RouteParams &params = step.route;
  const Value &logits = *inputs[0];
  const Value *bias = params.hasSelectionBias ? inputs[1] : nullptr;
  const Value *padding = params.hasPadding ? inputs.back() : nullptr;
  if (params.groups > 1 && params.groupScore == GroupScore::TopTwoSum &&
      logits.dim(1) < 2 * params.groups)
    return kernelError(step, "groups of one expert have no two best scores; "
                             "expected group score 'max'");
  Value routing = zeroResult(step);
  for (int64_t token = 0; token < logits.dim(0); ++token) {
    if (padding && padding->elements[token] != 0)
      continue;
    if (absl::Status status =
            routeToken(step, math, logits.row(token), bias, token, routing);
        !status.ok())
      return status;
  }
  return std::vector<Value>{std::move(routing)};
}
