//===- Blocks.cpp - A model cut into blocks that run one after another ----===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "mozart/Dialect/Chiplet/IR/Chiplet.h"

using namespace mlir;
using namespace mozart;

/// Buffers start at multiples of this.
static constexpr int64_t kAlignment = 64;
/// With more slices than this, room for loads ahead of time is not worth it.
static constexpr int64_t kMostSlicesForCopies = 16;
/// Activations wait in the DRAM rather than cut exchanges into more than this
/// many times the slices: each slice has its messages and kernels to start.
static constexpr int64_t kMostSlicesToStay = 4;
/// More tasks than this are a mistake, and would only use up memory.
static constexpr int64_t kMostTasks = 4000000;

bool mozart::isWeight(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function.getArgAttr(argument.getArgNumber(), "moe.param") ||
         llvm::any_of(value.getUsers(), llvm::IsaPred<nop::ShardOp>);
}

int64_t mozart::getValueBytes(Type type) {
  return chiplet::getBufferBytes(chiplet::BufferType::get(
      type.getContext(), type, chiplet::MemoryKind::Sram, 0));
}

static int64_t paddedBytes(Type type) {
  int64_t bytes = getValueBytes(type);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Type mozart::getSliceType(Type type, int64_t slices) {
  if (auto routing = dyn_cast<moe::RoutingType>(type))
    return moe::RoutingType::get(
        type.getContext(), routing.getTokens() / slices, routing.getK(),
        routing.getExperts(), routing.getGateType(), routing.getLocal());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 2 || tensor.isDynamicDim(0))
    return type;
  return tensor.clone({tensor.getDimSize(0) / slices, tensor.getDimSize(1)});
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// The one user of `values`, or null.
static Operation *soleUser(ValueRange values) {
  Operation *sole = nullptr;
  for (Value value : values)
    for (Operation *user : value.getUsers()) {
      if (sole && user != sole)
        return nullptr;
      sole = user;
    }
  return sole;
}

static FailureOr<ExchangeChain> findChain(Operation *dispatch) {
  ExchangeChain chain;
  chain.dispatch = dispatch;
  chain.local =
      dyn_cast_or_null<nop::LocalOp>(soleUser(dispatch->getResults()));
  if (!chain.local)
    return dispatch->emitOpError(
        "sends rows that are not used by exactly one nop.local; expected the "
        "experts there");
  for (Value input : chain.local.getInputs()) {
    Operation *producer = input.getDefiningOp();
    if (producer != dispatch && !isa_and_nonnull<nop::ShardOp>(producer))
      return chain.local.emitOpError(
          "takes a distributed value that is neither of its exchange nor from "
          "nop.shard; expected rows and weights alone");
  }
  chain.combine = soleUser(chain.local.getResults());
  if (!isa_and_nonnull<nop::GatherOp, nop::ReduceOp>(chain.combine) ||
      chain.local.getNumResults() != 1)
    return chain.local.emitOpError("has results that are not used by exactly "
                                   "one nop.gather or nop.reduce");
  if (isa<nop::GatherOp>(chain.combine)) {
    chain.sum =
        dyn_cast_or_null<moe::CombineOp>(soleUser(chain.combine->getResults()));
    if (!chain.sum)
      return chain.combine->emitOpError(
          "has rows that are not used by exactly one moe.combine");
  }
  return chain;
}

static LogicalResult findChains(func::FuncOp function, ModelPlan &plan) {
  for (Operation &op : function.front()) {
    if (!isa<nop::ScatterOp, nop::MulticastOp>(op))
      continue;
    FailureOr<ExchangeChain> chain = findChain(&op);
    if (failed(chain))
      return failure();
    plan.covered.insert(chain->local);
    plan.covered.insert(chain->combine);
    if (chain->sum)
      plan.covered.insert(chain->sum);
    plan.chains[&op] = *chain;
  }
  return success();
}

/// Ops of the function are kernels for the root, or parts of chains.
static LogicalResult checkOps(func::FuncOp function, const ModelPlan &plan) {
  for (Operation &op : function.front()) {
    if (isa<nop::ShardOp, func::ReturnOp>(op) || plan.chains.contains(&op) ||
        plan.covered.contains(&op))
      continue;
    if (isa<moe::DispatchOp, moe::ExpertsOp, moe::CustomExpertsOp,
            moe::CombineOp>(op))
      return op.emitOpError("is not routed yet; run convert-moe-to-nop first");
    if (!isa<moe::KernelOpInterface>(op))
      return op.emitOpError("cannot be part of a program; expected ops of the "
                            "moe and nop dialects");
  }
  for (Operation &op : function.front()) {
    auto shard = dyn_cast<nop::ShardOp>(op);
    if (shard && !isa<BlockArgument>(shard.getInput()))
      return shard.emitOpError("shards a computed value; expected an argument "
                               "of the model function");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Adds the bytes of `value` to `total`; a distributed one counts with all
/// experts on one node. Fails where it cannot be in a buffer.
static LogicalResult addBytes(Value value, int64_t experts, int64_t &total) {
  Type type = value.getType();
  if (auto distributed = dyn_cast<nop::DistributedType>(type))
    type = nop::instantiate(distributed.getLocal(), experts);
  auto emitError = [&] { return mlir::emitError(value.getLoc()); };
  if (!chiplet::BufferType::getChecked(emitError, type.getContext(), type,
                                       chiplet::MemoryKind::Sram, int64_t(0)))
    return failure();
  if (__builtin_add_overflow(total, paddedBytes(type), &total))
    return emitError() << "needs more bytes, with the values before it, than "
                          "fit in 63 bits; expected a smaller model";
  return success();
}

/// All values can be in buffers, and no sum of their bytes that the plan takes
/// overflows: it counts a value at most four times for each micro-batch.
static LogicalResult checkBytes(func::FuncOp function, int64_t microBatches) {
  int64_t experts = 1, total = 0;
  function.walk([&](moe::RouteOp route) {
    experts = std::max(experts, route.getRouting().getType().getExperts());
  });
  for (Value argument : function.getArguments())
    if (!argument.use_empty() && failed(addBytes(argument, experts, total)))
      return failure();
  for (Operation &op : function.front())
    for (Value result : op.getResults())
      if (failed(addBytes(result, experts, total)))
        return failure();
  int64_t all;
  if (__builtin_mul_overflow(total, microBatches, &all) ||
      __builtin_mul_overflow(all, 4, &all))
    return function.emitError()
           << "has values of " << total << " bytes in each of " << microBatches
           << " micro-batches, more than 2^61 in all; expected a smaller model";
  return success();
}

/// The program does not outgrow what can be held and scheduled.
static LogicalResult checkTasks(func::FuncOp function, const ModelPlan &plan,
                                int64_t microBatches) {
  int64_t tasks = 0;
  for (const ModelBlock &block : plan.blocks)
    for (Operation *op : block.ops) {
      auto chain = plan.chains.find(op);
      if (chain == plan.chains.end()) {
        tasks += plan.covered.contains(op) ? 0 : 1;
        continue;
      }
      auto nodes = cast<nop::DistributedType>(op->getResult(0).getType())
                       .getNodes()
                       .size();
      tasks += plan.slices * static_cast<int64_t>(nodes + 2);
    }
  int64_t all;
  if (!__builtin_mul_overflow(tasks, microBatches, &all) && all <= kMostTasks)
    return success();
  return function.emitError()
         << "would become a program of " << tasks << " tasks (with "
         << plan.slices << " token slices) for each of " << microBatches
         << " micro-batches, more than the " << kMostTasks
         << " that are supported; use fewer micro-batches, or chiplets with "
            "more SRAM for fewer slices";
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static bool isAttention(Operation *op) {
  return isa<moe::AttentionOp, moe::LatentAttentionOp>(op);
}

/// Segments of ops between which at most one computed value is alive.
static std::vector<ModelBlock> cutSegments(func::FuncOp function) {
  llvm::DenseMap<Operation *, int64_t> position;
  int64_t count = 0;
  for (Operation &op : function.front())
    position[&op] = count++;
  std::vector<int64_t> lastUse;
  std::vector<ModelBlock> segments(1);
  llvm::SmallVector<std::pair<int64_t, Value>> alive;
  for (Operation &op : function.front()) {
    if (isa<func::ReturnOp>(op))
      break;
    if (isa<nop::ShardOp>(op))
      continue;
    segments.back().ops.push_back(&op);
    for (Value result : op.getResults()) {
      int64_t last = position[&op];
      for (Operation *user : result.getUsers())
        last = std::max(last, position[user]);
      alive.push_back({last, result});
    }
    llvm::erase_if(alive,
                   [&](auto &entry) { return entry.first <= position[&op]; });
    if (alive.size() <= 1)
      segments.emplace_back();
  }
  if (segments.back().ops.empty())
    segments.pop_back();
  return segments;
}

namespace {
/// What a block puts into SRAMs, by node.
struct BlockDemand {
  std::map<int32_t, int64_t> weights;
  /// Of one micro-batch: bytes whatever the slices, and values that are cut.
  std::map<int32_t, int64_t> fixed;
  std::map<int32_t, std::vector<Type>> sliced;
};

class DemandCounter {
public:
  DemandCounter(const ModelPlan &plan, const MachineModel &machine)
      : plan(plan), root(machine.root()) {}

  BlockDemand count(const ModelBlock &block) {
    BlockDemand demand;
    seen.clear();
    for (Operation *op : block.ops) {
      auto chain = plan.chains.find(op);
      if (chain != plan.chains.end())
        addChain(chain->second, demand);
      else if (!plan.covered.contains(op))
        for (Value operand : op->getOperands())
          addWeight(operand, demand);
    }
    demand.fixed[root] = peakOfRoot(block);
    return demand;
  }

private:
  void addWeight(Value value, BlockDemand &demand) {
    if (isWeight(value) && seen.insert(value).second)
      demand.weights[root] += paddedBytes(value.getType());
  }

  void addChain(ExchangeChain chain, BlockDemand &demand) {
    moe::PlacementAttr placement =
        chain.dispatch->getAttrOfType<moe::PlacementAttr>("placement");
    for (const auto &[node, experts] : placement.getExpertsOf()) {
      int64_t count = experts.size();
      auto typeOn = [&](Value value) {
        return nop::instantiate(
            cast<nop::DistributedType>(value.getType()).getLocal(), count);
      };
      for (Value input : chain.local.getInputs())
        if (input.getDefiningOp() != chain.dispatch)
          demand.weights[node] += paddedBytes(typeOn(input));
      for (Value value : chain.dispatch->getResults())
        demand.sliced[node].push_back(typeOn(value));
      demand.sliced[node].push_back(typeOn(chain.local.getResult(0)));
    }
    if (chain.sum)
      demand.sliced[root].push_back(chain.combine->getResult(0).getType());
  }

  /// Most bytes of values that are alive at once while one micro-batch goes
  /// through the block, its input included.
  int64_t peakOfRoot(const ModelBlock &block) {
    llvm::DenseMap<Operation *, int64_t> position;
    for (auto [index, op] : llvm::enumerate(block.ops))
      position[op] = index;
    std::vector<std::pair<int64_t, int64_t>> alive; // last use, bytes
    llvm::DenseSet<Value> inputs;
    auto lastUse = [&](Value value) {
      int64_t last = 0;
      for (Operation *user : value.getUsers()) {
        auto found = position.find(user);
        last = std::max(last, found == position.end()
                                  ? static_cast<int64_t>(block.ops.size())
                                  : found->second);
      }
      return last;
    };
    int64_t peak = 0;
    for (auto [index, op] : llvm::enumerate(block.ops)) {
      for (Value operand : op->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        bool local = producer && position.contains(producer);
        if (local || isWeight(operand) ||
            isa<nop::DistributedType>(operand.getType()) ||
            !inputs.insert(operand).second)
          continue;
        alive.push_back({lastUse(operand), paddedBytes(operand.getType())});
      }
      // The rows of a gather are counted per slice.
      bool gathered = isa<nop::GatherOp>(op);
      for (Value result : op->getResults())
        if (!gathered && !isa<nop::DistributedType>(result.getType()))
          alive.push_back({lastUse(result), paddedBytes(result.getType())});
      int64_t bytes = 0;
      for (auto &[last, size] : alive)
        bytes += size;
      peak = std::max(peak, bytes);
      llvm::erase_if(alive, [&, at = static_cast<int64_t>(index)](auto &entry) {
        return entry.first <= at;
      });
    }
    return peak;
  }

  const ModelPlan &plan;
  int32_t root;
  llvm::DenseSet<Value> seen;
};

struct Shortfall {
  int32_t node = -1;
  int64_t need = 0, have = 0;
};
} // namespace

/// Bytes of the largest value that passes from one block to the next.
static int64_t streamBytes(const std::vector<ModelBlock> &blocks) {
  int64_t bytes = 0;
  for (const ModelBlock &block : blocks)
    for (Value result : block.ops.back()->getResults())
      if (!isa<nop::DistributedType>(result.getType()))
        bytes = std::max(bytes, paddedBytes(result.getType()));
  return bytes;
}

/// The first node whose SRAM is too small, if any.
static std::optional<Shortfall>
findShortfall(llvm::ArrayRef<BlockDemand> demands, const MachineModel &machine,
              int64_t slices, int64_t copies, int64_t waiting) {
  for (auto [index, demand] : llvm::enumerate(demands)) {
    for (int32_t node = 0; node < machine.numNodes(); ++node) {
      auto of = [&](const std::map<int32_t, int64_t> &bytes) {
        auto found = bytes.find(node);
        return found == bytes.end() ? 0 : found->second;
      };
      int64_t need = of(demand.weights) + of(demand.fixed);
      if (auto cut = demand.sliced.find(node); cut != demand.sliced.end())
        for (Type type : cut->second)
          need += paddedBytes(getSliceType(type, slices));
      if (node == machine.root())
        need += waiting;
      else if (copies > 1 && index + 1 < demands.size())
        need += of(demands[index + 1].weights);
      int64_t have = machine.node(node).sramBytes;
      if (machine.node(node).isChiplet() &&
          need > have / kAlignment * kAlignment)
        return Shortfall{node, need, have};
    }
  }
  return std::nullopt;
}

/// Joins segments into transformer blocks: at most one attention and one FFN or
/// MoE layer each, as long as the root holds the weights.
static std::vector<ModelBlock> joinSegments(std::vector<ModelBlock> segments,
                                            const ModelPlan &plan,
                                            DemandCounter &counter,
                                            const MachineModel &machine) {
  auto holds = [&](const ModelBlock &block, auto &&predicate) {
    return llvm::any_of(block.ops, predicate);
  };
  auto isFfn = [&](Operation *op) {
    return plan.chains.contains(op) || isa<moe::FfnOp>(op);
  };
  std::vector<ModelBlock> blocks;
  for (ModelBlock &segment : segments) {
    bool opens = blocks.empty();
    if (!opens) {
      ModelBlock joined = blocks.back();
      llvm::append_range(joined.ops, segment.ops);
      opens =
          (holds(blocks.back(), isAttention) && holds(segment, isAttention)) ||
          (holds(blocks.back(), isFfn) && holds(segment, isFfn)) ||
          (holds(blocks.back(), isFfn) && holds(segment, isAttention));
      if (!opens) {
        BlockDemand demand = counter.count(joined);
        int32_t root = machine.root();
        opens = demand.weights[root] + demand.fixed[root] >
                machine.node(root).sramBytes;
      }
      if (!opens)
        blocks.back() = std::move(joined);
    }
    if (opens)
      blocks.push_back(std::move(segment));
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Divisors of the tokens that every exchange routes, ascending.
static std::vector<int64_t> sliceCounts(const ModelPlan &plan) {
  int64_t tokens = 1;
  for (const auto &[op, chain] : plan.chains) {
    auto routing = cast<moe::RoutingType>(op->getOperand(1).getType());
    tokens = std::max(tokens, routing.getTokens());
  }
  std::vector<int64_t> counts;
  for (int64_t n = 1; n * n <= tokens; ++n)
    if (tokens % n == 0) {
      counts.push_back(n);
      if (n * n != tokens)
        counts.push_back(tokens / n);
    }
  llvm::sort(counts);
  return counts;
}

static LogicalResult checkSlices(func::FuncOp function, const ModelPlan &plan,
                                 int64_t slices) {
  std::vector<int64_t> counts = sliceCounts(plan);
  if (!llvm::is_contained(counts, slices))
    return function.emitError()
           << "asks for " << slices << " token slices of " << counts.back()
           << " tokens, expected a divisor";
  return success();
}

FailureOr<ModelPlan> mozart::planModel(func::FuncOp function,
                                       const MachineModel &machine,
                                       const PlanOptions &options) {
  ModelPlan plan;
  auto model = function->getAttrOfType<moe::ModelAttr>("moe.model");
  int64_t microBatches = model.getMicroBatches();
  if (failed(findChains(function, plan)) || failed(checkOps(function, plan)) ||
      failed(checkBytes(function, microBatches)))
    return failure();
  if (options.slices && failed(checkSlices(function, plan, options.slices)))
    return failure();
  if (options.weightCopies < 1 || options.weightCopies > 2)
    return function.emitError()
           << "asks for room for the weights of " << options.weightCopies
           << " blocks at once, expected 1 or 2";
  DemandCounter counter(plan, machine);
  plan.blocks = joinSegments(cutSegments(function), plan, counter, machine);
  std::vector<BlockDemand> demands;
  for (const ModelBlock &block : plan.blocks)
    demands.push_back(counter.count(block));

  int64_t waiting = (microBatches - 1) * streamBytes(plan.blocks);
  std::vector<int64_t> counts =
      options.slices ? std::vector<int64_t>{options.slices} : sliceCounts(plan);
  for (int64_t copies = options.weightCopies; copies >= 1; --copies) {
    auto fewestSlices = [&](int64_t waitingBytes) -> std::optional<int64_t> {
      for (int64_t slices : counts) {
        if (copies > 1 && slices > kMostSlicesForCopies)
          break;
        if (!findShortfall(demands, machine, slices, copies, waitingBytes))
          return slices;
      }
      return std::nullopt;
    };
    std::optional<int64_t> spilling = fewestSlices(0);
    if (!spilling)
      continue;
    std::optional<int64_t> staying = fewestSlices(waiting);
    plan.spill = !staying || *staying > kMostSlicesToStay * *spilling;
    plan.slices = plan.spill ? *spilling : *staying;
    if (failed(checkTasks(function, plan, microBatches)))
      return failure();
    return plan;
  }
  std::optional<Shortfall> shortfall =
      findShortfall(demands, machine, counts.back(), 1, 0);
  return function.emitError()
         << "chiplet '" << machine.node(shortfall->node).name << "' needs "
         << shortfall->need
         << " bytes of SRAM for the weights of one block and " << counts.back()
         << " token slices, and has " << shortfall->have;
}
