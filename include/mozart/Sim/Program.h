//===- Program.h - A program for a wafer, as plain data -----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers, tasks and waits: what the `chiplet` dialect says, without MLIR. The
// event engine gives it time, the value engine gives it numbers.
//
// Order. Tasks are listed in an order that respects every wait. Each engine
// starts its tasks in the order in which they are listed; a task that needs
// several engines starts when it is at the head of all of them. Where stages
// are given, a task starts only when all tasks of lower stages have ended. A
// task *happens before* another when waits, engine order and stages say so.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SIM_PROGRAM_H
#define MOZART_SIM_PROGRAM_H

#include "mozart/Sim/Kernels.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mozart {

/// Where a buffer lives: the SRAM of node `index`, or memory `index`.
struct Place {
  enum class Kind { Sram, Dram };
  Kind kind = Kind::Sram;
  int32_t index = -1;

  friend bool operator==(Place a, Place b) {
    return a.kind == b.kind && a.index == b.index;
  }
};

/// Where all experts are, of a layer that has some on several chiplets:
/// `nodesOf[e]` holds the nodes of expert e, ascending, at least one. A pair of
/// a token and an expert is computed on one of them, which ReplicaChoice
/// (mozart/Routing/ReplicaChoice.h) says; the token's position there is its row
/// in the micro-batch.
struct ExpertMap {
  std::vector<std::vector<int32_t>> nodesOf;

  friend bool operator==(const ExpertMap &a, const ExpertMap &b) {
    return a.nodesOf == b.nodesOf;
  }
};

/// Which part of the routing a routed buffer (rows of tokens, a local routing,
/// counts) stands for: tokens [tokenBegin, tokenBegin + tokenCount) of one MoE
/// layer and micro-batch, of which only the pairs whose expert is in `experts`
/// (position = local id). Durations are counted from it.
struct RoutedSlice {
  int64_t layer = 0;
  int64_t microBatch = 0;
  int64_t tokenBegin = 0;
  int64_t tokenCount = 0;
  std::vector<int32_t> experts;
  /// Index into Program::expertMaps, or -1. Where given, of these pairs only
  /// those that it sends to node `node`.
  int32_t expertMap = -1;
  int32_t node = -1;
};

struct Buffer {
  std::string name;
  Place place;
  ValueType type;
  /// Byte offset in its memory; -1 before allocation. Of a view: derived.
  int64_t offset = -1;
  /// A view shows rows [rowBegin, rowBegin + type.rows()) of another buffer,
  /// which is not itself a view; -1 for a buffer of its own.
  int32_t viewOf = -1;
  int64_t rowBegin = 0;
  /// Index into Program::slices of what it holds, or -1 if it is not routed.
  int32_t slice = -1;
};

/// What a DRAM buffer holds before the program starts: argument `argument` of
/// the model function. Of `experts` only where given (leading axis, in that
/// order); of one micro-batch's copy where `microBatch` is not -1.
struct Input {
  int32_t buffer = -1;
  int32_t argument = -1;
  int64_t microBatch = -1;
  std::vector<int32_t> experts;
};

/// A buffer that holds result `result` of micro-batch `microBatch` at the end.
struct Output {
  int32_t buffer = -1;
  int32_t result = -1;
  int64_t microBatch = 0;
};

enum class EngineKind {
  Compute, ///< the arrays of a chiplet (index: node)
  Dma,     ///< the DMA engine of a chiplet (index: node)
  Channel, ///< the controller of a memory (index: memory)
  Send,    ///< the sending port of a chiplet (index: node)
  Receive, ///< the receiving port of a chiplet (index: node)
};

struct Engine {
  EngineKind kind = EngineKind::Compute;
  int32_t index = -1;

  friend bool operator==(Engine a, Engine b) {
    return a.kind == b.kind && a.index == b.index;
  }
  friend bool operator<(Engine a, Engine b) {
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  }
};

enum class TaskKind {
  Load,     ///< reads[0] in a DRAM -> writes[0] in an SRAM, all bytes
  Store,    ///< reads[0] in an SRAM -> writes[0] in a DRAM, all bytes
  Compute,  ///< kernel steps on `node`
  Dispatch, ///< tokens from `node` to the chiplets of their experts
  Combine,  ///< results from those chiplets back to `node`
};

