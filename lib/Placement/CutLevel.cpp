//===- CutLevel.cpp - What a move would change in a cut ------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of a search's time goes into `move`. It sorts a vertex's edges by what
// changes in them, without branches that depend on data, and then adds each
// kind in a loop of its own. Four slots of an edge are compared at once: their
// parts are the 16-bit lanes of a word.
//
//===----------------------------------------------------------------------===//

#include "mozart/Placement/CutLevel.h"

#include <algorithm>
#include <cstring>

using namespace mozart;

/// Lanes stay below 2^15; these are never compared with.
static constexpr uint16_t kNoPart = 0x7fff, kEmptySlot = 0x7ffe;
static constexpr uint64_t kLowBits = 0x0001000100010001;
static constexpr int64_t kLanes = 4, kLaneBits = 16;
/// Edges that are gone through at a time; their events stay in the cache.
static constexpr int64_t kChunk = 256;

static uint16_t laneOf(int32_t part) {
  return part < 0 ? kNoPart : static_cast<uint16_t>(part);
}

/// The highest bit of each lane that is zero, of lanes below 2^15.
static uint64_t zeroLanes(uint64_t lanes) {
  return ~(lanes + 0x7fff * kLowBits) & 0x8000 * kLowBits;
}

namespace {
/// Whether none, one or more slots of an edge are of a part, and the last.
struct Matches {
  uint64_t any = 0, many = 0;
  int64_t slot = 0;

  /// Four slots, of which those in `except` are left out.
  void add(uint64_t lanes, uint64_t pattern, uint64_t except,
           int64_t firstSlot) {
    uint64_t zero = zeroLanes(lanes ^ pattern) & ~except;
    many |= (zero & (zero - 1)) | (any != 0 ? zero : 0);
    int64_t here =
        firstSlot + __builtin_ctzll(zero | uint64_t(1) << 63) / kLaneBits;
    slot = zero != 0 ? here : slot;
    any |= zero;
  }
  bool isOne() const { return any != 0 && many == 0; }
};
} // namespace

struct CutLevel::Events {
  /// Edges that leave the part (come to the part) for good.
  Event leaves[kChunk], comes[kChunk];
  /// Others that become alone as the vertex leaves, or were until it comes.
  Event left[kChunk], met[kChunk];
  /// The vertex itself becomes alone, or was.
  Event becomes[kChunk], was[kChunk];
  int64_t numLeaves, numComes, numLeft, numMet, numBecomes, numWas;
  int64_t lost, gained;
};

CutLevel::CutLevel(const Hypergraph &graph, int64_t numParts,
                   std::vector<int32_t> partOf)
    : graph(&graph), rowSize(graph.numVertices() + graph.slots()),
      partOf(std::move(partOf)), slotPart(graph.slotTable().size(), kEmptySlot),
      received(numParts, 0), weightOf(graph.numVertices(), 0),
      aloneOf(graph.numVertices(), 0), presentIn(rowSize * numParts, 0),
      aloneBeside(rowSize * graph.numVertices(), 0) {
  for (int64_t edge = 0; edge < graph.numEdges(); ++edge)
    addEdge(edge);
}

void CutLevel::addEdge(int64_t edge) {
  absl::Span<const uint16_t> members = graph->members(edge);
  uint16_t *parts = &slotPart[edge * graph->slots()];
  for (uint16_t vertex : members)
    *parts++ = laneOf(partOf[vertex]);
  for (uint16_t vertex : members) {
    weightOf[vertex] += graph->weight(edge);
    int32_t part = partOf[vertex];
    if (part < 0)
      continue;
    int64_t ofPart = 0;
    int32_t firstOfPart = -1;
    for (uint16_t member : members)
      if (partOf[member] == part) {
        firstOfPart = ofPart == 0 ? member : firstOfPart;
        ++ofPart;
      }
    Event event = {static_cast<int32_t>(edge), vertex};
    if (ofPart == 1)
      isolate<0>(&event, 1, 1);
    if (firstOfPart == vertex) {
      addToRow<0>(&presentIn[part * rowSize], &event, 1, 1);
      received[part] += graph->weight(edge);
    }
  }
}

template <int64_t Words>
void CutLevel::addToRow(int32_t *row, const Event *events, int64_t count,
                        int32_t sign) {
  const uint16_t *pins = graph->slotTable().data();
  const int64_t slots = Words ? Words * kLanes : graph->slots();
  for (int64_t i = 0; i < count; ++i) {
    int32_t weight = sign * graph->weight(events[i].edge);
    const uint16_t *members = pins + events[i].edge * slots;
    for (int64_t slot = 0; slot < slots; ++slot)
      row[members[slot]] += weight;
  }
}

