//===- Placement.cpp - Which chiplets hold which experts ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/Placement.h"

#include "Algorithms.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mozart;

std::vector<std::vector<int32_t>> Placement::expertsOf() const {
  std::vector<std::vector<int32_t>> experts(numChiplets);
  for (int64_t expert = 0; expert < numExperts(); ++expert)
    for (int32_t chiplet : chipletsOf[expert])
      experts[chiplet].push_back(static_cast<int32_t>(expert));
  return experts;
}

absl::Status Placement::verify() const {
  if (numExperts() == 0 || numChiplets <= 0)
    return absl::InvalidArgumentError(
        absl::StrFormat("placement of %d experts on %d chiplets; expected at "
                        "least one of each",
                        numExperts(), numChiplets));
  for (int64_t expert = 0; expert < numExperts(); ++expert) {
    if (chipletsOf[expert].empty())
      return absl::InvalidArgumentError(absl::StrFormat(
          "placement leaves expert %d without a chiplet", expert));
    int32_t last = -1;
    for (int32_t chiplet : chipletsOf[expert]) {
      if (chiplet < 0 || chiplet >= numChiplets)
        return absl::InvalidArgumentError(absl::StrFormat(
            "placement puts expert %d on chiplet %d; chiplets are 0 to %d",
            expert, chiplet, numChiplets - 1));
      if (chiplet == last)
        return absl::InvalidArgumentError(absl::StrFormat(
            "placement puts expert %d on chiplet %d twice", expert, chiplet));
      if (chiplet < last)
        return absl::InvalidArgumentError(absl::StrFormat(
            "placement lists the chiplets of expert %d out of order: %d after "
            "%d; expected ascending",
            expert, chiplet, last));
      last = chiplet;
    }
  }
  return absl::OkStatus();
}

/// Fails unless the profile is of the problem's model.
static absl::Status verifyProfile(const PlacementProblem &problem) {
  const Trace &profile = *problem.profile;
  if (problem.tokensPerMicroBatch < 1)
    return absl::InvalidArgumentError(
        absl::StrFormat("micro-batches of %d tokens; expected at least 1",
                        problem.tokensPerMicroBatch));
  if (profile.numTokens() == 0)
    return absl::InvalidArgumentError(
        "the routing profile is empty; expected at least one token");
  if (profile.numExperts() != problem.numExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the routing profile is over %d experts, %d are to be placed; use a "
        "profile of this model",
        profile.numExperts(), problem.numExperts));
  if (problem.layer < 0 ||
      (problem.layer >= profile.numLayers() && profile.numLayers() != 1))
    return absl::InvalidArgumentError(absl::StrFormat(
        "layer %d is to be placed, the routing profile has %d layers",
        problem.layer, profile.numLayers()));
  return absl::OkStatus();
}

static absl::Status verifyCap(double cap, absl::string_view what) {
  // Negated so that NaN fails, as below.
  if (cap != 0 && !(cap >= 1 && std::isfinite(cap)))
    return absl::InvalidArgumentError(absl::StrFormat(
        "a load cap of %g%s; expected at least 1, which is the mean over "
        "chiplets, or 0 for none",
        cap, what));
  return absl::OkStatus();
}

static absl::Status verifyWeight(double weight, absl::string_view what) {
  if (!(weight >= 0 && weight <= PlacementProblem::kMaxGroupWeight))
    return absl::InvalidArgumentError(
        absl::StrFormat("a weight of %g for %s; expected 0 to %g", weight, what,
                        PlacementProblem::kMaxGroupWeight));
  return absl::OkStatus();
}

