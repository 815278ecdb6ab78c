//===- NoPToLinalg.cpp - All nodes in one address space -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeLoops.h"

#include "mozart/Conversion/Passes.h"
#include "mozart/Dialect/NoP/IR/NoP.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Machine/RouteTree.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mozart {
#define GEN_PASS_DEF_CONVERTNOPTOLINALG
#include "mozart/Conversion/Passes.h.inc"
} // namespace mozart

using namespace mlir;
using namespace mozart;

namespace {

/// A distributed value: what each node holds, and the experts that it has.
struct Spread {
  SmallVector<ExchangeLoops::NodeRows> nodes;
};

/// Lowers the nop ops of one function, in order.
class Lowering {
public:
  explicit Lowering(FunctionOpInterface function) : function(function) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    WalkResult walk =
        function->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          if (failed(checkValues(op)))
            return WalkResult::interrupt();
          if (op->getName().getDialectNamespace() !=
              nop::NoPDialect::getDialectNamespace())
            return WalkResult::advance();
          ops.push_back(op);
          return WalkResult::skip();
        });
    if (walk.wasInterrupted())
      return failure();
    for (Operation *op : ops)
      if (failed(lower(op)))
        return failure();
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    return success();
  }

private:
  FunctionOpInterface function;
  DenseMap<Value, Spread> known;

  static bool isDistributed(Type type) {
    return isa<nop::DistributedType>(type);
  }

  /// Only nop ops may have distributed operands and results.
  LogicalResult checkValues(Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isDistributed(argument.getType()))
            return op->emitError()
                   << "block argument " << argument.getArgNumber()
                   << " has type " << argument.getType()
                   << ", but what each node holds is known only for results of "
                      "nop ops; shard or scatter it in the function";
    if (op->getName().getDialectNamespace() ==
        nop::NoPDialect::getDialectNamespace())
      return success();
    if (llvm::any_of(op->getOperandTypes(), isDistributed) ||
        llvm::any_of(op->getResultTypes(), isDistributed))
      return op->emitError()
             << "'" << op->getName()
             << "' uses or makes a distributed value, which only nop ops can";
    return success();
  }

  LogicalResult lower(Operation *op) {
    OpBuilder builder(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<nop::ShardOp, nop::ScatterOp, nop::MulticastOp, nop::LocalOp,
              nop::GatherOp, nop::ReduceOp>(
            [&](auto typed) { return lower(builder, typed); })
        .Default([](Operation *other) {
          return other->emitOpError() << "has no lowering to linalg";
        });
  }

  /// A value for each node, made by `make` from the experts of the node.
  static Spread
  spread(moe::PlacementAttr placement,
         llvm::function_ref<Value(const ExchangeLoops::Node &node)> make) {
    Spread result;
    for (auto &[index, experts] : placement.getExpertsOf()) {
      ExchangeLoops::Node node{index, experts};
      result.nodes.push_back({make(node), node});
    }
    return result;
  }

  /// Slices of an array of experts, with neighbours taken together.
  static Value takeExperts(OpBuilder &builder, Location loc, Value input,
                           ArrayRef<int64_t> experts) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = experts.size();
    Value result =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
    for (size_t begin = 0, end; begin < experts.size(); begin = end) {
      for (end = begin + 1;
           end < experts.size() && experts[end] == experts[end - 1] + 1;)
        ++end;
      SmallVector<OpFoldResult> from(shape.size(), builder.getIndexAttr(0));
      SmallVector<OpFoldResult> to(from), sizes;
      from[0] = builder.getIndexAttr(experts[begin]);
      to[0] = builder.getIndexAttr(begin);
      for (int64_t extent : shape)
        sizes.push_back(builder.getIndexAttr(extent));
      sizes[0] = builder.getIndexAttr(end - begin);
      Value slice = tensor::ExtractSliceOp::create(builder, loc, input, from,
                                                   sizes, strides);
      result = tensor::InsertSliceOp::create(builder, loc, slice, result, to,
                                             sizes, strides);
    }
    return result;
  }

  LogicalResult lower(OpBuilder &builder, nop::ShardOp op) {
    known[op.getResult()] =
        spread(op.getPlacement(), [&](const ExchangeLoops::Node &node) {
          return takeExperts(builder, op.getLoc(), op.getInput(), node.experts);
        });
    return success();
  }

  LogicalResult lower(OpBuilder &builder, nop::ScatterOp op) {
    ExchangeLoops loops(builder, op.getLoc(), op.getRouting(),
                        op.getPlacement());
    auto type = cast<RankedTensorType>(op.getRows().getType().getLocal());
    Spread counts;
    known[op.getRows()] =
        spread(op.getPlacement(), [&](const ExchangeLoops::Node &node) {
          ExchangeLoops::Pairs pairs = loops.scatter(op.getInput(), type, node);
          counts.nodes.push_back({pairs.counts, node});
          return pairs.rows;
        });
    known[op.getCounts()] = std::move(counts);
    return success();
  }

  LogicalResult lower(OpBuilder &builder, nop::MulticastOp op) {
    ExchangeLoops loops(builder, op.getLoc(), op.getRouting(),
                        op.getPlacement());
    Spread routings;
    known[op.getRows()] =
        spread(op.getPlacement(), [&](const ExchangeLoops::Node &node) {
          ExchangeLoops::Tokens tokens = loops.multicast(op.getInput(), node);
          routings.nodes.push_back({tokens.routing, node});
          return tokens.rows;
        });
    known[op.getLocalRouting()] = std::move(routings);
    return success();
  }

  /// What an exchange brings back, by node. It may have been placed in another
  /// way than what it brings back.
  FailureOr<Spread> incoming(Operation *op, Value input,
                             moe::PlacementAttr placement) {
    Spread spread = known.lookup(input);
    // Its nodes are those of the placement, as the op's verifier says.
    auto expertsOf = placement.getExpertsOf();
    for (auto [held, expected] : llvm::zip(spread.nodes, expertsOf))
      if (held.node.experts != expected.second)
        return op->emitOpError() << "has placement " << placement
                                 << ", but its input is of another placement";
    return spread;
  }

  LogicalResult lower(OpBuilder &builder, nop::GatherOp op) {
    FailureOr<Spread> input = incoming(op, op.getInput(), op.getPlacement());
    if (failed(input))
      return failure();
    ExchangeLoops loops(builder, op.getLoc(), op.getRouting(),
                        op.getPlacement());
    Value rows = loops.gather(input->nodes,
                              cast<RankedTensorType>(op.getRows().getType()));
    op.getRows().replaceAllUsesWith(rows);
    return success();
  }

  LogicalResult lower(OpBuilder &builder, nop::ReduceOp op) {
    FailureOr<Spread> input = incoming(op, op.getInput(), op.getPlacement());
    if (failed(input))
      return failure();
    ExchangeLoops loops(builder, op.getLoc(), op.getRouting(),
                        op.getPlacement());
    auto type = cast<RankedTensorType>(op.getResult().getType());
    std::map<int64_t, Value> ofNode;
    for (auto [node, held] :
         llvm::zip(op.getInput().getType().getNodes(), input->nodes))
      ofNode[node] = loops.spread(held, type);
    Value sum;
    if (op.getVia() == nop::Via::Root) {
      for (auto &[node, rows] : ofNode)
        sum = sum ? loops.add(sum, rows) : rows;
    } else {
      wafer::MachineOp machine =
          wafer::lookupMachine(op, op.getPlacement().getMachine());
      if (!machine)
        return failure();
      std::vector<int32_t> peers;
      for (auto &[node, rows] : ofNode)
        peers.push_back(node);
      RouteTree tree(wafer::getMachineModel(machine), op.getRoot(), peers,
                     RouteTree::Direction::Inward);
      sum = sumBelow(tree, tree.root(), ofNode, loops);
    }
    op.getResult().replaceAllUsesWith(sum);
    return success();
  }

  /// The sum of what a node holds and of what its children in the tree, in
  /// declared order, send it.
  static Value sumBelow(const RouteTree &tree, int32_t node,
                        const std::map<int64_t, Value> &ofNode,
                        ExchangeLoops &loops) {
    auto own = ofNode.find(node);
    Value sum = own == ofNode.end() ? Value() : own->second;
    for (int32_t child : tree.children(node)) {
      Value below = sumBelow(tree, child, ofNode, loops);
      sum = sum ? loops.add(sum, below) : below;
    }
    return sum;
  }

  LogicalResult lower(OpBuilder &builder, nop::LocalOp op) {
    Spread first = known.lookup(op.getInputs().front());
    SmallVector<Spread> results(op.getNumResults());
    for (size_t node = 0; node < first.nodes.size(); ++node) {
      const ExchangeLoops::Node &here = first.nodes[node].node;
      IRMapping mapping;
      for (auto [input, argument] :
           llvm::zip(op.getInputs(), op.getBody().getArguments())) {
        Spread spread = known.lookup(input);
        if (spread.nodes[node].node.experts != here.experts)
          return op.emitOpError() << "has inputs of different placements, so "
                                     "that its nodes have "
                                     "no single number of experts";
        mapping.map(argument, spread.nodes[node].rows);
      }
      if (failed(cloneBody(builder, op, mapping, here.experts.size())))
        return failure();
      Operation *yield = op.getBody().front().getTerminator();
      for (auto [value, result] : llvm::zip(yield->getOperands(), results))
        result.nodes.push_back({mapping.lookup(value), here});
    }
    for (auto [value, spread] : llvm::zip(op.getResults(), results))
      known[value] = std::move(spread);
    return success();
  }

  LogicalResult cloneBody(OpBuilder &builder, nop::LocalOp op,
                          IRMapping &mapping, int64_t experts) {
    for (Operation &inner : op.getBody().front().without_terminator()) {
      Operation *clone = builder.clone(inner, mapping);
      instantiate(clone, experts);
      if (failed(mlir::verify(clone)))
        return op.emitOpError() << "has a body that does not fit a node with "
                                << experts << " experts";
    }
    return success();
  }

  /// Gives every `?` its value, but not in regions that are closed off: theirs
  /// count something else (rows of one expert).
  static void instantiate(Operation *op, int64_t experts) {
    for (Value result : op->getResults())
      result.setType(nop::instantiate(result.getType(), experts));
    if (op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          argument.setType(nop::instantiate(argument.getType(), experts));
        for (Operation &inner : block)
          instantiate(&inner, experts);
      }
  }
};

struct ConvertNoPToLinalg
    : public mozart::impl::ConvertNoPToLinalgBase<ConvertNoPToLinalg> {
  using ConvertNoPToLinalgBase::ConvertNoPToLinalgBase;

  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](FunctionOpInterface function) {
      return failed(Lowering(function).run()) ? WalkResult::interrupt()
                                              : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
