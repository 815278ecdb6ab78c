//===- VerifyRouted.cpp - What phase 'routed' promises --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a node holds is followed as a state: the shard of a placement, or what
// an exchange brought and how far it has got. Ops that are not understood give
// an unknown state that remembers them.
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/MoE/Transforms/Layers.h"
#include "mozart/Dialect/NoP/Transforms/Passes.h"

namespace mozart::nop {
#define GEN_PASS_DEF_VERIFYROUTED
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"
} // namespace mozart::nop

using namespace mlir;
using namespace mozart;
using namespace mozart::nop;

namespace {

/// What a value on a node stands for.
struct NodeState {
  enum Kind {
    Unknown,   ///< made by `origin`, which is not understood
    Shard,     ///< weights of the experts in `placement`
    Counts,    ///< rows of each expert, of exchange `origin`
    Routing,   ///< local routing of exchange `origin`
    TokenRows, ///< one row a token of `origin`, as they came
    PairRows,  ///< one row a (token, expert) of `origin`
    TokenSums, ///< one sum a token of `origin`, over its experts on the node
  };
  Kind kind = Unknown;
  Operation *origin = nullptr;
  moe::PlacementAttr placement;
  /// Of PairRows: experts have worked on them.
  bool worked = false;
};

} // namespace

/// How messages name what was found.
static StringRef describe(const NodeState &state) {
  switch (state.kind) {
  case NodeState::Unknown:
    return "a value of unknown origin";
  case NodeState::Shard:
    return "weights";
  case NodeState::Counts:
    return "counts";
  case NodeState::Routing:
    return "a routing";
  case NodeState::TokenRows:
    return "one row a token, not yet copied for its experts";
  case NodeState::PairRows:
    return state.worked ? "one row a (token, expert), not yet added"
                        : "rows that no experts have worked on";
  case NodeState::TokenSums:
    return "one sum a token";
  }
  llvm_unreachable("all kinds are named");
}

static moe::PlacementAttr placementOf(Operation *exchange) {
  return cast<moe::PlacementAttr>(*exchange->getInherentAttr("placement"));
}

static int64_t numberOf(Operation *exchange, StringRef attribute) {
  return cast<IntegerAttr>(*exchange->getInherentAttr(attribute)).getInt();
}

static int64_t layerOf(Operation *exchange) {
  return numberOf(exchange, "layer");
}

namespace {

/// Follows the values on nodes through all of a function.
class NodeStates {
public:
  explicit NodeStates(FunctionOpInterface function) : function(function) {}

  LogicalResult run() {
    return failure(function
                       ->walk<WalkOrder::PreOrder>([&](Operation *op) {
                         if (auto local = dyn_cast<LocalOp>(op))
                           return failed(follow(local))
                                      ? WalkResult::interrupt()
                                      : WalkResult::skip();
                         begin(op);
                         return WalkResult::advance();
                       })
                       .wasInterrupted());
  }

  NodeState of(Value value) const {
    auto it = states.find(value);
    if (it != states.end())
      return it->second;
    NodeState unknown;
    unknown.origin = value.getDefiningOp();
    if (!unknown.origin)
      unknown.origin = function;
    return unknown;
  }

private:
  FunctionOpInterface function;
  DenseMap<Value, NodeState> states;

  void set(Value value, NodeState::Kind kind, Operation *origin,
           moe::PlacementAttr placement, bool worked = false) {
    states[value] = {kind, origin, placement, worked};
  }

  void begin(Operation *op) {
    if (auto shard = dyn_cast<ShardOp>(op)) {
      set(shard.getResult(), NodeState::Shard, op, shard.getPlacement());
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      set(scatter.getRows(), NodeState::PairRows, op, scatter.getPlacement());
      set(scatter.getCounts(), NodeState::Counts, op, scatter.getPlacement());
    } else if (auto multicast = dyn_cast<MulticastOp>(op)) {
      set(multicast.getRows(), NodeState::TokenRows, op,
          multicast.getPlacement());
      set(multicast.getLocalRouting(), NodeState::Routing, op,
          multicast.getPlacement());
    }
  }

  LogicalResult follow(LocalOp local) {
    for (auto [input, argument] :
         llvm::zip(local.getInputs(), local.getBody().getArguments()))
      states[argument] = of(input);
    for (Operation &op : local.getBody().front()) {
      LogicalResult done =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<moe::DispatchOp, moe::CombineOp>(
                  [&](auto typed) { return step(typed); })
              .Case<moe::ExpertBodyInterface>(
                  [&](moe::ExpertBodyInterface experts) {
                    return step(experts);
                  })
              .Case<YieldOp>([&](YieldOp yield) {
                for (auto [value, result] :
                     llvm::zip(yield.getOperands(), local.getResults()))
                  states[result] = of(value);
                return success();
              })
              .Default([](Operation *) { return success(); });
      if (failed(done))
        return failure();
    }
    return success();
  }

