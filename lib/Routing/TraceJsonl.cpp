//===- TraceJsonl.cpp - Routing traces as lines of JSON -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceForms.h"
#include "mozart/Support/JsonInteger.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <tuple>

using namespace mozart;
using nlohmann::json;

namespace {
/// One token's set in one layer, as the file lists it.
struct Row {
  int64_t request; // ordinal by first appearance
  int64_t token;   // token_idx, or the place in the batch
  int64_t layer;   // as the file numbers it
  int64_t line;
  size_t firstId;

  std::tuple<int64_t, int64_t, int64_t> key() const {
    return {request, token, layer};
  }
};

/// Reads the lines into rows, then puts the rows in order.
class JsonlReader {
public:
  absl::Status readLine(absl::string_view text);
  absl::StatusOr<Trace> finish(int64_t experts);

private:
  enum class Spelling { Unknown, Route, Batch };

  absl::Status error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrFormat("line %d: %s", line, what));
  }
  absl::Status integerField(const json &object, const char *name,
                            int64_t &result) const;
  absl::Status requestField(const json &object, const char *name,
                            int64_t &ordinal);
  absl::Status setSpelling(Spelling found);
  absl::Status readMeta(const json &object);
  absl::Status readRoute(const json &object);
  absl::Status readBatch(const json &object);
  absl::Status addRow(int64_t request, int64_t token, int64_t layer,
                      const json &set);
  absl::Status checkComplete(absl::Span<const int64_t> layers) const;

  int64_t line = 0;
  Spelling spelling = Spelling::Unknown;
  bool hasMeta = false;
  int64_t k = 0; // 0: not known yet
  int64_t statedExperts = 0;
  absl::flat_hash_map<std::string, int64_t> requests;
  std::vector<std::string> requestNames;
  std::vector<Row> rows;
  std::vector<int32_t> ids;
};
} // namespace

absl::Status JsonlReader::integerField(const json &object, const char *name,
                                       int64_t &result) const {
  auto field = object.find(name);
  if (field == object.end())
    return error(absl::StrFormat("field '%s' is missing", name));
  if (!readJsonInteger(*field, result) || result < 0)
    return error(absl::StrFormat(
        "field '%s' is not a non-negative 64-bit integer", name));
  return absl::OkStatus();
}

absl::Status JsonlReader::requestField(const json &object, const char *name,
                                       int64_t &ordinal) {
  auto field = object.find(name);
  if (field == object.end())
    return error(absl::StrFormat("field '%s' is missing", name));
  std::string key;
  int64_t number;
  if (field->is_string())
    key = absl::StrCat("'", field->get_ref<const std::string &>(), "'");
  else if (readJsonInteger(*field, number))
    key = absl::StrCat(number);
  else
    return error(
        absl::StrFormat("field '%s' is neither a string nor an integer", name));
  auto [entry, isNew] =
      requests.try_emplace(key, static_cast<int64_t>(requestNames.size()));
  if (isNew)
    requestNames.push_back(key);
  ordinal = entry->second;
  return absl::OkStatus();
}

absl::Status JsonlReader::setSpelling(Spelling found) {
  if (spelling != Spelling::Unknown && spelling != found)
    return error("'route' records and 'topk_experts' records in one file");
  spelling = found;
  return absl::OkStatus();
}

absl::Status JsonlReader::readLine(absl::string_view text) {
  ++line;
  if (absl::StripAsciiWhitespace(text).empty())
    return absl::OkStatus();
  json object = json::parse(text.begin(), text.end(), nullptr, false);
  if (object.is_discarded() || !object.is_object())
    return error("not a JSON object (damaged or truncated?)");
  auto type = object.find("type");
  if (type == object.end() && object.contains("topk_experts"))
    return readBatch(object);
  if (type != object.end() && *type == "meta")
    return readMeta(object);
  if (type != object.end() && *type == "route")
    return readRoute(object);
  return error("expected \"type\":\"meta\", \"type\":\"route\", or a "
               "'topk_experts' record");
}

absl::Status JsonlReader::readMeta(const json &object) {
  if (hasMeta || !rows.empty())
    return error("a 'meta' record may only stand first, once");
  hasMeta = true;
  int64_t value;
  if (object.contains("top_k")) {
    absl::Status status = integerField(object, "top_k", value);
    if (!status.ok())
      return status;
    if (value == 0)
      return error("field 'top_k' is 0; a token chooses at least one expert");
    k = value;
  }
  if (!object.contains("num_experts"))
    return absl::OkStatus();
  return integerField(object, "num_experts", statedExperts);
}

absl::Status JsonlReader::readRoute(const json &object) {
  absl::Status status = setSpelling(Spelling::Route);
  int64_t request = 0, token = 0, layer = 0;
  if (status.ok())
    status = requestField(object, "req_id", request);
  if (status.ok())
    status = integerField(object, "token_idx", token);
  if (status.ok())
    status = integerField(object, "layer", layer);
  if (!status.ok())
    return status;
  auto set = object.find("topk_ids");
  if (set == object.end())
    return error("field 'topk_ids' is missing");
  return addRow(request, token, layer, *set);
}

