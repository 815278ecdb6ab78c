//===- Explanation.cpp - Why the latency is what it is --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/ReportText.h"

#include "AsciiText.h"
#include "TaskNames.h"
#include "TextTable.h"

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <map>

using namespace mozart;

namespace {

/// Tasks of the path that follow each other, on one line.
struct Line {
  size_t first = 0, last = 0; ///< indices into the path
  std::string what;
  std::string waited; ///< for
  std::map<std::string, int64_t> causes;
  int64_t ps = 0;
};

class Explanation {
public:
  Explanation(const Program &program, const SimulationResult &result,
              const CriticalPath &path, const std::vector<WhatIf> &whatIfs)
      : program(program), result(result), path(path), whatIfs(whatIfs),
        sectionOf(program) {}

  std::string run() {
    causes();
    twiceAsFast();
    tasks();
    return std::move(text);
  }

private:
  static constexpr size_t kMostLines = 60;

  const Program &program;
  const SimulationResult &result;
  const CriticalPath &path;
  const std::vector<WhatIf> &whatIfs;
  Sections sectionOf;
  std::string text;

  const Task &task(size_t i) const { return program.tasks[path.tasks[i].task]; }
  const TaskTime &time(size_t i) const {
    return result.tasks[path.tasks[i].task];
  }

  void causes() {
    absl::StrAppend(&text, "Why ", durationText(result.latencyPs),
                    ": what the critical path spends its time on (the sums are "
                    "exact)\n");
    TextTable table({"<cause", "<kind", "time", "share", "ps"});
    int64_t sum = 0, others = 0;
    size_t shown = std::min<size_t>(path.byResource.size(), 16);
    for (size_t i = 0; i < path.byResource.size(); ++i) {
      const Cause &cause = path.byResource[i];
      sum += cause.ps;
      if (i < shown)
        row(table, cause.name, cause.kind, cause.ps);
      else
        others += cause.ps;
    }
    if (others > 0)
      row(table, absl::StrCat(path.byResource.size() - shown, " others"), "",
          others);
    row(table, "all", "", sum);
    absl::StrAppend(&text, table.text());
    if (path.byKind.size() < 2)
      return;
    absl::StrAppend(&text, "\nThe same by kind\n");
    TextTable kinds({"<cause", "<kind", "time", "share", "ps"});
    for (const Cause &cause : path.byKind)
      row(kinds, cause.name, cause.kind, cause.ps);
    absl::StrAppend(&text, kinds.text());
  }

  void row(TextTable &table, const std::string &name, const std::string &kind,
           int64_t ps) const {
    table.add({name, kind, durationText(ps), shareText(ps, result.latencyPs),
               absl::StrCat(ps)});
  }

  void twiceAsFast() {
    absl::StrAppend(&text, "\nIf it were twice as fast (simulated anew, the "
                           "same program)\n");
    TextTable table({"<what", "<kind", "latency", "change"});
    for (const WhatIf &what : whatIfs) {
      double change =
          result.latencyPs == 0
              ? 0.0
              : 100.0 * static_cast<double>(what.latencyPs - result.latencyPs) /
                    static_cast<double>(result.latencyPs);
      table.add({what.name, what.kind, durationText(what.latencyPs),
                 what.latencyPs == result.latencyPs
                     ? "none"
                     : absl::StrFormat("%+.2f %%", change)});
    }
    absl::StrAppend(&text, table.text());
  }

  //===--- The path itself ---===//

  void tasks() {
    absl::StrAppend(&text, "\nThe critical path: ", path.tasks.size(),
                    " tasks, each starting when the one before it ends\n");
    if (path.tasks.empty())
      return;
    const size_t end = path.tasks.size() - 1;
    std::vector<Line> lines =
        group([](const Line &, size_t) { return false; }, 0, end);
    if (lines.size() > kMostLines)
      lines = group(
          [this](const Line &line, size_t i) {
            return task(line.first).kind == task(i).kind &&
                   sectionOf(task(line.first)) == sectionOf(task(i)) &&
                   path.tasks[line.last].hold == path.tasks[i].hold;
          },
          0, end);
    if (lines.size() > kMostLines)
      lines = group(
          [this](const Line &line, size_t i) {
            return sectionOf(task(line.first)) == sectionOf(task(i));
          },
          0, end);
    table(lines);
    if (lines.size() == path.tasks.size())
      return;
    auto longest = std::max_element(
        lines.begin(), lines.end(),
        [](const Line &a, const Line &b) { return a.ps < b.ps; });
    absl::StrAppend(&text, "\nThe longest of these lines, task by task (the "
                           "JSON report has all tasks)\n");
    table(group([](const Line &, size_t) { return false; }, longest->first,
                longest->last));
  }

