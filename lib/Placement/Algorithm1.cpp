//===- Algorithm1.cpp - Clusters by co-activation, groups by load ---------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's Algorithm 1. Clusters, one a chiplet, are filled one after
// another. The first starts from the most co-activated pair, each later one
// from the unplaced expert that is least co-activated with all that are placed;
// a cluster grows by the expert with the highest average co-activation with it.
// Then clusters go to switch groups so that groups carry equal load.
//
// Read as it must be meant where it cannot be meant as printed: a cluster is
// filled to exactly its capacity (the printed loop adds one more), and a group
// takes as many clusters as it has chiplets. Within a cluster, average and sum
// choose alike. Ties go to the lowest id.
//
//===----------------------------------------------------------------------===//

#include "Algorithms.h"
#include "mozart/Placement/GroupAllocation.h"
#include "mozart/Routing/Statistics.h"

#include "absl/strings/str_format.h"

using namespace mozart;

namespace {
/// Fills the clusters of one layer.
class Clustering {
public:
  Clustering(const Trace &profile, int64_t layer)
      : numExperts(profile.numExperts()), counts(coactivation(profile, layer)),
        placed(numExperts, false), withPlaced(numExperts, 0),
        withCluster(numExperts, 0) {}

  std::vector<std::vector<int32_t>> run(absl::Span<const int64_t> capacities);

private:
  int64_t together(int32_t a, int32_t b) const {
    return counts[a * numExperts + b];
  }
  /// The first of the most co-activated pair, and the other.
  std::pair<int32_t, int32_t> mostCoactivatedPair() const;
  /// The unplaced expert with the least (greatest) value.
  template <typename Better>
  int32_t bestUnplaced(absl::Span<const int64_t> value, Better better) const;
  void add(int32_t expert, std::vector<int32_t> &cluster);

  int64_t numExperts;
  std::vector<int64_t> counts;
  std::vector<bool> placed;
  /// Co-activation of each expert with all that are placed, and with those of
  /// the cluster being filled.
  std::vector<int64_t> withPlaced, withCluster;
};
} // namespace

std::pair<int32_t, int32_t> Clustering::mostCoactivatedPair() const {
  std::pair<int32_t, int32_t> best(0, 0);
  int64_t highest = -1;
  for (int32_t a = 0; a < numExperts; ++a)
    for (int32_t b = a + 1; b < numExperts; ++b)
      if (together(a, b) > highest) {
        highest = together(a, b);
        best = {a, b};
      }
  return best;
}

template <typename Better>
int32_t Clustering::bestUnplaced(absl::Span<const int64_t> value,
                                 Better better) const {
  int32_t best = -1;
  for (int32_t expert = 0; expert < numExperts; ++expert)
    if (!placed[expert] && (best < 0 || better(value[expert], value[best])))
      best = expert;
  return best;
}

void Clustering::add(int32_t expert, std::vector<int32_t> &cluster) {
  cluster.push_back(expert);
  placed[expert] = true;
  for (int32_t other = 0; other < numExperts; ++other) {
    withPlaced[other] += together(expert, other);
    withCluster[other] += together(expert, other);
  }
}

std::vector<std::vector<int32_t>>
Clustering::run(absl::Span<const int64_t> capacities) {
  std::vector<std::vector<int32_t>> clusters;
  for (int64_t capacity : capacities) {
    std::vector<int32_t> cluster;
    withCluster.assign(numExperts, 0);
    if (clusters.empty()) {
      auto [first, second] = mostCoactivatedPair();
      add(first, cluster);
      if (capacity > 1)
        add(second, cluster);
    } else {
      add(bestUnplaced(withPlaced, std::less<int64_t>()), cluster);
    }
    while (static_cast<int64_t>(cluster.size()) < capacity)
      add(bestUnplaced(withCluster, std::greater<int64_t>()), cluster);
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

/// Puts clusters on chiplets: each group takes, in order of their ids, the
/// clusters that balance the groups' load.
static absl::StatusOr<Placement>
allocate(const PlacementProblem &problem,
         absl::Span<const std::vector<int32_t>> clusters) {
  std::vector<int64_t> load =
      expertLoad(*problem.profile, problem.profileLayer());
  std::vector<int64_t> clusterLoad(clusters.size(), 0);
  for (size_t cluster = 0; cluster < clusters.size(); ++cluster)
    for (int32_t expert : clusters[cluster])
      clusterLoad[cluster] += load[expert];

  // Groups in the order of their first chiplet: their numbers may have gaps.
  std::vector<std::vector<int32_t>> chipletsOfGroup;
  std::vector<int32_t> ordinal(problem.groupOf.size(), -1);
  for (size_t chiplet = 0; chiplet < clusters.size(); ++chiplet) {
    int32_t &group = ordinal[problem.groupOf[chiplet]];
    if (group < 0) {
      group = static_cast<int32_t>(chipletsOfGroup.size());
      chipletsOfGroup.emplace_back();
    }
    chipletsOfGroup[group].push_back(static_cast<int32_t>(chiplet));
  }
  std::vector<int64_t> sizes;
  for (const std::vector<int32_t> &chiplets : chipletsOfGroup)
    sizes.push_back(static_cast<int64_t>(chiplets.size()));

  absl::StatusOr<GroupAllocation> allocation =
      allocateGroups(clusterLoad, sizes);
  if (!allocation.ok())
    return allocation.status();
  std::vector<std::vector<int32_t>> ofChiplet(clusters.size());
  std::vector<size_t> taken(sizes.size(), 0);
  for (size_t cluster = 0; cluster < clusters.size(); ++cluster) {
    int32_t group = allocation->groupOf[cluster];
    ofChiplet[chipletsOfGroup[group][taken[group]++]] = clusters[cluster];
  }
  Placement placement = placementOf(ofChiplet, problem.numExperts);
  if (!allocation->provenOptimal)
    placement.remarks.push_back(absl::StrFormat(
        "layer %d: %d clusters in %d switch groups are more than can be "
        "allocated with proof; the best allocation that was found is used",
        problem.layer, clusters.size(), sizes.size()));
  return placement;
}

absl::StatusOr<Placement>
mozart::placeAlgorithm1(const PlacementProblem &problem) {
  absl::Status status = problem.verify();
  if (!status.ok())
    return status;
  if (!problem.profile)
    return absl::InvalidArgumentError(
        "placement algorithm 'algorithm1' needs a routing profile");
  if (problem.numExperts > kMaxExpertsOfCoactivation)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement algorithm 'algorithm1' counts every pair of experts and "
        "takes at most %d of them, found %d",
        kMaxExpertsOfCoactivation, problem.numExperts));
  Clustering clustering(*problem.profile, problem.profileLayer());
  std::vector<std::vector<int32_t>> clusters =
      clustering.run(problem.capacities());
  // Clusters that fill unequal chiplets fit nowhere else.
  if (!problem.slotsOf.empty() &&
      clusters.front().size() != clusters.back().size())
    return placementOf(clusters, problem.numExperts);
  return allocate(problem, clusters);
}
