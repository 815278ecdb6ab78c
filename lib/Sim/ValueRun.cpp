//===- ValueRun.cpp - One order of a program ------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueRun.h"

#include "absl/strings/str_cat.h"

#include <utility>

using namespace mozart;

namespace {

class Runner {
public:
  Runner(const Program &program, const MachineModel &machine,
         const ValueOptions &options, ValueMemory memory)
      : program(program), machine(machine), options(options),
        memory(std::move(memory)), ledger(program), network(machine) {}

  absl::StatusOr<ValueReport> run(const std::vector<InputImage> &inputs,
                                  const std::vector<int32_t> &order) {
    for (const InputImage &input : inputs)
      memory.write(kOutside, input.buffer, input.bytes);
    ValueReport report;
    report.orders = 1;
    report.traffic.resize(program.tasks.size());
    for (int32_t task : order) {
      if (absl::Status status = runTask(task); !status.ok())
        return status;
      report.traffic[task] = network.takeTraffic();
    }
    if (absl::Status status = ledger.finish(); !status.ok())
      return status;
    report.routings = ledger.ids();
    for (const Output &output : program.outputs) {
      absl::StatusOr<Value> value = read(kOutside, output.buffer);
      if (!value.ok())
        return value.status();
      report.results.push_back(
          {output.result, output.microBatch, *std::move(value)});
    }
    return report;
  }

private:
  const Program &program;
  const MachineModel &machine;
  const ValueOptions &options;
  ValueMemory memory;
  PairLedger ledger;
  Network network;

  absl::Status runTask(int32_t task) {
    switch (program.tasks[task].kind) {
    case TaskKind::Load:
    case TaskKind::Store:
      return transfer(task);
    case TaskKind::Compute:
      return compute(task);
    case TaskKind::Dispatch:
      return dispatch(task);
    case TaskKind::Combine:
      return combine(task);
    }
    return absl::OkStatus();
  }

  /// Says where an error came up, and makes it one of the program.
  absl::Status inTask(int32_t task, const absl::Status &status) const {
    absl::StatusCode code = status.code() == absl::StatusCode::kNotFound
                                ? status.code()
                                : absl::StatusCode::kFailedPrecondition;
    return absl::Status(code, absl::StrCat("program '", program.name, "', ",
                                           describeTask(program, task), ": ",
                                           status.message()));
  }

  absl::StatusOr<Value> read(int32_t task, int32_t buffer) {
    absl::StatusOr<std::vector<uint8_t>> bytes = memory.read(task, buffer);
    if (!bytes.ok())
      return bytes.status();
    return decodeValue(program.buffers[buffer].type, *bytes);
  }

  absl::StatusOr<std::vector<Value>> readAll(int32_t task) {
    std::vector<Value> values;
    for (int32_t buffer : program.tasks[task].reads) {
      absl::StatusOr<Value> value = read(task, buffer);
      if (!value.ok())
        return value.status();
      values.push_back(*std::move(value));
    }
    return values;
  }

  /// The bytes go along the route and are written where they arrive.
  absl::Status transfer(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<std::vector<uint8_t>> bytes =
        memory.read(index, task.reads[0]);
    if (!bytes.ok())
      return bytes.status();
    auto nodeOf = [&](int32_t buffer) {
      Place place = program.buffers[buffer].place;
      return place.kind == Place::Kind::Sram ? place.index
                                             : machine.memory(place.index).node;
    };
    absl::StatusOr<int32_t> arrived = network.travel(
        nodeOf(task.reads[0]), task.route, static_cast<int64_t>(bytes->size()));
    if (!arrived.ok())
      return inTask(index, arrived.status());
    if (int32_t expected = nodeOf(task.writes[0]); *arrived != expected)
      return inTask(index,
                    absl::FailedPreconditionError(absl::StrCat(
                        "the route ends at '", machine.node(*arrived).name,
                        "'; expected '", machine.node(expected).name, "'")));
    memory.write(index, task.writes[0], *bytes);
    return absl::OkStatus();
  }

