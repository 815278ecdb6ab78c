//===- ChakraTrace.cpp - A simulation as Chakra traces --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ChakraTrace.h"

#include "AsciiText.h"

#include "mozart/Cost/KernelCost.h"
#include "mozart/Cost/Traffic.h"
#include "proto/chakra.pb.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace mozart;

namespace chakra = ChakraProtoMsg;

namespace {

class Writer {
public:
  Writer(const Program &program, const MachineModel &machine,
         RoutingCounter &counter, const SimulationResult &result)
      : program(program), machine(machine), counter(counter), result(result),
        parts(program.tasks.size()) {}

  absl::StatusOr<std::vector<std::string>> run() {
    rankOf.assign(machine.numNodes(), -1);
    for (int32_t i = 0; i < machine.numNodes(); ++i) {
      if (!machine.node(i).isChiplet())
        continue;
      rankOf[i] = static_cast<int32_t>(files.size());
      files.emplace_back();
      chakra::GlobalMetadata metadata;
      metadata.set_version("0.0.4");
      text(*metadata.add_attr(), "chiplet", machine.node(i).name);
      text(*metadata.add_attr(), "machine", machine.name());
      text(*metadata.add_attr(), "model", program.model);
      append(files.back(), metadata);
    }
    nextId.assign(files.size(), 0);
    for (size_t i = 0; i < program.tasks.size(); ++i)
      if (absl::Status status = task(static_cast<int32_t>(i)); !status.ok())
        return status;
    return std::move(files);
  }

private:
  struct Part {
    int32_t rank;
    uint64_t id;
  };

  const Program &program;
  const MachineModel &machine;
  RoutingCounter &counter;
  const SimulationResult &result;
  std::vector<int32_t> rankOf; ///< by node
  std::vector<std::string> files;
  std::vector<uint64_t> nextId;         ///< by rank
  std::vector<std::vector<Part>> parts; ///< by task
  std::map<Engine, int32_t> lastOn;
  int32_t nextTag = 0;

  //===--- Messages ---===//

  template <typename Message>
  static void append(std::string &file, const Message &message) {
    std::string bytes = message.SerializeAsString();
    size_t length = bytes.size();
    for (; length >= 128; length >>= 7)
      file.push_back(static_cast<char>(length | 128));
    file.push_back(static_cast<char>(length));
    file += bytes;
  }

  static void text(chakra::AttributeProto &attr, const char *name,
                   const std::string &value) {
    attr.set_name(name);
    attr.set_string_val(asciiText(value));
  }

  static void number(chakra::Node &node, const char *name, int64_t value) {
    chakra::AttributeProto &attr = *node.add_attr();
    attr.set_name(name);
    attr.set_int64_val(value);
  }

  static void small(chakra::Node &node, const char *name, int32_t value) {
    chakra::AttributeProto &attr = *node.add_attr();
    attr.set_name(name);
    attr.set_int32_val(value);
  }

  static void tensorSize(chakra::Node &node, int64_t bytes) {
    chakra::AttributeProto &attr = *node.add_attr();
    attr.set_name("tensor_size");
    attr.set_uint64_val(static_cast<uint64_t>(bytes));
  }

  chakra::Node begin(chakra::NodeType type, const std::string &name,
                     int64_t startPs, int64_t endPs) const {
    constexpr int64_t kPsPerMicrosecond = 1000000;
    chakra::Node node;
    node.set_name(asciiText(name));
    node.set_type(type);
    node.set_start_time_micros(startPs / kPsPerMicrosecond);
    node.set_duration_micros((endPs - startPs) / kPsPerMicrosecond);
    chakra::AttributeProto &attr = *node.add_attr();
    attr.set_name("is_cpu_op");
    attr.set_bool_val(false);
    number(node, "start_ps", startPs);
    number(node, "duration_ps", endPs - startPs);
    return node;
  }

  chakra::Node begin(chakra::NodeType type, int32_t index) const {
    const TaskTime &time = result.tasks[index];
    return begin(type, program.tasks[index].name, time.startPs, time.endPs);
  }

  uint64_t finish(chakra::Node &node, int32_t rank) {
    node.set_id(nextId[rank]++);
    append(files[rank], node);
    return node.id();
  }

  //===--- What a part waits for ---===//

  int32_t own(int32_t buffer) const {
    int32_t parent = program.buffers[buffer].viewOf;
    return parent >= 0 ? parent : buffer;
  }

  bool feeds(int32_t earlier, int32_t later) const {
    for (int32_t write : program.tasks[earlier].writes)
      for (int32_t read : program.tasks[later].reads)
        if (own(write) == own(read))
          return true;
    return false;
  }

  bool isOn(int32_t task, int32_t rank) const {
    return std::any_of(parts[task].begin(), parts[task].end(),
                       [&](const Part &part) { return part.rank == rank; });
  }

  /// Adds the dependences of a part of task `index` on `rank`, and finishes it.
  void place(chakra::Node &node, int32_t index, int32_t rank,
             const std::vector<uint64_t> &signals = {}) {
    const Task &task = program.tasks[index];
    std::set<uint64_t> data, control(signals.begin(), signals.end());
    auto follow = [&](int32_t earlier, std::set<uint64_t> &deps) {
      for (const Part &part : parts[earlier])
        if (part.rank == rank)
          deps.insert(part.id);
    };
    for (int32_t wait : task.waits)
      follow(wait, feeds(wait, index) ? data : control);
    for (const Engine &engine : task.engines)
      if (auto it = lastOn.find(engine); it != lastOn.end())
        follow(it->second, control);
    for (uint64_t id : data) {
      node.add_data_deps(id);
      control.erase(id);
    }
    for (uint64_t id : control)
      node.add_ctrl_deps(id);
    created.push_back({rank, finish(node, rank)});
  }
  std::vector<Part> created; ///< of the task at hand

