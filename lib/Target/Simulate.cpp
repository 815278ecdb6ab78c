//===- Simulate.cpp - A program of the IR, in time -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/Simulate.h"

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Sim/ChakraTrace.h"
#include "mozart/Sim/CriticalPath.h"
#include "mozart/Sim/Estimate.h"
#include "mozart/Sim/PerfettoTrace.h"
#include "mozart/Sim/Report.h"
#include "mozart/Sim/ReportText.h"
#include "mozart/Sim/Tables.h"
#include "mozart/Sim/WhatIf.h"
#include "mozart/Support/AtomicFile.h"
#include "mozart/Target/ExportProgram.h"
#include "mozart/Target/RoutingSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <chrono>
#include <optional>
#include <set>

using namespace mlir;
using namespace mozart;

namespace cl = llvm::cl;

/// The trace that the program runs with; null where it has no MoE layers.
static FailureOr<std::unique_ptr<Trace>>
loadRouting(ModuleOp module, const Program &program, StringRef path) {
  if (program.moeLayers == 0)
    return std::unique_ptr<Trace>();
  FailureOr<Trace> trace =
      loadTrace(module, path, Draw::Evaluation, program.experts);
  if (failed(trace))
    return failure();
  return std::make_unique<Trace>(std::move(*trace));
}

static FailureOr<BoundRouting>
bindRouting(chiplet::ProgramOp op, const Program &program, const Trace &trace) {
  absl::StatusOr<BoundRouting> bound =
      BoundRouting::bind(trace, program.moeLayers, program.k, program.experts,
                         program.tokensPerMicroBatch, program.microBatches);
  if (!bound.ok())
    return op.emitOpError() << "cannot run with this trace: "
                            << std::string(bound.status().message());
  if (bound->wraps())
    op.emitWarning() << "the trace has " << trace.numTokens()
                     << " tokens and a step "
                     << program.tokensPerMicroBatch * program.microBatches
                     << "; its tokens repeat";
  if (trace.sharedByLayers() && program.moeLayers > 1)
    remark::analysis(
        op.getLoc(),
        remark::RemarkOpts::name("SharedRouting").category("simulate"))
        << "one layer of routing stands for all"
        << remark::metric("Layers", program.moeLayers);
  return *bound;
}

/// The first name that two outputs have.
static std::optional<std::string> sharedOutput(const SimulateOptions &options) {
  std::set<std::string> names;
  for (const std::string *name :
       {&options.timeline, &options.report, &options.csvDirectory,
        &options.machineDot, &options.taskDot, &options.chakraPrefix})
    if (!name->empty() && !names.insert(*name).second)
      return *name;
  return std::nullopt;
}

namespace {

/// A program that has been simulated, and what is told of it.
class Teller {
public:
  Teller(const Program &program, const MachineModel &machine,
         const BoundRouting *routing, const SimulateOptions &options)
      : program(program), machine(machine), routing(routing), options(options) {
  }

  absl::StatusOr<Simulated> run() {
    SimulationOptions simulation = options.simulation;
    simulation.recordLoads = !options.timeline.empty();
    simulation.recordLimits = needsPath();
    auto begin = std::chrono::steady_clock::now();
    RoutingCounter counter(program, routing);
    if (absl::Status status = counter.check(); !status.ok())
      return status;
    absl::StatusOr<SimulationResult> simulated =
        options.estimate ? estimate(program, machine, counter)
                         : simulate(program, machine, counter, simulation);
    std::chrono::duration<double> wall =
        std::chrono::steady_clock::now() - begin;
    if (!simulated.ok())
      return simulated.status();
    result = *std::move(simulated);
    absl::StatusOr<Report> report =
        makeReport(program, machine, counter, simulation, result, wall.count());
    if (!report.ok())
      return report.status();
    told.report = *std::move(report);
    if (options.estimate)
      told.report.set_network("estimate");
    if (needsPath())
      if (absl::Status status = explain(); !status.ok())
        return status;
    if (!options.summary && !options.explain)
      told.text = printReport(told.report);
    if (absl::Status status = writeFiles(); !status.ok())
      return status;
    return std::move(told);
  }