  absl::Status compute(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<std::vector<Value>> read = readAll(index);
    if (!read.ok())
      return read.status();
    std::vector<Value> values = *std::move(read);
    std::vector<int32_t> slices; // of each value
    for (int32_t buffer : task.reads)
      slices.push_back(program.buffers[buffer].slice);
    for (size_t i = 0; i < task.steps.size(); ++i) {
      const KernelStep &step = task.steps[i];
      std::vector<const Value *> inputs;
      for (int32_t input : step.inputs)
        inputs.push_back(&values[input]);
      absl::StatusOr<std::vector<Value>> results =
          evaluateKernel(step, inputs, options.kernels);
      if (!results.ok())
        return inTask(index, results.status());
      if (absl::Status status = account(index, step, inputs, slices);
          !status.ok())
        return status;
      int32_t slice = sliceOf(step, slices);
      for (Value &result : *results) {
        values.push_back(std::move(result));
        slices.push_back(slice);
      }
    }
    for (size_t i = 0; i < task.writes.size(); ++i)
      memory.write(index, task.writes[i], encodeValue(values[task.results[i]]));
    return absl::OkStatus();
  }

  /// What a step makes of routed operands is routed alike.
  static int32_t sliceOf(const KernelStep &step,
                         const std::vector<int32_t> &slices) {
    for (int32_t input : step.inputs)
      if (slices[input] != -1)
        return slices[input];
    return -1;
  }

  /// Enters pairs into the ledger where a step computes experts: a kernel on
  /// routed rows and the counts of as many experts as the rows' slice has.
  absl::Status account(int32_t index, const KernelStep &step,
                       const std::vector<const Value *> &inputs,
                       const std::vector<int32_t> &slices) {
    bool mayCompute =
        step.kind == KernelKind::Experts || step.kind == KernelKind::Custom;
    if (!mayCompute || inputs.size() < 2 || slices[step.inputs[0]] == -1)
      return absl::OkStatus();
    const RoutedSlice &slice = program.slices[slices[step.inputs[0]]];
    const Value &counts = *inputs[1];
    if (counts.type.element != ElementType::Index ||
        counts.elements.size() != slice.experts.size())
      return absl::OkStatus();
    double rows = 0;
    for (double count : counts.elements)
      rows += count;
    return ledger.compute(index, slice, static_cast<int64_t>(rows));
  }

  absl::Status dispatch(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<std::vector<Value>> values = readAll(index);
    if (!values.ok())
      return values.status();
    absl::StatusOr<std::vector<Value>> results = runDispatch(
        program, machine, index, (*values)[0], (*values)[1], network);
    if (!results.ok())
      return results.status();
    for (size_t i = 0; i < task.exchange.peers.size(); ++i)
      if (absl::Status status = ledger.dispatch(
              index, sliceOfPeer(program, index, i), (*values)[1]);
          !status.ok())
        return status;
    for (size_t i = 0; i < task.writes.size(); ++i)
      memory.write(index, task.writes[i], encodeValue((*results)[i]));
    return absl::OkStatus();
  }

  absl::Status combine(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<std::vector<Value>> values = readAll(index);
    if (!values.ok())
      return values.status();
    Value routing = std::move(values->back());
    values->pop_back();
    absl::StatusOr<Value> result =
        runCombine(program, machine, index, *values, routing, network);
    if (!result.ok())
      return result.status();
    for (size_t i = 0; i < values->size(); ++i)
      if (absl::Status status =
              ledger.combine(index, sliceOfPeer(program, index, i), routing);
          !status.ok())
        return status;
    memory.write(index, task.writes[0], encodeValue(*result));
    return absl::OkStatus();
  }
};

} // namespace

absl::StatusOr<ValueReport>
mozart::runInOrder(const Program &program, const MachineModel &machine,
                   const std::vector<InputImage> &inputs,
                   const std::vector<int32_t> &order,
                   const ValueOptions &options) {
  absl::StatusOr<ValueMemory> memory =
      ValueMemory::create(program, machine, options.memoryLimitBytes);
  if (!memory.ok())
    return memory.status();
  return Runner(program, machine, options, *std::move(memory))
      .run(inputs, order);
}
