//===- TextTable.cpp - Aligned text with readable units -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "AsciiText.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <utility>

using namespace mozart;

/// `value` in units of `unit`, with `decimals` decimals, rounded to the
/// nearest.
static std::string decimal(int64_t value, int64_t unit, int decimals) {
  int64_t scale = 1;
  for (int i = 0; i < decimals; ++i)
    scale *= 10;
  __int128 scaled = (static_cast<__int128>(value) * scale + unit / 2) / unit;
  return absl::StrFormat("%d.%0*d", static_cast<int64_t>(scaled / scale),
                         decimals, static_cast<int64_t>(scaled % scale));
}

std::string mozart::durationText(int64_t ps) {
  for (auto [name, unit] :
       {std::pair("s", int64_t(1000000000000)),
        std::pair("ms", int64_t(1000000000)), std::pair("us", int64_t(1000000)),
        std::pair("ns", int64_t(1000))})
    if (ps >= unit)
      return absl::StrCat(decimal(ps, unit, 3), " ", name);
  return absl::StrCat(ps, " ps");
}

std::string mozart::bytesText(int64_t bytes) {
  for (auto [name, unit] :
       {std::pair("TB", int64_t(1000000000000)),
        std::pair("GB", int64_t(1000000000)), std::pair("MB", int64_t(1000000)),
        std::pair("kB", int64_t(1000))})
    if (bytes >= unit)
      return absl::StrCat(decimal(bytes, unit, 2), " ", name);
  return absl::StrCat(bytes, " B");
}

std::string mozart::shareText(int64_t part, int64_t whole) {
  if (whole == 0)
    return "-";
  return absl::StrFormat("%.1f %%", 100 * static_cast<double>(part) /
                                        static_cast<double>(whole));
}

std::string mozart::numberText(double value) {
  return absl::StrFormat("%.2f", value);
}

TextTable::TextTable(std::vector<std::string> titles) {
  for (std::string &title : titles) {
    isLeft.push_back(!title.empty() && title[0] == '<');
    if (isLeft.back())
      title.erase(0, 1);
  }
  rows.push_back(std::move(titles));
}

void TextTable::add(std::vector<std::string> cells) {
  for (std::string &cell : cells)
    cell = asciiText(cell);
  rows.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<size_t> widths(isLeft.size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string pad(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&line, "  ", isLeft[i] ? row[i] + pad : pad + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}
