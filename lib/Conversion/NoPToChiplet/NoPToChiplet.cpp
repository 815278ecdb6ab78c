//===- NoPToChiplet.cpp - From a routed model to a program ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Block after block, and in each block micro-batch after micro-batch: weights
// are loaded, the root computes its ops, tokens travel to their experts and
// back. The result is unscheduled: it waits for data alone.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "ProgramWriter.h"

#include "mozart/Conversion/Passes.h"
#include "mozart/Dialect/Wafer/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mozart {
#define GEN_PASS_DEF_CONVERTNOPTOCHIPLET
#include "mozart/Conversion/Passes.h.inc"
} // namespace mozart

using namespace mlir;
using namespace mozart;

/// The name of argument `index`: as a weight, else from its location.
static std::string argumentName(func::FuncOp function, int64_t index) {
  if (auto weight = function.getArgAttrOfType<StringAttr>(index, "moe.param"))
    return weight.str();
  if (auto loc = dyn_cast<NameLoc>(function.getArgument(index).getLoc()))
    return loc.getName().str();
  return ("arg" + Twine(index)).str();
}

static bool isExchange(Operation *op) {
  return isa<nop::ScatterOp, nop::MulticastOp, nop::GatherOp, nop::ReduceOp>(
      op);
}

static moe::PlacementAttr placementOf(Operation *exchange) {
  return llvm::TypeSwitch<Operation *, moe::PlacementAttr>(exchange)
      .Case<nop::ScatterOp, nop::MulticastOp, nop::GatherOp, nop::ReduceOp>(
          [](auto op) { return op.getPlacement(); });
}

static int64_t layerOf(Operation *exchange) {
  return llvm::TypeSwitch<Operation *, int64_t>(exchange)
      .Case<nop::ScatterOp, nop::MulticastOp, nop::GatherOp, nop::ReduceOp>(
          [](auto op) { return op.getLayerAttr().getInt(); });
}

static chiplet::Via viaOf(Operation *exchange) {
  nop::Via via = llvm::TypeSwitch<Operation *, nop::Via>(exchange)
                     .Case<nop::MulticastOp, nop::ReduceOp>(
                         [](auto op) { return op.getVia(); })
                     .Default([](auto) { return nop::Via::Root; });
  return via == nop::Via::Root ? chiplet::Via::Root : chiplet::Via::Switch;
}

namespace {

/// Emits one program from one function.
class Lowering {
public:
  Lowering(func::FuncOp function, const MachineModel &machine,
           const ModelPlan &plan, ProgramWriter writer)
      : function(function), machine(machine), plan(plan), root(machine.root()),
        model(function->getAttrOfType<moe::ModelAttr>("moe.model")),
        writer(std::move(writer)), values(model.getMicroBatches()) {}

  void run() {
    for (auto [index, block] : llvm::enumerate(plan.blocks)) {
      prefix = ("b" + Twine(index) + ".").str();
      weights.clear();
      shards.clear();
      loadWeights(block);
      for (microBatch = 0; microBatch < model.getMicroBatches(); ++microBatch) {
        emitBlock(block);
        if (index + 1 == plan.blocks.size())
          emitResults();
      }
    }
  }

private:
  std::string taskName(const Twine &what) const {
    return (prefix + "m" + Twine(microBatch) + "." + what).str();
  }
  int64_t memoryOf(int64_t node) const { return machine.memoryServing(node); }

  //===--- Weights --------------------------------------------------------===//

  Value loadArgument(BlockArgument argument, int64_t node, Type contents,
                     std::optional<int64_t> batch, ArrayRef<int64_t> experts,
                     const Twine &name) {
    Location loc = argument.getLoc();
    InputKey key(argument.getArgNumber(), node, batch.value_or(-1),
                 SmallVector<int64_t>(experts));
    Value &source = inputs[key];
    if (!source)
      source = writer.input(loc, name, argument.getArgNumber(), contents,
                            memoryOf(node), batch, experts);
    Value target = writer.alloc(loc, prefix + name, contents,
                                chiplet::MemoryKind::Sram, node);
    writer.load(loc, "load " + prefix + name, source, target);
    return target;
  }

