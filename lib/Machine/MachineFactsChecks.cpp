//===- MachineFactsChecks.cpp - Are these facts a machine? ----------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineFactsChecks.h"

#include "mozart/Machine/MachineModel.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

#include <initializer_list>
#include <limits>
#include <utility>

using namespace mozart;

std::string mozart::describeMachine(const MachineFacts &facts) {
  return absl::StrCat("machine '", facts.name, "'");
}

std::string mozart::describeNode(const NodeFacts &node) {
  return absl::StrCat(node.isChiplet() ? "chiplet '" : "switch '", node.name,
                      "'");
}

namespace {

class Checker {
public:
  explicit Checker(const MachineFacts &facts) : facts(facts) {}

  absl::Status run() const {
    if (facts.name.empty())
      return absl::InvalidArgumentError(
          "a machine has an empty name; expected a name");
    if (facts.nodes.size() > static_cast<size_t>(MachineModel::kMaxNodes))
      return fail("", absl::StrCat(facts.nodes.size(), " nodes; expected at ",
                                   "most ", MachineModel::kMaxNodes));
    if (absl::Status status =
            positive("", {{"packet_bytes", facts.packetBytes}});
        !status.ok())
      return status;
    if (absl::Status status = names(); !status.ok())
      return status;
    for (const NodeFacts &node : facts.nodes)
      if (absl::Status status =
              node.isChiplet() ? chiplet(node) : aSwitch(node);
          !status.ok())
        return status;
    for (const MemoryFacts &memory : facts.memories)
      if (absl::Status status = aMemory(memory); !status.ok())
        return status;
    return links();
  }

private:
  const MachineFacts &facts;

  absl::Status fail(absl::string_view part, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(
        describeMachine(facts), part.empty() ? "" : ", ", part, ": ", what));
  }

  struct Fact {
    const char *name;
    int64_t value;
  };

  absl::Status positive(absl::string_view part,
                        std::initializer_list<Fact> values) const {
    for (const Fact &fact : values)
      if (fact.value <= 0)
        return fail(part, absl::StrCat(fact.name, " is ", fact.value,
                                       "; expected a positive number"));
    return absl::OkStatus();
  }

  absl::Status notNegative(absl::string_view part,
                           std::initializer_list<Fact> values) const {
    for (const Fact &fact : values)
      if (fact.value < 0)
        return fail(part, absl::StrCat(fact.name, " is ", fact.value,
                                       "; expected zero or more"));
    return absl::OkStatus();
  }

  /// Fails if the product of `values` passes 2^63 - 1.
  absl::Status fits(absl::string_view part, const char *product,
                    std::initializer_list<Fact> values) const {
    int64_t total = 1;
    std::string factors;
    bool overflow = false;
    for (const Fact &fact : values) {
      absl::StrAppend(&factors, factors.empty() ? "" : " x ", fact.name, " ",
                      fact.value);
      overflow |= __builtin_mul_overflow(total, fact.value, &total);
    }
    if (overflow)
      return fail(part, absl::StrCat(product, " (", factors,
                                     ") does not fit in 63 bits; expected a "
                                     "product below 2^63"));
    return absl::OkStatus();
  }

  /// Fails unless `ppm` is a share of the whole.
  absl::Status share(absl::string_view part, int64_t ppm,
                     absl::string_view whole) const {
    if (ppm > 0 && ppm <= 1000000)
      return absl::OkStatus();
    return fail(part,
                absl::StrCat("efficiency_ppm is ", ppm, "; expected 1 to ",
                             "1000000 (all of ", whole, ")"));
  }

