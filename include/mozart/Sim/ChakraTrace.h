//===- ChakraTrace.h - A simulation as Chakra traces --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_CHAKRATRACE_H
#define MOZART_SIM_CHAKRATRACE_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

/// The contents of one execution trace for each chiplet, in declared order: its
/// rank is its place among the chiplets. A message GlobalMetadata (attributes
/// `chiplet`, `machine`, `model`), then one Node for each part of a task there,
/// each behind its length as a varint.
///
/// Loads and stores are memory nodes (`tensor_size`), kernels compute nodes
/// (`num_ops`, `tensor_size`). An exchange is a pair of SEND and RECV for each
/// peer (`comm_size`, `comm_src`, `comm_dst`, and a `comm_tag` of its own);
/// what it leaves on the chiplet itself is a compute node without operations.
/// Each part waits for what happened on its own chiplet: data where it reads
/// what the other writes, else control; and behind the part before it on an
/// engine. A task that waits for one of another chiplet receives a message of
/// no bytes from there. Stages and queues of memory controllers are not in the
/// format. Attributes `start_ps` and `duration_ps` are those of the task,
/// exact.
///
/// Fails as `exchangeTraffic` and `taskWork` do.
absl::StatusOr<std::vector<std::string>>
printChakraTraces(const Program &program, const MachineModel &machine,
                  RoutingCounter &counter, const SimulationResult &result);

} // namespace mozart

#endif // MOZART_SIM_CHAKRATRACE_H