static absl::Status verifyLevels(const PlacementProblem &problem) {
  for (size_t i = 0; i < problem.levels.size(); ++i) {
    const SwitchLevel &level = problem.levels[i];
    std::string name = absl::StrFormat("switch level %d", i);
    if (level.partOf.size() != problem.groupOf.size())
      return absl::InvalidArgumentError(
          absl::StrFormat("%s gives a part to %d chiplets; expected %d", name,
                          level.partOf.size(), problem.numChiplets()));
    for (size_t chiplet = 0; chiplet < level.partOf.size(); ++chiplet)
      if (level.partOf[chiplet] < -1 ||
          level.partOf[chiplet] >= problem.numChiplets())
        return absl::InvalidArgumentError(absl::StrFormat(
            "%s puts chiplet %d in part %d; expected -1 (none) to %d", name,
            chiplet, level.partOf[chiplet], problem.numChiplets() - 1));
    absl::Status status = verifyWeight(level.weight, name);
    if (status.ok())
      status = verifyCap(level.loadCap, absl::StrCat(" for ", name));
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Fails unless there is one number in [low, high] for each of `count`, or
/// none at all.
static absl::Status verifyNumbers(absl::Span<const int64_t> numbers,
                                  int64_t count, int64_t low, int64_t high,
                                  absl::string_view what,
                                  absl::string_view whose) {
  if (!numbers.empty() && static_cast<int64_t>(numbers.size()) != count)
    return absl::InvalidArgumentError(
        absl::StrFormat("%s of %d %ss; expected one for each of the %d", what,
                        numbers.size(), whose, count));
  for (size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] < low || numbers[i] > high)
      return absl::InvalidArgumentError(
          absl::StrFormat("%s of %s %d is %d; expected %d to %d", what, whose,
                          i, numbers[i], low, high));
  return absl::OkStatus();
}

/// Room and sizes. Numbers stay so small that their sums do not overflow.
static absl::Status verifySizes(const PlacementProblem &problem) {
  constexpr int64_t kMaxBytes = int64_t(1) << 42, kMaxSpeed = 1'000'000'000;
  int64_t chiplets = problem.numChiplets();
  absl::Status status = verifyNumbers(problem.slotsOf, chiplets, 1,
                                      Trace::kMaxExperts, "slots", "chiplet");
  if (status.ok())
    status = verifyNumbers(problem.expertBytes, problem.numExperts, 0,
                           kMaxBytes, "bytes", "expert");
  if (status.ok())
    status = verifyNumbers(problem.bytesOf, chiplets, 0, kMaxBytes,
                           "room in bytes", "chiplet");
  if (status.ok())
    status = verifyNumbers(problem.speedOf, chiplets, 1, kMaxSpeed, "speed",
                           "chiplet");
  if (status.ok())
    status = verifyNumbers(problem.hopsOf, chiplets, 0,
                           PlacementProblem::kMaxHops, "hops", "chiplet");
  if (!status.ok())
    return status;
  if (problem.hopWeight != 0 && problem.hopsOf.empty())
    return absl::InvalidArgumentError(
        "a weight for hops, but not how many there are to each chiplet");
  auto sum = [](absl::Span<const int64_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), int64_t(0));
  };
  if (!problem.slotsOf.empty() && sum(problem.slotsOf) < problem.numExperts)
    return absl::InvalidArgumentError(
        absl::StrFormat("%d slots on all chiplets for %d experts; expected at "
                        "least as many",
                        sum(problem.slotsOf), problem.numExperts));
  if (problem.expertBytes.empty() != problem.bytesOf.empty())
    return absl::InvalidArgumentError(
        "bytes of experts and room in bytes of chiplets go together; give both "
        "or neither");
  if (problem.expertBytes.empty())
    return absl::OkStatus();
  int64_t largest =
      *std::max_element(problem.expertBytes.begin(), problem.expertBytes.end());
  int64_t most =
      *std::max_element(problem.bytesOf.begin(), problem.bytesOf.end());
  if (largest > most || sum(problem.expertBytes) > sum(problem.bytesOf))
    return absl::InvalidArgumentError(absl::StrFormat(
        "experts of %d bytes in all, up to %d each, do not fit on chiplets "
        "with room for %d in all, up to %d each",
        sum(problem.expertBytes), largest, sum(problem.bytesOf), most));
  return absl::OkStatus();
}

