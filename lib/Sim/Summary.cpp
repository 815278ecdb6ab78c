//===- Summary.cpp - A report for people ----------------------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ReportText.h"

#include "TaskNames.h"
#include "TextTable.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mozart;

namespace {

/// Critical time that some tasks share.
struct Share {
  std::string name;
  size_t tasks = 0; ///< on the critical path
  int64_t ps = 0;
  int64_t compute = 0, loads = 0, exchanges = 0, stores = 0;
  int64_t firstPs = 0; ///< where its first task on the path starts
  std::map<std::pair<std::string, std::string>, int64_t> causes;

  void add(const Task &task, const PathTask &entry, const TaskTime &time) {
    if (tasks++ == 0)
      firstPs = time.startPs;
    int64_t took = time.endPs - time.startPs;
    ps += took;
    for (const Cause &cause : entry.causes)
      causes[{cause.kind, cause.name}] += cause.ps;
    switch (task.kind) {
    case TaskKind::Compute:
      compute += took;
      break;
    case TaskKind::Load:
      loads += took;
      break;
    case TaskKind::Store:
      stores += took;
      break;
    case TaskKind::Dispatch:
    case TaskKind::Combine:
      exchanges += took;
      break;
    }
  }

  /// The kind with most of the time, and its largest: "link 61.2 % (s0->c3 12.0
  /// %)".
  std::string boundBy() const {
    std::map<std::string, int64_t> kinds;
    for (const auto &[key, took] : causes)
      kinds[key.first] += took;
    auto less = [](const auto &a, const auto &b) {
      return a.second < b.second;
    };
    auto kind = std::max_element(kinds.begin(), kinds.end(), less);
    if (kind == kinds.end())
      return "-";
    std::pair<std::string, int64_t> most;
    for (const auto &[key, took] : causes)
      if (key.first == kind->first && took > most.second)
        most = {key.second, took};
    return absl::StrCat(kind->first, " ", shareText(kind->second, ps), " (",
                        most.first, " ", shareText(most.second, ps), ")");
  }
};

class Summary {
public:
  Summary(const Program &program, const SimulationResult &result,
          const CriticalPath &path, const Report &report)
      : program(program), result(result), path(path), report(report) {}

  std::string run() {
    head();
    bounds();
    sections();
    steps();
    resources();
    memories();
    energy();
    layers();
    warnings();
    return std::move(text);
  }

private:
  const Program &program;
  const SimulationResult &result;
  const CriticalPath &path;
  const Report &report;
  std::string text;

  /// Seconds of a report as picoseconds, which they are the nearest double of.
  static int64_t ps(double seconds) {
    return static_cast<int64_t>(std::llround(seconds * 1e12));
  }

  void title(absl::string_view title) {
    absl::StrAppend(&text, "\n", title, "\n");
  }

  void head() {
    absl::StrAppend(&text, report.model(), " on ", report.machine(),
                    ", preset ", report.preset(), ", network ",
                    report.network(), "\n\n");
    TextTable table({"<", "", "<"});
    table.add({"latency", durationText(result.latencyPs), throughput()});
    std::string ratio =
        report.bound_ratio() > 0
            ? absl::StrCat(report.binding_bound(), " binds; latency is ",
                           numberText(report.bound_ratio()), " times that")
            : "nothing binds";
    table.add({"lower bound", durationText(ps(report.lower_bound_s())), ratio});
    table.add(
        {"program bound", durationText(ps(report.program_bound_s())),
         absl::StrCat(shareText(ps(report.program_bound_s()), result.latencyPs),
                      " of the latency: what this program moves, "
                      "computes and orders")});
    std::string rows = table.text();
    absl::StrAppend(&text, rows.substr(rows.find('\n') + 1));
  }

  std::string throughput() const {
    double tokens = static_cast<double>(program.tokensPerMicroBatch) *
                    static_cast<double>(program.microBatches);
    if (tokens == 0 || result.latencyPs == 0)
      return "";
    return absl::StrFormat("%d micro-batches of %d tokens, %.0f tokens/s",
                           program.microBatches, program.tokensPerMicroBatch,
                           tokens /
                               (static_cast<double>(result.latencyPs) / 1e12));
  }

  void bounds() {
    title("Parts of the lower bound (no program for this model, machine, "
          "placement and routing is faster)");
    TextTable table({"<part", "time", "of latency"});
    std::vector<std::pair<int64_t, std::string>> parts;
    for (const auto &[name, seconds] : report.lower_bound_parts_s())
      parts.emplace_back(-ps(seconds), name);
    std::sort(parts.begin(), parts.end());
    for (const auto &[negative, name] : parts)
      if (negative != 0)
        table.add({name, durationText(-negative),
                   shareText(-negative, result.latencyPs)});
    absl::StrAppend(&text, table.text());
  }

  template <typename Key> std::vector<Share> shares(Key keyOf) const {
    std::vector<Share> found;
    std::map<std::string, size_t> indexOf;
    for (const PathTask &entry : path.tasks) {
      const Task &task = program.tasks[entry.task];
      auto [it, fresh] = indexOf.try_emplace(keyOf(task), found.size());
      if (fresh) {
        found.emplace_back();
        found.back().name = it->first;
      }
      found[it->second].add(task, entry, result.tasks[entry.task]);
    }
    return found;
  }

