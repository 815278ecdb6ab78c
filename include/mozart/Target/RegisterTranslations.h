//===- RegisterTranslations.h - What mozart-translate can do -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_REGISTERTRANSLATIONS_H
#define MOZART_TARGET_REGISTERTRANSLATIONS_H

namespace mozart {

/// Registers every translation of this project and its options.
void registerAllTranslations();

} // namespace mozart

#endif // MOZART_TARGET_REGISTERTRANSLATIONS_H
