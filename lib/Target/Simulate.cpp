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
#include "mozart/Sim/PerfettoTrace.h"
#include "mozart/Sim/Report.h"
#include "mozart/Support/AtomicFile.h"
#include "mozart/Target/ExportProgram.h"
#include "mozart/Target/RoutingSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

#include <chrono>

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

FailureOr<Report> mozart::simulateModule(ModuleOp module,
                                         const SimulateOptions &options) {
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
  const BoundRouting *routing = bound ? &*bound : nullptr;

  SimulationOptions simulation = options.simulation;
  simulation.recordLoads = !options.timeline.empty();
  auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<SimulationResult> result =
      simulate(program, exported->machine, routing, simulation);
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!result.ok())
    return op->emitOpError() << std::string(result.status().message());
  for (const std::string &warning : result->warnings)
    op->emitWarning() << warning;
  absl::StatusOr<Report> report = makeReport(
      program, exported->machine, routing, simulation, *result, wall.count());
  if (!report.ok())
    return op->emitOpError() << std::string(report.status().message());
  if (options.timeline.empty())
    return *std::move(report);
  absl::Status written =
      writeFile(options.timeline,
                printPerfettoTrace(program, exported->machine, *result));
  if (!written.ok())
    return op->emitOpError() << std::string(written.message());
  return *std::move(report);
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
struct SimulateFlags {
  cl::OptionCategory category{"Options of --simulate"};
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
                            "rows and packets queue for links and buffers")),
      cl::init(Network::Flow), cl::cat(category)};
  cl::opt<std::string> timeline{"trace-out",
                                cl::desc("Also write a timeline for Perfetto"),
                                cl::value_desc("file"), cl::cat(category)};
};
} // namespace

void mozart::registerSimulate() {
  static SimulateFlags flags;
  static TranslateFromMLIRRegistration registration(
      "simulate", "Run a scheduled program on its machine; a report as JSON",
      [](Operation *op, raw_ostream &os) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError() << "is a " << op->getName()
                                 << ", expected a module with a program";
        SimulateOptions options;
        options.routing = flags.routing;
        options.simulation.network = flags.network;
        options.timeline = flags.timeline;
        FailureOr<Report> report = simulateModule(module, options);
        if (failed(report))
          return failure();
        os << printReport(*report);
        return success();
      },
      [](DialectRegistry &registry) {
        registry
            .insert<chiplet::ChipletDialect, func::FuncDialect, moe::MoEDialect,
                    nop::NoPDialect, wafer::WaferDialect>();
      });
}