  void loadWeights(const ModelBlock &block) {
    for (Operation *op : block.ops)
      if (!plan.covered.contains(op) && !plan.chains.contains(op))
        for (Value operand : op->getOperands())
          if (isWeight(operand) && !weights.contains(operand)) {
            auto argument = cast<BlockArgument>(operand);
            weights[operand] = loadArgument(
                argument, root, operand.getType(), std::nullopt, {},
                argumentName(function, argument.getArgNumber()));
          }
    for (Operation *op : block.ops) {
      auto chain = plan.chains.find(op);
      if (chain != plan.chains.end())
        loadShards(chain->second);
    }
  }

  /// Chiplet after chiplet, so that one has all its weights before the next.
  void loadShards(ExchangeChain chain) {
    for (const auto &[node, experts] :
         placementOf(chain.dispatch).getExpertsOf())
      for (Value input : chain.local.getInputs()) {
        auto shard = input.getDefiningOp<nop::ShardOp>();
        if (!shard || shards.contains({input, node}))
          continue;
        auto argument = cast<BlockArgument>(shard.getInput());
        Type contents = nop::instantiate(
            cast<nop::DistributedType>(input.getType()).getLocal(),
            experts.size());
        shards[{input, node}] =
            loadArgument(argument, node, contents, std::nullopt, experts,
                         argumentName(function, argument.getArgNumber()) + "[" +
                             machine.node(node).name + "]");
      }
  }

  //===--- Values of the root ---------------------------------------------===//

  /// The SRAM buffer of the root that holds `value` of this micro-batch.
  Value bufferOf(Value value) {
    auto weight = weights.find(value);
    if (weight != weights.end())
      return weight->second;
    auto &local = values[microBatch];
    auto found = local.find(value);
    if (found != local.end())
      return found->second;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return reload(value);
    std::string name = argumentName(function, argument.getArgNumber());
    // A weight is the same for all micro-batches, also where it is a result.
    if (isWeight(value))
      return weights[value] = loadArgument(argument, root, value.getType(),
                                           std::nullopt, {}, name);
    return local[value] =
               loadArgument(argument, root, value.getType(), microBatch, {},
                            (name + ".m" + Twine(microBatch)).str());
  }

  /// Brings back a value that waited in the DRAM.
  Value reload(Value value) {
    Value target =
        writer.alloc(value.getLoc(), taskName("reload"), value.getType(),
                     chiplet::MemoryKind::Sram, root);
    writer.load(value.getLoc(), taskName("reload"), spilled[microBatch][value],
                target);
    return values[microBatch][value] = target;
  }

  Value define(Value value, const Twine &what) {
    return values[microBatch][value] =
               writer.alloc(value.getLoc(), taskName(what), value.getType(),
                            chiplet::MemoryKind::Sram, root);
  }

  void emitRootOp(Operation *op) {
    SmallVector<Value> reads, writes;
    llvm::SmallSetVector<Value, 8> operands(op->operand_begin(),
                                            op->operand_end());
    for (Value operand : operands)
      reads.push_back(bufferOf(operand));
    StringRef what = op->getName().stripDialect();
    for (Value result : op->getResults())
      writes.push_back(define(result, what));
    writer.compute(op->getLoc(), taskName(what), root, reads, writes,
                   [&](OpBuilder &body, ValueRange arguments) {
                     IRMapping mapping;
                     mapping.map(operands.getArrayRef(), arguments);
                     return cloneKernel(body, op, mapping, 1);
                   });
  }

  /// Clones `op` for one of `slices`, unplaced: the task knows where it is.
  SmallVector<Value> cloneKernel(OpBuilder &body, Operation *op,
                                 IRMapping &mapping, int64_t slices,
                                 int64_t experts = ShapedType::kDynamic) {
    Operation *clone = body.clone(*op, mapping);
    if (auto layer = dyn_cast<moe::MoELayerOpInterface>(clone))
      layer.setPlacementAttr(nullptr);
    for (auto [result, original] :
         llvm::zip(clone->getResults(), op->getResults()))
      result.setType(
          nop::instantiate(getSliceType(original.getType(), slices), experts));
    return SmallVector<Value>(clone->getResults());
  }

  //===--- Exchanges ------------------------------------------------------===//

