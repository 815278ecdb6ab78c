//===- NoP.cpp - The network dialect -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/NoP/IR/NoP.h"

#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Support/Assembly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::nop;

#include "mozart/Dialect/NoP/IR/NoPDialect.cpp.inc"
#include "mozart/Dialect/NoP/IR/NoPEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mozart/Dialect/NoP/IR/NoPAttrs.cpp.inc"

static ParseResult parseNodes(AsmParser &parser, SmallVector<int64_t> &nodes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    return parser.parseInteger(nodes.emplace_back());
  });
}

static void printNodes(AsmPrinter &printer, ArrayRef<int64_t> nodes) {
  printer << "[";
  llvm::interleaveComma(nodes, printer);
  printer << "]";
}

#define GET_TYPEDEF_CLASSES
#include "mozart/Dialect/NoP/IR/NoPTypes.cpp.inc"

void NoPDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mozart/Dialect/NoP/IR/NoPAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mozart/Dialect/NoP/IR/NoPTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mozart/Dialect/NoP/IR/NoPOps.cpp.inc"
      >();
}

LogicalResult
DistributedType::verify(function_ref<InFlightDiagnostic()> emitError,
                        Type local, ArrayRef<int64_t> nodes) {
  if (auto routing = dyn_cast<moe::RoutingType>(local)) {
    if (!routing.getLocal())
      return emitError() << "a node holds " << local
                         << ", expected a local routing";
    if (ShapedType::isDynamic(routing.getTokens()))
      return emitError() << "a node holds " << local
                         << ", expected a known number of tokens ('?' would be "
                            "the node's number of experts)";
  } else if (!isa<RankedTensorType>(local)) {
    return emitError() << "a node holds " << local
                       << ", expected a ranked tensor or a local routing";
  }
  if (nodes.empty())
    return emitError() << "is on no node, expected at least one";
  for (auto [index, node] : llvm::enumerate(nodes))
    if (node < 0 || (index > 0 && node <= nodes[index - 1]))
      return emitError() << "lists node " << node << " at position " << index
                         << ", expected distinct indices in ascending order";
  return success();
}

