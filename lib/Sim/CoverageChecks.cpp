//===- CoverageChecks.cpp - Every token meets its experts once ------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/CoverageChecks.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mozart;

namespace {

absl::Status failed(const std::string &message) {
  return absl::FailedPreconditionError(message);
}

class CoverageChecker {
public:
  explicit CoverageChecker(const Program &program) : program(program) {}

  absl::Status run() {
    index();
    for (int64_t layer = 0; layer < program.moeLayers; ++layer)
      for (int64_t batch = 0; batch < program.microBatches; ++batch)
        if (absl::Status status = checkTokens(layer, batch); !status.ok())
          return status;
    for (const auto &[key, dispatches] : dispatchesOf) {
      if (key.first >= program.moeLayers || key.second >= program.microBatches)
        return failed(absl::StrCat(
            name(dispatches.front()), " is of MoE layer ", key.first,
            ", micro-batch ", key.second, ", but the program has ",
            program.moeLayers, " layers and ", program.microBatches,
            " micro-batches"));
      for (int32_t task : dispatches)
        if (absl::Status status = checkDispatch(task); !status.ok())
          return status;
    }
    return absl::OkStatus();
  }

private:
  std::string name(int32_t task) const {
    return absl::StrCat("task ", task, " ('", program.tasks[task].name, "')");
  }

  int32_t ownerOf(int32_t buffer) const {
    int32_t parent = program.buffers[buffer].viewOf;
    return parent < 0 ? buffer : parent;
  }

  const RoutedSlice &sliceOf(int32_t dispatch) const {
    return program
        .slices[program.buffers[program.tasks[dispatch].reads[1]].slice];
  }

  /// The expert map of an exchange, or null.
  const ExpertMap *mapOf(int32_t exchange) const {
    int32_t map = program.tasks[exchange].exchange.expertMap;
    return map == -1 ? nullptr : &program.expertMaps[map];
  }

  void index() {
    for (const Input &input : program.inputs)
      inputOf[input.buffer] = &input;
    for (size_t i = 0; i < program.tasks.size(); ++i) {
      const Task &task = program.tasks[i];
      int32_t number = static_cast<int32_t>(i);
      for (int32_t buffer : task.reads)
        readersOf[ownerOf(buffer)].push_back(number);
      if (task.kind == TaskKind::Load)
        loadOf[ownerOf(task.writes[0])] = number;
      if (task.kind != TaskKind::Dispatch)
        continue;
      const RoutedSlice &slice = sliceOf(number);
      dispatchesOf[{slice.layer, slice.microBatch}].push_back(number);
    }
  }

