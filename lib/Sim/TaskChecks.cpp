//===- TaskChecks.cpp - Checks of tasks, for verifyProgram ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskChecks.h"

#include "WaitCycle.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <map>

using namespace mozart;

namespace {

/// Checks one task. Errors are collected in `error`; the first stays.
class TaskChecker {
public:
  TaskChecker(const Program &program, const MachineModel &machine, size_t index)
      : program(program), machine(machine), index(index),
        task(program.tasks[index]) {}

  absl::Status run() {
    common();
    if (!error.ok())
      return error;
    switch (task.kind) {
    case TaskKind::Load:
      transfer(Place::Kind::Dram, Place::Kind::Sram);
      break;
    case TaskKind::Store:
      transfer(Place::Kind::Sram, Place::Kind::Dram);
      break;
    case TaskKind::Compute:
      compute();
      break;
    case TaskKind::Dispatch:
    case TaskKind::Combine:
      exchange();
      break;
    }
    return error;
  }

private:
  const Program &program;
  const MachineModel &machine;
  size_t index;
  const Task &task;
  absl::Status error;

  void fail(absl::string_view what) {
    if (error.ok())
      error = absl::InvalidArgumentError(
          absl::StrCat("program '", program.name, "', task ", index, " ('",
                       task.name, "', ", taskKindName(task.kind), "): ", what));
  }

  void range(absl::string_view what, int64_t value, int64_t end) {
    if (value < 0 || value >= end)
      fail(absl::StrCat(what, " is ", value, "; expected a value in [0, ", end,
                        ")"));
  }

  const Buffer &buffer(int32_t i) const { return program.buffers[i]; }

  bool isChiplet(int32_t node) const {
    return node >= 0 && node < machine.numNodes() &&
           machine.node(node).isChiplet();
  }

  std::string place(Place place) const {
    return place.kind == Place::Kind::Sram
               ? absl::StrCat("the SRAM of '", machine.node(place.index).name,
                              "'")
               : absl::StrCat("memory '", machine.memory(place.index).name,
                              "'");
  }

  void common() {
    if (!isChiplet(task.node))
      fail(absl::StrCat("node is ", task.node, "; expected a chiplet"));
    if (task.stage < -1)
      fail(absl::StrCat("stage is ", task.stage, "; expected -1 or more"));
    for (int32_t wait : task.waits)
      if (wait < 0 || wait >= sizeOf(program.tasks)) // see verifyOrder
        fail(absl::StrCat("waits for task ", wait,
                          "; expected one listed before it, in [0, ", index,
                          ")"));
    engines();
    for (size_t i = 0; i < task.reads.size(); ++i)
      range(absl::StrCat("reads[", i, "]"), task.reads[i],
            sizeOf(program.buffers));
    for (size_t i = 0; i < task.writes.size(); ++i)
      range(absl::StrCat("writes[", i, "]"), task.writes[i],
            sizeOf(program.buffers));
  }

  void engines() {
    for (size_t i = 0; i < task.engines.size(); ++i) {
      const Engine &engine = task.engines[i];
      std::string what = absl::StrCat("engines[", i, "]");
      if (engine.kind == EngineKind::Channel)
        range(absl::StrCat(what, ": memory"), engine.index,
              machine.numMemories());
      else if (!isChiplet(engine.index))
        fail(absl::StrCat(what, ": node is ", engine.index,
                          "; expected a chiplet"));
      for (size_t j = 0; j < i; ++j)
        if (task.engines[j] == engine)
          fail(absl::StrCat(what, " repeats engines[", j, "]"));
    }
  }

  void count(const char *what, const std::vector<int32_t> &operands,
             size_t expected, absl::string_view meaning) {
    if (operands.size() != expected)
      fail(absl::StrCat(operands.size(), " ", what, "; expected ", expected,
                        " (", meaning, ")"));
  }

  void inSram(const std::string &what, int32_t i, int32_t node) {
    const Buffer &b = buffer(i);
    if (!(b.place == Place{Place::Kind::Sram, node}))
      fail(absl::StrCat(what, " (buffer '", b.name, "') is in ", place(b.place),
                        "; expected the SRAM of '", machine.node(node).name,
                        "'"));
  }

  void hasType(const std::string &what, int32_t i, const ValueType &expected) {
    const Buffer &b = buffer(i);
    if (!sameType(b.type, expected))
      fail(absl::StrCat(what, " (buffer '", b.name, "') is ",
                        describeType(b.type), "; expected ",
                        describeType(expected)));
  }

