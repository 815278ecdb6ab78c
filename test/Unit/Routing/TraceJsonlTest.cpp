//===- TraceJsonlTest.cpp - Routing traces as lines of JSON ---------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/TraceIO.h"

#include "Testing.h"

using namespace mozart;
using namespace mozart::testing;
using ::testing::ElementsAre;

static absl::StatusOr<Trace> parse(const std::string &contents,
                                   int64_t experts = 0) {
  TraceReadOptions options;
  options.format = TraceFormat::Jsonl;
  options.experts = experts;
  return parseTrace(contents, options);
}

static std::string route(const std::string &request, int64_t token,
                         int64_t layer, const std::string &ids) {
  return "{\"type\":\"route\",\"req_id\":" + request +
         ",\"token_idx\":" + std::to_string(token) +
         ",\"layer\":" + std::to_string(layer) + ",\"topk_ids\":" + ids +
         ",\"topk_weights\":[0.75,0.25]}\n";
}

static std::string batch(const std::string &id, int64_t layer,
                         const std::string &sets,
                         const std::string &more = "") {
  return "{\"layer\":" + std::to_string(layer) + ",\"batch_id\":" + id +
         ",\"topk_experts\":" + sets + more + "}\n";
}

TEST(TraceJsonl, ReadsRoutesInAnyOrder) {
  // Layers 3 and 9 become 0 and 1; request "b" came first.
  absl::StatusOr<Trace> trace = parse(
      "{\"type\":\"meta\",\"model\":\"m\",\"top_k\":2,\"num_experts\":12}\n" +
      route("\"b\"", 8, 9, "[4,5]") + route("\"a\"", 0, 3, "[0,1]") + "\n" +
      route("\"b\"", 7, 3, "[6,7]") + route("\"b\"", 7, 9, "[8,9]") +
      route("\"a\"", 0, 9, "[2,3]") + route("\"b\"", 8, 3, "[10,11]"));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->numTokens(), 3);
  EXPECT_EQ(trace->numLayers(), 2);
  EXPECT_EQ(trace->k(), 2);
  EXPECT_EQ(trace->numExperts(), 12);
  EXPECT_THAT(trace->data(), ElementsAre(6, 7, 8, 9, 10, 11, 4, 5, 0, 1, 2, 3));
}

TEST(TraceJsonl, MetaIsOptional) {
  absl::StatusOr<Trace> trace = parse(route("1", 0, 0, "[4,-1]"));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->numExperts(), 5);
  EXPECT_THAT(trace->data(), ElementsAre(4, -1));
}

TEST(TraceJsonl, ReadsBatches) {
  absl::StatusOr<Trace> trace = parse(
      batch("7", 0, "[[0,1],[2,3]]", ",\"origin_rows\":[0,0]") +
      batch("7", 1, "[[4,5],[6,7]]",
            ",\"topk_weights\":[[0.5,0.5],[0.5,0.5]],\"request_id\":\"r\"") +
      batch("5", 1, "[[1,0]]") + batch("5", 0, "[[3,2]]"));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->numTokens(), 3);
  EXPECT_THAT(trace->data(), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 3, 2, 1, 0));
}

TEST(TraceJsonl, RejectsLinesThatAreNoRecords) {
  expectInvalid(parse(route("1", 0, 0, "[0,1]") + "{\"type\":\"rou"),
                {"line 2", "not a JSON object"});
  expectInvalid(parse("[1]\n"), {"line 1", "not a JSON object"});
  expectInvalid(parse("{\"a\":1}\n"), {"line 1", "expected"});
  expectInvalid(parse("{\"type\":\"end\"}\n"), {"line 1", "expected"});
  expectInvalid(parse("{\"type\":3}\n"), {"line 1", "expected"});
}

TEST(TraceJsonl, RejectsEmpty) {
  expectInvalid(parse(""), {"empty"});
  expectInvalid(parse("{\"type\":\"meta\",\"top_k\":2}\n"), {"empty"});
  expectInvalid(parse(batch("1", 0, "[]")), {"empty"});
}

