//===- RouteTree.cpp - The paths of an exchange as a tree
//------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/RouteTree.h"

using namespace mozart;

RouteTree::RouteTree(const MachineModel &machine, int32_t root,
                     absl::Span<const int32_t> peers, Direction direction)
    : rootNode(root), peers(peers.begin(), peers.end()) {
  bool outward = direction == Direction::Outward;
  std::map<int32_t, std::set<int32_t>> sets;
  for (int32_t peer : this->peers)
    for (int32_t link :
         outward ? machine.path(root, peer) : machine.path(peer, root)) {
      const LinkFacts &facts = machine.link(link);
      sets[outward ? facts.source : facts.target].insert(
          outward ? facts.target : facts.source);
    }
  for (const auto &[node, children] : sets)
    childrenOf[node].assign(children.begin(), children.end());
}

absl::Span<const int32_t> RouteTree::children(int32_t node) const {
  auto it = childrenOf.find(node);
  return it == childrenOf.end() ? absl::Span<const int32_t>() : it->second;
}

std::vector<int32_t> RouteTree::branches() const {
  std::vector<int32_t> nodes;
  for (const auto &[node, children] : childrenOf)
    if (node != rootNode && children.size() + isPeer(node) > 1)
      nodes.push_back(node);
  return nodes;
}
