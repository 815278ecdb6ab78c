//===- ProgramChecks.cpp - Is this program well formed? -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramChecks.h"

#include "TaskChecks.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include <limits>

using namespace mozart;

const char *mozart::taskKindName(TaskKind kind) {
  switch (kind) {
  case TaskKind::Load:
    return "load";
  case TaskKind::Store:
    return "store";
  case TaskKind::Compute:
    return "compute";
  case TaskKind::Dispatch:
    return "dispatch";
  case TaskKind::Combine:
    return "combine";
  }
  return "unknown";
}

const char *mozart::engineKindName(EngineKind kind) {
  switch (kind) {
  case EngineKind::Compute:
    return "compute";
  case EngineKind::Dma:
    return "dma";
  case EngineKind::Channel:
    return "channel";
  case EngineKind::Send:
    return "send";
  case EngineKind::Receive:
    return "receive";
  }
  return "unknown";
}

namespace {

/// Checks everything but the tasks.
class ProgramChecker {
public:
  ProgramChecker(const Program &program, const MachineModel &machine)
      : program(program), machine(machine) {}

  absl::Status run() const {
    if (absl::Status status = header(); !status.ok())
      return status;
    for (size_t i = 0; i < program.expertMaps.size(); ++i)
      if (absl::Status status = expertMap(i); !status.ok())
        return status;
    for (size_t i = 0; i < program.slices.size(); ++i)
      if (absl::Status status = slice(i); !status.ok())
        return status;
    for (size_t i = 0; i < program.buffers.size(); ++i)
      if (absl::Status status = buffer(i); !status.ok())
        return status;
    for (size_t i = 0; i < program.inputs.size(); ++i)
      if (absl::Status status = input(i); !status.ok())
        return status;
    for (size_t i = 0; i < program.outputs.size(); ++i)
      if (absl::Status status = output(i); !status.ok())
        return status;
    return absl::OkStatus();
  }

private:
  const Program &program;
  const MachineModel &machine;

  absl::Status fail(absl::string_view part, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("program '", program.name, "'", part.empty() ? "" : ", ",
                     part, ": ", what));
  }

  static bool within(int64_t value, int64_t end) {
    return value >= 0 && value < end;
  }

  static std::string range(absl::string_view name, int64_t value, int64_t end) {
    return absl::StrCat(name, " is ", value, "; expected a value in [0, ", end,
                        ")");
  }

  absl::Status header() const {
    if (program.machine != machine.name())
      return fail("", absl::StrCat("is for machine '", program.machine,
                                   "' but the machine is '", machine.name(),
                                   "'; compile it for this machine"));
    for (auto [name, count] : {std::pair("buffers", program.buffers.size()),
                               std::pair("maps", program.expertMaps.size()),
                               std::pair("slices", program.slices.size()),
                               std::pair("tasks", program.tasks.size())})
      if (count > std::numeric_limits<int32_t>::max())
        return fail("", absl::StrCat("has ", count, " ", name,
                                     "; expected fewer than 2^31"));
    if (program.microBatches < 1)
      return fail("", absl::StrCat("has ", program.microBatches,
                                   " micro-batches; expected at least 1"));
    if (program.moeLayers < 0)
      return fail("", absl::StrCat("has ", program.moeLayers,
                                   " MoE layers; expected zero or more"));
    if (program.moeLayers == 0)
      return absl::OkStatus();
    if (program.experts < 1 || program.k < 1 || program.k > program.experts)
      return fail("",
                  absl::StrCat("routes ", program.k, " of ", program.experts,
                               " experts; expected 1 <= k <= experts"));
    if (program.experts > std::numeric_limits<int32_t>::max())
      return fail("", absl::StrCat("has ", program.experts,
                                   " experts; expected fewer than 2^31"));
    int64_t tokens = 0;
    if (program.tokensPerMicroBatch < 0 ||
        __builtin_mul_overflow(program.tokensPerMicroBatch,
                               program.microBatches, &tokens))
      return fail("", absl::StrCat("has ", program.microBatches,
                                   " micro-batches of ",
                                   program.tokensPerMicroBatch,
                                   " tokens; expected zero or more tokens, "
                                   "below 2^63 in all"));
    return absl::OkStatus();
  }

  absl::Status expertList(const std::string &part,
                          const std::vector<int32_t> &experts) const {
    absl::flat_hash_set<int32_t> seen;
    for (int32_t expert : experts) {
      if (!within(expert, program.experts))
        return fail(part, range("expert", expert, program.experts));
      if (!seen.insert(expert).second)
        return fail(part, absl::StrCat("names expert ", expert,
                                       " twice; expected each once"));
    }
    return absl::OkStatus();
  }

