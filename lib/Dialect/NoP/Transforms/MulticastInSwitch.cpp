//===- MulticastInSwitch.cpp - Copies made by switches
//---------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwitchBranches.h"

#include "mozart/Dialect/NoP/Transforms/Passes.h"

namespace mozart::nop {
#define GEN_PASS_DEF_NOPMULTICASTINSWITCH
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"
} // namespace mozart::nop

using namespace mlir;
using namespace mozart;
using namespace mozart::nop;

static constexpr SwitchAbility kAbility = {
    "copy", RouteTree::Direction::Outward, &NodeFacts::multicastBytesPerSecond,
    "multicast_bytes_per_second"};

static constexpr remark::RemarkOpts kRemark =
    remark::RemarkOpts::name("MulticastInSwitch")
        .category("nop-multicast-in-switch");

namespace {
struct NoPMulticastInSwitch
    : public mozart::nop::impl::NoPMulticastInSwitchBase<NoPMulticastInSwitch> {
  using NoPMulticastInSwitchBase::NoPMulticastInSwitchBase;

  void runOnOperation() override {
    getOperation().walk([](MulticastOp op) {
      if (op.getVia() == Via::Switch ||
          !canMoveToSwitches(op, op.getPlacement(), op.getRoot(), kAbility,
                             kRemark))
        return;
      op.setVia(Via::Switch);
      remark::passed(op.getLoc(), kRemark)
          << ("MoE layer " + Twine(op.getLayer()) + ": copying at the switches")
                 .str();
    });
  }
};
} // namespace