absl::Status JsonlReader::readBatch(const json &object) {
  absl::Status status = setSpelling(Spelling::Batch);
  int64_t batch = 0, layer = 0;
  if (status.ok())
    status = requestField(object, "batch_id", batch);
  if (status.ok())
    status = integerField(object, "layer", layer);
  if (!status.ok())
    return status;
  const json &sets = object["topk_experts"];
  if (!sets.is_array())
    return error("field 'topk_experts' is not a list of lists");
  auto origins = object.find("origin_rows");
  if (origins != object.end() &&
      (!origins->is_array() || origins->size() != sets.size()))
    return error("'origin_rows' and 'topk_experts' differ in length");
  for (size_t i = 0; i < sets.size() && status.ok(); ++i)
    status = addRow(batch, static_cast<int64_t>(i), layer, sets[i]);
  return status;
}

absl::Status JsonlReader::addRow(int64_t request, int64_t token, int64_t layer,
                                 const json &set) {
  if (!set.is_array() || set.empty())
    return error("the set of a token is not a list of expert ids");
  if (k == 0)
    k = static_cast<int64_t>(set.size());
  if (static_cast<int64_t>(set.size()) != k)
    return error(absl::StrFormat(
        "a set of %d ids, expected k = %d (an empty slot is written as -1)",
        set.size(), k));
  rows.push_back({request, token, layer, line, ids.size()});
  for (const json &element : set) {
    int64_t id;
    if (!readJsonInteger(element, id) || id < Trace::kPadding ||
        id >= INT32_MAX)
      return error("an expert id is not an integer of at least 0 (or -1, an "
                   "empty slot)");
    ids.push_back(static_cast<int32_t>(id));
  }
  return absl::OkStatus();
}

/// Fails unless the sorted rows are every token with every layer once.
absl::Status
JsonlReader::checkComplete(absl::Span<const int64_t> layers) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    if (i > 0 && rows[i - 1].key() == row.key())
      return absl::InvalidArgumentError(absl::StrFormat(
          "line %d: token %d of request %s has layer %d already, in line %d",
          row.line, row.token, requestNames[row.request], row.layer,
          rows[i - 1].line));
    int64_t expected = layers[i % layers.size()];
    const Row &first = rows[i - i % layers.size()];
    bool sameToken = row.request == first.request && row.token == first.token;
    if (!sameToken || row.layer != expected)
      return absl::InvalidArgumentError(absl::StrFormat(
          "token %d of request %s has no layer %d, which other tokens have",
          first.token, requestNames[first.request], expected));
  }
  if (rows.size() % layers.size() != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "token %d of request %s has no layer %d, which other tokens have",
        rows.back().token, requestNames[rows.back().request],
        layers[rows.size() % layers.size()]));
  return absl::OkStatus();
}

absl::StatusOr<Trace> JsonlReader::finish(int64_t experts) {
  if (rows.empty())
    return absl::InvalidArgumentError(
        "routing trace is empty: there is no 'route' and no 'topk_experts' "
        "record");
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
    return std::make_pair(a.key(), a.line) < std::make_pair(b.key(), b.line);
  });
  std::vector<int64_t> layers;
  for (const Row &row : rows)
    layers.push_back(row.layer);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  absl::Status status = checkComplete(layers);
  if (!status.ok())
    return status;
  std::vector<int32_t> ordered;
  ordered.reserve(ids.size());
  for (const Row &row : rows)
    ordered.insert(ordered.end(), ids.begin() + row.firstId,
                   ids.begin() + row.firstId + k);
  absl::StatusOr<int64_t> resolved =
      resolveExperts(experts, statedExperts, ordered);
  if (!resolved.ok())
    return resolved.status();
  int64_t numLayers = static_cast<int64_t>(layers.size());
  return Trace::create(static_cast<int64_t>(rows.size()) / numLayers, numLayers,
                       k, *resolved, std::move(ordered));
}

absl::StatusOr<Trace> mozart::parseJsonlTrace(absl::string_view contents,
                                              int64_t experts) {
  JsonlReader reader;
  while (!contents.empty()) {
    size_t end = std::min(contents.find('\n'), contents.size());
    absl::Status status = reader.readLine(contents.substr(0, end));
    if (!status.ok())
      return status;
    contents.remove_prefix(std::min(end + 1, contents.size()));
  }
  return reader.finish(experts);
}

std::string mozart::printJsonlTrace(const Trace &trace) {
  std::string out =
      absl::StrFormat("{\"type\":\"meta\",\"top_k\":%d,\"num_experts\":%d}\n",
                      trace.k(), trace.numExperts());
  for (int64_t token = 0; token < trace.numTokens(); ++token) {
    for (int64_t layer = 0; layer < trace.numLayers(); ++layer) {
      absl::StrAppend(&out,
                      "{\"type\":\"route\",\"req_id\":0,\"token_idx\":", token,
                      ",\"layer\":", layer, ",\"topk_ids\":[");
      const char *separator = "";
      for (int32_t id : trace.set(token, layer)) {
        absl::StrAppend(&out, separator, id);
        separator = ",";
      }
      out += "]}\n";
    }
  }
  return out;
}