  void communicate(chakra::Node &node, int64_t bytes, int32_t from, int32_t to,
                   int32_t tag) const {
    number(node, "comm_size", bytes);
    small(node, "comm_src", from);
    small(node, "comm_dst", to);
    small(node, "comm_tag", tag);
  }

  /// Messages of no bytes to `rank`, from tasks that `index` waits for and of
  /// which no part is on a rank of its own.
  std::vector<uint64_t> signals(int32_t index, int32_t rank,
                                const std::set<int32_t> &ranks) {
    std::vector<uint64_t> received;
    for (int32_t wait : program.tasks[index].waits) {
      bool local = parts[wait].empty() ||
                   std::any_of(ranks.begin(), ranks.end(),
                               [&](int32_t r) { return isOn(wait, r); });
      if (local)
        continue;
      Part from = parts[wait].front();
      int64_t atPs = result.tasks[wait].endPs;
      std::string name = absl::StrCat("signal ", program.tasks[wait].name);
      int32_t tag = nextTag++;
      chakra::Node send = begin(chakra::COMM_SEND_NODE, name, atPs, atPs);
      communicate(send, 0, from.rank, rank, tag);
      send.add_ctrl_deps(from.id);
      finish(send, from.rank);
      chakra::Node receive = begin(chakra::COMM_RECV_NODE, name, atPs, atPs);
      communicate(receive, 0, from.rank, rank, tag);
      received.push_back(finish(receive, rank));
    }
    return received;
  }

  //===--- Tasks ---===//

  absl::Status task(int32_t index) {
    const Task &task = program.tasks[index];
    created.clear();
    absl::Status status;
    switch (task.kind) {
    case TaskKind::Load:
    case TaskKind::Store: {
      chakra::Node node =
          begin(task.kind == TaskKind::Load ? chakra::MEM_LOAD_NODE
                                            : chakra::MEM_STORE_NODE,
                index);
      tensorSize(node, program.buffers[task.reads[0]].type.bytes());
      alone(node, index);
      break;
    }
    case TaskKind::Compute:
      status = compute(index);
      break;
    case TaskKind::Dispatch:
    case TaskKind::Combine:
      status = exchange(index);
      break;
    }
    parts[index] = created;
    for (const Engine &engine : task.engines)
      lastOn[engine] = index;
    return status;
  }

  void alone(chakra::Node &node, int32_t index) {
    int32_t rank = rankOf[program.tasks[index].node];
    place(node, index, rank, signals(index, rank, {rank}));
  }

  absl::Status compute(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<std::vector<KernelWork>> work =
        taskWork(program, index, counter);
    if (!work.ok())
      return work.status();
    constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
    __int128 operations = 0, bytes = 0;
    for (const KernelWork &step : *work)
      operations += 2 * step.multiplyAdds + step.plainFlops;
    for (const std::vector<int32_t> *operands : {&task.reads, &task.writes})
      for (int32_t operand : *operands)
        bytes += program.buffers[operand].type.bytes();
    chakra::Node node = begin(chakra::COMP_NODE, index);
    number(node, "num_ops", static_cast<int64_t>(std::min(operations, kMost)));
    tensorSize(node, static_cast<int64_t>(std::min(bytes, kMost)));
    alone(node, index);
    return absl::OkStatus();
  }

  absl::Status exchange(int32_t index) {
    const Task &task = program.tasks[index];
    absl::StatusOr<ExchangeTraffic> traffic =
        exchangeTraffic(program, index, machine, counter);
    if (!traffic.ok())
      return traffic.status();
    const bool dispatch = task.kind == TaskKind::Dispatch;
    const int32_t root = rankOf[task.node];
    std::set<int32_t> ranks = {root};
    for (const ExchangePeer &peer : task.exchange.peers)
      ranks.insert(rankOf[peer.node]);
    std::vector<uint64_t> received = signals(index, root, ranks);
    for (size_t i = 0; i < task.exchange.peers.size(); ++i) {
      int32_t peer = rankOf[task.exchange.peers[i].node];
      int64_t bytes = traffic->peers[i].bytes;
      if (peer == root) {
        chakra::Node node = begin(chakra::COMP_NODE, index);
        number(node, "num_ops", 0);
        tensorSize(node, bytes);
        place(node, index, root, received);
        continue;
      }
      int32_t from = dispatch ? root : peer, to = dispatch ? peer : root;
      int32_t tag = nextTag++;
      for (auto [type, rank] : {std::pair(chakra::COMM_SEND_NODE, from),
                                std::pair(chakra::COMM_RECV_NODE, to)}) {
        chakra::Node node = begin(type, index);
        communicate(node, bytes, from, to, tag);
        place(node, index, rank,
              rank == root ? received : std::vector<uint64_t>());
      }
    }
    return absl::OkStatus();
  }
};

} // namespace

absl::StatusOr<std::vector<std::string>>
mozart::printChakraTraces(const Program &program, const MachineModel &machine,
                          RoutingCounter &counter,
                          const SimulationResult &result) {
  return Writer(program, machine, counter, result).run();
}
