//===- Estimate.cpp - About how long a program takes ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over the tasks in the order of time. A transfer is one fluid,
// however many messages it has (or one after another, where nodes store and
// forward): it takes of each resource a share of what that can carry, and goes
// at full speed as long as shares add up to one. Where they do not, the
// resource is divided as in the event engine, but resource by resource, and
// what one leaves over reaches the others it hangs together with over a few
// steps only. A task thus costs a number of steps that depends on what it
// crosses and shares, not on the length of the program.
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/Estimate.h"

#include "mozart/Sim/ProgramChecks.h"
#include "mozart/Sim/TaskCost.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

using namespace mozart;

namespace {

/// Something that is due. At one time by kind and number, so that the order is
/// the same in every run.
struct Due {
  enum class Kind { FlowEnds, FlowBegins, TaskEnds };
  double ps;
  Kind kind;
  int32_t task;
  uint32_t version;

  bool operator>(const Due &other) const {
    if (ps != other.ps)
      return ps > other.ps;
    if (kind != other.kind)
      return kind > other.kind;
    return task != other.task ? task > other.task : version > other.version;
  }
};

/// The bytes of a running task.
struct Flow {
  struct Use {
    int32_t resource;
    double share; ///< of the resource, at full speed
    /// Of one message, at full speed, over the resource that it would fill
    /// alone.
    double bytesPerSecond;
    double limit = 1; ///< the speed that the resource grants
  };
  TaskCost cost;
  size_t phase = 0, nextResource = 0; ///< of `cost`; those that come next
  std::vector<Use> uses;
  double leftPs = 0;  ///< of the phase, at full speed
  double sincePs = 0; ///< when `leftPs` was true
  double speed = 0;   ///< of full speed
  uint32_t version = 0;

  double limit(const Use *besides = nullptr) const {
    double least = 1;
    for (const Use &use : uses)
      if (&use != besides)
        least = std::min(least, use.limit);
    return least;
  }
};

class Pass {
public:
  Pass(const Program &program, const MachineModel &machine,
       RoutingCounter &counter)
      : program(program), coster(program, machine, counter),
        members(coster.resources().size()), visits(members.size(), 0) {}

  absl::StatusOr<SimulationResult> run();

private:
  struct Member {
    int32_t task;
    int32_t use; ///< position in the flow's uses
  };
  struct Queue {
    std::vector<int32_t> tasks;
    size_t head = 0;
  };
  /// How often a resource is divided anew when one flow begins or ends.
  static constexpr int kMostVisits = 2;

  const Program &program;
  TaskCoster coster;
  SimulationResult result;
  absl::Status error;
  double nowPs = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<Due>> due;

  // What keeps tasks from starting.
  std::vector<int32_t> pending;
  std::vector<std::vector<int32_t>> followers, queuesOf; ///< by task
  std::vector<Queue> queues;
  std::map<int64_t, std::vector<int32_t>> stages;
  size_t leftInStage = 0, ended = 0;
  std::vector<int32_t> ready;

  std::vector<double> startPs;
  std::vector<Flow> flows;
  std::vector<int32_t> freeFlows, flowOf; ///< the latter by task
  /// Flows that are on a resource now.
  std::vector<std::vector<Member>> members;
  // Scratch of `share`.
  std::vector<int> visits;
  std::vector<int32_t> unsettled;
  struct Claim {
    double level; ///< bytes per second from which it gets all that it can use
    double share, most, bytesPerSecond;
  };
  std::vector<Claim> claims;

  void prepare();
  void openStage();
  void release(int32_t task) {
    if (--pending[task] == 0)
      ready.push_back(task);
  }
  void start(int32_t task);
  void end(int32_t task);
  void nextPhase(int32_t task);
  void beginFlow(int32_t task);
  void endFlow(int32_t task);
  void settle();
  double level(int32_t resource);
  void divide(int32_t resource);
  void setSpeed(int32_t task);
  absl::Status finish();
};

void Pass::prepare() {
  const size_t count = program.tasks.size();
  pending.assign(count, 0);
  followers.resize(count);
  queuesOf.resize(count);
  std::map<Engine, int32_t> queueOf;
  startPs.assign(count, 0);
  flowOf.assign(count, -1);
  result.tasks.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Task &task = program.tasks[i];
    int32_t index = static_cast<int32_t>(i);
    for (int32_t wait : task.waits)
      followers[wait].push_back(index);
    for (const Engine &engine : task.engines) {
      auto [it, fresh] =
          queueOf.try_emplace(engine, static_cast<int32_t>(queues.size()));
      if (fresh)
        queues.emplace_back();
      queues[it->second].tasks.push_back(index);
      queuesOf[i].push_back(it->second);
    }
    if (task.stage >= 0)
      stages[task.stage].push_back(index);
    pending[i] = static_cast<int32_t>(task.waits.size() + task.engines.size()) +
                 (task.stage >= 0);
    if (pending[i] == 0)
      ready.push_back(index);
  }
  for (const Queue &queue : queues)
    release(queue.tasks.front());
  openStage();
}