  absl::Status names() const {
    absl::flat_hash_map<std::string, std::string> seen;
    auto take = [&](const std::string &name,
                    const std::string &what) -> absl::Status {
      if (name.empty())
        return fail("", absl::StrCat(what, " has an empty name; expected a "
                                           "name of its own"));
      auto [it, fresh] = seen.try_emplace(name, what);
      if (!fresh)
        return fail("", absl::StrCat("the name '", name, "' is given to ",
                                     it->second, " and to ", what,
                                     "; expected each node and memory to have "
                                     "a name of its own"));
      return absl::OkStatus();
    };
    for (size_t i = 0; i < facts.nodes.size(); ++i)
      if (absl::Status status =
              take(facts.nodes[i].name, absl::StrCat("node ", i));
          !status.ok())
        return status;
    for (size_t i = 0; i < facts.memories.size(); ++i)
      if (absl::Status status =
              take(facts.memories[i].name, absl::StrCat("memory ", i));
          !status.ok())
        return status;
    return absl::OkStatus();
  }

  absl::Status chiplet(const NodeFacts &node) const {
    std::string part = describeNode(node);
    const ComputeFacts &c = node.compute;
    if (absl::Status status = positive(
            part, {{"sram_bytes", node.sramBytes},
                   {"tiles", c.tiles},
                   {"arrays_per_tile", c.arraysPerTile},
                   {"array_rows", c.arrayRows},
                   {"array_columns", c.arrayColumns},
                   {"clock_hz", c.clockHz},
                   {"tile_sram_bytes_per_second", c.tileSramBytesPerSecond}});
        !status.ok())
      return status;
    if (absl::Status status = notNegative(
            part, {{"kernel_start_ps", c.kernelStartPs},
                   {"femtojoules_per_flop", c.femtojoulesPerFlop},
                   {"sram_femtojoules_per_byte", node.sramFemtojoulesPerByte},
                   {"static_microwatts", node.staticMicrowatts},
                   {"area_square_micrometers", node.areaSquareMicrometers}});
        !status.ok())
      return status;
    if (absl::Status status = notASwitch(part, node); !status.ok())
      return status;
    if (absl::Status status = fits(part, "peak flops per second",
                                   {{"flops", 2},
                                    {"tiles", c.tiles},
                                    {"arrays_per_tile", c.arraysPerTile},
                                    {"array_rows", c.arrayRows},
                                    {"array_columns", c.arrayColumns},
                                    {"clock_hz", c.clockHz}});
        !status.ok())
      return status;
    return fits(part, "SRAM bytes per second",
                {{"tiles", c.tiles},
                 {"tile_sram_bytes_per_second", c.tileSramBytesPerSecond}});
  }

  /// Fails if a chiplet has a fact of switches.
  absl::Status notASwitch(absl::string_view part, const NodeFacts &node) const {
    const NodeFacts none;
    struct SwitchFact {
      const char *name;
      int64_t NodeFacts::*fact;
    };
    for (const SwitchFact &only :
         {SwitchFact{"buffer_bytes", &NodeFacts::bufferBytes},
          {"latency_ps", &NodeFacts::latencyPs},
          {"multicast_bytes_per_second", &NodeFacts::multicastBytesPerSecond},
          {"reduce_bytes_per_second", &NodeFacts::reduceBytesPerSecond},
          {"efficiency_ppm", &NodeFacts::efficiencyPpm},
          {"virtual_channels", &NodeFacts::virtualChannels},
          {"virtual_channel_flits", &NodeFacts::virtualChannelFlits},
          {"flit_bytes", &NodeFacts::flitBytes},
          {"pipeline_cycles", &NodeFacts::pipelineCycles},
          {"allocator_iterations", &NodeFacts::allocatorIterations},
          {"speedup", &NodeFacts::speedup},
          {"femtojoules_per_byte", &NodeFacts::femtojoulesPerByte},
          {"reduce_femtojoules_per_byte", &NodeFacts::reduceFemtojoulesPerByte},
          {"multicast_femtojoules_per_byte",
           &NodeFacts::multicastFemtojoulesPerByte}})
      if (node.*only.fact != none.*only.fact)
        return fail(part, absl::StrCat(only.name, " is ", node.*only.fact,
                                       "; expected only switches to have it"));
    if (node.forwarding != Forwarding::CutThrough)
      return fail(part, "stores and forwards; expected only switches to");
    if (node.queueing != Queueing::Output)
      return fail(part, "queues at its inputs; expected only switches to");
    return absl::OkStatus();
  }