  /// The longest lines, in order of time.
  void table(const std::vector<Line> &lines) {
    std::vector<size_t> shown(lines.size());
    for (size_t i = 0; i < shown.size(); ++i)
      shown[i] = i;
    if (shown.size() > kMostLines) {
      std::sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
        return lines[a].ps != lines[b].ps ? lines[a].ps > lines[b].ps : a < b;
      });
      shown.resize(kMostLines);
      std::sort(shown.begin(), shown.end());
    }
    TextTable table({"start", "end", "time", "tasks", "<  what", "<waited for",
                     "<spent on"});
    for (size_t i : shown) {
      const Line &line = lines[i];
      table.add({durationText(time(line.first).startPs),
                 durationText(time(line.last).endPs), durationText(line.ps),
                 absl::StrCat(line.last - line.first + 1), "  " + line.what,
                 line.waited, spentOn(line)});
    }
    absl::StrAppend(&text, table.text());
    if (shown.size() < lines.size())
      absl::StrAppend(&text, "  (the ", shown.size(), " longest of ",
                      lines.size(), " lines)\n");
  }

  /// Lines of the path; `joins(line, i)`: task i of the path goes on with it.
  template <typename Joins>
  std::vector<Line> group(Joins joins, size_t first, size_t last) const {
    std::vector<Line> lines;
    for (size_t i = first; i <= last; ++i) {
      if (lines.empty() || !joins(lines.back(), i)) {
        lines.emplace_back();
        lines.back().first = i;
        lines.back().waited = waitedFor(path.tasks[i]);
      }
      Line &line = lines.back();
      line.last = i;
      line.ps += time(i).endPs - time(i).startPs;
      for (const Cause &cause : path.tasks[i].causes)
        line.causes[cause.name] += cause.ps;
    }
    for (Line &line : lines) {
      line.what = task(line.first).name;
      if (line.first != line.last)
        absl::StrAppend(&line.what, " .. ", task(line.last).name);
    }
    return lines;
  }

  /// What the first task of a line waited for.
  std::string waitedFor(const PathTask &entry) const {
    switch (entry.hold) {
    case Hold::Start:
      return "nothing";
    case Hold::Wait:
      return absl::StrCat("end of ", program.tasks[entry.after].name);
    case Hold::Engine:
      return absl::StrCat("its turn on ", engineName(entry.engine), " behind ",
                          program.tasks[entry.after].name);
    case Hold::Stage:
      return absl::StrCat("end of stage ", program.tasks[entry.after].stage,
                          " (", program.tasks[entry.after].name, ")");
    }
    return "";
  }

  std::string engineName(const Engine &engine) const {
    const absl::string_view kind = engineKindName(engine.kind);
    for (const ResourceUse &use : result.resources)
      if (use.index == engine.index && resourceKindName(use.kind) == kind)
        return use.name;
    return std::string(kind);
  }

  /// The two largest causes.
  std::string spentOn(const Line &line) const {
    std::vector<std::pair<int64_t, std::string>> largest;
    for (const auto &[name, ps] : line.causes)
      largest.emplace_back(-ps, name);
    std::sort(largest.begin(), largest.end());
    std::string spent;
    for (size_t i = 0; i < std::min<size_t>(2, largest.size()); ++i)
      absl::StrAppend(
          &spent, i == 0 ? "" : ", ", largest[i].second,
          largest.size() == 1
              ? ""
              : absl::StrCat(" ", shareText(-largest[i].first, line.ps)));
    if (largest.size() > 2)
      absl::StrAppend(&spent, ", ...");
    return spent;
  }
};

} // namespace

std::string mozart::printExplanation(const Program &program,
                                     const SimulationResult &result,
                                     const CriticalPath &path,
                                     const std::vector<WhatIf> &whatIfs) {
  return Explanation(program, result, path, whatIfs).run();
}

static void setCause(CauseReport &entry, const Cause &cause) {
  entry.set_name(asciiText(cause.name));
  entry.set_kind(cause.kind);
  entry.set_ps(cause.ps);
}

void mozart::addExplanation(Report &report, const Program &program,
                            const MachineModel &machine,
                            const SimulationResult &result,
                            const CriticalPath &path,
                            const std::vector<WhatIf> &whatIfs) {
  ExplanationReport &explanation = *report.mutable_explanation();
  explanation.set_latency_ps(result.latencyPs);
  for (const Cause &cause : path.byResource)
    setCause(*explanation.add_causes(), cause);
  for (const Cause &cause : path.byKind)
    setCause(*explanation.add_kinds(), cause);
  for (const WhatIf &what : whatIfs) {
    WhatIfReport &entry = *explanation.add_twice_as_fast();
    entry.set_name(asciiText(what.name));
    entry.set_kind(what.kind);
    entry.set_latency_ps(what.latencyPs);
  }
  for (const PathTask &step : path.tasks) {
    const Task &task = program.tasks[step.task];
    PathTaskReport &entry = *explanation.add_critical_path();
    entry.set_task(step.task);
    entry.set_name(asciiText(task.name));
    entry.set_kind(taskKindName(task.kind));
    entry.set_node(asciiText(machine.node(task.node).name));
    entry.set_start_ps(result.tasks[step.task].startPs);
    entry.set_end_ps(result.tasks[step.task].endPs);
    entry.set_waited_for(holdName(step.hold));
    if (step.after >= 0)
      entry.set_after(asciiText(program.tasks[step.after].name));
    for (const Cause &cause : step.causes)
      setCause(*entry.add_causes(), cause);
  }
}