/// Fails on numbers that no search can go by.
static absl::Status verifySearch(const PlacementProblem &problem) {
  absl::Status status = verifyCap(problem.loadCap, "");
  if (status.ok())
    status = verifyCap(problem.groupLoadCap, " for switch groups");
  if (status.ok())
    status = verifyWeight(problem.chipletWeight, "chiplets");
  if (status.ok())
    status = verifyWeight(problem.groupWeight, "switch groups");
  if (status.ok())
    status = verifyWeight(problem.receiveWeight, "the busiest chiplet");
  if (status.ok())
    status = verifyWeight(problem.hopWeight, "hops");
  if (status.ok())
    status = verifyLevels(problem);
  if (status.ok())
    status = verifySizes(problem);
  if (!status.ok())
    return status;
  if (problem.starts < 1 || problem.starts > PlacementProblem::kMaxStarts)
    return absl::InvalidArgumentError(
        absl::StrFormat("a search from %d starts; expected 1 to %d",
                        problem.starts, PlacementProblem::kMaxStarts));
  if (problem.kicks < 0 || problem.kicks > PlacementProblem::kMaxStarts)
    return absl::InvalidArgumentError(
        absl::StrFormat("a search with %d kicks; expected 0 to %d",
                        problem.kicks, PlacementProblem::kMaxStarts));
  if (problem.moveBudget < 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "a budget of %d moves; expected at least 0", problem.moveBudget));
  return absl::OkStatus();
}

/// Fails on slots that do not hold what is asked for.
static absl::Status verifyReplicas(const PlacementProblem &problem) {
  if (problem.slots == 0) {
    if (problem.maxReplicas > 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "%d replicas are asked for, and no slots for them; say how many "
          "experts fit on a chiplet",
          problem.maxReplicas));
    return absl::OkStatus();
  }
  int64_t chiplets = problem.numChiplets(), experts = problem.numExperts;
  int64_t least = (experts + chiplets - 1) / chiplets;
  if (problem.slots < least || problem.slots > experts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d slots on each of %d chiplets for %d experts; expected %d, which "
        "hold each expert once, to %d, which hold all on each chiplet",
        problem.slots, chiplets, experts, least, experts));
  int64_t room = problem.slots * chiplets - experts;
  if (problem.maxReplicas < -1 || problem.maxReplicas > room)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d replicas; %d slots on each of %d chiplets hold %d beside the %d "
        "experts: expected 0 to %d, or -1 for as many as help",
        problem.maxReplicas, problem.slots, chiplets, room, experts, room));
  return absl::OkStatus();
}

/// Fails on an old placement that is not one of this problem.
static absl::Status verifyKeep(const PlacementProblem &problem) {
  if (problem.keep.empty()) {
    if (problem.maxMoves >= 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "at most %d moves are asked for, and no placement to move from",
          problem.maxMoves));
    return absl::OkStatus();
  }
  if (problem.maxMoves < -1)
    return absl::InvalidArgumentError(
        absl::StrFormat("at most %d moves; expected at least 0, or -1 for any "
                        "number",
                        problem.maxMoves));
  int64_t layers = static_cast<int64_t>(problem.keep.size());
  if (layers != 1 && problem.layer >= layers)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the placement to keep has %d layers, layer %d is to be placed; "
        "expected as many, or one that holds for all",
        layers, problem.layer));
  const Placement &old = *problem.oldPlacement();
  if (old.numExperts() != problem.numExperts ||
      old.numChiplets != problem.numChiplets())
    return absl::InvalidArgumentError(absl::StrFormat(
        "the placement to keep is of %d experts on %d chiplets, %d on %d are "
        "to be placed",
        old.numExperts(), old.numChiplets, problem.numExperts,
        problem.numChiplets()));
  absl::Status status = old.verify();
  if (!status.ok())
    return absl::InvalidArgumentError(
        absl::StrFormat("the placement to keep is none: %s", status.message()));
  return status;
}

bool PlacementProblem::asksForMoreThanCapAndGroups() const {
  bool ofLevels =
      std::any_of(levels.begin(), levels.end(), [](const SwitchLevel &level) {
        return level.weight != 0 || level.loadCap != 0;
      });
  return groupLoadCap != 0 || chipletWeight != 1 || receiveWeight != 0 ||
         hopWeight != 0 || ofLevels || !expertBytes.empty() ||
         !speedOf.empty() || cost;
}

