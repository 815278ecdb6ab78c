//===- TextTable.h - Aligned text with readable units -------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_TEXTTABLE_H
#define MOZART_LIB_SIM_TEXTTABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

/// "306.978 ms": three decimals, in the largest unit of which there is one.
std::string durationText(int64_t ps);

/// "144.96 MB": two decimals, in the largest power of 1000 of which there is
/// one; whole below 1 kB.
std::string bytesText(int64_t bytes);

/// "65.2 %" of `whole`; "-" of nothing.
std::string shareText(int64_t part, int64_t whole);

/// "6.66".
std::string numberText(double value);

/// Rows of cells, of which the last columns of a row may be missing.
class TextTable {
public:
  /// Titles; a column whose title begins with '<' is aligned to the left.
  explicit TextTable(std::vector<std::string> titles);

  void add(std::vector<std::string> cells);

  /// Every row indented by two, columns two apart, no spaces at ends.
  std::string text() const;

private:
  std::vector<bool> isLeft;
  std::vector<std::vector<std::string>> rows;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_TEXTTABLE_H
