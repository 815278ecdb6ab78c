//===- ReduceInSwitch.cpp - Sums formed by switches
//------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwitchBranches.h"

#include "mozart/Dialect/NoP/Transforms/Passes.h"

namespace mozart::nop {
#define GEN_PASS_DEF_NOPREDUCEINSWITCH
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"
} // namespace mozart::nop

using namespace mlir;
using namespace mozart;
using namespace mozart::nop;

static constexpr SwitchAbility kAbility = {"add", RouteTree::Direction::Inward,
                                           &NodeFacts::reduceBytesPerSecond,
                                           "reduce_bytes_per_second"};

static constexpr remark::RemarkOpts kRemark =
    remark::RemarkOpts::name("ReduceInSwitch").category("nop-reduce-in-switch");

namespace {
struct NoPReduceInSwitch
    : public mozart::nop::impl::NoPReduceInSwitchBase<NoPReduceInSwitch> {
  using NoPReduceInSwitchBase::NoPReduceInSwitchBase;

  void runOnOperation() override {
    getOperation().walk([](ReduceOp op) {
      if (op.getVia() == Via::Switch ||
          !canMoveToSwitches(op, op.getPlacement(), op.getRoot(), kAbility,
                             kRemark))
        return;
      op.setVia(Via::Switch);
      remark::passed(op.getLoc(), kRemark)
          << ("MoE layer " + Twine(op.getLayer()) + ": adding at the switches")
                 .str();
    });
  }
};
} // namespace
