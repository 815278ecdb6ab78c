//===- RandomModelsTest.cpp - Programs against the oracle, at random ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random small models on random trees are compiled to a schedule and executed
// byte for byte; the results are held against the model run by MLIR's JIT.
//
//===----------------------------------------------------------------------===//

#include "RandomModel.h"

#include "mozart/Pipelines/RegisterAll.h"
#include "mozart/Sim/Mutation.h"
#include "mozart/Sim/ValueCompare.h"
#include "mozart/Sim/ValueEngine.h"
#include "mozart/Target/ExportProgram.h"
#include "mozart/Target/Oracle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace mozart;
using namespace mozart::test;

namespace {

constexpr int kModels = 500;
constexpr int kMutatedPrograms = 20;
constexpr int kLeastOfEach = 25;
/// Closer to a tie than this, two right answers may differ.
constexpr double kLeastGap = 1e-3;

class RandomModels : public ::testing::Test {
protected:
  static void SetUpTestSuite() { registerAllPasses(); }

  RandomModels() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<mlir::func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const RandomModel &model) {
    return mlir::parseSourceString<mlir::ModuleOp>(model.module, &context);
  }

  /// The scheduled program of `model`.
  std::optional<ExportedProgram> compile(const RandomModel &model) {
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(model);
    if (!module)
      return std::nullopt;
    auto manager = mlir::parsePassPipeline(model.pipeline);
    if (failed(manager))
      return std::nullopt;
    mlir::PassManager passes(&context, manager->getOpAnchorName());
    static_cast<mlir::OpPassManager &>(passes) = *manager;
    if (failed(passes.run(*module)))
      return std::nullopt;
    mlir::FailureOr<chiplet::ProgramOp> program = findProgram(*module);
    if (failed(program))
      return std::nullopt;
    mlir::FailureOr<ExportedProgram> exported = exportProgram(*program);
    if (failed(exported))
      return std::nullopt;
    return std::move(*exported);
  }

  mlir::MLIRContext context;
};

std::vector<Argument> argumentsOf(const RandomModel &model) {
  std::vector<Argument> arguments;
  for (const RandomArgument &argument : model.arguments)
    arguments.push_back({argument.copies});
  return arguments;
}

const Value *findResult(const ValueReport &report, int32_t result,
                        int64_t microBatch) {
  for (const ResultValue &value : report.results)
    if (value.result == result && value.microBatch == microBatch)
      return &value.value;
  return nullptr;
}

/// Whether no choice of experts is close to a tie.
bool isClear(const RandomModel &model, const ValueReport &report) {
  for (int64_t batch = 0; batch < model.microBatches; ++batch)
    if (smallestGap(model, *findResult(report, 1, batch), batch) < kLeastGap)
      return false;
  return true;
}

bool hasIdleExpert(const RandomModel &model, const ValueReport &report) {
  std::set<int32_t> used;
  for (const DispatchedIds &routing : report.routings)
    used.insert(routing.ids.begin(), routing.ids.end());
  used.erase(kPaddingId);
  return static_cast<int64_t>(used.size()) < model.experts;
}

/// 4 n eps times the terms of a row, counted generously: a row's terms add up
/// to no less than its own absolute values and one.
absl::Status compareRows(const RandomModel &model, const Value &found,
                         const Value &expected) {
  int64_t n = model.hidden * 4 + model.inner + model.k + model.tokens;
  int64_t width = expected.type.shape.back();
  std::vector<double> terms(expected.elements.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    double sum = 1;
    size_t row = i / width * width;
    for (int64_t j = 0; j < width; ++j)
      sum += std::abs(expected.elements[row + j]);
    terms[i] = sum;
  }
  return compareWithBound(found.elements, expected.elements, terms, n, 0x1p-53);
}

