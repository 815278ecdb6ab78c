//===- MeshCuts.h - What must cross the cuts of a mesh ------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a mesh a program may take any path, so no single link must carry anything.
// But whatever has its source on one side of a cut and is needed on the other
// crosses it once, over all of its links together. Cuts looked at: around each
// chiplet alone, around the root, and around all that is within so many links
// of the root.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_COST_MESHCUTS_H
#define MOZART_LIB_COST_MESHCUTS_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mozart {

/// Rows [begin, end) of a buffer.
using RowRange = std::pair<int64_t, int64_t>;

/// How many rows lie in at least one of `rows`.
int64_t unionSize(std::vector<RowRange> rows);

class MeshCuts {
public:
  enum class Kind {
    Chiplet, ///< around a chiplet other than the root
    Root,
    Ball, ///< around all within some links of the root
  };
  struct Cut {
    Kind kind = Kind::Chiplet;
    std::vector<bool> inside; ///< by node
    __int128 outBytes = 0, inBytes = 0;
    __int128 outRate = 0, inRate = 0; ///< of all its links; bytes per second
  };

  explicit MeshCuts(const MachineModel &machine);

  /// Rows of a buffer at node `from` that other nodes need: each crosses a cut
  /// once, for all nodes beyond it.
  void addRows(int32_t from,
               const std::map<int32_t, std::vector<RowRange>> &neededAt,
               int64_t rowBytes);

  /// Tokens at `root` that have experts at other nodes: one row of each goes
  /// over a cut and one comes back.
  void addTokensAt(int32_t root, const std::map<int32_t, TokenSet> &tokensAt,
                   int64_t rowBytes);

  const std::vector<Cut> &cuts() const { return all; }

private:
  std::vector<Cut> all;

  void add(const MachineModel &machine, Kind kind, std::vector<bool> inside);
};

} // namespace mozart

#endif // MOZART_LIB_COST_MESHCUTS_H
