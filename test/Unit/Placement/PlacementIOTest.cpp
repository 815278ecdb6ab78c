//===- PlacementIOTest.cpp - Placements in files --------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlacementIO.h"

#include "../Routing/Testing.h"
#include "mozart/Support/AtomicFile.h"

#include <cstdio>

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

static absl::StatusOr<std::vector<Placement>>
parse(const std::string &text, int64_t experts = 4, int64_t chiplets = 2,
      bool allowReplicas = false) {
  PlacementReadOptions options;
  options.experts = experts;
  options.chiplets = chiplets;
  options.allowReplicas = allowReplicas;
  return parsePlacements(text, options);
}

static std::string withMap(const std::string &map,
                           const std::string &more = "") {
  return "{\"physical_to_logical_map\": " + map + more + "}";
}

TEST(PlacementIO, ReadsChipletAfterChiplet) {
  absl::StatusOr<std::vector<Placement>> placements =
      parse(withMap("[[3,0,2,1],[0,1,2,3]]"));
  ASSERT_TRUE(placements.ok()) << placements.status();
  ASSERT_EQ(placements->size(), 2u);
  EXPECT_THAT((*placements)[0].expertsOf(),
              ElementsAre(ElementsAre(0, 3), ElementsAre(1, 2)));
  EXPECT_THAT((*placements)[1].expertsOf(),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(PlacementIO, WritesOnlyTheMapWhereEven) {
  std::string text = "{\n  \"physical_to_logical_map\": [\n    [0, 3, 1, 2],\n"
                     "    [0, 1, 2, 3]\n  ]\n}\n";
  absl::StatusOr<std::vector<Placement>> placements = parse(text);
  ASSERT_TRUE(placements.ok()) << placements.status();
  EXPECT_EQ(*printPlacements(*placements), text);
}

TEST(PlacementIO, UnevenRoundTripsWithoutOptions) {
  Placement first, second;
  first.numChiplets = second.numChiplets = 3;
  first.chipletsOf = {{1}, {0}, {2}, {1}, {1}};
  second.chipletsOf = {{0}, {0}, {0}, {1}, {2}};
  std::vector<Placement> placements = {first, second};
  absl::StatusOr<std::string> text = printPlacements(placements);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("[1, 0, 3, 4, 2]"));
  EXPECT_THAT(*text, HasSubstr("\"experts_per_chiplet\": [\n    [1, 3, 1],\n"
                               "    [3, 1, 1]\n"));
  absl::StatusOr<std::vector<Placement>> back = parse(*text, 0, 0);
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ((*back)[0].chipletsOf, first.chipletsOf);
  EXPECT_EQ((*back)[1].chipletsOf, second.chipletsOf);
}

TEST(PlacementIO, ReplicasOnlyWhereAllowed) {
  std::string text = withMap("[[0,1,2,0]]");
  expectInvalid(parse(text, 3),
                {"layer 0", "expert 0 stands twice", "chiplets 0 and 1"});
  absl::StatusOr<std::vector<Placement>> placements = parse(text, 3, 2, true);
  ASSERT_TRUE(placements.ok()) << placements.status();
  EXPECT_THAT((*placements)[0].chipletsOf[0], ElementsAre(0, 1));
  EXPECT_EQ(*printPlacements(*placements),
            "{\n  \"physical_to_logical_map\": [\n    [0, 1, 0, 2]\n  ]\n}\n");
  // Twice on one chiplet is once, and said.
  placements = parse(withMap("[[0,0,1,2]]"), 3, 2, true);
  ASSERT_TRUE(placements.ok()) << placements.status();
  EXPECT_THAT((*placements)[0].chipletsOf[0], ElementsAre(0));
  EXPECT_EQ((*placements)[0].remarks.size(), 1u);
  expectInvalid(parse(withMap("[[0,0,1,2]]"), 3, 2),
                {"expert 0 stands twice", "chiplets 0 and 0"});
}

TEST(PlacementIO, RejectsMissingAndUnknownExperts) {
  expectInvalid(parse(withMap("[[0,1,2,3],[0,1,2,4]]")),
                {"layer 1", "place 3", "expert 4"});
  expectInvalid(parse(withMap("[[0,1,2,3]]"), 5),
                {"layer 0", "expert 4 without a chiplet"});
  expectInvalid(parse(withMap("[[0,1,2,4]]"), 0),
                {"expert 3 without a chiplet"});
}

TEST(PlacementIO, RejectsPlacesThatDoNotDivide) {
  expectInvalid(parse(withMap("[[0,1,2]]"), 3, 2),
                {"3 places", "2 chiplets", "experts_per_chiplet"});
  expectInvalid(parse(withMap("[[0,1,2]]"), 3, 0), {"must be given"});
}

TEST(PlacementIO, RejectsCountsThatDoNotFit) {
  auto withCounts = [](const std::string &counts, int64_t chiplets = 2) {
    return parse(
        withMap("[[0,1,2],[0,1,2]]", ", \"experts_per_chiplet\": " + counts), 3,
        chiplets);
  };
  EXPECT_TRUE(withCounts("[[1,2],[2,1]]").ok());
  EXPECT_TRUE(withCounts("[[0,3],[2,1]]", 0).ok());
  expectInvalid(withCounts("[[1,2]]"), {"1 layers", "has 2"});
  expectInvalid(withCounts("[[1,2],[2,2]]"), {"layer 1", "hold 4", "3 places"});
  expectInvalid(withCounts("[[1,2],[1,1,1]]", 0),
                {"layer 1", "3 chiplets, expected 2"});
  expectInvalid(withCounts("[[1,1,1],[1,1,1]]"), {"3 chiplets, expected 2"});
  expectInvalid(withCounts("[[1,2],[-1,4]]"), {"layer 1, place 0"});
  expectInvalid(withCounts("3"), {"experts_per_chiplet"});
}

TEST(PlacementIO, RejectsWhatIsNoPlacement) {
  expectInvalid(parse(""), {"not a JSON object"});
  expectInvalid(parse("{\"physical_to_logical_map\": [[0,1"),
                {"not a JSON object"});
  expectInvalid(parse("[]"), {"not a JSON object"});
  expectInvalid(parse("{}"), {"'physical_to_logical_map' is missing"});
  expectInvalid(parse(withMap("{}")), {"one list for each layer"});
  expectInvalid(parse(withMap("[]")), {"one list for each layer"});
  expectInvalid(parse(withMap("[3]")), {"layer 0", "list of integers"});
  expectInvalid(parse(withMap("[[]]")), {"layer 0", "list of integers"});
  for (const char *element :
       {"1.5", "-1", "\"1\"", "null", "1e3", "18446744073709551615", "1048576"})
    expectInvalid(parse(withMap(std::string("[[0,") + element + "]]")),
                  {"layer 0, place 1"});
  expectInvalid(parse(withMap("[[0]]"), -1), {"-1 experts"});
  expectInvalid(parse(withMap("[[0]]"), 1, int64_t(1) << 40), {"chiplets"});
}

TEST(PlacementIO, FilesNameThemselvesInErrors) {
  std::string path = ::testing::TempDir() + "mozart-placement-io.json";
  std::vector<Placement> placements = *parse(withMap("[[3,0,2,1]]"));
  ASSERT_TRUE(writePlacements(path, placements).ok());
  PlacementReadOptions options;
  options.chiplets = 2;
  absl::StatusOr<std::vector<Placement>> back = readPlacements(path, options);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)[0].chipletsOf, placements[0].chipletsOf);
  options.experts = 9;
  expectInvalid(readPlacements(path, options), {path, "expert 4"});
  std::remove(path.c_str());
  EXPECT_FALSE(readPlacements(path, options).ok());
}

TEST(PlacementIO, DoesNotWriteWhatItWouldNotRead) {
  Placement two = (*parse(withMap("[[3,0,2,1]]")))[0], three, broken = two;
  three.numChiplets = 3;
  three.chipletsOf = {{0}, {1}, {2}};
  broken.chipletsOf[1].clear();
  expectInvalid(printPlacements({}), {"no placement"});
  expectInvalid(printPlacements({two, broken}), {"layer 1", "expert 1"});
  expectInvalid(printPlacements({two, three}), {"layer 1", "3 chiplets"});
}
