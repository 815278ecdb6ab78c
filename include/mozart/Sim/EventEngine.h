//===- EventEngine.h - A program in time --------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Deterministic discrete events in integer picoseconds. docs/simulation.md
// states the model, its formulas and its tie rules.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_EVENTENGINE_H
#define MOZART_SIM_EVENTENGINE_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Routing/Trace.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

/// Fidelity of the network.
enum class Network {
  Flow,   ///< transfers are fluids that share what they cross max-min fairly
  Packet, ///< rows and packets queue for links and for room in switches
  Flit,   ///< cycle by cycle, through virtual channels and allocators
};

/// "flow", "packet", "flit".
const char *networkName(Network network);

struct SimulationOptions {
  Network network = Network::Flow;
  /// Also fills `SimulationResult::loads`.
  bool recordLoads = false;
  /// Also fills `SimulationResult::limits`, where the network can say.
  bool recordLimits = false;
};

enum class ResourceKind {
  Link,      ///< one direction of a connection; index: link
  Dram,      ///< the channels of a memory; index: memory
  Sram,      ///< the SRAM port of a chiplet; index: node
  Multicast, ///< the copying part of a switch; index: node
  Reduce,    ///< the adding part of a switch; index: node
  Compute,   ///< the arrays of a chiplet; index: node
  Dma,       ///< engine queues; index: node
  Send,
  Receive,
  Channel, ///< the queue of a memory's controller; index: memory
};

/// "link", "dram", "sram", "multicast", "reduce", "compute", "dma", "send",
/// "receive", "channel".
const char *resourceKindName(ResourceKind kind);

struct ResourceUse {
  /// Unique: "root->s1", "hbm0", "c3.sram", "c3.compute", "hbm0.channel".
  std::string name;
  ResourceKind kind = ResourceKind::Link;
  int32_t index = -1;
  /// Bytes that went over it (both directions, of a memory or an SRAM port);
  /// zero for engines.
  int64_t bytes = 0;
  /// Of these, what was written to a memory.
  int64_t writtenBytes = 0;
  /// Of what bytes cross: the time that they take at its full rate. Of engines:
  /// the time that tasks occupied them.
  int64_t busyPs = 0;
};

struct TaskTime {
  int64_t startPs = 0, endPs = 0;
};

/// What a program takes of an SRAM or a memory, by its buffers' offsets. Those
/// that have none yet lie behind the others, one after another.
struct MemoryUse {
  Place place;
  std::string name; ///< "c3.sram" or the memory's name
  /// Bytes that some buffer covers.
  int64_t peakBytes = 0;
  /// End of the last buffer: more than `peakBytes` where gaps are left.
  int64_t endBytes = 0;
  int64_t capacityBytes = 0;
  /// Most bytes of buffers that live at one time (see BufferLives.h), and the
  /// first time at which they do. `simulate` fills these.
  int64_t livePeakBytes = 0;
  int64_t livePeakPs = 0;
};

/// From `timePs` on, `resource` (index into `resources`) carries so much.
struct LoadSample {
  int64_t timePs = 0;
  int32_t resource = -1;
  int64_t bytesPerSecond = 0;
};

struct ResourceTime {
  int32_t resource = -1; ///< index into `resources`
  int64_t ps = 0;
};

/// Where the time of a transfer went: of its message that arrived last, delays
/// of the head, and how long each resource was what held it back. Together they
/// are the task's duration.
struct TransferLimits {
  int64_t delayPs = 0;
  std::vector<ResourceTime> resources;
};

struct SimulationResult {
  /// End of the last task.
  int64_t latencyPs = 0;
  std::vector<TaskTime> tasks;
  /// All of the machine's, in the order of `ResourceKind`, then of index.
  /// Engines that no task names are left out, as are switches' parts that do
  /// not exist.
  std::vector<ResourceUse> resources;
  /// Every chiplet's SRAM, then every memory.
  std::vector<MemoryUse> memories;
  std::vector<LoadSample> loads;
  /// By task; of tasks that compute, empty. No entries unless recorded, and on
  /// networks other than `flow`.
  std::vector<TransferLimits> limits;
  int64_t events = 0;
  /// What is over its size but declared elastic, and the like.
  std::vector<std::string> warnings;
};

/// Runs `program` on `machine`. `routing` may be null if the program has no MoE
/// layers. Fails with the errors of `verifyProgram`, and with kInvalidArgument
/// if the routing is missing or of another shape, if a switch must copy or add
/// and cannot, or if a buffer holds fewer rows than the routing sends; with
/// kResourceExhausted if an SRAM, or a memory that is not elastic, is too small
/// (see `checkMemories`); with kOutOfRange if a time or a sum of bytes
/// does not fit in 63 bits.
absl::StatusOr<SimulationResult>
simulate(const Program &program, const MachineModel &machine,
         const BoundRouting *routing, const SimulationOptions &options = {});

/// The same of a program that has passed `verifyProgram`, under the routing of
/// `counter`, whose `check` has succeeded. What it counts is there for further
/// questions about the program.
absl::StatusOr<SimulationResult>
simulate(const Program &program, const MachineModel &machine,
         RoutingCounter &counter, const SimulationOptions &options = {});

/// What a verified program takes of every chiplet's SRAM and every memory.
/// Sizes past 2^63 saturate.
std::vector<MemoryUse> memoryUse(const Program &program,
                                 const MachineModel &machine);

/// Fails with kResourceExhausted if an SRAM, or a memory that is not elastic,
/// is too small for what `memoryUse` returned: names it, need and have, and the
/// buffers that hold it, largest first. What is over but elastic becomes a
/// warning.
absl::Status checkMemories(const std::vector<MemoryUse> &memories,
                           const Program &program, const MachineModel &machine,
                           std::vector<std::string> &warnings);

/// Fills in when each place is fullest, of a result that has the times of tasks
/// and `memories`.
void addLivePeaks(SimulationResult &result, const Program &program,
                  const MachineModel &machine);

} // namespace mozart

#endif // MOZART_SIM_EVENTENGINE_H
