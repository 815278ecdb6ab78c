//===- TaskNames.h - What the names of tasks say ------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_TASKNAMES_H
#define MOZART_LIB_SIM_TASKNAMES_H

#include "mozart/Sim/ProgramChecks.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <string>
#include <vector>

namespace mozart {

/// Whether `part` is `letter` and a number: "b12".
inline bool isNumbered(absl::string_view part, char letter) {
  return part.size() > 1 && part[0] == letter &&
         std::all_of(part.begin() + 1, part.end(), [](char c) {
           return absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

/// The parts of a name that dots separate, without what a load or a store puts
/// before it and without a chiplet in brackets: b0, m1, experts, s2 of
/// "b0.m1.experts.s2[c3]".
inline std::vector<std::string> nameParts(absl::string_view name) {
  name = name.substr(0, name.find('['));
  name = name.substr(name.find(' ') + 1); // npos + 1 is 0
  return absl::StrSplit(name, '.');
}

/// The block of the model that a task's name begins with ("b0"), or nothing.
inline std::string blockOf(const Task &task) {
  std::string first = nameParts(task.name).front();
  return isNumbered(first, 'b') ? first : "";
}

/// Names the sections of a program: where it has blocks, a task's is its block
/// or else "other"; where it has none, its stage ("stage 3") or "other".
class Sections {
public:
  explicit Sections(const Program &program)
      : hasBlocks(std::any_of(
            program.tasks.begin(), program.tasks.end(),
            [](const Task &task) { return !blockOf(task).empty(); })) {}

  std::string operator()(const Task &task) const {
    if (std::string block = blockOf(task); !block.empty())
      return block;
    return hasBlocks || task.stage < 0 ? "other"
                                       : absl::StrCat("stage ", task.stage);
  }

private:
  bool hasBlocks;
};

/// What a task does, the same for all blocks, micro-batches, slices and
/// chiplets: "load", "experts", "attention", "dispatch".
inline std::string stepOf(const Task &task) {
  if (task.kind == TaskKind::Load || task.kind == TaskKind::Store)
    return taskKindName(task.kind);
  std::string step;
  for (const std::string &part : nameParts(task.name))
    if (!isNumbered(part, 'b') && !isNumbered(part, 'm') &&
        !isNumbered(part, 's'))
      absl::StrAppend(&step, step.empty() ? "" : ".", part);
  return step.empty() ? taskKindName(task.kind) : step;
}

} // namespace mozart

#endif // MOZART_LIB_SIM_TASKNAMES_H
