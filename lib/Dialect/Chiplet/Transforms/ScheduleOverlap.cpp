//===- ScheduleOverlap.cpp - Loads of the next block during this one ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Routing/ReplicaChoice.h"
#include "mozart/Target/RoutingSource.h"

#include "mlir/IR/Remarks.h"

namespace mozart::chiplet {
#define GEN_PASS_DEF_CHIPLETSCHEDULEOVERLAP
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"
} // namespace mozart::chiplet

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

namespace {

/// Share of an SRAM that may be spoken for; packing wastes some.
constexpr int64_t kUsablePercent = 98;

/// The weight loads of one block.
struct LoadRun {
  SmallVector<LoadOp> loads;
  /// Place behind the last task before it.
  int64_t begin = 0;
  /// First op behind the run, before which the next run's loads may go.
  Operation *end = nullptr;
};

bool isWeightLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  if (!load)
    return false;
  auto input = load.getSource().getDefiningOp<InputOp>();
  return input && !input.getMicroBatchAttr();
}

int64_t nodeOf(LoadOp load) {
  return cast<BufferType>(load.getTarget().getType()).getIndex();
}

/// Where ops are before any of them moves.
class Positions {
public:
  explicit Positions(ProgramOp program) {
    int64_t position = 0;
    for (Operation &op : program.getBody().front())
      of[&op] = position++;
  }
  int64_t operator[](Operation *op) const { return of.lookup(op); }

private:
  llvm::DenseMap<Operation *, int64_t> of;
};

/// Bytes that are alive in the SRAM of each node at each place of the program.
class SramProfile {
public:
  SramProfile(ProgramOp program, const Positions &positions) {
    llvm::MapVector<Value, std::pair<int64_t, int64_t>> lifetimes;
    for (auto task : program.getBody().getOps<TaskOpInterface>()) {
      int64_t position = positions[task];
      for (Value buffer :
           llvm::concat<Value>(SmallVector<Value>(task.getReads()),
                               SmallVector<Value>(task.getWrites()))) {
        auto [found, isNew] =
            lifetimes.insert({getRootBuffer(buffer), {position, position}});
        found->second.second = position;
      }
    }
    for (auto &[buffer, lifetime] : lifetimes) {
      auto type = cast<BufferType>(buffer.getType());
      if (type.getMemory() != MemoryKind::Sram)
        continue;
      changes[type.getIndex()][lifetime.first] += getBufferBytes(type);
      changes[type.getIndex()][lifetime.second + 1] -= getBufferBytes(type);
    }
  }

  /// Most bytes alive at once on `node` at a place in [from, to). Calls for one
  /// node come in ascending order of places.
  int64_t peak(int64_t node, int64_t from, int64_t to) {
    auto &[next, alive] = cursors[node];
    const std::map<int64_t, int64_t> &steps = changes[node];
    auto step = steps.lower_bound(next);
    for (; step != steps.end() && step->first <= from; ++step)
      alive += step->second;
    int64_t most = alive;
    for (; step != steps.end() && step->first < to; ++step) {
      alive += step->second;
      most = std::max(most, alive);
    }
    next = step == steps.end() ? INT64_MAX : step->first;
    return most;
  }

private:
  /// By node: how many bytes more are alive from a place on.
  std::map<int64_t, std::map<int64_t, int64_t>> changes;
  /// By node: the first place not yet counted, and the bytes alive before it.
  std::map<int64_t, std::pair<int64_t, int64_t>> cursors;
};

struct ChipletScheduleOverlap
    : public chiplet::impl::ChipletScheduleOverlapBase<ChipletScheduleOverlap> {
  using ChipletScheduleOverlapBase::ChipletScheduleOverlapBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    wafer::MachineOp machineOp =
        wafer::lookupMachine(program, program.getMachineAttr());
    if (!machineOp)
      return signalPassFailure();
    MachineModel machine = wafer::getMachineModel(machineOp);
    Positions positions(program);
    std::vector<LoadRun> runs = findRuns(program, positions);
    SramProfile sram(program, positions);
    if (failed(sortByLoad(program, runs, positions)))
      return signalPassFailure();
    for (size_t i = 0; i + 1 < runs.size(); ++i)
      hoist(runs[i], runs[i + 1], machine, sram, positions);
  }

