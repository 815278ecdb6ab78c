//===- TraceNpyTest.cpp - Routing traces as NumPy arrays ------------------===//
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

/// A file of the given version around a header and element bytes.
static std::string npy(const std::string &header, const std::string &data,
                       int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  int lengthBytes = version == 1 ? 2 : 4;
  for (int i = 0; i < lengthBytes; ++i)
    out += static_cast<char>(header.size() >> (8 * i));
  return out + header + data;
}

static std::string dict(const std::string &descr, const std::string &shape,
                        const std::string &order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

static absl::StatusOr<Trace> parse(const std::string &contents,
                                   int64_t experts = 0) {
  TraceReadOptions options;
  options.format = TraceFormat::Npy;
  options.experts = experts;
  return parseTrace(contents, options);
}

/// `values` as elements of `size` bytes.
static std::string elements(const std::vector<int64_t> &values, int size) {
  std::string out;
  for (int64_t value : values)
    for (int i = 0; i < size; ++i)
      out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return out;
}

TEST(TraceNpy, ReadsRankThree) {
  absl::StatusOr<Trace> trace =
      parse(npy(dict("'|u1'", "(1, 3, 2)"), {0, 1, 2, 3, 4, 5}));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->numTokens(), 1);
  EXPECT_EQ(trace->numLayers(), 3);
  EXPECT_EQ(trace->k(), 2);
  EXPECT_EQ(trace->numExperts(), 6);
  EXPECT_FALSE(trace->sharedByLayers());
  EXPECT_THAT(trace->set(0, 2), ElementsAre(4, 5));
}

TEST(TraceNpy, ReadsRankTwoAsSharedByLayers) {
  absl::StatusOr<Trace> trace =
      parse(npy(dict("'|u1'", "(3, 2)"), {0, 1, 2, 3, 4, 5}), 8);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->numTokens(), 3);
  EXPECT_EQ(trace->numLayers(), 1);
  EXPECT_EQ(trace->numExperts(), 8);
  EXPECT_TRUE(trace->sharedByLayers());
}

TEST(TraceNpy, ReadsEveryIntegerTypeAndVersion) {
  for (int version = 1; version <= 3; ++version) {
    for (int size : {1, 2, 4, 8}) {
      for (char kind : {'i', 'u'}) {
        std::string descr = std::string(size == 1 ? "'|" : "'<") + kind +
                            std::to_string(size) + "'";
        absl::StatusOr<Trace> trace =
            parse(npy(dict(descr, "(2, 1, 2)"), elements({5, -1, 100, 7}, size),
                      version));
        ASSERT_TRUE(trace.ok()) << descr << ": " << trace.status();
        EXPECT_THAT(trace->data(), ElementsAre(5, -1, 100, 7)) << descr;
        EXPECT_EQ(trace->numExperts(), 101);
      }
    }
  }
}

TEST(TraceNpy, AllOnesIsAnIdWhereTheModelHasIt) {
  std::string file = npy(dict("'|u1'", "(1, 2)"), {'\x07', '\xff'});
  absl::StatusOr<Trace> unknown = parse(file), small = parse(file, 255),
                        large = parse(file, 256);
  ASSERT_TRUE(unknown.ok() && small.ok() && large.ok());
  EXPECT_THAT(unknown->data(), ElementsAre(7, -1));
  EXPECT_EQ(unknown->numExperts(), 8);
  EXPECT_THAT(small->data(), ElementsAre(7, -1));
  EXPECT_THAT(large->data(), ElementsAre(7, 255));
}

TEST(TraceNpy, HeaderMayBeWrittenOtherwise) {
  std::string header = "{ \"shape\" :(1L,2L ,) , 'fortran_order':False,"
                       "\"descr\":'<i4'}   \n";
  absl::StatusOr<Trace> trace = parse(npy(header, elements({1, 0}, 4)));
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_THAT(trace->data(), ElementsAre(1, 0));
}

TEST(TraceNpy, OneByteTypesHaveNoOrder) {
  EXPECT_TRUE(parse(npy(dict("'>u1'", "(1, 1)"), {0})).ok());
}

TEST(TraceNpy, RejectsBadMagicAndVersion) {
  expectInvalid(parse("PK\x03\x04 an archive"), {"magic"});
  expectInvalid(parse(""), {"magic"});
  std::string file = npy(dict("'|u1'", "(1, 1)"), {0});
  file[6] = 4;
  expectInvalid(parse(file), {"version 4.0", "expected 1.0, 2.0 or 3.0"});
}

TEST(TraceNpy, RejectsEveryTruncation) {
  for (int version : {1, 2}) {
    std::string file =
        npy(dict("'<u2'", "(2, 1, 2)"), elements({0, 1, 2, 3}, 2), version);
    ASSERT_TRUE(parse(file).ok());
    for (size_t size = 6; size < file.size(); ++size)
      expectInvalid(parse(file.substr(0, size)), {"truncated"});
  }
}

TEST(TraceNpy, RejectsTrailingBytes) {
  expectInvalid(parse(npy(dict("'|u1'", "(1, 1)"), {0, 0})),
                {"trailing", "needs 1 bytes", "found 2"});
}

TEST(TraceNpy, RejectsFortranOrder) {
  expectInvalid(parse(npy(dict("'|u1'", "(1, 2)", "True"), {0, 1})),
                {"Fortran", "ascontiguousarray"});
}

