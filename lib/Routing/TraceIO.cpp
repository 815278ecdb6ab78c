//===- TraceIO.cpp - Routing traces in files ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/TraceIO.h"

#include "TraceForms.h"
#include "mozart/Support/AtomicFile.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

#include <algorithm>

using namespace mozart;

absl::StatusOr<int64_t> mozart::resolveExperts(int64_t given, int64_t stated,
                                               absl::Span<const int32_t> ids) {
  if (given < 0 || stated < 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d experts; the number must be positive (or 0: not known)",
        std::min(given, stated)));
  if (given > 0 && stated > 0 && given != stated)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the trace is over %d experts, expected %d; is it of another model?",
        stated, given));
  if (given > 0 || stated > 0)
    return std::max(given, stated);
  int32_t highest =
      ids.empty() ? -1 : *std::max_element(ids.begin(), ids.end());
  if (highest < 0 && !ids.empty())
    return absl::InvalidArgumentError(
        "every slot is padding, so that the number of experts cannot be told "
        "from the ids; give it");
  return int64_t(highest) + 1;
}

static absl::StatusOr<TraceFormat> formatOfEnding(absl::string_view path) {
  std::string lower = absl::AsciiStrToLower(path);
  if (absl::EndsWith(lower, ".npy"))
    return TraceFormat::Npy;
  if (absl::EndsWith(lower, ".jsonl") || absl::EndsWith(lower, ".ndjson"))
    return TraceFormat::Jsonl;
  if (absl::EndsWith(lower, ".pb") || absl::EndsWith(lower, ".binpb"))
    return TraceFormat::Proto;
  return absl::InvalidArgumentError(
      "cannot tell the form of the routing trace; name it .npy, .jsonl, "
      ".ndjson, .pb or .binpb");
}

absl::StatusOr<TraceFormat>
mozart::detectTraceFormat(absl::string_view path, absl::string_view contents) {
  absl::StatusOr<TraceFormat> byEnding = formatOfEnding(path);
  if (byEnding.ok())
    return byEnding;
  if (absl::StartsWith(contents, "\x93NUMPY"))
    return TraceFormat::Npy;
  if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(contents), "{"))
    return TraceFormat::Jsonl;
  return byEnding;
}

absl::StatusOr<Trace> mozart::parseTrace(absl::string_view contents,
                                         const TraceReadOptions &options) {
  switch (options.format) {
  case TraceFormat::Npy:
    return parseNpyTrace(contents, options.experts);
  case TraceFormat::Jsonl:
    return parseJsonlTrace(contents, options.experts);
  case TraceFormat::Proto:
    return parseProtoTrace(contents, options.experts);
  case TraceFormat::Auto:
    break;
  }
  return absl::InvalidArgumentError("the form of a trace in memory is needed");
}

/// The same error with the file's name before it.
static absl::Status inFile(const std::string &path,
                           const absl::Status &status) {
  return absl::Status(status.code(), absl::StrFormat("routing trace '%s': %s",
                                                     path, status.message()));
}

absl::StatusOr<Trace> mozart::readTrace(const std::string &path,
                                        const TraceReadOptions &options) {
  absl::StatusOr<std::string> contents = readFile(path);
  if (!contents.ok())
    return contents.status();
  TraceReadOptions resolved = options;
  if (options.format == TraceFormat::Auto) {
    absl::StatusOr<TraceFormat> format = detectTraceFormat(path, *contents);
    if (!format.ok())
      return inFile(path, format.status());
    resolved.format = *format;
  }
  absl::StatusOr<Trace> trace = parseTrace(*contents, resolved);
  if (!trace.ok())
    return inFile(path, trace.status());
  return trace;
}

absl::StatusOr<std::string>
mozart::printTrace(const Trace &trace, const TraceWriteOptions &options) {
  if (trace.numTokens() == 0)
    return absl::InvalidArgumentError("cannot write an empty routing trace");
  switch (options.format) {
  case TraceFormat::Npy:
    return printNpyTrace(trace);
  case TraceFormat::Jsonl:
    return printJsonlTrace(trace);
  case TraceFormat::Proto:
    return printProtoTrace(trace, options);
  case TraceFormat::Auto:
    break;
  }
  return absl::InvalidArgumentError("the form of a trace in memory is needed");
}

absl::Status mozart::writeTrace(const std::string &path, const Trace &trace,
                                const TraceWriteOptions &options) {
  TraceWriteOptions resolved = options;
  if (options.format == TraceFormat::Auto) {
    absl::StatusOr<TraceFormat> format = formatOfEnding(path);
    if (!format.ok())
      return inFile(path, format.status());
    resolved.format = *format;
  }
  absl::StatusOr<std::string> contents = printTrace(trace, resolved);
  if (!contents.ok())
    return inFile(path, contents.status());
  return writeFile(path, *contents);
}
