//===- Deduplicate.cpp - One row a chiplet and token ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/NoP/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace mozart::nop {
#define GEN_PASS_DEF_NOPDEDUPLICATE
#include "mozart/Dialect/NoP/Transforms/Passes.h.inc"
} // namespace mozart::nop

using namespace mlir;
using namespace mozart;
using namespace mozart::nop;

namespace {

/// One exchange of pairs, there and back.
struct PairExchange {
  ScatterOp scatter;
  LocalOp local;
  /// Of each result of `local`.
  SmallVector<SmallVector<GatherOp>> gathers;
};

} // namespace

static constexpr remark::RemarkOpts kRemark =
    remark::RemarkOpts::name("Deduplicate").category("nop-deduplicate");

/// Says why the exchange stays as it is.
static LogicalResult missed(Operation *at, StringRef what) {
  remark::missed(at->getLoc(), kRemark)
      << "the exchange stays one of pairs: "
      << ("'" + at->getName().getStringRef() + "' " + what).str();
  return failure();
}

namespace {

class Matcher {
public:
  explicit Matcher(ScatterOp scatter) { match.scatter = scatter; }

  FailureOr<PairExchange> run() {
    if (failed(findLocal()) || failed(checkBody()) || failed(findGathers()))
      return failure();
    return std::move(match);
  }

private:
  PairExchange match;

  LogicalResult findLocal() {
    for (OpResult result : match.scatter->getResults())
      for (Operation *user : result.getUsers()) {
        auto local = dyn_cast<LocalOp>(user);
        if (!local)
          return missed(user,
                        "uses what the scatter sends; expected nop.local");
        if (match.local && match.local != local)
          return missed(user, "is the second that uses what the scatter sends; "
                              "expected one");
        match.local = local;
      }
    if (!match.local)
      return missed(match.scatter, "sends rows that nothing uses");
    for (OpResult result : match.scatter->getResults())
      if (llvm::count(match.local.getInputs(), result) != 1)
        return missed(match.local,
                      "does not take rows and counts of the scatter once each");
    return success();
  }

  BlockArgument argumentOf(Value input) {
    auto inputs = match.local.getInputs();
    return match.local.getBody().getArgument(
        std::distance(inputs.begin(), llvm::find(inputs, input)));
  }

  /// Rows and counts go to experts only; every result is rows of experts.
  LogicalResult checkBody() {
    BlockArgument counts = argumentOf(match.scatter.getCounts());
    DenseSet<Value> rows = {argumentOf(match.scatter.getRows())};
    Block &body = match.local.getBody().front();
    for (Operation &op : body.without_terminator()) {
      auto experts = dyn_cast<moe::ExpertBodyInterface>(op);
      if (!experts)
        return missed(&op, "is in the nop.local; expected experts only");
      if (!rows.contains(experts.getRows()) || experts.getCounts() != counts)
        return missed(&op, "does not compute on the rows of the scatter");
      for (Value weight : experts.getStackedWeights())
        if (rows.contains(weight) || weight == counts)
          return missed(&op, "takes rows or counts of the scatter for weights");
      rows.insert(op.getResult(0));
    }
    for (Value value : body.getTerminator()->getOperands())
      if (!rows.contains(value))
        return missed(body.getTerminator(),
                      "yields what is not rows of the scatter");
    return success();
  }

  LogicalResult findGathers() {
    for (OpResult result : match.local->getResults()) {
      SmallVector<GatherOp> &gathers = match.gathers.emplace_back();
      for (Operation *user : result.getUsers()) {
        auto gather = dyn_cast<GatherOp>(user);
        if (!gather)
          return missed(user, "uses rows of experts; expected nop.gather");
        if (failed(checkGather(gather)))
          return failure();
        gathers.push_back(gather);
      }
    }
    return success();
  }

  LogicalResult checkGather(GatherOp gather) {
    ScatterOp scatter = match.scatter;
    if (gather.getRouting() != scatter.getRouting())
      return missed(gather, "is by another routing than the scatter");
    if (gather.getPlacement() != scatter.getPlacement() ||
        gather.getRoot() != scatter.getRoot())
      return missed(gather, "is of another placement or root than the scatter");
    for (OpOperand &use : gather.getRows().getUses()) {
      auto combine = dyn_cast<moe::CombineOp>(use.getOwner());
      if (!combine || use.getOperandNumber() != 0)
        return missed(use.getOwner(),
                      "uses gathered rows; expected moe.combine");
      if (combine.getRouting() != scatter.getRouting())
        return missed(combine, "is by another routing than the scatter");
    }
    return success();
  }
};

/// Writes the exchange of tokens in place of that of pairs.
class Rewriter {
public:
  explicit Rewriter(const PairExchange &match)
      : match(match), scatter(match.scatter), local(match.local),
        builder(match.scatter) {}

