//===- AbiCompat.h - Same class layouts as the LLVM libraries ----*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The packaged LLVM is built with NDEBUG, which changes the size of
// llvm::Statistic (a member of passes). This header must come first in every
// file that is built with assertions and sees MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_SUPPORT_ABICOMPAT_H
#define MOZART_SUPPORT_ABICOMPAT_H

#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif

#endif // MOZART_SUPPORT_ABICOMPAT_H
