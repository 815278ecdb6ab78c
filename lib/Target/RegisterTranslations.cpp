//===- RegisterTranslations.cpp - What mozart-translate can do -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mozart/Target/RegisterTranslations.h"

#include "mozart/Target/Execute.h"
#include "mozart/Target/ExportProto.h"
#include "mozart/Target/ImportHFConfig.h"
#include "mozart/Target/RoutingTranslations.h"
#include "mozart/Target/Simulate.h"

void mozart::registerAllTranslations() {
  registerConvertRouting();
  registerExecute();
  registerExportRouting();
  registerExportProto();
  registerImportHFConfig();
  registerRoutingStatistics();
  registerSimulate();
}
