//===- ProgramProto.cpp - Programs as protobuf messages -------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ProgramProto.h"

#include "KernelProto.h"
#include "ProtoEnums.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

//===----------------------------------------------------------------------===//
// To messages
//===----------------------------------------------------------------------===//

pb::ValueType mozart::valueTypeToProto(const ValueType &type) {
  pb::ValueType message;
  message.set_element(enumToProto<pb::ElementType>(type.element));
  appendAll(*message.mutable_shape(), type.shape);
  if (type.kind == ValueType::Kind::Routing) {
    message.mutable_routing()->set_experts(type.experts);
    message.mutable_routing()->set_local(type.local);
  }
  return message;
}

static void writeBuffer(const Buffer &buffer, pb::Buffer &message) {
  message.set_name(buffer.name);
  if (buffer.place.kind == Place::Kind::Sram)
    message.mutable_place()->set_sram_of_node(buffer.place.index);
  else
    message.mutable_place()->set_memory(buffer.place.index);
  *message.mutable_type() = valueTypeToProto(buffer.type);
  if (buffer.offset != -1)
    message.set_offset(buffer.offset);
  if (buffer.viewOf != -1)
    message.set_view_of(buffer.viewOf);
  message.set_row_begin(buffer.rowBegin);
  if (buffer.slice != -1)
    message.set_slice(buffer.slice);
}

static void writeExchange(const Exchange &exchange, pb::Exchange &message) {
  message.set_form(enumToProto<pb::Exchange::Form>(exchange.form));
  message.set_via(enumToProto<pb::Exchange::Via>(exchange.via));
  for (const ExchangePeer &peer : exchange.peers) {
    pb::ExchangePeer &entry = *message.add_peers();
    entry.set_node(peer.node);
    appendAll(*entry.mutable_experts(), peer.experts);
    appendAll(*entry.mutable_route(), peer.route);
  }
  if (exchange.expertMap != -1)
    message.set_expert_map(exchange.expertMap);
}

static void writeSlice(const RoutedSlice &slice, pb::RoutedSlice &message) {
  message.set_layer(slice.layer);
  message.set_micro_batch(slice.microBatch);
  message.set_token_begin(slice.tokenBegin);
  message.set_token_count(slice.tokenCount);
  appendAll(*message.mutable_experts(), slice.experts);
  if (slice.expertMap != -1)
    message.set_expert_map(slice.expertMap);
  if (slice.node != -1)
    message.set_node(slice.node);
}

static void writeTask(const Task &task, pb::Task &message) {
  message.set_name(task.name);
  message.set_kind(enumToProto<pb::Task::Kind>(task.kind));
  message.set_node(task.node);
  for (const Engine &engine : task.engines) {
    pb::Engine &entry = *message.add_engines();
    entry.set_kind(enumToProto<pb::Engine::Kind>(engine.kind));
    entry.set_index(engine.index);
  }
  appendAll(*message.mutable_waits(), task.waits);
  appendAll(*message.mutable_reads(), task.reads);
  appendAll(*message.mutable_writes(), task.writes);
  if (task.stage != -1)
    message.set_stage(task.stage);
  appendAll(*message.mutable_route(), task.route);
  for (const KernelStep &step : task.steps)
    *message.add_steps() = stepToProto(step);
  appendAll(*message.mutable_results(), task.results);
  if (task.kind == TaskKind::Dispatch || task.kind == TaskKind::Combine)
    writeExchange(task.exchange, *message.mutable_exchange());
}

