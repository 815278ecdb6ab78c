//===- ChipletVerifiers.cpp - Relations inside programs -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

static BufferType typeOf(Value buffer) {
  return cast<BufferType>(buffer.getType());
}

static LogicalResult requireAtLeastZero(Operation *op, StringRef what,
                                        IntegerAttr value) {
  if (value && value.getInt() < 0)
    return op->emitOpError() << "has " << what << " " << value.getInt()
                             << ", expected at least 0";
  return success();
}

/// Numbers of arguments and results: programs hold them in 32 bits.
static LogicalResult requireNumber(Operation *op, StringRef what,
                                   IntegerAttr value) {
  if (value.getInt() < 0 || value.getInt() > INT32_MAX)
    return op->emitOpError() << "has " << what << " " << value.getInt()
                             << ", expected one from 0 to " << INT32_MAX;
  return success();
}

/// Where a buffer begins; it must end below 2^63.
static LogicalResult requireOffset(Operation *op, BufferType type,
                                   IntegerAttr offset) {
  if (failed(requireAtLeastZero(op, "offset", offset)))
    return failure();
  int64_t end;
  if (offset &&
      __builtin_add_overflow(offset.getInt(), getBufferBytes(type), &end))
    return op->emitOpError() << "has offset " << offset.getInt()
                             << ", with which it ends past 63 bits";
  return success();
}

/// In generic form, the number of values in an operand group is what the text
/// says; accessors of single operands rely on one.
static LogicalResult requireOne(Operation *op, StringRef role,
                                OperandRange group) {
  if (group.size() != 1)
    return op->emitOpError() << "has " << group.size() << " values as its "
                             << role << ", expected 1";
  return success();
}

static LogicalResult requireContents(Operation *op, StringRef role,
                                     Value buffer, Type contents) {
  if (typeOf(buffer).getContents() != contents)
    return op->emitOpError()
           << role << " holds " << typeOf(buffer).getContents() << ", expected "
           << contents;
  return success();
}

static LogicalResult requireSram(Operation *op, StringRef role, Value buffer,
                                 int64_t node) {
  BufferType type = typeOf(buffer);
  if (type.getMemory() != MemoryKind::Sram || type.getIndex() != node)
    return op->emitOpError() << role << " is a " << type
                             << ", expected one in the SRAM of node " << node;
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  return requireOffset(*this, typeOf(getBuffer()), getOffsetAttr());
}

LogicalResult InputOp::verify() {
  if (typeOf(getBuffer()).getMemory() != MemoryKind::Dram)
    return emitOpError() << "is a " << getBuffer().getType()
                         << ", expected a buffer in a DRAM";
  auto tensor = dyn_cast<RankedTensorType>(typeOf(getBuffer()).getContents());
  if (!tensor)
    return emitOpError() << "holds " << typeOf(getBuffer()).getContents()
                         << ", expected a tensor";
  if (auto experts = getExpertsAttr()) {
    if (tensor.getRank() < 1 || tensor.getDimSize(0) != experts.size())
      return emitOpError() << "holds " << tensor
                           << ", expected a leading axis of " << experts.size()
                           << " experts";
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t expert : experts.asArrayRef()) {
      if (expert < 0 || expert > INT32_MAX)
        return emitOpError() << "names expert " << expert
                             << ", expected one from 0 to " << INT32_MAX;
      if (!seen.insert(expert).second)
        return emitOpError() << "names expert " << expert << " twice";
    }
  }
  return success(
      succeeded(requireNumber(*this, "argument", getArgumentAttr())) &&
      succeeded(
          requireAtLeastZero(*this, "micro-batch", getMicroBatchAttr())) &&
      succeeded(requireOffset(*this, typeOf(getBuffer()), getOffsetAttr())));
}

LogicalResult OutputOp::verify() {
  return success(
      succeeded(requireNumber(*this, "result", getResultAttr())) &&
      succeeded(requireAtLeastZero(*this, "micro-batch", getMicroBatchAttr())));
}

