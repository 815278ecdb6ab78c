//===- ExportProgram.cpp - Programs as plain data -------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/ExportProgram.h"

#include "mozart/Dialect/Wafer/IR/Wafer.h"
#include "mozart/Sim/ProgramChecks.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

namespace {

class Exporter {
public:
  Exporter(ProgramOp op, MachineModel machine)
      : op(op), result{Program(), std::move(machine)} {}

  FailureOr<ExportedProgram> run() {
    describe();
    for (Operation &inner : op.getBody().front())
      if (failed(exportOp(&inner)))
        return failure();
    absl::Status status = verifyProgram(program(), result.machine);
    if (!status.ok())
      return op.emitOpError() << std::string(status.message());
    return std::move(result);
  }

private:
  Program &program() { return result.program; }

  void describe() {
    WorkloadAttr workload = op.getWorkload();
    program().name = op.getSymName().str();
    program().model = workload.getModel().str();
    program().machine = op.getMachine().str();
    program().preset = op.getPreset().str();
    program().seed = op.getSeedAttr().getInt();
    program().moeLayers = workload.getMoeLayers();
    program().experts = workload.getExperts();
    program().k = workload.getK();
    program().tokensPerMicroBatch = workload.getTokens();
    program().microBatches = workload.getMicroBatches();
  }

  LogicalResult exportOp(Operation *inner) {
    if (auto alloc = dyn_cast<AllocOp>(inner))
      return addBuffer(alloc.getBuffer(), alloc.getName(),
                       alloc.getOffsetAttr());
    if (auto input = dyn_cast<InputOp>(inner))
      return addInput(input);
    if (auto view = dyn_cast<ViewOp>(inner))
      return addView(view);
    if (auto output = dyn_cast<OutputOp>(inner)) {
      program().outputs.push_back(
          {bufferOf(output.getBuffer()),
           static_cast<int32_t>(output.getResultAttr().getInt()),
           output.getMicroBatchAttr().getInt()});
      return success();
    }
    return addTask(cast<TaskOpInterface>(inner));
  }

  //===--- Buffers --------------------------------------------------------===//

  int32_t bufferOf(Value value) const { return buffers.lookup(value); }
  SmallVector<int32_t> buffersOf(ValueRange values) const {
    return llvm::map_to_vector(values,
                               [&](Value value) { return bufferOf(value); });
  }

  LogicalResult addBuffer(Value value, StringRef name, IntegerAttr offset) {
    auto type = cast<BufferType>(value.getType());
    FailureOr<ValueType> contents =
        moe::getValueType(value.getLoc(), type.getContents());
    if (failed(contents))
      return failure();
    Buffer buffer;
    buffer.name = name.str();
    buffer.place.kind = type.getMemory() == MemoryKind::Sram
                            ? Place::Kind::Sram
                            : Place::Kind::Dram;
    buffer.place.index = static_cast<int32_t>(type.getIndex());
    buffer.type = *contents;
    buffer.offset = offset ? offset.getInt() : -1;
    buffers[value] = static_cast<int32_t>(program().buffers.size());
    program().buffers.push_back(std::move(buffer));
    return success();
  }

  LogicalResult addInput(InputOp input) {
    if (failed(addBuffer(input.getBuffer(), input.getName(),
                         input.getOffsetAttr())))
      return failure();
    Input plain;
    plain.buffer = bufferOf(input.getBuffer());
    plain.argument = static_cast<int32_t>(input.getArgumentAttr().getInt());
    if (IntegerAttr microBatch = input.getMicroBatchAttr())
      plain.microBatch = microBatch.getInt();
    if (auto experts = input.getExpertsAttr())
      plain.experts.assign(experts.asArrayRef().begin(),
                           experts.asArrayRef().end());
    program().inputs.push_back(std::move(plain));
    return success();
  }

  LogicalResult addView(ViewOp view) {
    int32_t source = bufferOf(view.getSource());
    if (failed(addBuffer(view.getView(), program().buffers[source].name, {})))
      return failure();
    Buffer &buffer = program().buffers.back();
    buffer.viewOf = source;
    buffer.rowBegin = view.getRowAttr().getInt();
    return success();
  }

  //===--- Tasks ----------------------------------------------------------===//

  LogicalResult addTask(TaskOpInterface op) {
    Task task;
    task.name = op.getName().str();
    for (Engine engine : op.getEngines())
      task.engines.push_back(engine);
    for (Value wait : op.getWaits())
      task.waits.push_back(tasks.lookup(wait.getDefiningOp()));
    for (Value buffer : op.getReads())
      task.reads.push_back(bufferOf(buffer));
    for (Value buffer : op.getWrites())
      task.writes.push_back(bufferOf(buffer));
    if (IntegerAttr stage = op.getStageAttr())
      task.stage = stage.getInt();
    tasks[op] = static_cast<int32_t>(program().tasks.size());
    LogicalResult filled =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<LoadOp>([&](LoadOp load) {
              task.kind = TaskKind::Load;
              return fillMove(task, load.getSource(), load.getTarget(),
                              /*toSram=*/true);
            })
            .Case<StoreOp>([&](StoreOp store) {
              task.kind = TaskKind::Store;
              return fillMove(task, store.getTarget(), store.getSource(),
                              /*toSram=*/false);
            })
            .Case<ComputeOp>(
                [&](ComputeOp compute) { return fillCompute(task, compute); })
            .Case<DispatchOp>([&](DispatchOp dispatch) {
              task.kind = TaskKind::Dispatch;
              fillExchange(task, dispatch, /*outwards=*/true);
              addSlices(task, dispatch, task.reads[1], task.writes, 2);
              return success();
            })
            .Case<CombineOp>([&](CombineOp combine) {
              task.kind = TaskKind::Combine;
              fillExchange(task, combine, /*outwards=*/false);
              addSlices(task, combine, task.reads.back(),
                        ArrayRef<int32_t>(task.reads).drop_back(), 1);
              return success();
            });
    program().tasks.push_back(std::move(task));
    return filled;
  }

