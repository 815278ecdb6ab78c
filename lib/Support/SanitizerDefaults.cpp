//===- SanitizerDefaults.cpp - How sanitized executables run --------------===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage of MLIR's attributes and types is poisoned by code that is inlined
// here, and given out again by code in libMLIR, which is not sanitized and does
// not lift the poison. So poisoning by hand is switched off. ASAN_OPTIONS still
// overrides.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
