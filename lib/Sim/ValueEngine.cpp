//===- ValueEngine.cpp - A program on real numbers ------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ValueEngine.h"

#include "ValueExchange.h"
#include "ValueRun.h"

#include "mozart/Sim/MemoryOrder.h"
#include "mozart/Sim/ProgramChecks.h"
#include "mozart/Sim/TaskOrder.h"

#include "absl/strings/str_cat.h"

#include <string>
#include <utility>
#include <vector>

using namespace mozart;

namespace {
struct NamedOrder {
  std::string name;
  std::vector<int32_t> tasks;
};
} // namespace

static std::vector<NamedOrder> chooseOrders(const TaskOrder &order,
                                            const ValueOptions &options) {
  std::vector<NamedOrder> orders;
  orders.push_back(
      {"earliest task first", order.linearize(OrderChoice::Earliest)});
  orders.push_back({"latest task first", order.linearize(OrderChoice::Latest)});
  for (int32_t i = 0; i < options.randomOrders; ++i) {
    uint64_t seed = options.seed + static_cast<uint64_t>(i);
    orders.push_back({absl::StrCat("at random with seed ", seed),
                      order.linearize(OrderChoice::Random, seed)});
  }
  return orders;
}

/// The tables of tokens and slots that the run keeps are memory, too.
static absl::Status checkRoutingSize(const Program &program,
                                     const ValueOptions &options) {
  int64_t slots = 0;
  if (program.moeLayers == 0 ||
      (!__builtin_mul_overflow(program.tokensPerMicroBatch, program.k,
                               &slots) &&
       slots <= options.memoryLimitBytes / 16))
    return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "program '", program.name, "' routes ", program.tokensPerMicroBatch,
      " tokens of ", program.k, " slots in a micro-batch; expected at most ",
      options.memoryLimitBytes / 16,
      " slots; execute a smaller model, or raise the memory limit"));
}

/// Compares the bytes of all results with those of the first order.
static absl::Status compareResults(const Program &program,
                                   const ValueReport &first,
                                   const ValueReport &other,
                                   absl::string_view firstName,
                                   absl::string_view otherName) {
  for (size_t i = 0; i < first.results.size(); ++i)
    if (encodeValue(first.results[i].value) !=
        encodeValue(other.results[i].value))
      return absl::FailedPreconditionError(absl::StrCat(
          "program '", program.name, "': result ", first.results[i].result,
          " of micro-batch ", first.results[i].microBatch, " (",
          describeBuffer(program, program.outputs[i].buffer),
          ") differs between two orders: ", firstName, ", and ", otherName,
          "; expected the same bytes"));
  return absl::OkStatus();
}

absl::StatusOr<ValueReport>
mozart::executeProgram(const Program &program, const MachineModel &machine,
                       absl::Span<const Argument> arguments,
                       const ValueOptions &options) {
  if (absl::Status status = verifyProgram(program, machine); !status.ok())
    return status;
  absl::StatusOr<TaskOrder> order = TaskOrder::create(program);
  if (!order.ok())
    return order.status();
  for (const absl::Status &status :
       {checkRoutingSize(program, options), verifyAllocation(program, machine),
        verifyTransfers(program, machine)})
    if (!status.ok())
      return status;
  if (absl::Status status = verifyMemoryOrder(program, machine, *order);
      !status.ok())
    return status;
  absl::StatusOr<std::vector<InputImage>> inputs =
      prepareInputs(program, machine, arguments);
  if (!inputs.ok())
    return inputs.status();

  std::vector<NamedOrder> orders = chooseOrders(*order, options);
  absl::StatusOr<ValueReport> report;
  for (size_t i = 0; i < orders.size(); ++i) {
    absl::StatusOr<ValueReport> now =
        runInOrder(program, machine, *inputs, orders[i].tasks, options);
    if (!now.ok())
      return absl::Status(now.status().code(),
                          absl::StrCat(now.status().message(),
                                       " (order: ", orders[i].name, ")"));
    if (i == 0) {
      report = std::move(now);
      continue;
    }
    if (absl::Status status = compareResults(program, *report, *now,
                                             orders[0].name, orders[i].name);
        !status.ok())
      return status;
    ++report->orders;
  }
  return report;
}
