//===- LowerBound.h - What no program could beat ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound on the latency of every program for one model, machine, placement and
// routing. It is read off a program, but not from what that program moves:
// sending a row twice or loading a weight for every micro-batch does not raise
// it, nor does which of an expert's replicas it uses: what holds for all of
// them counts. docs/simulation.md has the formulas.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_LOWERBOUND_H
#define MOZART_COST_LOWERBOUND_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

struct LowerBound {
  struct Part {
    std::string name;
    int64_t ps = 0;
  };
  /// `memory`, `leaf_links`, `root_links`, `inner_links`, `attention_compute`,
  /// `expert_compute`, in this order; zero where a machine or model has none.
  std::vector<Part> parts;

  /// The first of the largest.
  const Part &binding() const;
};

/// Computes the bound for a verified program. Fails as `expertNodes` does, and
/// with kOutOfRange if a sum does not fit in 63 bits.
absl::StatusOr<LowerBound> lowerBound(const Program &program,
                                      const MachineModel &machine,
                                      const std::vector<ExpertMap> &expertNodes,
                                      RoutingCounter &counter);

} // namespace mozart

#endif // MOZART_COST_LOWERBOUND_H