  /// The token ranges of a layer's dispatches partition those of a micro-batch.
  absl::Status checkTokens(int64_t layer, int64_t batch) {
    std::string where =
        absl::StrCat("MoE layer ", layer, ", micro-batch ", batch, ": ");
    auto found = dispatchesOf.find({layer, batch});
    if (found == dispatchesOf.end())
      return failed(absl::StrCat(where, "no tokens are dispatched, expected ",
                                 program.tokensPerMicroBatch));
    std::vector<int32_t> order = found->second;
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return sliceOf(a).tokenBegin < sliceOf(b).tokenBegin;
    });
    int64_t next = 0;
    for (int32_t task : order) {
      const RoutedSlice &slice = sliceOf(task);
      if (slice.tokenBegin != next)
        return failed(absl::StrCat(where, name(task), " begins at token ",
                                   slice.tokenBegin, ", expected ", next));
      next += slice.tokenCount;
    }
    if (next != program.tokensPerMicroBatch)
      return failed(absl::StrCat(where, "dispatches end at token ", next,
                                 ", expected ", program.tokensPerMicroBatch));
    return absl::OkStatus();
  }

  absl::Status checkDispatch(int32_t task) {
    const Task &dispatch = program.tasks[task];
    std::vector<size_t> holders(program.experts, 0);
    for (const ExchangePeer &peer : dispatch.exchange.peers)
      for (int32_t expert : peer.experts)
        ++holders[expert];
    const ExpertMap *map = mapOf(task);
    for (size_t expert = 0; expert < holders.size(); ++expert)
      if (size_t expected = map ? map->nodesOf[expert].size() : 1;
          holders[expert] != expected)
        return failed(absl::StrCat(
            name(task), " sends to ", holders[expert], " peers with expert ",
            expert, ", expected ",
            map ? absl::StrCat("the ", expected, " of its expert map")
                : "one"));
    for (size_t i = 0; i < dispatch.exchange.peers.size(); ++i)
      if (absl::Status status = checkPeer(task, i); !status.ok())
        return status;
    return absl::OkStatus();
  }

  /// The one task that reads `buffer`, or -1.
  int32_t soleReader(int32_t buffer) const {
    auto found = readersOf.find(ownerOf(buffer));
    if (found == readersOf.end())
      return -1;
    std::set<int32_t> readers(found->second.begin(), found->second.end());
    return readers.size() == 1 ? *readers.begin() : -1;
  }

  absl::Status checkPeer(int32_t task, size_t peer) {
    const Task &dispatch = program.tasks[task];
    const ExchangePeer &facts = dispatch.exchange.peers[peer];
    int32_t compute = soleReader(dispatch.writes[2 * peer]);
    if (compute < 0 || soleReader(dispatch.writes[2 * peer + 1]) != compute ||
        program.tasks[compute].kind != TaskKind::Compute)
      return failed(
          absl::StrCat("what ", name(task), " sends to node ", facts.node,
                       " is not read by exactly one compute task there"));
    for (int32_t buffer : program.tasks[compute].reads) {
      auto load = loadOf.find(ownerOf(buffer));
      if (load == loadOf.end())
        continue;
      auto input = inputOf.find(ownerOf(program.tasks[load->second].reads[0]));
      if (input != inputOf.end() && input->second->experts != facts.experts)
        return failed(absl::StrCat(name(compute), " computes with weights '",
                                   program.buffers[input->first].name,
                                   "' of other experts than ", name(task),
                                   " sends it tokens for"));
    }
    return checkReturn(task, peer, compute);
  }

  absl::Status checkReturn(int32_t task, size_t peer, int32_t compute) {
    const RoutedSlice &sent = sliceOf(task);
    int32_t combine = program.tasks[compute].writes.size() == 1
                          ? soleReader(program.tasks[compute].writes[0])
                          : -1;
    if (combine < 0 || program.tasks[combine].kind != TaskKind::Combine)
      return failed(absl::StrCat("the result of ", name(compute),
                                 " is not read by exactly one combine"));
    const Task &back = program.tasks[combine];
    int32_t slice = program.buffers[back.reads.back()].slice;
    if (peer >= back.exchange.peers.size() ||
        ownerOf(back.reads[peer]) !=
            ownerOf(program.tasks[compute].writes[0]) ||
        back.exchange.peers[peer].experts !=
            program.tasks[task].exchange.peers[peer].experts)
      return failed(absl::StrCat(name(combine), " takes the result of ",
                                 name(compute), " in another place than ",
                                 name(task), " sent it, expected peer ", peer));
    if (slice < 0 || program.slices[slice].layer != sent.layer ||
        program.slices[slice].microBatch != sent.microBatch ||
        program.slices[slice].tokenBegin != sent.tokenBegin ||
        program.slices[slice].tokenCount != sent.tokenCount)
      return failed(absl::StrCat(name(combine),
                                 " is routed by other tokens than ", name(task),
                                 " sent out"));
    const ExpertMap *out = mapOf(task), *in = mapOf(combine);
    if (!out != !in || (out && !(*out == *in)))
      return failed(absl::StrCat(name(combine),
                                 " chooses among replicas by another expert "
                                 "map than ",
                                 name(task)));
    return absl::OkStatus();
  }

  const Program &program;
  std::map<std::pair<int64_t, int64_t>, std::vector<int32_t>> dispatchesOf;
  std::map<int32_t, std::vector<int32_t>> readersOf;
  std::map<int32_t, int32_t> loadOf;
  std::map<int32_t, const Input *> inputOf;
};

} // namespace

absl::Status mozart::verifyCoverage(const Program &program) {
  return CoverageChecker(program).run();
}

absl::Status mozart::verifyOutputs(const Program &program) {
  std::map<int32_t, std::set<int64_t>> batches;
  for (const Output &output : program.outputs)
    if (!batches[output.result].insert(output.microBatch).second)
      return failed(absl::StrCat("result ", output.result, " of micro-batch ",
                                 output.microBatch,
                                 " has two buffers, expected one"));
  if (batches.empty())
    return failed("the program has no output, expected at least one result");
  int32_t next = 0;
  for (const auto &[result, found] : batches) {
    if (result != next++)
      return failed(absl::StrCat("there is no output for result ", next - 1));
    for (int64_t batch = 0; batch < program.microBatches; ++batch)
      if (!found.count(batch))
        return failed(absl::StrCat("result ", result, " of micro-batch ", batch,
                                   " has no output"));
    if (static_cast<int64_t>(found.size()) != program.microBatches)
      return failed(absl::StrCat("result ", result, " has ", found.size(),
                                 " outputs, expected one for each of ",
                                 program.microBatches, " micro-batches"));
  }
  return absl::OkStatus();
}