private:
  static std::vector<LoadRun> findRuns(ProgramOp program,
                                       const Positions &positions) {
    std::vector<LoadRun> runs;
    bool open = false;
    int64_t behindTask = 0;
    for (Operation &op : program.getBody().front()) {
      if (isWeightLoad(&op)) {
        if (!open)
          runs.emplace_back().begin = behindTask;
        runs.back().loads.push_back(cast<LoadOp>(op));
        open = true;
      } else if (open && isa<TaskOpInterface>(op)) {
        runs.back().end = &op;
        open = false;
      }
      if (isa<TaskOpInterface>(op))
        behindTask = positions[&op] + 1;
    }
    if (!runs.empty() && !runs.back().end)
      runs.pop_back(); // loads that nothing uses
    return runs;
  }

  //===--- Heaviest chiplet first -----------------------------------------===//

  /// Pairs of tokens and experts that each node computes in the layer whose
  /// exchange follows `run`.
  static std::map<int64_t, int64_t>
  pairsOfNodes(const LoadRun &run, const Trace &trace, int64_t tokens) {
    std::map<int64_t, int64_t> pairs;
    for (Operation *op = run.end; op; op = op->getNextNode()) {
      if (isWeightLoad(op))
        break;
      auto dispatch = dyn_cast<DispatchOp>(op);
      if (!dispatch)
        continue;
      int64_t layer = dispatch.getLayerAttr().getInt();
      if (trace.numLayers() == 1)
        layer = 0;
      addPairs(dispatch.getPlacement(), trace, layer, tokens, pairs);
      break;
    }
    return pairs;
  }

  /// Rows of the trace are those of micro-batches of so many `tokens`.
  static void addPairs(moe::PlacementAttr placement, const Trace &trace,
                       int64_t layer, int64_t tokens,
                       std::map<int64_t, int64_t> &pairs) {
    std::vector<std::vector<int32_t>> nodesOf;
    for (const std::vector<int64_t> &nodes : placement.getNodesOf())
      nodesOf.emplace_back(nodes.begin(), nodes.end());
    for (const auto &[node, experts] : placement.getExpertsOf())
      pairs[node];
    ReplicaChoice choice(nodesOf);
    std::vector<int32_t> chosen(trace.k());
    for (int64_t token = 0; token < trace.numTokens(); ++token) {
      choice.choose(trace.set(token, layer), token % tokens,
                    absl::MakeSpan(chosen));
      for (int32_t node : chosen)
        if (node != ReplicaChoice::kNowhere)
          ++pairs[node];
    }
  }

  LogicalResult sortByLoad(ProgramOp program, std::vector<LoadRun> &runs,
                           const Positions &positions) {
    WorkloadAttr workload = program.getWorkload();
    if (workload.getMoeLayers() == 0)
      return success();
    auto module = program->getParentOfType<ModuleOp>();
    if (profile.empty() && module.getOps<moe::ProfileOp>().empty()) {
      remark::missed(program.getLoc(),
                     remark::RemarkOpts::name("LoadOrder")
                         .category("chiplet-schedule-overlap"))
          << remark::reason("no profile says which chiplets are heavy");
      return success();
    }
    FailureOr<Trace> trace =
        loadTrace(module, profile, Draw::Profile, workload.getExperts());
    if (failed(trace))
      return failure();
    absl::StatusOr<BoundRouting> bound = BoundRouting::bind(
        *trace, workload.getMoeLayers(), workload.getK(), workload.getExperts(),
        workload.getTokens(), workload.getMicroBatches());
    if (!bound.ok())
      return program.emitOpError() << std::string(bound.status().message());
    for (LoadRun &run : runs)
      sortRun(run, pairsOfNodes(run, *trace, workload.getTokens()), positions);
    return success();
  }

  /// Loads of one memory go heaviest chiplet first; the others keep their
  /// places.
  static void sortRun(LoadRun &run, const std::map<int64_t, int64_t> &pairs,
                      const Positions &positions) {
    auto weightOf = [&](LoadOp load) {
      auto found = pairs.find(nodeOf(load));
      return found == pairs.end() ? INT64_MAX : found->second;
    };
    llvm::stable_sort(run.loads, [&](LoadOp a, LoadOp b) {
      return weightOf(a) > weightOf(b);
    });
    for (LoadOp load : run.loads)
      moveLoad(load, run, run.end, positions);
  }

  /// Moves a load of `run` before `where`, with the buffers that it is the
  /// first to use.
  static void moveLoad(LoadOp load, const LoadRun &run, Operation *where,
                       const Positions &positions) {
    for (Value buffer : {load.getSource(), load.getTarget()}) {
      Operation *definition = buffer.getDefiningOp();
      // Its operands come with it or are from earlier runs.
      if (positions[definition] >= run.begin)
        definition->moveBefore(where);
    }
    load->moveBefore(where);
  }

  //===--- One block ahead ------------------------------------------------===//

  static void hoist(LoadRun &run, LoadRun &next, const MachineModel &machine,
                    SramProfile &sram, const Positions &positions) {
    std::map<int64_t, int64_t> bytes;
    for (LoadOp load : next.loads)
      bytes[nodeOf(load)] +=
          getBufferBytes(cast<BufferType>(load.getTarget().getType()));
    std::set<int64_t> fits;
    for (auto [node, need] : bytes) {
      int64_t have = machine.node(node).sramBytes / 100 * kUsablePercent;
      int64_t peak = sram.peak(node, positions[run.end], next.begin);
      if (peak + need <= have) {
        fits.insert(node);
        continue;
      }
      remark::missed(next.loads.front().getLoc(),
                     remark::RemarkOpts::name("LoadAhead")
                         .category("chiplet-schedule-overlap"))
          << "weights stay behind on chiplet " << machine.node(node).name
          << remark::metric("NeedBytes", peak + need)
          << remark::metric("HaveBytes", have);
    }
    for (LoadOp load : next.loads)
      if (fits.count(nodeOf(load)))
        moveLoad(load, next, run.end, positions);
  }
};

} // namespace