Type nop::instantiate(Type type, int64_t experts) {
  if (auto routing = dyn_cast<moe::RoutingType>(type)) {
    if (!ShapedType::isDynamic(routing.getExperts()))
      return type;
    return moe::RoutingType::get(type.getContext(), routing.getTokens(),
                                 routing.getK(), experts, routing.getGateType(),
                                 routing.getLocal());
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  llvm::replace(shape, ShapedType::kDynamic, experts);
  return tensor.clone(shape);
}

FailureOr<int64_t> nop::getScatterRows(moe::RoutingType routing,
                                       moe::PlacementAttr placement) {
  int64_t most = 0;
  for (const auto &[node, experts] : placement.getExpertsOf())
    most = std::max<int64_t>(most, experts.size());
  int64_t rows;
  if (__builtin_mul_overflow(routing.getTokens(),
                             std::min(most, routing.getK()), &rows))
    return failure();
  return rows;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "mozart/Dialect/NoP/IR/NoPOps.cpp.inc"

LogicalResult nop::verifyPlacementOnMachine(Operation *op,
                                            moe::PlacementAttr placement,
                                            std::optional<int64_t> root) {
  wafer::MachineOp machine = wafer::lookupMachine(op, placement.getMachine());
  if (!machine)
    return failure();
  MachineFacts facts = wafer::getMachineFacts(machine);
  auto check = [&](int64_t node, bool NodeFacts::*hosts,
                   StringRef role) -> LogicalResult {
    if (node < 0 || node >= static_cast<int64_t>(facts.nodes.size()))
      return op->emitOpError()
             << role << " node " << node << ", but machine '" << facts.name
             << "' has nodes 0 to " << facts.nodes.size() - 1;
    if (!(facts.nodes[node].*hosts))
      return op->emitOpError()
             << role << " node " << node << " ('" << facts.nodes[node].name
             << "') of machine '" << facts.name << "', which does not host "
             << (hosts == &NodeFacts::hostsExperts ? "experts" : "attention");
    return success();
  };
  if (root &&
      failed(check(*root, &NodeFacts::hostsAttention, "has its root on")))
    return failure();
  for (const auto &[node, experts] : placement.getExpertsOf())
    if (failed(check(node, &NodeFacts::hostsExperts, "places experts on")))
      return failure();
  return success();
}

/// A distributed operand or result: its nodes and what each holds.
static LogicalResult verifyDistributed(Operation *op, StringRef role,
                                       DistributedType type,
                                       moe::PlacementAttr placement,
                                       Type local) {
  SmallVector<int64_t> nodes;
  for (const auto &[node, experts] : placement.getExpertsOf())
    nodes.push_back(node);
  auto expected = DistributedType::get(op->getContext(), local, nodes);
  if (type != expected)
    return op->emitOpError()
           << role << " is " << type << ", expected " << expected;
  return success();
}

/// What the four exchanges share: a global routing of the placed experts.
static LogicalResult verifyExchange(Operation *op, moe::RoutingType routing,
                                    moe::PlacementAttr placement,
                                    IntegerAttr layer) {
  if (routing.getLocal() || ShapedType::isDynamic(routing.getTokens()))
    return op->emitOpError() << "is routed by " << routing
                             << ", expected a global routing of a known number "
                                "of tokens";
  if (placement.getNumExperts() != routing.getExperts())
    return op->emitOpError()
           << "has a placement of " << placement.getNumExperts()
           << " experts, expected " << routing.getExperts();
  if (layer.getInt() < 0)
    return op->emitOpError()
           << "is in MoE layer " << layer.getInt() << ", expected at least 0";
  return success();
}

static LogicalResult verifyRootRows(Operation *op, StringRef role,
                                    RankedTensorType type, int64_t rows) {
  if (type.getDimSize(0) != rows || type.isDynamicDim(1))
    return op->emitOpError() << role << " is " << type << ", expected " << rows
                             << " rows of a known width";
  return success();
}

static RankedTensorType rowsLike(RankedTensorType like, int64_t rows) {
  return RankedTensorType::get({rows, like.getDimSize(1)},
                               like.getElementType());
}

LogicalResult ShardOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  moe::PlacementAttr placement = getPlacement();
  if (type.getRank() < 1 || type.getDimSize(0) != placement.getNumExperts())
    return emitOpError() << "has input " << type
                         << ", expected a leading axis of "
                         << placement.getNumExperts()
                         << " experts as in the placement";
  if (!type.hasStaticShape())
    return emitOpError() << "has input " << type
                         << ", expected known extents; '?' of a distributed "
                            "value counts experts";
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return verifyDistributed(*this, "result", getResult().getType(), placement,
                           type.clone(shape));
}

LogicalResult ScatterOp::verify() {
  moe::RoutingType routing = getRouting().getType();
  auto input = cast<RankedTensorType>(getInput().getType());
  if (failed(verifyExchange(*this, routing, getPlacement(), getLayerAttr())) ||
      failed(verifyRootRows(*this, "input", input, routing.getTokens())))
    return failure();
  FailureOr<int64_t> rows = getScatterRows(routing, getPlacement());
  if (failed(rows))
    return emitOpError() << "has more rows than fit in 63 bits";
  if (failed(verifyDistributed(*this, "rows", getRows().getType(),
                               getPlacement(), rowsLike(input, *rows))))
    return failure();
  return verifyDistributed(*this, "counts", getCounts().getType(),
                           getPlacement(),
                           RankedTensorType::get({ShapedType::kDynamic},
                                                 IndexType::get(getContext())));
}

LogicalResult MulticastOp::verify() {
  moe::RoutingType routing = getRouting().getType();
  auto input = cast<RankedTensorType>(getInput().getType());
  if (failed(verifyExchange(*this, routing, getPlacement(), getLayerAttr())) ||
      failed(verifyRootRows(*this, "input", input, routing.getTokens())) ||
      failed(verifyDistributed(*this, "rows", getRows().getType(),
                               getPlacement(), input)))
    return failure();
  return verifyDistributed(
      *this, "local routing", getLocalRouting().getType(), getPlacement(),
      moe::RoutingType::get(getContext(), routing.getTokens(), routing.getK(),
                            ShapedType::kDynamic, routing.getGateType(),
                            /*local=*/true));
}

LogicalResult GatherOp::verify() {
  moe::RoutingType routing = getRouting().getType();
  auto result = cast<RankedTensorType>(getRows().getType());
  if (failed(verifyExchange(*this, routing, getPlacement(), getLayerAttr())))
    return failure();
  int64_t pairs;
  FailureOr<int64_t> rows = getScatterRows(routing, getPlacement());
  if (failed(rows) ||
      __builtin_mul_overflow(routing.getTokens(), routing.getK(), &pairs))
    return emitOpError() << "has more rows than fit in 63 bits";
  if (failed(verifyRootRows(*this, "result", result, pairs)))
    return failure();
  return verifyDistributed(*this, "input", getInput().getType(), getPlacement(),
                           rowsLike(result, *rows));
}

LogicalResult ReduceOp::verify() {
  moe::RoutingType routing = getRouting().getType();
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(verifyExchange(*this, routing, getPlacement(), getLayerAttr())) ||
      failed(verifyRootRows(*this, "result", result, routing.getTokens())))
    return failure();
  return verifyDistributed(*this, "input", getInput().getType(), getPlacement(),
                           result);
}