  /// `route` must lead from one node to the other without a gap.
  void route(const std::string &what, const std::vector<int32_t> &route,
             int32_t from, int32_t to) {
    int32_t at = from;
    for (size_t i = 0; i < route.size() && error.ok(); ++i) {
      range(absl::StrCat(what, "[", i, "]"), route[i], machine.numLinks());
      if (!error.ok())
        return;
      if (machine.link(route[i]).source != at)
        fail(absl::StrCat(what, "[", i, "] is link ", route[i], " from '",
                          machine.node(machine.link(route[i]).source).name,
                          "'; expected a link from '", machine.node(at).name,
                          "'"));
      at = machine.link(route[i]).target;
    }
    if (error.ok() && at != to)
      fail(absl::StrCat(what, " ends at '", machine.node(at).name,
                        "'; expected '", machine.node(to).name, "'"));
  }

  void transfer(Place::Kind from, Place::Kind to) {
    count("reads", task.reads, 1, "the source");
    count("writes", task.writes, 1, "the target");
    if (!error.ok())
      return;
    const Buffer &source = buffer(task.reads[0]);
    const Buffer &target = buffer(task.writes[0]);
    if (source.place.kind != from)
      fail(absl::StrCat("reads[0] (buffer '", source.name, "') is in ",
                        place(source.place), "; expected a buffer in ",
                        from == Place::Kind::Dram ? "a memory" : "SRAM"));
    if (target.place.kind != to)
      fail(absl::StrCat("writes[0] (buffer '", target.name, "') is in ",
                        place(target.place), "; expected a buffer in ",
                        to == Place::Kind::Dram ? "a memory" : "SRAM"));
    hasType("writes[0]", task.writes[0], source.type);
    if (!error.ok())
      return;
    bool load = from == Place::Kind::Dram;
    if (load)
      inSram("writes[0]", task.writes[0], task.node);
    else
      inSram("reads[0]", task.reads[0], task.node);
    int32_t memory = machine.memory((load ? source : target).place.index).node;
    if (load)
      route("route", task.route, memory, task.node);
    else
      route("route", task.route, task.node, memory);
  }

  void compute() {
    bool hasEngine = false;
    for (const Engine &engine : task.engines)
      hasEngine |= engine == Engine{EngineKind::Compute, task.node};
    if (!hasEngine)
      fail(absl::StrCat("does not occupy the arrays of '",
                        machine.node(task.node).name,
                        "'; expected their engine among its engines"));
    for (size_t i = 0; i < task.reads.size(); ++i)
      inSram(absl::StrCat("reads[", i, "]"), task.reads[i], task.node);
    for (size_t i = 0; i < task.writes.size(); ++i)
      inSram(absl::StrCat("writes[", i, "]"), task.writes[i], task.node);

    std::vector<ValueType> values;
    values.reserve(task.reads.size());
    for (int32_t read : task.reads)
      values.push_back(buffer(read).type);
    for (size_t i = 0; i < task.steps.size() && error.ok(); ++i)
      step(i, values);
    if (!error.ok())
      return;
    count("results", task.results, task.writes.size(), "one for each write");
    for (size_t i = 0; i < task.results.size() && error.ok(); ++i) {
      range(absl::StrCat("results[", i, "]"), task.results[i], sizeOf(values));
      if (error.ok())
        hasType(absl::StrCat("writes[", i, "]"), task.writes[i],
                values[task.results[i]]);
    }
  }

  void step(size_t i, std::vector<ValueType> &values) {
    const KernelStep &step = task.steps[i];
    std::vector<ValueType> inputs;
    for (size_t j = 0; j < step.inputs.size(); ++j) {
      range(absl::StrCat("step ", i, ", inputs[", j, "]"), step.inputs[j],
            sizeOf(values));
      if (!error.ok())
        return;
      inputs.push_back(values[step.inputs[j]]);
    }
    if (absl::Status status = verifyStep(step, inputs); !status.ok())
      return fail(absl::StrCat("step ", i, ": ", status.message()));
    values.insert(values.end(), step.resultTypes.begin(),
                  step.resultTypes.end());
  }

  //===--- Exchanges ---===//

  void exchange() {
    const Exchange &exchange = task.exchange;
    if (exchange.via == ExchangeVia::Switch &&
        exchange.form != ExchangeForm::Tokens)
      fail("copies or sums at switches in form 'pairs'; expected form "
           "'tokens'");
    bool dispatch = task.kind == TaskKind::Dispatch;
    if (exchange.expertMap != -1)
      range("expert map", exchange.expertMap, sizeOf(program.expertMaps));
    if (!error.ok())
      return;
    peers(dispatch);
    if (!error.ok())
      return;
    if (exchange.via == ExchangeVia::Switch)
      routesFormTree(dispatch);
    dispatch ? dispatchOperands() : combineOperands();
  }