  const SimulationResult &simulation() const { return result; }

private:
  const Program &program;
  const MachineModel &machine;
  const BoundRouting *routing;
  const SimulateOptions &options;
  SimulationResult result;
  CriticalPath path;
  Simulated told;

  bool needsPath() const {
    return options.summary || options.explain ||
           !options.csvDirectory.empty() || !options.taskDot.empty();
  }

  absl::Status explain() {
    RoutingCounter counter(program, routing);
    absl::StatusOr<CriticalPath> found =
        criticalPath(program, machine, counter, result);
    if (!found.ok())
      return found.status();
    path = *std::move(found);
    if (options.summary)
      told.text = printSummary(program, result, path, told.report);
    if (!options.explain)
      return absl::OkStatus();
    absl::StatusOr<std::vector<WhatIf>> faster =
        whatIfs(program, machine, routing, options.simulation, result, path);
    if (!faster.ok())
      return faster.status();
    if (options.summary)
      told.text += "\n";
    told.text += printExplanation(program, result, path, *faster);
    addExplanation(told.report, program, machine, result, path, *faster);
    return absl::OkStatus();
  }

  absl::Status writeFiles() const {
    std::vector<std::pair<std::string, std::string>> files;
    if (!options.timeline.empty())
      files.emplace_back(options.timeline,
                         printPerfettoTrace(program, machine, result));
    if (!options.report.empty())
      files.emplace_back(options.report, printReport(told.report));
    if (!options.machineDot.empty())
      files.emplace_back(options.machineDot, printMachineDot(machine, result));
    if (!options.taskDot.empty()) {
      absl::StatusOr<std::string> dot =
          printTaskDot(program, machine, result, path);
      if (!dot.ok())
        return dot.status();
      files.emplace_back(options.taskDot, *std::move(dot));
    }
    if (!options.chakraPrefix.empty()) {
      RoutingCounter counter(program, routing);
      absl::StatusOr<std::vector<std::string>> traces =
          printChakraTraces(program, machine, counter, result);
      if (!traces.ok())
        return traces.status();
      for (size_t rank = 0; rank < traces->size(); ++rank)
        files.emplace_back(options.chakraPrefix + "." + std::to_string(rank) +
                               ".et",
                           std::move((*traces)[rank]));
    }
    if (!options.csvDirectory.empty()) {
      if (std::error_code error =
              llvm::sys::fs::create_directories(options.csvDirectory))
        return absl::UnavailableError("cannot make directory '" +
                                      options.csvDirectory +
                                      "': " + error.message());
      for (auto &[name, contents] :
           printCsvTables(program, machine, result, path, told.report))
        files.emplace_back(options.csvDirectory + "/" + name,
                           std::move(contents));
    }
    for (const auto &[name, contents] : files)
      if (absl::Status status = writeFile(name, contents); !status.ok())
        return status;
    return absl::OkStatus();
  }
};

} // namespace

