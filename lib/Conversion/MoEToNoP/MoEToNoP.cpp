//===- MoEToNoP.cpp - From placed layers to exchanges -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Conversion/Passes.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mozart {
#define GEN_PASS_DEF_CONVERTMOETONOP
#include "mozart/Conversion/Passes.h.inc"
} // namespace mozart

using namespace mlir;
using namespace mozart;

namespace {

/// One layer: the rows of `dispatch` go through `bodies`, one after another,
/// and what comes out to all of `combines`.
struct Layer {
  moe::DispatchOp dispatch;
  SmallVector<moe::ExpertBodyInterface> bodies;
  SmallVector<moe::CombineOp> combines;
  moe::PlacementAttr placement;
  int64_t root = -1;
  /// Rows of capacity on each node.
  int64_t scatterRows = 0;
};

/// Follows the rows of one dispatch. Reports what stands in the way.
class LayerMatcher {
public:
  explicit LayerMatcher(moe::DispatchOp dispatch) { layer.dispatch = dispatch; }

  FailureOr<Layer> run() {
    if (failed(followRows()) || failed(checkCounts()) || failed(checkLayer()) ||
        failed(checkPlacement()))
      return failure();
    return std::move(layer);
  }

private:
  Layer layer;

  InFlightDiagnostic errorAt(Operation *op) {
    InFlightDiagnostic diag = op->emitOpError();
    diag.attachNote(layer.dispatch.getLoc())
        << "the rows of this dispatch are what is to be exchanged";
    return diag;
  }

  LogicalResult followRows() {
    Value rows = layer.dispatch.getRows();
    while (true) {
      moe::ExpertBodyInterface next;
      for (OpOperand &use : rows.getUses()) {
        Operation *user = use.getOwner();
        if (failed(checkUse(use)))
          return failure();
        if (auto combine = dyn_cast<moe::CombineOp>(user)) {
          layer.combines.push_back(combine);
        } else if (next) {
          InFlightDiagnostic diag =
              errorAt(user)
              << "is the second op that computes on the same rows "
                 "of MoE layer "
              << layer.dispatch.getLayer()
              << ", expected experts one after another";
          diag.attachNote(next.getLoc()) << "the first is here";
          return failure();
        } else {
          next = cast<moe::ExpertBodyInterface>(user);
        }
      }
      if (!next) {
        // Uses are listed last first.
        std::reverse(layer.combines.begin(), layer.combines.end());
        return success();
      }
      if (!layer.combines.empty())
        return errorAt(layer.combines.front())
               << "combines rows that also go through '" << next->getName()
               << "', expected combines only after the last experts";
      layer.bodies.push_back(next);
      rows = next->getResult(0);
    }
  }

  /// Operands 0 and 1 of experts are rows and counts (ExpertBodyInterface);
  /// operand 0 of a combine is rows.
  LogicalResult checkUse(OpOperand &use) {
    Operation *user = use.getOwner();
    auto combine = dyn_cast<moe::CombineOp>(user);
    if (use.getOperandNumber() != 0 ||
        !(combine || isa<moe::ExpertBodyInterface>(user)))
      return errorAt(user) << "uses rows of MoE layer "
                           << layer.dispatch.getLayer()
                           << ", but on chiplets only experts (moe.experts, "
                              "moe.custom_experts) and moe.combine can";
    if (user->getBlock() != layer.dispatch->getBlock())
      return errorAt(user) << "uses rows of MoE layer "
                           << layer.dispatch.getLayer()
                           << " in another block, expected the block of their "
                              "dispatch";
    if (combine && combine.getRouting() != layer.dispatch.getRouting())
      return errorAt(user) << "combines by another routing than the rows were "
                              "dispatched by";
    return success();
  }

  LogicalResult checkCounts() {
    for (moe::ExpertBodyInterface body : layer.bodies)
      if (body.getCounts() != layer.dispatch.getCounts())
        return errorAt(body) << "counts its rows by another value than the "
                                "counts of their dispatch";
    for (OpOperand &use : layer.dispatch.getCounts().getUses())
      if (use.getOperandNumber() != 1 ||
          !llvm::is_contained(layer.bodies, use.getOwner()))
        return errorAt(use.getOwner())
               << "uses the counts of MoE layer " << layer.dispatch.getLayer()
               << ", which are on the chiplets; only experts can";
    return success();
  }

