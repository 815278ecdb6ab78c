//===- TransferNetwork.cpp - What carries the transfers of tasks ----------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferNetwork.h"

#include "FlitTransfers.h"
#include "FluidTransfers.h"
#include "PacketNetwork.h"

#include "absl/strings/str_cat.h"

using namespace mozart;

const char *mozart::networkName(Network network) {
  switch (network) {
  case Network::Flow:
    return "flow";
  case Network::Packet:
    return "packet";
  case Network::Flit:
    return "flit";
  }
  return "unknown";
}

absl::StatusOr<std::unique_ptr<TransferNetwork>>
mozart::makeTransferNetwork(const NetworkContext &context) {
  switch (context.options.network) {
  case Network::Flow:
    return std::make_unique<FluidTransfers>(context);
  case Network::Packet:
    return std::make_unique<PacketNetwork>(context);
  case Network::Flit:
    return FlitTransfers::create(context);
  }
  return absl::InvalidArgumentError("unknown network fidelity");
}

absl::Status mozart::timeOverflow(const Program &program) {
  return absl::OutOfRangeError(
      absl::StrCat("program '", program.name,
                   "': its time does not fit in 63 bits of picoseconds"));
}
