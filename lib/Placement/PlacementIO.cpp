//===- PlacementIO.cpp - Placements in files ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/PlacementIO.h"

#include "mozart/Support/AtomicFile.h"
#include "mozart/Support/JsonInteger.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <numeric>

using namespace mozart;
using nlohmann::json;

/// [layers][n], of integers in [0, high].
using Table = std::vector<std::vector<int64_t>>;

static constexpr const char *kMapKey = "physical_to_logical_map";
static constexpr const char *kCountsKey = "experts_per_chiplet";

static absl::StatusOr<Table> readTable(const json &value, const char *key,
                                       int64_t high) {
  if (!value.is_array() || value.empty())
    return absl::InvalidArgumentError(absl::StrFormat(
        "'%s' is not a list with one list for each layer", key));
  Table table;
  for (size_t layer = 0; layer < value.size(); ++layer) {
    const json &row = value[layer];
    if (!row.is_array() || row.empty())
      return absl::InvalidArgumentError(absl::StrFormat(
          "'%s', layer %d: not a list of integers", key, layer));
    table.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      int64_t element;
      if (!readJsonInteger(row[i], element) || element < 0 || element > high)
        return absl::InvalidArgumentError(
            absl::StrFormat("'%s', layer %d, place %d: expected an integer in "
                            "[0, %d]",
                            key, layer, i, high));
      table.back().push_back(element);
    }
  }
  return table;
}

/// How many places each chiplet has in each layer, from the file where it says
/// so, else equally many.
static absl::StatusOr<Table> readCounts(const json &object, const Table &map,
                                        int64_t chiplets) {
  auto field = object.find(kCountsKey);
  if (field != object.end()) {
    absl::StatusOr<Table> counts =
        readTable(*field, kCountsKey, Trace::kMaxExperts);
    if (!counts.ok())
      return counts;
    if (counts->size() != map.size())
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s' has %d layers, '%s' has %d", kCountsKey,
                          counts->size(), kMapKey, map.size()));
    return counts;
  }
  if (chiplets == 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "there is no '%s', so that the number of chiplets must be given",
        kCountsKey));
  Table counts;
  for (size_t layer = 0; layer < map.size(); ++layer) {
    int64_t places = static_cast<int64_t>(map[layer].size());
    if (places % chiplets != 0)
      return absl::InvalidArgumentError(absl::StrFormat(
          "layer %d: %d places do not divide by %d chiplets; say in '%s' how "
          "many each holds",
          layer, places, chiplets, kCountsKey));
    counts.emplace_back(chiplets, places / chiplets);
  }
  return counts;
}

/// Fails unless the counts of a layer cover its places.
static absl::Status checkCounts(const Table &map, const Table &counts,
                                int64_t chiplets) {
  for (size_t layer = 0; layer < map.size(); ++layer) {
    int64_t here = static_cast<int64_t>(counts[layer].size());
    int64_t expected =
        chiplets != 0 ? chiplets : static_cast<int64_t>(counts[0].size());
    if (here != expected)
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s', layer %d: %d chiplets, expected %d",
                          kCountsKey, layer, here, expected));
    int64_t sum =
        std::accumulate(counts[layer].begin(), counts[layer].end(), int64_t(0));
    if (sum != static_cast<int64_t>(map[layer].size()))
      return absl::InvalidArgumentError(absl::StrFormat(
          "'%s', layer %d: the chiplets hold %d experts, '%s' has %d places",
          kCountsKey, layer, sum, kMapKey, map[layer].size()));
  }
  return absl::OkStatus();
}

