//===- RouteTreeTest.cpp - The paths of an exchange as a tree -------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Machine/RouteTree.h"

#include "Machine/TestMachines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace mozart;
using namespace mozart::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

MachineModel make(MachineFacts facts) {
  absl::StatusOr<MachineModel> model = MachineModel::create(std::move(facts));
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok())
    std::abort();
  return *std::move(model);
}

constexpr auto kOutward = RouteTree::Direction::Outward;
constexpr auto kInward = RouteTree::Direction::Inward;

// Nodes: 0 root; switches 1, 2; chiplets 3, 4 below 1 and 5, 6 below 2.
TEST(RouteTree, HoldsOnlyThePathsToItsPeers) {
  MachineModel model = make(tree({2, 2}));
  RouteTree routes(model, 0, {5, 3, 4}, kOutward);
  EXPECT_THAT(routes.children(0), ElementsAre(1, 2));
  EXPECT_THAT(routes.children(1), ElementsAre(3, 4));
  EXPECT_THAT(routes.children(2), ElementsAre(5));
  EXPECT_THAT(routes.children(5), IsEmpty());
  EXPECT_TRUE(routes.isPeer(5));
  EXPECT_FALSE(routes.isPeer(2));
}

TEST(RouteTree, BranchesWherePathsPartBelowTheRoot) {
  MachineModel model = make(tree({2, 2}));
  EXPECT_THAT(RouteTree(model, 0, {3, 4, 5}, kOutward).branches(),
              ElementsAre(1));
  EXPECT_THAT(RouteTree(model, 0, {3, 4, 5, 6}, kInward).branches(),
              ElementsAre(1, 2));
  EXPECT_THAT(RouteTree(model, 0, {3, 5}, kOutward).branches(), IsEmpty());
}

TEST(RouteTree, HangsFromAnyRoot) {
  MachineModel model = make(tree({2, 2}));
  RouteTree routes(model, 3, {4, 5, 6}, kInward);
  EXPECT_THAT(routes.children(3), ElementsAre(1));
  EXPECT_THAT(routes.children(1), ElementsAre(0, 4));
  EXPECT_THAT(routes.children(0), ElementsAre(2));
  EXPECT_THAT(routes.branches(), ElementsAre(1, 2));
}

// 0 1 2
// 3 4 5   steps go to the lowest neighbour that is closer: 0 to 5 by 1 and 2,
//         5 to 0 by 2 and 1, 4 to 0 by 1.
TEST(RouteTree, BranchesAtPeersOnTheWay) {
  MachineModel model = make(mesh(3, 2));
  RouteTree routes(model, 0, {1, 4, 5}, kInward);
  EXPECT_THAT(routes.children(0), ElementsAre(1));
  EXPECT_THAT(routes.children(1), ElementsAre(2, 4));
  EXPECT_THAT(routes.children(2), ElementsAre(5));
  EXPECT_THAT(routes.branches(), ElementsAre(1));
  EXPECT_THAT(RouteTree(model, 0, {1, 2}, kOutward).branches(), ElementsAre(1));
}

TEST(RouteTree, MayHaveItsRootAmongItsPeers) {
  MachineModel model = make(mesh(3, 1));
  RouteTree routes(model, 0, {0, 2}, kOutward);
  EXPECT_TRUE(routes.isPeer(0));
  EXPECT_THAT(routes.children(0), ElementsAre(1));
  EXPECT_THAT(routes.branches(), IsEmpty());
}

} // namespace