/// What travels in a dispatch or a combine.
enum class ExchangeForm {
  Pairs,  ///< one row per (token, expert)
  Tokens, ///< one row per (token, chiplet): de-duplicated
};

/// Where copies are made (dispatch) or sums are formed (combine).
enum class ExchangeVia {
  Root,   ///< at `node`: a row travels alone from end to end
  Switch, ///< at each switch of the tree on the way (form Tokens only)
};

/// One chiplet that takes part in an exchange.
struct ExchangePeer {
  int32_t node = -1;
  /// Global ids of its experts; position = local id.
  std::vector<int32_t> experts;
  /// Links from the task's node to this one for a dispatch, from this one to
  /// the task's node for a combine, in travel order.
  std::vector<int32_t> route;
};

/// Operands of the two exchanges. T tokens, k slots, H hidden, E experts; peer
/// i of P holds E_i experts; R_i rows of capacity.
///
///   Dispatch Pairs    reads  x [T,H], routing (T x k of E)
///                     writes rows_i [R_i,H], counts_i [E_i] index   (i =
///                     0..P-1,
///                            interleaved: rows_0, counts_0, rows_1, ...)
///     rows_i holds one row per pair in order (local expert, token, slot); the
///     rest is zero. counts_i[e] is the number of rows of local expert e.
///   Dispatch Tokens   reads  x [T,H], routing (T x k of E)
///                     writes rows_i [R_i,H], local_i (R_i x k of E_i, local)
///     rows_i holds one row per token that has an expert there, in token order;
///     local_i the local ids of its slots (kPadding elsewhere) with their gate
///     weights. Rows past them are zero, their slots padding with weight zero.
///   Combine Pairs     reads  rows_0 .. rows_{P-1}, routing (T x k of E)
///                     writes rows [T k, H] in order (expert, token, slot); the
///                            rest is zero
///   Combine Tokens    reads  partial_0 .. partial_{P-1} [R_i,H], routing
///                     writes y [T,H]: the sum of each token's partial rows, in
///                            the machine's declared order of children at every
///                            node where sums are formed (via Root: in order of
///                            peers); zero for a token without any.
struct Exchange {
  ExchangeForm form = ExchangeForm::Pairs;
  ExchangeVia via = ExchangeVia::Root;
  std::vector<ExchangePeer> peers;
  /// Index into Program::expertMaps, which says to which of several peers with
  /// its expert a pair goes; -1 where no two peers have the same expert.
  int32_t expertMap = -1;
};

struct Task {
  std::string name;
  TaskKind kind = TaskKind::Compute;
  /// Chiplet that computes, dispatches, combines; of a load or store, the
  /// chiplet whose SRAM it serves.
  int32_t node = -1;
  /// Engines that it occupies from start to end.
  std::vector<Engine> engines;
  /// Tasks that must have ended (indices below this task's own).
  std::vector<int32_t> waits;
  /// Buffers, in the order that its kind fixes.
  std::vector<int32_t> reads, writes;
  /// -1: no stage.
  int64_t stage = -1;
  /// Links of a load or store, in travel order (empty where the memory hangs
  /// on the chiplet itself).
  std::vector<int32_t> route;
  /// Of a compute task: steps over values. Values 0 .. reads.size()-1 are the
  /// read buffers; each step's results take the next numbers; `results[i]` is
  /// the value stored in writes[i].
  std::vector<KernelStep> steps;
  std::vector<int32_t> results;
  /// Of a dispatch or combine.
  Exchange exchange;
};

struct Program {
  std::string name, model, machine, preset;
  uint64_t seed = 0;
  /// MoE layers, experts, slots and tokens of a micro-batch of the model, which
  /// a routing trace must fit. Zero layers: no routing is needed.
  int64_t moeLayers = 0, experts = 0, k = 0;
  int64_t tokensPerMicroBatch = 0, microBatches = 1;
  /// Of layers whose experts have replicas.
  std::vector<ExpertMap> expertMaps;
  std::vector<RoutedSlice> slices;
  std::vector<Buffer> buffers;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Task> tasks;
};

} // namespace mozart

#endif // MOZART_SIM_PROGRAM_H
