//===- EventHeap.h - Events in order of time ----------------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_SIM_EVENTHEAP_H
#define MOZART_LIB_SIM_EVENTHEAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mozart {

/// An event of 16 bytes: at one time, ascending keys first.
struct HeapEvent {
  int64_t timePs;
  uint64_t key;

  bool before(const HeapEvent &other) const {
    return timePs != other.timePs ? timePs < other.timePs : key < other.key;
  }
};

/// A heap with four children a node, which is shallow and fills cache lines.
class EventHeap {
public:
  bool empty() const { return events.empty(); }
  const HeapEvent &top() const { return events.front(); }

  void push(HeapEvent event) {
    size_t at = events.size();
    events.push_back(event);
    while (at > 0) {
      size_t parent = (at - 1) / kChildren;
      if (!event.before(events[parent]))
        break;
      events[at] = events[parent];
      at = parent;
    }
    events[at] = event;
  }

  void pop() {
    HeapEvent last = events.back();
    events.pop_back();
    const size_t size = events.size();
    if (size == 0)
      return;
    size_t at = 0;
    for (;;) {
      size_t child = at * kChildren + 1;
      if (child >= size)
        break;
      size_t end = child + kChildren < size ? child + kChildren : size;
      size_t least = child;
      for (size_t i = child + 1; i < end; ++i)
        if (events[i].before(events[least]))
          least = i;
      if (!events[least].before(last))
        break;
      events[at] = events[least];
      at = least;
    }
    events[at] = last;
  }

private:
  static constexpr size_t kChildren = 4;
  std::vector<HeapEvent> events;
};

} // namespace mozart

#endif // MOZART_LIB_SIM_EVENTHEAP_H
