//===- ProgramWriter.cpp - Emits buffers and tasks of a program -----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramWriter.h"

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

Value ProgramWriter::alloc(Location loc, const Twine &name, Type contents,
                           MemoryKind memory, int64_t index) {
  return AllocOp::create(
      builder, loc,
      BufferType::get(builder.getContext(), contents, memory, index),
      builder.getStringAttr(name), IntegerAttr());
}

Value ProgramWriter::input(Location loc, const Twine &name, int64_t argument,
                           Type contents, int64_t memory,
                           std::optional<int64_t> microBatch,
                           ArrayRef<int64_t> experts) {
  return InputOp::create(
      builder, loc,
      BufferType::get(builder.getContext(), contents, MemoryKind::Dram, memory),
      builder.getI64IntegerAttr(argument), builder.getStringAttr(name),
      microBatch ? builder.getI64IntegerAttr(*microBatch) : IntegerAttr(),
      experts.empty() ? DenseI64ArrayAttr()
                      : builder.getDenseI64ArrayAttr(experts),
      IntegerAttr());
}

Value ProgramWriter::view(Location loc, Value buffer, Type contents,
                          int64_t row) {
  auto type = cast<BufferType>(buffer.getType());
  if (type.getContents() == contents)
    return buffer;
  return ViewOp::create(builder, loc,
                        BufferType::get(builder.getContext(), contents,
                                        type.getMemory(), type.getIndex()),
                        buffer, builder.getI64IntegerAttr(row));
}

/// Whether two buffers, one of the same root buffer, share a row.
static bool sharesRows(Value a, Value b) {
  auto rows = [](Value value) -> std::pair<int64_t, int64_t> {
    auto view = value.getDefiningOp<ViewOp>();
    if (!view)
      return {0, INT64_MAX};
    Type contents = cast<BufferType>(value.getType()).getContents();
    int64_t begin = view.getRowAttr().getInt();
    int64_t count = 0;
    if (auto routing = dyn_cast<moe::RoutingType>(contents))
      count = routing.getTokens();
    else
      count = cast<RankedTensorType>(contents).getDimSize(0);
    return {begin, begin + count};
  };
  auto [aBegin, aEnd] = rows(a);
  auto [bBegin, bEnd] = rows(b);
  return aBegin < bEnd && bBegin < aEnd;
}

SmallVector<Value> ProgramWriter::waitsFor(ValueRange reads) const {
  llvm::SmallSetVector<Value, 4> waits;
  for (Value buffer : reads) {
    auto found = writers.find(getRootBuffer(buffer));
    if (found == writers.end())
      continue;
    for (Value event : found->second) {
      auto task = event.getDefiningOp<TaskOpInterface>();
      if (llvm::any_of(task.getWrites(), [&](Value written) {
            return getRootBuffer(written) == getRootBuffer(buffer) &&
                   sharesRows(written, buffer);
          }))
        waits.insert(event);
    }
  }
  return waits.takeVector();
}

void ProgramWriter::recordWrites(ValueRange writes, Value event) {
  for (Value buffer : writes)
    writers[getRootBuffer(buffer)].push_back(event);
}

/// Moves go through the memory's controller, one after another.
MoverAttr ProgramWriter::channel() {
  return MoverAttr::get(builder.getContext(), Mover::Channel);
}

void ProgramWriter::load(Location loc, const Twine &name, Value source,
                         Value target) {
  auto op = LoadOp::create(builder, loc, EventType::get(builder.getContext()),
                           builder.getStringAttr(name), source, target,
                           channel(), waitsFor(source), IntegerAttr());
  recordWrites(target, op.getEvent());
}

void ProgramWriter::store(Location loc, const Twine &name, Value source,
                          Value target) {
  auto op = StoreOp::create(builder, loc, EventType::get(builder.getContext()),
                            builder.getStringAttr(name), source, target,
                            channel(), waitsFor(source), IntegerAttr());
  recordWrites(target, op.getEvent());
}

void ProgramWriter::output(Location loc, Value buffer, int64_t result,
                           int64_t microBatch) {
  OutputOp::create(builder, loc, buffer, builder.getI64IntegerAttr(result),
                   builder.getI64IntegerAttr(microBatch));
}

void ProgramWriter::compute(
    Location loc, const Twine &name, int64_t node, ValueRange reads,
    ValueRange writes,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> fill) {
  auto op = ComputeOp::create(
      builder, loc, EventType::get(builder.getContext()),
      builder.getStringAttr(name), builder.getI64IntegerAttr(node), reads,
      writes, waitsFor(reads), IntegerAttr());
  OpBuilder body = OpBuilder::atBlockBegin(&op.getBody().emplaceBlock());
  for (Value buffer : reads)
    body.getInsertionBlock()->addArgument(
        cast<BufferType>(buffer.getType()).getContents(), loc);
  SmallVector<Value> results =
      fill(body, body.getInsertionBlock()->getArguments());
  YieldOp::create(body, loc, results);
  recordWrites(writes, op.getEvent());
}

void ProgramWriter::dispatch(Location loc, const Exchange &exchange,
                             Value input, Value routing, ValueRange writes) {
  SmallVector<Value> reads = {input, routing};
  auto op = DispatchOp::create(
      builder, loc, EventType::get(builder.getContext()),
      builder.getStringAttr(exchange.name),
      builder.getI64IntegerAttr(exchange.node),
      FormAttr::get(builder.getContext(), exchange.form),
      ViaAttr::get(builder.getContext(), exchange.via),
      builder.getI64IntegerAttr(exchange.layer),
      builder.getI64IntegerAttr(exchange.microBatch),
      builder.getI64IntegerAttr(exchange.tokenBegin), exchange.placement, input,
      routing, writes, waitsFor(reads), IntegerAttr());
  recordWrites(writes, op.getEvent());
}

void ProgramWriter::combine(Location loc, const Exchange &exchange,
                            ValueRange inputs, Value routing, Value output) {
  SmallVector<Value> reads(inputs);
  reads.push_back(routing);
  auto op = CombineOp::create(
      builder, loc, EventType::get(builder.getContext()),
      builder.getStringAttr(exchange.name),
      builder.getI64IntegerAttr(exchange.node),
      FormAttr::get(builder.getContext(), exchange.form),
      ViaAttr::get(builder.getContext(), exchange.via),
      builder.getI64IntegerAttr(exchange.layer),
      builder.getI64IntegerAttr(exchange.microBatch),
      builder.getI64IntegerAttr(exchange.tokenBegin), exchange.placement,
      inputs, routing, output, waitsFor(reads), IntegerAttr());
  recordWrites(output, op.getEvent());
}
