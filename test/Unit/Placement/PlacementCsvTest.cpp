//===- PlacementCsvTest.cpp - Tables of experts and chiplets, padding -----===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlacementIO.h"
#include "mozart/Support/AtomicFile.h"

#include "../Routing/Testing.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static absl::StatusOr<std::vector<Placement>>
parse(const std::string &text, int64_t experts = 0, int64_t chiplets = 0,
      bool allowReplicas = false) {
  PlacementReadOptions options;
  options.experts = experts;
  options.chiplets = chiplets;
  options.allowReplicas = allowReplicas;
  return parsePlacementsCsv(text, options);
}

static Placement placementOf(std::vector<std::vector<int32_t>> chipletsOf,
                             int64_t numChiplets) {
  Placement placement;
  placement.numChiplets = numChiplets;
  placement.chipletsOf = std::move(chipletsOf);
  return placement;
}

TEST(PlacementCsv, ReadsExpertsAndNodes) {
  auto placements = parse("Expert,Node\r\n0,1\r\n2,0\r\n1,1\r\n", 0, 3);
  ASSERT_TRUE(placements.ok()) << placements.status();
  ASSERT_EQ(placements->size(), 1u);
  EXPECT_EQ((*placements)[0].numChiplets, 3);
  EXPECT_THAT((*placements)[0].chipletsOf,
              ElementsAre(ElementsAre(1), ElementsAre(1), ElementsAre(0)));
  // Columns by name; chiplets by the table.
  placements = parse("node, expert, layer\n0,0,1\n1,0,0\n2,1,1\n0,1,0\n");
  ASSERT_TRUE(placements.ok()) << placements.status();
  ASSERT_EQ(placements->size(), 2u);
  EXPECT_EQ((*placements)[1].numChiplets, 3);
  EXPECT_THAT((*placements)[1].chipletsOf,
              ElementsAre(ElementsAre(0), ElementsAre(2)));
}

TEST(PlacementCsv, RoundTrips) {
  std::vector<Placement> one = {placementOf({{0, 2}, {1}, {2}}, 3)};
  std::string text = *printPlacementsCsv(one);
  EXPECT_EQ(text, "Expert,Node\n0,0\n0,2\n1,1\n2,2\n");
  auto back = parse(text, 3, 3, /*allowReplicas=*/true);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)[0].chipletsOf, one[0].chipletsOf);
  std::vector<Placement> two = {one[0], placementOf({{1}, {0}, {2}}, 3)};
  text = *printPlacementsCsv(two);
  EXPECT_THAT(text, HasSubstr("Layer,Expert,Node\n0,0,0\n0,0,2\n"));
  back = parse(text, 3, 3, /*allowReplicas=*/true);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)[1].chipletsOf, two[1].chipletsOf);
}

TEST(PlacementCsv, FilesGoByTheirNames) {
  std::string path = ::testing::TempDir() + "/placement.csv";
  std::vector<Placement> one = {placementOf({{0}, {1}}, 2)};
  ASSERT_TRUE(writePlacements(path, one).ok());
  EXPECT_EQ(*readFile(path), "Expert,Node\n0,0\n1,1\n");
  auto back = readPlacements(path, {2, 2, false});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)[0].chipletsOf, one[0].chipletsOf);
  expectInvalid(readPlacements(path, {3, 2, false}),
                {path, "layer 0 has no line for expert 2"});
  EXPECT_THAT(std::string(writePlacements(path, one, {true}).message()),
              HasSubstr("no places to pad"));
}

TEST(PlacementCsv, RejectsWhatIsNoTable) {
  expectInvalid(parse(""), {"line 1", "column ''"});
  expectInvalid(parse("Expert,Node\n"), {"no line with an expert"});
  expectInvalid(parse("Expert,Rank\n0,0\n"), {"column 'rank' is not known"});
  expectInvalid(parse("Expert,Expert\n0,0\n"), {"'expert' stands twice"});
  expectInvalid(parse("Layer,Expert\n0,0\n"), {"no column 'Node'"});
  expectInvalid(parse("Expert,Node\n0\n"), {"line 2", "1 fields, expected 2"});
  expectInvalid(parse("Expert,Node\n0,x\n"), {"line 2", "node 'x'"});
  expectInvalid(parse("Expert,Node\n-1,0\n"), {"expert '-1'"});
  expectInvalid(parse("Expert,Node\n4,0\n", 4), {"expert '4'", "[0, 4)"});
  expectInvalid(parse("Expert,Node\n0,2\n", 1, 2), {"node '2'", "[0, 2)"});
  expectInvalid(parse("Layer,Expert,Node\n9999999,0,0\n"), {"layer '9999999'"});
  expectInvalid(parse("Expert,Node\n0,0\n", -1), {"-1 experts"});
}

TEST(PlacementCsv, RejectsMissingAndDoubledExperts) {
  expectInvalid(parse("Expert,Node\n0,0\n2,1\n"),
                {"layer 0 has no line for expert 1"});
  expectInvalid(parse("Layer,Expert,Node\n1000000,1000000,0\n"),
                {"layer 0 has no line for expert 0"});
  expectInvalid(parse("Layer,Expert,Node\n0,0,0\n0,1,0\n1,0,1\n"),
                {"layer 1 has no line for expert 1"});
  expectInvalid(parse("Expert,Node\n0,0\n1,0\n0,1\n"),
                {"line 4", "expert 0 twice, on nodes 0 and 1"});
  expectInvalid(parse("Expert,Node\n0,0\n1,0\n0,0\n", 2, 1, true),
                {"line 4", "expert 0 on node 0 already"});
}

TEST(PlacementPadding, FillsChipletsThatHoldFewer) {
  std::vector<Placement> placements = {placementOf({{0}, {0, 1}, {0}, {1}}, 2),
                                       placementOf({{0}, {0}, {1}, {1}}, 2)};
  // Without, the counts of each layer are said.
  EXPECT_THAT(*printPlacements(placements), HasSubstr("experts_per_chiplet"));
  std::string text = *printPlacements(placements, {true});
  EXPECT_EQ(text, "{\n  \"physical_to_logical_map\": [\n"
                  "    [0, 1, 2, 1, 3, 1],\n    [0, 1, 0, 2, 3, 2]\n  ]\n}\n");
  auto back = parsePlacements(text, {4, 2, true});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)[0].chipletsOf, placements[0].chipletsOf);
  EXPECT_EQ((*back)[1].chipletsOf, placements[1].chipletsOf);
  EXPECT_THAT((*back)[1].remarks,
              ElementsAre(HasSubstr("layer 1: 2 places hold an expert")));
  expectInvalid(printPlacements({placementOf({{0}, {0}}, 2)}, {true}),
                {"chiplet 1 holds no expert to pad"});
}