  void sections() {
    title("Critical path by block (times add up to the latency)");
    TextTable table({"<block", "begins at", "time", "share", "compute",
                     "exchange", "load", "store", "<  bound by"});
    auto row = [&](const Share &share, std::string begins) {
      table.add({share.name, begins, durationText(share.ps),
                 shareText(share.ps, result.latencyPs),
                 shareText(share.compute, share.ps),
                 shareText(share.exchanges, share.ps),
                 shareText(share.loads, share.ps),
                 shareText(share.stores, share.ps), "  " + share.boundBy()});
    };
    for (const Share &share : shares(Sections(program)))
      row(share, durationText(share.firstPs));
    for (Share &all : shares([](const Task &) { return "all"; }))
      row(all, "");
    absl::StrAppend(&text, table.text());
  }

  void steps() {
    title("Critical path by step");
    std::vector<Share> found = shares(stepOf);
    std::sort(found.begin(), found.end(), [](const Share &a, const Share &b) {
      return a.ps != b.ps ? a.ps > b.ps : a.name < b.name;
    });
    TextTable table({"<step", "tasks", "time", "share", "<  bound by"});
    for (const Share &share : found)
      table.add({share.name, absl::StrCat(share.tasks), durationText(share.ps),
                 shareText(share.ps, result.latencyPs),
                 "  " + share.boundBy()});
    absl::StrAppend(&text, table.text());
  }

  /// A line for each kind.
  void resources() {
    title("Resources by kind (busy at full rate, or of engines occupied: share "
          "of the latency)");
    struct Kind {
      int64_t number = 0;
      double busyPs = 0;
      const ResourceUse *most = nullptr;
    };
    std::map<ResourceKind, Kind> kinds;
    for (const ResourceUse &use : result.resources) {
      Kind &kind = kinds[use.kind];
      ++kind.number;
      kind.busyPs += static_cast<double>(use.busyPs);
      if (!kind.most || use.busyPs > kind.most->busyPs)
        kind.most = &use;
    }
    TextTable table(
        {"<kind", "number", "mean", "most", "<  which", "busy", "bytes"});
    for (const auto &[kind, all] : kinds)
      table.add({resourceKindName(kind), absl::StrCat(all.number),
                 shareText(static_cast<int64_t>(
                               all.busyPs / static_cast<double>(all.number)),
                           result.latencyPs),
                 shareText(all.most->busyPs, result.latencyPs),
                 "  " + all.most->name, durationText(all.most->busyPs),
                 all.most->bytes > 0 ? bytesText(all.most->bytes) : ""});
    absl::StrAppend(&text, table.text());
  }

  void rest(size_t left, absl::string_view what) {
    if (left > 0)
      absl::StrAppend(&text, "  and ", left, " more ", what, "\n");
  }

  /// The fullest SRAMs, then the memories.
  void memories() {
    title("Memories (live: at one time; static: covered by buffers)");
    constexpr size_t kMost = 4;
    std::vector<const MemoryUse *> srams, drams;
    for (const MemoryUse &use : result.memories)
      (use.place.kind == Place::Kind::Sram ? srams : drams).push_back(&use);
    std::sort(srams.begin(), srams.end(),
              [](const MemoryUse *a, const MemoryUse *b) {
                double first = fill(*a), second = fill(*b);
                return first != second ? first > second : a->name < b->name;
              });
    TextTable table(
        {"<memory", "live peak", "at", "static", "capacity", "static share"});
    size_t shown = std::min(kMost, srams.size());
    for (size_t i = 0; i < shown; ++i)
      row(table, *srams[i]);
    for (const MemoryUse *use : drams)
      row(table, *use);
    absl::StrAppend(&text, table.text());
    rest(srams.size() - shown, "SRAMs, none of them fuller");
  }

  static double fill(const MemoryUse &use) {
    return use.capacityBytes == 0 ? 0
                                  : static_cast<double>(use.peakBytes) /
                                        static_cast<double>(use.capacityBytes);
  }

  static void row(TextTable &table, const MemoryUse &use) {
    table.add({use.name, bytesText(use.livePeakBytes),
               durationText(use.livePeakPs), bytesText(use.peakBytes),
               bytesText(use.capacityBytes),
               shareText(use.peakBytes, use.capacityBytes)});
  }

  void energy() {
    if (report.energy_j().empty())
      return;
    title("Energy");
    std::map<std::string, double> parts(report.energy_j().begin(),
                                        report.energy_j().end());
    double total = 0;
    for (const auto &[name, joules] : parts)
      total += joules;
    TextTable table({"<part", "energy", "share"});
    auto row = [&](const std::string &name, double joules) {
      table.add(
          {name, absl::StrFormat("%.4g J", joules),
           total > 0 ? absl::StrFormat("%.1f %%", 100 * joules / total) : "-"});
    };
    for (const auto &[name, joules] : parts)
      row(name, joules);
    row("all", total);
    absl::StrAppend(
        &text, table.text(),
        absl::StrFormat("  mean power %.4g W\n", report.mean_power_w()));
  }

  void layers() {
    if (report.layers().empty())
      return;
    title("Routing by MoE layer (C_T chiplets and G_T switch groups that a "
          "token is sent to)");
    TextTable table(
        {"layer", "C_T", "G_T", "load max/mean", "receive max/mean"});
    for (int i = 0; i < report.layers_size(); ++i) {
      const LayerReport &layer = report.layers(i);
      table.add({absl::StrCat(i), numberText(layer.c_t()),
                 numberText(layer.g_t()),
                 numberText(layer.load_max_over_mean()),
                 numberText(layer.receive_max_over_mean())});
    }
    absl::StrAppend(&text, table.text());
  }

  void warnings() {
    if (report.warnings().empty())
      return;
    title("Warnings");
    for (const std::string &warning : report.warnings())
      absl::StrAppend(&text, "  ", warning, "\n");
  }
};

} // namespace

std::string mozart::printSummary(const Program &program,
                                 const SimulationResult &result,
                                 const CriticalPath &path,
                                 const Report &report) {
  return Summary(program, result, path, report).run();
}
