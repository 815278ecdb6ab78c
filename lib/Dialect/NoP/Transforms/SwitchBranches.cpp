//===- SwitchBranches.cpp - Where switches would copy or add --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwitchBranches.h"

#include "mozart/Dialect/Wafer/IR/Wafer.h"

using namespace mlir;
using namespace mozart;

bool nop::canMoveToSwitches(Operation *op, moe::PlacementAttr placement,
                            int64_t root, const SwitchAbility &ability,
                            const remark::RemarkOpts &remark) {
  wafer::MachineOp machine = wafer::lookupMachine(op, placement.getMachine());
  if (!machine)
    return false;
  MachineModel model = wafer::getMachineModel(machine);
  std::vector<int32_t> peers;
  for (const auto &[node, experts] : placement.getExpertsOf())
    peers.push_back(static_cast<int32_t>(node));
  std::vector<int32_t> branches =
      RouteTree(model, static_cast<int32_t>(root), peers, ability.direction)
          .branches();
  auto miss = [&](const Twine &why) {
    remark::missed(op->getLoc(), remark) << ("stays at the root: " + why).str();
    return false;
  };
  if (branches.empty())
    return miss("no two paths between the root and the chiplets share a link");
  for (int32_t branch : branches) {
    const NodeFacts &node = model.node(branch);
    if (node.isChiplet())
      return miss("chiplet '" + Twine(node.name) + "' would have to " +
                  ability.verb + ", but only switches can");
    if (node.*ability.rate == 0)
      return miss("switch '" + Twine(node.name) + "' cannot " + ability.verb +
                  " (" + ability.rateName + " is 0)");
  }
  return true;
}