std::vector<int64_t> PlacementProblem::capacities() const {
  if (slotsOf.empty())
    return evenCapacities(numExperts, numChiplets());
  std::vector<int64_t> sizes(slotsOf.size(), 0);
  int64_t left = numExperts;
  for (int64_t size = 0; left > 0; ++size)
    for (size_t chiplet = 0; chiplet < sizes.size() && left > 0; ++chiplet)
      if (size < slotsOf[chiplet]) {
        ++sizes[chiplet];
        --left;
      }
  return sizes;
}

absl::Status PlacementProblem::verify() const {
  if (numExperts <= 0 || numExperts > Trace::kMaxExperts)
    return absl::InvalidArgumentError(
        absl::StrFormat("%d experts to place; expected 1 to %d", numExperts,
                        Trace::kMaxExperts));
  if (groupOf.empty())
    return absl::InvalidArgumentError(
        "no chiplets to place experts on; expected at least one");
  if (numChiplets() > numExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d chiplets for %d experts: some would hold none; use at most as many "
        "chiplets as experts",
        numChiplets(), numExperts));
  for (int64_t chiplet = 0; chiplet < numChiplets(); ++chiplet)
    if (groupOf[chiplet] < 0 || groupOf[chiplet] >= numChiplets())
      return absl::InvalidArgumentError(absl::StrFormat(
          "chiplet %d is in switch group %d; with %d chiplets groups are 0 to "
          "%d",
          chiplet, groupOf[chiplet], numChiplets(), numChiplets() - 1));
  absl::Status status = verifySearch(*this);
  if (status.ok())
    status = verifyReplicas(*this);
  if (status.ok())
    status = verifyKeep(*this);
  if (status.ok() && profile)
    status = verifyProfile(*this);
  return status;
}

std::vector<int64_t> mozart::evenCapacities(int64_t numExperts,
                                            int64_t numChiplets) {
  std::vector<int64_t> capacities(numChiplets, numExperts / numChiplets);
  for (int64_t i = 0; i < numExperts % numChiplets; ++i)
    ++capacities[i];
  return capacities;
}

Placement mozart::placementOf(absl::Span<const std::vector<int32_t>> clusters,
                              int64_t numExperts) {
  Placement placement;
  placement.numChiplets = static_cast<int64_t>(clusters.size());
  placement.chipletsOf.resize(numExperts);
  for (size_t chiplet = 0; chiplet < clusters.size(); ++chiplet)
    for (int32_t expert : clusters[chiplet])
      placement.chipletsOf[expert].push_back(static_cast<int32_t>(chiplet));
  return placement;
}

Placement mozart::placeInOrder(absl::Span<const int32_t> order,
                               absl::Span<const int64_t> capacities) {
  std::vector<std::vector<int32_t>> clusters;
  auto next = order.begin();
  for (int64_t capacity : capacities) {
    clusters.emplace_back(next, next + capacity);
    next += capacity;
  }
  return placementOf(clusters, order.size());
}

static const PlacementAlgorithm kAlgorithms[] = {
    {"contiguous", "experts in order, in even pieces", false, false,
     placeContiguous},
    {"random", "a seeded shuffle, in even pieces", false, false, placeRandom},
    {"algorithm1", "the paper's: clusters by co-activation", true, false,
     placeAlgorithm1},
    {"load", "heaviest first, to the least loaded chiplet", true, false,
     placeLoad, replicateLoad},
    {"search", "least C_T by swaps from several starts", true, true,
     placeSearch, replicateSearch},
};

absl::Span<const PlacementAlgorithm> PlacementAlgorithm::all() {
  return kAlgorithms;
}

absl::StatusOr<const PlacementAlgorithm *>
PlacementAlgorithm::find(absl::string_view name) {
  for (const PlacementAlgorithm &algorithm : all())
    if (algorithm.name == name)
      return &algorithm;
  std::string names = absl::StrJoin(
      all(), ", ", [](std::string *out, const PlacementAlgorithm &known) {
        out->append(known.name);
      });
  return absl::NotFoundError(absl::StrFormat(
      "no placement algorithm '%s'; there are %s", name, names));
}
