//===- SwitchBranches.h - Where switches would copy or add --------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_DIALECT_NOP_TRANSFORMS_SWITCHBRANCHES_H
#define MOZART_LIB_DIALECT_NOP_TRANSFORMS_SWITCHBRANCHES_H

#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Machine/RouteTree.h"

#include "mlir/IR/Remarks.h"

namespace mozart::nop {

/// What a switch must be able to do.
struct SwitchAbility {
  const char *verb; ///< "copy" or "add"
  RouteTree::Direction direction;
  int64_t NodeFacts::*rate;
  const char *rateName;
};

/// Whether the nodes where the paths between `root` and the chiplets of
/// `placement` part all have `ability`, and there is at least one. Where not, a
/// missed remark at `op` says why. False also where the machine is missing,
/// which the verifier of exchanges rules out.
bool canMoveToSwitches(mlir::Operation *op, moe::PlacementAttr placement,
                       int64_t root, const SwitchAbility &ability,
                       const mlir::remark::RemarkOpts &remark);

} // namespace mozart::nop

#endif // MOZART_LIB_DIALECT_NOP_TRANSFORMS_SWITCHBRANCHES_H
