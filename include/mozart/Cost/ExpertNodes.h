//===- ExpertNodes.h - Where a program's experts are --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_EXPERTNODES_H
#define MOZART_COST_EXPERTNODES_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Routing/Statistics.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <vector>

namespace mozart {

/// The nodes of every expert, for each MoE layer: those that the expert map of
/// the program's dispatches has or, without one, the peer; none where no
/// dispatch names the expert. Fails with kInvalidArgument if two dispatches of
/// a layer disagree, or if the routing of a dispatch names no slice.
absl::StatusOr<std::vector<ExpertMap>> expertNodes(const Program &program,
                                                   const MachineModel &machine);

/// Statistics of every MoE layer under the tokens that the program routes
/// (`counter.check()` has succeeded). Experts that no dispatch names are sent
/// nowhere.
std::vector<LayerStatistics>
programStatistics(const Program &program, const MachineModel &machine,
                  const std::vector<ExpertMap> &nodes,
                  const RoutingCounter &counter);

} // namespace mozart

#endif // MOZART_COST_EXPERTNODES_H
