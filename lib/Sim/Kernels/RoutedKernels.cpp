//===- RoutedKernels.cpp - Dispatch, experts, combine ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelSupport.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

static absl::Status tooManyPairs(const KernelStep &step, size_t pairs,
                                 int64_t rows) {
  return kernelError(step, absl::StrCat("the routing has ", pairs,
                                        " pairs (token, expert); expected at "
                                        "most the ",
                                        rows, " rows for them"));
}

Results mozart::evalDispatch(const KernelStep &step, Inputs inputs) {
  const Value &x = *inputs[0], &routing = *inputs[1];
  if (absl::Status status = checkIds(step, routing); !status.ok())
    return status;
  Value rows = zeroResult(step, 0), counts = zeroResult(step, 1);
  std::vector<RoutedPair> pairs = sortedPairs(routing);
  if (static_cast<int64_t>(pairs.size()) > rows.dim(0))
    return tooManyPairs(step, pairs.size(), rows.dim(0));
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::copy_n(x.row(pairs[i].token), x.dim(1),
                rows.row(static_cast<int64_t>(i)));
    counts.elements[pairs[i].expert] += 1;
  }
  return std::vector<Value>{std::move(rows), std::move(counts)};
}

Results mozart::evalExperts(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const Value &rows = *inputs[0], &counts = *inputs[1];
  Value result = zeroResult(step);
  int64_t begin = 0, experts = counts.dim(0), hidden = rows.dim(1);
  for (int64_t expert = 0; expert < experts; ++expert) {
    double count = counts.elements[expert];
    if (count < 0 || count > static_cast<double>(rows.dim(0) - begin))
      return kernelError(
          step, absl::StrCat("expert ", expert, " has ", count,
                             " rows; expected between 0 and the ",
                             rows.dim(0) - begin, " rows that are left"));
    auto numRows = static_cast<int64_t>(count);
    FfnWeights weights =
        readFfnWeights(step.ffn, inputs.subspan(2), expert, experts);
    std::vector<double> out =
        applyFfn(math, step.ffn, weights, rows.elements.data() + begin * hidden,
                 numRows);
    std::copy(out.begin(), out.end(), result.elements.begin() + begin * hidden);
    begin += numRows;
  }
  return std::vector<Value>{std::move(result)};
}

Results mozart::evalCombine(const KernelStep &step, Inputs inputs) {
  Arithmetic math = arithmeticOf(step, inputs);
  const Value &rows = *inputs[0], &routing = *inputs[1];
  if (absl::Status status = checkIds(step, routing); !status.ok())
    return status;
  std::vector<RoutedPair> pairs = sortedPairs(routing);
  if (static_cast<int64_t>(pairs.size()) > rows.dim(0))
    return tooManyPairs(step, pairs.size(), rows.dim(0));
  std::vector<int64_t> rowOf(routing.ids.size(), -1);
  for (size_t i = 0; i < pairs.size(); ++i)
    rowOf[pairs[i].token * routing.dim(1) + pairs[i].slot] =
        static_cast<int64_t>(i);
  Value y = zeroResult(step);
  for (int64_t i = 0; i < static_cast<int64_t>(rowOf.size()); ++i) {
    if (rowOf[i] == -1)
      continue;
    double *out = y.row(i / routing.dim(1));
    for (int64_t j = 0; j < rows.dim(1); ++j)
      out[j] = math.fma(out[j], routing.elements[i], rows.row(rowOf[i])[j]);
  }
  return std::vector<Value>{std::move(y)};
}
