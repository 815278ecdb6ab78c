//===- PacketBench.cpp - Speed of the packet and flow networks ------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints packet hops a second (packets over links; and events, of which
// memories and arrivals have some too), and what a program of the size of a
// forward pass of Qwen3-30B-A3B costs in both networks, and how that grows.
// `smoke` runs a small part.
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include "Sim/TestPrograms.h"
#include "Sim/TestRoutings.h"

#include "Machine/TestMachines.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>

using namespace mozart;
using namespace mozart::test;

namespace {

/// Processor time, which others on the machine do not lengthen.
double secondsOf(const std::function<void()> &work) {
  std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double peakMegabytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024; // in KiB
}

MachineFacts machineFacts() {
  MachineFacts facts = tree({4, 4});
  for (NodeFacts &node : facts.nodes) {
    node.sramBytes = int64_t{1} << 50;
    node.compute.tileSramBytesPerSecond = 1000000000000;
    if (node.isChiplet())
      continue;
    node.bufferBytes = 32 << 20;
    node.latencyPs = 4000;
    node.multicastBytesPerSecond = node.reduceBytesPerSecond = 50000000000;
  }
  for (LinkFacts &link : facts.links)
    link.latencyPs = 5000;
  for (MemoryFacts &memory : facts.memories)
    memory.bytes = int64_t{1} << 50;
  return facts;
}

struct Counts {
  double seconds = 0;
  int64_t hops = 0, events = 0;
};

/// All tasks at once, without their waits: a load on the network alone.
Counts runNetwork(const Program &program, const MachineModel &machine,
                  const BoundRouting *routing) {
  RoutingCounter counter(program, routing);
  ResourceTable resources(machine);
  SimulationOptions options;
  options.network = Network::Packet;
  PacketNetwork network({program, machine, counter, resources, options});
  std::vector<int32_t> ended;
  Counts result;
  for (size_t i = 0; i < program.tasks.size(); ++i)
    if (program.tasks[i].kind != TaskKind::Compute &&
        !network.start(0, static_cast<int32_t>(i)).ok())
      std::abort();
  result.seconds = secondsOf([&] {
    while (network.nextPs() != TransferNetwork::kNever) {
      ended.clear();
      if (!network.advance(TransferNetwork::kNever - 1, ended).ok())
        std::abort();
    }
  });
  result.hops = network.packetHops();
  result.events = network.events();
  return result;
}

void print(const char *name, const Counts &counts) {
  std::printf("%-34s %9.2f M hops  %6.2f M hops/s  %6.2f M events/s\n", name,
              static_cast<double>(counts.hops) / 1e6,
              static_cast<double>(counts.hops) / 1e6 / counts.seconds,
              static_cast<double>(counts.events) / 1e6 / counts.seconds);
}

MoeShape shapeOf(int64_t layers, int64_t tokens, int64_t experts) {
  MoeShape shape;
  shape.layers = layers;
  shape.tokens = tokens / 4;
  shape.microBatches = 4;
  shape.hidden = 2048;
  shape.inner = 768;
  shape.experts = experts;
  shape.k = 8;
  shape.form = ExchangeForm::Tokens;
  shape.via = ExchangeVia::Switch;
  shape.placement.resize(16);
  for (int64_t e = 0; e < experts; ++e)
    shape.placement[e * 16 / experts].push_back(static_cast<int32_t>(e));
  return shape;
}

void networks(int64_t scale) {
  MachineModel machine = *MachineModel::create(machineFacts());
  ProgramBuilder loads(machine);
  for (int32_t node = 5; node < machine.numNodes(); ++node)
    for (int i = 0; i < 4; ++i) {
      loads.load(0, node, scale * 2000000); // past a switch
      loads.program.tasks.back().engines.clear();
    }
  print("loads, 64 at once, 2 links each",
        runNetwork(loads.program, machine, nullptr));
  for (ExchangeVia via : {ExchangeVia::Root, ExchangeVia::Switch}) {
    MoeShape shape = shapeOf(1, scale * 800, 128);
    shape.via = via;
    Program program = moeProgram(machine, shape);
    program.tasks.erase(
        std::remove_if(program.tasks.begin(), program.tasks.end(),
                       [](const Task &task) {
                         return task.kind != TaskKind::Dispatch &&
                                task.kind != TaskKind::Combine;
                       }),
        program.tasks.end());
    TestRouting routing = randomRouting(program, 1);
    print(via == ExchangeVia::Root ? "exchanges via the root"
                                   : "exchanges via switches",
          runNetwork(program, machine, routing.bound.get()));
  }
}

void program(int64_t layers, int64_t tokens, int64_t experts) {
  MachineModel machine = *MachineModel::create(machineFacts());
  Program program = moeProgram(machine, shapeOf(layers, tokens, experts));
  TestRouting routing = randomRouting(program, 1);
  for (Network network : {Network::Flow, Network::Packet}) {
    SimulationOptions options;
    options.network = network;
    SimulationResult result;
    double seconds = secondsOf([&] {
      auto simulated = simulate(program, machine, routing.bound.get(), options);
      if (!simulated.ok())
        std::abort();
      result = *std::move(simulated);
    });
    std::printf("%3lld layers %6lld tokens %4lld experts %-7s %8.3f s  %10lld "
                "events  %5.0f MB at most so far\n",
                static_cast<long long>(layers), static_cast<long long>(tokens),
                static_cast<long long>(experts), networkName(network), seconds,
                static_cast<long long>(result.events), peakMegabytes());
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "smoke") == 0) {
    networks(1);
    program(1, 64, 16);
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  networks(5);
  for (int64_t scale : {1, 2, 4})
    program(12 * scale, 8192, 128);
  for (int64_t scale : {2, 4})
    program(12, 8192 * scale, 128);
  for (int64_t scale : {1, 4})
    program(12, 8192, 64 * scale);
}
