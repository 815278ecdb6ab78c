//===- Execute.cpp - A program of the IR, in values -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/Execute.h"

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Sim/ValueCompare.h"
#include "mozart/Sim/ValueEngine.h"
#include "mozart/Support/SplitMix64.h"
#include "mozart/Target/CustomKernels.h"
#include "mozart/Target/ExportProgram.h"
#include "mozart/Target/Oracle.h"
#include "mozart/Target/WidenElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace mlir;
using namespace mozart;

namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Streams of random numbers, one for each argument and micro-batch.
static constexpr uint64_t kArgumentStream = 1;

/// Roughly normal numbers of variance 1 / sqrt(rows), as weights have; a mask
/// has one bit in four set.
static LogicalResult fill(Operation *op, mozart::Value &value,
                          SplitMix64 random) {
  double rows =
      value.type.shape.size() > 1
          ? static_cast<double>(value.type.shape[value.type.shape.size() - 2])
          : 1.0;
  for (double &element : value.elements) {
    if (value.type.element == ElementType::I1) {
      element = random.below(4) == 0 ? 1 : 0;
      continue;
    }
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += static_cast<double>(random.below(uint64_t(1) << 32)) * 0x1p-32;
    element = sum / std::sqrt(rows);
  }
  // Arguments are what memory can hold.
  absl::StatusOr<mozart::Value> rounded = makeTensor(
      value.type.element, value.type.shape, std::move(value.elements));
  if (!rounded.ok())
    return op->emitOpError() << std::string(rounded.status().message());
  value = *std::move(rounded);
  return success();
}

