//===- ReplicaEstimates.h - What changes would be worth -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_PLACEMENT_REPLICAESTIMATES_H
#define MOZART_LIB_PLACEMENT_REPLICAESTIMATES_H

#include "mozart/Placement/ReplicaSearch.h"

namespace mozart {

/// What one pass over the tokens says of changes. A *seat* is an expert on one
/// of its chiplets; a token is at the seat that it chose. All that follows is
/// for tokens at a seat, as if the choices for other experts stayed; so it is
/// exact where those have no replicas, and the one that changes has none.
class ReplicaEstimates {
public:
  ReplicaEstimates(const ReplicaState &state,
                   const ReplicaObjective &objective);

  struct Seat {
    int32_t expert, chiplet;
  };
  absl::Span<const Seat> seats() const { return seatList; }

  // By how much each would raise cost + penalty * excess.
  int64_t ofAdding(int32_t expert, int32_t chiplet, int64_t penalty) const;
  int64_t ofMoving(int64_t seat, int32_t chiplet, int64_t penalty) const;
  int64_t ofSwapping(int64_t one, int64_t other, int64_t penalty) const;
  /// The expert of `other` takes the chiplet of `seat`, whose expert has
  /// others.
  int64_t ofReplacing(int64_t seat, int32_t expert, int64_t penalty) const;

private:
  /// Tokens at each seat by the parts (chiplets or groups) they go to.
  struct Level {
    std::vector<int64_t> alone;     // [seats] its part has no other of theirs
    std::vector<int64_t> visited;   // [seats x parts] they go to the part
    std::vector<int64_t> aloneWith; // [seats x experts] alone, with the expert
  };
  /// A change of the load of a chiplet.
  struct Shift {
    int32_t chiplet;
    int64_t load;
  };
  using Shifts = std::vector<Shift>;

  void countToken(absl::Span<const int32_t> set,
                  absl::Span<const int32_t> chosen);
  void countSeat(int64_t seat, size_t slot, absl::Span<const int32_t> set,
                 absl::Span<const int32_t> chosen);
  int64_t seatOf(int32_t expert, int32_t chiplet) const;
  bool hasOthers(int64_t seat) const {
    int32_t expert = seatList[seat].expert;
    return firstSeat[expert + 1] - firstSeat[expert] > 1;
  }
  int64_t costOfLeaving(int64_t seat, int32_t chiplet) const;
  int64_t costOfAdding(int32_t expert, int32_t chiplet) const;
  /// The loads that a new replica draws from the expert's seats.
  void shiftToNew(int32_t expert, int32_t chiplet, Shifts &shifts) const;
  /// Spreads the load of a seat over the expert's others.
  void shiftToOthers(int64_t seat, Shifts &shifts) const;
  int64_t price(Shifts &shifts, int64_t penalty) const;

  const ReplicaState &state;
  const ReplicaObjective &objective;
  int64_t numExperts, numChiplets, numGroups;
  std::vector<Seat> seatList;
  std::vector<int64_t> firstSeat; // of each expert, and the end
  std::vector<int64_t> used;      // tokens at each seat
  Level chiplets, groups;
  std::vector<int64_t> gain;     // [seats x chiplets] cost saved by going there
  std::vector<int64_t> covered;  // [seats x chiplets] alone, they go there
  std::vector<int64_t> stranded; // [seats] not alone, to no other of its seats
};

} // namespace mozart

#endif // MOZART_LIB_PLACEMENT_REPLICAESTIMATES_H
