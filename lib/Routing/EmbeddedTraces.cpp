//===- EmbeddedTraces.cpp - Traces that need no file ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/SyntheticRouter.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

using namespace mozart;

//                      experts, k, layers, dimension, bias spread, seed
static const EmbeddedTraceModel kModels[] = {
    {"olmoe-1b-7b", {64, 8, 16, 10, 400, 1}},
    {"qwen3-30b-a3b", {128, 8, 48, 40, 300, 1}},
    {"deepseek-moe-16b", {64, 6, 27, 10, 300, 1}},
};

absl::Span<const EmbeddedTraceModel> EmbeddedTraceModel::all() {
  return kModels;
}

absl::StatusOr<Trace> mozart::embeddedTrace(absl::string_view model, Draw draw,
                                            int64_t tokens) {
  for (const EmbeddedTraceModel &candidate : EmbeddedTraceModel::all())
    if (candidate.name == model)
      return drawTrace(candidate.router, draw, tokens);
  std::string names =
      absl::StrJoin(EmbeddedTraceModel::all(), ", ",
                    [](std::string *out, const EmbeddedTraceModel &known) {
                      out->append(known.name);
                    });
  return absl::NotFoundError(absl::StrFormat(
      "no embedded routing trace of model '%s'; there are those of %s. Name a "
      "trace file instead",
      model, names));
}