TEST(TraceNpy, RejectsTypesThatAreNoIntegers) {
  auto withType = [](const std::string &descr) {
    return parse(npy(dict(descr, "(1, 1)"), elements({0}, 8)));
  };
  expectInvalid(withType("'|O'"), {"|O", "objects"});
  expectInvalid(withType("'<f8'"), {"<f8", "floating"});
  expectInvalid(withType("'<c8'"), {"floating"});
  expectInvalid(withType("'|b1'"), {"boolean"});
  expectInvalid(withType("'<U2'"), {"not an integer"});
  expectInvalid(withType("'<i16'"), {"size"});
  expectInvalid(withType("''"), {"unknown"});
  expectInvalid(withType("[('a', '<i4'), ('b', '<i4')]"), {"records"});
}

TEST(TraceNpy, RejectsOtherByteOrders) {
  expectInvalid(parse(npy(dict("'>i4'", "(1, 1)"), elements({0}, 4))),
                {">i4", "big endian", "astype"});
  expectInvalid(parse(npy(dict("'|i4'", "(1, 1)"), elements({0}, 4))),
                {"byte order"});
}

TEST(TraceNpy, RejectsOtherRanks) {
  expectInvalid(parse(npy(dict("'|u1'", "()"), {0})), {"rank 0"});
  expectInvalid(parse(npy(dict("'|u1'", "(1,)"), {0})), {"rank 1"});
  expectInvalid(parse(npy(dict("'|u1'", "(1, 1, 1, 1)"), {0})),
                {"(1, 1, 1, 1)", "rank 4", "[token, layer, k]"});
}

TEST(TraceNpy, RejectsShapesThatOverflow) {
  // The product is 0 modulo 2^64, which would match no data at all.
  expectInvalid(parse(npy(dict("'|u1'", "(4294967296, 4294967296, 1)"), "")),
                {"overflows"});
  expectInvalid(parse(npy(dict("'<i8'", "(4611686018427387904, 1)"), "")),
                {"overflows"});
  expectInvalid(parse(npy(dict("'|u1'", "(99999999999999999999, 1)"), "")),
                {"64 bits"});
}

TEST(TraceNpy, RejectsEmptyShapes) {
  expectInvalid(parse(npy(dict("'|u1'", "(0, 2, 3)"), "")), {"empty"});
  expectInvalid(parse(npy(dict("'|u1'", "(2, 0, 3)"), "")), {"0 layers"});
  expectInvalid(parse(npy(dict("'|u1'", "(2, 3, 0)"), "")), {"k = 0"});
}

TEST(TraceNpy, RejectsDamagedHeaders) {
  auto withHeader = [](const std::string &header) {
    return parse(npy(header, {0}));
  };
  expectInvalid(withHeader("'descr': '|u1'"), {"expected '{'"});
  expectInvalid(withHeader("{'descr': '|u1'"), {"','"});
  expectInvalid(withHeader("{'descr': '|u1}"), {"without an end"});
  expectInvalid(withHeader("{'descr' '|u1'}"), {"':'"});
  expectInvalid(withHeader("{'descr': '|u1'}"), {"lacks"});
  expectInvalid(withHeader(dict("'|u1'", "(1, 1)") + "x"), {"end"});
  expectInvalid(withHeader(dict("'|u1'", "(1, -1)")), {"extent"});
  expectInvalid(withHeader(dict("'|u1'", "[1, 1]")), {"'('"});
  expectInvalid(withHeader(dict("'|u1'", "(1 1)")), {"','"});
  expectInvalid(withHeader(dict("'|u1'", "(1, 1)", "1")), {"True or False"});
  expectInvalid(withHeader("{'descr': '|u1', 'descr': '|u1'}"), {"twice"});
  expectInvalid(withHeader("{'colour': '|u1'}"), {"unknown key"});
}

TEST(TraceNpy, RejectsIdsThatAreNone) {
  expectInvalid(parse(npy(dict("'<i8'", "(1, 2, 2)"),
                          elements({0, 1, 2, int64_t(1) << 32}, 8))),
                {"4294967296", "token 0, layer 1, slot 1"});
  expectInvalid(parse(npy(dict("'<i8'", "(1, 1)"), elements({-2}, 8))),
                {"expert id -2"});
  expectInvalid(parse(npy(dict("'<u8'", "(1, 1)"), elements({INT64_MIN}, 8))),
                {"9223372036854775808"});
  expectInvalid(parse(npy(dict("'|u1'", "(1, 2)"), {'\x03', '\xfe'}), 16),
                {"expert id 254", "[0, 16)"});
  expectInvalid(parse(npy(dict("'|u1'", "(1, 3)"), {0, 1, 2}), 2), {"k = 3"});
}

TEST(TraceNpy, RejectsPaddingAloneWithoutExperts) {
  std::string file = npy(dict("'|i1'", "(1, 1)"), "\xff");
  expectInvalid(parse(file), {"every slot is padding"});
  EXPECT_TRUE(parse(file, 4).ok());
  expectInvalid(parse(file, -4), {"-4 experts"});
}

TEST(TraceNpy, WritesTheNarrowestTypeWithRoomForPadding) {
  for (auto [experts, descr] : std::vector<std::pair<int64_t, std::string>>{
           {255, "|u1"}, {256, "<u2"}, {65535, "<u2"}, {65536, "<u4"}}) {
    int32_t last = experts - 1;
    Trace trace = makeTrace(2, 2, 2, experts, {0, last, -1, 1, 2, 1, last, -1});
    TraceWriteOptions options;
    options.format = TraceFormat::Npy;
    absl::StatusOr<std::string> file = printTrace(trace, options);
    ASSERT_TRUE(file.ok());
    EXPECT_THAT(*file, ::testing::HasSubstr("'" + descr + "'"));
    size_t headerEnd = file->find('\n') + 1;
    EXPECT_EQ(headerEnd % 64, 0u);
    absl::StatusOr<Trace> back = parse(*file);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->data(), trace.data());
    EXPECT_EQ(back->numExperts(), experts);
    EXPECT_EQ(back->numLayers(), 2);
  }
}