static absl::StatusOr<Placement> readLayer(absl::Span<const int64_t> experts,
                                           absl::Span<const int64_t> counts,
                                           int64_t numExperts,
                                           bool allowReplicas) {
  Placement placement;
  placement.numChiplets = static_cast<int64_t>(counts.size());
  placement.chipletsOf.resize(numExperts);
  size_t place = 0;
  int64_t doubled = 0;
  for (int64_t chiplet = 0; chiplet < placement.numChiplets; ++chiplet) {
    for (int64_t i = 0; i < counts[chiplet]; ++i, ++place) {
      int64_t expert = experts[place];
      if (expert >= numExperts)
        return absl::InvalidArgumentError(
            absl::StrFormat("place %d holds expert %d; experts are 0 to %d",
                            place, expert, numExperts - 1));
      std::vector<int32_t> &chiplets = placement.chipletsOf[expert];
      if (allowReplicas && !chiplets.empty() && chiplets.back() == chiplet) {
        ++doubled;
        continue;
      }
      if (!chiplets.empty() && !allowReplicas)
        return absl::InvalidArgumentError(absl::StrFormat(
            "expert %d stands twice, on chiplets %d and %d; replicas are not "
            "taken here",
            expert, chiplets.back(), chiplet));
      chiplets.push_back(static_cast<int32_t>(chiplet));
    }
  }
  if (doubled > 0)
    placement.remarks.push_back(absl::StrFormat(
        "%d places hold an expert that their chiplet holds already; each "
        "counts once on a chiplet",
        doubled));
  absl::Status status = placement.verify();
  if (!status.ok())
    return status;
  return placement;
}

absl::StatusOr<std::vector<Placement>>
mozart::parsePlacements(absl::string_view text,
                        const PlacementReadOptions &options) {
  if (options.experts < 0 || options.experts > Trace::kMaxExperts ||
      options.chiplets < 0 || options.chiplets > Trace::kMaxExperts)
    return absl::InvalidArgumentError(absl::StrFormat(
        "%d experts on %d chiplets; expected 0 (not known) to %d of each",
        options.experts, options.chiplets, Trace::kMaxExperts));
  json object = json::parse(text.begin(), text.end(), nullptr, false);
  if (object.is_discarded() || !object.is_object())
    return absl::InvalidArgumentError(
        "not a JSON object (damaged or truncated?)");
  auto field = object.find(kMapKey);
  if (field == object.end())
    return absl::InvalidArgumentError(
        absl::StrFormat("field '%s' is missing", kMapKey));
  absl::StatusOr<Table> map =
      readTable(*field, kMapKey, Trace::kMaxExperts - 1);
  if (!map.ok())
    return map.status();
  absl::StatusOr<Table> counts = readCounts(object, *map, options.chiplets);
  if (!counts.ok())
    return counts.status();
  absl::Status status = checkCounts(*map, *counts, options.chiplets);
  if (!status.ok())
    return status;

  int64_t numExperts = options.experts;
  if (numExperts == 0)
    for (const std::vector<int64_t> &row : *map)
      numExperts =
          std::max(numExperts, *std::max_element(row.begin(), row.end()) + 1);
  std::vector<Placement> placements;
  for (size_t layer = 0; layer < map->size(); ++layer) {
    absl::StatusOr<Placement> placement = readLayer(
        (*map)[layer], (*counts)[layer], numExperts, options.allowReplicas);
    if (!placement.ok())
      return absl::InvalidArgumentError(absl::StrFormat(
          "'%s', layer %d: %s", kMapKey, layer, placement.status().message()));
    for (std::string &remark : placement->remarks)
      remark = absl::StrFormat("layer %d: %s", layer, remark);
    placements.push_back(*std::move(placement));
  }
  return placements;
}

static bool isCsv(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".csv");
}

absl::StatusOr<std::vector<Placement>>
mozart::readPlacements(const std::string &path,
                       const PlacementReadOptions &options) {
  absl::StatusOr<std::string> text = readFile(path);
  if (!text.ok())
    return text.status();
  absl::StatusOr<std::vector<Placement>> placements =
      isCsv(path) ? parsePlacementsCsv(*text, options)
                  : parsePlacements(*text, options);
  if (!placements.ok())
    return absl::Status(placements.status().code(),
                        absl::StrFormat("placement '%s': %s", path,
                                        placements.status().message()));
  return placements;
}

/// `"key": [` one row a line `]`.
static std::string printTable(const char *key, const Table &table) {
  std::vector<std::string> rows;
  for (const std::vector<int64_t> &row : table)
    rows.push_back(absl::StrCat("    [", absl::StrJoin(row, ", "), "]"));
  return absl::StrCat("  \"", key, "\": [\n", absl::StrJoin(rows, ",\n"),
                      "\n  ]");
}