  ProgramWriter::Exchange exchangeOf(Operation *op, int64_t tokenBegin,
                                     const std::string &name) const {
    ProgramWriter::Exchange exchange;
    exchange.name = name;
    exchange.node = root;
    exchange.form = isa<nop::ScatterOp, nop::GatherOp>(op)
                        ? chiplet::Form::Pairs
                        : chiplet::Form::Tokens;
    exchange.via = viaOf(op);
    exchange.layer = layerOf(op);
    exchange.microBatch = microBatch;
    exchange.tokenBegin = tokenBegin;
    exchange.placement = placementOf(op);
    return exchange;
  }

  void emitChain(ExchangeChain chain) {
    Value input = bufferOf(chain.dispatch->getOperand(0));
    Value routing = bufferOf(chain.dispatch->getOperand(1));
    Value result = define(chain.result(), "moe");
    for (int64_t slice = 0; slice < plan.slices; ++slice)
      emitSlice(chain, slice, input, routing, result);
  }

  void emitSlice(ExchangeChain chain, int64_t slice, Value input, Value routing,
                 Value result) {
    Location loc = chain.dispatch->getLoc();
    auto routingType =
        cast<moe::RoutingType>(chain.dispatch->getOperand(1).getType());
    int64_t row = slice * (routingType.getTokens() / plan.slices);
    auto viewOf = [&](Value buffer) {
      Type type = cast<chiplet::BufferType>(buffer.getType()).getContents();
      return writer.view(loc, buffer, getSliceType(type, plan.slices), row);
    };
    std::string suffix = plan.slices > 1 ? (".s" + Twine(slice)).str() : "";
    Value routingView = viewOf(routing);
    auto expertsOf = placementOf(chain.dispatch).getExpertsOf();

    // Buffers of each node for what arrives.
    std::map<int64_t, llvm::DenseMap<Value, Value>> arrived;
    SmallVector<Value> writes;
    for (const auto &[node, experts] : expertsOf)
      for (auto [index, value] :
           llvm::enumerate(chain.dispatch->getResults())) {
        Value buffer = writer.alloc(
            loc,
            taskName((index == 0 ? "rows" : "table") + suffix + "[" +
                     machine.node(node).name + "]"),
            localType(value, experts.size()), chiplet::MemoryKind::Sram, node);
        arrived[node][value] = buffer;
        writes.push_back(buffer);
      }
    writer.dispatch(
        loc, exchangeOf(chain.dispatch, row, taskName("dispatch" + suffix)),
        viewOf(input), routingView, writes);

    SmallVector<Value> partials;
    for (const auto &[node, experts] : expertsOf)
      partials.push_back(
          emitLocal(chain, node, experts.size(), arrived[node], suffix));
    emitReturn(chain, row, suffix, partials, routingView, viewOf(result));
  }

  Type localType(Value distributed, int64_t experts) const {
    Type local = cast<nop::DistributedType>(distributed.getType()).getLocal();
    return nop::instantiate(getSliceType(local, plan.slices), experts);
  }

  Value emitLocal(ExchangeChain chain, int64_t node, int64_t experts,
                  const llvm::DenseMap<Value, Value> &arrived,
                  const std::string &suffix) {
    nop::LocalOp local = chain.local;
    SmallVector<Value> reads;
    for (Value input : local.getInputs()) {
      auto found = arrived.find(input);
      reads.push_back(found != arrived.end() ? found->second
                                             : shards.at({input, node}));
    }
    std::string name =
        taskName("experts" + suffix + "[" + machine.node(node).name + "]");
    Value result = writer.alloc(local.getLoc(), name,
                                localType(local.getResult(0), experts),
                                chiplet::MemoryKind::Sram, node);
    writer.compute(local.getLoc(), name, node, reads, result,
                   [&](OpBuilder &body, ValueRange arguments) {
                     IRMapping mapping;
                     Block &block = local.getBody().front();
                     mapping.map(block.getArguments(), arguments);
                     for (Operation &op : block.without_terminator()) {
                       SmallVector<Value> results = cloneKernel(
                           body, &op, mapping, plan.slices, experts);
                       mapping.map(op.getResults(), results);
                     }
                     return SmallVector<Value>{
                         mapping.lookup(block.getTerminator()->getOperand(0))};
                   });
    return result;
  }