  absl::Status aSwitch(const NodeFacts &node) const {
    std::string part = describeNode(node);
    if (node.hostsAttention || node.hostsExperts)
      return fail(part,
                  absl::StrCat("hosts ",
                               node.hostsAttention ? "attention" : "experts",
                               "; expected only chiplets to host work"));
    if (node.forwarding == Forwarding::StoreAndForward && node.bufferBytes <= 0)
      return fail(part,
                  absl::StrCat("buffer_bytes is ", node.bufferBytes,
                               "; expected a positive number, because the "
                               "switch stores messages before it forwards "
                               "them"));
    if (absl::Status status = notNegative(
            part,
            {{"buffer_bytes", node.bufferBytes},
             {"latency_ps", node.latencyPs},
             {"multicast_bytes_per_second", node.multicastBytesPerSecond},
             {"reduce_bytes_per_second", node.reduceBytesPerSecond},
             {"static_microwatts", node.staticMicrowatts},
             {"area_square_micrometers", node.areaSquareMicrometers},
             {"femtojoules_per_byte", node.femtojoulesPerByte},
             {"reduce_femtojoules_per_byte", node.reduceFemtojoulesPerByte},
             {"multicast_femtojoules_per_byte",
              node.multicastFemtojoulesPerByte}});
        !status.ok())
      return status;
    return queues(part, node);
  }

  absl::Status queues(absl::string_view part, const NodeFacts &node) const {
    if (absl::Status status =
            positive(part, {{"virtual_channels", node.virtualChannels},
                            {"virtual_channel_flits", node.virtualChannelFlits},
                            {"flit_bytes", node.flitBytes},
                            {"pipeline_cycles", node.pipelineCycles},
                            {"allocator_iterations", node.allocatorIterations},
                            {"speedup", node.speedup}});
        !status.ok())
      return status;
    if (absl::Status status =
            share(part, node.efficiencyPpm, "the rates of its links");
        !status.ok())
      return status;
    if (node.queueing == Queueing::Output && node.efficiencyPpm != 1000000)
      return fail(part, absl::StrCat("efficiency_ppm is ", node.efficiencyPpm,
                                     " with output queues, which lose nothing; "
                                     "expected 1000000, or input queues"));
    return fits(part, "bytes of the queues of an input",
                {{"virtual_channels", node.virtualChannels},
                 {"virtual_channel_flits", node.virtualChannelFlits},
                 {"flit_bytes", node.flitBytes}});
  }

  absl::Status aMemory(const MemoryFacts &memory) const {
    std::string part = absl::StrCat("memory '", memory.name, "'");
    if (!isNode(memory.node))
      return fail(part, dangling("hangs on", memory.node));
    if (absl::Status status = positive(
            part, {{"bytes", memory.bytes},
                   {"read_bytes_per_second", memory.readBytesPerSecond},
                   {"write_bytes_per_second", memory.writeBytesPerSecond}});
        !status.ok())
      return status;
    if (absl::Status status = share(part, memory.efficiencyPpm, "the peak");
        !status.ok())
      return status;
    for (auto [name, rate] : {std::pair("read", memory.readBytesPerSecond),
                              std::pair("write", memory.writeBytesPerSecond)})
      if (static_cast<__int128>(rate) * memory.efficiencyPpm < 1000000)
        return fail(part, absl::StrCat("its sustained ", name, " rate (", rate,
                                       " bytes/s at ", memory.efficiencyPpm,
                                       " ppm) is below one byte per second"));
    if (absl::Status status = notNegative(
            part,
            {{"latency_ps", memory.latencyPs},
             {"turnaround_ps", memory.turnaroundPs},
             {"turnaround_bytes", memory.turnaroundBytes},
             {"read_femtojoules_per_byte", memory.readFemtojoulesPerByte},
             {"write_femtojoules_per_byte", memory.writeFemtojoulesPerByte},
             {"static_microwatts", memory.staticMicrowatts},
             {"area_square_micrometers", memory.areaSquareMicrometers}});
        !status.ok())
      return status;
    if (memory.turnaroundPs > 0 && memory.turnaroundBytes == 0)
      return fail(part, absl::StrCat("turnaround_bytes is 0 though "
                                     "turnaround_ps is ",
                                     memory.turnaroundPs,
                                     "; expected how many bytes are served "
                                     "between turns"));
    return turns(part, memory);
  }