  SmallVector<moe::MoELayerOpInterface> members() {
    SmallVector<moe::MoELayerOpInterface> ops;
    if (auto route = layer.dispatch.getRouting().getDefiningOp<moe::RouteOp>())
      ops.push_back(route);
    ops.push_back(layer.dispatch);
    for (moe::ExpertBodyInterface body : layer.bodies)
      ops.push_back(cast<moe::MoELayerOpInterface>(body.getOperation()));
    for (moe::CombineOp combine : layer.combines)
      ops.push_back(combine);
    return ops;
  }

  /// All members say the same layer and the same placement.
  LogicalResult checkLayer() {
    moe::MoELayerOpInterface first;
    for (moe::MoELayerOpInterface op : members()) {
      if (op.getLayer() != layer.dispatch.getLayer())
        return errorAt(op) << "is in MoE layer " << op.getLayer()
                           << ", but its rows are of layer "
                           << layer.dispatch.getLayer();
      if (!op.getPlacementAttr())
        return op->emitOpError()
               << "of MoE layer " << op.getLayer()
               << " is not placed; place the experts with moe-place-experts";
      if (first && op.getPlacementAttr() != first.getPlacementAttr()) {
        InFlightDiagnostic diag =
            op->emitOpError()
            << "of MoE layer " << op.getLayer() << " has placement "
            << op.getPlacementAttr()
            << ", expected that of the other ops of the layer";
        diag.attachNote(first.getLoc())
            << "placement " << first.getPlacementAttr();
        return failure();
      }
      if (!first)
        first = op;
    }
    layer.placement = first.getPlacementAttr();
    return success();
  }

  LogicalResult checkPlacement() {
    moe::DispatchOp dispatch = layer.dispatch;
    wafer::MachineOp machine =
        wafer::lookupMachine(dispatch, layer.placement.getMachine());
    if (!machine)
      return failure();
    layer.root = wafer::getMachineModel(machine).root();
    if (failed(nop::verifyPlacementOnMachine(dispatch, layer.placement,
                                             layer.root)))
      return failure();
    moe::RoutingType routing = dispatch.getRouting().getType();
    if (ShapedType::isDynamic(routing.getTokens()))
      return dispatch.emitOpError() << "is routed by " << routing
                                    << ", expected a known number of tokens";
    FailureOr<int64_t> rows = nop::getScatterRows(routing, layer.placement);
    if (failed(rows))
      return dispatch.emitOpError() << "has more rows than fit in 63 bits";
    layer.scatterRows = *rows;
    return success();
  }
};

/// Writes the exchanges of one layer.
class LayerConverter {
public:
  explicit LayerConverter(Layer layer)
      : layer(std::move(layer)), builder(this->layer.dispatch) {
    for (const auto &[node, experts] : this->layer.placement.getExpertsOf())
      nodes.push_back(node);
  }

  void run() {
    if (!layer.combines.empty()) {
      scatter();
      Value result = layer.bodies.empty() ? rows : local();
      for (moe::CombineOp combine : layer.combines)
        gather(combine, result);
    }
    for (moe::ExpertBodyInterface body : llvm::reverse(layer.bodies))
      body->erase();
    layer.dispatch.erase();
  }

private:
  Layer layer;
  OpBuilder builder;
  SmallVector<int64_t> nodes;
  Value rows, counts;

  nop::DistributedType distributed(Type local) {
    return nop::DistributedType::get(builder.getContext(), local, nodes);
  }

  /// Rows of capacity as wide as `like`.
  RankedTensorType rowsLike(Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    return RankedTensorType::get({layer.scatterRows, type.getDimSize(1)},
                                 type.getElementType());
  }

  void scatter() {
    moe::DispatchOp dispatch = layer.dispatch;
    auto countsType =
        RankedTensorType::get({ShapedType::kDynamic}, builder.getIndexType());
    auto op = nop::ScatterOp::create(
        builder, dispatch.getLoc(), distributed(rowsLike(dispatch.getRows())),
        distributed(countsType), dispatch.getInput(), dispatch.getRouting(),
        layer.root, dispatch.getLayer(), layer.placement);
    rows = op.getRows();
    counts = op.getCounts();
  }

