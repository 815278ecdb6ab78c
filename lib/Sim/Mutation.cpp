//===- Mutation.cpp - Programs with one fault -----------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Mutation.h"

#include "mozart/Sim/MemoryOrder.h"
#include "mozart/Sim/TaskOrder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <set>
#include <utility>

using namespace mozart;

Program mozart::mutate(const Program &program, const Mutation &mutation) {
  Program changed = program;
  switch (mutation.kind) {
  case Mutation::Kind::Wait: {
    std::vector<int32_t> &waits = changed.tasks[mutation.task].waits;
    waits.erase(waits.begin() + mutation.position);
    break;
  }
  case Mutation::Kind::Route: {
    Task &task = changed.tasks[mutation.task];
    (mutation.position == -1 ? task.route
                             : task.exchange.peers[mutation.position].route) =
        mutation.route;
    break;
  }
  case Mutation::Kind::Offset:
    changed.buffers[mutation.buffer].offset = mutation.offset;
    break;
  }
  return changed;
}

absl::StatusOr<std::vector<Mutation>>
mozart::waitMutations(const Program &program) {
  absl::StatusOr<TaskOrder> order = TaskOrder::create(program);
  if (!order.ok())
    return order.status();
  std::vector<Mutation> mutations;
  for (size_t task = 0; task < program.tasks.size(); ++task)
    for (size_t i = 0; i < program.tasks[task].waits.size(); ++i) {
      auto index = static_cast<int32_t>(task);
      if (order->isImplied(index, i))
        continue;
      Mutation mutation;
      mutation.kind = Mutation::Kind::Wait;
      mutation.task = index;
      mutation.position = static_cast<int32_t>(i);
      mutation.description =
          absl::StrCat(describeTask(program, index), " no longer waits for ",
                       describeTask(program, program.tasks[task].waits[i]));
      mutations.push_back(std::move(mutation));
    }
  return mutations;
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

using Route = std::vector<int32_t>;

static std::vector<int32_t> linksFrom(const MachineModel &machine,
                                      int32_t node) {
  std::vector<int32_t> links;
  for (int32_t link = 0; link < machine.numLinks(); ++link)
    if (machine.link(link).source == node)
      links.push_back(link);
  return links;
}

/// `route` begins at `from`.
static std::vector<Route> otherRoutes(const MachineModel &machine,
                                      const Route &route, int32_t from) {
  std::set<Route> all;
  int32_t to = route.empty() ? from : machine.link(route.back()).target;
  if (!route.empty()) {
    all.insert(Route(route.begin(), route.end() - 1));
    all.insert(Route(route.begin() + 1, route.end()));
  }
  for (int32_t link : linksFrom(machine, to)) {
    Route longer = route;
    longer.push_back(link);
    all.insert(longer);
  }
  for (int32_t link : linksFrom(machine, from)) {
    Route detour{link, machine.linkBetween(machine.link(link).target, from)};
    detour.insert(detour.end(), route.begin(), route.end());
    all.insert(detour);
  }
  for (size_t i = 0; i < route.size(); ++i) {
    const LinkFacts &facts = machine.link(route[i]);
    std::vector<int32_t> others = linksFrom(machine, facts.source);
    others.push_back(machine.linkBetween(facts.target, facts.source));
    others.push_back(machine.numLinks());
    others.push_back(-1);
    for (int32_t other : others) {
      Route changed = route;
      changed[i] = other;
      all.insert(changed);
    }
  }
  all.erase(route);
  return {all.begin(), all.end()};
}

std::vector<Mutation> mozart::routeMutations(const Program &program,
                                             const MachineModel &machine) {
  std::vector<Mutation> mutations;
  auto add = [&](size_t task, int32_t position, const Route &route,
                 int32_t from) {
    for (Route &other : otherRoutes(machine, route, from)) {
      Mutation mutation;
      mutation.kind = Mutation::Kind::Route;
      mutation.task = static_cast<int32_t>(task);
      mutation.position = position;
      mutation.description = absl::StrCat(
          describeTask(program, mutation.task),
          position == -1 ? "" : absl::StrCat(", peers[", position, "]"),
          ": route [", absl::StrJoin(route, ", "), "] becomes [",
          absl::StrJoin(other, ", "), "]");
      mutation.route = std::move(other);
      mutations.push_back(std::move(mutation));
    }
  };
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    auto memoryNode = [&](const std::vector<int32_t> &operands) {
      return machine.memory(program.buffers[operands[0]].place.index).node;
    };
    if (task.kind == TaskKind::Load)
      add(i, -1, task.route, memoryNode(task.reads));
    if (task.kind == TaskKind::Store)
      add(i, -1, task.route, task.node);
    for (size_t p = 0; p < task.exchange.peers.size(); ++p) {
      const ExchangePeer &peer = task.exchange.peers[p];
      add(i, static_cast<int32_t>(p), peer.route,
          task.kind == TaskKind::Dispatch ? task.node : peer.node);
    }
  }
  return mutations;
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

namespace {

/// One use of bytes. Task -1 is what fills inputs before all tasks, task
/// `numTasks` what reads outputs after all.
struct Use {
  int32_t task;
  bool write;
  ByteRange bytes;
};

/// Finds offsets at which buffers harm each other.
class OffsetMutator {
public:
  OffsetMutator(const Program &program, const MachineModel &machine,
                const TaskOrder &order)
      : program(program), machine(machine), order(order),
        end(static_cast<int32_t>(program.tasks.size())),
        uses(program.buffers.size()) {
    for (const Input &input : program.inputs)
      addUse(-1, true, input.buffer);
    for (int32_t task = 0; task < end; ++task) {
      for (int32_t buffer : program.tasks[task].reads)
        addUse(task, false, buffer);
      for (int32_t buffer : program.tasks[task].writes)
        addUse(task, true, buffer);
    }
    for (const Output &output : program.outputs)
      addUse(end, false, output.buffer);
  }

  std::vector<Mutation> run() {
    for (size_t i = 0; i < program.buffers.size(); ++i)
      if (!uses[i].empty())
        moveBuffer(static_cast<int32_t>(i));
    return std::move(mutations);
  }

private:
  const Program &program;
  const MachineModel &machine;
  const TaskOrder &order;
  const int32_t end;
  std::vector<std::vector<Use>> uses; ///< by the buffer that has the bytes
  std::vector<Mutation> mutations;

  void addUse(int32_t task, bool write, int32_t buffer) {
    for (ByteRange bytes : rangesOf(program, buffer))
      if (bytes.begin < bytes.end)
        uses[ownerOf(program, buffer)].push_back({task, write, bytes});
  }

  void add(int32_t buffer, int64_t offset, absl::string_view why) {
    Mutation mutation;
    mutation.kind = Mutation::Kind::Offset;
    mutation.buffer = buffer;
    mutation.offset = offset;
    mutation.description =
        absl::StrCat(describeBuffer(program, buffer), " moves from byte ",
                     program.buffers[buffer].offset, " to ", offset, ", ", why);
    mutations.push_back(std::move(mutation));
  }

  void moveBuffer(int32_t moved) {
    const Buffer &b = program.buffers[moved];
    int64_t size = b.type.bytes();
    add(moved, -1, "which is none");
    bool sram = b.place.kind == Place::Kind::Sram;
    if (sram || !machine.memory(b.place.index).elastic) {
      int64_t capacity = sram ? machine.node(b.place.index).sramBytes
                              : machine.memory(b.place.index).bytes;
      add(moved, capacity - size + 1, "past the end");
    }
    std::set<int64_t> offsets;
    for (size_t other = 0; other < program.buffers.size(); ++other) {
      const Buffer &o = program.buffers[other];
      if (static_cast<int32_t>(other) == moved || uses[other].empty() ||
          !(o.place == b.place))
        continue;
      offsets.insert(
          {o.offset, o.offset + o.type.bytes() - 1, o.offset - size + 1});
    }
    offsets.erase(b.offset);
    for (int64_t offset : offsets) {
      int32_t victim = offset < 0 ? -1 : findVictim(moved, offset);
      if (victim != -1)
        add(moved, offset,
            absl::StrCat("onto ", describeBuffer(program, victim)));
    }
  }

  /// A buffer that is harmed by, or harms, `moved` at `offset`, or -1.
  int32_t findVictim(int32_t moved, int64_t offset) const {
    const Buffer &b = program.buffers[moved];
    std::vector<Use> movedUses = uses[moved];
    for (Use &use : movedUses) {
      use.bytes.begin += offset - b.offset;
      use.bytes.end += offset - b.offset;
    }
    for (size_t other = 0; other < program.buffers.size(); ++other) {
      const Buffer &o = program.buffers[other];
      if (static_cast<int32_t>(other) != moved && o.viewOf == -1 &&
          o.place == b.place && harm(movedUses, uses[other]))
        return static_cast<int32_t>(other);
    }
    return -1;
  }

  /// Looks at each stretch of bytes that the same uses touch.
  bool harm(const std::vector<Use> &a, const std::vector<Use> &b) const {
    std::set<int64_t> cuts;
    for (const std::vector<Use> *list : {&a, &b})
      for (const Use &use : *list)
        cuts.insert({use.bytes.begin, use.bytes.end});
    for (int64_t at : cuts) {
      std::vector<Use> hereA = touching(a, at), hereB = touching(b, at);
      if (harmAt(hereA, hereB) || harmAt(hereB, hereA))
        return true;
    }
    return false;
  }

  static std::vector<Use> touching(const std::vector<Use> &uses, int64_t at) {
    std::vector<Use> result;
    for (const Use &use : uses)
      if (use.bytes.begin <= at && at < use.bytes.end)
        result.push_back(use);
    return result;
  }

  bool before(const Use &a, const Use &b) const {
    if (a.task == -1 || b.task == end)
      return a.task != b.task;
    return b.task != -1 && a.task != end && order.before(a.task, b.task);
  }

  /// A task may replace just the bytes that it reads (see verifyMemoryOrder).
  static bool mayBeInPlace(const Use &write, const Use &use) {
    return write.task == use.task && !use.write &&
           write.bytes.begin == use.bytes.begin &&
           write.bytes.end == use.bytes.end;
  }

  /// Whether some write of `b` may come between a write of `a` and a read of
  /// what it wrote, or is in no order with a use of `a`.
  bool harmAt(const std::vector<Use> &a, const std::vector<Use> &b) const {
    for (const Use &write : b) {
      if (!write.write)
        continue;
      for (const Use &use : a) {
        if (mayBeInPlace(write, use))
          continue;
        if (!before(write, use) && !before(use, write))
          return true;
        if (use.write || !before(write, use))
          continue;
        // `use` reads after the foreign write: harmless only if `a` is written
        // again between the two.
        bool renewed = std::any_of(a.begin(), a.end(), [&](const Use &w) {
          return w.write && before(write, w) && before(w, use);
        });
        if (!renewed)
          return true;
      }
    }
    return false;
  }
};

} // namespace

absl::StatusOr<std::vector<Mutation>>
mozart::offsetMutations(const Program &program, const MachineModel &machine) {
  absl::StatusOr<TaskOrder> order = TaskOrder::create(program);
  if (!order.ok())
    return order.status();
  return OffsetMutator(program, machine, *order).run();
}
