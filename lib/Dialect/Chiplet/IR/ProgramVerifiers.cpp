//===- ProgramVerifiers.cpp - Programs as a whole -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

//===----------------------------------------------------------------------===//
// Against the workload
//===----------------------------------------------------------------------===//

static LogicalResult requireBelow(Operation *op, StringRef what,
                                  IntegerAttr value, int64_t end,
                                  StringRef plural) {
  if (value && value.getInt() >= end)
    return op->emitOpError()
           << "has " << what << " " << value.getInt()
           << ", but the workload has " << end << " " << plural;
  return success();
}

template <typename ExchangeOp>
static LogicalResult verifyRouting(ExchangeOp op, WorkloadAttr workload) {
  auto routing = cast<moe::RoutingType>(
      cast<BufferType>(op.getRouting().getType()).getContents());
  if (failed(requireBelow(op, "layer", op.getLayerAttr(),
                          workload.getMoeLayers(), "MoE layers")) ||
      failed(requireBelow(op, "micro-batch", op.getMicroBatchAttr(),
                          workload.getMicroBatches(), "micro-batches")))
    return failure();
  if (routing.getK() != workload.getK() ||
      routing.getExperts() != workload.getExperts())
    return op.emitOpError() << "is routed by " << routing
                            << ", but the workload has k = " << workload.getK()
                            << " of " << workload.getExperts() << " experts";
  int64_t begin = op.getTokenBeginAttr().getInt();
  if (begin > workload.getTokens() ||
      routing.getTokens() > workload.getTokens() - begin)
    return op.emitOpError()
           << "takes " << routing.getTokens() << " tokens from token " << begin
           << " on, but a micro-batch has " << workload.getTokens();
  return success();
}

static LogicalResult verifyInput(InputOp op, WorkloadAttr workload) {
  if (auto experts = op.getExpertsAttr())
    for (int64_t expert : experts.asArrayRef())
      if (expert >= workload.getExperts())
        return op.emitOpError()
               << "names expert " << expert << ", but the workload has "
               << workload.getExperts() << " experts";
  return requireBelow(op, "micro-batch", op.getMicroBatchAttr(),
                      workload.getMicroBatches(), "micro-batches");
}

LogicalResult ProgramOp::verifyRegions() {
  WorkloadAttr workload = getWorkload();
  for (Operation &op : getBody().front()) {
    if (!isa<AllocOp, InputOp, ViewOp, OutputOp, TaskOpInterface>(op))
      return op.emitOpError() << "is not part of a program; expected buffers, "
                                 "tasks and outputs of the chiplet dialect";
    LogicalResult fits =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<DispatchOp, CombineOp>([&](auto exchange) {
              return verifyRouting(exchange, workload);
            })
            .Case<InputOp>(
                [&](InputOp input) { return verifyInput(input, workload); })
            .Case<OutputOp>([&](OutputOp output) {
              return requireBelow(output, "micro-batch",
                                  output.getMicroBatchAttr(),
                                  workload.getMicroBatches(), "micro-batches");
            })
            .Default([](Operation *) { return success(); });
    if (failed(fits))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Against the machine
//===----------------------------------------------------------------------===//

static LogicalResult verifyPlace(Operation *op, BufferType buffer,
                                 const MachineFacts &facts) {
  bool sram = buffer.getMemory() == MemoryKind::Sram;
  int64_t count = sram ? facts.nodes.size() : facts.memories.size();
  if (buffer.getIndex() >= count)
    return op->emitOpError()
           << "is a " << buffer << ", but machine '" << facts.name << "' has "
           << count << (sram ? " nodes" : " memories");
  if (sram && !facts.nodes[buffer.getIndex()].isChiplet())
    return op->emitOpError()
           << "is a " << buffer << ", but node " << buffer.getIndex()
           << " of machine '" << facts.name << "' is a switch";
  return success();
}

/// `hosts`: what the chiplet must host for its role; null: anything.
static LogicalResult verifyNode(Operation *op, StringRef role, int64_t node,
                                bool NodeFacts::*hosts,
                                const MachineFacts &facts) {
  int64_t count = facts.nodes.size();
  if (node < 0 || node >= count)
    return op->emitOpError() << role << " node " << node << ", but machine '"
                             << facts.name << "' has " << count << " nodes";
  const NodeFacts &found = facts.nodes[node];
  if (!found.isChiplet())
    return op->emitOpError()
           << role << " node " << node << " ('" << found.name
           << "') of machine '" << facts.name << "', which is a switch";
  if (hosts && !(found.*hosts))
    return op->emitOpError()
           << role << " node " << node << " ('" << found.name
           << "') of machine '" << facts.name << "', which does not host "
           << (hosts == &NodeFacts::hostsExperts ? "experts" : "attention");
  return success();
}

template <typename ExchangeOp>
static LogicalResult verifyExchangeNodes(ExchangeOp op,
                                         const MachineFacts &facts) {
  moe::PlacementAttr placement = op.getPlacement();
  if (placement.getMachine().getValue() != facts.name)
    return op.emitOpError()
           << "is placed on machine '" << placement.getMachine().getValue()
           << "', but the program is for '" << facts.name << "'";
  if (failed(verifyNode(op, "has its root on", op.getNodeAttr().getInt(),
                        &NodeFacts::hostsAttention, facts)))
    return failure();
  for (const auto &[node, experts] : placement.getExpertsOf())
    if (failed(verifyNode(op, "places experts on", node,
                          &NodeFacts::hostsExperts, facts)))
      return failure();
  return success();
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &) {
  wafer::MachineOp machine = wafer::lookupMachine(*this, getMachineAttr());
  if (!machine)
    return failure();
  MachineFacts facts = wafer::getMachineFacts(machine);
  for (Operation &op : getBody().front()) {
    for (Type type : op.getResultTypes())
      if (auto buffer = dyn_cast<BufferType>(type))
        if (failed(verifyPlace(&op, buffer, facts)))
          return failure();
    LogicalResult fits =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<DispatchOp, CombineOp>([&](auto exchange) {
              return verifyExchangeNodes(exchange, facts);
            })
            .Case<ComputeOp>([&](ComputeOp compute) {
              return verifyNode(compute, "is on",
                                compute.getNodeAttr().getInt(), nullptr, facts);
            })
            .Default([](Operation *) { return success(); });
    if (failed(fits))
      return failure();
  }
  return success();
}
