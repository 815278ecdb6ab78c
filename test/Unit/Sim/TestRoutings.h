//===- TestRoutings.h - Routing tables for tests ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_TESTROUTINGS_H
#define MOZART_TEST_UNIT_SIM_TESTROUTINGS_H

#include "mozart/Routing/Trace.h"
#include "mozart/Sim/Program.h"

#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

namespace mozart::test {

/// A trace and its binding to a program.
struct TestRouting {
  std::unique_ptr<Trace> trace;
  std::unique_ptr<BoundRouting> bound;
};

/// Binds `ids`, [token][layer][k], to `program`. Rows are those of all
/// micro-batches, or fewer, which repeat.
inline TestRouting bindIds(const Program &program, int64_t traceLayers,
                           std::vector<int32_t> ids) {
  int64_t tokens = static_cast<int64_t>(ids.size()) / (traceLayers * program.k);
  absl::StatusOr<Trace> trace = Trace::create(tokens, traceLayers, program.k,
                                              program.experts, std::move(ids));
  if (!trace.ok())
    std::abort();
  TestRouting result;
  result.trace = std::make_unique<Trace>(*std::move(trace));
  absl::StatusOr<BoundRouting> bound = BoundRouting::bind(
      *result.trace, program.moeLayers, program.k, program.experts,
      program.tokensPerMicroBatch, program.microBatches);
  if (!bound.ok())
    std::abort();
  result.bound = std::make_unique<BoundRouting>(*bound);
  return result;
}

/// Random sets for every token and layer; each slot is padding with probability
/// `padding`.
inline TestRouting randomRouting(const Program &program, uint64_t seed,
                                 double padding = 0.0) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> ids;
  for (int64_t row = 0; row < program.tokensPerMicroBatch *
                                  program.microBatches * program.moeLayers;
       ++row) {
    std::vector<int32_t> experts(program.experts);
    for (size_t i = 0; i < experts.size(); ++i)
      experts[i] = static_cast<int32_t>(i);
    for (int64_t slot = 0; slot < program.k; ++slot) {
      std::swap(experts[slot],
                experts[slot + random() % (experts.size() - slot)]);
      bool empty = static_cast<double>(random() % 1000) < padding * 1000;
      ids.push_back(empty ? Trace::kPadding : experts[slot]);
    }
  }
  return bindIds(program, program.moeLayers, std::move(ids));
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_TESTROUTINGS_H