FailureOr<Simulated> mozart::simulateModule(ModuleOp module,
                                            const SimulateOptions &options) {
  if (std::optional<std::string> name = sharedOutput(options))
    return module.emitError() << "two outputs go to '" << *name
                              << "'; expected a name of its own for each";
  if (options.estimate &&
      (options.summary || options.explain || !options.csvDirectory.empty() ||
       !options.taskDot.empty()))
    return module.emitError()
           << "an estimate has no critical path; leave out --summary, "
              "--explain, --csv-out and --task-dot-out, or --simulate";
  FailureOr<chiplet::ProgramOp> op = findProgram(module);
  if (failed(op))
    return failure();
  FailureOr<ExportedProgram> exported = exportProgram(*op);
  if (failed(exported))
    return failure();
  const Program &program = exported->program;
  FailureOr<std::unique_ptr<Trace>> trace =
      loadRouting(module, program, options.routing);
  if (failed(trace))
    return failure();
  std::optional<BoundRouting> bound;
  if (*trace) {
    FailureOr<BoundRouting> routing = bindRouting(*op, program, **trace);
    if (failed(routing))
      return failure();
    bound = *routing;
  }
  Teller teller(program, exported->machine, bound ? &*bound : nullptr, options);
  absl::StatusOr<Simulated> told = teller.run();
  if (!told.ok())
    return op->emitOpError() << std::string(told.status().message());
  for (const std::string &warning : teller.simulation().warnings)
    op->emitWarning() << warning;
  return *std::move(told);
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
struct SimulateFlags {
  cl::OptionCategory category{"Options of --simulate and --estimate"};
  cl::opt<std::string> routing{
      "routing",
      cl::desc(
          "Routing trace to run with (default: the module's profile, of an "
          "embedded one the evaluation draw)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<Network> network{
      "network", cl::desc("Fidelity of the network"),
      cl::values(clEnumValN(Network::Flow, "flow",
                            "transfers are fluids that share links (default)"),
                 clEnumValN(Network::Packet, "packet",
                            "rows and packets queue for links and buffers"),
                 clEnumValN(Network::Flit, "flit",
                            "cycle by cycle; for phases and small programs")),
      cl::init(Network::Flow), cl::cat(category)};
  cl::opt<std::string> timeline{"trace-out",
                                cl::desc("Also write a timeline for Perfetto"),
                                cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> summary{"summary",
                        cl::desc("Print a summary that a person can read, "
                                 "instead of the report as JSON"),
                        cl::cat(category)};
  cl::opt<bool> explain{
      "explain",
      cl::desc("Print the critical path, its causes and what would shorten it, "
               "instead of the report as JSON (after the summary, if that is "
               "asked for)"),
      cl::cat(category)};
  cl::opt<std::string> report{
      "report-out",
      cl::desc("Also write the report as JSON, with the explanation if that is "
               "asked for"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> csv{
      "csv-out",
      cl::desc("Also write layers.csv, resources.csv, memories.csv and "
               "tasks.csv"),
      cl::value_desc("directory"), cl::cat(category)};
  cl::opt<std::string> machineDot{
      "dot-out",
      cl::desc("Also write the machine as a DOT graph with utilisation"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> taskDot{
      "task-dot-out",
      cl::desc("Also write the tasks and their waits as a DOT graph"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> chakra{
      "chakra-out",
      cl::desc("Also write Chakra execution traces <prefix>.<rank>.et, one for "
               "each chiplet"),
      cl::value_desc("prefix"), cl::cat(category)};
};
} // namespace

/// Runs or estimates the program of `op` as the flags say; prints the report.
static LogicalResult tell(Operation *op, const SimulateFlags &flags,
                          bool estimate, raw_ostream &os) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return op->emitError() << "is a " << op->getName()
                           << ", expected a module with a program";
  if (estimate && flags.network.getNumOccurrences() > 0)
    return module.emitError()
           << "an estimate knows no fidelity of the network; "
              "leave out --network, or --simulate";
  SimulateOptions options;
  options.routing = flags.routing;
  options.simulation.network = flags.network;
  options.estimate = estimate;
  options.timeline = flags.timeline;
  options.summary = flags.summary;
  options.explain = flags.explain;
  options.report = flags.report;
  options.csvDirectory = flags.csv;
  options.machineDot = flags.machineDot;
  options.taskDot = flags.taskDot;
  options.chakraPrefix = flags.chakra;
  FailureOr<Simulated> told = simulateModule(module, options);
  if (failed(told))
    return failure();
  os << told->text;
  return success();
}

void mozart::registerSimulate() {
  static SimulateFlags flags;
  auto dialects = [](DialectRegistry &registry) {
    registry.insert<chiplet::ChipletDialect, func::FuncDialect, moe::MoEDialect,
                    nop::NoPDialect, wafer::WaferDialect>();
  };
  static TranslateFromMLIRRegistration simulation(
      "simulate", "Run a scheduled program on its machine; a report as JSON",
      [](Operation *op, raw_ostream &os) {
        return tell(op, flags, /*estimate=*/false, os);
      },
      dialects);
  static TranslateFromMLIRRegistration estimation(
      "estimate",
      "Estimate what --simulate would find, without simulating; the same "
      "report",
      [](Operation *op, raw_ostream &os) {
        return tell(op, flags, /*estimate=*/true, os);
      },
      dialects);
}
