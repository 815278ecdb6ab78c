//===- PacketStandstill.cpp - Why packets do not go on --------------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PacketNetwork.h"

#include "absl/strings/str_cat.h"

#include <set>

using namespace mozart;

std::string PacketNetwork::explainStandstill() const { return "?"; }
