//===- MachineModel.cpp - Questions about a machine -----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/MachineModel.h"

#include "MachineFactsChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace mozart;

absl::StatusOr<MachineModel> MachineModel::create(MachineFacts facts) {
  if (absl::Status status = checkMachineFacts(facts); !status.ok())
    return status;
  MachineModel model;
  model.machine = std::move(facts);

  model.ordinalOf.assign(model.numNodes(), -1);
  for (int32_t i = 0; i < model.numNodes(); ++i) {
    if (model.node(i).hostsAttention)
      model.attention.push_back(i);
    if (!model.node(i).hostsExperts)
      continue;
    model.ordinalOf[i] = static_cast<int32_t>(model.experts.size());
    model.experts.push_back(i);
  }
  auto fail = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(describeMachine(model.machine), ": ", what));
  };
  if (model.attention.empty())
    return fail("no chiplet hosts attention; expected at least one, which is "
                "the root of the tree");
  if (model.experts.empty())
    return fail("no chiplet hosts experts; expected at least one");
  model.rootNode = model.attention.front();

  if (absl::Status status = model.joinUp(); !status.ok())
    return status;
  if (model.machine.topology == Topology::Mesh)
    model.findSteps();
  model.hangFromRoot();
  model.findGroups();
  return model;
}

/// Builds `outLinks`; checks that the network is one piece and, where it is
/// declared a tree, that no link closes a cycle.
absl::Status MachineModel::joinUp() {
  outLinks.resize(numNodes());
  std::vector<int32_t> leader(numNodes());
  std::iota(leader.begin(), leader.end(), 0);
  auto find = [&](int32_t node) {
    while (leader[node] != node)
      node = leader[node] = leader[leader[node]];
    return node;
  };
  for (int32_t i = 0; i < numLinks(); ++i) {
    const LinkFacts &facts = link(i);
    outLinks[facts.source].push_back(i);
    if (facts.source > facts.target)
      continue; // the reverse direction joins the same two nodes
    int32_t a = find(facts.source), b = find(facts.target);
    if (a == b && machine.topology == Topology::Tree)
      return absl::InvalidArgumentError(absl::StrCat(
          describeMachine(machine), ", link ", i, " ('",
          node(facts.source).name, "' -> '", node(facts.target).name,
          "'): closes a cycle; expected a tree (or declare the machine a "
          "mesh)"));
    leader[a] = b;
  }
  for (int32_t i = 0; i < numNodes(); ++i)
    if (find(i) != find(rootNode))
      return absl::InvalidArgumentError(absl::StrCat(
          describeMachine(machine), ", ", describeNode(node(i)),
          ": no links lead to it from the root ", describeNode(node(rootNode)),
          "; expected a connected network"));
  for (std::vector<int32_t> &links : outLinks)
    std::sort(links.begin(), links.end(), [&](int32_t a, int32_t b) {
      return link(a).target < link(b).target;
    });
  return absl::OkStatus();
}

/// Fills `steps`. Distances come from a search around each node; then each step
/// goes to the lowest neighbour that is one closer.
void MachineModel::findSteps() {
  const int64_t n = numNodes();
  steps.assign(n * n, -1);
  std::vector<int32_t> distance, queue;
  for (int32_t target = 0; target < n; ++target) {
    distance.assign(n, -1);
    distance[target] = 0;
    queue.assign(1, target);
    for (size_t head = 0; head < queue.size(); ++head)
      for (int32_t out : outLinks[queue[head]]) {
        int32_t next = link(out).target;
        if (distance[next] >= 0)
          continue;
        distance[next] = distance[queue[head]] + 1;
        queue.push_back(next);
      }
    for (int32_t from = 0; from < n; ++from)
      if (from != target)
        steps[target * n + from] = *std::find_if(
            outLinks[from].begin(), outLinks[from].end(), [&](int32_t out) {
              return distance[link(out).target] == distance[from] - 1;
            });
  }
}

/// Fills what is said of nodes as seen from the root. Prefixes of chosen paths
/// are chosen paths, so the last step towards a node makes a tree of any
/// topology.
void MachineModel::hangFromRoot() {
  parents.assign(numNodes(), -1);
  depths.assign(numNodes(), 0);
  downLinks.assign(numNodes(), -1);
  upLinks.assign(numNodes(), -1);
  childLists.resize(numNodes());
  if (machine.topology == Topology::Mesh) {
    for (int32_t i = 0; i < numNodes(); ++i) {
      if (i == rootNode)
        continue;
      std::vector<int32_t> links = path(rootNode, i);
      hang(i, links.back());
      depths[i] = static_cast<int32_t>(links.size());
    }
  } else {
    std::vector<int32_t> queue = {rootNode};
    for (size_t head = 0; head < queue.size(); ++head)
      for (int32_t out : outLinks[queue[head]]) {
        int32_t child = link(out).target;
        if (child == parents[queue[head]])
          continue;
        hang(child, out);
        depths[child] = depths[queue[head]] + 1;
        queue.push_back(child);
      }
  }
  for (int32_t i = 0; i < numNodes(); ++i)
    if (i != rootNode)
      childLists[parents[i]].push_back(i); // in declared order
}

