//===- MeshCuts.cpp - What must cross the cuts of a mesh ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeshCuts.h"

#include <algorithm>

using namespace mozart;

int64_t mozart::unionSize(std::vector<RowRange> rows) {
  std::sort(rows.begin(), rows.end());
  int64_t total = 0, end = 0;
  for (RowRange r : rows) {
    total += std::max<int64_t>(0, r.second - std::max(end, r.first));
    end = std::max(end, r.second);
  }
  return total;
}

MeshCuts::MeshCuts(const MachineModel &machine) {
  const int32_t nodes = machine.numNodes();
  int32_t deepest = 0;
  for (int32_t node = 0; node < nodes; ++node) {
    deepest = std::max(deepest, machine.depth(node));
    if (!machine.node(node).isChiplet())
      continue;
    std::vector<bool> inside(nodes);
    inside[node] = true;
    add(machine, node == machine.root() ? Kind::Root : Kind::Chiplet,
        std::move(inside));
  }
  for (int32_t radius = 1; radius < deepest; ++radius) {
    std::vector<bool> inside(nodes);
    for (int32_t node = 0; node < nodes; ++node)
      inside[node] = machine.depth(node) <= radius;
    add(machine, Kind::Ball, std::move(inside));
  }
}

void MeshCuts::add(const MachineModel &machine, Kind kind,
                   std::vector<bool> inside) {
  Cut cut;
  cut.kind = kind;
  for (int32_t link = 0; link < machine.numLinks(); ++link) {
    bool from = inside[machine.link(link).source];
    bool to = inside[machine.link(link).target];
    if (from && !to)
      cut.outRate += machine.linkBytesPerSecond(link);
    if (!from && to)
      cut.inRate += machine.linkBytesPerSecond(link);
  }
  cut.inside = std::move(inside);
  all.push_back(std::move(cut));
}

void MeshCuts::addRows(int32_t from,
                       const std::map<int32_t, std::vector<RowRange>> &neededAt,
                       int64_t rowBytes) {
  for (Cut &cut : all) {
    std::vector<RowRange> crossing;
    for (const auto &[node, rows] : neededAt)
      if (cut.inside[node] != cut.inside[from])
        crossing.insert(crossing.end(), rows.begin(), rows.end());
    (cut.inside[from] ? cut.outBytes : cut.inBytes) +=
        static_cast<__int128>(unionSize(std::move(crossing))) * rowBytes;
  }
}

void MeshCuts::addTokensAt(int32_t root,
                           const std::map<int32_t, TokenSet> &tokensAt,
                           int64_t rowBytes) {
  for (Cut &cut : all) {
    TokenSet crossing;
    for (const auto &[node, tokens] : tokensAt) {
      if (cut.inside[node] == cut.inside[root])
        continue;
      crossing.resize(tokens.size(), 0);
      addTokens(crossing, tokens);
    }
    __int128 bytes = static_cast<__int128>(countTokens(crossing)) * rowBytes;
    cut.outBytes += bytes;
    cut.inBytes += bytes;
  }
}