  LogicalResult fillMove(Task &task, Value dram, Value sram, bool toSram) {
    int64_t memory = cast<BufferType>(dram.getType()).getIndex();
    task.node =
        static_cast<int32_t>(cast<BufferType>(sram.getType()).getIndex());
    int32_t home = result.machine.memory(memory).node;
    task.route = toSram ? result.machine.path(home, task.node)
                        : result.machine.path(task.node, home);
    return success();
  }

  LogicalResult fillCompute(Task &task, ComputeOp compute) {
    task.kind = TaskKind::Compute;
    task.node = static_cast<int32_t>(compute.getNodeAttr().getInt());
    llvm::DenseMap<Value, int32_t> values;
    Block &block = compute.getBody().front();
    for (Value argument : block.getArguments())
      values[argument] = static_cast<int32_t>(values.size());
    for (Operation &inner : block.without_terminator()) {
      KernelStep step = cast<moe::KernelOpInterface>(inner).getKernel();
      for (Value operand : inner.getOperands())
        step.inputs.push_back(values.lookup(operand));
      for (Value value : inner.getResults()) {
        FailureOr<ValueType> type =
            moe::getValueType(value.getLoc(), value.getType());
        if (failed(type))
          return failure();
        step.resultTypes.push_back(*type);
        values[value] = static_cast<int32_t>(values.size());
      }
      task.steps.push_back(std::move(step));
    }
    for (Value value : block.getTerminator()->getOperands())
      task.results.push_back(values.lookup(value));
    return success();
  }

  template <typename ExchangeOp>
  void fillExchange(Task &task, ExchangeOp op, bool outwards) {
    task.node = static_cast<int32_t>(op.getNodeAttr().getInt());
    task.exchange.form = op.getForm() == Form::Pairs ? ExchangeForm::Pairs
                                                     : ExchangeForm::Tokens;
    task.exchange.via =
        op.getVia() == Via::Root ? ExchangeVia::Root : ExchangeVia::Switch;
    for (const auto &[node, experts] : op.getPlacement().getExpertsOf()) {
      ExchangePeer peer;
      peer.node = static_cast<int32_t>(node);
      peer.experts.assign(experts.begin(), experts.end());
      peer.route = outwards ? result.machine.path(task.node, peer.node)
                            : result.machine.path(peer.node, task.node);
      task.exchange.peers.push_back(std::move(peer));
    }
    task.exchange.expertMap = expertMapOf(op.getPlacement());
  }

  /// The expert map of a placement with replicas, -1 of any other.
  int32_t expertMapOf(moe::PlacementAttr placement) {
    if (placement.isPartition())
      return -1;
    auto [it, fresh] = expertMaps.try_emplace(
        placement, static_cast<int32_t>(program().expertMaps.size()));
    if (fresh) {
      ExpertMap &map = program().expertMaps.emplace_back();
      for (const std::vector<int64_t> &nodes : placement.getNodesOf())
        map.nodesOf.emplace_back(nodes.begin(), nodes.end());
    }
    return it->second;
  }

  int32_t addSlice(RoutedSlice slice) {
    program().slices.push_back(std::move(slice));
    return static_cast<int32_t>(program().slices.size()) - 1;
  }

  /// What each peer holds is the exchange's tokens for the peer's experts;
  /// `perPeer` buffers each of `buffers` do. The routing is that of all
  /// experts.
  template <typename ExchangeOp>
  void addSlices(const Task &task, ExchangeOp exchange, int32_t routing,
                 ArrayRef<int32_t> buffers, size_t perPeer) {
    RoutedSlice slice;
    slice.layer = exchange.getLayerAttr().getInt();
    slice.microBatch = exchange.getMicroBatchAttr().getInt();
    slice.tokenBegin = exchange.getTokenBeginAttr().getInt();
    slice.tokenCount = program().buffers[routing].type.rows();
    for (const ExchangePeer &peer : task.exchange.peers) {
      RoutedSlice arrived = slice;
      arrived.experts = peer.experts;
      arrived.expertMap = task.exchange.expertMap;
      arrived.node = arrived.expertMap == -1 ? -1 : peer.node;
      int32_t index = addSlice(std::move(arrived));
      for (int32_t buffer : buffers.take_front(perPeer))
        program().buffers[buffer].slice = index;
      buffers = buffers.drop_front(perPeer);
    }
    slice.experts.resize(program().experts);
    std::iota(slice.experts.begin(), slice.experts.end(), 0);
    program().buffers[routing].slice = addSlice(std::move(slice));
  }

  ProgramOp op;
  ExportedProgram result;
  llvm::DenseMap<Value, int32_t> buffers;
  llvm::DenseMap<Operation *, int32_t> tasks;
  llvm::DenseMap<moe::PlacementAttr, int32_t> expertMaps;
};

} // namespace

FailureOr<ExportedProgram> mozart::exportProgram(ProgramOp program) {
  wafer::MachineOp machine =
      wafer::lookupMachine(program, program.getMachineAttr());
  if (!machine)
    return failure();
  return Exporter(program, wafer::getMachineModel(machine)).run();
}

FailureOr<ProgramOp> mozart::findProgram(ModuleOp module) {
  SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
  if (programs.size() == 1)
    return programs.front();
  return module.emitError() << "has " << programs.size()
                            << " programs, expected exactly one; compile the "
                               "model to phase 'program' or 'scheduled' first";
}
