//===- TraceIO.h - Routing traces in files ------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three forms. All are checked as Trace::create checks; errors name the file.
//
// Npy: an integer array [token, layer, k] or [token, k] (which is
// `sharedByLayers`), little endian, C order, format versions 1 to 3. -1, and
// all ones in an unsigned type, are padding - unless the number of experts is
// given and all ones is an expert's id. The form does not carry that number:
// without it in the options it is taken as the highest id + 1.
//
// Jsonl, one object a line, in either spelling:
//   {"type":"meta","top_k":4,"num_experts":32} (optional, first), then
//   {"type":"route","req_id":"a","token_idx":0,"layer":3,"topk_ids":[1,7,9,30]}
// or
//   {"layer":3,"batch_id":0,"origin_rows":[0,0],"topk_experts":[[1,7],[3,5]]}
// Tokens are ordered by first appearance of their request (batch), then by
// token_idx (place in the batch); the layer numbers that occur, in ascending
// order, are the MoE layers. Every token must have every layer once. Other
// fields (weights, names) are left aside; `origin_rows` only has its length
// checked, for it names devices and not tokens.
//
// Proto: the message mozart.RoutingTrace of proto/routing.proto.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_ROUTING_TRACEIO_H
#define MOZART_ROUTING_TRACEIO_H

#include "mozart/Routing/Trace.h"

#include "absl/strings/string_view.h"

namespace mozart {

enum class TraceFormat { Auto, Npy, Jsonl, Proto };

struct TraceReadOptions {
  /// Experts of the model; 0 takes what the source says, else its highest id
  /// + 1. An error where the source says another number.
  int64_t experts = 0;
  TraceFormat format = TraceFormat::Auto;
};

struct TraceWriteOptions {
  TraceFormat format = TraceFormat::Auto;
  /// Where the trace comes from; only Proto carries it.
  std::string sourceName;
  uint64_t seed = 0;
};

/// The form of a file: by its name's ending (.npy; .jsonl, .ndjson; .pb,
/// .binpb), else by its first bytes (not Proto, which has no mark). Fails,
/// listing the endings, where neither decides.
absl::StatusOr<TraceFormat> detectTraceFormat(absl::string_view path,
                                              absl::string_view contents);

/// Reads a trace from bytes in a form that is not Auto. Errors do not name
/// the source.
absl::StatusOr<Trace> parseTrace(absl::string_view contents,
                                 const TraceReadOptions &options);
absl::StatusOr<Trace> readTrace(const std::string &path,
                                const TraceReadOptions &options = {});

/// The bytes of a trace in a form that is not Auto. Npy takes the narrowest
/// unsigned type whose all ones is no expert's id; Jsonl is the first spelling.
absl::StatusOr<std::string> printTrace(const Trace &trace,
                                       const TraceWriteOptions &options);
/// Writes all of it or nothing; Auto goes by the path's ending.
absl::Status writeTrace(const std::string &path, const Trace &trace,
                        const TraceWriteOptions &options = {});

} // namespace mozart

#endif // MOZART_ROUTING_TRACEIO_H
