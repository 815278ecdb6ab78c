//===- mozart-run-oracle.cpp - Runs a model on numbers from a file --------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests in other languages. Arguments are read from one file and results
// written to another: doubles in the host's order, one array after another,
// row-major, whatever the element type. A routing is its ids, then its gate
// weights.
//
//===----------------------------------------------------------------------===//

#include "mozart/Pipelines/RegisterAll.h"
#include "mozart/Support/AtomicFile.h"
#include "mozart/Target/Oracle.h"
#include "mozart/Target/WidenElements.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include "absl/strings/str_cat.h"

#include <chrono>
#include <cstring>

using namespace mozart;

namespace {
llvm::cl::opt<std::string> modelPath(llvm::cl::Positional, llvm::cl::Required,
                                     llvm::cl::desc("<model.mlir>"));
llvm::cl::opt<std::string> functionName("function", llvm::cl::init("forward"),
                                        llvm::cl::desc("Function to run"));
llvm::cl::opt<std::string> inputPath("inputs", llvm::cl::Required,
                                     llvm::cl::desc("Arguments, as doubles"));
llvm::cl::opt<std::string> outputPath("o", llvm::cl::Required,
                                      llvm::cl::desc("Results, as doubles"));
llvm::cl::opt<bool> widen("widen", llvm::cl::desc("Run the model in f64"));
llvm::cl::opt<bool> timing("time",
                           llvm::cl::desc("Print seconds to compile and run"));

/// Takes numbers off the front of a file's contents.
class Reader {
public:
  explicit Reader(std::string contents) : contents(std::move(contents)) {}

  absl::StatusOr<std::vector<double>> take(int64_t count) {
    size_t bytes = static_cast<size_t>(count) * sizeof(double);
    if (contents.size() - position < bytes)
      return absl::InvalidArgumentError(
          absl::StrCat("the inputs end after ", contents.size(),
                       " bytes, expected at least ", position + bytes));
    std::vector<double> numbers(count);
    std::memcpy(numbers.data(), contents.data() + position, bytes);
    position += bytes;
    return numbers;
  }

  absl::Status finish() const {
    if (position == contents.size())
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "the inputs are ", contents.size(), " bytes, expected ", position));
  }

private:
  std::string contents;
  size_t position = 0;
};
} // namespace

static absl::StatusOr<Value> readArgument(Reader &reader,
                                          const ValueType &type) {
  std::vector<int32_t> ids;
  if (type.kind == ValueType::Kind::Routing) {
    absl::StatusOr<std::vector<double>> numbers = reader.take(type.elements());
    if (!numbers.ok())
      return numbers.status();
    for (double id : *numbers)
      ids.push_back(static_cast<int32_t>(id));
  }
  absl::StatusOr<std::vector<double>> numbers = reader.take(type.elements());
  if (!numbers.ok())
    return numbers.status();
  absl::StatusOr<Value> value =
      makeTensor(type.element, type.shape, *std::move(numbers));
  if (value.ok()) {
    value->type = type;
    value->ids = std::move(ids);
  }
  return value;
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static absl::Status runModel(mlir::ModuleOp module) {
  auto start = std::chrono::steady_clock::now();
  absl::StatusOr<CompiledFunction> compiled =
      CompiledFunction::compile(module, functionName);
  if (!compiled.ok())
    return compiled.status();
  if (timing)
    llvm::errs() << "compile_s " << secondsSince(start) << "\n";
  absl::StatusOr<std::string> contents = readFile(inputPath);
  if (!contents.ok())
    return contents.status();
  Reader reader(*std::move(contents));
  std::vector<Value> inputs;
  for (const ValueType &type : compiled->argumentTypes()) {
    absl::StatusOr<Value> input = readArgument(reader, type);
    if (!input.ok())
      return input.status();
    inputs.push_back(*std::move(input));
  }
  if (absl::Status status = reader.finish(); !status.ok())
    return status;
  start = std::chrono::steady_clock::now();
  absl::StatusOr<std::vector<Value>> results = compiled->run(inputs);
  if (!results.ok())
    return results.status();
  if (timing)
    llvm::errs() << "run_s " << secondsSince(start) << "\n";
  std::string bytes;
  auto append = [&](double number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  for (const Value &result : *results) {
    for (int32_t id : result.ids)
      append(id);
    for (double element : result.elements)
      append(element);
  }
  return writeFile(outputPath, bytes);
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs a model by its oracle\n");
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mozart::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(modelPath, &context);
  if (!module)
    return 1;
  if (widen) {
    auto wide = widenElements(*module);
    if (failed(wide))
      return 1;
    module = std::move(*wide);
  }
  if (absl::Status status = runModel(*module); !status.ok()) {
    llvm::errs() << "mozart-run-oracle: " << std::string(status.message())
                 << "\n";
    return 1;
  }
  return 0;
}