  absl::Status expertMap(size_t index) const {
    const ExpertMap &map = program.expertMaps[index];
    std::string part = absl::StrCat("expert map ", index);
    if (sizeOf(map.nodesOf) != program.experts)
      return fail(part, absl::StrCat("has ", map.nodesOf.size(),
                                     " experts; expected the ", program.experts,
                                     " of the program"));
    for (size_t expert = 0; expert < map.nodesOf.size(); ++expert) {
      const std::vector<int32_t> &nodes = map.nodesOf[expert];
      if (nodes.empty())
        return fail(part, absl::StrCat("has expert ", expert,
                                       " on no node; expected at least one"));
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (!within(nodes[i], machine.numNodes()) ||
            !machine.node(nodes[i]).isChiplet())
          return fail(part, absl::StrCat("has expert ", expert, " on node ",
                                         nodes[i], "; expected a chiplet"));
        if (i > 0 && nodes[i] <= nodes[i - 1])
          return fail(part, absl::StrCat("has expert ", expert, " on node ",
                                         nodes[i], " after node ", nodes[i - 1],
                                         "; expected nodes in ascending "
                                         "order, each once"));
      }
    }
    return absl::OkStatus();
  }

  /// A slice of what an expert map sends to a node has experts of that node.
  absl::Status sliceOfMap(const std::string &part, const RoutedSlice &s) const {
    if (s.expertMap == -1)
      return s.node == -1
                 ? absl::OkStatus()
                 : fail(part, absl::StrCat("is of node ", s.node,
                                           " by no expert map; expected both "
                                           "or neither"));
    if (!within(s.expertMap, sizeOf(program.expertMaps)))
      return fail(part,
                  range("expert map", s.expertMap, sizeOf(program.expertMaps)));
    for (int32_t expert : s.experts)
      if (!absl::c_binary_search(
              program.expertMaps[s.expertMap].nodesOf[expert], s.node))
        return fail(part, absl::StrCat("has expert ", expert, " on node ",
                                       s.node, ", where expert map ",
                                       s.expertMap, " does not have it"));
    return absl::OkStatus();
  }

  absl::Status slice(size_t index) const {
    const RoutedSlice &s = program.slices[index];
    std::string part = absl::StrCat("slice ", index);
    if (!within(s.layer, program.moeLayers))
      return fail(part, range("layer", s.layer, program.moeLayers));
    if (!within(s.microBatch, program.microBatches))
      return fail(part,
                  range("micro-batch", s.microBatch, program.microBatches));
    if (s.tokenBegin < 0 || s.tokenCount < 0 ||
        s.tokenBegin > program.tokensPerMicroBatch - s.tokenCount)
      return fail(
          part, absl::StrCat("tokens [", s.tokenBegin, ", ", s.tokenBegin,
                             " + ", s.tokenCount, ") are not among the ",
                             program.tokensPerMicroBatch, " of a micro-batch"));
    if (absl::Status status = expertList(part, s.experts); !status.ok())
      return status;
    return sliceOfMap(part, s);
  }

  absl::Status buffer(size_t index) const {
    const Buffer &b = program.buffers[index];
    std::string part = absl::StrCat("buffer ", index, " ('", b.name, "')");
    if (absl::Status status = place(part, b.place); !status.ok())
      return status;
    if (absl::Status status = type(part, b.type); !status.ok())
      return status;
    if (b.slice != -1 && !within(b.slice, sizeOf(program.slices)))
      return fail(part, range("slice", b.slice, sizeOf(program.slices)));
    if (b.viewOf != -1)
      return view(part, b);
    int64_t end = 0;
    if (b.offset < -1 || (b.offset >= 0 && __builtin_add_overflow(
                                               b.offset, b.type.bytes(), &end)))
      return fail(part,
                  absl::StrCat("offset is ", b.offset, " for ", b.type.bytes(),
                               " bytes; expected -1 (not allocated) or "
                               "an offset whose end is below 2^63"));
    return absl::OkStatus();
  }

  absl::Status place(const std::string &part, Place place) const {
    if (place.kind == Place::Kind::Dram)
      return within(place.index, machine.numMemories())
                 ? absl::OkStatus()
                 : fail(part,
                        range("memory", place.index, machine.numMemories()));
    if (!within(place.index, machine.numNodes()))
      return fail(part, range("node", place.index, machine.numNodes()));
    if (!machine.node(place.index).isChiplet())
      return fail(part, absl::StrCat("is in the SRAM of switch '",
                                     machine.node(place.index).name,
                                     "'; expected a chiplet"));
    return absl::OkStatus();
  }

  absl::Status type(const std::string &part, const ValueType &type) const {
    for (int64_t size : type.shape)
      if (size < 0)
        return fail(part, absl::StrCat(describeType(type),
                                       " has a negative dimension"));
    if (type.bytes() == std::numeric_limits<int64_t>::max())
      return fail(part, absl::StrCat(describeType(type), " passes 2^63 bytes"));
    if (type.kind == ValueType::Kind::Routing &&
        (type.shape.size() != 2 || type.shape[1] < 1 || type.experts < 0))
      return fail(part, absl::StrCat(describeType(type),
                                     "; expected tokens x slots of experts"));
    return absl::OkStatus();
  }

  absl::Status view(const std::string &part, const Buffer &b) const {
    if (!within(b.viewOf, sizeOf(program.buffers)))
      return fail(part,
                  range("view of buffer", b.viewOf, sizeOf(program.buffers)));
    const Buffer &parent = program.buffers[b.viewOf];
    std::string ofParent =
        absl::StrCat("a view of buffer ", b.viewOf, " ('", parent.name, "')");
    if (parent.viewOf != -1)
      return fail(part, absl::StrCat("is ", ofParent,
                                     ", which is itself a view; expected the "
                                     "buffer that it shows"));
    if (!(b.place == parent.place))
      return fail(
          part, absl::StrCat("is ", ofParent, ", which is in another memory"));
    ValueType expected = parent.type;
    if (!expected.shape.empty() && !b.type.shape.empty())
      expected.shape.front() = b.type.shape.front();
    if (!sameType(expected, b.type) || parent.type.shape.empty())
      return fail(part, absl::StrCat(describeType(b.type), " is ", ofParent,
                                     ", which is ", describeType(parent.type),
                                     "; expected the same but for the number "
                                     "of rows"));
    if (b.rowBegin < 0 || b.rowBegin > parent.type.rows() - b.type.rows())
      return fail(part,
                  absl::StrCat("rows [", b.rowBegin, ", ", b.rowBegin, " + ",
                               b.type.rows(), ") are not among ", "the ",
                               parent.type.rows(), " of ", ofParent));
    if (b.offset != -1)
      return fail(part,
                  absl::StrCat("has offset ", b.offset, " but is ", ofParent,
                               "; expected -1 (it follows from "
                               "its parent's)"));
    return absl::OkStatus();
  }

  absl::Status microBatch(const std::string &part, int64_t microBatch) const {
    return within(microBatch, program.microBatches)
               ? absl::OkStatus()
               : fail(part,
                      range("micro-batch", microBatch, program.microBatches));
  }

  absl::Status input(size_t index) const {
    const Input &in = program.inputs[index];
    std::string part = absl::StrCat("input ", index);
    if (!within(in.buffer, sizeOf(program.buffers)))
      return fail(part, range("buffer", in.buffer, sizeOf(program.buffers)));
    const Buffer &b = program.buffers[in.buffer];
    if (b.place.kind != Place::Kind::Dram)
      return fail(part, absl::StrCat("buffer ", in.buffer, " ('", b.name,
                                     "') is in SRAM; expected one in DRAM"));
    if (in.argument < 0)
      return fail(part, absl::StrCat("argument is ", in.argument,
                                     "; expected zero or more"));
    if (in.microBatch != -1)
      if (absl::Status status = microBatch(part, in.microBatch); !status.ok())
        return status;
    if (!in.experts.empty() &&
        static_cast<int64_t>(in.experts.size()) != b.type.rows())
      return fail(part, absl::StrCat("holds ", in.experts.size(),
                                     " experts in buffer ", in.buffer, " ('",
                                     b.name, "') of ", b.type.rows(), " rows"));
    return expertList(part, in.experts);
  }

  absl::Status output(size_t index) const {
    const Output &out = program.outputs[index];
    std::string part = absl::StrCat("output ", index);
    if (!within(out.buffer, sizeOf(program.buffers)))
      return fail(part, range("buffer", out.buffer, sizeOf(program.buffers)));
    if (out.result < 0)
      return fail(part, absl::StrCat("result is ", out.result,
                                     "; expected zero or more"));
    return microBatch(part, out.microBatch);
  }
};

} // namespace

bool mozart::sameType(const ValueType &a, const ValueType &b) {
  return a.kind == b.kind && a.element == b.element && a.shape == b.shape &&
         (a.kind == ValueType::Kind::Tensor ||
          (a.experts == b.experts && a.local == b.local));
}

absl::Status mozart::verifyProgram(const Program &program,
                                   const MachineModel &machine) {
  if (absl::Status status = ProgramChecker(program, machine).run();
      !status.ok())
    return status;
  if (absl::Status status = verifyTasks(program, machine); !status.ok())
    return status;
  return verifyOrder(program, machine);
}
