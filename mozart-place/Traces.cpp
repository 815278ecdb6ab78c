//===- Traces.cpp - The traces that mozart-place reads --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traces.h"

#include "mozart/Routing/TraceIO.h"

#include "absl/strings/str_format.h"

#include <algorithm>

using namespace mozart;

static absl::Status readInto(const std::string &path, int64_t experts,
                             std::optional<Trace> &trace) {
  if (path.empty())
    return absl::OkStatus();
  TraceReadOptions options;
  options.experts = experts;
  absl::StatusOr<Trace> read = readTrace(path, options);
  if (!read.ok())
    return read.status();
  trace = *std::move(read);
  return absl::OkStatus();
}

static absl::StatusOr<Traces> readBoth(const PlaceOptions &options,
                                       int64_t experts) {
  Traces traces;
  traces.experts = experts;
  absl::Status status = readInto(options.profile, experts, traces.profile);
  if (status.ok())
    status = readInto(options.evaluate, experts, traces.evaluation);
  if (!status.ok())
    return status;
  for (const auto *trace : {&traces.profile, &traces.evaluation})
    if (*trace)
      traces.experts = std::max(traces.experts, (*trace)->numExperts());
  return traces;
}

/// Fails where the two are not of one model.
static absl::Status checkTraces(const Traces &traces) {
  if (!traces.profile || !traces.evaluation)
    return absl::OkStatus();
  const Trace &profile = *traces.profile, &evaluation = *traces.evaluation;
  if (profile.k() != evaluation.k())
    return absl::InvalidArgumentError(absl::StrFormat(
        "the profile has k = %d experts a token, the trace to evaluate has %d; "
        "they must be of one model",
        profile.k(), evaluation.k()));
  if (profile.numLayers() != evaluation.numLayers() &&
      profile.numLayers() != 1 && evaluation.numLayers() != 1)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the profile has %d layers, the trace to evaluate has %d; expected as "
        "many, or one that serves every layer",
        profile.numLayers(), evaluation.numLayers()));
  return absl::OkStatus();
}

absl::StatusOr<Traces> mozart::readTraces(const PlaceOptions &options) {
  if (options.experts && *options.experts < 1)
    return absl::InvalidArgumentError(
        absl::StrFormat("--experts=%d; expected at least 1", *options.experts));
  absl::StatusOr<Traces> traces =
      readBoth(options, options.experts.value_or(0));
  // One of them may have been taken by its highest id: read it again as one of
  // the other's model. Where it says another number, that fails.
  if (traces.ok() && !options.experts && traces->experts != 0)
    traces = readBoth(options, traces->experts);
  if (!traces.ok())
    return traces;
  if (traces->experts == 0)
    return absl::InvalidArgumentError(
        "the number of experts is not known; give --experts=N, or a trace");
  absl::Status status = checkTraces(*traces);
  if (!status.ok())
    return status;
  if (traces->profile)
    traces->layers = traces->profile->numLayers();
  else if (traces->evaluation)
    traces->layers = traces->evaluation->numLayers();
  return traces;
}
