//===- MachinePresets.cpp - Machines that come with the library -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of share/mozart/machines, compiled in, so that a plugin inside
// another tool finds them.
//
//===----------------------------------------------------------------------===//

#include "mozart/Dialect/Wafer/Transforms/Passes.h"

using namespace mozart::wafer;

static constexpr MachinePreset kPresets[] = {
#include "MachinePresets.inc"
};

llvm::ArrayRef<MachinePreset> mozart::wafer::getMachinePresets() {
  return kPresets;
}
