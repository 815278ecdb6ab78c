//===- LoadMachine.cpp - Puts a machine into a module -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Wafer/Transforms/Passes.h"
#include "mozart/Support/AtomicFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

namespace mozart::wafer {
#define GEN_PASS_DEF_WAFERLOADMACHINE
#include "mozart/Dialect/Wafer/Transforms/Passes.h.inc"
} // namespace mozart::wafer

using namespace mlir;
using namespace mozart;
using namespace mozart::wafer;

static bool isPath(StringRef machine) {
  return machine.contains('/') || machine.ends_with(".mlir");
}

/// Says `diagnostic`, of another context, in that of `module`, at the same
/// place.
static void forward(ModuleOp module, Diagnostic &diagnostic) {
  Location location = module.getLoc();
  if (auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    location =
        FileLineColLoc::get(module.getContext(), file.getFilename().getValue(),
                            file.getLine(), file.getColumn());
  emitError(location) << diagnostic.str();
}

/// Whether `source` is a module of one machine and nothing else. Parsed in a
/// context of its own, because passes may run in parallel and must not load
/// whatever dialects a file asks for.
static LogicalResult checkSource(ModuleOp module, StringRef source,
                                 StringRef name) {
  DialectRegistry registry;
  registry.insert<WaferDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      forward(module, diagnostic);
    return success();
  });
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(source, &context, name);
  if (!parsed)
    return failure();
  auto machines = llvm::to_vector(parsed->getOps<MachineOp>());
  size_t ops = llvm::range_size(*parsed->getBody());
  if (machines.size() == 1 && ops == 1)
    return success();
  return module.emitError()
         << "'" << name << "' holds " << machines.size() << " machines among "
         << ops << " ops, expected one wafer.machine and nothing else";
}

/// Adds the one machine of `source`, unless the module has the same.
static FailureOr<MachineOp> addMachine(ModuleOp module, StringRef source,
                                       StringRef name) {
  if (failed(checkSource(module, source, name)))
    return failure();
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(source, module.getContext(), name);
  auto loaded = *parsed->getOps<MachineOp>().begin();
  Operation *present =
      SymbolTable::lookupSymbolIn(module, loaded.getSymNameAttr());
  if (!present) {
    loaded->remove();
    module.getBody()->push_front(loaded);
    return loaded;
  }
  if (OperationEquivalence::isEquivalentTo(
          present, loaded, OperationEquivalence::IgnoreLocations))
    return cast<MachineOp>(present);
  InFlightDiagnostic diag = present->emitError()
                            << "'" << loaded.getSymName()
                            << "' differs from the machine of that name "
                            << "in '" << name << "'; rename one of them";
  diag.attachNote(loaded.getLoc()) << "the other machine";
  return diag;
}

static FailureOr<MachineOp> loadFile(ModuleOp module, StringRef path) {
  absl::StatusOr<std::string> source = readFile(path.str());
  if (!source.ok())
    return module.emitError() << std::string(source.status().message());
  return addMachine(module, *source, path);
}

FailureOr<MachineOp> wafer::loadMachine(ModuleOp module, StringRef machine) {
  machine.consume_front("@");
  if (machine.empty())
    return module.emitError()
           << "no machine is named; expected machine=<name or path>";
  if (Operation *present = SymbolTable::lookupSymbolIn(module, machine)) {
    if (auto found = dyn_cast<MachineOp>(present))
      return found;
    return present->emitError()
           << "'" << machine << "' is a " << present->getName()
           << ", expected a wafer.machine";
  }
  if (isPath(machine))
    return loadFile(module, machine);
  for (const MachinePreset &preset : getMachinePresets())
    if (preset.name == machine)
      return addMachine(module, preset.source, ("preset " + machine).str());
  InFlightDiagnostic diag = module.emitError() << "'" << machine << "' is not ";
  if (!module.getOps<MachineOp>().empty())
    diag << "a machine of this module, not ";
  diag << "a path (with a '/' or ending in .mlir), and not one of the presets ";
  llvm::interleaveComma(
      getMachinePresets(), diag,
      [&](const MachinePreset &preset) { diag << "'" << preset.name << "'"; });
  return diag;
}

namespace {
struct WaferLoadMachine
    : public mozart::wafer::impl::WaferLoadMachineBase<WaferLoadMachine> {
  using WaferLoadMachineBase::WaferLoadMachineBase;

  void runOnOperation() override {
    if (failed(loadMachine(getOperation(), machine)))
      signalPassFailure();
  }
};
} // namespace
