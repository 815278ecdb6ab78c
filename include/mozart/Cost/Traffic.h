//===- Traffic.h - What an exchange moves over each link ----------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dispatch or a combine under a routing table, as bytes. A row is the hidden
// vector of a token. What travels:
//
//   dispatch, pairs   one row per (token, expert); to each peer also its counts
//                     (8 bytes a local expert)
//   dispatch, tokens  one row per (token, peer) with the token's k slots of
//                     local routing (4 bytes of id and a gate weight each)
//   combine           rows only
//
// Via the root, each peer's rows travel alone. Via switches, a link carries one
// copy (dispatch) or one partial sum (combine) per token that has a peer beyond
// it.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_COST_TRAFFIC_H
#define MOZART_COST_TRAFFIC_H

#include "mozart/Cost/RoutedCounts.h"
#include "mozart/Machine/MachineModel.h"
#include "mozart/Sim/Program.h"

#include "absl/status/statusor.h"

namespace mozart {

struct LinkTraffic {
  int32_t link = -1;
  int64_t bytes = 0;
  /// Transfers over it: one a peer via the root, one via switches; also where
  /// they are empty.
  int64_t messages = 0;
};

/// What a node on the way copies or adds.
struct NodeTraffic {
  int32_t node = -1;
  /// Dispatch: bytes of copies that leave it, of tokens that leave it by more
  /// than one way. Combine: bytes of partial rows that arrive, of tokens that
  /// arrive by more than one way.
  int64_t bytes = 0;
};

struct PeerTraffic {
  int64_t tokens = 0; ///< distinct tokens with an expert there
  int64_t pairs = 0;
  int64_t bytes = 0; ///< that arrive there or leave from there
};

struct ExchangeTraffic {
  /// Bytes of one travelling row with what belongs to it.
  int64_t rowBytes = 0;
  std::vector<PeerTraffic> peers;
  /// By ascending link; all links of all routes.
  std::vector<LinkTraffic> links;
  /// Via switches: nodes that have several ways on in the tree of routes, in
  /// ascending order, but for the task's own node. Otherwise empty.
  std::vector<NodeTraffic> branches;
  /// Bytes that leave (dispatch) or reach (combine) the task's own node.
  int64_t rootBytes = 0;
};

/// A token of the exchange's slice, counted from the slice's first, that goes
/// to a peer.
struct TokenAtPeer {
  int64_t token = 0;
  int32_t peer = -1;
};

/// Traffic of task `task`, a dispatch or combine of a verified program. Fails
/// with kInvalidArgument if the routing operand names no slice or one of
/// another number of tokens, with kOutOfRange if bytes pass 2^63. Appends every
/// token and peer, each pair once and by ascending token, to `tokens` if given.
absl::StatusOr<ExchangeTraffic>
exchangeTraffic(const Program &program, int32_t task,
                const MachineModel &machine, RoutingCounter &counter,
                std::vector<TokenAtPeer> *tokens = nullptr);

} // namespace mozart

#endif // MOZART_COST_TRAFFIC_H