  Value shard(Location loc, Value weight) {
    auto type = cast<RankedTensorType>(weight.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    return nop::ShardOp::create(builder, loc, distributed(type.clone(shape)),
                                weight, layer.placement);
  }

  /// One local op with all experts, where the last of them was.
  Value local() {
    moe::ExpertBodyInterface last = layer.bodies.back();
    builder.setInsertionPoint(last);
    llvm::SmallSetVector<Value, 4> weights;
    for (moe::ExpertBodyInterface body : layer.bodies)
      weights.insert_range(body.getStackedWeights());
    SmallVector<Value> inputs = {rows, counts};
    IRMapping mapping;
    auto body = std::make_unique<Block>();
    auto addArgument = [&](Value from, Value input) {
      mapping.map(from,
                  body->addArgument(
                      cast<nop::DistributedType>(input.getType()).getLocal(),
                      from.getLoc()));
    };
    addArgument(layer.dispatch.getRows(), rows);
    addArgument(layer.dispatch.getCounts(), counts);
    for (Value weight : weights) {
      inputs.push_back(shard(last.getLoc(), weight));
      addArgument(weight, inputs.back());
    }
    auto op =
        nop::LocalOp::create(builder, last.getLoc(),
                             distributed(rowsLike(last->getResult(0))), inputs);
    op.getBody().push_back(body.release());
    OpBuilder inside = OpBuilder::atBlockEnd(&op.getBody().front());
    for (moe::ExpertBodyInterface expert : layer.bodies)
      cloneInto(inside, mapping, expert);
    nop::YieldOp::create(inside, last.getLoc(),
                         mapping.lookup(last->getResult(0)));
    return op.getResult(0);
  }

  void cloneInto(OpBuilder &inside, IRMapping &mapping,
                 moe::ExpertBodyInterface expert) {
    Operation *clone = inside.clone(*expert, mapping);
    clone->getResult(0).setType(rowsLike(expert->getResult(0)));
    cast<moe::MoELayerOpInterface>(clone).setPlacementAttr({});
  }

  void gather(moe::CombineOp combine, Value result) {
    builder.setInsertionPoint(combine);
    auto op = nop::GatherOp::create(
        builder, combine.getLoc(), combine.getRows().getType(), result,
        combine.getRouting(), layer.root, combine.getLayer(), layer.placement);
    combine.getRowsMutable().assign(op.getRows());
    combine.setPlacementAttr({});
  }
};

struct ConvertMoEToNoP
    : public mozart::impl::ConvertMoEToNoPBase<ConvertMoEToNoP> {
  using ConvertMoEToNoPBase::ConvertMoEToNoPBase;

  void runOnOperation() override {
    SmallVector<Layer> layers;
    WalkResult walk = getOperation().walk([&](FunctionOpInterface function) {
      return failed(match(function, layers)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    for (Layer &layer : layers)
      LayerConverter(std::move(layer)).run();
  }

  /// Finds the layers of a function; every op on rows must be in one.
  LogicalResult match(FunctionOpInterface function,
                      SmallVectorImpl<Layer> &layers) {
    DenseSet<Operation *> matched;
    auto visit = [&](Operation *op) -> WalkResult {
      if (isa<nop::LocalOp>(op))
        return WalkResult::skip();
      auto dispatch = dyn_cast<moe::DispatchOp>(op);
      if (!dispatch || dispatch.getRouting().getType().getLocal())
        return WalkResult::advance();
      FailureOr<Layer> layer = LayerMatcher(dispatch).run();
      if (failed(layer))
        return WalkResult::interrupt();
      for (moe::ExpertBodyInterface body : layer->bodies)
        matched.insert(body);
      for (moe::CombineOp combine : layer->combines)
        matched.insert(combine);
      layers.push_back(std::move(*layer));
      return WalkResult::advance();
    };
    if (function->walk<WalkOrder::PreOrder>(visit).wasInterrupted())
      return failure();
    return checkNothingIsLeft(function, matched);
  }

  static LogicalResult
  checkNothingIsLeft(FunctionOpInterface function,
                     const DenseSet<Operation *> &matched) {
    auto visit = [&](Operation *op) -> WalkResult {
      if (isa<nop::LocalOp>(op))
        return WalkResult::skip();
      if (!isa<moe::ExpertBodyInterface, moe::CombineOp>(op) ||
          matched.contains(op))
        return WalkResult::advance();
      if (isa<moe::CombineOp>(op) &&
          op->getOperand(0).getDefiningOp<nop::GatherOp>())
        return WalkResult::advance();
      op->emitOpError() << "has rows that do not come from a moe.dispatch by a "
                           "global routing, so that where they are is unknown";
      return WalkResult::interrupt();
    };
    return failure(function->walk<WalkOrder::PreOrder>(visit).wasInterrupted());
  }
};
} // namespace
