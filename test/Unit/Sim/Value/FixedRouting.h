//===- FixedRouting.h - One exchange with a given routing ---------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_TEST_UNIT_SIM_VALUE_FIXEDROUTING_H
#define MOZART_TEST_UNIT_SIM_VALUE_FIXEDROUTING_H

#include "MoeCase.h"

#include "Sim/TestPrograms.h"

#include "mozart/Sim/ValueEngine.h"

#include "gtest/gtest.h"

#include <string>
#include <utility>
#include <vector>

namespace mozart::test {

/// One MoE layer of numbers instead of rows (H = F = 1): expert e turns x into
/// relu(x) times factor[e]. The routing is an argument, so that a test can say
/// what happens to each token.
struct FixedRouting {
  std::vector<int> fanout = {2};
  std::vector<double> x;
  int64_t k = 1;
  std::vector<int32_t> ids;   ///< [T, k]
  std::vector<double> gates;  ///< [T, k]; empty: all one
  std::vector<double> factor; ///< by expert
  /// Peers in this order: chiplet ordinal and experts; those of several have a
  /// map.
  std::vector<std::pair<int32_t, std::vector<int32_t>>> peers;
  ExchangeForm form = ExchangeForm::Tokens;
  ExchangeVia via = ExchangeVia::Root;
  ElementType element = ElementType::F32;
};

/// Tasks of the program, by index, and its buffers of interest.
struct FixedProgram {
  BuiltCase built;
  int32_t loadX, loadRouting, dispatch, combine, finish, store;
  int32_t x, routing, y, result;
  std::vector<int32_t> experts;              ///< tasks, by peer
  std::vector<int32_t> rows, second, out;    ///< buffers, by peer
  std::vector<std::vector<int32_t>> weights; ///< buffers in DRAM, by peer
};

inline FixedProgram buildFixed(const FixedRouting &f,
                               const MachineModel &machine) {
  FixedProgram r;
  ProgramBuilder b(machine);
  Program &p = b.program;
  const auto tokens = static_cast<int64_t>(f.x.size());
  const auto numExperts = static_cast<int64_t>(f.factor.size());
  const bool pairs = f.form == ExchangeForm::Pairs;
  const int32_t root = machine.root();
  p.moeLayers = 1;
  p.experts = numExperts;
  p.k = f.k;
  p.tokensPerMicroBatch = tokens;
  auto matrix = [&](std::vector<int64_t> shape) {
    return tensor(std::move(shape), f.element);
  };
  auto step = [](KernelKind kind, std::vector<int32_t> inputs,
                 std::vector<ValueType> results) {
    KernelStep s;
    s.kind = kind;
    s.inputs = std::move(inputs);
    s.resultTypes = std::move(results);
    s.ffn.activation = ActivationKind::Relu;
    return s;
  };

  // Arguments: x, routing, up, down.
  auto value = [&](std::vector<int64_t> shape, std::vector<double> elements) {
    return *makeTensor(f.element, std::move(shape), std::move(elements));
  };
  Value routing =
      *makeValue(routingType(tokens, f.k, numExperts, false, f.element));
  routing.ids = f.ids;
  routing.elements =
      f.gates.empty() ? std::vector<double>(f.ids.size(), 1) : f.gates;
  r.built.arguments = {
      {{value({tokens, 1}, f.x)}},
      {{routing}},
      {{value({numExperts, 1, 1}, std::vector<double>(numExperts, 1))}},
      {{value({numExperts, 1, 1}, f.factor)}}};
  auto input = [&](const char *name, int32_t memory, ValueType type,
                   int32_t argument, std::vector<int32_t> experts) {
    int32_t buffer = b.buffer(name, inMemory(memory), std::move(type));
    p.inputs.push_back({buffer, argument, -1, std::move(experts)});
    return buffer;
  };
  int32_t memory = machine.memoryServing(root);
  r.x = b.buffer("x", sram(root), matrix({tokens, 1}));
  r.loadX =
      b.loadBuffer(input("x.dram", memory, matrix({tokens, 1}), 0, {}), r.x);
  r.routing = b.buffer("routing", sram(root), routing.type);
  r.loadRouting = b.loadBuffer(
      input("routing.dram", memory, routing.type, 1, {}), r.routing);

  RoutedSlice whole;
  whole.tokenCount = tokens;
  for (int32_t expert = 0; expert < numExperts; ++expert)
    whole.experts.push_back(expert);
  p.slices.push_back(whole);
  p.buffers[r.routing].slice = 0;

  Task dispatch, combine;
  dispatch.name = "dispatch";
  dispatch.kind = TaskKind::Dispatch;
  dispatch.engines = {{EngineKind::Send, root}};
  dispatch.reads = {r.x, r.routing};
  combine.name = "combine";
  combine.kind = TaskKind::Combine;
  combine.engines = {{EngineKind::Receive, root}};
  std::vector<std::vector<int32_t>> placement(machine.expertChiplets().size());
  for (const auto &[ordinal, experts] : f.peers)
    placement[ordinal] = experts;
  const int32_t expertMap = addExpertMap(p, machine, placement);
  for (Task *task : {&dispatch, &combine}) {
    task->node = root;
    task->exchange.form = f.form;
    task->exchange.via = f.via;
    task->exchange.expertMap = expertMap;
  }
  for (const auto &[ordinal, experts] : f.peers) {
    int32_t node = machine.expertChiplets()[ordinal];
    auto local = static_cast<int64_t>(experts.size());
    int64_t capacity = pairs ? tokens * std::min(f.k, local) : tokens;
    RoutedSlice slice = whole;
    slice.experts = experts;
    slice.expertMap = expertMap;
    slice.node = expertMap == -1 ? -1 : node;
    p.slices.push_back(slice);
    auto s = static_cast<int32_t>(p.slices.size()) - 1;
    r.rows.push_back(b.buffer("rows", sram(node), matrix({capacity, 1}), s));
    r.second.push_back(
        b.buffer(pairs ? "counts" : "local", sram(node),
                 pairs ? tensor({local}, ElementType::Index)
                       : routingType(capacity, f.k, local, true, f.element),
                 s));
    r.out.push_back(b.buffer("out", sram(node), matrix({capacity, 1}), s));
    dispatch.writes.insert(dispatch.writes.end(),
                           {r.rows.back(), r.second.back()});
    combine.reads.push_back(r.out.back());
    dispatch.exchange.peers.push_back({node, experts, b.path(root, node)});
    combine.exchange.peers.push_back({node, experts, b.path(node, root)});
  }
  combine.reads.push_back(r.routing);
  r.dispatch = b.task(dispatch);
  for (size_t i = 0; i < f.peers.size(); ++i) {
    const auto &[ordinal, experts] = f.peers[i];
    int32_t node = machine.expertChiplets()[ordinal];
    auto local = static_cast<int64_t>(experts.size());
    std::vector<int32_t> reads{r.rows[i], r.second[i]};
    r.weights.emplace_back();
    for (int32_t argument : {2, 3}) {
      ValueType type = matrix({local, 1, 1});
      r.weights[i].push_back(input("weight.dram", machine.memoryServing(node),
                                   type, argument, experts));
      reads.push_back(b.buffer("weight", sram(node), type));
      b.loadBuffer(r.weights[i].back(), reads.back());
    }
    ValueType type = p.buffers[r.rows[i]].type;
    ValueType spread = matrix({type.rows() * f.k, 1});
    std::vector<KernelStep> steps;
    if (pairs)
      steps = {step(KernelKind::Experts, {0, 1, 2, 3}, {type})};
    else
      steps = {step(KernelKind::Dispatch, {0, 1},
                    {spread, tensor({local}, ElementType::Index)}),
               step(KernelKind::Experts, {4, 5, 2, 3}, {spread}),
               step(KernelKind::Combine, {6, 1}, {type})};
    r.experts.push_back(
        b.compute("experts", node, reads, {r.out[i]}, std::move(steps)));
  }
  int32_t gathered = b.buffer("gathered", sram(root),
                              matrix({pairs ? tokens * f.k : tokens, 1}));
  combine.writes = {gathered};
  r.combine = b.task(combine);
  r.y = gathered;
  r.finish = -1;
  if (pairs) {
    r.y = b.buffer("y", sram(root), matrix({tokens, 1}));
    r.finish =
        b.compute("finish", root, {gathered, r.routing}, {r.y},
                  {step(KernelKind::Combine, {0, 1}, {matrix({tokens, 1})})});
  }
  r.result = b.buffer("result", inMemory(memory), matrix({tokens, 1}));
  r.store = b.storeBuffer(r.y, r.result);
  p.outputs.push_back({r.result, 0, 0});
  addWaits(p);
  r.built.program = std::move(p);
  return r;
}

/// The result of a program that must be right.
inline std::vector<double> runFixed(const FixedProgram &p,
                                    const MachineModel &machine) {
  absl::StatusOr<ValueReport> report =
      executeProgram(p.built.program, machine, p.built.arguments);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? report->results[0].value.elements
                     : std::vector<double>();
}

/// The message of a program that must be wrong.
inline std::string errorOf(const Program &program, const MachineModel &machine,
                           const std::vector<Argument> &arguments,
                           const ValueOptions &options = {}) {
  absl::StatusOr<ValueReport> report =
      executeProgram(program, machine, arguments, options);
  return report.ok() ? "no error" : std::string(report.status().message());
}

} // namespace mozart::test

#endif // MOZART_TEST_UNIT_SIM_VALUE_FIXEDROUTING_H