  /// An operand must be of one kind. Unknown ones are left to whoever brings
  /// the results back, which are then unknown for the same reason: `known`
  /// becomes false.
  LogicalResult expect(Operation *op, StringRef role, Value operand,
                       NodeState::Kind kind, StringRef expected, bool &known) {
    NodeState state = of(operand);
    if (state.kind == NodeState::Unknown && known) {
      known = false;
      for (Value result : op->getResults())
        states[result] = state;
    }
    if (state.kind == NodeState::Unknown || state.kind == kind)
      return success();
    return op->emitOpError() << "has " << describe(state) << " as its " << role
                             << ", expected " << expected;
  }

  LogicalResult sameExchange(Operation *op, Value a, Value b) {
    NodeState first = of(a), second = of(b);
    if (first.origin == second.origin)
      return success();
    InFlightDiagnostic diag = op->emitOpError()
                              << "takes values of two exchanges for one";
    diag.attachNote(first.origin->getLoc()) << "one is here";
    diag.attachNote(second.origin->getLoc()) << "the other is here";
    return failure();
  }

  LogicalResult sameLayer(moe::MoELayerOpInterface op, Operation *origin) {
    if (static_cast<int64_t>(op.getLayer()) == layerOf(origin))
      return success();
    return op->emitOpError()
           << "is in MoE layer " << op.getLayer()
           << ", but its rows are of layer " << layerOf(origin);
  }

  LogicalResult step(moe::DispatchOp op) {
    bool known = true;
    if (failed(expect(op, "input", op.getInput(), NodeState::TokenRows,
                      "one row a token, as it came", known)) ||
        failed(expect(op, "routing", op.getRouting(), NodeState::Routing,
                      "the local routing that came with the rows", known)))
      return failure();
    NodeState rows = of(op.getInput());
    if (!known)
      return success();
    if (failed(sameExchange(op, op.getInput(), op.getRouting())) ||
        failed(sameLayer(op, rows.origin)))
      return failure();
    set(op.getRows(), NodeState::PairRows, rows.origin, rows.placement);
    set(op.getCounts(), NodeState::Counts, rows.origin, rows.placement);
    return success();
  }

  LogicalResult step(moe::ExpertBodyInterface op) {
    bool known = true;
    if (failed(expect(op, "rows", op.getRows(), NodeState::PairRows,
                      "one row a (token, expert)", known)) ||
        failed(expect(op, "counts", op.getCounts(), NodeState::Counts,
                      "the counts that came with the rows", known)))
      return failure();
    NodeState rows = of(op.getRows());
    for (Value weight : op.getStackedWeights()) {
      if (failed(expect(op, "weights", weight, NodeState::Shard,
                        "shards of stacked weights", known)))
        return failure();
      NodeState state = of(weight);
      if (known && state.placement != rows.placement) {
        InFlightDiagnostic diag = op->emitOpError()
                                  << "has weights placed " << state.placement
                                  << ", but its rows went to experts placed "
                                  << rows.placement;
        diag.attachNote(state.origin->getLoc())
            << "the weights are placed here";
        return failure();
      }
    }
    if (!known)
      return success();
    if (failed(sameExchange(op, op.getRows(), op.getCounts())) ||
        failed(sameLayer(cast<moe::MoELayerOpInterface>(op.getOperation()),
                         rows.origin)))
      return failure();
    set(op->getResult(0), NodeState::PairRows, rows.origin, rows.placement,
        /*worked=*/true);
    return success();
  }

  LogicalResult step(moe::CombineOp op) {
    bool known = true;
    if (failed(expect(op, "rows", op.getRows(), NodeState::PairRows,
                      "one row a (token, expert)", known)) ||
        failed(expect(op, "routing", op.getRouting(), NodeState::Routing,
                      "the local routing that came with the rows", known)))
      return failure();
    NodeState rows = of(op.getRows());
    if (!known)
      return success();
    if (!rows.worked)
      return op.emitOpError()
             << "adds " << describe(rows) << ", expected rows of experts";
    if (failed(sameExchange(op, op.getRows(), op.getRouting())) ||
        failed(sameLayer(op, rows.origin)))
      return failure();
    set(op.getResult(), NodeState::TokenSums, rows.origin, rows.placement);
    return success();
  }
};

/// Checks one layer: its routing, the way out and the way back.
class LayerVerifier {
public:
  LayerVerifier(moe::RouteOp route, const NodeStates &states,
                bool allowUndecided)
      : route(route), states(states), allowUndecided(allowUndecided) {}