TEST(TraceJsonl, RejectsFieldsOfAnotherKind) {
  expectInvalid(parse("{\"type\":\"route\"}\n"), {"'req_id' is missing"});
  expectInvalid(parse(route("[1]", 0, 0, "[0,1]")), {"'req_id'", "string"});
  expectInvalid(parse(route("1", -1, 0, "[0,1]")), {"'token_idx'"});
  expectInvalid(parse("{\"type\":\"route\",\"req_id\":1,\"token_idx\":0,"
                      "\"layer\":0.5,\"topk_ids\":[0]}"),
                {"'layer'"});
  expectInvalid(parse("{\"type\":\"route\",\"req_id\":1,\"token_idx\":0,"
                      "\"layer\":18446744073709551615,\"topk_ids\":[0]}"),
                {"'layer'"});
  expectInvalid(parse("{\"type\":\"route\",\"req_id\":1,\"token_idx\":0,"
                      "\"layer\":0}"),
                {"'topk_ids' is missing"});
  expectInvalid(parse(route("1", 0, 0, "3")), {"not a list"});
  expectInvalid(parse(route("1", 0, 0, "[]")), {"not a list"});
  expectInvalid(parse(route("1", 0, 0, "[0,\"1\"]")), {"expert id"});
  expectInvalid(parse(route("1", 0, 0, "[0,-2]")), {"expert id"});
  expectInvalid(parse(route("1", 0, 0, "[0,4294967296]")), {"expert id"});
  expectInvalid(parse("{\"type\":\"meta\",\"top_k\":\"2\"}"), {"'top_k'"});
  expectInvalid(parse("{\"type\":\"meta\",\"top_k\":0}"), {"'top_k' is 0"});
  expectInvalid(parse(batch("1", 0, "3")), {"list of lists"});
  expectInvalid(parse(batch("1", 0, "[3]")), {"not a list"});
  expectInvalid(parse(batch("1", 0, "[[0]]", ",\"origin_rows\":[0,0]")),
                {"differ in length"});
}

TEST(TraceJsonl, RejectsSetsOfAnotherSize) {
  expectInvalid(
      parse("{\"type\":\"meta\",\"top_k\":3}\n" + route("1", 0, 0, "[0,1]")),
      {"line 2", "2 ids, expected k = 3"});
  expectInvalid(parse(route("1", 0, 0, "[0,1]") + route("1", 1, 0, "[0]")),
                {"line 2", "1 ids, expected k = 2"});
}

TEST(TraceJsonl, RejectsMissingAndRepeatedLayers) {
  std::string start = route("1", 0, 0, "[0,1]") + route("1", 0, 1, "[0,1]");
  expectInvalid(parse(start + route("1", 4, 1, "[0,1]")),
                {"token 4 of request 1 has no layer 0"});
  expectInvalid(parse(start + route("1", 4, 0, "[0,1]")),
                {"token 4 of request 1 has no layer 1"});
  expectInvalid(
      parse(start + route("1", 4, 1, "[0,1]") + route("1", 5, 0, "[0,1]")),
      {"token 4 of request 1 has no layer 0"});
  expectInvalid(parse(start + route("1", 0, 1, "[0,1]")),
                {"line 3", "layer 1 already, in line 2"});
}

TEST(TraceJsonl, RejectsMixedSpellingsAndLateMeta) {
  expectInvalid(parse(route("1", 0, 0, "[0,1]") + batch("1", 0, "[[0,1]]")),
                {"line 2", "in one file"});
  expectInvalid(parse(route("1", 0, 0, "[0,1]") + "{\"type\":\"meta\"}"),
                {"line 2", "meta"});
  expectInvalid(parse("{\"type\":\"meta\"}\n{\"type\":\"meta\"}"),
                {"line 2", "meta"});
}

TEST(TraceJsonl, RejectsAnotherModel) {
  std::string meta = "{\"type\":\"meta\",\"num_experts\":4}\n";
  expectInvalid(parse(meta + route("1", 0, 0, "[0,1]"), 8),
                {"over 4 experts, expected 8"});
  expectInvalid(parse(meta + route("1", 0, 0, "[0,4]")), {"expert id 4"});
}

TEST(TraceJsonl, RoundTrips) {
  Trace trace = makeTrace(3, 2, 2, 9, {0, 1, 2, 3, 4, -1, 6, 7, 1, 0, 3, 2});
  TraceWriteOptions options;
  options.format = TraceFormat::Jsonl;
  absl::StatusOr<std::string> text = printTrace(trace, options);
  ASSERT_TRUE(text.ok());
  absl::StatusOr<Trace> back = parse(*text);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->data(), trace.data());
  EXPECT_EQ(back->numExperts(), 9);
  EXPECT_EQ(back->numLayers(), 2);
}