/// `contents` with another number of rows.
static Type withRows(Type contents, int64_t rows) {
  if (auto routing = dyn_cast<moe::RoutingType>(contents))
    return moe::RoutingType::get(contents.getContext(), rows, routing.getK(),
                                 routing.getExperts(), routing.getGateType(),
                                 routing.getLocal());
  auto tensor = cast<RankedTensorType>(contents);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = rows;
  return tensor.clone(shape);
}

static int64_t rowsOf(Type contents) {
  if (auto routing = dyn_cast<moe::RoutingType>(contents))
    return routing.getTokens();
  auto tensor = cast<RankedTensorType>(contents);
  return tensor.getRank() == 0 ? 1 : tensor.getDimSize(0);
}

LogicalResult ViewOp::verify() {
  BufferType source = typeOf(getSource()), view = typeOf(getView());
  if (getSource().getDefiningOp<ViewOp>())
    return emitOpError()
           << "is a view of a view; expected a view of the buffer";
  if (source.getMemory() != view.getMemory() ||
      source.getIndex() != view.getIndex())
    return emitOpError() << "shows " << source << " as " << view
                         << ", expected the same memory";
  auto tensor = dyn_cast<RankedTensorType>(source.getContents());
  if (tensor && tensor.getRank() < 1)
    return emitOpError() << "shows rows of " << tensor
                         << ", which has none; expected rank 1 or more";
  auto viewTensor = dyn_cast<RankedTensorType>(view.getContents());
  int64_t rows =
      viewTensor && viewTensor.getRank() < 1 ? -1 : rowsOf(view.getContents());
  if (rows < 0 || withRows(source.getContents(), rows) != view.getContents())
    return emitOpError() << "shows " << source.getContents() << " as "
                         << view.getContents()
                         << ", expected a difference in rows alone";
  int64_t row = getRowAttr().getInt();
  if (row < 0 || rows > rowsOf(source.getContents()) ||
      row > rowsOf(source.getContents()) - rows)
    return emitOpError() << "shows " << rows << " rows from row " << row
                         << " on, but the buffer has "
                         << rowsOf(source.getContents());
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

template <typename MoveOp>
static LogicalResult verifyMove(MoveOp op, MemoryKind from, MemoryKind to) {
  BufferType source = typeOf(op.getSource()), target = typeOf(op.getTarget());
  if (source.getMemory() != from || target.getMemory() != to)
    return op.emitOpError()
           << "moves " << source << " to " << target << ", expected from "
           << stringifyEnum(from) << " to " << stringifyEnum(to);
  if (source.getContents() != target.getContents())
    return op.emitOpError() << "moves " << source << " to " << target
                            << ", expected the same contents";
  return requireAtLeastZero(op, "stage", op.getStageAttr());
}

LogicalResult LoadOp::verify() {
  return verifyMove(*this, MemoryKind::Dram, MemoryKind::Sram);
}
LogicalResult StoreOp::verify() {
  return verifyMove(*this, MemoryKind::Sram, MemoryKind::Dram);
}

static Engine makeEngine(EngineKind kind, int64_t index) {
  return {kind, static_cast<int32_t>(index)};
}

static SmallVector<Engine> moveEngines(Mover mover, BufferType sram,
                                       BufferType dram) {
  if (mover == Mover::Dma)
    return {makeEngine(EngineKind::Dma, sram.getIndex())};
  return {makeEngine(EngineKind::Channel, dram.getIndex())};
}

SmallVector<Engine> LoadOp::getEngines() {
  return moveEngines(getMover(), typeOf(getTarget()), typeOf(getSource()));
}
SmallVector<Engine> StoreOp::getEngines() {
  return moveEngines(getMover(), typeOf(getSource()), typeOf(getTarget()));
}
OperandRange LoadOp::getReads() { return getODSOperands(0); }
OperandRange LoadOp::getWrites() { return getODSOperands(1); }
OperandRange StoreOp::getReads() { return getODSOperands(0); }
OperandRange StoreOp::getWrites() { return getODSOperands(1); }

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

LogicalResult ComputeOp::verify() {
  int64_t node = getNodeAttr().getInt();
  if (failed(requireAtLeastZero(*this, "stage", getStageAttr())))
    return failure();
  for (Value buffer : getReads())
    if (failed(requireSram(*this, "read", buffer, node)))
      return failure();
  for (Value buffer : getWrites())
    if (failed(requireSram(*this, "write", buffer, node)))
      return failure();
  return success();
}

LogicalResult ComputeOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getReads().size())
    return emitOpError() << "has a body with " << block.getNumArguments()
                         << " arguments, expected one for each of "
                         << getReads().size() << " reads";
  for (auto [buffer, argument] : llvm::zip(getReads(), block.getArguments()))
    if (failed(requireContents(*this, "read", buffer, argument.getType())))
      return failure();
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != getWrites().size())
    return emitOpError() << "yields " << yield->getNumOperands()
                         << " values, expected one for each of "
                         << getWrites().size() << " writes";
  for (auto [buffer, value] : llvm::zip(getWrites(), yield->getOperands()))
    if (failed(requireContents(*this, "write", buffer, value.getType())))
      return failure();
  for (Operation &op : block.without_terminator())
    if (!isa<moe::KernelOpInterface>(op))
      return op.emitOpError() << "is in a compute task but is not a kernel";
  return success();
}

