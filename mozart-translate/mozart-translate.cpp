//===- mozart-translate.cpp - Between MLIR and other forms -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one registered translation. The result is held back until the
// translation has succeeded, so that an error never leaves an output file
// behind, nor spoils one that is there.
//
//===----------------------------------------------------------------------===//

#include "mozart/Support/AtomicFile.h"
#include "mozart/Target/RegisterTranslations.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

/// Leaves in --help the options of this tool and of its translations, which are
/// in categories that are called so, and none of the hundreds that come with
/// LLVM.
static void hideForeignOptions() {
  for (auto &entry : cl::getRegisteredOptions())
    if (llvm::none_of(entry.second->Categories,
                      [](cl::OptionCategory *category) {
                        return category->getName().starts_with("Options of ");
                      }))
      entry.second->setHiddenFlag(cl::Hidden);
}

/// Whether `translation` succeeds on the file `input`; appends to `result`.
static bool translate(const mlir::Translation &translation,
                      llvm::StringRef input, bool allowUnregistered,
                      std::string &result) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(
      input, translation.getInputAlignment().value_or(llvm::Align(1)), &error);
  if (!buffer) {
    llvm::errs() << "error: " << error << "\n";
    return false;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::MLIRContext context;
  context.allowUnregisteredDialects(allowUnregistered);
  context.printOpOnDiagnostic(false);
  mlir::SourceMgrDiagnosticHandler handler(*sources, &context);
  llvm::raw_string_ostream output(result);
  return mlir::succeeded(translation(sources, output, &context));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mozart::registerAllTranslations();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerTranslationCLOptions();
  cl::OptionCategory category("Options of mozart-translate");
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"));
  cl::opt<std::string> output(
      "o", cl::desc("Output file; '-' (the default) is standard output"),
      cl::value_desc("file"), cl::init("-"), cl::cat(category));
  cl::opt<bool> allowUnregistered(
      "allow-unregistered-dialect",
      cl::desc("Accept ops of dialects that are not known"), cl::cat(category));
  cl::opt<const mlir::Translation *, false, mlir::TranslationParser> requested(
      "", cl::desc("Translation to perform"), cl::Required, cl::cat(category));
  hideForeignOptions();
  cl::ParseCommandLineOptions(argc, argv, "Mozart's translations\n");

  std::string result;
  if (!translate(**&requested, input, allowUnregistered, result))
    return 1;
  if (absl::Status status = mozart::writeFile(output, result); !status.ok()) {
    llvm::errs() << "error: " << std::string(status.message()) << "\n";
    return 1;
  }
  return 0;
}
