//===- RouteTree.h - The paths of an exchange as a tree -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_MACHINE_ROUTETREE_H
#define MOZART_MACHINE_ROUTETREE_H

#include "mozart/Machine/MachineModel.h"

#include <map>
#include <set>

namespace mozart {

/// The union of the paths between a root and some peers, which is a tree on any
/// topology (see MachineModel::path). Nodes are indices of the machine.
class RouteTree {
public:
  enum class Direction {
    Outward, ///< paths from the root to the peers
    Inward,  ///< paths from the peers to the root
  };

  /// `root` and `peers` are nodes of `machine`; a peer may be the root.
  RouteTree(const MachineModel &machine, int32_t root,
            absl::Span<const int32_t> peers, Direction direction);

  int32_t root() const { return rootNode; }
  /// Neighbours of `node` that lie away from the root, in declared order.
  absl::Span<const int32_t> children(int32_t node) const;
  bool isPeer(int32_t node) const { return peers.count(node) > 0; }
  /// Nodes other than the root where paths part or meet: those with several
  /// children, and peers with one. Ascending.
  std::vector<int32_t> branches() const;

private:
  int32_t rootNode;
  std::set<int32_t> peers;
  std::map<int32_t, std::vector<int32_t>> childrenOf;
};

} // namespace mozart

#endif // MOZART_MACHINE_ROUTETREE_H
