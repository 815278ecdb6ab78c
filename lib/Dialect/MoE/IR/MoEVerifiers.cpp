//===- MoEVerifiers.cpp - Relations between operands of model ops -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/IR/MoE.h"

using namespace mlir;
using namespace mozart::moe;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static void printExtent(InFlightDiagnostic &diag, int64_t extent) {
  if (ShapedType::isDynamic(extent))
    diag << "?";
  else
    diag << extent;
}

/// Requires `value` to have exactly `shape` (a dynamic extent matches only a
/// dynamic one) and the element type of `like`, where given.
static LogicalResult requireShape(Operation *op, StringRef role, Value value,
                                  ArrayRef<int64_t> shape, Value like = {}) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() != shape) {
    InFlightDiagnostic diag = op->emitOpError() << role << " has type " << type
                                                << ", expected shape [";
    llvm::interleaveComma(shape, diag,
                          [&](int64_t extent) { printExtent(diag, extent); });
    return diag << "]";
  }
  if (like && type.getElementType() != getElementTypeOrSelf(like.getType()))
    return op->emitOpError()
           << role << " has element type " << type.getElementType()
           << ", expected " << getElementTypeOrSelf(like.getType());
  return success();
}

static int64_t dim(Value value, unsigned axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

static LogicalResult requireCount(Operation *op, StringRef what, size_t found,
                                  size_t expected) {
  if (found != expected)
    return op->emitOpError()
           << "has " << found << " " << what << ", expected " << expected;
  return success();
}

static LogicalResult requireLayer(Operation *op, IntegerAttr layer) {
  if (layer.getInt() < 0)
    return op->emitOpError()
           << "is in MoE layer " << layer.getInt() << ", expected at least 0";
  return success();
}

static LogicalResult requirePlacement(Operation *op, PlacementAttr placement,
                                      int64_t experts) {
  if (!placement || placement.getNumExperts() == experts)
    return success();
  InFlightDiagnostic diag = op->emitOpError() << "has a placement of "
                                              << placement.getNumExperts()
                                              << " experts, expected ";
  printExtent(diag, experts);
  return diag;
}

/// `tokens` times `k`, or dynamic where `tokens` is; failure where it does not
/// fit in 63 bits.
static FailureOr<int64_t> countPairs(Operation *op, RoutingType routing) {
  if (ShapedType::isDynamic(routing.getTokens()))
    return ShapedType::kDynamic;
  int64_t pairs;
  if (__builtin_mul_overflow(routing.getTokens(), routing.getK(), &pairs))
    return op->emitOpError()
           << "routes " << routing.getTokens() << " tokens to "
           << routing.getK() << " experts each, which does not fit in 63 bits";
  return pairs;
}

static LogicalResult requireSequences(Operation *op, Value input,
                                      IntegerAttr sequences) {
  int64_t count = sequences.getInt();
  int64_t tokens = dim(input, 0);
  if (count < 1)
    return op->emitOpError()
           << "has " << count << " sequences, expected at least 1";
  if (!ShapedType::isDynamic(tokens) && tokens % count)
    return op->emitOpError() << "has " << tokens << " tokens in " << count
                             << " sequences, expected a multiple";
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult NormOp::verify() {
  if (getBias() && getKind() != NormKind::Layer)
    return emitOpError() << "of kind rms has a bias; only kind layer takes one";
  int64_t hidden = dim(getInput(), 1);
  if (failed(requireShape(*this, "weight", getWeight(), {hidden}, getInput())))
    return failure();
  if (getBias() &&
      failed(requireShape(*this, "bias", getBias(), {hidden}, getInput())))
    return failure();
  if (!getEpsilon().isFinite() || !(getEpsilon().convertToDouble() >= 0))
    return emitOpError() << "has epsilon " << getEpsilon().convertToDouble()
                         << ", expected a number of at least 0";
  return requireShape(*this, "result", getResult(),
                      {dim(getInput(), 0), hidden}, getInput());
}

LogicalResult AddOp::verify() { return success(); }

static LogicalResult verifyLinear(Operation *op, Value input, Value weight,
                                  Value bias, Value result, Value like) {
  if (failed(requireShape(op, "weight", weight, {dim(input, 1), dim(result, 1)},
                          like)))
    return failure();
  if (bias && failed(requireShape(op, "bias", bias, {dim(result, 1)}, like)))
    return failure();
  return requireShape(op, "result", result, {dim(input, 0), dim(result, 1)});
}

LogicalResult LinearOp::verify() {
  if (getElementTypeOrSelf(getResult().getType()) !=
      getElementTypeOrSelf(getInput().getType()))
    return emitOpError() << "result has type " << getResult().getType()
                         << ", expected the input's element type";
  return verifyLinear(*this, getInput(), getWeight(), getBias(), getResult(),
                      getInput());
}

LogicalResult RouterOp::verify() {
  return verifyLinear(*this, getInput(), getWeight(), getBias(), getLogits(),
                      getLogits());
}

/// Rotary entries of a head of `dim` entries.
static LogicalResult requireRope(Operation *op, RopeAttr rope, int64_t dim) {
  if (rope && rope.getDim() > dim)
    return op->emitOpError()
           << "turns " << rope.getDim() << " entries of a head of " << dim
           << ", expected at most as many";
  return success();
}

LogicalResult AttentionOp::verify() {
  HeadsAttr heads = getHeads();
  int64_t hidden = dim(getInput(), 1);
  int64_t queryDim = heads.getQuery() * heads.getDim();
  int64_t kvDim = heads.getKv() * heads.getDim();
  if (failed(requireSequences(*this, getInput(), getSequencesAttr())) ||
      failed(requireRope(*this, getRopeAttr(), heads.getDim())) ||
      failed(requireShape(*this, "query weight", getQuery(), {hidden, queryDim},
                          getInput())) ||
      failed(requireShape(*this, "key weight", getKey(), {hidden, kvDim},
                          getInput())) ||
      failed(requireShape(*this, "value weight", getValue(), {hidden, kvDim},
                          getInput())) ||
      failed(requireShape(*this, "output weight", getOutput(),
                          {queryDim, hidden}, getInput())))
    return failure();
  if (!getBiases().empty()) {
    if (failed(requireCount(*this, "biases", getBiases().size(), 3)))
      return failure();
    int64_t widths[] = {queryDim, kvDim, kvDim};
    for (auto [bias, width] : llvm::zip(getBiases(), widths))
      if (failed(requireShape(*this, "bias", bias, {width}, getInput())))
        return failure();
  }
  if (getOutputBias() &&
      failed(requireShape(*this, "output bias", getOutputBias(), {hidden},
                          getInput())))
    return failure();
  if (!getQkNorms().empty()) {
    if (failed(
            requireCount(*this, "query and key norms", getQkNorms().size(), 2)))
      return failure();
    bool perHead = heads.getQkNormPerHead();
    if (failed(requireShape(*this, "query norm", getQkNorms()[0],
                            {perHead ? heads.getDim() : queryDim},
                            getInput())) ||
        failed(requireShape(*this, "key norm", getQkNorms()[1],
                            {perHead ? heads.getDim() : kvDim}, getInput())))
      return failure();
  }
  return requireShape(*this, "result", getResult(),
                      {dim(getInput(), 0), hidden}, getInput());
}

LogicalResult LatentAttentionOp::verify() {
  LatentHeadsAttr heads = getHeads();
  int64_t hidden = dim(getInput(), 1);
  int64_t rank = heads.getQueryRank(), kvRank = heads.getKvRank();
  int64_t queryDim = heads.getQuery() * (heads.getNope() + heads.getRope());
  if (failed(requireSequences(*this, getInput(), getSequencesAttr())) ||
      failed(requireRope(*this, getRopeAttr(), heads.getRope())))
    return failure();
  SmallVector<std::pair<StringRef, SmallVector<int64_t>>> expected;
  if (rank) {
    expected.push_back({"query_a", {hidden, rank}});
    expected.push_back({"query_a norm", {rank}});
    expected.push_back({"query_b", {rank, queryDim}});
  } else {
    expected.push_back({"query", {hidden, queryDim}});
  }
  expected.push_back({"kv_a", {hidden, kvRank + heads.getRope()}});
  expected.push_back({"kv_a norm", {kvRank}});
  expected.push_back(
      {"kv_b",
       {kvRank, heads.getQuery() * (heads.getNope() + heads.getValue())}});
  expected.push_back({"output", {heads.getQuery() * heads.getValue(), hidden}});
  if (failed(
          requireCount(*this, "weights", getWeights().size(), expected.size())))
    return failure();
  for (auto [weight, role] : llvm::zip(getWeights(), expected))
    if (failed(
            requireShape(*this, role.first, weight, role.second, getInput())))
      return failure();
  return requireShape(*this, "result", getResult(),
                      {dim(getInput(), 0), hidden}, getInput());
}

LogicalResult FfnOp::verify() {
  bool gated = getKind().isGated();
  size_t count = gated ? 3 : 2;
  if (failed(requireCount(*this, "weights", getWeights().size(), count)))
    return failure();
  int64_t hidden = dim(getInput(), 1);
  int64_t inner = dim(getWeights().back(), 0);
  for (Value weight : getWeights().drop_back())
    if (failed(
            requireShape(*this, "weight", weight, {hidden, inner}, getInput())))
      return failure();
  if (failed(requireShape(*this, "down weight", getWeights().back(),
                          {inner, hidden}, getInput())))
    return failure();
  if (!getBiases().empty()) {
    if (failed(requireCount(*this, "biases", getBiases().size(), count)))
      return failure();
    for (Value bias : getBiases().drop_back())
      if (failed(requireShape(*this, "bias", bias, {inner}, getInput())))
        return failure();
    if (failed(requireShape(*this, "down bias", getBiases().back(), {hidden},
                            getInput())))
      return failure();
  }
  if (getOutputGate() &&
      failed(requireShape(*this, "output gate", getOutputGate(), {hidden, 1},
                          getInput())))
    return failure();
  return requireShape(*this, "result", getResult(),
                      {dim(getInput(), 0), hidden}, getInput());
}

//===----------------------------------------------------------------------===//
// Routing
//===----------------------------------------------------------------------===//

LogicalResult RouteOp::verify() {
  RoutingType routing = getRouting().getType();
  GateAttr gate = getGate();
  int64_t tokens = dim(getLogits(), 0), experts = dim(getLogits(), 1);
  if (routing.getLocal())
    return emitOpError() << "yields the local routing " << routing
                         << ", expected a global one";
  if (routing.getTokens() != tokens || routing.getExperts() != experts)
    return emitOpError() << "yields " << routing << " from logits "
                         << getLogits().getType()
                         << ", expected the same tokens and experts";
  if (routing.getK() != gate.getK())
    return emitOpError() << "yields " << routing
                         << ", expected k = " << gate.getK()
                         << " as in its gate";
  if (routing.getGateType() != getElementTypeOrSelf(getLogits().getType()))
    return emitOpError() << "yields weights of type " << routing.getGateType()
                         << ", expected the logits' "
                         << getElementTypeOrSelf(getLogits().getType());
  if (getSelectionBias() &&
      failed(requireShape(*this, "selection bias", getSelectionBias(),
                          {experts}, getLogits())))
    return failure();
  if (getPadding() &&
      failed(requireShape(*this, "padding", getPadding(), {tokens})))
    return failure();
  if (experts % gate.getGroups())
    return emitOpError() << "has " << experts << " experts in "
                         << gate.getGroups() << " groups, expected a multiple";
  int64_t perGroup = experts / gate.getGroups();
  if (gate.getK() > gate.getKeptGroups() * perGroup)
    return emitOpError() << "chooses " << gate.getK() << " of "
                         << gate.getKeptGroups() * perGroup
                         << " experts in the kept groups, expected at most as "
                            "many";
  if (gate.getGroups() > 1 && gate.getGroupScore() == GroupScore::TopTwoSum &&
      perGroup < 2)
    return emitOpError() << "ranks groups by their top two, but a group has "
                         << perGroup << " expert";
  if (gate.getGroups() > 1 && gate.getOrder() == ScoreOrder::AfterSelection)
    return emitOpError() << "limits groups, which needs scores before the "
                            "selection";
  if (failed(requireLayer(*this, getLayerAttr())))
    return failure();
  return requirePlacement(*this, getPlacementAttr(), experts);
}

LogicalResult DispatchOp::verify() {
  RoutingType routing = getRouting().getType();
  FailureOr<int64_t> pairs = countPairs(*this, routing);
  if (failed(pairs))
    return failure();
  if (dim(getInput(), 0) != routing.getTokens())
    return emitOpError() << "has input " << getInput().getType()
                         << " for routing " << routing
                         << ", expected as many rows as tokens";
  if (failed(requireShape(*this, "rows", getRows(),
                          {*pairs, dim(getInput(), 1)}, getInput())) ||
      failed(
          requireShape(*this, "counts", getCounts(), {routing.getExperts()})) ||
      failed(requireLayer(*this, getLayerAttr())))
    return failure();
  return requirePlacement(*this, getPlacementAttr(), routing.getExperts());
}

LogicalResult ExpertsOp::verify() {
  size_t count = getKind().isGated() ? 3 : 2;
  if (failed(requireCount(*this, "weights", getWeights().size(), count)))
    return failure();
  int64_t experts = dim(getCounts(), 0), hidden = dim(getRows(), 1);
  for (Value weight : getWeights())
    if (cast<RankedTensorType>(weight.getType()).getRank() != 3)
      return emitOpError() << "has weight " << weight.getType()
                           << ", expected one stacked over experts (rank 3)";
  int64_t inner = dim(getWeights().back(), 1);
  for (Value weight : getWeights().drop_back())
    if (failed(requireShape(*this, "weight", weight, {experts, hidden, inner},
                            getRows())))
      return failure();
  if (failed(requireShape(*this, "down weight", getWeights().back(),
                          {experts, inner, hidden}, getRows())))
    return failure();
  if (!getBiases().empty()) {
    if (failed(requireCount(*this, "biases", getBiases().size(), count)))
      return failure();
    for (Value bias : getBiases().drop_back())
      if (failed(
              requireShape(*this, "bias", bias, {experts, inner}, getRows())))
        return failure();
    if (failed(requireShape(*this, "down bias", getBiases().back(),
                            {experts, hidden}, getRows())))
      return failure();
  }
  if (failed(requireShape(*this, "result", getResult(),
                          {dim(getRows(), 0), hidden}, getRows())) ||
      failed(requireLayer(*this, getLayerAttr())))
    return failure();
  return requirePlacement(*this, getPlacementAttr(), experts);
}

LogicalResult CustomExpertsOp::verify() {
  if (getName().empty())
    return emitOpError() << "has no name, by which its kernel is registered";
  int64_t experts = dim(getCounts(), 0), hidden = dim(getRows(), 1);
  auto resultType = cast<RankedTensorType>(getResult().getType());
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 + getWeights().size())
    return emitOpError() << "has a body with " << block.getNumArguments()
                         << " arguments, expected the rows and "
                         << getWeights().size() << " weights";
  Type rowElement = getElementTypeOrSelf(getRows().getType());
  Type rowsType =
      RankedTensorType::get({ShapedType::kDynamic, hidden}, rowElement);
  if (block.getArgument(0).getType() != rowsType)
    return emitOpError() << "has a body whose rows are "
                         << block.getArgument(0).getType() << ", expected "
                         << rowsType;
  for (auto [index, weight] : llvm::enumerate(getWeights())) {
    auto type = cast<RankedTensorType>(weight.getType());
    if (type.getRank() < 1 || type.getDimSize(0) != experts) {
      InFlightDiagnostic diag = emitOpError()
                                << "has weight " << type
                                << ", expected a leading axis of ";
      printExtent(diag, experts);
      return diag << " experts";
    }
    Type sliceType = RankedTensorType::get(type.getShape().drop_front(),
                                           type.getElementType());
    if (block.getArgument(1 + index).getType() != sliceType)
      return emitOpError() << "has a body whose weight " << index << " is "
                           << block.getArgument(1 + index).getType()
                           << ", expected " << sliceType;
  }
  Type yieldType =
      RankedTensorType::get({ShapedType::kDynamic, resultType.getDimSize(1)},
                            resultType.getElementType());
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != 1 ||
      yield->getOperand(0).getType() != yieldType)
    return emitOpError() << "has a body that does not yield one " << yieldType;
  if (resultType.getDimSize(0) != dim(getRows(), 0))
    return emitOpError() << "yields " << resultType << " from rows "
                         << getRows().getType() << ", expected as many rows";
  if (failed(requireLayer(*this, getLayerAttr())))
    return failure();
  return requirePlacement(*this, getPlacementAttr(), experts);
}

