//===- ExplainPlacement.h - Remarks on placements -----------------*- C++
//-*-===//
//
// Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MOZART_LIB_DIALECT_MOE_TRANSFORMS_EXPLAINPLACEMENT_H
#define MOZART_LIB_DIALECT_MOE_TRANSFORMS_EXPLAINPLACEMENT_H

#include "mozart/Dialect/MoE/Transforms/Layers.h"
#include "mozart/Placement/Placement.h"

namespace mozart::moe {

/// What is said beside the placements themselves.
struct PlacementStory {
  /// The algorithm; null where a file has the placements.
  const PlacementAlgorithm *algorithm = nullptr;
  /// Bytes of an expert's weights; 0 where they are not known.
  int64_t expertBytes = 0;
};

/// Remarks for each layer of a function: what its placement is worth under the
/// problem's profile, where there is one, beside experts in order; how near
/// that is to what is proven; which experts have replicas; how many moved from
/// the problem's old placement; and what the placer remarked. Reports and fails
/// where the profile is of another shape.
mlir::LogicalResult explainPlacements(mlir::FunctionOpInterface function,
                                      llvm::ArrayRef<Layer> layers,
                                      llvm::ArrayRef<Placement> placements,
                                      const PlacementProblem &problem,
                                      const PlacementStory &story);

} // namespace mozart::moe

#endif // MOZART_LIB_DIALECT_MOE_TRANSFORMS_EXPLAINPLACEMENT_H