/// Gives every chiplet of every layer equally many places.
static void padMap(std::vector<std::vector<std::vector<int32_t>>> &layers) {
  size_t most = 0;
  for (const auto &chiplets : layers)
    for (const std::vector<int32_t> &experts : chiplets)
      most = std::max(most, experts.size());
  for (auto &chiplets : layers)
    for (std::vector<int32_t> &experts : chiplets)
      for (size_t i = 0; experts.size() < most; ++i)
        experts.push_back(experts[i]);
}

/// Fails, naming the layer, where one is no placement or of other chiplets.
static absl::Status checkLayers(absl::Span<const Placement> placements) {
  if (placements.empty())
    return absl::InvalidArgumentError("no placement to write");
  for (size_t layer = 0; layer < placements.size(); ++layer) {
    absl::Status status = placements[layer].verify();
    if (!status.ok())
      return absl::InvalidArgumentError(
          absl::StrFormat("layer %d: %s", layer, status.message()));
    if (placements[layer].numChiplets != placements[0].numChiplets ||
        placements[layer].numExperts() != placements[0].numExperts())
      return absl::InvalidArgumentError(absl::StrFormat(
          "layer %d has %d experts on %d chiplets, layer 0 has %d on %d", layer,
          placements[layer].numExperts(), placements[layer].numChiplets,
          placements[0].numExperts(), placements[0].numChiplets));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string>
mozart::printPlacements(absl::Span<const Placement> placements,
                        const PlacementWriteOptions &options) {
  absl::Status status = checkLayers(placements);
  if (!status.ok())
    return status;
  std::vector<std::vector<std::vector<int32_t>>> layers;
  for (size_t layer = 0; layer < placements.size(); ++layer) {
    layers.push_back(placements[layer].expertsOf());
    for (size_t chiplet = 0; options.pad && chiplet < layers.back().size();
         ++chiplet)
      if (layers.back()[chiplet].empty())
        return absl::InvalidArgumentError(absl::StrFormat(
            "layer %d: chiplet %d holds no expert to pad its places with",
            layer, chiplet));
  }
  if (options.pad)
    padMap(layers);
  Table map, counts;
  bool even = true;
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    map.emplace_back();
    counts.emplace_back();
    for (const std::vector<int32_t> &experts : layers[layer]) {
      map.back().insert(map.back().end(), experts.begin(), experts.end());
      counts.back().push_back(static_cast<int64_t>(experts.size()));
    }
    even &= std::equal(counts.back().begin() + 1, counts.back().end(),
                       counts.back().begin());
    even &= counts.back() == counts[0];
  }
  std::string out = absl::StrCat("{\n", printTable(kMapKey, map));
  if (!even)
    absl::StrAppend(&out, ",\n", printTable(kCountsKey, counts));
  return out + "\n}\n";
}

absl::Status mozart::writePlacements(const std::string &path,
                                     absl::Span<const Placement> placements,
                                     const PlacementWriteOptions &options) {
  if (isCsv(path) && options.pad)
    return absl::InvalidArgumentError(absl::StrFormat(
        "placement '%s': a table of experts has no places to pad; write JSON, "
        "or leave padding out",
        path));
  absl::StatusOr<std::string> text = isCsv(path)
                                         ? printPlacementsCsv(placements)
                                         : printPlacements(placements, options);
  if (!text.ok())
    return text.status();
  return writeFile(path, *text);
}

absl::StatusOr<std::string>
mozart::printPlacementsCsv(absl::Span<const Placement> placements) {
  absl::Status status = checkLayers(placements);
  if (!status.ok())
    return status;
  bool layered = placements.size() > 1;
  std::string out = layered ? "Layer,Expert,Node\n" : "Expert,Node\n";
  for (size_t layer = 0; layer < placements.size(); ++layer)
    for (int64_t expert = 0; expert < placements[layer].numExperts(); ++expert)
      for (int32_t chiplet : placements[layer].chipletsOf[expert])
        absl::StrAppend(&out, layered ? absl::StrCat(layer, ",") : "", expert,
                        ",", chiplet, "\n");
  return out;
}
