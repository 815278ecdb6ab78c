//===- ExportRouting.cpp - The routing trace of a module ------------------
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutingFlags.h"
#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Target/RoutingSource.h"
#include "mozart/Target/RoutingTranslations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mozart;
namespace cl = llvm::cl;

namespace {
struct ExportRoutingFlags {
  cl::OptionCategory category{"Options of --export-routing"};
  cl::opt<int64_t> &experts = expertsFlag(category);
  cl::opt<TraceFormat> &format = routingFormatFlag(category);
  cl::opt<Draw> draw{
      "draw", cl::desc("Tokens of an embedded trace"),
      cl::values(clEnumValN(Draw::Profile, "profile",
                            "those that a compilation sees (default)"),
                 clEnumValN(Draw::Evaluation, "evaluation",
                            "those that a simulation sees")),
      cl::init(Draw::Profile), cl::cat(category)};
};
} // namespace

/// The seed of the embedded trace of `model`; 0 of any other.
static uint64_t seedOf(StringRef model) {
  for (const EmbeddedTraceModel &embedded : EmbeddedTraceModel::all())
    if (model == embedded.name)
      return embedded.router.seed;
  return 0;
}

static LogicalResult exportRouting(ModuleOp module,
                                   const ExportRoutingFlags &flags,
                                   raw_ostream &output) {
  FailureOr<Trace> trace = loadTrace(module, "", flags.draw, flags.experts);
  if (failed(trace))
    return failure();
  moe::ProfileOp profile = *module.getOps<moe::ProfileOp>().begin();
  bool embedded = profile.getKind() == moe::ProfileKind::Embedded;
  if (!embedded && flags.draw.getNumOccurrences() > 0)
    return profile.emitError()
           << "names a file, which is one draw; leave out --draw";
  if (flags.experts > 0 && trace->numExperts() != flags.experts)
    return profile.emitError()
           << "embedded routing is over " << trace->numExperts()
           << " experts, expected " << flags.experts.getValue();
  return printRouting(*trace, profile.getSource(),
                      embedded ? seedOf(profile.getSource()) : 0, output,
                      module.getContext());
}

void mozart::registerExportRouting() {
  static ExportRoutingFlags flags;
  static TranslateFromMLIRRegistration registration(
      "export-routing",
      "Routing trace that a module's moe.profile names, a file or an embedded "
      "one",
      [](Operation *op, raw_ostream &output) -> LogicalResult {
        auto module = dyn_cast<ModuleOp>(op);
        if (!module)
          return op->emitError() << "is a " << op->getName()
                                 << ", expected a module with a moe.profile";
        return exportRouting(module, flags, output);
      },
      [](DialectRegistry &registry) {
        // Whatever the module has come to, from a model to a program.
        registerAllDialects(registry);
        registry.insert<chiplet::ChipletDialect, moe::MoEDialect,
                        nop::NoPDialect, wafer::WaferDialect>();
      });
}
