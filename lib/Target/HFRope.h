//===- HFRope.h - Rotary embedding of a configuration -*- C++ -*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOZART_LIB_TARGET_HFROPE_H
#define MOZART_LIB_TARGET_HFROPE_H

#include "HFConfig.h"

#include "mozart/Support/Rope.h"

namespace mozart {

/// Reads `rope_theta`, and `rope_scaling` or `rope_parameters`, for heads that
/// turn `dim` entries. `scoreScale` becomes what YaRN multiplies the scores of
/// latent attention by (`mscale_all_dim`), 1 without.
RopeParams readHFRope(HFConfig &config, RopeStyle style, int64_t dim,
                      double &scoreScale);

} // namespace mozart

#endif // MOZART_LIB_TARGET_HFROPE_H
