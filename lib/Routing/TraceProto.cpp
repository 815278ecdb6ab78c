//===- TraceProto.cpp - Routing traces as protobuf messages ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceForms.h"
#include "proto/routing.pb.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"

#include <algorithm>
#include <climits>

using namespace mozart;

/// A protobuf string must be UTF-8; a file's name need not be.
static std::string asText(const std::string &name) {
  bool isAscii = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isascii(static_cast<unsigned char>(c));
  });
  return isAscii ? name : absl::CHexEscape(name);
}

absl::StatusOr<Trace> mozart::parseProtoTrace(absl::string_view contents,
                                              int64_t experts) {
  RoutingTrace message;
  if (contents.size() > INT_MAX ||
      !message.ParseFromArray(contents.data(),
                              static_cast<int>(contents.size())))
    return absl::InvalidArgumentError(
        "not a protobuf message mozart.RoutingTrace: damaged, truncated, or "
        "larger than 2 GiB");
  if (message.shared_by_layers() && message.layers() != 1)
    return absl::InvalidArgumentError(
        "shared_by_layers is set, but there is not exactly one layer");
  std::vector<int32_t> ids(message.ids().begin(), message.ids().end());
  absl::StatusOr<int64_t> resolved =
      resolveExperts(experts, message.experts(), ids);
  if (!resolved.ok())
    return resolved.status();
  absl::StatusOr<Trace> trace =
      Trace::create(message.tokens(), message.layers(), message.k(), *resolved,
                    std::move(ids));
  if (trace.ok())
    trace->setSharedByLayers(message.shared_by_layers());
  return trace;
}

absl::StatusOr<std::string>
mozart::printProtoTrace(const Trace &trace, const TraceWriteOptions &options) {
  RoutingTrace message;
  message.set_experts(trace.numExperts());
  message.set_k(trace.k());
  message.set_layers(trace.numLayers());
  message.set_tokens(trace.numTokens());
  message.mutable_ids()->Add(trace.data().begin(), trace.data().end());
  message.set_shared_by_layers(trace.sharedByLayers());
  message.set_source_name(asText(options.sourceName));
  message.set_seed(options.seed);
  std::string out;
  if (message.ByteSizeLong() > INT_MAX || !message.SerializeToString(&out))
    return absl::InvalidArgumentError(
        "the trace is larger than the 2 GiB of a protobuf message; write .npy");
  return out;
}