pb::Program mozart::toProto(const Program &program) {
  pb::Program message;
  message.set_name(program.name);
  message.set_model(program.model);
  message.set_machine(program.machine);
  message.set_preset(program.preset);
  message.set_seed(program.seed);
  message.set_moe_layers(program.moeLayers);
  message.set_experts(program.experts);
  message.set_k(program.k);
  message.set_tokens_per_micro_batch(program.tokensPerMicroBatch);
  message.set_micro_batches(program.microBatches);
  for (const ExpertMap &map : program.expertMaps) {
    pb::ExpertMap &entry = *message.add_expert_maps();
    for (const std::vector<int32_t> &nodes : map.nodesOf)
      appendAll(*entry.add_nodes_of()->mutable_nodes(), nodes);
  }
  for (const RoutedSlice &slice : program.slices)
    writeSlice(slice, *message.add_slices());
  for (const Buffer &buffer : program.buffers)
    writeBuffer(buffer, *message.add_buffers());
  for (const Input &input : program.inputs) {
    pb::Input &entry = *message.add_inputs();
    entry.set_buffer(input.buffer);
    entry.set_argument(input.argument);
    if (input.microBatch != -1)
      entry.set_micro_batch(input.microBatch);
    appendAll(*entry.mutable_experts(), input.experts);
  }
  for (const Output &output : program.outputs) {
    pb::Output &entry = *message.add_outputs();
    entry.set_buffer(output.buffer);
    entry.set_result(output.result);
    entry.set_micro_batch(output.microBatch);
  }
  for (const Task &task : program.tasks)
    writeTask(task, *message.add_tasks());
  return message;
}

//===----------------------------------------------------------------------===//
// From messages
//===----------------------------------------------------------------------===//

absl::StatusOr<ValueType>
mozart::valueTypeFromProto(const pb::ValueType &message) {
  ValueType type;
  if (!enumFromProto(message.element(), pb::ElementType_MAX, type.element))
    return unknownEnum("element", message.element());
  type.shape.assign(message.shape().begin(), message.shape().end());
  if (message.has_routing()) {
    type.kind = ValueType::Kind::Routing;
    type.experts = message.routing().experts();
    type.local = message.routing().local();
  }
  return type;
}

static absl::StatusOr<Buffer> readBuffer(const pb::Buffer &message) {
  Buffer buffer;
  buffer.name = message.name();
  switch (message.place().place_case()) {
  case pb::Place::kSramOfNode:
    buffer.place = {Place::Kind::Sram, message.place().sram_of_node()};
    break;
  case pb::Place::kMemory:
    buffer.place = {Place::Kind::Dram, message.place().memory()};
    break;
  case pb::Place::PLACE_NOT_SET:
    return absl::InvalidArgumentError(
        "has no place; expected the SRAM of a node, or a memory");
  }
  absl::StatusOr<ValueType> type = valueTypeFromProto(message.type());
  if (!type.ok())
    return type.status();
  buffer.type = *std::move(type);
  buffer.offset = message.has_offset() ? message.offset() : -1;
  buffer.viewOf = message.has_view_of() ? message.view_of() : -1;
  buffer.rowBegin = message.row_begin();
  buffer.slice = message.has_slice() ? message.slice() : -1;
  return buffer;
}

static absl::Status readExchange(const pb::Exchange &message,
                                 Exchange &exchange) {
  if (!enumFromProto(message.form(), pb::Exchange::Form_MAX, exchange.form))
    return unknownEnum("form", message.form());
  if (!enumFromProto(message.via(), pb::Exchange::Via_MAX, exchange.via))
    return unknownEnum("via", message.via());
  for (const pb::ExchangePeer &peer : message.peers()) {
    ExchangePeer entry;
    entry.node = peer.node();
    entry.experts.assign(peer.experts().begin(), peer.experts().end());
    entry.route.assign(peer.route().begin(), peer.route().end());
    exchange.peers.push_back(std::move(entry));
  }
  exchange.expertMap = message.has_expert_map() ? message.expert_map() : -1;
  return absl::OkStatus();
}

