//===- PlacementCsv.cpp - Tables of experts and chiplets ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlacementIO.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

#include <algorithm>

using namespace mozart;

namespace {
/// One line of a table.
struct Row {
  int64_t line = 0, layer = 0, expert = 0, chiplet = 0;
};

/// Reads the rows of a table, then makes placements of them.
class Table {
public:
  explicit Table(const PlacementReadOptions &options) : options(options) {}

  absl::Status read(absl::string_view text);
  absl::StatusOr<std::vector<Placement>> placements();

private:
  /// Fails unless every layer has every expert.
  absl::Status checkComplete(int64_t layers, int64_t experts) const;
  absl::Status readHeader(absl::string_view line);
  absl::Status readRow(absl::string_view line, int64_t number);

  const PlacementReadOptions &options;
  /// Where the line holds each.
  int64_t layerColumn = -1, expertColumn = -1, chipletColumn = -1, columns = 0;
  std::vector<Row> rows;
};
} // namespace

absl::Status Table::readHeader(absl::string_view line) {
  std::vector<absl::string_view> names = absl::StrSplit(line, ',');
  columns = static_cast<int64_t>(names.size());
  for (int64_t i = 0; i < columns; ++i) {
    std::string name =
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(names[i]));
    int64_t *column = name == "layer"    ? &layerColumn
                      : name == "expert" ? &expertColumn
                      : name == "node"   ? &chipletColumn
                                         : nullptr;
    if (!column || *column >= 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "line 1: column '%s' %s; expected Expert,Node or Layer,Expert,Node",
          name, column ? "stands twice" : "is not known"));
    *column = i;
  }
  if (expertColumn < 0 || chipletColumn < 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "line 1: no column '%s'; expected Expert,Node or Layer,Expert,Node",
        expertColumn < 0 ? "Expert" : "Node"));
  return absl::OkStatus();
}

absl::Status Table::readRow(absl::string_view line, int64_t number) {
  std::vector<absl::string_view> fields = absl::StrSplit(line, ',');
  if (static_cast<int64_t>(fields.size()) != columns)
    return absl::InvalidArgumentError(absl::StrFormat(
        "line %d: %d fields, expected %d", number, fields.size(), columns));
  Row row;
  row.line = number;
  auto read = [&](int64_t column, const char *name, int64_t high,
                  int64_t &value) {
    if (absl::SimpleAtoi(fields[column], &value) && value >= 0 && value < high)
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat(
        "line %d: %s '%s'; expected an integer in [0, %d)", number, name,
        absl::StripAsciiWhitespace(fields[column]), high));
  };
  absl::Status status =
      read(expertColumn, "expert",
           options.experts ? options.experts : Trace::kMaxExperts, row.expert);
  if (status.ok())
    status = read(chipletColumn, "node",
                  options.chiplets ? options.chiplets : Trace::kMaxExperts,
                  row.chiplet);
  if (status.ok() && layerColumn >= 0)
    status = read(layerColumn, "layer", Trace::kMaxExperts, row.layer);
  if (status.ok())
    rows.push_back(row);
  return status;
}

absl::Status Table::read(absl::string_view text) {
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() && number > 1)
      continue;
    absl::Status status =
        number == 1 ? readHeader(line) : readRow(line, number);
    if (!status.ok())
      return status;
  }
  if (rows.empty())
    return absl::InvalidArgumentError("no line with an expert and its node");
  return absl::OkStatus();
}

/// Before memory is taken for all of them.
absl::Status Table::checkComplete(int64_t layers, int64_t experts) const {
  std::vector<std::pair<int64_t, int64_t>> found;
  for (const Row &row : rows)
    found.emplace_back(row.layer, row.expert);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::pair<int64_t, int64_t> next(0, 0);
  for (const auto &one : found) {
    if (one != next)
      break;
    next = next.second + 1 == experts ? std::pair(next.first + 1, int64_t(0))
                                      : std::pair(next.first, next.second + 1);
  }
  if (next.first == layers)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("layer %d has no line for expert %d; expected one for "
                      "each of %d experts of %d layers",
                      next.first, next.second, experts, layers));
}

absl::StatusOr<std::vector<Placement>> Table::placements() {
  // A number of chiplets or experts that is not given is that of the table.
  int64_t layers = 0, experts = options.experts, chiplets = options.chiplets;
  for (const Row &row : rows) {
    layers = std::max(layers, row.layer + 1);
    experts = std::max(experts, row.expert + 1);
    chiplets = std::max(chiplets, row.chiplet + 1);
  }
  absl::Status complete = checkComplete(layers, experts);
  if (!complete.ok())
    return complete;
  std::vector<Placement> placements(layers);
  for (Placement &placement : placements) {
    placement.numChiplets = chiplets;
    placement.chipletsOf.resize(experts);
  }
  for (const Row &row : rows) {
    std::vector<int32_t> &own = placements[row.layer].chipletsOf[row.expert];
    int32_t chiplet = static_cast<int32_t>(row.chiplet);
    auto place = std::lower_bound(own.begin(), own.end(), chiplet);
    if (place != own.end() && *place == chiplet)
      return absl::InvalidArgumentError(
          absl::StrFormat("line %d: layer %d has expert %d on node %d already",
                          row.line, row.layer, row.expert, row.chiplet));
    if (!own.empty() && !options.allowReplicas)
      return absl::InvalidArgumentError(absl::StrFormat(
          "line %d: layer %d has expert %d twice, on nodes %d and %d; replicas "
          "are not taken here",
          row.line, row.layer, row.expert, own[0], row.chiplet));
    own.insert(place, chiplet);
  }
  return placements;
}

absl::StatusOr<std::vector<Placement>>
mozart::parsePlacementsCsv(absl::string_view text,
                           const PlacementReadOptions &options) {
  if (options.experts < 0 || options.experts > Trace::kMaxExperts ||
      options.chiplets < 0 || options.chiplets > Trace::kMaxExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d experts on %d chiplets; expected 0 (not known) to %d of each",
        options.experts, options.chiplets, Trace::kMaxExperts));
  Table table(options);
  absl::Status status = table.read(text);
  if (!status.ok())
    return status;
  return table.placements();
}
