//===- WhatIf.h - What if a part were twice as fast? --------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_WHATIF_H
#define MOZART_SIM_WHATIF_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Routing/Trace.h"
#include "mozart/Sim/CriticalPath.h"
#include "mozart/Sim/EventEngine.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

/// One part of a machine that is made twice as fast.
struct WhatIf {
  /// Of a kind of resource, "all"; else the resource's name.
  std::string name;
  /// "compute" (the clock of the arrays), "sram" (bytes per second of a tile:
  /// kernels and ports), "dram", "link", "multicast", "reduce", or "delay":
  /// latencies, overheads, turnarounds and kernel starts, halved and rounded
  /// down.
  std::string kind;
  int64_t latencyPs = 0; ///< of the program on that machine
};

/// `facts` with the parts of `kind` twice as fast: all, or the one of index
/// `index` (link, memory or node). Fails with kOutOfRange, naming the part, on
/// a rate that cannot be doubled in 63 bits.
absl::StatusOr<MachineFacts>
twiceAsFast(MachineFacts facts, const std::string &kind, int32_t index = -1);

/// Simulates the program anew for each kind that the machine has, in the order
/// above, and for each of the `single` resources that `path` puts most time
/// down to. Fails as `twiceAsFast` and `simulate` do.
absl::StatusOr<std::vector<WhatIf>>
whatIfs(const Program &program, const MachineModel &machine,
        const BoundRouting *routing, const SimulationOptions &options,
        const SimulationResult &result, const CriticalPath &path,
        size_t single = 5);

} // namespace mozart

#endif // MOZART_SIM_WHATIF_H
