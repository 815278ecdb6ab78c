//===- Npy.cpp - NumPy's array file format --------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

using namespace mozart;

static constexpr absl::string_view kMagic("\x93NUMPY", 6);

uint64_t NpyArray::bits(int64_t index) const {
  const char *bytes = data.data() + index * bytesPerElement;
  uint64_t value = 0;
  for (int i = 0; i < bytesPerElement; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i]))
             << (8 * i);
  return value;
}

static absl::Status malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("bad .npy: %s", what));
}

namespace {
/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the Python literal that NumPy writes: a dictionary of exactly the
/// keys descr (a string), fortran_order (a boolean) and shape (a tuple).
class HeaderParser {
public:
  explicit HeaderParser(absl::string_view text) : rest(text) {}

  absl::StatusOr<Header> parse() {
    if (!consume("{"))
      return error("expected '{'");
    while (!consume("}")) {
      absl::Status status = parseEntry();
      if (!status.ok())
        return status;
      if (consume(","))
        continue;
      if (!consume("}"))
        return error("expected ',' or '}'");
      break;
    }
    skipSpace();
    if (!rest.empty())
      return error("expected the end of the header");
    if (!hasDescr || !hasOrder || !hasShape)
      return malformed("the header lacks 'descr', 'fortran_order' or 'shape'");
    return header;
  }

private:
  absl::Status error(absl::string_view what) const {
    return malformed(absl::StrFormat("%s in the header, found '%s'", what,
                                     absl::CHexEscape(rest.substr(0, 20))));
  }
  void skipSpace() { rest = absl::StripLeadingAsciiWhitespace(rest); }
  bool consume(absl::string_view token) {
    skipSpace();
    return absl::ConsumePrefix(&rest, token);
  }

  absl::StatusOr<std::string> parseString() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return error("expected a string");
    size_t end = rest.find(rest[0], 1);
    if (end == absl::string_view::npos)
      return error("a string without an end");
    std::string value(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return value;
  }

  absl::Status parseEntry() {
    absl::StatusOr<std::string> key = parseString();
    if (!key.ok())
      return key.status();
    if (!consume(":"))
      return error("expected ':'");
    bool &seen = *key == "descr"           ? hasDescr
                 : *key == "fortran_order" ? hasOrder
                                           : hasShape;
    if (*key != "descr" && *key != "fortran_order" && *key != "shape")
      return malformed(absl::StrFormat("unknown key '%s' in the header",
                                       absl::CHexEscape(*key)));
    if (seen)
      return malformed(absl::StrFormat("key '%s' twice in the header", *key));
    seen = true;
    if (&seen == &hasDescr)
      return parseDescr();
    return &seen == &hasOrder ? parseOrder() : parseShape();
  }

  absl::Status parseDescr() {
    skipSpace();
    if (absl::StartsWith(rest, "["))
      return malformed("the elements are records; expected an integer type");
    absl::StatusOr<std::string> value = parseString();
    if (value.ok())
      header.descr = *value;
    return value.status();
  }

  absl::Status parseOrder() {
    header.fortranOrder = consume("True");
    if (!header.fortranOrder && !consume("False"))
      return error("expected True or False");
    return absl::OkStatus();
  }

  absl::Status parseShape() {
    if (!consume("("))
      return error("expected '('");
    while (!consume(")")) {
      size_t digits = 0;
      while (digits < rest.size() && absl::ascii_isdigit(rest[digits]))
        ++digits;
      int64_t extent;
      if (!absl::SimpleAtoi(rest.substr(0, digits), &extent))
        return error("expected an extent that fits 64 bits");
      header.shape.push_back(extent);
      rest.remove_prefix(digits);
      consume("L"); // as Python 2 wrote it
      if (consume(","))
        continue;
      if (!consume(")"))
        return error("expected ',' or ')'");
      break;
    }
    return absl::OkStatus();
  }

