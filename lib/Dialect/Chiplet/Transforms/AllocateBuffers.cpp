//===- AllocateBuffers.cpp - Offsets, and waits that guard reuse ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskClock.h"

#include "mozart/Dialect/Chiplet/Transforms/Passes.h"
#include "mozart/Dialect/Wafer/IR/Wafer.h"

#include "mlir/IR/Remarks.h"

namespace mozart::chiplet {
#define GEN_PASS_DEF_CHIPLETALLOCATEBUFFERS
#include "mozart/Dialect/Chiplet/Transforms/Passes.h.inc"
} // namespace mozart::chiplet

using namespace mlir;
using namespace mozart;
using namespace mozart::chiplet;

namespace {

constexpr int64_t kAlignment = 64;

/// A buffer of its own (not a view), and who uses it.
struct Lifetime {
  Operation *definition = nullptr;
  BufferType type;
  int64_t bytes = 0;
  int64_t offset = -1;
  /// Positions of the first and last task that name it.
  int64_t first = INT64_MAX, last = -1;
  bool fromBottom = false;
  SmallVector<TaskOpInterface> readers, writers;
};

/// The bytes of one memory.
class Heap {
public:
  explicit Heap(int64_t capacity) : capacity(capacity) {}

  /// Frees what is not used from task `position` on.
  void expire(int64_t position) {
    llvm::erase_if(live,
                   [&](Lifetime *buffer) { return buffer->last < position; });
  }

  /// The lowest free offset, or the highest; -1 if there is no room.
  int64_t place(Lifetime *buffer) {
    llvm::sort(live,
               [](Lifetime *a, Lifetime *b) { return a->offset < b->offset; });
    int64_t best = -1, gapBegin = 0;
    auto consider = [&](int64_t gapEnd) {
      if (gapEnd - gapBegin < buffer->bytes)
        return;
      if (buffer->fromBottom) {
        if (best < 0)
          best = gapBegin;
      } else {
        best = (gapEnd - buffer->bytes) / kAlignment * kAlignment;
        if (best < gapBegin)
          best = gapBegin;
      }
    };
    for (Lifetime *other : live) {
      consider(other->offset);
      gapBegin = (other->offset + other->bytes + kAlignment - 1) / kAlignment *
                 kAlignment;
    }
    consider(capacity);
    if (best < 0)
      return -1;
    buffer->offset = best;
    live.push_back(buffer);
    return best;
  }

  /// Earlier buffers whose bytes `buffer` takes over; they are then forgotten
  /// as far as it covers them.
  SmallVector<Lifetime *> takeOver(Lifetime *buffer) {
    int64_t begin = buffer->offset, end = begin + buffer->bytes;
    SmallVector<Lifetime *> previous;
    std::vector<Range> rest;
    for (Range &range : history) {
      if (range.end <= begin || range.begin >= end) {
        rest.push_back(range);
        continue;
      }
      if (!llvm::is_contained(previous, range.buffer))
        previous.push_back(range.buffer);
      if (range.begin < begin)
        rest.push_back({range.begin, begin, range.buffer});
      if (range.end > end)
        rest.push_back({end, range.end, range.buffer});
    }
    rest.push_back({begin, end, buffer});
    history = std::move(rest);
    return previous;
  }

  ArrayRef<Lifetime *> liveBuffers() const { return live; }

  int64_t liveBytes() const {
    int64_t bytes = 0;
    for (Lifetime *buffer : live)
      bytes += buffer->bytes;
    return bytes;
  }

private:
  struct Range {
    int64_t begin, end;
    Lifetime *buffer;
  };
  int64_t capacity;
  std::vector<Lifetime *> live;
  /// The last user of every byte used so far.
  std::vector<Range> history;
};

class Allocator {
public:
  Allocator(ProgramOp program, const MachineModel &machine)
      : program(program), machine(machine) {}