LogicalResult ShardOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementOnMachine(*this, getPlacement());
}
LogicalResult ScatterOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementOnMachine(*this, getPlacement(),
                                  getRootAttr().getInt());
}
LogicalResult MulticastOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementOnMachine(*this, getPlacement(),
                                  getRootAttr().getInt());
}
LogicalResult GatherOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementOnMachine(*this, getPlacement(),
                                  getRootAttr().getInt());
}
LogicalResult ReduceOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyPlacementOnMachine(*this, getPlacement(),
                                  getRootAttr().getInt());
}

LogicalResult LocalOp::verifyRegions() {
  Block &block = getBody().front();
  if (getInputs().empty())
    return emitOpError() << "has no inputs, expected at least one";
  ArrayRef<int64_t> nodes =
      cast<DistributedType>(getInputs().front().getType()).getNodes();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "has a body with " << block.getNumArguments()
                         << " arguments, expected one for each of "
                         << getInputs().size() << " inputs";
  for (auto [input, argument] : llvm::zip(getInputs(), block.getArguments())) {
    auto type = cast<DistributedType>(input.getType());
    if (type.getNodes() != nodes)
      return emitOpError() << "has inputs on different nodes: " << type
                           << " and " << getInputs().front().getType();
    if (argument.getType() != type.getLocal())
      return emitOpError() << "has a body argument of type "
                           << argument.getType() << " for an input of type "
                           << type << ", expected " << type.getLocal();
  }
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getNumOperands() != getNumResults())
    return emitOpError() << "yields " << yield.getNumOperands()
                         << " values, expected " << getNumResults();
  for (auto [value, result] :
       llvm::zip(yield.getOperands(), getResultTypes())) {
    auto type = cast<DistributedType>(result);
    if (type.getNodes() != nodes || type.getLocal() != value.getType())
      return emitOpError() << "has a result of type " << type
                           << " for a yielded " << value.getType()
                           << ", expected the same contents on the nodes of "
                              "its inputs";
  }
  WalkResult walk =
      getBody().walk<WalkOrder::PreOrder>(
          [&](Operation *op) {
            if (op == yield || op->getDialect() != getOperation()->getDialect())
              return WalkResult::advance();
            op->emitOpError()
                << "is inside nop.local, expected it outside: a node alone "
                   "exchanges nothing";
            return WalkResult::interrupt();
          });
  return failure(walk.wasInterrupted());
}