/// Makes `node` a child of the node that link `down` to it leaves.
void MachineModel::hang(int32_t node, int32_t down) {
  parents[node] = link(down).source;
  downLinks[node] = down;
  upLinks[node] = linkBetween(node, parents[node]);
}

/// Fills what is said of subtrees below the root and of memories.
void MachineModel::findGroups() {
  // The subtree below the root that each node is in: the first step to it.
  groupIndex.assign(numNodes(), -1);
  std::vector<int32_t> groupOfBranch(numNodes(), -1);
  // By depth, so that a node's parent knows its branch before it.
  std::vector<int32_t> byDepth(numNodes()), branchOf(numNodes(), -1);
  std::iota(byDepth.begin(), byDepth.end(), 0);
  std::stable_sort(byDepth.begin(), byDepth.end(),
                   [&](int32_t a, int32_t b) { return depths[a] < depths[b]; });
  for (int32_t i : byDepth)
    if (i != rootNode)
      branchOf[i] = parents[i] == rootNode ? i : branchOf[parents[i]];
  std::vector<bool> hasExperts(numNodes(), false);
  for (int32_t chiplet : experts)
    if (chiplet != rootNode)
      hasExperts[branchOf[chiplet]] = true;
  for (int32_t child : childLists[rootNode])
    if (hasExperts[child])
      groupOfBranch[child] = groups++;
  for (int32_t i = 0; i < numNodes(); ++i)
    if (i != rootNode)
      groupIndex[i] = groupOfBranch[branchOf[i]];

  std::vector<int32_t> firstMemory(numNodes(), -1);
  for (int32_t i = numMemories() - 1; i >= 0; --i)
    firstMemory[memory(i).node] = i;
  serving.assign(numNodes(), -1);
  for (int32_t i : byDepth) {
    serving[i] = firstMemory[i];
    if (serving[i] < 0 && i != rootNode)
      serving[i] = serving[parents[i]];
  }
}

int32_t MachineModel::findNode(absl::string_view name) const {
  for (int32_t i = 0; i < numNodes(); ++i)
    if (node(i).name == name)
      return i;
  return -1;
}

int32_t MachineModel::findMemory(absl::string_view name) const {
  for (int32_t i = 0; i < numMemories(); ++i)
    if (memory(i).name == name)
      return i;
  return -1;
}

std::vector<int32_t> MachineModel::path(int32_t from, int32_t to) const {
  if (machine.topology == Topology::Tree)
    return treePath(from, to);
  std::vector<int32_t> links;
  while (from != to) {
    links.push_back(steps[static_cast<size_t>(to) * numNodes() + from]);
    from = link(links.back()).target;
  }
  return links;
}

/// Up from both ends to where they meet.
std::vector<int32_t> MachineModel::treePath(int32_t from, int32_t to) const {
  std::vector<int32_t> links, down;
  while (from != to) {
    if (depths[from] >= depths[to]) {
      links.push_back(upLinks[from]);
      from = parents[from];
    } else {
      down.push_back(downLinks[to]);
      to = parents[to];
    }
  }
  links.insert(links.end(), down.rbegin(), down.rend());
  return links;
}

int32_t MachineModel::linkBetween(int32_t from, int32_t to) const {
  for (int32_t out : outLinks[from])
    if (link(out).target == to)
      return out;
  return -1;
}

int32_t MachineModel::treeDepth() const {
  int32_t deepest = 0;
  for (int32_t chiplet : experts)
    deepest = std::max(deepest, depths[chiplet]);
  return deepest;
}

/// peak x ppm / 10^6, rounded down; the product may need more than 64 bits.
static int64_t sustained(int64_t peak, int64_t efficiencyPpm) {
  return static_cast<int64_t>(static_cast<__int128>(peak) * efficiencyPpm /
                              1000000);
}

int64_t MachineModel::readBytesPerSecond(int32_t index) const {
  return sustained(memory(index).readBytesPerSecond,
                   memory(index).efficiencyPpm);
}

int64_t MachineModel::writeBytesPerSecond(int32_t index) const {
  return sustained(memory(index).writeBytesPerSecond,
                   memory(index).efficiencyPpm);
}

int64_t MachineModel::flopsPerSecond(int32_t index) const {
  const ComputeFacts &c = node(index).compute;
  return 2 * c.tiles * c.arraysPerTile * c.arrayRows * c.arrayColumns *
         c.clockHz;
}

int64_t MachineModel::sramBytesPerSecond(int32_t index) const {
  const ComputeFacts &c = node(index).compute;
  return c.tiles * c.tileSramBytesPerSecond;
}