  LogicalResult add(Operation *exchange) {
    bool isOut = isa<ScatterOp, MulticastOp>(exchange);
    Operation *&slot = isOut ? out : back;
    if (slot) {
      InFlightDiagnostic diag =
          exchange->emitOpError()
          << "is the second that " << (isOut ? "sends" : "brings back")
          << " rows of MoE layer " << layerOf(exchange) << ", expected one";
      diag.attachNote(slot->getLoc()) << "the first is here";
      return failure();
    }
    slot = exchange;
    return success();
  }

  LogicalResult run() {
    for (Operation *exchange : {out, back}) {
      if (!exchange)
        return route.emitOpError()
               << "routes MoE layer " << route.getLayer()
               << ", whose rows are never "
               << (out ? "brought back (nop.gather or nop.reduce)"
                       : "sent out (nop.scatter or nop.multicast)");
      if (failed(checkExchange(exchange)))
        return failure();
    }
    if (failed(checkPair()) || failed(checkWayBack()))
      return failure();
    if (auto gather = dyn_cast<GatherOp>(back))
      return checkCombine(gather);
    return success();
  }

private:
  moe::RouteOp route;
  const NodeStates &states;
  bool allowUndecided;
  Operation *out = nullptr, *back = nullptr;

  LogicalResult undecided(Operation *at, const Twine &what) {
    if (!allowUndecided)
      return at->emitError() << "undecided: " << what.str();
    at->emitWarning() << "undecided: " << what.str();
    return success();
  }

  LogicalResult checkExchange(Operation *exchange) {
    // Operand 1 of all four exchanges.
    if (exchange->getOperand(1) != route.getRouting()) {
      InFlightDiagnostic diag = exchange->emitOpError()
                                << "of MoE layer " << route.getLayer()
                                << " is by another routing than the layer's";
      diag.attachNote(route.getLoc()) << "the layer is routed here";
      return failure();
    }
    if (route.getPlacementAttr() &&
        route.getPlacementAttr() != placementOf(exchange))
      return exchange->emitOpError()
             << "has placement " << placementOf(exchange) << ", but MoE layer "
             << route.getLayer() << " is routed to "
             << route.getPlacementAttr();
    return success();
  }

  LogicalResult checkPair() {
    auto differ = [&](StringRef what) {
      InFlightDiagnostic diag = back->emitOpError()
                                << "of MoE layer " << route.getLayer()
                                << " has another " << what
                                << " than the op that sends the rows out";
      diag.attachNote(out->getLoc()) << "they are sent out here";
      return failure();
    };
    if (placementOf(out) != placementOf(back))
      return differ("placement");
    if (numberOf(out, "root") != numberOf(back, "root"))
      return differ("root");
    return success();
  }

  /// What comes back is what this layer's experts made of what went out.
  LogicalResult checkWayBack() {
    NodeState state = states.of(back->getOperand(0));
    if (state.kind == NodeState::Unknown)
      return undecided(state.origin,
                       "what this does to rows or weights of MoE layer " +
                           Twine(route.getLayer()));
    bool pairs = isa<GatherOp>(back);
    bool good = pairs ? state.kind == NodeState::PairRows && state.worked
                      : state.kind == NodeState::TokenSums;
    if (!good)
      return back->emitOpError()
             << "brings back " << describe(state) << ", expected "
             << (pairs ? "one row a (token, expert), worked on by experts"
                       : "one sum a token");
    if (state.origin == out)
      return success();
    InFlightDiagnostic diag = back->emitOpError()
                              << "of MoE layer " << route.getLayer()
                              << " brings back rows of layer "
                              << layerOf(state.origin);
    diag.attachNote(state.origin->getLoc()) << "they are sent out here";
    return failure();
  }