  LogicalResult run() {
    if (failed(collect()) || failed(allocateDrams()))
      return failure();
    makeHeaps();
    int64_t position = 0;
    for (TaskOpInterface task : tasks) {
      clock.enter(task);
      if (failed(placeBuffersOf(task, position)))
        return failure();
      ++position;
    }
    return success();
  }

private:
  LogicalResult collect() {
    for (Operation &op : program.getBody().front()) {
      if (isa<AllocOp, InputOp>(op)) {
        Value buffer = op.getResult(0);
        auto type = cast<BufferType>(buffer.getType());
        lifetimes.push_back({&op, type, getBufferBytes(type)});
        indexOf[buffer] = lifetimes.size() - 1;
      }
      auto task = dyn_cast<TaskOpInterface>(op);
      if (!task)
        continue;
      int64_t position = tasks.size();
      tasks.push_back(task);
      for (Value buffer : task.getReads())
        use(buffer, position).readers.push_back(task);
      for (Value buffer : task.getWrites())
        use(buffer, position).writers.push_back(task);
    }
    for (Lifetime &buffer : lifetimes)
      buffer.fromBottom =
          !buffer.writers.empty() && isa<LoadOp>(buffer.writers.front());
    return success();
  }

  Lifetime &use(Value buffer, int64_t position) {
    Lifetime &lifetime = lifetimes[indexOf.lookup(getRootBuffer(buffer))];
    lifetime.first = std::min(lifetime.first, position);
    lifetime.last = std::max(lifetime.last, position);
    return lifetime;
  }

  void setOffset(Lifetime &buffer, int64_t offset) {
    buffer.offset = offset;
    IntegerAttr attr = Builder(program.getContext()).getI64IntegerAttr(offset);
    if (auto alloc = dyn_cast<AllocOp>(buffer.definition))
      alloc.setOffsetAttr(attr);
    else
      cast<InputOp>(buffer.definition).setOffsetAttr(attr);
  }

  /// A heap is no larger than all buffers of the program side by side, so that
  /// one which grows from the top does not leave a vast SRAM empty below it.
  void makeHeaps() {
    std::vector<int64_t> needs(machine.numNodes(), 0);
    for (const Lifetime &buffer : lifetimes) {
      if (buffer.type.getMemory() != MemoryKind::Sram)
        continue;
      int64_t &need = needs[buffer.type.getIndex()];
      int64_t padded;
      if (__builtin_add_overflow(buffer.bytes, kAlignment - 1, &padded) ||
          __builtin_add_overflow(need, padded / kAlignment * kAlignment, &need))
        need = INT64_MAX;
    }
    for (int32_t node = 0; node < machine.numNodes(); ++node)
      heaps.emplace_back(std::min(machine.node(node).sramBytes, needs[node]));
  }

  LogicalResult allocateDrams() {
    std::vector<int64_t> used(machine.numMemories(), 0);
    for (Lifetime &buffer : lifetimes) {
      if (buffer.type.getMemory() != MemoryKind::Dram)
        continue;
      int64_t &end = used[buffer.type.getIndex()];
      setOffset(buffer, end);
      int64_t padded;
      if (__builtin_add_overflow(buffer.bytes, kAlignment - 1, &padded) ||
          __builtin_add_overflow(end, padded / kAlignment * kAlignment, &end))
        return buffer.definition->emitOpError()
               << "does not fit: memory '"
               << machine.memory(buffer.type.getIndex()).name
               << "' would need more bytes than fit in 63 bits";
    }
    for (int32_t index = 0; index < machine.numMemories(); ++index)
      if (failed(checkDram(machine.memory(index), used[index])))
        return failure();
    return success();
  }

  LogicalResult checkDram(const MemoryFacts &memory, int64_t need) {
    if (need <= memory.bytes)
      return success();
    if (!memory.elastic)
      return program.emitOpError()
             << "needs " << need << " bytes of memory '" << memory.name
             << "', which has " << memory.bytes
             << "; declare it elastic to go on all the same";
    remark::analysis(program.getLoc(),
                     remark::RemarkOpts::name("ElasticMemory")
                         .category("chiplet-allocate-buffers"))
        << "elastic memory " << memory.name << " holds more than its size"
        << remark::metric("NeedBytes", need)
        << remark::metric("HaveBytes", memory.bytes);
    return success();
  }