  void emitReturn(ExchangeChain chain, int64_t row, const std::string &suffix,
                  ValueRange partials, Value routingView, Value resultView) {
    Location loc = chain.combine->getLoc();
    Value target = resultView;
    if (chain.sum)
      target = writer.alloc(
          loc, taskName("returned" + suffix),
          getSliceType(chain.combine->getResult(0).getType(), plan.slices),
          chiplet::MemoryKind::Sram, root);
    writer.combine(loc,
                   exchangeOf(chain.combine, row, taskName("combine" + suffix)),
                   partials, routingView, target);
    if (!chain.sum)
      return;
    writer.compute(chain.sum.getLoc(), taskName("sum" + suffix), root,
                   {target, routingView}, resultView,
                   [&](OpBuilder &body, ValueRange arguments) {
                     IRMapping mapping;
                     mapping.map(chain.sum->getOperands(), arguments);
                     return cloneKernel(body, chain.sum, mapping, plan.slices);
                   });
  }

  //===--- Blocks ---------------------------------------------------------===//

  void emitBlock(const ModelBlock &block) {
    for (Operation *op : block.ops) {
      auto chain = plan.chains.find(op);
      if (chain != plan.chains.end())
        emitChain(chain->second);
      else if (!plan.covered.contains(op))
        emitRootOp(op);
    }
    if (plan.spill)
      spillStream(block);
  }

  /// Values that a later block uses wait in the DRAM.
  void spillStream(const ModelBlock &block) {
    if (&block == &plan.blocks.back())
      return;
    llvm::DenseSet<Operation *> inside(block.ops.begin(), block.ops.end());
    for (Operation *op : block.ops)
      for (Value result : op->getResults()) {
        auto found = values[microBatch].find(result);
        if (found == values[microBatch].end() ||
            llvm::all_of(result.getUsers(), [&](Operation *user) {
              return inside.contains(user);
            }))
          continue;
        Value target =
            writer.alloc(result.getLoc(), taskName("spill"), result.getType(),
                         chiplet::MemoryKind::Dram, memoryOf(root));
        writer.store(result.getLoc(), taskName("spill"), found->second, target);
        spilled[microBatch][result] = target;
        values[microBatch].erase(result);
      }
    for (auto &[value, buffer] : llvm::make_early_inc_range(values[microBatch]))
      if (isa<BlockArgument>(value))
        values[microBatch].erase(value);
  }

  /// Results of this micro-batch leave for the DRAM at once.
  void emitResults() {
    auto results = cast<func::ReturnOp>(function.front().getTerminator());
    for (auto [index, value] : llvm::enumerate(results.getOperands())) {
      Value source = bufferOf(value);
      std::string name =
          ("m" + Twine(microBatch) + ".result" + Twine(index)).str();
      Value target = writer.alloc(results.getLoc(), name, value.getType(),
                                  chiplet::MemoryKind::Dram, memoryOf(root));
      writer.store(results.getLoc(), "store " + name, source, target);
      writer.output(results.getLoc(), target, index, microBatch);
    }
  }

  func::FuncOp function;
  const MachineModel &machine;
  const ModelPlan &plan;
  int32_t root;
  moe::ModelAttr model;
  ProgramWriter writer;
  std::string prefix;
  int64_t microBatch = 0;
  /// DRAM buffers of arguments, by argument, node, micro-batch and experts:
  /// layers that share weights may place them differently.
  using InputKey = std::tuple<unsigned, int64_t, int64_t, SmallVector<int64_t>>;
  std::map<InputKey, Value> inputs;
  /// SRAM buffers of this block's weights.
  llvm::DenseMap<Value, Value> weights;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> shards;
  /// Per micro-batch: SRAM buffers of values, and DRAM buffers of spilled ones.
  std::vector<llvm::DenseMap<Value, Value>> values;
  std::map<int64_t, llvm::DenseMap<Value, Value>> spilled;
};

struct ConvertNoPToChiplet
    : public mozart::impl::ConvertNoPToChipletBase<ConvertNoPToChiplet> {
  using ConvertNoPToChipletBase::ConvertNoPToChipletBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> models;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("moe.model"))
        models.push_back(function);
    if (models.size() != 1) {
      getOperation().emitError()
          << "has " << models.size()
          << " functions with 'moe.model', expected exactly one to lower";
      return signalPassFailure();
    }
    if (failed(lower(models.front())))
      signalPassFailure();
  }

