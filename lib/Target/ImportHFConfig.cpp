//===- ImportHFConfig.cpp - Hugging Face configurations to models -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/ImportHFConfig.h"

#include "HFConfig.h"
#include "HFModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mozart;
namespace cl = llvm::cl;

OwningOpRef<ModuleOp> mozart::importHFConfig(llvm::MemoryBufferRef buffer,
                                             MLIRContext *context,
                                             const HFImportOptions &options) {
  context->loadDialect<func::FuncDialect, moe::MoEDialect>();
  std::optional<HFConfig> config = HFConfig::parse(buffer, context);
  if (!config)
    return {};
  std::optional<HFModel> model = readHFModel(*config, options);
  if (!model)
    return {};
  OwningOpRef<ModuleOp> module = buildHFModel(*model, context);
  if (failed(verify(*module)))
    return {};
  return module;
}

void mozart::printImported(ModuleOp module, llvm::raw_ostream &output) {
  module.print(output, OpPrintingFlags().printNameLocAsPrefix());
  output << "\n";
}

namespace {
struct Options {
  HFImportOptions defaults;
  cl::OptionCategory category{"Options of --import-hf-config"};
  cl::opt<int64_t> sequences{"sequences",
                             cl::desc("Sequences of a step (default 32)"),
                             cl::init(defaults.sequences), cl::cat(category)};
  cl::opt<int64_t> sequenceLength{
      "sequence-length", cl::desc("Tokens of a sequence (default 256)"),
      cl::init(defaults.sequenceLength), cl::cat(category)};
  cl::opt<int64_t> microBatches{
      "micro-batches",
      cl::desc(
          "Micro-batches of a step, a divisor of the sequences (default 4)"),
      cl::init(defaults.microBatches), cl::cat(category)};
  cl::opt<std::string> elementType{
      "element-type",
      cl::desc("f16 (default: what the paper computes in), bf16, f32, f64, or "
               "config: the configuration's dtype"),
      cl::init(defaults.elementType), cl::cat(category)};
  cl::opt<std::string> name{
      "model-name",
      cl::desc("Name of the model (default: that of the published model with "
               "these sizes, else the configuration's model_type)"),
      cl::cat(category)};
};
} // namespace

void mozart::registerImportHFConfig() {
  static Options options;
  static TranslateRegistration registration(
      "import-hf-config",
      "Hugging Face config.json to a moe module, without embedding and LM head",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        HFImportOptions chosen;
        chosen.sequences = options.sequences;
        chosen.sequenceLength = options.sequenceLength;
        chosen.microBatches = options.microBatches;
        chosen.elementType = options.elementType;
        chosen.name = options.name;
        const llvm::MemoryBuffer *buffer =
            sources->getMemoryBuffer(sources->getMainFileID());
        OwningOpRef<ModuleOp> module =
            importHFConfig(buffer->getMemBufferRef(), context, chosen);
        if (!module)
          return failure();
        printImported(*module, output);
        return success();
      });
}
