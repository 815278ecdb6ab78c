//===- TraceNpy.cpp - Routing traces as NumPy arrays ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "TraceForms.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

using namespace mozart;

/// Reads an element as an id, or as padding. `experts` is 0 where unknown.
static absl::StatusOr<int32_t> readId(const NpyArray &array, int64_t index,
                                      int64_t experts) {
  uint64_t bits = array.bits(index);
  int unused = 64 - 8 * array.bytesPerElement;
  if (array.isSigned) {
    int64_t value = static_cast<int64_t>(bits << unused) >> unused;
    if (value >= -1 && value < INT32_MAX)
      return static_cast<int32_t>(value);
    return absl::InvalidArgumentError(absl::StrFormat("expert id %d", value));
  }
  // All ones is padding, unless the model has so many experts.
  if (bits == ~uint64_t(0) >> unused &&
      (experts == 0 || bits >= static_cast<uint64_t>(experts)))
    return Trace::kPadding;
  if (bits < INT32_MAX)
    return static_cast<int32_t>(bits);
  return absl::InvalidArgumentError(absl::StrFormat("expert id %d", bits));
}

absl::StatusOr<Trace> mozart::parseNpyTrace(absl::string_view contents,
                                            int64_t experts) {
  absl::StatusOr<NpyArray> array = parseNpy(contents);
  if (!array.ok())
    return array.status();
  size_t rank = array->shape.size();
  if (rank != 2 && rank != 3)
    return absl::InvalidArgumentError(absl::StrFormat(
        "shape (%s) has rank %d; expected [token, layer, k] or [token, k]",
        absl::StrJoin(array->shape, ", "), rank));
  int64_t tokens = array->shape[0], k = array->shape.back();
  int64_t layers = rank == 3 ? array->shape[1] : 1;
  std::vector<int32_t> ids(array->numElements());
  for (int64_t i = 0; i < array->numElements(); ++i) {
    absl::StatusOr<int32_t> id = readId(*array, i, experts);
    if (!id.ok())
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s at token %d, layer %d, slot %d is neither an id nor padding",
          id.status().message(), i / k / layers, i / k % layers, i % k));
    ids[i] = *id;
  }
  absl::StatusOr<int64_t> resolved = resolveExperts(experts, 0, ids);
  if (!resolved.ok())
    return resolved.status();
  absl::StatusOr<Trace> trace =
      Trace::create(tokens, layers, k, *resolved, std::move(ids));
  if (trace.ok())
    trace->setSharedByLayers(rank == 2);
  return trace;
}

std::string mozart::printNpyTrace(const Trace &trace) {
  // The highest id is experts - 1, so that all ones stays free for padding.
  int bytes = trace.numExperts() <= 0xff     ? 1
              : trace.numExperts() <= 0xffff ? 2
                                             : 4;
  std::vector<int64_t> shape = {trace.numTokens()};
  if (!trace.sharedByLayers())
    shape.push_back(trace.numLayers());
  shape.push_back(trace.k());
  const char *descr = bytes == 1 ? "|u1" : bytes == 2 ? "<u2" : "<u4";
  std::string out = printNpyHeader(descr, shape);
  out.reserve(out.size() + trace.data().size() * bytes);
  for (int32_t id : trace.data())
    for (int i = 0; i < bytes; ++i)
      out.push_back(static_cast<char>(static_cast<uint32_t>(id) >> (8 * i)));
  return out;
}
