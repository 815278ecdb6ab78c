//===- TraceIOTest.cpp - Routing traces in files --------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Routing/TraceIO.h"

#include "Testing.h"
#include "mozart/Support/AtomicFile.h"
#include "proto/routing.pb.h"

#include <cstdio>

using namespace mozart;
using namespace mozart::testing;

static std::string temporary(const std::string &name) {
  return ::testing::TempDir() + "mozart-trace-io-" + name;
}

static absl::StatusOr<Trace> parseProto(const std::string &contents,
                                        int64_t experts = 0) {
  TraceReadOptions options;
  options.format = TraceFormat::Proto;
  options.experts = experts;
  return parseTrace(contents, options);
}

static RoutingTrace validMessage() {
  RoutingTrace message;
  message.set_experts(4);
  message.set_k(2);
  message.set_layers(1);
  message.set_tokens(2);
  for (int32_t id : {0, 3, 2, -1})
    message.add_ids(id);
  return message;
}

TEST(TraceIO, EveryFormRoundTripsThroughFiles) {
  Trace trace = makeTrace(2, 2, 2, 9, {0, 1, 8, 3, 4, -1, 6, 7});
  for (const char *ending :
       {".npy", ".jsonl", ".ndjson", ".pb", ".binpb", ".NPY"}) {
    std::string path = temporary(std::string("round") + ending);
    TraceWriteOptions writeOptions;
    writeOptions.sourceName = "caf\xe9"; // not UTF-8
    writeOptions.seed = ~uint64_t(0);
    ASSERT_TRUE(writeTrace(path, trace, writeOptions).ok());
    TraceReadOptions options;
    options.experts = 9;
    absl::StatusOr<Trace> back = readTrace(path, options);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->data(), trace.data());
    EXPECT_EQ(back->numLayers(), 2);
    EXPECT_EQ(back->numExperts(), 9);
    std::remove(path.c_str());
  }
}

TEST(TraceIO, SharedByLayersSurvives) {
  Trace trace = makeTrace(2, 1, 1, 3, {0, 2});
  trace.setSharedByLayers(true);
  for (TraceFormat format : {TraceFormat::Npy, TraceFormat::Proto}) {
    TraceWriteOptions writeOptions;
    writeOptions.format = format;
    absl::StatusOr<std::string> bytes = printTrace(trace, writeOptions);
    ASSERT_TRUE(bytes.ok());
    TraceReadOptions options;
    options.format = format;
    absl::StatusOr<Trace> back = parseTrace(*bytes, options);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(back->sharedByLayers());
  }
}

TEST(TraceIO, DetectsTheFormByEndingThenContents) {
  EXPECT_EQ(*detectTraceFormat("a.npy", "{"), TraceFormat::Npy);
  EXPECT_EQ(*detectTraceFormat("a.binpb", "{"), TraceFormat::Proto);
  EXPECT_EQ(*detectTraceFormat("a", "\x93NUMPY\x01"), TraceFormat::Npy);
  EXPECT_EQ(*detectTraceFormat("a.txt", "\n {\"type\""), TraceFormat::Jsonl);
  expectInvalid(detectTraceFormat("a.csv", "layer,expert"),
                {".npy", ".jsonl", ".pb"});
}

TEST(TraceIO, ErrorsNameTheFile) {
  std::string path = temporary("bad.npy");
  ASSERT_TRUE(writeFile(path, "not an array").ok());
  expectInvalid(readTrace(path), {path, "magic"});
  std::remove(path.c_str());
  absl::StatusOr<Trace> missing = readTrace(temporary("missing.npy"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(std::string(missing.status().message()),
              ::testing::HasSubstr("missing.npy"));
  Trace trace = makeTrace(1, 1, 1, 1, {0});
  absl::Status status = writeTrace(temporary("a.csv"), trace);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("a.csv"));
  EXPECT_FALSE(writeTrace(temporary("empty.npy"), Trace()).ok());
  EXPECT_FALSE(readFile(temporary("empty.npy")).ok());
}

TEST(TraceProto, ReadsAMessage) {
  absl::StatusOr<Trace> trace = parseProto(validMessage().SerializeAsString());
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_THAT(trace->data(), ::testing::ElementsAre(0, 3, 2, -1));
  EXPECT_EQ(trace->numExperts(), 4);
}

TEST(TraceProto, RejectsDamage) {
  std::string bytes = validMessage().SerializeAsString();
  expectInvalid(parseProto(bytes.substr(0, bytes.size() - 1)),
                {"mozart.RoutingTrace"});
  expectInvalid(parseProto(""), {"empty"});
  RoutingTrace message = validMessage();
  message.set_tokens(3);
  expectInvalid(parseProto(message.SerializeAsString()),
                {"needs 6 ids, found 4"});
  message = validMessage();
  message.set_shared_by_layers(true);
  message.set_layers(2);
  message.set_tokens(1);
  expectInvalid(parseProto(message.SerializeAsString()), {"shared_by_layers"});
}

TEST(TraceProto, RejectsAnotherModel) {
  RoutingTrace message = validMessage();
  expectInvalid(parseProto(message.SerializeAsString(), 8),
                {"over 4 experts, expected 8"});
  message.set_experts(3);
  expectInvalid(parseProto(message.SerializeAsString()), {"expert id 3"});
  message.set_experts(-3);
  expectInvalid(parseProto(message.SerializeAsString()), {"-3 experts"});
}

TEST(TraceProto, KeepsWhereItComesFrom) {
  Trace trace = makeTrace(1, 1, 1, 2, {1});
  TraceWriteOptions options;
  options.format = TraceFormat::Proto;
  options.sourceName = "toy";
  options.seed = 5;
  RoutingTrace message;
  ASSERT_TRUE(message.ParseFromString(*printTrace(trace, options)));
  EXPECT_EQ(message.source_name(), "toy");
  EXPECT_EQ(message.seed(), 5u);
}