  void peers(bool dispatch) {
    absl::flat_hash_set<int32_t> nodes;
    absl::flat_hash_map<int32_t, size_t> peerOf;
    for (size_t i = 0; i < task.exchange.peers.size() && error.ok(); ++i) {
      const ExchangePeer &peer = task.exchange.peers[i];
      std::string what = absl::StrCat("peers[", i, "]");
      if (!isChiplet(peer.node))
        return fail(absl::StrCat(what, ": node is ", peer.node,
                                 "; expected a chiplet"));
      if (!nodes.insert(peer.node).second)
        fail(absl::StrCat(what, ": '", machine.node(peer.node).name,
                          "' is a peer already; expected each once"));
      for (int32_t expert : peer.experts) {
        range(absl::StrCat(what, ": expert"), expert, program.experts);
        if (!error.ok())
          return;
        auto [it, fresh] = peerOf.try_emplace(expert, i);
        if (!fresh && (it->second == i || task.exchange.expertMap == -1))
          fail(absl::StrCat(what, ": expert ", expert, " is at peers[",
                            it->second, "] already; expected each once",
                            it->second == i ? ""
                                            : ", or an expert map that says "
                                              "which a token goes to"));
        if (task.exchange.expertMap != -1 && !isAt(expert, peer.node))
          fail(absl::StrCat(what, ": expert ", expert, " is at '",
                            machine.node(peer.node).name,
                            "', where expert map ", task.exchange.expertMap,
                            " does not have it"));
        it->second = i;
      }
      if (dispatch)
        route(absl::StrCat(what, ": route"), peer.route, task.node, peer.node);
      else
        route(absl::StrCat(what, ": route"), peer.route, peer.node, task.node);
    }
  }

  /// Whether the expert map of the exchange has `expert` on `node`.
  bool isAt(int32_t expert, int32_t node) const {
    return absl::c_binary_search(
        program.expertMaps[task.exchange.expertMap].nodesOf[expert], node);
  }

  /// All routes together must be a tree: a node is reached (dispatch) or left
  /// (combine) over one link only, or its copies and sums would be ambiguous.
  void routesFormTree(bool dispatch) {
    std::map<int32_t, int32_t> linkOf;
    for (size_t i = 0; i < task.exchange.peers.size(); ++i)
      for (int32_t link : task.exchange.peers[i].route) {
        const LinkFacts &facts = machine.link(link);
        int32_t node = dispatch ? facts.target : facts.source;
        auto [it, fresh] = linkOf.try_emplace(node, link);
        if ((!fresh && it->second != link) || node == task.node)
          fail(absl::StrCat(
              "peers[", i, "]: route ", dispatch ? "reaches '" : "leaves '",
              machine.node(node).name, "' over link ", link,
              node == task.node
                  ? ", where the exchange begins"
                  : absl::StrCat(" and another over link ", it->second),
              "; expected the routes to form a tree"));
      }
  }

  /// Types of `rows` of the hidden rows of an exchange.
  static ValueType rowsLike(const ValueType &like, int64_t rows) {
    ValueType type = like;
    type.shape[0] = rows;
    return type;
  }

  /// The routing operand and the shape [*, H] of the rows.
  void routing(const std::string &what, int32_t i) {
    const ValueType &type = buffer(i).type;
    if (type.kind != ValueType::Kind::Routing || type.local ||
        type.experts != program.experts)
      fail(absl::StrCat(what, " (buffer '", buffer(i).name, "') is ",
                        describeType(type), "; expected a routing of all ",
                        program.experts, " experts"));
  }

  void matrix(const std::string &what, int32_t i) {
    const ValueType &type = buffer(i).type;
    if (type.kind != ValueType::Kind::Tensor || type.shape.size() != 2)
      fail(absl::StrCat(what, " (buffer '", buffer(i).name, "') is ",
                        describeType(type), "; expected rows x hidden"));
  }

  void dispatchOperands() {
    const std::vector<ExchangePeer> &peers = task.exchange.peers;
    bool pairs = task.exchange.form == ExchangeForm::Pairs;
    count("reads", task.reads, 2, "x, routing");
    count("writes", task.writes, 2 * peers.size(),
          pairs ? "rows and counts of each peer"
                : "rows and local routing of each peer");
    if (!error.ok())
      return;
    inSram("reads[0]", task.reads[0], task.node);
    inSram("reads[1]", task.reads[1], task.node);
    matrix("reads[0]", task.reads[0]);
    routing("reads[1]", task.reads[1]);
    if (!error.ok())
      return;
    const ValueType &x = buffer(task.reads[0]).type;
    const ValueType &table = buffer(task.reads[1]).type;
    hasType("reads[0]", task.reads[0], rowsLike(x, table.rows()));
    for (size_t i = 0; i < peers.size() && error.ok(); ++i) {
      int32_t rows = task.writes[2 * i], second = task.writes[2 * i + 1];
      std::string rowsName = absl::StrCat("writes[", 2 * i, "]");
      std::string secondName = absl::StrCat("writes[", 2 * i + 1, "]");
      inSram(rowsName, rows, peers[i].node);
      inSram(secondName, second, peers[i].node);
      hasType(rowsName, rows, rowsLike(x, buffer(rows).type.rows()));
      ValueType expected;
      int64_t experts = static_cast<int64_t>(peers[i].experts.size());
      if (pairs) {
        expected.element = ElementType::Index;
        expected.shape = {experts};
      } else {
        expected = rowsLike(table, buffer(rows).type.rows());
        expected.experts = experts;
        expected.local = true;
      }
      hasType(secondName, second, expected);
    }
  }