  void run() {
    multicast();
    rewriteLocal();
    for (auto [result, gathers] : llvm::zip(sums->getResults(), match.gathers))
      for (GatherOp gather : gathers)
        reduce(gather, result);
    remark::passed(scatter.getLoc(), kRemark)
        << ("MoE layer " + Twine(scatter.getLayer()) +
            ": a row for each chiplet of a token instead of one for each of "
            "its "
            "k = " +
            Twine(scatter.getRouting().getType().getK()) + " experts")
               .str();
    local->erase();
    scatter->erase();
  }

private:
  const PairExchange &match;
  ScatterOp scatter;
  LocalOp local;
  OpBuilder builder;
  MulticastOp rowsOut;
  LocalOp sums;

  DistributedType distributed(Type type) {
    return DistributedType::get(type.getContext(), type,
                                scatter.getRows().getType().getNodes());
  }

  /// As many rows as `rows`, as wide as `like`.
  static RankedTensorType withRows(Type like, int64_t rows) {
    auto type = cast<RankedTensorType>(like);
    return RankedTensorType::get({rows, type.getDimSize(1)},
                                 type.getElementType());
  }

  int64_t tokens() { return scatter.getRouting().getType().getTokens(); }
  int64_t pairs() { return tokens() * scatter.getRouting().getType().getK(); }

  void multicast() {
    moe::RoutingType routing = scatter.getRouting().getType();
    auto localRouting = moe::RoutingType::get(
        builder.getContext(), routing.getTokens(), routing.getK(),
        ShapedType::kDynamic, routing.getGateType(), /*local=*/true);
    rowsOut = MulticastOp::create(
        builder, scatter.getLoc(), distributed(scatter.getInput().getType()),
        distributed(localRouting), scatter.getInput(), scatter.getRouting(),
        scatter.getRoot(), Via::Root, scatter.getLayer(),
        scatter.getPlacement());
  }

  void rewriteLocal() {
    SmallVector<Value> inputs(local.getInputs());
    SmallVector<Type> results;
    for (Type type : local.getResultTypes())
      results.push_back(distributed(
          withRows(cast<DistributedType>(type).getLocal(), tokens())));
    Block &body = local.getBody().front();
    auto block = std::make_unique<Block>();
    IRMapping mapping;
    BlockArgument rows, routing, oldRows, oldCounts;
    for (auto [input, argument] : llvm::zip(inputs, body.getArguments())) {
      bool isRows = input == scatter.getRows();
      bool isCounts = input == scatter.getCounts();
      if (isRows)
        input = rowsOut.getRows();
      else if (isCounts)
        input = rowsOut.getLocalRouting();
      BlockArgument added = block->addArgument(
          cast<DistributedType>(input.getType()).getLocal(), argument.getLoc());
      if (isRows)
        rows = added, oldRows = argument;
      else if (isCounts)
        routing = added, oldCounts = argument;
      else
        mapping.map(argument, added);
    }
    builder.setInsertionPoint(local);
    sums = LocalOp::create(builder, local.getLoc(), results, inputs);
    sums.getBody().push_back(block.release());
    OpBuilder inside = OpBuilder::atBlockEnd(&sums.getBody().front());
    auto dispatch = moe::DispatchOp::create(
        inside, scatter.getLoc(), withRows(rows.getType(), pairs()),
        oldCounts.getType(), rows, routing, scatter.getLayer(),
        moe::PlacementAttr());
    mapping.map(oldRows, dispatch.getRows());
    mapping.map(oldCounts, dispatch.getCounts());
    for (Operation &op : body.without_terminator()) {
      Operation *clone = inside.clone(op, mapping);
      clone->getResult(0).setType(
          withRows(clone->getResult(0).getType(), pairs()));
    }
    SmallVector<Value> partial;
    for (Value value : body.getTerminator()->getOperands())
      partial.push_back(moe::CombineOp::create(
          inside, local.getLoc(), withRows(value.getType(), tokens()),
          mapping.lookup(value), routing, scatter.getLayer(),
          moe::PlacementAttr()));
    YieldOp::create(inside, body.getTerminator()->getLoc(), partial);
  }

  void reduce(GatherOp gather, Value partial) {
    builder.setInsertionPoint(gather);
    Value sum =
        ReduceOp::create(builder, gather.getLoc(),
                         withRows(gather.getRows().getType(), tokens()),
                         partial, gather.getRouting(), gather.getRoot(),
                         Via::Root, gather.getLayer(), gather.getPlacement());
    for (Operation *user :
         llvm::make_early_inc_range(gather.getRows().getUsers())) {
      user->getResult(0).replaceAllUsesWith(sum);
      user->erase();
    }
    gather->erase();
  }
};

struct NoPDeduplicate
    : public mozart::nop::impl::NoPDeduplicateBase<NoPDeduplicate> {
  using NoPDeduplicateBase::NoPDeduplicateBase;

  void runOnOperation() override {
    SmallVector<ScatterOp> scatters;
    getOperation()->walk([&](ScatterOp op) { scatters.push_back(op); });
    for (ScatterOp scatter : scatters)
      if (FailureOr<PairExchange> match = Matcher(scatter).run();
          succeeded(match))
        Rewriter(*match).run();
  }
};
} // namespace
