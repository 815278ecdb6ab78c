//===- VerifyModel.cpp - What phase 'model' promises ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelStructure.h"

#include "mozart/Dialect/MoE/Transforms/Passes.h"

namespace mozart::moe {
#define GEN_PASS_DEF_VERIFYMODEL
#include "mozart/Dialect/MoE/Transforms/Passes.h.inc"
} // namespace mozart::moe

using namespace mozart;

namespace {
struct VerifyModel : public moe::impl::VerifyModelBase<VerifyModel> {
  void runOnOperation() override {
    if (failed(moe::verifyModelStructure(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