/// The arguments that the inputs of a program are parts of.
static FailureOr<std::vector<Argument>>
makeArguments(chiplet::ProgramOp op, const Program &program, uint64_t seed) {
  std::map<int32_t, std::pair<ValueType, bool>> types; // type, per micro-batch
  for (const Input &input : program.inputs) {
    ValueType type = program.buffers[input.buffer].type;
    if (!input.experts.empty())
      type.shape.front() = program.experts;
    types[input.argument] = {type, input.microBatch >= 0};
  }
  std::vector<Argument> arguments(types.empty() ? 0
                                                : types.rbegin()->first + 1);
  for (const auto &[index, entry] : types) {
    int64_t copies = entry.second ? program.microBatches : 1;
    for (int64_t copy = 0; copy < copies; ++copy) {
      absl::StatusOr<mozart::Value> value = makeValue(entry.first);
      if (!value.ok())
        return op.emitOpError() << std::string(value.status().message());
      SplitMix64 random(
          seed, kArgumentStream,
          static_cast<uint64_t>(index * program.microBatches + copy));
      if (failed(fill(op, *value, random)))
        return failure();
      arguments[index].copies.push_back(*std::move(value));
    }
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// A copy of the model in f64 whose function also yields the ids of every MoE
/// layer, in order.
static FailureOr<OwningOpRef<ModuleOp>> makeReference(ModuleOp model) {
  FailureOr<OwningOpRef<ModuleOp>> wide = widenElements(model);
  if (failed(wide))
    return failure();
  SmallVector<func::FuncOp> functions;
  for (auto function : (*wide)->getOps<func::FuncOp>())
    if (function->hasAttr("moe.model"))
      functions.push_back(function);
  if (functions.size() != 1)
    return model.emitError() << "has " << functions.size()
                             << " functions with 'moe.model', expected exactly "
                                "one to compare with";
  func::FuncOp function = functions.front();
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<mlir::Value> results(terminator->getOperands());
  for (auto route : function.front().getOps<moe::RouteOp>()) {
    moe::RoutingType type = route.getRouting().getType();
    SmallVector<int64_t> shape = {type.getTokens(), type.getK()};
    auto unpack = moe::UnpackOp::create(
        builder, route.getLoc(),
        RankedTensorType::get(shape, builder.getI32Type()),
        RankedTensorType::get(shape, type.getGateType()), route.getRouting());
    results.push_back(unpack.getIds());
  }
  terminator->setOperands(results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.removeResAttrsAttr();
  return std::move(*wide);
}

/// Half the distance from 1 to the next number that a type holds.
static double epsilonOf(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return 0x1p-11;
  case ElementType::BF16:
    return 0x1p-8;
  case ElementType::F32:
    return 0x1p-24;
  default:
    return 0x1p-53;
  }
}

namespace {
class Comparison {
public:
  Comparison(chiplet::ProgramOp op, const Program &program,
             const std::vector<Argument> &arguments, const ValueReport &report)
      : op(op), program(program), arguments(arguments), report(report) {}

  LogicalResult run(ModuleOp model) {
    FailureOr<OwningOpRef<ModuleOp>> reference = makeReference(model);
    if (failed(reference))
      return failure();
    std::string name;
    for (auto function : (*reference)->getOps<func::FuncOp>())
      if (function->hasAttr("moe.model")) {
        name = function.getSymName().str();
        storedOps = function.front().getOperations().size();
      }
    absl::StatusOr<CompiledFunction> compiled =
        CompiledFunction::compile(**reference, name);
    if (!compiled.ok())
      return op.emitOpError() << "cannot be compared: "
                              << std::string(compiled.status().message());
    for (int64_t batch = 0; batch < program.microBatches; ++batch)
      if (failed(compareBatch(*compiled, batch)))
        return failure();
    return success();
  }

private:
  LogicalResult compareBatch(const CompiledFunction &reference, int64_t batch) {
    std::vector<mozart::Value> inputs;
    for (auto [index, type] : llvm::enumerate(reference.argumentTypes())) {
      absl::StatusOr<mozart::Value> input = makeValue(type);
      bool sameShape = true;
      if (input.ok() && index < arguments.size() &&
          !arguments[index].copies.empty()) {
        const auto &copies = arguments[index].copies;
        const mozart::Value &copy = copies[copies.size() == 1 ? 0 : batch];
        sameShape = copy.type.shape == type.shape;
        input->elements = copy.elements;
      }
      if (!input.ok() || !sameShape)
        return op.emitOpError()
               << "argument " << index
               << " of the model has another shape than the "
                  "program's; was it compiled from this model?";
      inputs.push_back(*std::move(input));
    }
    absl::StatusOr<std::vector<mozart::Value>> expected = reference.run(inputs);
    if (!expected.ok())
      return op.emitOpError() << "cannot run the model: "
                              << std::string(expected.status().message());
    size_t results = expected->size() - program.moeLayers;
    for (int64_t layer = 0; layer < program.moeLayers; ++layer)
      if (failed(compareChoices((*expected)[results + layer], layer, batch)))
        return failure();
    for (const ResultValue &result : report.results)
      if (result.microBatch == batch &&
          failed(compareResult(result, (*expected)[result.result])))
        return failure();
    return success();
  }

  LogicalResult compareChoices(const mozart::Value &expected, int64_t layer,
                               int64_t batch) {
    for (const DispatchedIds &routing : report.routings) {
      if (routing.layer != layer || routing.microBatch != batch)
        continue;
      for (size_t i = 0; i < routing.ids.size(); ++i)
        if (routing.ids[i] != static_cast<int32_t>(expected.elements[i]))
          return op.emitOpError()
                 << "sends token " << i / program.k << " of micro-batch "
                 << batch << " in MoE layer " << layer << " to expert "
                 << routing.ids[i] << " (slot " << i % program.k
                 << "), the model to expert "
                 << static_cast<int64_t>(expected.elements[i])
                 << "; near a tie, try another seed";
    }
    return success();
  }

  /// Terms on the longest chain of sums: the lengths of what one micro-batch's
  /// kernels sum over.
  int64_t chainLength() const {
    int64_t length = 1;
    for (const Task &task : program.tasks)
      for (const KernelStep &step : task.steps)
        if (!step.resultTypes.empty() && step.resultTypes[0].shape.size() > 1)
          length += step.resultTypes[0].shape.back();
    return length / program.microBatches + 1;
  }

  /// What roundings add up to, relative to the terms: one for each op whose
  /// result is stored, and one for each addition in the type that sums are
  /// formed in (f64 for f64, else f32).
  double relativeError(ElementType element) const {
    double sums = epsilonOf(element == ElementType::F64 ? ElementType::F64
                                                        : ElementType::F32);
    return static_cast<double>(storedOps) * epsilonOf(element) +
           static_cast<double>(chainLength()) * sums;
  }

  LogicalResult compareResult(const ResultValue &result,
                              const mozart::Value &expected) {
    int64_t width =
        expected.type.shape.empty() ? 1 : expected.type.shape.back();
    std::vector<double> terms(expected.elements.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      size_t row = i / width * width;
      terms[i] = 1;
      for (int64_t j = 0; j < width; ++j)
        terms[i] += std::abs(expected.elements[row + j]);
    }
    absl::Status same =
        compareWithBound(result.value.elements, expected.elements, terms, 1,
                         relativeError(result.value.type.element));
    if (same.ok())
      return success();
    return op.emitOpError()
           << "result " << result.result << " of micro-batch "
           << result.microBatch
           << " is not the model's: " << std::string(same.message());
  }

  chiplet::ProgramOp op;
  const Program &program;
  const std::vector<Argument> &arguments;
  const ValueReport &report;
  int64_t storedOps = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static std::string describe(const Program &program, const ValueReport &report,
                            const ExecuteOptions &options) {
  nlohmann::ordered_json json;
  json["model"] = program.model;
  json["machine"] = program.machine;
  json["preset"] = program.preset;
  json["seed"] = options.seed;
  json["orders"] = report.orders;
  json["equal_to_model"] =
      options.model ? nlohmann::ordered_json(true) : nlohmann::ordered_json();
  json["results"] = nlohmann::ordered_json::array();
  for (const ResultValue &result : report.results) {
    nlohmann::ordered_json entry;
    entry["result"] = result.result;
    entry["micro_batch"] = result.microBatch;
    entry["shape"] = result.value.type.shape;
    entry["values"] = result.value.elements;
    json["results"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

FailureOr<std::string> mozart::executeModule(ModuleOp module,
                                             const ExecuteOptions &options) {
  FailureOr<chiplet::ProgramOp> op = findProgram(module);
  if (failed(op))
    return failure();
  FailureOr<ExportedProgram> exported = exportProgram(*op);
  if (failed(exported))
    return failure();
  KernelRegistry kernels;
  if (failed(registerCustomKernels(*op, kernels)))
    return failure();
  FailureOr<std::vector<Argument>> arguments =
      makeArguments(*op, exported->program, options.seed);
  if (failed(arguments))
    return failure();
  ValueOptions values;
  values.seed = options.seed;
  values.randomOrders = options.randomOrders;
  values.kernels = &kernels;
  absl::StatusOr<ValueReport> report =
      executeProgram(exported->program, exported->machine, *arguments, values);
  if (!report.ok())
    return op->emitOpError() << std::string(report.status().message());
  if (options.model &&
      failed(Comparison(*op, exported->program, *arguments, *report)
                 .run(options.model)))
    return failure();
  return describe(exported->program, *report, options);
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
struct ExecuteFlags {
  cl::OptionCategory category{"Options of --execute"};
  cl::opt<std::string> compare{
      "compare", cl::desc("Model (MLIR) to hold the results against"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("Seed of arguments and orders (default 1)"),
                         cl::init(1), cl::cat(category)};
  cl::opt<int32_t> orders{
      "random-orders",
      cl::desc("Orders to run besides the two extremes (default 2)"),
      cl::init(2), cl::cat(category)};
};
} // namespace

static void insertDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, chiplet::ChipletDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  moe::MoEDialect, nop::NoPDialect, scf::SCFDialect,
                  tensor::TensorDialect, wafer::WaferDialect>();
}

void mozart::registerExecute() {
  static ExecuteFlags flags;
  static TranslateFromMLIRRegistration registration(
      "execute",
      "Run a scheduled program on random numbers, in simulated memories",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError() << "is a " << op->getName()
                                 << ", expected a module with a program";
        ExecuteOptions options;
        options.seed = flags.seed;
        options.randomOrders = flags.orders;
        OwningOpRef<ModuleOp> model;
        if (!flags.compare.empty()) {
          model = parseSourceFile<ModuleOp>(flags.compare, op->getContext());
          if (!model)
            return op->emitError() << "cannot be compared: no model in '"
                                   << flags.compare << "'";
          options.model = *model;
        }
        FailureOr<std::string> json = executeModule(module, options);
        if (failed(json))
          return failure();
        os << *json;
        return success();
      },
      insertDialects);
}
