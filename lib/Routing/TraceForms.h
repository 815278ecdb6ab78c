//===- TraceForms.h - The readers and writers of each form --------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_ROUTING_TRACEFORMS_H
#define MOZART_LIB_ROUTING_TRACEFORMS_H

#include "mozart/Routing/TraceIO.h"

namespace mozart {

/// `experts` is TraceReadOptions::experts.
absl::StatusOr<Trace> parseNpyTrace(absl::string_view contents,
                                    int64_t experts);
absl::StatusOr<Trace> parseJsonlTrace(absl::string_view contents,
                                      int64_t experts);
absl::StatusOr<Trace> parseProtoTrace(absl::string_view contents,
                                      int64_t experts);

std::string printNpyTrace(const Trace &trace);
std::string printJsonlTrace(const Trace &trace);
absl::StatusOr<std::string> printProtoTrace(const Trace &trace,
                                            const TraceWriteOptions &options);

/// The number of experts to read with: what the caller gave, what the source
/// says (0: nothing), else the highest id + 1. Fails where the two differ, and
/// where there is no id to go by.
absl::StatusOr<int64_t> resolveExperts(int64_t given, int64_t stated,
                                       absl::Span<const int32_t> ids);

} // namespace mozart

#endif // MOZART_LIB_ROUTING_TRACEFORMS_H