  LogicalResult checkCombine(GatherOp gather) {
    moe::CombineOp combine;
    for (Operation *user : gather.getRows().getUsers()) {
      auto next = dyn_cast<moe::CombineOp>(user);
      if (!next) {
        if (failed(undecided(user,
                             "what this does to gathered rows of MoE layer " +
                                 Twine(route.getLayer()))))
          return failure();
        continue;
      }
      if (combine)
        return next.emitOpError()
               << "is the second that combines the rows of MoE layer "
               << route.getLayer() << ", expected one";
      combine = next;
      if (combine.getRouting() != route.getRouting() ||
          combine.getLayer() != route.getLayer())
        return combine.emitOpError()
               << "combines rows of MoE layer " << route.getLayer()
               << " as if they were of another layer or routing";
    }
    if (!combine && gather.getRows().use_empty())
      return gather.emitOpError()
             << "brings back rows of MoE layer " << route.getLayer()
             << ", which nothing combines";
    return success();
  }
};

struct VerifyRouted : public nop::impl::VerifyRoutedBase<VerifyRouted> {
  using VerifyRoutedBase::VerifyRoutedBase;

  void runOnOperation() override {
    FailureOr<FunctionOpInterface> function =
        moe::getModelFunction(getOperation());
    if (failed(function) || failed(checkRoot(*function)) ||
        failed(checkLayers(*function)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// No op of another phase, and nothing on the root that belongs on chiplets.
  LogicalResult checkRoot(FunctionOpInterface function) {
    auto visit = [](Operation *op) -> WalkResult {
      if (isa<LocalOp>(op))
        return WalkResult::skip();
      if (op->getName().getDialectNamespace() == "chiplet") {
        op->emitOpError()
            << "is of dialect 'chiplet', which a routed model does "
               "not have yet";
        return WalkResult::interrupt();
      }
      auto combine = dyn_cast<moe::CombineOp>(op);
      if (combine && combine.getRows().getDefiningOp<GatherOp>())
        return WalkResult::advance();
      if (!combine && !isa<moe::DispatchOp, moe::ExpertBodyInterface>(op))
        return WalkResult::advance();
      op->emitOpError() << "is on the root; expected "
                        << (combine
                                ? "rows of nop.gather, or nop.reduce instead"
                                : "it in a nop.local, between exchanges");
      return WalkResult::interrupt();
    };
    return failure(function->walk<WalkOrder::PreOrder>(visit).wasInterrupted());
  }

  /// The route of each layer.
  FailureOr<std::map<int64_t, moe::RouteOp>>
  findRoutes(FunctionOpInterface function) {
    std::map<int64_t, moe::RouteOp> routes;
    moe::ModelAttr model = moe::getModel(function);
    auto visit = [&](moe::RouteOp route) -> WalkResult {
      auto [it, fresh] = routes.try_emplace(route.getLayer(), route);
      if (!fresh) {
        InFlightDiagnostic diag = route.emitOpError()
                                  << "is the second of MoE layer "
                                  << route.getLayer() << ", expected one";
        diag.attachNote(it->second.getLoc()) << "the first is here";
        return WalkResult::interrupt();
      }
      if (route.getRouting().getType().getTokens() == model.getTokens())
        return WalkResult::advance();
      route.emitOpError() << "routes "
                          << route.getRouting().getType().getTokens()
                          << " tokens, but 'moe.model' says that a micro-batch "
                             "has "
                          << model.getTokens();
      return WalkResult::interrupt();
    };
    if (function->walk(visit).wasInterrupted())
      return failure();
    int64_t expected = 0;
    for (auto &[layer, route] : routes)
      if (layer != expected++)
        return route.emitOpError()
               << "is of MoE layer " << layer << ", but there is no layer "
               << expected - 1 << "; expected layers to be counted from 0";
    return routes;
  }

  LogicalResult checkLayers(FunctionOpInterface function) {
    auto routes = findRoutes(function);
    if (failed(routes))
      return failure();
    NodeStates states(function);
    if (failed(states.run()))
      return failure();
    std::map<int64_t, LayerVerifier> layers;
    for (auto &[layer, route] : *routes)
      layers.emplace(layer, LayerVerifier(route, states, allowUndecided));
    auto visit = [&](Operation *op) -> WalkResult {
      if (!isa<ScatterOp, MulticastOp, GatherOp, ReduceOp>(op))
        return WalkResult::advance();
      auto layer = layers.find(layerOf(op));
      if (layer == layers.end()) {
        op->emitOpError() << "is of MoE layer " << layerOf(op)
                          << ", which has no moe.route";
        return WalkResult::interrupt();
      }
      return failed(layer->second.add(op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    };
    if (function->walk(visit).wasInterrupted())
      return failure();
    for (auto &[ordinal, layer] : layers)
      if (failed(layer.run()))
        return failure();
    return success();
  }
};
} // namespace
