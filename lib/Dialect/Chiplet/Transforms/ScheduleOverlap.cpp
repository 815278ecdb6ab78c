//===- ScheduleOverlap.cpp - Loads of the next block during this one ------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Routing/Statistics.h"
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

/// Bytes that are alive in the SRAM of each node, as a function of the place in
/// the program, to see what may come earlier.
class SramProfile {
public:
  SramProfile(ProgramOp program) {
    int64_t position = 0;
    for (Operation &op : program.getBody().front()) {
      positionOf[&op] = position++;
      auto task = dyn_cast<TaskOpInterface>(op);
      if (!task)
        continue;
      for (Value buffer : task.getReads())
        use(getRootBuffer(buffer), positionOf[&op]);
      for (Value buffer : task.getWrites())
        use(getRootBuffer(buffer), positionOf[&op]);
    }
    for (auto &[buffer, interval] : intervals) {
      auto type = cast<BufferType>(buffer.getType());
      if (type.getMemory() == MemoryKind::Sram)
        ofNode[type.getIndex()].push_back(buffer);
    }
  }

  /// Most bytes alive at once on `node` between two ops.
  int64_t peak(int64_t node, Operation *from, Operation *to) const {
    int64_t begin = positionOf.lookup(from), end = positionOf.lookup(to);
    std::map<int64_t, int64_t> change;
    for (Value buffer : ofNode.lookup(node)) {
      auto [first, last] = intervals.lookup(buffer);
      if (last < begin || first > end)
        continue;
      int64_t bytes = getBufferBytes(cast<BufferType>(buffer.getType()));
      change[std::max(first, begin)] += bytes;
      change[last + 1] -= bytes;
    }
    int64_t peak = 0, alive = 0;
    for (auto [position, bytes] : change) {
      alive += bytes;
      if (position <= end)
        peak = std::max(peak, alive);
    }
    return peak;
  }

  void beginsAt(Value buffer, Operation *op) {
    intervals[buffer].first = positionOf.lookup(op);
  }

private:
  void use(Value buffer, int64_t position) {
    auto [found, isNew] =
        intervals.try_emplace(buffer, std::make_pair(position, position));
    if (!isNew)
      found->second.second = position;
  }

  llvm::DenseMap<Operation *, int64_t> positionOf;
  llvm::DenseMap<Value, std::pair<int64_t, int64_t>> intervals;
  llvm::DenseMap<int64_t, SmallVector<Value>> ofNode;
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
    std::vector<LoadRun> runs = findRuns(program);
    if (failed(sortByLoad(program, runs)))
      return signalPassFailure();
    SramProfile sram(program);
    for (size_t i = 0; i + 1 < runs.size(); ++i)
      hoist(runs[i], runs[i + 1], machine, sram);
  }

private:
  static std::vector<LoadRun> findRuns(ProgramOp program) {
    std::vector<LoadRun> runs;
    bool open = false;
    for (Operation &op : program.getBody().front()) {
      if (isWeightLoad(&op)) {
        if (!open)
          runs.emplace_back();
        runs.back().loads.push_back(cast<LoadOp>(op));
        open = true;
      } else if (open && isa<TaskOpInterface>(op)) {
        runs.back().end = &op;
        open = false;
      }
    }
    if (!runs.empty() && !runs.back().end)
      runs.pop_back(); // loads that nothing uses
    return runs;
  }

  //===--- Heaviest chiplet first -----------------------------------------===//

  /// Pairs of tokens and experts that each node computes in the layer whose
  /// exchange follows `run`.
  static FailureOr<std::map<int64_t, int64_t>>
  pairsOfNodes(const LoadRun &run, const Trace &trace) {
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
      std::vector<int64_t> load = expertLoad(trace, layer);
      for (const auto &[node, experts] :
           dispatch.getPlacement().getExpertsOf())
        for (int64_t expert : experts)
          pairs[node] += load[expert];
      break;
    }
    return pairs;
  }

  LogicalResult sortByLoad(ProgramOp program, std::vector<LoadRun> &runs) {
    WorkloadAttr workload = program.getWorkload();
    if (workload.getMoeLayers() == 0)
      return success();
    auto module = program->getParentOfType<ModuleOp>();
    if (profile.empty() && module.getOps<moe::ProfileOp>().empty()) {
      remark::missed(program.getLoc(), remark::RemarkOpts::name("LoadOrder")
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
      sortRun(run, *pairsOfNodes(run, *trace));
    return success();
  }

  /// Loads of one memory go heaviest chiplet first; the others keep their
  /// places.
  static void sortRun(LoadRun &run, const std::map<int64_t, int64_t> &pairs) {
    auto weightOf = [&](LoadOp load) {
      auto found = pairs.find(nodeOf(load));
      return found == pairs.end() ? INT64_MAX : found->second;
    };
    llvm::stable_sort(run.loads, [&](LoadOp a, LoadOp b) {
      return weightOf(a) > weightOf(b);
    });
    for (LoadOp load : run.loads)
      moveLoad(load, run.end);
  }

  /// Moves a load before `where`, with the buffers that it is the first to use.
  static void moveLoad(LoadOp load, Operation *where) {
    for (Value buffer : {load.getSource(), load.getTarget()})
      if (!buffer.getDefiningOp()->isBeforeInBlock(where))
        buffer.getDefiningOp()->moveBefore(where);
    load->moveBefore(where);
  }

  //===--- One block ahead ------------------------------------------------===//

  static void hoist(LoadRun &run, LoadRun &next, const MachineModel &machine,
                    SramProfile &sram) {
    std::map<int64_t, int64_t> bytes;
    for (LoadOp load : next.loads)
      bytes[nodeOf(load)] +=
          getBufferBytes(cast<BufferType>(load.getTarget().getType()));
    std::set<int64_t> fits;
    for (auto [node, need] : bytes) {
      int64_t have = machine.node(node).sramBytes / 100 * kUsablePercent;
      int64_t peak = sram.peak(node, run.end, next.loads.front());
      if (peak + need <= have) {
        fits.insert(node);
        continue;
      }
      remark::missed(next.loads.front().getLoc(),
                     remark::RemarkOpts::name("LoadAhead").category(
                         "chiplet-schedule-overlap"))
          << "weights stay behind on chiplet " << machine.node(node).name
          << remark::metric("NeedBytes", peak + need)
          << remark::metric("HaveBytes", have);
    }
    for (LoadOp load : next.loads)
      if (fits.count(nodeOf(load))) {
        moveLoad(load, run.end);
        sram.beginsAt(load.getTarget(), run.end);
      }
  }
};

} // namespace