  void combineOperands() {
    const std::vector<ExchangePeer> &peers = task.exchange.peers;
    bool pairs = task.exchange.form == ExchangeForm::Pairs;
    count("reads", task.reads, peers.size() + 1,
          "the rows of each peer, then the routing");
    count("writes", task.writes, 1, pairs ? "rows" : "y");
    if (!error.ok())
      return;
    int32_t last = static_cast<int32_t>(peers.size());
    std::string routingName = absl::StrCat("reads[", last, "]");
    inSram(routingName, task.reads[last], task.node);
    inSram("writes[0]", task.writes[0], task.node);
    routing(routingName, task.reads[last]);
    matrix("writes[0]", task.writes[0]);
    if (!error.ok())
      return;
    const ValueType &y = buffer(task.writes[0]).type;
    const ValueType &table = buffer(task.reads[last]).type;
    hasType("writes[0]", task.writes[0],
            rowsLike(y, pairs ? table.elements() : table.rows()));
    for (size_t i = 0; i < peers.size() && error.ok(); ++i) {
      std::string what = absl::StrCat("reads[", i, "]");
      inSram(what, task.reads[i], peers[i].node);
      hasType(what, task.reads[i],
              rowsLike(y, buffer(task.reads[i]).type.rows()));
    }
  }
};

} // namespace

absl::Status mozart::verifyTasks(const Program &program,
                                 const MachineModel &machine) {
  for (size_t i = 0; i < program.tasks.size(); ++i)
    if (absl::Status status = TaskChecker(program, machine, i).run();
        !status.ok())
      return status;
  return absl::OkStatus();
}

/// A program whose tasks wait in a circle.
static absl::Status circle(const Program &program, const std::string &cycle) {
  return absl::InvalidArgumentError(absl::StrCat(
      "program '", program.name, "': tasks wait in a circle, so that none of ",
      "them could ever start: ", cycle,
      "; expected waits and stages that do not go down in the order in which "
      "tasks are listed"));
}

/// Waits that point forwards: a circle, or a list in another order.
static absl::Status verifyWaits(const Program &program,
                                const MachineModel &machine) {
  for (size_t i = 0; i < program.tasks.size(); ++i)
    for (int32_t wait : program.tasks[i].waits) {
      if (static_cast<size_t>(wait) < i)
        continue;
      std::string cycle = describeWaitCycle(program, machine);
      if (!cycle.empty())
        return circle(program, cycle);
      return absl::InvalidArgumentError(
          absl::StrCat("program '", program.name, "', task ", i, " ('",
                       program.tasks[i].name, "'): waits for task ", wait,
                       " ('", program.tasks[wait].name,
                       "'); expected one listed before it, in [0, ", i, ")"));
    }
  return absl::OkStatus();
}

/// Where waits and engine order point backwards, stages may still not. A cycle
/// exists just where a task of a higher stage must end before one of a lower
/// stage starts.
absl::Status mozart::verifyOrder(const Program &program,
                                 const MachineModel &machine) {
  if (absl::Status status = verifyWaits(program, machine); !status.ok())
    return status;
  std::vector<int64_t> highestBefore(program.tasks.size(), -1);
  std::map<Engine, int32_t> lastOn;
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    int64_t &highest = highestBefore[i];
    auto follow = [&](int32_t earlier) {
      highest = std::max(
          {highest, highestBefore[earlier], program.tasks[earlier].stage});
    };
    for (int32_t wait : task.waits)
      follow(wait);
    for (const Engine &engine : task.engines) {
      auto [it, first] = lastOn.try_emplace(engine, -1);
      if (it->second >= 0)
        follow(it->second);
      it->second = static_cast<int32_t>(i);
    }
    if (task.stage >= 0 && highest > task.stage)
      return circle(program, describeWaitCycle(program, machine));
  }
  return absl::OkStatus();
}