static absl::StatusOr<Task> readTask(const pb::Task &message) {
  Task task;
  task.name = message.name();
  if (!enumFromProto(message.kind(), pb::Task::Kind_MAX, task.kind))
    return unknownEnum("kind", message.kind());
  task.node = message.node();
  for (const pb::Engine &entry : message.engines()) {
    Engine engine;
    if (!enumFromProto(entry.kind(), pb::Engine::Kind_MAX, engine.kind))
      return unknownEnum("kind of an engine", entry.kind());
    engine.index = entry.index();
    task.engines.push_back(engine);
  }
  task.waits.assign(message.waits().begin(), message.waits().end());
  task.reads.assign(message.reads().begin(), message.reads().end());
  task.writes.assign(message.writes().begin(), message.writes().end());
  task.stage = message.has_stage() ? message.stage() : -1;
  task.route.assign(message.route().begin(), message.route().end());
  for (const pb::KernelStep &entry : message.steps()) {
    absl::StatusOr<KernelStep> step = stepFromProto(entry);
    if (!step.ok())
      return absl::InvalidArgumentError(absl::StrCat(
          "step ", task.steps.size(), ": ", step.status().message()));
    task.steps.push_back(*std::move(step));
  }
  task.results.assign(message.results().begin(), message.results().end());
  bool exchanges =
      task.kind == TaskKind::Dispatch || task.kind == TaskKind::Combine;
  if (exchanges != message.has_exchange())
    return absl::InvalidArgumentError(
        absl::StrCat(exchanges ? "has no exchange" : "has an exchange",
                     "; expected one just for a dispatch or combine"));
  if (exchanges)
    if (absl::Status status = readExchange(message.exchange(), task.exchange);
        !status.ok())
      return status;
  return task;
}

absl::StatusOr<Program> mozart::fromProto(const pb::Program &message) {
  Program program;
  program.name = message.name();
  program.model = message.model();
  program.machine = message.machine();
  program.preset = message.preset();
  program.seed = message.seed();
  program.moeLayers = message.moe_layers();
  program.experts = message.experts();
  program.k = message.k();
  program.tokensPerMicroBatch = message.tokens_per_micro_batch();
  program.microBatches = message.micro_batches();
  auto within = [&](const char *what, size_t index, const std::string &name,
                    const absl::Status &status) {
    return absl::InvalidArgumentError(
        absl::StrCat("program '", program.name, "', ", what, " ", index, " ('",
                     name, "'): ", status.message()));
  };
  for (const pb::ExpertMap &entry : message.expert_maps()) {
    ExpertMap &map = program.expertMaps.emplace_back();
    for (const pb::ExpertMap::Nodes &nodes : entry.nodes_of())
      map.nodesOf.emplace_back(nodes.nodes().begin(), nodes.nodes().end());
  }
  for (const pb::RoutedSlice &slice : message.slices())
    program.slices.push_back({slice.layer(),
                              slice.micro_batch(),
                              slice.token_begin(),
                              slice.token_count(),
                              {slice.experts().begin(), slice.experts().end()},
                              slice.has_expert_map() ? slice.expert_map() : -1,
                              slice.has_node() ? slice.node() : -1});
  for (const pb::Buffer &entry : message.buffers()) {
    absl::StatusOr<Buffer> buffer = readBuffer(entry);
    if (!buffer.ok())
      return within("buffer", program.buffers.size(), entry.name(),
                    buffer.status());
    program.buffers.push_back(*std::move(buffer));
  }
  for (const pb::Input &input : message.inputs())
    program.inputs.push_back(
        {input.buffer(),
         input.argument(),
         input.has_micro_batch() ? input.micro_batch() : -1,
         {input.experts().begin(), input.experts().end()}});
  for (const pb::Output &output : message.outputs())
    program.outputs.push_back(
        {output.buffer(), output.result(), output.micro_batch()});
  for (const pb::Task &entry : message.tasks()) {
    absl::StatusOr<Task> task = readTask(entry);
    if (!task.ok())
      return within("task", program.tasks.size(), entry.name(), task.status());
    program.tasks.push_back(*std::move(task));
  }
  return program;
}
