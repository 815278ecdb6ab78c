//===- FlowNetwork.h - Transfers that share resources -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flows over resources of given rates. A flow has a rate in bytes per second of
// the resource that it would fill if it were alone; it loads each of its other
// resources in proportion. Rates are max-min fair: they grow together until a
// resource is full, whose flows then stay as they are, and so on. A rate is
// rounded down to a whole number (at least 1); proportions are rounded down to
// multiples of 2^-62, so that a rate that comes out whole is met; what remains
// of a flow is kept exactly, in bytes x picoseconds per second. So the end of a
// flow is exact under its rates and rounded up once.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_FLOWNETWORK_H
#define MOZART_LIB_SIM_FLOWNETWORK_H

#include "mozart/Sim/EventEngine.h"

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace mozart {

/// So many bytes over a resource, of which one costs as much as
/// weightNumerator / weightDenominator bytes of its rate.
struct FlowUse {
  int32_t resource = -1;
  int64_t bytes = 0;
  int64_t weightNumerator = 1, weightDenominator = 1;
  bool isWrite = false; ///< to a memory
};

/// When a flow will end, if nothing changes before: `version` says which
/// forecast is the newest.
struct FlowForecast {
  int64_t endPs = 0;
  int32_t flow = -1;
  uint32_t version = 0;
};

class FlowNetwork {
public:
  /// `rates`: bytes per second of each resource, positive. `recordLimits`: for
  /// `addLimits`.
  explicit FlowNetwork(std::vector<int64_t> rates, bool recordLimits = false);

  /// Lets `resource` have `rate`, positive, as long as flows that write and
  /// flows that do not cross it together.
  void setMixedRate(int32_t resource, int64_t rate) {
    resources[resource].mixedRate = rate;
  }

  /// Starts a flow at `nowPs` over `uses`, each resource once, of which at
  /// least one has bytes. Its rate is known after `update`.
  int32_t start(int64_t nowPs, absl::Span<const FlowUse> uses, int32_t owner);

  /// Ends a flow whose newest forecast has come.
  void finish(int32_t flow);

  /// Shares resources anew where flows started or ended since the last call,
  /// and appends a forecast for each flow whose rate changed. Returns false if
  /// an end does not fit in 63 bits, or if a flow's bytes on two resources
  /// differ by a factor above 2^34.
  bool update(int64_t nowPs, std::vector<FlowForecast> &forecasts);

  bool isNewest(int32_t flow, uint32_t version) const {
    return flows[flow].active && flows[flow].version == version;
  }
  int32_t owner(int32_t flow) const { return flows[flow].owner; }
  int64_t rate(int32_t flow) const { return flows[flow].rate; }

  /// Adds to `limits` how long each resource was the full one that held back an
  /// active flow's rate, from the flow's start to `nowPs`, in order of time.
  void addLimits(int32_t flow, int64_t nowPs,
                 std::vector<ResourceTime> &limits) const;

  /// Resources whose flows `update` shared anew, and what one carries now.
  absl::Span<const int32_t> updatedResources() const { return component; }
  int64_t bytesPerSecond(int32_t resource) const;

private:
  using Fixed = __int128; // multiples of 2^-62

  struct Use {
    int32_t resource;
    int32_t slot; ///< position in the resource's list of flows
    Fixed share;  ///< of the flow's rate, weighted
    bool isWrite;
  };
  struct Flow {
    std::vector<Use> uses;
    __int128 remaining = 0; ///< bytes x ps / s
    int64_t rate = 0;
    int64_t sincePs = 0;              ///< when `remaining` was true
    int32_t limitedBy = -1;           ///< resource
    std::vector<ResourceTime> limits; ///< until `sincePs`
    int32_t owner = -1;
    uint32_t version = 0;
    bool active = false;
    bool visited = false;
    bool frozen = false;
  };
  struct Member {
    int32_t flow;
    int32_t use; ///< position in the flow's uses
  };
  struct Resource {
    int64_t rate = 0, mixedRate = 0;
    std::vector<Member> members;
    int64_t writers = 0; ///< of the members
    bool visited = false;
    Fixed demand = 0; ///< sum of shares of flows that still grow
    Fixed slack = 0;  ///< rate that is left to them

    int64_t rateNow() const {
      bool mixed =
          writers > 0 && writers < static_cast<int64_t>(members.size());
      return mixed ? mixedRate : rate;
    }
  };

  std::vector<Resource> resources;
  std::vector<Flow> flows;
  std::vector<int32_t> freeFlows;
  std::vector<int32_t> dirty; // resources
  bool fits = true;
  bool recordLimits;
  // Scratch of `update`.
  std::vector<int32_t> component, componentFlows;
  std::vector<int64_t> oldRates;

  void collect(int32_t resource, size_t firstResource);
  void share(absl::Span<const int32_t> resources,
             absl::Span<const int32_t> flows);
  void freeze(Flow &flow, int64_t rate, int32_t limitedBy);
};

} // namespace mozart

#endif // MOZART_LIB_SIM_FLOWNETWORK_H