SmallVector<Engine> ComputeOp::getEngines() {
  return {makeEngine(EngineKind::Compute, getNodeAttr().getInt())};
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// What both exchanges share. Yields the global routing.
template <typename ExchangeOp>
static FailureOr<moe::RoutingType> verifyExchange(ExchangeOp op) {
  if (failed(requireOne(op, "routing", op.getODSOperands(1))))
    return failure();
  if (op.getForm() == Form::Pairs && op.getVia() == Via::Switch)
    return op.emitOpError() << "has form pairs via switch, expected via root "
                               "(a switch can only copy or add tokens)";
  auto routing =
      dyn_cast<moe::RoutingType>(typeOf(op.getRouting()).getContents());
  if (!routing || routing.getLocal())
    return op.emitOpError()
           << "is routed by " << typeOf(op.getRouting()).getContents()
           << ", expected a global routing";
  if (op.getPlacement().getNumExperts() != routing.getExperts())
    return op.emitOpError()
           << "has a placement of " << op.getPlacement().getNumExperts()
           << " experts, expected " << routing.getExperts();
  if (failed(requireSram(op, "routing", op.getRouting(),
                         op.getNodeAttr().getInt())) ||
      failed(requireAtLeastZero(op, "layer", op.getLayerAttr())) ||
      failed(requireAtLeastZero(op, "micro-batch", op.getMicroBatchAttr())) ||
      failed(requireAtLeastZero(op, "token", op.getTokenBeginAttr())) ||
      failed(requireAtLeastZero(op, "stage", op.getStageAttr())))
    return failure();
  return routing;
}

/// Rows [R, H] in the SRAM of `node`.
static LogicalResult verifyPeerRows(Operation *op, Value buffer, int64_t node,
                                    RankedTensorType like) {
  if (failed(requireSram(op, "rows", buffer, node)))
    return failure();
  auto rows = dyn_cast<RankedTensorType>(typeOf(buffer).getContents());
  if (!rows || rows.getRank() != 2 ||
      rows.getDimSize(1) != like.getDimSize(1) ||
      rows.getElementType() != like.getElementType())
    return op->emitOpError() << "has rows of " << typeOf(buffer).getContents()
                             << ", expected a width and type as of " << like;
  return success();
}

LogicalResult DispatchOp::verify() {
  if (failed(requireOne(*this, "input", getODSOperands(0))))
    return failure();
  FailureOr<moe::RoutingType> routing = verifyExchange(*this);
  if (failed(routing))
    return failure();
  int64_t node = getNodeAttr().getInt();
  auto input = dyn_cast<RankedTensorType>(typeOf(getInput()).getContents());
  if (!input || input.getRank() != 2 ||
      input.getDimSize(0) != routing->getTokens())
    return emitOpError() << "sends " << typeOf(getInput()).getContents()
                         << " by " << *routing
                         << ", expected as many rows as tokens";
  if (failed(requireSram(*this, "input", getInput(), node)))
    return failure();
  auto expertsOf = getPlacement().getExpertsOf();
  if (getWrites().size() != 2 * expertsOf.size())
    return emitOpError() << "writes " << getWrites().size()
                         << " buffers, expected two for each of "
                         << expertsOf.size() << " nodes";
  auto write = getWrites().begin();
  for (const auto &[peer, experts] : expertsOf) {
    Value rows = *write++, table = *write++;
    int64_t count = experts.size();
    if (failed(verifyPeerRows(*this, rows, peer, input)) ||
        failed(requireSram(*this, "table", table, peer)))
      return failure();
    Type expected =
        RankedTensorType::get({count}, IndexType::get(getContext()));
    if (getForm() == Form::Tokens)
      expected = moe::RoutingType::get(
          getContext(), rowsOf(typeOf(rows).getContents()), routing->getK(),
          count, routing->getGateType(), /*local=*/true);
    if (failed(requireContents(*this, "table", table, expected)))
      return failure();
  }
  return success();
}

LogicalResult CombineOp::verify() {
  if (failed(requireOne(*this, "output", getODSOperands(2))))
    return failure();
  FailureOr<moe::RoutingType> routing = verifyExchange(*this);
  if (failed(routing))
    return failure();
  if (failed(requireSram(*this, "output", getOutput(), getNodeAttr().getInt())))
    return failure();
  auto output = dyn_cast<RankedTensorType>(typeOf(getOutput()).getContents());
  int64_t rows = routing->getTokens();
  if (getForm() == Form::Pairs)
    rows *= routing->getK();
  if (!output || output.getRank() != 2 || output.getDimSize(0) != rows)
    return emitOpError() << "writes " << typeOf(getOutput()).getContents()
                         << ", expected " << rows << " rows";
  auto expertsOf = getPlacement().getExpertsOf();
  if (getInputs().size() != expertsOf.size())
    return emitOpError() << "reads " << getInputs().size()
                         << " buffers, expected one for each of "
                         << expertsOf.size() << " nodes";
  for (auto [input, peer] : llvm::zip(getInputs(), expertsOf))
    if (failed(verifyPeerRows(*this, input, peer.first, output)))
      return failure();
  return success();
}

/// The port of the root in one direction and those of the peers in the other.
static SmallVector<Engine> exchangeEngines(EngineKind root, int64_t node,
                                           EngineKind peers,
                                           moe::PlacementAttr placement) {
  SmallVector<Engine> engines = {makeEngine(root, node)};
  for (const auto &[peer, experts] : placement.getExpertsOf())
    engines.push_back(makeEngine(peers, peer));
  llvm::sort(engines);
  return engines;
}

SmallVector<Engine> DispatchOp::getEngines() {
  return exchangeEngines(EngineKind::Send, getNodeAttr().getInt(),
                         EngineKind::Receive, getPlacement());
}
SmallVector<Engine> CombineOp::getEngines() {
  return exchangeEngines(EngineKind::Receive, getNodeAttr().getInt(),
                         EngineKind::Send, getPlacement());
}

OperandRange DispatchOp::getReads() {
  return getOperation()->getOperands().slice(0, 2);
}
OperandRange CombineOp::getReads() {
  return getOperation()->getOperands().slice(0, getInputs().size() + 1);
}
OperandRange CombineOp::getWrites() { return getODSOperands(2); }
