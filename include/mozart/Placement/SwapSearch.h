//===- SwapSearch.h - Steps by exact changes --------------------*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_PLACEMENT_SWAPSEARCH_H
#define MOZART_PLACEMENT_SWAPSEARCH_H

#include "mozart/Placement/CutLevel.h"
#include "mozart/Placement/Placement.h"
#include "mozart/Support/SplitMix64.h"

#include <optional>

namespace mozart {

/// What a search minimises, in integers: weights are in thousandths.
struct SwapObjective {
  /// Parts of the machine that tokens are sent to: the sum over parts of weight
  /// times tokens received. The first level is the chiplets, each its own part.
  struct Level {
    std::vector<int32_t> partOf;   // of each chiplet, -1: none
    std::vector<int64_t> permille; // of each part
  };
  std::vector<Level> levels;
  /// An amount of each expert that parts of the machine take so much of.
  struct Limit {
    std::vector<int32_t> partOf; // of each chiplet, -1: none
    std::vector<int64_t> amount; // of each expert
    std::vector<int64_t> most;   // of each part
    const char *name = "";       // as in "load of chiplet"
  };
  std::vector<Limit> limits;
  /// Times the tokens that the busiest chiplet receives.
  int64_t receivePermille = 0;
  /// Fewest and most experts of each chiplet: none leaves one, or comes to one,
  /// alone, beyond that.
  std::vector<int64_t> fewest, most;
  /// Where there is one, what is minimised first. It is told the load and bytes
  /// of each expert's chiplet.
  PlacementCost cost;
  std::vector<int64_t> load, bytes;
  /// Experts that each vertex stands for; empty: one.
  std::vector<int64_t> units;

  int64_t numChiplets() const { return static_cast<int64_t>(most.size()); }
};

/// A placement without replicas that is changed by swaps of two experts and
/// moves of one to a chiplet with room, each chosen by what it changes exactly.
class SwapSearch {
public:
  /// Expects sums of what `objective` counts, times 2^16, to fit in 63 bits.
  SwapSearch(const Hypergraph &graph, const SwapObjective &objective,
             std::vector<int32_t> chipletOf);

  /// What is minimised, and then what decides among equals.
  struct Value {
    int64_t first = 0, second = 0;
    bool operator<(const Value &other) const {
      return first != other.first ? first < other.first : second < other.second;
    }
    Value operator+(const Value &other) const {
      return {first + other.first, second + other.second};
    }
  };
  Value cost() const { return current; }
  /// Amounts above limits, summed over parts, each limit in the unit of the
  /// first.
  int64_t excess() const { return currentExcess; }
  absl::Span<const int32_t> chipletOf() const { return chiplet; }
  /// Load, received tokens and the like, as a cost function is told.
  const PlacementCounts &counts() const { return told; }

  /// Applies the best change while one lowers cost + penalty * excess, at most
  /// `budget` of them, which it reduces. Of equal changes the one with the
  /// lowest experts is taken. With kForbidden, changes that raise the excess
  /// are not made, and others have no price.
  static constexpr int64_t kForbidden = INT64_MAX;
  void descend(int64_t penalty, int64_t &budget);
  /// The best change that is not tabu: an expert does not come back to where it
  /// left in the last steps, unless that leads below `aspiration` without
  /// excess. False where there is none.
  bool stepOn(int64_t penalty, const Value &aspiration, SplitMix64 &random);
  /// Swaps two random experts; nothing where they share a chiplet or would not
  /// fit in number.
  void swapRandom(SplitMix64 &random);
  /// Edges that all changes went through, and changes made.
  int64_t edgeVisits() const;
  int64_t changes() const { return steps; }

private:
  struct Change {
    Value value;
    int32_t expert = -1;
    int32_t other = -1;     // the expert that it is swapped with, or
    int32_t toChiplet = -1; // the chiplet that it moves to
  };
  struct Sieve;

  void count();
  void tabulate();
  int64_t scaled(size_t limit, int64_t over) const;
  int64_t excessOf(size_t limit, int32_t part, int64_t amount) const;
  /// The change of excess by a change of places; `other` -1: none.
  int64_t changeOfExcess(int32_t expert, int32_t other, int32_t to) const;
  int64_t changeOfLinear(int32_t expert, int32_t other, int32_t to) const;
  int64_t changeOfReceive(int32_t expert, int32_t other, int32_t to) const;
  int64_t costAfter(int32_t expert, int32_t other, int32_t to);
  void addToCounts(int32_t expert, int32_t other, int32_t to, int64_t sign);
  bool isTabu(int32_t expert, int32_t other, int32_t to) const;
  void consider(int32_t expert, int32_t other, int32_t to, const Sieve &sieve,
                Change &best);
  void considerSwaps(int32_t expert, const Sieve &sieve, Change &best);
  void considerMoves(int32_t expert, const Sieve &sieve, Change &best);
  /// The best change that the sieve lets through and that is below its bound.
  Change bestChange(const Sieve &sieve);
  void apply(const Change &change);
  void move(int32_t expert, int32_t to);

  const SwapObjective *objective;
  int64_t numExperts, numChiplets;
  std::vector<int32_t> chiplet;
  /// Tables of the levels that count; where none, nothing is kept.
  std::vector<std::optional<CutLevel>> cuts;
  /// [limit][part] of amounts, and what turns an excess into the first's unit,
  /// in 2^-20.
  std::vector<std::vector<int64_t>> amounts;
  std::vector<int64_t> ratio;
  PlacementCounts told, asked;
  Value current;
  int64_t currentExcess = 0;
  /// The linear change of a move of each expert to each chiplet, both ways
  /// round.
  std::vector<int64_t> byExpert, byChiplet;
  std::vector<int64_t> tabuUntil; // [expert][chiplet]
  int64_t steps = 0;
};

} // namespace mozart

#endif // MOZART_PLACEMENT_SWAPSEARCH_H