TEST_F(RandomModels, EqualTheOracle) {
  std::map<std::string, int> histogram;
  int done = 0;
  uint64_t seed = 0;
  for (; done < kModels; ++seed) {
    ASSERT_LT(seed, 20u * kModels) << "too many models are close to a tie";
    RandomModel model = makeRandomModel(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + model.pipeline + "\n" +
                 model.module);
    std::optional<ExportedProgram> exported = compile(model);
    ASSERT_TRUE(exported);
    ValueOptions options;
    options.seed = seed;
    absl::StatusOr<ValueReport> report = executeProgram(
        exported->program, exported->machine, argumentsOf(model), options);
    ASSERT_TRUE(report.ok()) << report.status();
    if (!isClear(model, *report))
      continue;
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(model);
    absl::StatusOr<CompiledFunction> oracle =
        CompiledFunction::compile(*module, "forward");
    ASSERT_TRUE(oracle.ok()) << oracle.status();
    for (int64_t batch = 0; batch < model.microBatches; ++batch) {
      std::vector<Value> inputs;
      for (const RandomArgument &argument : model.arguments)
        inputs.push_back(argument.copies[argument.param ? 0 : batch]);
      absl::StatusOr<std::vector<Value>> expected = oracle->run(inputs);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (int32_t result : {1, 0}) {
        absl::Status same = compareRows(
            model, *findResult(*report, result, batch), (*expected)[result]);
        ASSERT_TRUE(same.ok())
            << same << " in result " << result << " of micro-batch " << batch;
      }
    }
    for (const std::string &feature : model.features)
      ++histogram[feature];
    if (hasIdleExpert(model, *report))
      ++histogram["idle expert"];
    ++done;
  }
  std::printf("%d models (of %d drawn; the others are close to a tie):\n", done,
              static_cast<int>(seed));
  for (const auto &[feature, count] : histogram) {
    std::printf("  %-32s %4d\n", feature.c_str(), count);
    EXPECT_GE(count, kLeastOfEach) << feature;
  }
  EXPECT_GE(histogram.size(), 25u) << "a feature never occurs";
}

/// Results of a run, for comparing runs bit by bit.
std::vector<std::vector<double>> elementsOf(const ValueReport &report) {
  std::vector<std::vector<double>> elements;
  for (const ResultValue &result : report.results)
    elements.push_back(result.value.elements);
  return elements;
}

TEST_F(RandomModels, MutationsAreNoticed) {
  int programs = 0, waits = 0, others = 0;
  for (uint64_t seed = 1000; programs < kMutatedPrograms; ++seed, ++programs) {
    RandomModel model = makeRandomModel(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + model.pipeline + "\n" +
                 model.module);
    std::optional<ExportedProgram> exported = compile(model);
    ASSERT_TRUE(exported);
    const Program &program = exported->program;
    std::vector<Argument> arguments = argumentsOf(model);
    absl::StatusOr<ValueReport> right =
        executeProgram(program, exported->machine, arguments);
    ASSERT_TRUE(right.ok()) << right.status();

    absl::StatusOr<std::vector<Mutation>> mutations = waitMutations(program);
    ASSERT_TRUE(mutations.ok()) << mutations.status();
    for (const Mutation &mutation : *mutations) {
      absl::StatusOr<ValueReport> wrong = executeProgram(
          mutate(program, mutation), exported->machine, arguments);
      EXPECT_FALSE(wrong.ok()) << "not reported: " << mutation.description;
      ++waits;
    }

    std::vector<Mutation> rest = routeMutations(program, exported->machine);
    absl::StatusOr<std::vector<Mutation>> offsets =
        offsetMutations(program, exported->machine);
    ASSERT_TRUE(offsets.ok()) << offsets.status();
    rest.insert(rest.end(), offsets->begin(), offsets->end());
    for (const Mutation &mutation : rest) {
      absl::StatusOr<ValueReport> wrong = executeProgram(
          mutate(program, mutation), exported->machine, arguments);
      EXPECT_TRUE(!wrong.ok() || elementsOf(*wrong) != elementsOf(*right))
          << "neither reported nor of any effect: " << mutation.description;
      ++others;
    }
  }
  std::printf("%d programs: %d waits removed, %d routes and offsets changed\n",
              programs, waits, others);
  EXPECT_GE(waits, kMutatedPrograms);
  EXPECT_GE(others, kMutatedPrograms);
}

} // namespace