  /// Fails if the time of two batches and two turns passes 2^63 picoseconds.
  absl::Status turns(absl::string_view part, const MemoryFacts &memory) const {
    __int128 ps = 2 * static_cast<__int128>(memory.turnaroundPs);
    for (int64_t peak :
         {memory.readBytesPerSecond, memory.writeBytesPerSecond}) {
      __int128 sustained =
          static_cast<__int128>(peak) * memory.efficiencyPpm / 1000000;
      ps += static_cast<__int128>(memory.turnaroundBytes) * 1000000000000 /
            sustained;
    }
    if (ps <= std::numeric_limits<int64_t>::max())
      return absl::OkStatus();
    return fail(part, absl::StrCat("reading and writing turnaround_bytes ",
                                   memory.turnaroundBytes,
                                   " with turnaround_ps ", memory.turnaroundPs,
                                   " after each takes 2^63 picoseconds or "
                                   "more; expected a shorter time"));
  }

  bool isNode(int32_t index) const {
    return index >= 0 && static_cast<size_t>(index) < facts.nodes.size();
  }

  std::string dangling(absl::string_view does, int32_t index) const {
    return absl::StrCat(does, " node ", index, "; expected a node in [0, ",
                        facts.nodes.size(), ")");
  }

  std::string describeLink(size_t index) const {
    const LinkFacts &link = facts.links[index];
    std::string text = absl::StrCat("link ", index);
    if (isNode(link.source) && isNode(link.target))
      absl::StrAppend(&text, " ('", facts.nodes[link.source].name, "' -> '",
                      facts.nodes[link.target].name, "')");
    return text;
  }

  absl::Status links() const {
    absl::flat_hash_map<std::pair<int32_t, int32_t>, size_t> seen;
    for (size_t i = 0; i < facts.links.size(); ++i) {
      const LinkFacts &link = facts.links[i];
      std::string part = describeLink(i);
      if (absl::Status status = aLink(part, link); !status.ok())
        return status;
      auto [it, fresh] = seen.try_emplace({link.source, link.target}, i);
      if (!fresh)
        return fail(part,
                    absl::StrCat("joins the same nodes as link ", it->second,
                                 "; expected one link for each direction"
                                 " (give it more wires instead)"));
    }
    for (size_t i = 0; i < facts.links.size(); ++i) {
      const LinkFacts &link = facts.links[i];
      if (!seen.contains({link.target, link.source}))
        return fail(describeLink(i),
                    absl::StrCat("has no link back from '",
                                 facts.nodes[link.target].name, "' to '",
                                 facts.nodes[link.source].name,
                                 "'; expected both directions"));
    }
    return absl::OkStatus();
  }

  absl::Status aLink(absl::string_view part, const LinkFacts &link) const {
    if (!isNode(link.source))
      return fail(part, dangling("starts at", link.source));
    if (!isNode(link.target))
      return fail(part, dangling("ends at", link.target));
    if (link.source == link.target)
      return fail(part, "joins a node to itself; expected two nodes");
    if (absl::Status status = positive(
            part, {{"wires", link.wires},
                   {"wire_bytes_per_second", link.wireBytesPerSecond}});
        !status.ok())
      return status;
    if (absl::Status status = notNegative(
            part, {{"latency_ps", link.latencyPs},
                   {"message_overhead_ps", link.messageOverheadPs},
                   {"femtojoules_per_byte", link.femtojoulesPerByte}});
        !status.ok())
      return status;
    return fits(part, "bytes per second",
                {{"wires", link.wires},
                 {"wire_bytes_per_second", link.wireBytesPerSecond}});
  }
};

} // namespace

absl::Status mozart::checkMachineFacts(const MachineFacts &facts) {
  return Checker(facts).run();
}
