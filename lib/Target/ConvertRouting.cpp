//===- ConvertRouting.cpp - Routing traces from form to form --------------
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutingFlags.h"
#include "mozart/Target/RoutingTranslations.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mozart;

void mozart::registerConvertRouting() {
  static llvm::cl::OptionCategory category("Options of --convert-routing");
  expertsFlag(category);
  routingFormatFlag(category);
  static TranslateRegistration registration(
      "convert-routing",
      "Routing trace (.npy, .jsonl or .pb) to the form of --routing-format",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         llvm::raw_ostream &output, MLIRContext *context) -> LogicalResult {
        FailureOr<Trace> trace = parseRouting(*sources, context);
        if (failed(trace))
          return failure();
        StringRef path = sources->getMemoryBuffer(sources->getMainFileID())
                             ->getBufferIdentifier();
        return printRouting(*trace, llvm::sys::path::filename(path), /*seed=*/0,
                            output, context);
      });
}
