//===- PairLedger.h - Every pair just once ------------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_PAIRLEDGER_H
#define MOZART_LIB_SIM_PAIRLEDGER_H

#include "mozart/Routing/ReplicaChoice.h"
#include "mozart/Sim/KernelEval.h"
#include "mozart/Sim/ValueEngine.h"

#include "absl/status/status.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

namespace mozart {

/// Counts what is done with each (token, expert) pair that is dispatched.
class PairLedger {
public:
  explicit PairLedger(const Program &program);

  /// A dispatch task moves the pairs of `slice` by `routing`, whose row 0 is
  /// the slice's first token. Fails with kFailedPrecondition where another task
  /// dispatched the same token by another routing.
  absl::Status dispatch(int32_t task, const RoutedSlice &slice,
                        const Value &routing);
  /// A compute task works on `rows` rows, which should be the pairs of `slice`
  /// (`rows` < 0: it does not say how many). Fails with kFailedPrecondition
  /// where the number differs. Slices that nobody dispatched are not checked.
  absl::Status compute(int32_t task, const RoutedSlice &slice, int64_t rows);
  /// A combine task brings back the pairs of `slice`.
  absl::Status combine(int32_t task, const RoutedSlice &slice,
                       const Value &routing);

  /// Fails with kFailedPrecondition on the first pair that was not dispatched,
  /// computed and combined just once.
  absl::Status finish() const;
  std::vector<DispatchedIds> ids() const;

private:
  enum Stage { Dispatched, Computed, Combined };
  struct Table {
    std::vector<int32_t> ids; ///< [T, k]
    std::vector<std::array<int32_t, 3>> counts;
    std::vector<bool> known; ///< [T]: some task dispatched the token
  };

  Table &tableOf(const RoutedSlice &slice);
  /// Adds to the counts of the slice's pairs; returns how many there are.
  int64_t count(Table &table, const RoutedSlice &slice, Stage stage);
  absl::Status agree(int32_t task, const RoutedSlice &slice,
                     const Value &routing, bool mayBeNew);

  const Program &program;
  std::vector<ReplicaChoice> choices;                  ///< of each expert map
  std::map<std::pair<int64_t, int64_t>, Table> tables; ///< (layer, micro-batch)
};

} // namespace mozart

#endif // MOZART_LIB_SIM_PAIRLEDGER_H