void Pass::openStage() {
  if (stages.empty())
    return;
  leftInStage = stages.begin()->second.size();
  for (int32_t task : stages.begin()->second)
    release(task);
}

void Pass::start(int32_t task) {
  startPs[task] = nowPs;
  absl::StatusOr<const TaskCost *> found = coster.cost(task);
  if (!found.ok()) {
    error = found.status();
    return;
  }
  const TaskCost &cost = **found;
  coster.count();
  result.events += 1 + static_cast<int64_t>(cost.resources.size());
  if (program.tasks[task].kind == TaskKind::Compute || cost.flowPs == 0) {
    due.push({nowPs + static_cast<double>(cost.alonePs()), Due::Kind::TaskEnds,
              task, 0});
    return;
  }
  if (freeFlows.empty()) {
    freeFlows.push_back(static_cast<int32_t>(flows.size()));
    flows.emplace_back();
  }
  flowOf[task] = freeFlows.back();
  freeFlows.pop_back();
  Flow &flow = flows[flowOf[task]];
  flow.cost = cost;
  flow.phase = flow.nextResource = 0;
  nextPhase(task);
}

void Pass::nextPhase(int32_t task) {
  Flow &flow = flows[flowOf[task]];
  const TaskCost::Phase &phase = flow.cost.phases[flow.phase++];
  flow.uses.clear();
  flow.leftPs = static_cast<double>(phase.flowPs);
  flow.speed = 0;
  const size_t first = flow.nextResource;
  flow.nextResource += phase.numResources;
  for (size_t i = first; i < flow.nextResource && phase.flowPs > 0; ++i) {
    const ResourceCost &use = flow.cost.resources[i];
    flow.uses.push_back(
        {use.resource, static_cast<double>(use.ps) / flow.leftPs,
         static_cast<double>(use.measuredBytes) * 1e12 /
             (static_cast<double>(use.messages) * flow.leftPs)});
  }
  due.push({nowPs + static_cast<double>(phase.delayPs), Due::Kind::FlowBegins,
            task, 0});
}

void Pass::end(int32_t task) {
  result.tasks[task] = {std::llround(startPs[task]), std::llround(nowPs)};
  result.latencyPs = result.tasks[task].endPs;
  ++ended;
  for (const Engine &engine : program.tasks[task].engines)
    coster.count(engine, result.tasks[task].endPs - result.tasks[task].startPs);
  for (int32_t index : queuesOf[task]) {
    Queue &queue = queues[index];
    if (++queue.head < queue.tasks.size())
      release(queue.tasks[queue.head]);
  }
  for (int32_t next : followers[task])
    release(next);
  result.events += static_cast<int64_t>(followers[task].size());
  if (program.tasks[task].stage >= 0 && --leftInStage == 0) {
    stages.erase(stages.begin());
    openStage();
  }
}

void Pass::beginFlow(int32_t task) {
  Flow &flow = flows[flowOf[task]];
  flow.sincePs = nowPs;
  for (size_t i = 0; i < flow.uses.size(); ++i) {
    Flow::Use &use = flow.uses[i];
    members[use.resource].push_back({task, static_cast<int32_t>(i)});
    if (members[use.resource].size() > 1)
      unsettled.push_back(use.resource);
  }
  settle();
  setSpeed(task);
}

void Pass::endFlow(int32_t task) {
  Flow &flow = flows[flowOf[task]];
  for (const Flow::Use &use : flow.uses) {
    std::vector<Member> &here = members[use.resource];
    here.erase(std::find_if(here.begin(), here.end(),
                            [&](const Member &m) { return m.task == task; }));
    if (!here.empty())
      unsettled.push_back(use.resource);
  }
  ++flow.version;
  settle();
  if (flow.phase < flow.cost.phases.size())
    return nextPhase(task);
  freeFlows.push_back(flowOf[task]);
  flowOf[task] = -1;
  end(task);
}

/// Divides the unsettled resources anew, and those of flows whose speed changes
/// on the way.
void Pass::settle() {
  for (size_t i = 0; i < unsettled.size(); ++i)
    if (visits[unsettled[i]]++ < kMostVisits)
      divide(unsettled[i]);
  for (int32_t resource : unsettled)
    visits[resource] = 0;
  unsettled.clear();
}

