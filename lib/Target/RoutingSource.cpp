//===- RoutingSource.cpp - The trace of a module --------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/RoutingSource.h"

#include "mozart/Dialect/MoE/IR/MoE.h"
#include "mozart/Routing/TraceIO.h"

using namespace mlir;
using namespace mozart;

static FailureOr<Trace> check(Operation *op, absl::StatusOr<Trace> trace) {
  if (trace.ok())
    return *std::move(trace);
  return op->emitError() << std::string(trace.status().message());
}

FailureOr<Trace> mozart::loadTrace(ModuleOp module, StringRef path, Draw draw,
                                   int64_t experts) {
  TraceReadOptions options;
  options.experts = experts;
  if (!path.empty())
    return check(module, readTrace(path.str(), options));
  auto profiles = module.getOps<moe::ProfileOp>();
  if (profiles.empty())
    return module.emitError()
           << "has no routing: no trace is named and the module has no "
              "moe.profile; name a trace or add one";
  moe::ProfileOp profile = *profiles.begin();
  if (profile.getKind() == moe::ProfileKind::Embedded)
    return check(profile, embeddedTrace(profile.getSource().str(), draw));
  return check(profile, readTrace(profile.getSource().str(), options));
}