private:
  /// The machine that the exchanges are placed on; without any, the one that is
  /// named, else the module's only one.
  FailureOr<wafer::MachineOp> findMachine(func::FuncOp function) {
    Operation *first = nullptr;
    for (Operation &op : function.front()) {
      if (!isExchange(&op))
        continue;
      if (!first)
        first = &op;
      FlatSymbolRefAttr symbol = placementOf(first).getMachine();
      if (placementOf(&op).getMachine() == symbol)
        continue;
      InFlightDiagnostic diag =
          op.emitOpError() << "is on machine " << placementOf(&op).getMachine()
                           << ", expected " << symbol
                           << " as for the first exchange";
      diag.attachNote(first->getLoc()) << "the first exchange is here";
      return diag;
    }
    if (first) {
      wafer::MachineOp found =
          wafer::lookupMachine(first, placementOf(first).getMachine());
      if (!found)
        return failure();
      return found;
    }
    if (!machine.empty())
      return wafer::loadMachine(getOperation(), machine);
    SmallVector<wafer::MachineOp> machines(
        getOperation().getOps<wafer::MachineOp>());
    if (machines.size() != 1)
      return getOperation().emitError()
             << "has " << machines.size()
             << " machines, expected exactly one; load one with "
                "wafer-load-machine, or choose with the option machine";
    return machines.front();
  }

  /// Every chiplet that takes part needs a DRAM for its weights.
  LogicalResult checkMemories(func::FuncOp function, const ModelPlan &plan,
                              const MachineModel &machine) {
    std::set<int64_t> nodes = {machine.root()};
    for (const auto &[op, chain] : plan.chains)
      for (const auto &[node, experts] : placementOf(op).getExpertsOf())
        nodes.insert(node);
    for (int64_t node : nodes)
      if (machine.memoryServing(node) < 0)
        return function.emitError()
               << "needs a DRAM for chiplet '" << machine.node(node).name
               << "', but no memory of machine '" << machine.name()
               << "' is on it or on its way to the root";
    return success();
  }

  /// The routing facts of the model; all layers must agree on k and experts.
  FailureOr<chiplet::WorkloadAttr> describe(func::FuncOp function,
                                            moe::ModelAttr model) {
    int64_t layers = 0;
    moe::RoutingType routing;
    WalkResult result = function.walk([&](moe::RouteOp op) {
      moe::RoutingType type = op.getRouting().getType();
      if (routing && (routing.getK() != type.getK() ||
                      routing.getExperts() != type.getExperts())) {
        op.emitOpError() << "routes " << type.getK() << " of "
                         << type.getExperts() << " experts, expected "
                         << routing.getK() << " of " << routing.getExperts()
                         << " as in the first MoE layer";
        return WalkResult::interrupt();
      }
      routing = type;
      layers = std::max(layers, op.getLayerAttr().getInt() + 1);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return chiplet::WorkloadAttr::get(
        &getContext(), model.getName(), layers,
        routing ? routing.getExperts() : 0, routing ? routing.getK() : 0,
        model.getTokens(), model.getMicroBatches());
  }

  LogicalResult lower(func::FuncOp function) {
    auto model = function->getAttrOfType<moe::ModelAttr>("moe.model");
    if (function.isExternal())
      return function.emitError()
             << "is only declared, expected a function with a body";
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "has control flow, expected one block";
    FailureOr<wafer::MachineOp> machineOp = findMachine(function);
    if (failed(machineOp))
      return failure();
    MachineModel machine = wafer::getMachineModel(*machineOp);
    PlanOptions options;
    options.slices = slices;
    options.weightCopies = weightCopies;
    FailureOr<ModelPlan> plan = planModel(function, machine, options);
    FailureOr<chiplet::WorkloadAttr> workload = describe(function, model);
    if (failed(plan) || failed(workload) ||
        failed(checkMemories(function, *plan, machine)))
      return failure();

    OpBuilder builder(function);
    auto program = chiplet::ProgramOp::create(
        builder, function.getLoc(), function.getSymNameAttr(),
        FlatSymbolRefAttr::get((*machineOp).getSymNameAttr()), *workload,
        builder.getStringAttr(preset), builder.getI64IntegerAttr(seed));
    OpBuilder body = OpBuilder::atBlockBegin(&program.getBody().emplaceBlock());
    Lowering(function, machine, *plan, ProgramWriter(body)).run();
    function.erase();
    return success();
  }
};

} // namespace