  LogicalResult placeBuffersOf(TaskOpInterface task, int64_t position) {
    // Copies: guards add operands, which moves those that are there.
    SmallVector<Value> buffers(task.getReads()), writes(task.getWrites());
    llvm::append_range(buffers, writes);
    for (Value value : buffers) {
      Lifetime &buffer = lifetimes[indexOf.lookup(getRootBuffer(value))];
      if (buffer.type.getMemory() != MemoryKind::Sram)
        continue;
      if (buffer.offset < 0 && failed(placeBuffer(buffer, task, position)))
        return failure();
    }
    for (Value value : writes)
      guard(task, lifetimes[indexOf.lookup(getRootBuffer(value))]);
    return success();
  }

  LogicalResult placeBuffer(Lifetime &buffer, TaskOpInterface task,
                            int64_t position) {
    int32_t node = buffer.type.getIndex();
    Heap &heap = heaps[node];
    heap.expire(position);
    int64_t offset = heap.place(&buffer);
    if (offset < 0)
      return reportOverflow(buffer, task, heap);
    setOffset(buffer, offset);
    previous[&buffer] = heap.takeOver(&buffer);
    return success();
  }

  LogicalResult reportOverflow(const Lifetime &buffer, TaskOpInterface task,
                               const Heap &heap) {
    const NodeFacts &node = machine.node(buffer.type.getIndex());
    InFlightDiagnostic diag =
        task.emitOpError() << "'" << task.getName() << "' needs a buffer of "
                           << buffer.bytes << " bytes in the SRAM of chiplet '"
                           << node.name << "', which holds " << heap.liveBytes()
                           << " of its " << node.sramBytes
                           << " bytes already; cut exchanges into more slices, "
                              "or load less ahead of time";
    for (Lifetime *other : heap.liveBuffers())
      diag.attachNote(other->definition->getLoc())
          << "'" << nameOf(*other) << "' holds " << other->bytes
          << " bytes at offset " << other->offset;
    return diag;
  }

  static StringRef nameOf(const Lifetime &buffer) {
    if (auto alloc = dyn_cast<AllocOp>(buffer.definition))
      return alloc.getName();
    return cast<InputOp>(buffer.definition).getName();
  }

  /// `task` writes `buffer`: it comes after all uses of what was there.
  void guard(TaskOpInterface task, Lifetime &buffer) {
    auto found = previous.find(&buffer);
    if (found == previous.end())
      return;
    SmallVector<TaskOpInterface> users;
    for (Lifetime *old : found->second) {
      // Readers come after writers, unless nobody reads.
      llvm::append_range(users,
                         old->readers.empty() ? old->writers : old->readers);
    }
    // Later users first: they often come after earlier ones.
    for (TaskOpInterface user : llvm::reverse(users)) {
      if (user == task || clock.precedesLast(user))
        continue;
      task.getWaitsMutable().append(Value(user.getEvent()));
      clock.addWait(user);
    }
  }

  ProgramOp program;
  const MachineModel &machine;
  std::vector<Lifetime> lifetimes;
  llvm::DenseMap<Value, size_t> indexOf;
  std::vector<TaskOpInterface> tasks;
  std::vector<Heap> heaps;
  std::map<Lifetime *, SmallVector<Lifetime *>> previous;
  TaskClock clock;
};

struct ChipletAllocateBuffers
    : public chiplet::impl::ChipletAllocateBuffersBase<ChipletAllocateBuffers> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    wafer::MachineOp machineOp =
        wafer::lookupMachine(program, program.getMachineAttr());
    if (!machineOp)
      return signalPassFailure();
    MachineModel machine = wafer::getMachineModel(machineOp);
    if (failed(Allocator(program, machine).run()))
      signalPassFailure();
  }
};

} // namespace