/// Bytes per second up to which a resource lets each of its flows grow;
/// infinite where all get what their other resources let them use.
double Pass::level(int32_t resource) {
  claims.clear();
  double total = 0;
  for (const Member &member : members[resource]) {
    const Flow &flow = flows[flowOf[member.task]];
    const Flow::Use &use = flow.uses[member.use];
    double most = flow.limit(&use);
    claims.push_back(
        {most * use.bytesPerSecond, use.share, most, use.bytesPerSecond});
    total += use.share * most;
    result.events += 1 + static_cast<int64_t>(flow.uses.size());
  }
  if (total <= 1)
    return std::numeric_limits<double>::infinity();
  std::sort(claims.begin(), claims.end(),
            [](const Claim &a, const Claim &b) { return a.level < b.level; });
  // Those with low levels are served in full; the others share the rest.
  double left = 1, perLevel = 0;
  for (const Claim &claim : claims)
    perLevel += claim.share / claim.bytesPerSecond;
  for (const Claim &claim : claims) {
    if (claim.level * perLevel >= left)
      break;
    left -= claim.share * claim.most;
    perLevel -= claim.share / claim.bytesPerSecond;
  }
  return perLevel > 0 ? left / perLevel
                      : std::numeric_limits<double>::infinity();
}

void Pass::divide(int32_t resource) {
  const double granted = level(resource);
  for (const Member &member : members[resource]) {
    Flow &flow = flows[flowOf[member.task]];
    Flow::Use &use = flow.uses[member.use];
    use.limit = std::min(1.0, granted / use.bytesPerSecond);
    if (flow.speed == 0 || std::abs(flow.limit() - flow.speed) < 1e-9)
      continue; // begins only now, or is as fast as before
    setSpeed(member.task);
    for (const Flow::Use &other : flow.uses)
      if (other.resource != resource && members[other.resource].size() > 1)
        unsettled.push_back(other.resource);
  }
}

void Pass::setSpeed(int32_t task) {
  Flow &flow = flows[flowOf[task]];
  flow.leftPs =
      std::max(0.0, flow.leftPs - flow.speed * (nowPs - flow.sincePs));
  flow.sincePs = nowPs;
  flow.speed = flow.limit();
  due.push({nowPs + flow.leftPs / flow.speed, Due::Kind::FlowEnds, task,
            ++flow.version});
  ++result.events;
}

absl::Status Pass::finish() {
  if (!error.ok())
    return error;
  if (ended < program.tasks.size())
    return absl::InternalError(absl::StrCat(
        "program '", program.name, "': ", program.tasks.size() - ended,
        " tasks can never start; its order has a cycle"));
  if (!(nowPs < 9.2e18))
    return absl::OutOfRangeError(
        absl::StrCat("program '", program.name,
                     "': its time does not fit in 63 bits of picoseconds"));
  absl::StatusOr<std::vector<ResourceUse>> uses = coster.uses();
  if (!uses.ok())
    return uses.status();
  result.resources = *std::move(uses);
  return absl::OkStatus();
}

absl::StatusOr<SimulationResult> Pass::run() {
  prepare();
  while (error.ok() && (!ready.empty() || !due.empty())) {
    while (error.ok() && !ready.empty()) {
      int32_t task = ready.back();
      ready.pop_back();
      start(task);
    }
    if (!error.ok() || due.empty())
      continue;
    Due next = due.top();
    due.pop();
    if (next.kind == Due::Kind::FlowEnds &&
        (flowOf[next.task] < 0 ||
         flows[flowOf[next.task]].version != next.version))
      continue; // its speed has changed since
    nowPs = next.ps;
    if (next.kind == Due::Kind::TaskEnds)
      end(next.task);
    else if (next.kind == Due::Kind::FlowBegins)
      beginFlow(next.task);
    else
      endFlow(next.task);
  }
  if (absl::Status status = finish(); !status.ok())
    return status;
  return std::move(result);
}

} // namespace

absl::StatusOr<SimulationResult> mozart::estimate(const Program &program,
                                                  const MachineModel &machine,
                                                  RoutingCounter &counter) {
  std::vector<MemoryUse> memories = memoryUse(program, machine);
  std::vector<std::string> warnings;
  if (absl::Status status = checkMemories(memories, program, machine, warnings);
      !status.ok())
    return status;
  absl::StatusOr<SimulationResult> result =
      Pass(program, machine, counter).run();
  if (!result.ok())
    return result;
  result->memories = std::move(memories);
  result->warnings = std::move(warnings);
  addLivePeaks(*result, program, machine);
  return result;
}

absl::StatusOr<SimulationResult> mozart::estimate(const Program &program,
                                                  const MachineModel &machine,
                                                  const BoundRouting *routing) {
  if (absl::Status status = verifyProgram(program, machine); !status.ok())
    return status;
  RoutingCounter counter(program, routing);
  if (absl::Status status = counter.check(); !status.ok())
    return status;
  return estimate(program, machine, counter);
}
