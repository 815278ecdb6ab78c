//===- RoutingTranslations.h - Routing traces, moved and counted -*- C++ -*-
//===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_ROUTINGTRANSLATIONS_H
#define MOZART_TARGET_ROUTINGTRANSLATIONS_H

namespace mozart {

/// Registers `mozart-translate --convert-routing`: a trace from one form of
/// mozart/Routing/TraceIO.h to another.
void registerConvertRouting();

/// Registers `mozart-translate --export-routing`: a module's trace, drawn if it
/// is an embedded one.
void registerExportRouting();

/// Registers `mozart-translate --routing-statistics`: what a trace says of each
/// layer, as JSON.
void registerRoutingStatistics();

} // namespace mozart

#endif // MOZART_TARGET_ROUTINGTRANSLATIONS_H
