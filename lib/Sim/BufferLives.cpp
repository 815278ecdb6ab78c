//===- BufferLives.cpp - When buffers hold something ----------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Sim/BufferLives.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace mozart;

std::vector<BufferLife> mozart::bufferLives(const Program &program,
                                            const std::vector<TaskTime> &times,
                                            int64_t latencyPs) {
  std::vector<BufferLife> lives(program.buffers.size());
  auto own = [&](int32_t buffer) -> BufferLife & {
    int32_t parent = program.buffers[buffer].viewOf;
    return lives[parent >= 0 ? parent : buffer];
  };
  std::vector<int64_t> firstWrite(program.buffers.size(), -1);
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const Task &task = program.tasks[i];
    for (const std::vector<int32_t> *operands : {&task.reads, &task.writes})
      for (int32_t operand : *operands) {
        BufferLife &life = own(operand);
        if (life.beginPs < 0 || times[i].startPs < life.beginPs)
          life.beginPs = times[i].startPs;
        life.endPs = std::max(life.endPs, times[i].endPs);
        int32_t parent = program.buffers[operand].viewOf;
        int64_t &first = firstWrite[parent >= 0 ? parent : operand];
        if (operands == &task.writes && (first < 0 || times[i].startPs < first))
          first = times[i].startPs;
      }
  }
  // A read before the first write finds nothing to keep.
  for (size_t i = 0; i < lives.size(); ++i)
    if (firstWrite[i] >= 0)
      lives[i].beginPs = firstWrite[i];
  for (const Input &input : program.inputs)
    own(input.buffer) = {0, latencyPs};
  for (const Output &output : program.outputs) {
    BufferLife &life = own(output.buffer);
    life = {std::max<int64_t>(life.beginPs, 0), latencyPs};
  }
  return lives;
}

static std::vector<OccupancyStep>
sumUp(const std::map<int64_t, __int128> &changes) {
  std::vector<OccupancyStep> steps;
  __int128 now = 0;
  for (auto [timePs, change] : changes) {
    if (change == 0)
      continue;
    now += change;
    auto bytes = static_cast<int64_t>(
        std::min<__int128>(now, std::numeric_limits<int64_t>::max()));
    steps.push_back({timePs, bytes});
  }
  return steps;
}

std::vector<std::vector<OccupancyStep>>
mozart::occupancy(const Program &program, const MachineModel &machine,
                  const std::vector<TaskTime> &times, int64_t latencyPs) {
  std::vector<size_t> ofNode(machine.numNodes(), 0);
  size_t places = 0;
  for (int32_t i = 0; i < machine.numNodes(); ++i)
    if (machine.node(i).isChiplet())
      ofNode[i] = places++;
  const size_t firstMemory = places;
  places += machine.numMemories();
  std::vector<std::map<int64_t, __int128>> changes(places);
  std::vector<BufferLife> lives = bufferLives(program, times, latencyPs);
  for (size_t i = 0; i < lives.size(); ++i) {
    const Buffer &buffer = program.buffers[i];
    if (lives[i].beginPs < 0 || lives[i].beginPs == lives[i].endPs)
      continue;
    size_t place = buffer.place.kind == Place::Kind::Sram
                       ? ofNode[buffer.place.index]
                       : firstMemory + buffer.place.index;
    changes[place][lives[i].beginPs] += buffer.type.bytes();
    changes[place][lives[i].endPs] -= buffer.type.bytes();
  }
  std::vector<std::vector<OccupancyStep>> result;
  for (const std::map<int64_t, __int128> &of : changes)
    result.push_back(sumUp(of));
  return result;
}
