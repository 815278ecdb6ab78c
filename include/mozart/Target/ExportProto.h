//===- ExportProto.h - Programs and machines as protobuf messages -*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_TARGET_EXPORTPROTO_H
#define MOZART_TARGET_EXPORTPROTO_H

namespace mozart {

/// Registers `mozart-translate --export-program` (the module's one program as a
/// mozart.pb.Program) and `--export-machine` (the module's one machine as a
/// mozart.pb.Machine), both as text or binary.
void registerExportProto();

} // namespace mozart

#endif // MOZART_TARGET_EXPORTPROTO_H
