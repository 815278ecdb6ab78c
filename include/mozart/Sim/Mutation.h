//===- Mutation.h - Programs with one fault -----------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single changes that make a right program wrong, to test that whatever checks
// or executes programs notices.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_MUTATION_H
#define MOZART_SIM_MUTATION_H

#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace mozart {

struct Mutation {
  enum class Kind {
    Wait,   ///< wait number `position` of `task` is gone
    Route,  ///< `route` replaces that of `task`, or of its peer `position`
    Offset, ///< `buffer` is at `offset`
  };
  Kind kind = Kind::Wait;
  int32_t task = -1;
  int32_t position = -1; ///< of a route: -1 for the task's own
  std::vector<int32_t> route;
  int32_t buffer = -1;
  int64_t offset = -1;
  std::string description; ///< "task 3 ('x') no longer waits for task 1 ('y')"
};

Program mutate(const Program &program, const Mutation &mutation);

// The following take a program that `verifyProgram` and `verifyAllocation`
// accept.

/// The removal of each wait that no other wait, no engine's order and no stage
/// implies.
absl::StatusOr<std::vector<Mutation>> waitMutations(const Program &program);

/// For each route: a link less at either end, a link more, a way there and back
/// in front of it, and at each step every other link out of the same node, the
/// link in the opposite direction, and a link that does not exist. None is
/// equal to the route.
std::vector<Mutation> routeMutations(const Program &program,
                                     const MachineModel &machine);

/// For each buffer: no offset, an offset past the end of its memory (unless
/// that is elastic), and offsets at which it shares its first, its last or all
/// bytes with another buffer of the same memory; of these only those that do
/// harm. Sharing a byte does no harm where each of the two buffers is only read
/// where the other has not been written since its own last write, whatever the
/// durations: that is another allocation, as right as the first.
absl::StatusOr<std::vector<Mutation>>
offsetMutations(const Program &program, const MachineModel &machine);

} // namespace mozart

#endif // MOZART_SIM_MUTATION_H