LogicalResult CombineOp::verify() {
  RoutingType routing = getRouting().getType();
  FailureOr<int64_t> pairs = countPairs(*this, routing);
  if (failed(pairs))
    return failure();
  int64_t hidden = dim(getRows(), 1);
  if (failed(requireShape(*this, "rows", getRows(), {*pairs, hidden})) ||
      failed(requireShape(*this, "result", getResult(),
                          {routing.getTokens(), hidden}, getRows())) ||
      failed(requireLayer(*this, getLayerAttr())))
    return failure();
  return requirePlacement(*this, getPlacementAttr(), routing.getExperts());
}

//===----------------------------------------------------------------------===//
// Routing values as tensors, profiles
//===----------------------------------------------------------------------===//

static LogicalResult verifyParts(Operation *op, RoutingType routing, Value ids,
                                 Value weights) {
  int64_t shape[] = {routing.getTokens(), routing.getK()};
  if (failed(requireShape(op, "ids", ids, shape)) ||
      failed(requireShape(op, "weights", weights, shape)))
    return failure();
  if (getElementTypeOrSelf(weights.getType()) != routing.getGateType())
    return op->emitOpError()
           << "has weights " << weights.getType() << ", expected elements of "
           << routing.getGateType();
  return success();
}

LogicalResult UnpackOp::verify() {
  return verifyParts(*this, getRouting().getType(), getIds(), getWeights());
}

LogicalResult PackOp::verify() {
  return verifyParts(*this, getRouting().getType(), getIds(), getWeights());
}

LogicalResult ProfileOp::verify() {
  if (getSource().empty())
    return emitOpError() << "has an empty source, expected a name or a path";
  return success();
}
