//===- PairLedger.cpp - Every pair just once ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairLedger.h"

#include "mozart/Sim/MemoryOrder.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace mozart;

PairLedger::PairLedger(const Program &program) : program(program) {
  for (const ExpertMap &map : program.expertMaps)
    choices.emplace_back(map.nodesOf);
}

PairLedger::Table &PairLedger::tableOf(const RoutedSlice &slice) {
  Table &table = tables[{slice.layer, slice.microBatch}];
  if (table.known.empty()) {
    table.known.resize(program.tokensPerMicroBatch);
    table.ids.resize(program.tokensPerMicroBatch * program.k, kPaddingId);
    table.counts.resize(table.ids.size());
  }
  return table;
}

int64_t PairLedger::count(Table &table, const RoutedSlice &slice, Stage stage) {
  absl::flat_hash_set<int32_t> experts(slice.experts.begin(),
                                       slice.experts.end());
  std::vector<int32_t> nodes(program.k);
  int64_t pairs = 0;
  for (int64_t token = slice.tokenBegin;
       token < slice.tokenBegin + slice.tokenCount; ++token) {
    auto ids =
        absl::MakeConstSpan(table.ids).subspan(token * program.k, program.k);
    if (slice.expertMap != -1)
      choices[slice.expertMap].choose(ids, token, absl::MakeSpan(nodes));
    for (int64_t slot = 0; slot < program.k; ++slot)
      if (ids[slot] != kPaddingId && experts.contains(ids[slot]) &&
          (slice.expertMap == -1 || nodes[slot] == slice.node)) {
        ++table.counts[token * program.k + slot][stage];
        ++pairs;
      }
  }
  return pairs;
}

absl::Status PairLedger::agree(int32_t task, const RoutedSlice &slice,
                               const Value &routing, bool mayBeNew) {
  Table &table = tableOf(slice);
  for (int64_t row = 0; row < slice.tokenCount; ++row) {
    int64_t token = slice.tokenBegin + row;
    int32_t *ids = table.ids.data() + token * program.k;
    if (!table.known[token] && mayBeNew) {
      table.known[token] = true;
      std::copy_n(routing.slots(row), program.k, ids);
    }
    if (!table.known[token] ||
        !std::equal(ids, ids + program.k, routing.slots(row)))
      return absl::FailedPreconditionError(absl::StrCat(
          "program '", program.name, "', ", describeTask(program, task),
          ": routes token ", token, " of layer ", slice.layer, ", micro-batch ",
          slice.microBatch,
          table.known[token] ? " otherwise than it was dispatched"
                             : ", which was never dispatched",
          "; expected the routing and the tokens of its dispatch"));
  }
  return absl::OkStatus();
}

absl::Status PairLedger::dispatch(int32_t task, const RoutedSlice &slice,
                                  const Value &routing) {
  if (absl::Status status = agree(task, slice, routing, true); !status.ok())
    return status;
  count(tableOf(slice), slice, Dispatched);
  return absl::OkStatus();
}

absl::Status PairLedger::combine(int32_t task, const RoutedSlice &slice,
                                 const Value &routing) {
  if (absl::Status status = agree(task, slice, routing, false); !status.ok())
    return status;
  count(tableOf(slice), slice, Combined);
  return absl::OkStatus();
}

absl::Status PairLedger::compute(int32_t task, const RoutedSlice &slice,
                                 int64_t rows) {
  auto it = tables.find({slice.layer, slice.microBatch});
  if (it == tables.end())
    return absl::OkStatus();
  int64_t pairs = count(it->second, slice, Computed);
  if (rows < 0 || rows == pairs)
    return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "program '", program.name, "', ", describeTask(program, task),
      ": computes ", rows, " pairs (token, expert) of layer ", slice.layer,
      ", micro-batch ", slice.microBatch, "; expected the ", pairs,
      " that the slice of its rows holds"));
}

absl::Status PairLedger::finish() const {
  static constexpr const char *kVerbs[] = {"dispatched", "computed",
                                           "combined"};
  for (const auto &[key, table] : tables) {
    auto missing = std::find(table.known.begin(), table.known.end(), false);
    if (missing != table.known.end())
      return absl::FailedPreconditionError(absl::StrCat(
          "program '", program.name, "': token ", missing - table.known.begin(),
          " in layer ", key.first, ", micro-batch ", key.second,
          " is never dispatched, but others are; expected all tokens"));
    for (size_t i = 0; i < table.ids.size(); ++i)
      for (int stage : {Dispatched, Computed, Combined}) {
        if (table.ids[i] == kPaddingId || table.counts[i][stage] == 1)
          continue;
        return absl::FailedPreconditionError(
            absl::StrCat("program '", program.name, "': token ", i / program.k,
                         " with expert ", table.ids[i], " in layer ", key.first,
                         ", micro-batch ", key.second, " is ", kVerbs[stage],
                         " ", table.counts[i][stage], " times; expected once"));
      }
  }
  return absl::OkStatus();
}

std::vector<DispatchedIds> PairLedger::ids() const {
  std::vector<DispatchedIds> result;
  for (const auto &[key, table] : tables)
    result.push_back({key.first, key.second, table.ids});
  return result;
}
