//===- RoutingFlags.cpp - Options that translations of traces share -------
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutingFlags.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mozart;
namespace cl = llvm::cl;

static cl::opt<int64_t> &experts() {
  static cl::opt<int64_t> flag(
      "experts",
      cl::desc("Routed experts of the model (default: what the trace says; of "
               ".npy, which does not say, the highest id + 1)"),
      cl::value_desc("N"), cl::init(0));
  return flag;
}

static cl::opt<TraceFormat> &routingFormat() {
  static cl::opt<TraceFormat> flag(
      "routing-format", cl::desc("Form of the trace to write (required)"),
      cl::values(
          clEnumValN(TraceFormat::Npy, "npy",
                     "NumPy array [token, layer, k], or [token, k] of a layer "
                     "that stands for all"),
          clEnumValN(TraceFormat::Jsonl, "jsonl", "JSON lines"),
          clEnumValN(TraceFormat::Proto, "proto",
                     "protobuf message mozart.RoutingTrace")),
      cl::init(TraceFormat::Auto));
  return flag;
}

cl::opt<int64_t> &mozart::expertsFlag(cl::OptionCategory &category) {
  experts().addCategory(category);
  return experts();
}

cl::opt<TraceFormat> &mozart::routingFormatFlag(cl::OptionCategory &category) {
  routingFormat().addCategory(category);
  return routingFormat();
}

FailureOr<Trace> mozart::parseRouting(const llvm::SourceMgr &sources,
                                      MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef name = buffer->getBufferIdentifier();
  auto reject = [&](const absl::Status &status) {
    return emitError(UnknownLoc::get(context))
           << "routing trace '" << name
           << "': " << std::string(status.message());
  };
  absl::string_view contents(buffer->getBufferStart(), buffer->getBufferSize());
  absl::StatusOr<TraceFormat> format =
      detectTraceFormat({name.data(), name.size()}, contents);
  if (!format.ok())
    return reject(format.status());
  TraceReadOptions options;
  options.format = *format;
  options.experts = experts();
  absl::StatusOr<Trace> trace = parseTrace(contents, options);
  if (!trace.ok())
    return reject(trace.status());
  return *std::move(trace);
}

LogicalResult mozart::printRouting(const Trace &trace, StringRef sourceName,
                                   uint64_t seed, llvm::raw_ostream &output,
                                   MLIRContext *context) {
  TraceWriteOptions options;
  options.format = routingFormat();
  options.sourceName = sourceName.str();
  options.seed = seed;
  if (options.format == TraceFormat::Auto)
    return emitError(UnknownLoc::get(context))
           << "the form to write is not known; give "
              "--routing-format=npy, jsonl or proto";
  absl::StatusOr<std::string> contents = printTrace(trace, options);
  if (!contents.ok())
    return emitError(UnknownLoc::get(context))
           << std::string(contents.status().message());
  output << *contents;
  return success();
}