template <int64_t Words>
void CutLevel::isolate(const Event *events, int64_t count, int32_t sign) {
  const uint16_t *pins = graph->slotTable().data();
  const int64_t slots = Words ? Words * kLanes : graph->slots();
  for (int64_t i = 0; i < count; ++i) {
    int32_t weight = sign * graph->weight(events[i].edge);
    const uint16_t *members = pins + events[i].edge * slots;
    int32_t *row = &aloneBeside[events[i].vertex * rowSize];
    aloneOf[events[i].vertex] += weight;
    for (int64_t slot = 0; slot < slots; ++slot)
      row[members[slot]] += weight;
  }
}

template <int64_t Words>
void CutLevel::collect(absl::Span<const int64_t> places, int32_t vertex,
                       int32_t to, Events &events) {
  int32_t from = partOf[vertex];
  const int64_t words = Words ? Words : graph->slots() / kLanes;
  const int64_t slots = words * kLanes;
  const uint64_t fromLanes = laneOf(from) * kLowBits;
  const uint64_t toLanes = laneOf(to) * kLowBits;
  const uint16_t *pins = graph->slotTable().data();
  for (int64_t place : places) {
    int64_t edge = place / slots;
    uint16_t *parts = &slotPart[edge * slots];
    // The vertex's own slot is of `from`, and not one of the others. (To store
    // to it before the loads of whole words would stall them.)
    int64_t slot = place - edge * slots;
    uint64_t own = uint64_t(0x8000) << (slot % kLanes * kLaneBits);
    Matches left, met;
    for (int64_t word = 0; word < words; ++word) {
      uint64_t lanes;
      std::memcpy(&lanes, parts + word * kLanes, sizeof lanes);
      left.add(lanes, fromLanes, word == slot / kLanes ? own : 0,
               word * kLanes);
      met.add(lanes, toLanes, 0, word * kLanes);
    }
    slotPart[place] = laneOf(to);
    int32_t name = static_cast<int32_t>(edge);
    int64_t weight = graph->weight(edge);
    // Whether the vertex was, and will be, the only one of its part.
    bool was = left.any == 0 && from >= 0, will = met.any == 0 && to >= 0;
    events.leaves[events.numLeaves] = {name, vertex};
    events.numLeaves += was;
    events.lost += was ? weight : 0;
    events.comes[events.numComes] = {name, vertex};
    events.numComes += will;
    events.gained += will ? weight : 0;
    events.left[events.numLeft] = {name, pins[edge * slots + left.slot]};
    events.numLeft += left.isOne();
    events.met[events.numMet] = {name, pins[edge * slots + met.slot]};
    events.numMet += met.isOne();
    events.becomes[events.numBecomes] = {name, vertex};
    events.numBecomes += will && !was;
    events.was[events.numWas] = {name, vertex};
    events.numWas += was && !will;
  }
}

template <int64_t Words>
void CutLevel::apply(const Events &events, int32_t from, int32_t to) {
  if (from >= 0) {
    received[from] -= events.lost;
    addToRow<Words>(&presentIn[from * rowSize], events.leaves, events.numLeaves,
                    -1);
    isolate<Words>(events.left, events.numLeft, 1);
  }
  if (to >= 0) {
    received[to] += events.gained;
    addToRow<Words>(&presentIn[to * rowSize], events.comes, events.numComes, 1);
    isolate<Words>(events.met, events.numMet, -1);
  }
  isolate<Words>(events.becomes, events.numBecomes, 1);
  isolate<Words>(events.was, events.numWas, -1);
}

template <int64_t Words> void CutLevel::moveAll(int32_t vertex, int32_t to) {
  absl::Span<const int64_t> places = graph->placesOf(vertex);
  visits += static_cast<int64_t>(places.size());
  Events events;
  for (size_t i = 0; i < places.size(); i += kChunk) {
    events.numLeaves = events.numComes = events.numLeft = 0;
    events.numMet = events.numBecomes = events.numWas = 0;
    events.lost = events.gained = 0;
    collect<Words>(places.subspan(i, kChunk), vertex, to, events);
    apply<Words>(events, partOf[vertex], to);
  }
}

void CutLevel::move(int32_t vertex, int32_t to) {
  if (partOf[vertex] == to)
    return;
  switch (graph->slots() / kLanes) {
  case 1:
    moveAll<1>(vertex, to);
    break;
  case 2:
    moveAll<2>(vertex, to);
    break;
  default:
    moveAll<0>(vertex, to);
  }
  partOf[vertex] = to;
}
