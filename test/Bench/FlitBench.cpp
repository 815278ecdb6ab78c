//===- FlitBench.cpp - The network of flits against published figures -----===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the tables of docs/trust.md on the network of flits, as Markdown, and
// its speed. With the argument `smoke`, only a little of the speed.
//
//===----------------------------------------------------------------------===//

#include "BookSimFigures.h"
#include "FlitPhases.h"

#include <cstdio>
#include <cstring>
#include <ctime>

using namespace mozart;
using namespace mozart::booksim;

namespace {

constexpr const char *kRouters[] = {"input-queued", "ideal"};

void printZeroLoad() {
  std::printf("| topology, traffic | router | link latency | BookSim2 | flit | "
              "difference |\n|---|---|---|---|---|---|\n");
  for (const Figure &figure : kFigures)
    for (int32_t router = 0; router < 2; ++router)
      for (int32_t latency = 0; latency < 2; ++latency) {
        double published = figure.zeroLoad[router][latency];
        if (published == kNone)
          continue;
        double found = zeroLoad(figure, router, latency);
        std::printf("| %s | %s | %d | %.2f | %.2f | %+.2f |\n", figure.name,
                    kRouters[router], static_cast<int>(kLatencies[latency]),
                    published, found, found - published);
      }
}

void printSaturation() {
  std::printf("\n| topology, traffic | router | BookSim2 | flit | difference "
              "|\n|---|---|---|---|---|\n");
  for (const Figure &figure : kFigures)
    for (int32_t router = 0; router < 2; ++router) {
      double published = figure.saturation[router];
      if (published == kNone)
        continue;
      double found = saturation(figure, router);
      std::printf("| %s | %s | %.2f | %.2f | %+.1f %% |\n", figure.name,
                  kRouters[router], published, found,
                  100 * (found / published - 1));
    }
}

void printBatches() {
  std::printf("\n| batch, input-queued | BookSim2 | flit | difference "
              "|\n|---|---|---|---|\n");
  for (const Batch &batch : kBatches) {
    double found = static_cast<double>(batchCycles(batch));
    std::printf("| %s | %.0f | %.0f | %+.1f %% |\n", batch.name, batch.cycles,
                found, 100 * (found / batch.cycles - 1));
  }
}

/// What a switch alone passes when every link asks for all.
void printEfficiency() {
  std::printf("\n| links of the switch | flits a packet | input-queued | ideal "
              "|\n|---|---|---|---|\n");
  for (int32_t links : {5, 9})
    for (int32_t flits : {1, 16, 32, 128}) {
      std::printf("| %d | %d |", links, flits);
      for (const FlitNode &router : {kInputQueued, kIdeal}) {
        FlitTopology topology;
        FlitPattern pattern;
        topology.addRouter(router);
        for (int32_t i = 0; i < links; ++i) {
          pattern.senders.push_back(topology.addTerminal(0));
          pattern.receivers.push_back(i);
        }
        FlitTraffic traffic(std::move(topology), std::move(pattern), flits,
                            kSeed);
        std::printf(" %.3f |",
                    traffic.measure(1.0, 10000, 50000).flitsPerCycle / links);
      }
      std::printf("\n");
    }
}

/// Fails where a fidelity does.
bool printPhases() {
  using namespace mozart::phases;
  std::printf("\n| router | leaves | phase | routing | flit | packet | flow "
              "|\n|---|---|---|---|---|---|---|\n");
  for (const Case &c : allCases()) {
    PhaseProgram phase = makePhase(c);
    absl::StatusOr<int64_t> flit = latencyPs(phase, Network::Flit);
    absl::StatusOr<int64_t> packet = latencyPs(phase, Network::Packet);
    absl::StatusOr<int64_t> flow = latencyPs(phase, Network::Flow);
    if (!flit.ok() || !packet.ok() || !flow.ok()) {
      std::fprintf(
          stderr, "a phase fails: %s %s %s\n", flit.status().ToString().c_str(),
          packet.status().ToString().c_str(), flow.status().ToString().c_str());
      return false;
    }
    const double reference = static_cast<double>(*flit);
    auto percent = [&](int64_t ps) {
      return 100 * (static_cast<double>(ps) / reference - 1);
    };
    std::printf("| %s | %d | %s | %s | %.1f us | %+.2f %% | %+.2f %% |\n",
                kRouters[c.isIdeal ? 1 : 0], c.fanout * c.fanout,
                kPhaseNames[static_cast<int>(c.phase)],
                c.isSkewed ? "skewed" : "balanced", reference / 1e6,
                percent(*packet), percent(*flow));
  }
  return true;
}

/// As BookSim2 was timed: tree T2, uniform, 0.2 flits a cycle and node,
/// processor time.
void printSpeed(int64_t cycles) {
  constexpr double kPublished = 0.1e6;
  for (int32_t router = 0; router < 2; ++router) {
    FlitTraffic traffic = makeTraffic(router == 0 ? kInputQueued : kIdeal, 1,
                                      true, Traffic::Uniform, 1);
    std::clock_t start = std::clock();
    FlitMeasurement run = traffic.measure(0.2, 1000, cycles);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    double rate = static_cast<double>(run.flitsDelivered) / seconds;
    std::printf("%s: %.2f million flits/s, %.0f thousand cycles/s, %.1f times "
                "BookSim2's 0.1 million flits/s\n",
                kRouters[router], rate / 1e6,
                static_cast<double>(run.cycles) / seconds / 1e3,
                rate / kPublished);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "smoke") == 0) {
    printSpeed(2000);
    return 0;
  }
  printZeroLoad();
  printSaturation();
  printBatches();
  printEfficiency();
  if (!printPhases())
    return 1;
  std::printf("\n");
  printSpeed(300000);
  return 0;
}
