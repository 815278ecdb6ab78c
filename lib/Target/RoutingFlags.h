//===- RoutingFlags.h - Options that translations of traces share -*- C++ -*-
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_LIB_TARGET_ROUTINGFLAGS_H
#define MOZART_LIB_TARGET_ROUTINGFLAGS_H

#include "mozart/Routing/TraceIO.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mozart {

/// --experts, listed under `category` as well.
llvm::cl::opt<int64_t> &expertsFlag(llvm::cl::OptionCategory &category);

/// --routing-format (Auto: not given), listed under `category` as well.
llvm::cl::opt<TraceFormat> &
routingFormatFlag(llvm::cl::OptionCategory &category);

/// The trace in the main file of `sources`, over the experts of --experts.
/// Reports what is wrong with it, and fails.
mlir::FailureOr<Trace> parseRouting(const llvm::SourceMgr &sources,
                                    mlir::MLIRContext *context);

/// Writes a trace in the form of --routing-format. Reports that there is none,
/// and fails.
mlir::LogicalResult printRouting(const Trace &trace, llvm::StringRef sourceName,
                                 uint64_t seed, llvm::raw_ostream &output,
                                 mlir::MLIRContext *context);

} // namespace mozart

#endif // MOZART_LIB_TARGET_ROUTINGFLAGS_H
