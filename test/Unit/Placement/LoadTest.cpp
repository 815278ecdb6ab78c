//===- LoadTest.cpp - Packing and replicating by load ---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/LoadBalance.h"
#include "mozart/Placement/Placement.h"

#include "../Routing/Testing.h"

#include <algorithm>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(PackByLoad, HeaviestFirstToTheLightest) {
  // 9 to 0; 7 to 1; 4 to 1 (11); 3 to 0 (12); 2 to 1, which is full then; the
  // last has no choice.
  EXPECT_THAT(packByLoad({4, 9, 2, 7, 1, 3}, {3, 3}),
              ElementsAre(ElementsAre(1, 5, 4), ElementsAre(3, 0, 2)));
}

TEST(PackByLoad, TiesGoToTheLowest) {
  EXPECT_THAT(
      packByLoad({1, 1, 1, 1, 1}, {2, 2, 1}),
      ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2)));
}

TEST(PackByLoad, OneEachStaysInOrder) {
  EXPECT_THAT(packByLoad({1, 3, 2}, {1, 1, 1}),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

// The example that is published with the algorithm.
TEST(ReplicateByLoad, PublishedExample) {
  ReplicaShape shape;
  shape.places = 16;
  shape.expertGroups = 4;
  shape.nodes = 2;
  shape.devices = 8;
  absl::StatusOr<ReplicaLayout> first = replicateByLoad(
      {90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86}, shape);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->expertOfPlace,
              ElementsAre(5, 6, 5, 7, 8, 4, 3, 4, 10, 9, 10, 2, 0, 1, 11, 1));
  EXPECT_THAT(first->replicasOf,
              ElementsAre(1, 2, 1, 1, 2, 2, 1, 1, 1, 1, 2, 1));
  absl::StatusOr<ReplicaLayout> second = replicateByLoad(
      {20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27}, shape);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(second->expertOfPlace,
              ElementsAre(7, 10, 6, 8, 6, 11, 8, 9, 2, 4, 5, 1, 5, 0, 3, 1));
}

TEST(ReplicateByLoad, WithoutHierarchyWhereNodesDoNotDivideGroups) {
  ReplicaShape shape;
  shape.places = 6;
  shape.devices = 2;
  ReplicaShape odd = shape;
  odd.nodes = 2;
  absl::StatusOr<ReplicaLayout> flat = replicateByLoad({8, 1, 4, 2}, shape);
  ASSERT_TRUE(flat.ok()) << flat.status();
  // A second replica for expert 0 (8), then for the first of 0 and 2 (4 each):
  // 0 has three of 8/3. Packed: 4, 8/3 x 3, 2, 1.
  EXPECT_THAT(flat->replicasOf, ElementsAre(3, 1, 1, 1));
  EXPECT_THAT(flat->expertOfPlace, ElementsAre(2, 0, 1, 0, 0, 3));
  EXPECT_EQ(replicateByLoad({8, 1, 4, 2}, odd)->expertOfPlace,
            flat->expertOfPlace);
}

TEST(ReplicateByLoad, SaysWhatIsWrong) {
  auto with = [](int64_t places, int64_t groups, int64_t nodes,
                 int64_t devices) {
    ReplicaShape shape;
    shape.places = places;
    shape.expertGroups = groups;
    shape.nodes = nodes;
    shape.devices = devices;
    return replicateByLoad({1, 2, 3, 4}, shape);
  };
  EXPECT_TRUE(with(8, 2, 2, 4).ok());
  expectInvalid(with(3, 1, 1, 1), {"3 places", "4 experts"});
  expectInvalid(with(8, 3, 1, 1), {"4 experts in 3 groups"});
  expectInvalid(with(8, 0, 1, 1), {"0 groups"});
  expectInvalid(with(8, 2, 2, 3), {"3 devices on 2 nodes"});
  expectInvalid(with(8, 2, 0, 4), {"0 nodes"});
  expectInvalid(with(10, 2, 2, 4), {"10 places on 4 devices"});
  expectInvalid(replicateByLoad({}, ReplicaShape()), {"0 experts"});
  ReplicaShape one;
  one.places = 1;
  expectInvalid(replicateByLoad({-1}, one), {"expert 0", "-1"});
}

TEST(Load, PacksByTheLayersLoad) {
  // Loads 3, 2, 2, 1, 0: 0 to chiplet 0; 1 and 2 to chiplet 1; 3 to chiplet 0
  // (3 of 4); 4 where there is room.
  Trace profile = makeTrace(4, 1, 2, 5, {0, 1, 0, 2, 0, 1, 2, 3});
  PlacementProblem problem;
  problem.numExperts = 5;
  problem.groupOf = {0, 0};
  problem.profile = &profile;
  const PlacementAlgorithm &load = **PlacementAlgorithm::find("load");
  EXPECT_TRUE(load.needsProfile);
  absl::StatusOr<Placement> placement = load.run(problem);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->expertsOf(),
              ElementsAre(ElementsAre(0, 3, 4), ElementsAre(1, 2)));
  problem.profile = nullptr;
  expectInvalid(load.run(problem), {"'load' needs a routing profile"});
}