  absl::string_view rest;
  Header header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

/// Splits the bytes into header text and elements.
static absl::Status splitFile(absl::string_view contents,
                              absl::string_view &header,
                              absl::string_view &data) {
  if (!absl::StartsWith(contents, kMagic))
    return malformed("it does not begin with the magic \\x93NUMPY");
  if (contents.size() < kMagic.size() + 2)
    return malformed("truncated before the version");
  int major = static_cast<unsigned char>(contents[6]);
  int minor = static_cast<unsigned char>(contents[7]);
  if (major < 1 || major > 3 || minor != 0)
    return malformed(absl::StrFormat(
        "format version %d.%d; expected 1.0, 2.0 or 3.0", major, minor));
  size_t lengthBytes = major == 1 ? 2 : 4;
  contents.remove_prefix(kMagic.size() + 2);
  if (contents.size() < lengthBytes)
    return malformed("truncated before the header's length");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(contents[i]))
              << (8 * i);
  contents.remove_prefix(lengthBytes);
  if (contents.size() < length)
    return malformed(
        absl::StrFormat("truncated in the header: %d of %d bytes are there",
                        contents.size(), length));
  header = contents.substr(0, length);
  data = contents.substr(length);
  return absl::OkStatus();
}

/// Reads NumPy's type string into the array.
static absl::Status setType(absl::string_view descr, NpyArray &array) {
  auto reject = [&](absl::string_view why) {
    return malformed(absl::StrFormat(
        "element type '%s' %s; expected a little-endian integer type, u1 to "
        "u8 or i1 to i8 (in NumPy: array.astype('<i4'))",
        absl::CHexEscape(descr), why));
  };
  if (descr.size() < 2)
    return reject("is unknown");
  char order = descr[0], kind = descr[1];
  absl::string_view size = descr.substr(2);
  if (kind == 'O')
    return reject("holds Python objects");
  if (kind == 'f' || kind == 'c')
    return reject("is a floating-point type");
  if (kind == 'b')
    return reject("is boolean");
  if (kind != 'i' && kind != 'u')
    return reject("is not an integer type");
  if (size != "1" && size != "2" && size != "4" && size != "8")
    return reject("has an unknown size");
  array.isSigned = kind == 'i';
  array.bytesPerElement = size[0] - '0';
  if (array.bytesPerElement == 1)
    return absl::OkStatus(); // one byte has no order
  if (order == '>')
    return reject("is big endian");
  if (order != '<')
    return reject("does not say its byte order");
  return absl::OkStatus();
}

absl::StatusOr<NpyArray> mozart::parseNpy(absl::string_view contents) {
  absl::string_view text, data;
  absl::Status status = splitFile(contents, text, data);
  if (!status.ok())
    return status;
  absl::StatusOr<Header> header = HeaderParser(text).parse();
  if (!header.ok())
    return header.status();
  NpyArray array;
  status = setType(header->descr, array);
  if (!status.ok())
    return status;
  if (header->fortranOrder)
    return malformed("the array is in Fortran order; expected C order (in "
                     "NumPy: numpy.ascontiguousarray(array))");
  int64_t bytes = array.bytesPerElement;
  for (int64_t extent : header->shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return malformed(
          absl::StrFormat("the size of shape (%s) overflows 64 bits",
                          absl::StrJoin(header->shape, ", ")));
  if (static_cast<uint64_t>(bytes) != data.size())
    return malformed(absl::StrFormat(
        "%s: shape (%s) of '%s' needs %d bytes of data, found %d",
        data.size() < static_cast<uint64_t>(bytes) ? "truncated"
                                                   : "trailing bytes",
        absl::StrJoin(header->shape, ", "), header->descr, bytes, data.size()));
  array.shape = header->shape;
  array.data = data;
  return array;
}

std::string mozart::printNpyHeader(absl::string_view descr,
                                   absl::Span<const int64_t> shape) {
  std::string text = absl::StrFormat(
      "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }", descr,
      absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : "");
  // NumPy pads with spaces so that the elements begin at a multiple of 64.
  size_t prefix = kMagic.size() + 2 + 2;
  size_t total = (prefix + text.size() + 1 + 63) / 64 * 64;
  text.append(total - prefix - text.size() - 1, ' ');
  text.push_back('\n');
  std::string out(kMagic);
  out.push_back(1);
  out.push_back(0);
  out.push_back(static_cast<char>(text.size() & 0xff));
  out.push_back(static_cast<char>(text.size() >> 8));
  return out + text;
}
